"""Votes of judges and on prompts with opinions of their own, drawn from known strengths.

True is what all votes of all such judges, on all such prompts, of the same players in the same
pairs would give by the same model. Of each board: whether 95 % intervals hold it, of the
differences of all pairs, of each player against the average, and of what the model has beside
strengths; of pairs where votes are taken to be independent, as a bootstrap of single votes takes
them; and what is said of who is best.
"""

import itertools

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from scipy.special import expit

from matches import best_fitting
from tables import Table, draws_of, fit, flags, gaps, held, means, read

VOTES, PLAYERS = 3000, 12
STRENGTH = 0.7  # standard deviation of the players', log-odds
# Standard deviations of judges' and of prompts' opinions of a player, log-odds; and what else.
KINDS = {
    "no opinions": (0.0, 0.0), "judges 0.5": (0.5, 0.0), "judges 1": (1.0, 0.0),
    "prompts 1": (0.0, 1.0), "both 0.5": (0.5, 0.5), "both 1": (1.0, 1.0),
} | dict.fromkeys(
    ["position", "30 % ties", "60 % ties", "unequal", "sparse", "neighbours", "halves",
     "by rating"], (0.5, 0.5),
)  # fmt: skip
OF = {  # without those of MATCHED pairs, of which many a fit takes minutes
    "bradley_terry": (
        "no opinions", "judges 0.5", "judges 1", "prompts 1", "both 1", "position", "30 % ties",
        "unequal", "sparse",
    ),
    "davidson": ("no opinions", "judges 0.5", "both 0.5", "60 % ties", "position"),
}  # fmt: skip
LADDERS = {f"ladder, {places} places": places for places in (4, 12, 20)}  # apart, at most
SWISS = {"Swiss, 30 x 6": (30, 6), "Swiss, 60 x 9": (60, 9)}  # players, rounds
RATED = {"running rating, 600": 600, "running rating, 2000": 2000}  # matches
OF_LADDERS = 40, 400  # players, matches; of running ratings the former
MATCHED = ("neighbours", "halves", "by rating")  # whom players meet says how strong they are
ORDER, ORDER_SD = 0.5, 0.5  # favour of who is shown first, and its spread over judges
TIES, MANY_TIES = 0.3, 0.6  # of two equal players
_NODE, _WEIGHT = np.polynomial.hermite_e.hermegauss(40)  # of a normal variable


