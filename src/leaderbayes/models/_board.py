"""Shared parts of models of one board: names, data, and problems of the fast engine."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import expit

from leaderbayes._numerics.pairs import pair_sums
from leaderbayes._numerics.pairs_by_round import round_log_likelihood, round_statistics
from leaderbayes._numerics.rounds import weighing_of
from leaderbayes._numerics.target import Target
from leaderbayes._types import Floats, Ints, Longs
from leaderbayes.models._model import Model, Problem
from leaderbayes.models._prior import PRIOR_SCALE, degrees_of_freedom, half_normal
from leaderbayes.models._weight import (
    Weight,
    check_board,
    check_scales,
    resolve_weight,
    weight_of_rankings,
)


def checked(
    matches: xr.Dataset, model: Model, *, weight: Weight = "composite",
    test_fraction: float | None = None, prior_scale: float = PRIOR_SCALE,
    prior_df: float | None = None, **more: float,
) -> tuple[Floats, float, xr.Dataset]:  # fmt: skip
    """Check a board and options; return weights (round,), degrees of freedom and constants."""
    scales = {"prior_scale": prior_scale, **more}
    check_scales(**scales)
    check_board(matches, model)
    if model.pairs:
        eta = resolve_weight(matches, weight, test_fraction, with_ties=model.tie_parameter)
    else:
        eta = weight_of_rankings(matches, weight, test_fraction)
    df = degrees_of_freedom(prior_df, matches.sizes["player"])
    known = {"test_fraction": test_fraction, "prior_df": df, **scales}
    return eta, df, constants(model.name, matches, eta, known)


def coords_of(matches: xr.Dataset, *dims: str) -> dict[str, Any]:
    """Return coordinates, by default of players and rounds."""
    return {dim: matches[dim].to_numpy() for dim in dims or ("player", "round")}


def constants(
    name: str, matches: xr.Dataset, weight: Floats, options: Mapping[str, float | None], *,
    dim: str = "round", **more: Any,
) -> xr.Dataset:  # fmt: skip
    """Return the group ``constant_data`` of a posterior, which answers need beside draws.

    For matches their scores, where these are known, and the rules that they were counted by. The
    coordinate ``model`` names the model, and ``options`` are numbers that it was built with (an
    absent one is 0).
    """
    scores = matches.get("scores", xr.DataArray())
    found: dict[str, Any] = {
        "weight": (dim, weight),
        "within_round": ("model", [int(matches.attrs["within_round"])]),
        "higher_is_better": ("model", [int(scores.attrs.get("higher_is_better", 1))]),
        "ties": ("model", [_RULES.index(matches.attrs["ties"])]),
        **{key: ("model", [float(value or 0.0)]) for key, value in options.items()},
        **more,
    }
    if "period" in matches.coords and "period_of_round" not in more:
        found["period_of_round"] = dim, numbered(matches["period"].to_numpy())[0]
    if "scores" in matches:
        found["scores"] = scores.dims, scores.to_numpy()
    coords: dict[Any, Any] = {d: matches[d].to_numpy() for d in matches.dims if d != "opponent"}
    if "round_weight" in matches.coords and dim == "round":
        coords["round_weight"] = dim, matches["round_weight"].to_numpy()
    return xr.Dataset(found, coords | {"model": [name]})


def numbered(labels: Any) -> tuple[Longs, Any]:
    """Return the number of each label's period in order, 2 before 10, -1 if missing; and names."""
    labels = pd.Index(labels)
    if labels.dtype != object and not isinstance(labels.dtype, pd.StringDtype):
        number, names = pd.factorize(labels, sort=True)
    else:
        parts = {each: re.split(r"(\d+)", str(each)) for each in labels.dropna().unique()}
        key = {each: [int(p) if p.isdecimal() else p for p in part] for each, part in parts.items()}
        names = np.array(sorted(key, key=key.__getitem__), dtype=object)
        number = pd.Categorical(labels, names).codes
    return np.asarray(number, np.int64), np.asarray(names)


_RULES = ("half", "drop", "floor", "loss")
# Data that pm.set_data may change: the likelihood or a prior goes by them, or reports alone.
_FREE = r"^(scores|weight|prior_\w+|\w+_scale)$"


def rule_for_ties(constant: xr.Dataset) -> str:
    """Read the rule for ties from ``constant_data``."""
    return _RULES[int(constant["ties"].item())]


