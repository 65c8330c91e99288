"""What all estimators share: when an estimate exists, its covariance, and the Dataset it is."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr
from xarray.indexes import PandasIndex

from leaderbayes._arguments import number
from leaderbayes._errors import LeaderbayesError, NotConvergedError, warn
from leaderbayes._numerics.composite_weight import FEWEST, meat
from leaderbayes._numerics.newton import Linear
from leaderbayes._scores.matches import components, is_one_group, say_apart
from leaderbayes._types import Floats
from leaderbayes.likelihood._hints import hints
from leaderbayes.likelihood._hypothesis import Hypothesis, linear
from leaderbayes.likelihood._spread import without_variation

EACH_TWICE = 0.5  # of variances, where every match counts twice as published
_REMEDY = (
    "Use the posterior (leaderbayes.fit, or rank without --ml), a penalty (pseudo_rounds=1, for "
    "Bradley-Terry and Plackett-Luce), or rank a group on its own."
)


def require_estimate(
    matches: xr.Dataset, *, pseudo_rounds: float = 0.0, firth: bool = False,
    remedy: str = _REMEDY,
) -> None:  # fmt: skip
    """Raise, naming the groups of players, unless the estimate exists."""
    number("pseudo_rounds", pseudo_rounds, at_least=0.0)
    if pseudo_rounds > 0.0 and firth:
        raise LeaderbayesError("pseudo_rounds and firth are both penalties; use one.")
    if pseudo_rounds > 0.0 or is_one_group(matches):
        return
    groups = components(matches)
    if firth and groups.attrs["weakly_connected"]:
        return
    fact, unknown, _ = say_apart(matches, groups)
    raise NotConvergedError(
        f"The maximum-likelihood estimate does not exist: {fact}, so no match shows {unknown}. "
        f"{remedy}"
    )


def require_rounds(matches: xr.Dataset) -> None:
    """Raise unless there are two rounds, which a covariance clustered by round needs."""
    if matches.sizes["round"] < 2:
        raise LeaderbayesError(
            "One round does not show how rounds vary; add rounds, or use covariance='model'."
        )


def restriction(
    matches: xr.Dataset, hypothesis: Hypothesis | None, value: float | Sequence[float],
    coefficients: int,
) -> Linear | None:  # fmt: skip
    """Write the hypothesis, if given, over the players and, if there is one, the intercept."""
    if hypothesis is not None:
        return linear(hypothesis, value, matches["player"].to_numpy(), coefficients)
    if np.any(np.asarray(value) != 0.0):
        raise LeaderbayesError(
            "value= needs hypothesis=, the combination of strengths that it fixes."
        )
    return None


def covariances(
    kind: str, model: Callable[[], Floats], scores: Callable[[], Floats]
) -> dict[str, Any]:
    """Return ``covariance`` by ``kind``, and ``covariance_model``, from information and scores."""
    if kind == "none":
        return {}
    spread = bread = model()
    if kind == "clustered":
        spread = bread @ meat(scores()) @ bread
    square = ("player", "player_")
    return {"covariance": (square, spread), "covariance_model": (square, bread)}


def estimate(
    matches: xr.Dataset, variables: dict[str, Any], attrs: dict[str, Any],
    restricted: Linear | None = None, said: Sequence[str] = (), *,
    coords: Mapping[str, Any] | None = None, hinted: Sequence[str] | None = None,
) -> xr.Dataset:  # fmt: skip
    """Make the Dataset of an estimate; warn of what is uncertain, ``said`` and ``hinted``."""
    if restricted is not None:
        variables = variables | {
            "hypothesis_matrix": (("hypothesis", "coefficient"), restricted.matrix),
            "hypothesis_value": ("hypothesis", restricted.value),
        }
        attrs = attrs | {"df": attrs["df"] + len(restricted.matrix)}
    fit = xr.Dataset(variables, coords=_players(matches, twice="covariance" in variables))
    fit = fit.assign_coords(coords or {}).assign_attrs(attrs)
    what = "rounds" if hinted is None else "votes"
    if hinted is None:
        hinted = hints(matches, posterior=False)
        if attrs["covariance"] == "clustered" and matches.sizes["round"] < FEWEST:
            few = (
                f"LB015 {matches.sizes['round']} rounds hardly show how rounds vary: standard "
                "errors may be far too small. Add rounds, or use covariance='model' (--weight 1)."
            )
            said = [*said, few]
    texts = [text for text in (*said, without_variation(fit, what), *hinted) if text is not None]
    for text in texts:
        warn(text)
    return fit.assign_attrs(converged=1, warnings=json.dumps(texts))


def _players(matches: xr.Dataset, *, twice: bool) -> xr.Coordinates:
    """Name rows, and columns, by the players, whose texts are indexed already."""
    players = matches.variables["player"]
    row = xr.Coordinates({"player": players}, {"player": matches.xindexes["player"]})
    if not twice:
        return row
    index = PandasIndex(row["player"].to_index().rename("player_"), "player_", players.dtype)
    return row | xr.Coordinates.from_xindex(index)
