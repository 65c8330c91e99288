"""Harness of the evidence tables: simulated boards, fitted as users do, compared with the truth.

A `Table` lists its cells and how many boards each has. Its ``board`` draws one board of a cell,
fits it, and returns numbers: whether an interval holds the truth, what share of intervals does, how
wide they are. A row of the table has their means over the boards of a cell, and the Monte Carlo
errors. What ``board`` says of P(best) goes to a second table, in classes of the probability.
"""

import json
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

CLASSES = 10  # of P(best)


def read(folder: Path, name: str) -> pd.DataFrame:
    """A table that was made."""
    return pd.read_csv(folder / f"{name}.csv")


def whole(folder: Path) -> dict[str, pd.DataFrame]:
    """Show a table as it is."""
    return {folder.name: read(folder, folder.name)}


class Table(NamedTuple):
    """A table of evidence."""

    keys: tuple[str, ...]  # what a cell's parts are
    cells: dict[tuple, int]  # and how many boards it has
    board: Callable[..., dict | None]  # of a cell's parts and the number of a board
    shown: Callable[..., dict[str, pd.DataFrame]] = whole  # tables of README, by mark
    checked: int = 20  # boards of a cell that is checked


def scores(values, **coords) -> xr.DataArray:
    """Scores (player, round) or (tournament, player, round)."""
    dims = ("tournament", "player", "round")[-values.ndim :]
    sizes = zip(dims, values.shape, strict=True)
    names = {dim: [f"{dim[0]}{k}" for k in range(n)] for dim, n in sizes}
    return xr.DataArray(values, names | coords, dims, attrs={"higher_is_better": 1})


def fit(data, model: str, **options) -> xr.DataTree:
    """Fit as users do, but for replicates: the check of the fit takes 200."""
    import leaderbayes as lb

    return lb.fit(data, model, **{"progressbar": False, "replicates": 200} | options)


@contextmanager
def silence():
    """Ignore our warnings: a table counts the boards that are unlike others."""
    import leaderbayes as lb

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        yield


def flags(dt: xr.DataTree) -> dict[str, float]:
    """What a fit says of itself."""
    return {"misfit": dt.attrs["p_check"] < 0.05, "converged": dt.attrs["converged"]}


def draws_of(dt: xr.DataTree, name: str) -> np.ndarray:
    """Draws (draw, ...)."""
    draws = dt["posterior"][name].to_numpy()
    return draws.reshape(-1, *draws.shape[2:])


def held(draws, truth) -> tuple[np.ndarray, float]:
    """Whether 95 % intervals of draws (draw, ...) hold the truth (...), and their mean width."""
    low, high = np.quantile(draws, [0.025, 0.975], axis=0)
    return (low <= truth) & (truth <= high), float((high - low).mean())


def gaps(values) -> np.ndarray:
    """Differences (..., pair) of values (..., player)."""
    one, other = np.triu_indices(values.shape[-1], 1)
    return values[..., one] - values[..., other]


def row_of(board: Callable, keys: Sequence[str], cell: tuple, boards: int):
    """Row of a cell, and rows of P(best) in classes."""
    with silence():
        found = [one for k in range(boards) if (one := board(*cell, k)) is not None]
    said = [one.pop("best", {}) for one in found]
    values = pd.DataFrame(found).astype(float)
    key = dict(zip(keys, cell, strict=True))
    row = key | {"boards": len(values)}
    for name in values:
        row[name] = _short(values[name].mean())
        row[f"{name}: error"] = _short(values[name].std(ddof=0) / np.sqrt(values[name].count()))
    return row, [key | best for best in _classes(said)]


def _classes(said: list[dict]) -> list[dict]:
    """P(best) as it was said and as it happened, in classes; of each kind of player by itself."""
    rows = []
    for who in said[0]:
        pairs = pd.DataFrame(np.hstack([one[who] for one in said]).T, columns=["said", "happened"])
        classes = np.minimum((pairs["said"] * CLASSES).astype(int), CLASSES - 1)
        for k, of in pairs.groupby(classes):
            means = {name: _short(of[name].mean()) for name in of}
            rows.append({"who": who, "class": k, "cases": len(of)} | means)
    return rows


def _short(value: float) -> float:
    return float(f"{value:.4g}")


def make(name: str, table: Table, folder: Path, executor: Executor) -> None:
    """Write folder/NAME.csv, and NAME_best.csv; a run that was stopped goes on from NAME.part."""
    part = folder / f"{name}.part"
    done = [json.loads(line) for line in part.read_text().splitlines()] if part.exists() else []
    left = list(table.cells)[len(done) :]
    work = partial(row_of, table.board, table.keys)
    with part.open("a") as file:
        for made in executor.map(work, left, [table.cells[cell] for cell in left]):
            print(json.dumps(made), file=file, flush=True)
            print(name, *made[0].values(), flush=True)
            done.append(made)
    pd.DataFrame([row for row, _ in done]).to_csv(folder / f"{name}.csv", index=False)
    if best := [row for _, rows in done for row in rows]:
        pd.DataFrame(best).to_csv(folder / f"{name}_best.csv", index=False)
    part.unlink()


def differences(
    path: Path, board: Callable, keys: Sequence[str], cell: tuple, checked: int = 20
) -> list[str]:
    """What differs by more than four Monte Carlo errors, of a cell's first boards when remade."""
    table = pd.read_csv(path).set_index(list(keys)).sort_index()
    at = cell if len(cell) > 1 else cell[0]
    if at not in table.index:
        return [f"{path.stem} {cell}: is not in the table, which has to be remade"]
    made = table.loc[at].squeeze()
    boards = min(checked, int(made["boards"]))
    again, _ = row_of(board, keys, cell, boards)
    found = []
    for column in (c for c in again if f"{c}: error" in made.index):
        error = np.hypot(
            made[f"{column}: error"] * np.sqrt(made["boards"] / boards), again[f"{column}: error"]
        )
        if abs(again[column] - made[column]) > 4.0 * error + 0.001 * abs(made[column]):
            found.append(f"{column} {again[column]}, was {made[column]}")
    return [f"{path.stem} {cell}, {boards} boards: {one}" for one in found]


def means(table: pd.DataFrame, by: Sequence[str], names: Sequence[str]) -> pd.DataFrame:
    """Mean of columns over cells, for README."""
    return table.groupby(list(by), sort=False)[list(names)].mean().reset_index()


def happened(best: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """P(best) as it was said and as it happened over all cells, with the error were it right."""
    sums = best[["cases", "said", "happened"]].copy()
    # Within a row all are said to be the mean: a little more than that varies.
    sums["error"] = best["said"] * (1.0 - best["said"])
    sums[["said", "happened", "error"]] = sums[["said", "happened", "error"]].mul(
        sums["cases"], axis=0
    )
    sums = sums.groupby([best[key] for key in by], sort=False).sum()
    sums["error"] = np.sqrt(sums["error"]) / sums["cases"]
    sums[["said", "happened"]] = sums[["said", "happened"]].div(sums["cases"], axis=0)
    return sums.reset_index()