def registered(name: str, values: Any, *dims: Any, fixed: bool = True) -> Any:
    """Add data to the pm.Model; where ``fixed``, pm.set_data refuses to change them."""
    import pymc as pm
    import pytensor.tensor as pt

    if not fixed:
        return pm.Data(name, values, dims=dims)
    data = pt.constant(values, name)
    pm.modelcontext(None).register_data_var(data, dims=dims)
    return data


def declare(constant: xr.Dataset, free: str = _FREE) -> dict[str, Any]:
    """Put constants into the pm.Model as data, NaN as minus infinity; return them by name."""
    import pymc as pm
    import pytensor.tensor as pt

    model = pm.modelcontext(None)
    for dim in constant.dims:
        if str(dim) not in model.coords:
            model.add_coord(str(dim), constant[dim].to_numpy())
    if "round_weight" in constant.coords:  # in a model, which has no names beside dims, numbers
        number = weighing_of(constant["round_weight"].to_numpy()).weight
        constant = constant.drop_vars("round_weight").assign(round_weight=("round", number))
    declared = {}
    for name, values in constant.data_vars.items():
        known = values.fillna(-np.inf) if values.dtype.kind == "f" else values
        declared[str(name)] = registered(
            str(name), known.to_numpy(), *values.dims, fixed=not re.search(free, str(name))
        )
    options = {str(k): declared[str(k)][0] for k, v in constant.items() if v.dims == ("model",)}
    # pm.do(..., prune_vars=True) keeps what observed variables depend on: here how they came about.
    rules = [v.sum() for k, v in declared.items() if not re.search("^prior_|_scale$", k)]
    weight = pt.switch(np.array(True), declared["weight"], sum(rules))
    return declared | options | {"weight": weight}


def pairs_by_round(drawn: Mapping[str, Floats], matches: xr.Dataset) -> Floats:
    """Return the log-likelihood of each round (draw, round), Davidson's if there is ``tie``."""
    within, ties = bool(matches.attrs["within_round"]), str(matches.attrs["ties"])
    statistics = round_statistics(matches["place"].to_numpy(), within_round=within, ties=ties)
    return round_log_likelihood(drawn["epp"], statistics, drawn.get("tie"))


def target_of_pairs(points: Floats, n: Floats, prior_scale: float, df: float) -> Target:
    """Return the posterior of strengths given points (player,) in matches (player, opponent)."""

    def log_likelihood(a: Floats, _: Floats, gradient: bool) -> tuple[Floats, Floats, Floats]:
        sums = pair_sums(a, n, gradient=gradient)
        slope = points - sums.expected if gradient else sums.expected
        return a @ points - sums.value, slope, np.empty((len(a), 0))

    def hessian(a: Floats, _: Floats) -> Floats:
        p = expit(a[:, None] - a)
        curve = n * p * (1.0 - p)
        return np.asarray(np.diag(curve.sum(axis=1)) - curve)

    m = len(points)
    return Target(m, log_likelihood, prior_scale, df, cells=m, hessian=hessian)


def problem_of_places(
    target: Target, matches: xr.Dataset, constant: xr.Dataset,
    replicate: Callable[[Mapping[str, Floats], np.random.Generator], Ints],
    by_round: Callable[[Mapping[str, Floats], xr.Dataset], Floats], *,
    extra: Mapping[str, Any] | None = None,
) -> Problem:  # fmt: skip
    """Return the problem of a model of places (round, player); ``extra`` is a further parameter."""
    extra = {} if extra is None else extra
    exact = bool((constant["weight"] == 1.0).all())

    def expand(
        a: Floats, more: Floats, scale: Floats, rng: np.random.Generator
    ) -> dict[str, Floats]:
        named = {name: more[:, k] for k, name in enumerate(extra)}
        return {"epp": a - a.mean(axis=1, keepdims=True), "epp_scale": scale, **named}

    coords = coords_of(matches)
    place = ("round", "player"), matches["place"].to_numpy()
    return Problem(
        target=target,
        expand=expand,
        dims={"epp": ("player",), "epp_scale": (), **dict.fromkeys(extra, ())},
        replicate=replicate,
        log_likelihood=(lambda drawn: by_round(drawn, matches)) if exact else None,
        log_prior={"epp_scale": half_normal(target.prior_scale), **extra},
        observed=xr.Dataset({"place": place}, coords),
        constant=constant,
        coords=coords,
    )
