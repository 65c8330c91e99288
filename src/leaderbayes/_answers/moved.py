"""What of an answer moves from fit to fit of one board, summed up."""

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.settings import Setting, differs
from leaderbayes._scores.tables import counted

_MOVES = 0.05  # psense, from which a strength moves


def moved(table: xr.Dataset, every: list[Setting], what_of: Sequence[str]) -> xr.Dataset:
    """Sum up what moves with one choice alone."""
    verdict, leader = table["verdict"].to_numpy(), table["leader"].to_numpy()
    inside, good = table["in_top"].to_numpy(), table["converged"].to_numpy() == 1
    of = np.array([differs(setting, every[0]) for setting in every])
    counts: dict[str, list[int]] = {
        name: [] for name in ("fits", "other_leader", "other_top", "pairs_moved", "pairs_reversed")
    }
    for what in what_of:
        rows = np.flatnonzero((of == what) & good)
        changed, turned = _pairs(verdict, rows)
        counts["fits"].append(len(rows))
        counts["other_leader"].append(int((leader[rows] != leader[0]).sum()))
        counts["other_top"].append(int((inside[rows] != inside[0]).any(axis=1).sum()))
        counts["pairs_moved"].append(changed)
        counts["pairs_reversed"].append(turned)
    return xr.Dataset({name: ("what", values) for name, values in counts.items()})


def _pairs(verdict: np.ndarray, rows: np.ndarray) -> tuple[int, int]:
    """Count pairs with another verdict than the base's, or the opposite, in one row or more."""
    upper = np.triu(np.ones(verdict.shape[1:], dtype=bool), 1)
    own = verdict[0][None]
    moved = (verdict[rows] != own).any(axis=0)
    turned = (verdict[rows] * own < 0).any(axis=0)
    return int((moved & upper).sum()), int((turned & upper).sum())


def psense(dt: xr.DataTree, players: np.ndarray) -> dict[str, Any]:
    """Give how strengths move with powers of the prior and of the likelihood, where ArviZ says."""
    if not {"log_prior", "log_likelihood"} <= set(dt.children):
        return {}
    import arviz as az

    name = "score" if dt.attrs["model"] == "mean_score" else "epp"
    # It logs what the message says.
    log = logging.getLogger("arviz_stats")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        found = az.psense_summary(dt, var_names=[name])
    finally:
        log.setLevel(level)
    # Its rows are in the order of the posterior's players, and names may hold brackets.
    values = found[["prior", "likelihood"]].set_axis(dt["posterior"]["player"].to_numpy())
    return {
        f"psense_{column}": ("player", values.loc[players, column].to_numpy())
        for column in ("prior", "likelihood")
    }


def said_of(table: xr.Dataset, every: list[Setting], leader: str, top: int) -> str:
    """Say what moves."""
    good = np.flatnonzero(table["converged"].to_numpy() == 1)
    leaders = table["leader"].to_numpy()[good]
    others = pd.Series(leaders[leaders != leader]).value_counts()
    said = [f"{leader} leads in {int((leaders == leader).sum())} of {counted(len(good), 'fit')}"]
    if len(others):
        listed = [f"{name} in {count}" for name, count in others.items()]
        said[0] += f", {', '.join(listed)}"
    summary = table[["fits", "other_leader", "pairs_moved", "pairs_reversed"]].to_dataframe()
    parts = []
    for what, row in summary[summary["fits"] > 0].iterrows():
        name = f"a {what} left out" if what in ("round", "judge") else str(what).replace("_", " ")
        lead = f" (and the leader in {row['other_leader']} of {counted(row['fits'], 'fit')})"
        parts.append(f"{name} {row['pairs_moved']}{lead if row['other_leader'] else ''}")
    verdict = table["verdict"].to_numpy()
    m = verdict.shape[1]
    changed, turned = _pairs(verdict, good)
    said.append(
        f"Of {counted(m * (m - 1) // 2, 'pair')} {changed} get another verdict in some fit, "
        f"{turned} of them the opposite"
    )
    if parts:
        said.append(
            f"Against the base ({every[0].label()}) so many are moved by one choice alone: "
            f"{', '.join(parts)}"
        )
    inside = table["in_top"].to_numpy()[good]
    kept = int((inside == table["in_top"].to_numpy()[0]).all(axis=1).sum())
    said.append(f"The top {top} is the same in {kept}")
    if "psense_prior" in table:
        moving = int((table["psense_prior"].to_numpy() >= _MOVES).sum())
        said.append(
            f"Powers of the prior move the strengths of {moving or 'no'} "
            f"player{'' if moving == 1 else 's'} (psense of {_MOVES:g} or more)"
        )
    if len(good) < len(every):
        said.append(f"{counted(len(every) - len(good), 'fit')} did not converge, and count nowhere")
    return ". ".join(said) + "."
