"""Coverage of mean scores over data sets, and what is said of a new one, against what is true.

Boards are drawn from known laws of data sets and fitted by `leaderbayes.fit`. Of each pair of
players: whether the interval of the mean difference has the true one; how often the interval on a
new data set has the difference there; and what is said of P(better) and P(equivalent) there,
against what is true. See make.py.
"""

import itertools
import json
import warnings
from concurrent.futures import Executor
from pathlib import Path

import numpy as np

from tables import complete, error, mean, read

BOARDS = 5  # of a cell
ROUNDS = 10
KINDS = {  # spread between data sets, in standard deviations of a round's noise
    "small spread": 0.1,
    "large spread": 1.0,
    "heavy tails of data sets": 0.7,
    "heavy tails of players": 0.7,
    "own spreads": 0.7,
}
CELLS = tuple(itertools.product(KINDS, (3, 8), (5, 15)))
KEYS = ("data sets", "players", "tournaments")
NEW = 4000  # data sets that are drawn for what is true
DF = 3.0  # of heavy tails
WIDE = 0.7  # standard deviation of the logarithm of players' own spreads
ROPE = 0.3


def deviations(kind, spread, players, tournaments, rng):
    """Draw what the players' means on data sets are off (tournament, player)."""
    z = rng.normal(size=(tournaments, players))
    if kind == "heavy tails of data sets":
        z *= np.sqrt(DF / rng.chisquare(DF, (tournaments, 1)))
    if kind == "heavy tails of players":
        z *= np.sqrt(DF / rng.chisquare(DF, z.shape))
    return spread * z


def board(kind, players, tournaments, number):
    """What `leaderbayes.fit` says of one table, and what is true."""
    import xarray as xr
    from scipy.special import stdtr

    import leaderbayes as lb

    rng = np.random.default_rng([list(KINDS).index(kind), players, tournaments, number])
    spread = np.full(players, KINDS[kind])
    if kind == "own spreads":
        spread = spread * np.exp(WIDE * rng.normal(size=players))
    mu = 0.5 * rng.normal(size=players)
    off = deviations(kind, spread, players, tournaments, rng)
    shape = (tournaments, players, ROUNDS)
    noise = np.exp(0.4 * rng.normal(size=(tournaments, 1)) + 0.3 * rng.normal(size=shape[:2]))
    values = (mu + off + rng.normal(size=(tournaments, 1)))[:, :, None]
    values = values + rng.normal(size=(tournaments, 1, ROUNDS))
    values = values + noise[:, :, None] * rng.normal(size=shape)
    coords = {
        "tournament": [f"t{q}" for q in range(tournaments)],
        "player": [f"p{i}" for i in range(players)],
        "round": [f"r{k}" for k in range(ROUNDS)],
    }
    scores = xr.DataArray(values, coords, tuple(coords), attrs={"higher_is_better": 1})
    seed = int(rng.integers(2**32))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        dt = lb.fit(
            scores, "score_tournaments", seed=seed, chains=2, draws=500, replicates=1,
            progressbar=False,
        )  # fmt: skip
    posterior = dt["posterior"].to_dataset()
    drawn = posterior["score"].to_numpy().reshape(-1, players)
    scale = np.sqrt(2.0) * posterior["score_spread"].to_numpy().reshape(-1, 1)
    df = posterior["spread_df"].to_numpy().reshape(-1, 1)
    first, second = np.triu_indices(players, 1)
    gap, true = drawn[:, first] - drawn[:, second], mu[first] - mu[second]
    low, high = np.quantile(gap, [0.025, 0.975], axis=0)
    fresh = mu + deviations(kind, spread, players, NEW, rng)
    new = fresh[:, first] - fresh[:, second]
    said = np.stack([1.0 - stdtr(df, (ROPE - gap) / scale), stdtr(df, (-ROPE - gap) / scale)])
    better, worse = said.mean(axis=1)
    truly = (new > ROPE).mean(axis=0)
    # An interval by draws of the new data set: one for each draw.
    predicted = gap + scale * rng.standard_t(df)
    ends = np.quantile(predicted, [0.025, 0.975], axis=0)
    row = {
        "pairs": ((low <= true) & (true <= high)).mean(),
        "new": ((ends[0] <= new) & (new <= ends[1])).mean(),
        "said better": np.maximum(better, worse).mean(),
        "truly better": np.where(better >= worse, truly, (new < -ROPE).mean(axis=0)).mean(),
        "said equivalent": (1.0 - better - worse).mean(),
        "truly equivalent": (np.abs(new) <= ROPE).mean(),
        "off": np.abs(better - truly).mean(),
        "converged": dt.attrs["converged"],
        "divergences": dt.attrs["divergences"],
    }
    return {name: float(value) for name, value in row.items()}


def cell(kind, players, tournaments):
    """Means over the boards of a cell, with Monte Carlo errors of the coverages."""
    found = [board(kind, players, tournaments, number) for number in range(BOARDS)]
    row = dict(zip(KEYS, (kind, players, tournaments), strict=True)) | {"boards": BOARDS}
    for name in found[0]:
        row[name] = mean(one[name] for one in found)
        if name in ("pairs", "new"):
            row[f"{name}: error"] = error(one[name] for one in found)
    return {"new_data": [row]}


def cover(folder: Path, executor: Executor):
    """Write folder/new_data.csv, going on from the cells that are there."""
    complete(folder, "new_data", KEYS, CELLS, cell, executor)
    record = {"command": "python models/make.py new_data", "boards": BOARDS, "rounds": ROUNDS}
    (folder / "new_data.json").write_text(json.dumps(record, indent=2) + "\n")


def shown(folder: Path):
    """Table of models/README.md by its mark."""
    import pandas as pd

    table = pd.DataFrame(read(folder / "new_data.csv"))
    names = [name for name in table.columns if name not in (*KEYS, "boards", "divergences")]
    by_kind = table[names].astype(float).groupby(table["data sets"], sort=False).mean()
    names = [name for name in names if ":" not in name]
    return {"new_data": by_kind[names].reset_index()}
