"""What all estimators share: when an estimate exists, and the Dataset that holds it."""

import json
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from xarray.indexes import PandasIndex

from leaderbayes._arguments import number
from leaderbayes._errors import DisconnectedError, EstimateWarning, HintWarning, LeaderbayesError
from leaderbayes._numerics.composite_weight import FEWEST
from leaderbayes._numerics.newton import Linear
from leaderbayes._scores.hints import hints
from leaderbayes._scores.matches import components, is_one_group, say_apart
from leaderbayes.likelihood._hypothesis import Hypothesis, linear
from leaderbayes.likelihood._spread import without_variation

# Warnings point to the first line outside of it.
_PACKAGE = str(Path(__file__).parents[1])


def require_estimate(
    matches: xr.Dataset, *, pseudo_rounds: float = 0.0, firth: bool = False,
    remedy: str | None = None,
) -> None:  # fmt: skip
    """Raise unless the estimate exists.

    It does where the win graph is strongly connected; with Firth's penalty, where all players have
    met, directly or through others; with pseudo-rounds, always. ``remedy`` is what to do, where
    penalties and options are other ones than of scores.

    Raises
    ------
    DisconnectedError
        Naming the groups of players.
    LeaderbayesError
        If the matches are of several tournaments, pseudo-rounds below 0, or both penalties given.
    """
    if "tournament" in matches.dims:
        raise LeaderbayesError(
            "These matches are of several tournaments: pick one, for example "
            "matches.isel(tournament=0)."
        )
    number("pseudo_rounds", pseudo_rounds, at_least=0.0)
    if pseudo_rounds > 0.0 and firth:
        raise LeaderbayesError("pseudo_rounds and firth are two penalties; give one.")
    if pseudo_rounds > 0.0 or is_one_group(matches):
        return
    groups = components(matches)
    met = bool(groups.attrs["weakly_connected"])
    if firth and met:
        return
    fact, unknown, _ = say_apart(matches, groups)
    if remedy is None:
        penalty = "pseudo_rounds=1 or firth=True" if met else "pseudo_rounds=1"
        remedy = (
            "Use the posterior (leaderbayes.fit, or rank without --ml), a penalty "
            f"({penalty}, for Bradley-Terry and Plackett-Luce), or rank a group on its own."
        )
    raise DisconnectedError(
        f"LB010 the maximum-likelihood estimate does not exist: {fact}, so no match says "
        f"{unknown}. {remedy}"
    )


def require_rounds(matches: xr.Dataset) -> None:
    """Raise unless there are two rounds, which a covariance clustered by round needs."""
    if matches.sizes["round"] < 2:
        raise LeaderbayesError(
            "One round says nothing about variation between rounds; give more rounds or "
            "covariance='model'."
        )


def few_rounds(matches: xr.Dataset) -> list[str]:
    """Warn where rounds are too few to take standard errors from how they vary."""
    if matches.sizes["round"] >= FEWEST:
        return []
    return [
        f"LB015 {matches.sizes['round']} rounds hardly say how rounds vary: standard errors from "
        "that may be far too small. Give more rounds, or take covariance='model' (--weight 1)."
    ]


def restriction(
    matches: xr.Dataset,
    hypothesis: Hypothesis | None,
    value: float | Sequence[float],
    coefficients: int,
) -> Linear | None:
    """Write the hypothesis, if given, over the players and, if there is one, the intercept."""
    if hypothesis is None:
        if np.any(np.asarray(value) != 0.0):
            raise LeaderbayesError(
                "value= is what the combination of strengths in hypothesis= is held at; that is "
                "missing."
            )
        return None
    return linear(hypothesis, value, matches["player"].to_numpy(), coefficients)


def estimate(
    matches: xr.Dataset,
    variables: dict[str, Any],
    attrs: dict[str, Any],
    restricted: Linear | None,
    said: Sequence[str] = (),
) -> xr.Dataset:
    """Make the Dataset of an estimate from these matches.

    Warn of ``said``, of differences without variation, and of what the matches show (hints).

    ``attrs["df"]`` is that without hypotheses, each of which adds one.
    """
    if restricted is not None:
        variables = variables | {
            "hypothesis_matrix": (("hypothesis", "coefficient"), restricted.matrix),
            "hypothesis_value": ("hypothesis", restricted.value),
        }
        attrs = attrs | {"df": attrs["df"] + len(restricted.matrix)}
    coords = _twice(matches) if "covariance" in variables else _players(matches)
    fit = xr.Dataset(variables, coords=coords, attrs=attrs)
    texts = [text for text in (*said, without_variation(fit)) if text is not None]
    shown = hints(matches, posterior=False)
    for kind, messages in ((EstimateWarning, texts), (HintWarning, shown)):
        for text in messages:
            warnings.warn(text, kind, skip_file_prefixes=(_PACKAGE,))
    fit.attrs.update(converged=1, warnings=json.dumps(texts + shown))
    return fit


def _players(matches: xr.Dataset) -> xr.Coordinates:
    """Name the players, whose texts are indexed already."""
    return xr.Coordinates(
        {"player": matches.variables["player"]}, {"player": matches.xindexes["player"]}
    )


def _twice(matches: xr.Dataset) -> xr.Coordinates:
    """Name rows and columns by the players."""
    row = _players(matches)
    players = row["player"]
    column = PandasIndex(players.to_index().rename("player_"), "player_", players.dtype)
    return row | xr.Coordinates.from_xindex(column)
