"""Coverage of what is said of votes, by judges and on prompts with opinions of their own.

Votes are drawn from known strengths and opinions, and fitted by `leaderbayes.fit`. True are the
strengths that votes of all judges, on all prompts, of the same players in the same pairs would
give. Of each board: whether 95 % intervals of the differences of all pairs, and of each player
against the average, have the true ones; the same where votes are taken to be independent, as a
bootstrap of single votes takes them; and what is said of who is best. See make.py.
"""

import itertools
import json
import warnings
from concurrent.futures import Executor
from pathlib import Path

import numpy as np

from tables import complete, error, mean, read

BOARDS = 10  # of a cell
VOTES, PLAYERS = 3000, 12
STRENGTH = 0.7  # standard deviation of the players', log-odds
JUDGES, PROMPTS = (5, 20, 200), (50, 5000)
# Standard deviations of judges' and of prompts' opinions of a player, log-odds; and what else.
KINDS = {
    "no opinions": (0.0, 0.0),
    "judges 0.5": (0.5, 0.0),
    "judges 1": (1.0, 0.0),
    "prompts 1": (0.0, 1.0),
    "both 1": (1.0, 1.0),
    "position": (0.5, 0.5),
    "30 % ties": (0.5, 0.5),
    "unequal": (0.5, 0.5),
    "sparse": (0.5, 0.5),
    "neighbours": (0.5, 0.5),
    "halves": (0.5, 0.5),
    "by rating": (0.5, 0.5),
}
CELLS = tuple(itertools.product(KINDS, JUDGES, PROMPTS))
KEYS = ("opinions", "judges", "prompts")
MATCHED = ("neighbours", "halves", "by rating")  # whom players meet says how strong they are
ORDER, ORDER_SD = 0.5, 0.5  # favour of who is shown first, and its spread over judges
TIES = 0.3


