"""Coverage of what Davidson's model and PMRA say of votes, whose judges and prompts have opinions.

Votes are drawn from known strengths and opinions, with ties as Davidson's model has them, or with
an advantage of whoever is shown first that judges differ in, and fitted by `leaderbayes.fit`. True
is what all votes of all such judges, on all such prompts, of the same players in the same pairs
would give by the same model. Of each board: whether 95 % intervals of the differences of all pairs,
of each player against the average, of nu, of the order effect and of how judges differ have the
true ones; pairs where votes are taken to be independent; and what is said of who is best. See
make.py.
"""

import itertools
import json
import warnings
from concurrent.futures import Executor
from pathlib import Path

import numpy as np

from tables import complete, error, read
from votes import PLAYERS, STRENGTH, VOTES, covered, design

BOARDS = 8  # of a cell
JUDGES, PROMPTS = (5, 20, 200), (50, 5000)
# Standard deviations of judges' and of prompts' opinions of a player, log-odds.
KINDS = {
    "no opinions": (0.0, 0.0),
    "judges 0.5": (0.5, 0.0),
    "both 0.5": (0.5, 0.5),
    "unequal": (0.5, 0.5),
    "60 % ties": (0.5, 0.5),
    "position": (0.5, 0.5),
}
OF = {
    "davidson": ("no opinions", "judges 0.5", "both 0.5", "60 % ties", "position"),
    "round_intercept": ("no opinions", "judges 0.5", "both 0.5", "unequal"),
}
CELLS = tuple(
    (model, *rest)
    for model, kinds in OF.items()
    for rest in itertools.product(kinds, JUDGES, PROMPTS)
)
KEYS = ("model", "opinions", "judges", "prompts")
COVERED = ("pairs", "own", "independent", "order", "nu", "spread")
TIES, MANY_TIES = 0.3, 0.6  # of two equal players
ORDER, ORDER_SD = 0.5, 0.5  # favour of who is shown first, and its spread over PMRA's judges
LIKE = 40  # judges who stand for all, of PMRA


def davidson_of(kind):
    """Davidson's nu, and the advantage of the first."""
    share = MANY_TIES if kind == "60 % ties" else TIES
    return np.log(2.0 * share / (1.0 - share)), ORDER if kind == "position" else 0.0


def averages(of, eta, spread):
    """Average what ``of`` gives of log-odds over opinions, of normal law."""
    node, weight = np.polynomial.hermite_e.hermegauss(30)
    weight = weight / weight.sum()
    return sum(w * np.stack(of(eta + spread * z)) for z, w in zip(node, weight, strict=True))


def true_davidson(kind, first, second, strength, spread):
    """Strengths, and effects and nu, that all such votes would give."""
    from leaderbayes._numerics.davidson_votes import maximum, shares
    from leaderbayes._numerics.votes import Votes

    nu, order = davidson_of(kind)
    gap = strength[first] - strength[second] + order
    won, tie = averages(lambda eta: shares(eta, nu), gap, spread)
    one = np.ones(len(gap))
    effect = np.ones((len(gap), int(kind == "position")))
    votes = Votes(
        PLAYERS, first.astype(np.int32), second.astype(np.int32), won + 0.5 * tie, one,
        won + 0.25 * tie, effect,
    )  # fmt: skip
    at = maximum(votes)
    return at.epp, dict(zip(("order", "nu") if order else ("nu",), at.beta, strict=True))


def true_intercept(first, second, strength, spread):
    """Strengths, the average judge's advantage of the first, and its spread over judges."""
    from scipy.special import expit
    from scipy.stats import norm

    from leaderbayes._numerics.vote_intercept import fit_marginal, judged

    pair, n = np.unique(first * PLAYERS + second, return_counts=True)
    first, second = pair // PLAYERS, pair % PLAYERS
    own = norm.ppf((np.arange(LIKE) + 0.5) / LIKE)
    own *= ORDER_SD / own.std()
    judge = np.repeat(np.arange(LIKE), len(pair))
    gap = np.tile(strength[first] - strength[second], LIKE) + ORDER + own[judge]
    (p,) = averages(lambda eta: (expit(eta),), gap, spread)
    # So many votes of each that what judges are like is known.
    n = 1000.0 * np.tile(n, LIKE)
    rows = judged(np.tile(first, LIKE), np.tile(second, LIKE), n * p, n, judge, PLAYERS)
    x, _ = fit_marginal(rows, np.concatenate([strength, [ORDER, ORDER_SD]]), 10)
    return x[:PLAYERS], {"order": x[PLAYERS], "spread": x[PLAYERS + 1]}


