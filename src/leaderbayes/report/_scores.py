"""What a report says of mean scores, where it says something else of matches."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.mean_score import decimals_of, differences
from leaderbayes._fits.kinds import OF_SEVERAL
from leaderbayes._fits.posterior import drawn
from leaderbayes._numerics import items as of_items
from leaderbayes._scores.metrics import metric_of
from leaderbayes.models._scores import FLOOR, WIDTH
from leaderbayes.report._style import number
from leaderbayes.report._verdicts import interval

_QUANTITIES = {"mean": "mean score", "median": "median score", "iqm": "interquartile mean score"}
_UNITS = {
    "raw": "in the metric's unit",
    "standardised": "in standard deviations of the round's scores, from their mean",
    "distance": "as distance from the round's best score (0) to its worst (1)",
    "share": "as share of the round's best score",
}


def facts_of_scores(dt: xr.DataTree, arguments: dict[str, Any]) -> dict[str, Any]:
    """Gather the data and the model, for the paragraphs on methods."""
    scores = dt["constant_data"].to_dataset()["scores"]
    y = scores.to_numpy()
    scale, fraction = arguments["prior_scale"], arguments["test_fraction"]
    several = dt.attrs["model"] in OF_SEVERAL
    items, is_flat = has_items(dt), bool(np.isinf(scale))
    quantity, measured = quantity_of(dt)
    return {
        "players": scores.sizes["player"],
        "rounds": _count_of_rounds(scores),
        "tournaments": scores.sizes.get("tournament"),
        "data_set": dt.attrs.get("tournament", scores.attrs.get("tournament")),
        "several": several,
        "metric": metric_of(str(scores.attrs.get("columns", ""))),
        "higher": bool(scores.attrs.get("higher_is_better", 1)),
        "cells": scores.size,
        "missing": int(np.isnan(y).sum()),
        "runs": scores.attrs.get("runs"),
        "items": items,
        "quantity": quantity,
        "unit": measured,
        "of": _taken(arguments)[0],
        "statistic": _taken(arguments)[1],
        "clusters": len(np.unique(scores["cluster"])) if "cluster" in scores.coords else None,
        "flat": is_flat,
        "prior_width": scale * (of_items.LOGISTIC if items else WIDTH),
        "prior_floor": of_items.FLOOR if items else FLOOR,
        "test_fraction": fraction,
        "luck": fraction / (1.0 - fraction) if fraction else None,
        "spread": float(drawn(dt, "score_spread").mean())
        if "score_spread" in dt["posterior"]
        else None,
    }


def _count_of_rounds(scores: xr.DataArray) -> int:
    """Count rounds, each of its own tournament."""
    return int(scores.notnull().any("player").sum())


def results_of_scores(table: pd.DataFrame) -> dict[str, Any]:
    """Say how many decimals the results have, of scores and of differences."""
    digits, apart = decimals_of(table)
    return {"digits": digits, "apart": apart}


def has_items(fit: xr.DataTree) -> bool:
    """Say whether rounds were taken for items."""
    arguments = json.loads(fit.attrs["arguments"])
    # Of rounds whose median is asked for no law is assumed either.
    return arguments.get("likelihood") == "dirichlet" and _taken(arguments)[1] == "mean"


def quantity_of(fit: xr.DataTree) -> tuple[str, str]:
    """Name what a fit of mean scores says of a player, and in which unit."""
    of, statistic = _taken(json.loads(fit.attrs["arguments"]))
    return _QUANTITIES[statistic], _UNITS[of]


def _taken(arguments: Mapping[str, Any]) -> tuple[str, str]:
    """Give what scores were made and what of them is asked for; older fits have no such options."""
    return arguments.get("of", "raw"), arguments.get("statistic", "mean")


def behind(row: Mapping[Any, Any], apart: int) -> dict[str, Any]:
    """Write how far a row of the leaderboard is behind the first, if it is another."""
    first = row["rank"] == 1
    low, high = row["difference_lower"], row["difference_upper"]
    return {
        "other_value": row["difference"],
        "other": "" if first else number(row["difference"], apart),
        "beside": "" if first else interval(low, high, apart),
    }


def pairs_of_scores(
    fit: xr.DataTree, table: pd.DataFrame, shown: pd.Series, prob: float
) -> dict[str, Any]:
    """Give differences of pairs, the higher-placed player first, as the page writes them."""
    _, apart = decimals_of(table)
    gap = differences(fit, list(shown), prob)
    upper = np.triu_indices(len(shown), 1)
    return {
        "gap": {
            name: [round(float(v), apart) + 0.0 for v in values.to_numpy()[upper]]
            for name, values in gap.data_vars.items()
        },
        "digits": apart,
    }