def matched(kind, strength, rng):
    """Draw pairs (2, vote) of players whose strengths (player,) say whom they meet."""
    order = np.argsort(strength)
    one, other = np.triu_indices(PLAYERS, 1)
    often = {
        "neighbours": other - one == 1,  # in order of strength
        "halves": np.where((one < PLAYERS // 2) == (other < PLAYERS // 2), 1.0, 0.05),
        # As of ladders: half as often for each half of a standard deviation.
        "by rating": 4.0 ** ((strength[order[one]] - strength[order[other]]) / STRENGTH),
    }[kind].astype(float)
    pair = rng.choice(len(one), VOTES, p=often / often.sum())
    return rng.permuted(order[np.stack([one[pair], other[pair]])], axis=0)


def design(kind, judges, prompts, rng, strength=None):
    """Draw who meets whom, by which judge and on which prompt (vote,).

    Where players are matched it is by strength (player,).
    """
    first = rng.integers(0, PLAYERS, VOTES)
    second = (first + rng.integers(1, PLAYERS, VOTES)) % PLAYERS
    judge, prompt = rng.integers(0, judges, VOTES), rng.integers(0, prompts, VOTES)
    if kind == "unequal":
        share = 1.0 / np.arange(1, judges + 1)
        judge = rng.choice(judges, VOTES, p=share / share.sum())
        often = rng.dirichlet(np.ones(PLAYERS))
        first = rng.choice(PLAYERS, VOTES, p=often)
        second = (first + rng.integers(1, PLAYERS, VOTES)) % PLAYERS
    if kind == "sparse":  # each meets those next to it, and one far away
        second = (first + rng.choice([1, PLAYERS - 1, PLAYERS // 2], VOTES)) % PLAYERS
    if kind in MATCHED:
        first, second = matched(kind, strength, rng)
    return first, second, judge, prompt


def true_strengths(first, second, p):
    """Strengths (player,) that votes won with these probabilities (vote,) would give."""
    from leaderbayes._numerics.votes import Votes, maximum

    one = np.ones(len(p))
    first, second = first.astype(np.int32), second.astype(np.int32)
    return maximum(Votes(PLAYERS, first, second, p, one, one, np.empty((len(p), 0)))).epp


def draw(kind, judges, prompts, rng):
    """Votes, and the true strengths."""
    import xarray as xr
    from scipy.special import expit

    of_judges, of_prompts = KINDS[kind]
    strength = rng.normal(scale=STRENGTH, size=PLAYERS)
    first, second, judge, prompt = design(kind, judges, prompts, rng, strength)
    opinion = rng.normal(scale=of_judges, size=(judges, PLAYERS))
    suits = rng.normal(scale=of_prompts, size=(prompts, PLAYERS))
    gap = strength[first] - strength[second]
    eta = gap + opinion[judge, first] - opinion[judge, second]
    eta += suits[prompt, first] - suits[prompt, second]
    if kind == "position":
        eta += ORDER + rng.normal(scale=ORDER_SD, size=judges)[judge]
    p = expit(eta)
    tie = 2.0 * TIES * np.minimum(p, 1.0 - p) if kind == "30 % ties" else np.zeros(VOTES)
    u = rng.random(VOTES)
    outcome = np.where(u < p - tie / 2, 1.0, np.where(u < p + tie / 2, 0.5, 0.0))
    # What opinions do on average: without the order, which is an effect of its own.
    node, weight = np.polynomial.hermite_e.hermegauss(40)
    spread = np.sqrt(2.0 * (of_judges**2 + of_prompts**2))
    spread = np.hypot(spread, ORDER_SD) if kind == "position" else spread
    average = expit(gap[:, None] + spread * node) @ (weight / weight.sum())
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
    return votes, true_strengths(first, second, average)


def covered(dt, truth):
    """Share of intervals of pairs, and of players, that have the truth; their mean width."""
    epp = dt["posterior"]["epp"].transpose("chain", "draw", "player").to_numpy()
    epp = epp.reshape(-1, PLAYERS)
    one, other = np.triu_indices(PLAYERS, 1)
    gap, true = epp[:, one] - epp[:, other], truth[one] - truth[other]
    low, high = np.quantile(gap, [0.025, 0.975], axis=0)
    below, above = np.quantile(epp, [0.025, 0.975], axis=0)
    own = (below <= truth) & (truth <= above)
    return ((low <= true) & (true <= high)).mean(), own.mean(), (high - low).mean()


def board(kind, judges, prompts, number):
    """What `leaderbayes.fit` says of one table of votes, and what is true."""
    import leaderbayes as lb

    rng = np.random.default_rng([list(KINDS).index(kind), judges, prompts, number])
    votes, truth = draw(kind, judges, prompts, rng)
    options = {"order_effect": kind == "position", "progressbar": False}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        dt = lb.fit(votes, seed=number, **options)
        alone = lb.fit(votes, seed=number, cluster="none", replicates=4, **options)
    pairs, own, width = covered(dt, truth)
    naive, _, narrow = covered(alone, truth)
    best = lb.leaderboard(dt).sort_values("p_best", ascending=False).iloc[0]
    row = {
        "pairs": pairs,
        "own": own,
        "independent": naive,
        "wider": width / narrow,
        "said best": best["p_best"],
        "is best": best["player"] == f"p{np.argmax(truth)}",
        "misfit": dt.attrs["p_check"] < 0.05,
        "converged": dt.attrs["converged"],
    }
    return {name: float(value) for name, value in row.items()}


def cell(kind, judges, prompts):
    """Means over the boards of a cell, with Monte Carlo errors of the coverages."""
    found = [board(kind, judges, prompts, number) for number in range(BOARDS)]
    row = dict(zip(KEYS, (kind, judges, prompts), strict=True)) | {"boards": BOARDS}
    for name in found[0]:
        row[name] = mean(one[name] for one in found)
        if name in ("pairs", "own", "independent"):
            row[f"{name}: error"] = error(one[name] for one in found)
    return {"votes": [row]}


def cover(folder: Path, executor: Executor):
    """Write folder/votes.csv, going on from the cells that are there."""
    complete(folder, "votes", KEYS, CELLS, cell, executor)
    record = {"command": "python models/make.py votes", "boards": BOARDS, "votes": VOTES}
    (folder / "votes.json").write_text(json.dumps(record, indent=2) + "\n")


def shown(folder: Path):
    """Tables of models/README.md by their marks."""
    import pandas as pd

    table = pd.DataFrame(read(folder / "votes.csv"))
    names = [n for n in table.columns if n not in (*KEYS, "boards") and ":" not in n]
    values = table[names].astype(float)
    return {
        "votes": values.groupby(table["opinions"], sort=False).mean().reset_index(),
        "votes by judges": values.groupby(table["judges"], sort=False).mean().reset_index(),
    }