def draw(model, kind, judges, prompts, rng):
    """Votes, true strengths, and what else is true."""
    import xarray as xr
    from scipy.special import expit

    from leaderbayes._numerics.davidson_votes import shares

    of_judges, of_prompts = KINDS[kind]
    strength = rng.normal(scale=STRENGTH, size=PLAYERS)
    strength -= strength.mean()
    first, second, judge, prompt = design(kind, judges, prompts, rng)
    opinion = rng.normal(scale=of_judges, size=(judges, PLAYERS))
    suits = rng.normal(scale=of_prompts, size=(prompts, PLAYERS))
    eta = strength[first] - strength[second]
    eta += opinion[judge, first] - opinion[judge, second]
    eta += suits[prompt, first] - suits[prompt, second]
    spread = np.sqrt(2.0 * (of_judges**2 + of_prompts**2))
    u = rng.random(VOTES)
    if model == "davidson":
        nu, order = davidson_of(kind)
        won, tie = shares(eta + order, nu)
        outcome = np.where(u < won, 1.0, np.where(u < won + tie, 0.5, 0.0))
        truth = true_davidson(kind, first, second, strength, spread)
    else:
        eta += ORDER + rng.normal(scale=ORDER_SD, size=judges)[judge]
        outcome = (u < expit(eta)).astype(float)
        truth = true_intercept(first, second, strength, spread)
    votes = xr.Dataset(
        {
            "first": ("vote", first.astype(np.int32)),
            "second": ("vote", second.astype(np.int32)),
            "outcome": ("vote", outcome),
        },
        {
            "player": [f"p{i}" for i in range(PLAYERS)],
            "judge": ("vote", judge),
            "prompt": ("vote", prompt),
        },
        {"kind": "votes", "ordered": 1},
    )
    return votes, *truth


def has(dt, name, value):
    """Whether the 95 % interval of what stands beside strengths has the true value."""
    posterior = dt["posterior"].to_dataset()
    of = {"order": "effect_size", "nu": "tie", "spread": "intercept_scale"}[name]
    low, high = np.quantile(posterior[of].to_numpy().ravel(), [0.025, 0.975])
    return float(low <= value <= high)


def board(model, kind, judges, prompts, number):
    """What `leaderbayes.fit` says of one table of votes, and what is true."""
    import leaderbayes as lb

    seed = [list(OF).index(model), list(KINDS).index(kind), judges, prompts, number]
    votes, truth, others = draw(model, kind, judges, prompts, np.random.default_rng(seed))
    options = {"progressbar": False}
    if kind == "position":
        options["order_effect"] = True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        dt = lb.fit(votes, model, seed=number, **options)
        alone = lb.fit(votes, model, seed=number, cluster="none", replicates=4, **options)
    pairs, own, width = covered(dt, truth)
    naive, _, narrow = covered(alone, truth)
    best = lb.leaderboard(dt).sort_values("p_best", ascending=False).iloc[0]
    row = {
        "pairs": pairs,
        "own": own,
        "independent": naive,
        "wider": width / narrow,
        **{name: has(dt, name, others[name]) if name in others else np.nan
           for name in ("order", "nu", "spread")},
        "said best": best["p_best"],
        "is best": best["player"] == f"p{np.argmax(truth)}",
        "misfit": dt.attrs["p_check"] < 0.05,
        "converged": dt.attrs["converged"],
    }  # fmt: skip
    return {name: float(value) for name, value in row.items()}


def cell(model, kind, judges, prompts):
    """Means over the boards of a cell, with Monte Carlo errors of the coverages."""
    found = [board(model, kind, judges, prompts, number) for number in range(BOARDS)]
    row = dict(zip(KEYS, (model, kind, judges, prompts), strict=True)) | {"boards": BOARDS}
    for name in found[0]:
        row[name] = round(float(np.mean([one[name] for one in found])), 4)
        if name in COVERED:
            row[f"{name}: error"] = error(one[name] for one in found)
    return {"vote_models": [row]}


def cover(folder: Path, executor: Executor):
    """Write folder/vote_models.csv, going on from the cells that are there."""
    complete(folder, "vote_models", KEYS, CELLS, cell, executor)
    record = {"command": "python models/make.py vote_models", "boards": BOARDS, "votes": VOTES}
    (folder / "vote_models.json").write_text(json.dumps(record, indent=2) + "\n")


def shown(folder: Path):
    """Tables of models/README.md by their marks."""
    import pandas as pd

    table = pd.DataFrame(read(folder / "vote_models.csv"))
    names = [n for n in table.columns if n not in (*KEYS, "boards") and ":" not in n]
    values = table[names].astype(float)
    by = {"vote models": "opinions", "vote models by judges": "judges"}
    return {
        mark: values.groupby([table["model"], table[key]], sort=False).mean().reset_index()
        for mark, key in by.items()
    }
