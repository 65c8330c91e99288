"""Coverage of what the model of several tournaments says of votes, whose judges are in many.

Votes are drawn from strengths that vary between tournaments around each player's mean, by judges
whose opinions are of all tournaments, or of each, and fitted by `leaderbayes.fit`. True are the
strengths that votes of all such judges would give. Of each board: whether 95 % intervals of the
differences of all pairs have the true ones, of means and in each tournament, and that of the spread
between tournaments; pairs of means where a judge is taken for another one in each tournament; and
what is said of who is best. See make.py.
"""

import itertools
import json
import warnings
from concurrent.futures import Executor
from pathlib import Path

import numpy as np

from tables import complete, error, mean, read

BOARDS = 6  # of a cell
PLAYERS, VOTES, STRENGTH = 8, 300, 0.8  # votes of a tournament
JUDGES, TOURNAMENTS = (5, 30), (3, 10)
# Spread between tournaments, and of judges' opinions of a player; which share of the variance of
# these is of all tournaments; share of tournaments that a player is missing from.
KINDS = {
    "no opinions": (0.3, 0.0, 0.0, 0.0),
    "by tournament": (0.3, 0.5, 0.0, 0.0),
    "half of all": (0.3, 0.5, 0.5, 0.0),
    "of all": (0.3, 0.5, 1.0, 0.0),
    "hardly differ": (0.05, 0.5, 1.0, 0.0),
    "differ much": (1.0, 0.5, 1.0, 0.0),
    "missing players": (0.3, 0.5, 1.0, 0.4),
}
CELLS = tuple(itertools.product(KINDS, JUDGES, TOURNAMENTS))
KEYS = ("opinions", "judges", "tournaments")
COVERED = ("pairs", "here", "spread", "others")


def draw(kind, judges, tournaments, rng):
    """Votes, true means (player,), strengths (tournament, player) and the spread of these."""
    import xarray as xr
    from scipy.special import expit

    spread, opinion, of_all, missing = KINDS[kind]
    strength = rng.normal(scale=STRENGTH, size=PLAYERS)
    here = strength + rng.normal(scale=spread, size=(tournaments, PLAYERS))
    of_judges = np.sqrt(of_all) * rng.normal(scale=opinion, size=(judges, PLAYERS))
    of = np.repeat(np.arange(tournaments), VOTES)
    first, second = np.empty((2, len(of)), dtype=int)
    judge, eta = rng.integers(0, judges, len(of)), np.empty(len(of))
    for t in range(tournaments):
        own = np.flatnonzero(of == t)
        there = np.flatnonzero(rng.random(PLAYERS) >= missing)
        there = there if len(there) > 2 else np.arange(PLAYERS)
        i = rng.integers(0, len(there), VOTES)
        j = (i + rng.integers(1, len(there), VOTES)) % len(there)
        first[own], second[own] = there[i], there[j]
        alone = np.sqrt(1.0 - of_all) * rng.normal(scale=opinion, size=(judges, PLAYERS))
        each = here[t] + (of_judges + alone)[judge[own]]
        row = np.arange(VOTES)
        eta[own] = each[row, first[own]] - each[row, second[own]]
    votes = xr.Dataset(
        {
            "first": ("vote", first.astype(np.int32)),
            "second": ("vote", second.astype(np.int32)),
            "outcome": ("vote", (rng.random(len(of)) < expit(eta)).astype(float)),
        },
        {
            "player": [f"p{i}" for i in range(PLAYERS)],
            "judge": ("vote", judge),
            "tournament": ("vote", [f"t{t}" for t in of]),
        },
        {"kind": "votes", "ordered": 1},
    )
    # What opinions do on average: the logistic law's nearest normal one.
    less = 1.0 / np.sqrt(1.0 + 2.0 * (0.588 * opinion) ** 2)
    return votes, less * strength, less * here, less * spread