def design(kind, judges, prompts, strength, rng):
    """Draw who meets whom, by which judge and on which prompt (vote,)."""
    first = rng.integers(0, PLAYERS, VOTES)
    second = (first + rng.integers(1, PLAYERS, VOTES)) % PLAYERS
    judge, prompt = rng.integers(0, judges, VOTES), rng.integers(0, prompts, VOTES)
    if kind == "unequal":
        share = 1.0 / np.arange(1, judges + 1)
        judge = rng.choice(judges, VOTES, p=share / share.sum())
        first = rng.choice(PLAYERS, VOTES, p=rng.dirichlet(np.ones(PLAYERS)))
        second = (first + rng.integers(1, PLAYERS, VOTES)) % PLAYERS
    if kind == "sparse":  # each meets those next to it, and one far away
        second = (first + rng.choice([1, PLAYERS - 1, PLAYERS // 2], VOTES)) % PLAYERS
    if kind in MATCHED:
        order = np.argsort(strength)
        one, other = np.triu_indices(PLAYERS, 1)
        often = {
            "neighbours": other - one == 1,  # in order of strength
            "halves": np.where((one < PLAYERS // 2) == (other < PLAYERS // 2), 1.0, 0.05),
            # As of ladders: half as often for each half of a standard deviation.
            "by rating": 4.0 ** ((strength[order[one]] - strength[order[other]]) / STRENGTH),
        }[kind].astype(float)
        pair = rng.choice(len(one), VOTES, p=often / often.sum())
        first, second = rng.permuted(order[np.stack([one[pair], other[pair]])], axis=0)
    return first, second, judge, prompt


def davidson(eta, nu):
    """Probabilities that the first wins, and that nobody does."""
    won, tie, lost = np.exp(0.5 * eta), np.exp(nu), np.exp(-0.5 * eta)
    return won / (won + tie + lost), tie / (won + tie + lost)


def average(eta, spread):
    """P(first wins) over opinions of a normal law."""
    return expit(eta[:, None] + spread * _NODE) @ (_WEIGHT / _WEIGHT.sum())


def true_davidson(first, second, gap, spread, nu, order):
    """Strengths, and effects, that all such votes would give."""
    law = [davidson(gap + order + spread * z, nu) for z in _NODE]
    won, tie = np.average(law, axis=0, weights=_WEIGHT)

    def loss(at):
        said = davidson(at[first] - at[second] + at[-2] * bool(order), at[-1])
        logs = np.log([*said, 1.0 - sum(said)])
        gained = (np.array([won, tie, 1.0 - won - tie]) * logs).sum(axis=0)
        return at[:-1].sum() ** 2 - np.mean(gained)

    at = minimize(loss, np.zeros(PLAYERS + 2), method="BFGS").x
    return at[:PLAYERS], {"nu": at[-1]} | ({"order": at[-2]} if order else {})


def draw(model, kind, judges, prompts, rng):
    """Votes, true strengths (player,), and what else is true."""
    of_judges, of_prompts = KINDS[kind]
    strength = rng.normal(scale=STRENGTH, size=PLAYERS)
    strength -= strength.mean()
    first, second, judge, prompt = design(kind, judges, prompts, strength, rng)
    opinion = rng.normal(scale=of_judges, size=(judges, PLAYERS))
    suits = rng.normal(scale=of_prompts, size=(prompts, PLAYERS))
    gap = strength[first] - strength[second]
    eta = gap + opinion[judge, first] - opinion[judge, second]
    eta += suits[prompt, first] - suits[prompt, second]
    spread, u = np.sqrt(2.0 * (of_judges**2 + of_prompts**2)), rng.random(VOTES)
    if model == "davidson":
        share = MANY_TIES if kind == "60 % ties" else TIES
        nu, order = np.log(2.0 * share / (1.0 - share)), ORDER * (kind == "position")
        won, tie = davidson(eta + order, nu)
        truth = true_davidson(first, second, gap, spread, nu, order)
    else:
        favoured = kind == "position"
        own = ORDER + rng.normal(scale=ORDER_SD, size=judges)
        p = expit(eta + favoured * own[judge])
        tie = 2.0 * TIES * np.minimum(p, 1.0 - p) * (kind == "30 % ties")
        won = p - tie / 2.0
        # The order is an effect of its own.
        spread = np.hypot(spread, ORDER_SD * favoured)
        won_by, p = np.zeros((PLAYERS, PLAYERS)), average(gap, spread)
        np.add.at(won_by, (first, second), p)
        np.add.at(won_by, (second, first), 1.0 - p)
        truth = best_fitting(won_by), {}
    outcome = np.where(u < won, 1.0, np.where(u < won + tie, 0.5, 0.0))
    return table(first, second, outcome, judge=judge, prompt=prompt), *truth


def table(first, second, outcome, **columns):
    """Votes as they are read."""
    import leaderbayes as lb

    names = {"first": [f"p{i}" for i in first], "second": [f"p{i}" for i in second]}
    named = {column: [f"{column} {k}" for k in of] for column, of in columns.items()}
    return lb.read_votes(
        pd.DataFrame(names | {"outcome": outcome} | named),
        first="first", second="second", outcome="outcome", **{column: column for column in named},
    )  # fmt: skip


def of_players(dt):
    """Numbers (player,) of a fit's players."""
    return [int(name[1:]) for name in dt["posterior"]["player"].values]


def said_best(dt, truth):
    """P(best) of whoever is said to be, and whether it is; and what the fit says of itself."""
    import leaderbayes as lb

    best = lb.leaderboard(dt).sort_values("p_best", ascending=False).iloc[0]
    said = {"said best": best["p_best"], "is best": best["player"] == f"p{np.argmax(truth)}"}
    return said | flags(dt)


def votes_board(model, kind, judges, prompts, number):
    """What is said of one table of votes, and what is true."""
    seed = [list(OF).index(model), list(KINDS).index(kind), judges, prompts, number]
    votes, truth, others = draw(model, kind, judges, prompts, np.random.default_rng(seed))
    options = {"seed": number, "order_effect": True} if kind == "position" else {"seed": number}
    dt = fit(votes, model, **options)
    alone = fit(votes, model, cluster="none", replicates=4, **options)
    true = truth[of_players(dt)]
    pairs, width = held(gaps(draws_of(dt, "epp")), gaps(true))
    naive, narrow = held(gaps(draws_of(alone, "epp")), gaps(truth[of_players(alone)]))
    row = {
        "pairs": pairs.mean(),
        "own": held(draws_of(dt, "epp"), true)[0].mean(),
        "independent": naive.mean(),
        "wider": width / narrow,
    }
    for name, of in {"order": "effect_size", "nu": "tie"}.items():
        row[name] = held(draws_of(dt, of), others[name])[0].mean() if name in others else np.nan
    return row | said_best(dt, truth)


def votes_shown(folder):
    """Tables of README, by opinions and by judges, of Bradley-Terry and of Davidson's model."""
    votes = read(folder, "votes")
    names = [c for c in votes if ":" not in c and c not in (*VOTES_TABLE.keys, "boards")]
    default = votes["model"] == "bradley_terry"
    few = [name for name in names if name not in ("order", "nu")]
    return {
        "votes": means(votes[default], ["opinions"], few),
        "votes by judges": means(votes[default], ["judges"], few),
        "votes by davidson": means(votes[~default], ["opinions"], names),
        "votes by davidson by judges": means(votes[~default], ["judges"], names),
    }


VOTES_TABLE = Table(
    ("model", "opinions", "judges", "prompts"),
    {
        (model, *cell): 10 if model == "bradley_terry" else 4
        for model, kinds in OF.items()
        for cell in itertools.product(kinds, (5, 20, 200), (50, 5000))
    },
    votes_board, votes_shown,
)  # fmt: skip


def paired(kind, rng):
    """Votes whose pairs go by strength, or by earlier results, and true strengths (player,)."""
    if kind == "two divisions":
        return draw("bradley_terry", "halves", 20, 50, rng)[:2]
    players, matches = OF_LADDERS
    if kind in SWISS:
        players, matches = SWISS[kind][0], np.prod(SWISS[kind]) // 2
    strength, score = rng.normal(size=players), np.zeros(players)
    first, second, won = np.zeros((3, RATED.get(kind, matches)), dtype=int)
    if kind in LADDERS:
        at = rng.integers(0, players - 1, matches)
        above = np.minimum(at + rng.integers(1, LADDERS[kind] + 1, matches), players - 1)
        first, second = np.argsort(strength)[[at, above]]
        won = rng.random(matches) < expit(strength[first] - strength[second])
    else:
        for k in range(len(first)):
            if kind in RATED:  # against one of the nearest four by Elo
                first[k] = rng.integers(players)
                away = np.abs(score - score[first[k]]) + 1e-3 * rng.random(players)
                away[first[k]] = np.inf
                second[k] = rng.choice(np.argsort(away)[:4])
            elif k % (players // 2) == 0:  # by points so far
                order = np.lexsort((rng.random(players), -score))
                first[k : k + players // 2], second[k : k + players // 2] = order.reshape(-1, 2).T
            a, b = first[k], second[k]
            won[k] = rng.random() < expit(strength[a] - strength[b])
            expected = expit(score[a] - score[b]) if kind in RATED else 0.0
            step = 0.3 if kind in RATED else 1.0
            score[a] += step * (won[k] - expected)
            score[b] += step * (1 - won[k] - (1.0 - expected if kind in RATED else 0.0))
    return table(first, second, won.astype(float)), strength


def matched_board(kind, number):
    """Whether intervals of pairs hold by either prior, and which one the rule takes."""
    votes, truth = paired(kind, np.random.default_rng([len(kind), number]))
    dt = fit(votes, "bradley_terry", seed=number, replicates=1)
    rule = "matching" in dt["posterior"]
    other = fit(votes, "bradley_terry", seed=number, replicates=1, options={"matched": not rule})
    row = {"taken for matched": rule}
    for name, each in {"matched": rule, "exchangeable": not rule}.items():
        one = dt if each else other
        inside, _ = held(gaps(draws_of(one, "epp")), gaps(truth[of_players(one)]))
        row |= {name: inside.mean(), f"{name}, converged": one.attrs["converged"]}
    return row


_SHOWN = ["pairs", "taken for matched", "matched", "matched, converged", "exchangeable"]
MATCHED_TABLE = Table(
    ("pairs",),
    dict.fromkeys([(k,) for k in (*LADDERS, "two divisions", *SWISS, *RATED)], 4),
    matched_board,
    lambda folder: {"matched": read(folder, "matched")[_SHOWN]},
    checked=1,
)