def covered(draws, truth):
    """Whether intervals of pairs (draw, pair) have the truth; and their mean width."""
    low, high = np.quantile(draws, [0.025, 0.975], axis=0)
    return (low <= truth) & (truth <= high), float((high - low).mean())


def gaps(values):
    """Differences of pairs (..., pair) of values (..., player)."""
    one, other = np.triu_indices(values.shape[-1], 1)
    return values[..., one] - values[..., other]


def board(kind, judges, tournaments, number):
    """What `leaderbayes.fit` says of one table of votes, and what is true."""
    import leaderbayes as lb

    rng = np.random.default_rng([list(KINDS).index(kind), judges, tournaments, number])
    votes, means, here, spread = draw(kind, judges, tournaments, rng)
    labels = [
        f"{g} {t}" for g, t in zip(votes["judge"].values, votes["tournament"].values, strict=True)
    ]
    options = {"seed": number, "progressbar": False}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        dt = lb.fit(votes, "tournaments", **options)
        others = votes.assign_coords(judge=("vote", labels))
        alone = lb.fit(others, "tournaments", replicates=4, **options)
    names = [int(name[1:]) for name in dt["posterior"]["player"].values]

    def draws(tree, name):
        values = tree["posterior"][name].to_numpy()
        return gaps(values.reshape(-1, *values.shape[2:]))

    found, width = covered(draws(dt, "epp"), gaps(means[names]))
    naive, narrow = covered(draws(alone, "epp"), gaps(means[names]))
    where = [int(name[1:]) for name in dt["posterior"]["tournament"].values]
    own, _ = covered(draws(dt, "epp_tournament"), gaps(here[np.ix_(where, names)]))
    there = (dt["constant_data"]["n"].sum("opponent") > 0).to_numpy()
    one, other = np.triu_indices(len(names), 1)
    of_spread = dt["posterior"]["epp_spread"].to_numpy().reshape(-1, 1)
    best = lb.leaderboard(dt).sort_values("p_best", ascending=False).iloc[0]
    row = {
        "pairs": found.mean(),
        "here": own[there[:, one] & there[:, other]].mean(),
        "spread": covered(of_spread, spread)[0][0],
        "others": naive.mean(),
        "wider": width / narrow,
        "said best": best["p_best"],
        "is best": best["player"] == f"p{np.argmax(means)}",
        "misfit": dt.attrs["p_check"] < 0.05,
        "converged": dt.attrs["converged"],
    }
    return {name: float(value) for name, value in row.items()}


def cell(kind, judges, tournaments):
    """Means over the boards of a cell, with Monte Carlo errors of the coverages."""
    found = [board(kind, judges, tournaments, number) for number in range(BOARDS)]
    row = dict(zip(KEYS, (kind, judges, tournaments), strict=True)) | {"boards": BOARDS}
    for name in found[0]:
        row[name] = mean(one[name] for one in found)
        if name in COVERED:
            row[f"{name}: error"] = error(one[name] for one in found)
    return {"vote_tournaments": [row]}


def cover(folder: Path, executor: Executor):
    """Write folder/vote_tournaments.csv, going on from the cells that are there."""
    complete(folder, "vote_tournaments", KEYS, CELLS, cell, executor)
    record = {"command": "python models/make.py vote_tournaments", "boards": BOARDS, "votes": VOTES}
    (folder / "vote_tournaments.json").write_text(json.dumps(record, indent=2) + "\n")


def shown(folder: Path):
    """Tables of models/README.md by their marks."""
    import pandas as pd

    table = pd.DataFrame(read(folder / "vote_tournaments.csv"))
    names = [n for n in table.columns if n not in (*KEYS, "boards") and ":" not in n]
    values = table[names].astype(float)
    by = {"vote tournaments": ["opinions"], "vote tournaments by size": ["judges", "tournaments"]}
    return {
        mark: values.groupby([table[key] for key in keys], sort=False).mean().reset_index()
        for mark, keys in by.items()
    }
