"""Shared parts of models of one board: names, data, priors, and problems of the fast engine."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import expit

from leaderbayes._arguments import positive
from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.bradley_terry import newton
from leaderbayes._numerics.newton import inverse
from leaderbayes._numerics.pairs import pair_sums
from leaderbayes._numerics.pairs_by_round import round_log_likelihood, round_statistics
from leaderbayes._numerics.rounds import weighing_of
from leaderbayes._numerics.target import Target
from leaderbayes._types import Floats, Ints, Longs
from leaderbayes.models._model import Model, Problem
from leaderbayes.models._weight import (
    Weight,
    check_board,
    check_scales,
    resolve_weight,
    weight_of_rankings,
)

PRIOR_SCALE = 2.0  # of the half-normal prior on the scale of strengths, log-odds
# Degrees of freedom of the strengths' Student-t prior, of few players and of many. Heavy tails
# leave a dominant player where its matches put it.
_DF_OF_FEW, _FEW_PLAYERS, _DF_OF_MANY = 4.0, 10, 2.0


def degrees_of_freedom(prior_df: float | None, players: int) -> float:
    """Return those of the strengths' prior: as asked for, or by how many players there are."""
    if prior_df is not None:
        return positive("prior_df", prior_df)
    return _DF_OF_FEW if players <= _FEW_PLAYERS else _DF_OF_MANY


def refuse_given(options: Mapping[str, Any], what: str) -> None:
    """Raise if options for other data are given."""
    given = [name for name, value in options.items() if value is not None]
    if given:
        raise LeaderbayesError(f"{' and '.join(given)}: for {what}, which these data are not.")


def checked(
    matches: xr.Dataset,
    model: Model,
    *,
    test_fraction: float | None = None,
    prior_df: float | None = None,
    **options: Any,
) -> tuple[Floats, float, xr.Dataset]:
    """Check a board and options; return weights (round,), degrees of freedom and constants."""
    weight: Weight = options.pop("weight", model.weight)
    scales = {"prior_scale": options.pop("prior_scale", PRIOR_SCALE)}
    if model.tie_parameter:
        scales["tie_scale"] = options.pop("tie_scale")
    refuse_given(options, "votes")
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
    name: str,
    matches: xr.Dataset,
    weight: Floats,
    options: Mapping[str, float | None],
    *,
    dim: str = "round",
    **more: Any,
) -> xr.Dataset:
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
    """Return the number of each label's period in order, -1 where missing, and their names.

    Text is sorted as people do: 2 before 10.
    """
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


def rule_for_ties(constant: xr.Dataset) -> str:
    """Read the rule for ties from ``constant_data``."""
    return _RULES[int(constant["ties"].item())]


def declare(constant: xr.Dataset) -> dict[str, Any]:
    """Put constants into the pm.Model under construction, as data, and return them by name.

    PyMC takes no NaN for data: a missing score is minus infinity there.
    """
    import pymc as pm

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
        declared[str(name)] = pm.Data(
            str(name), known.to_numpy(), dims=tuple(map(str, values.dims))
        )
    return declared


def strengths(prior_scale: float, df: float, centring: float) -> Any:
    """Add ``epp`` (player) and its raw variables to the pm.Model under construction.

    The sampler moves scale ** (centring - 1) * strength: centred (1), a board of equal players is
    a funnel; not centred (0), a board that decides everything is a ridge. In between both sample
    well.
    """
    import pymc as pm

    scale = pm.HalfNormal("epp_scale", prior_scale)
    unit = pm.StudentT("epp_unit", nu=df, sigma=scale**centring, dims="player")
    apart = unit - unit.mean()
    return pm.Deterministic("epp", scale ** (1.0 - centring) * apart, dims="player")


def reliability(matches: xr.Dataset, eta: Floats) -> float:
    """Return the share of the variance of estimates that is not error, from 0 to 1."""
    epp, error = estimates(matches, eta)
    variance = float((epp**2).sum()) / (len(epp) - 1)
    return float(np.clip(1.0 - error / variance, 0.0, 1.0)) if variance > 0 else 0.0


def estimates(matches: xr.Dataset, eta: Floats) -> tuple[Floats, float]:
    """Estimate strengths, shrunk to 0 by a pseudo-round, and the mean variance of their error."""
    points = matches["wins"].sum("opponent").to_numpy()
    epp, _, hessian = newton(points, matches["n"].to_numpy(), pseudo_rounds=1.0)
    m = len(epp)
    return epp, float(np.trace(inverse(eta.mean() * hessian, m)) / (m - 1))


def rank_reliability(place: Ints) -> float:
    """Return the share of the variance of mean log ranks that is not noise, from 0 to 1.

    A cheap stand-in for `reliability` on boards too large for tables of pairs.
    """
    present = place > 0
    size = present.sum(axis=1, keepdims=True)
    # Log-odds of the place: about linear in strengths plus logistic-like noise.
    share = (np.where(present, place, 1) - 0.5) / np.maximum(size, 1)
    level = np.where(present, np.log1p(-share) - np.log(share), 0.0)
    rounds = present.sum(axis=0)
    mean = level.sum(axis=0) / np.maximum(rounds, 1)
    within = (np.where(present, level - mean, 0.0) ** 2).sum()
    freedom = np.maximum(rounds - 1, 0).sum()
    between = float(np.var(mean[rounds > 0]))
    if freedom == 0 or between == 0.0:
        return 0.0
    noise = float(within / freedom * np.mean(1.0 / rounds[rounds > 0]))
    return float(np.clip(1.0 - noise / between, 0.0, 1.0))


def pairs_by_round(drawn: Mapping[str, Floats], matches: xr.Dataset) -> Floats:
    """Return the log-likelihood of each round (draw, round), Davidson's if there is ``tie``."""
    within, ties = bool(matches.attrs["within_round"]), str(matches.attrs["ties"])
    statistics = round_statistics(matches["place"].to_numpy(), within_round=within, ties=ties)
    return round_log_likelihood(drawn["epp"], statistics, drawn.get("tie"))


def half_normal(scale: float) -> Callable[[Floats], Floats]:
    """Return the log density of a half-normal distribution of this scale."""
    return lambda value: np.log(2.0) + normal(scale)(value)


def normal(scale: float) -> Callable[[Floats], Floats]:
    """Return the log density of a normal distribution around 0."""
    return lambda x: np.asarray(-0.5 * (np.log(2.0 * np.pi) + (x / scale) ** 2) - np.log(scale))


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
    target: Target,
    matches: xr.Dataset,
    constant: xr.Dataset,
    replicate: Callable[[Mapping[str, Floats], np.random.Generator], Ints],
    by_round: Callable[[Mapping[str, Floats], xr.Dataset], Floats],
    *,
    extra: Mapping[str, Any] | None = None,
) -> Problem:
    """Return the problem of a model that observes places (round, player).

    ``by_round`` is the model's log-likelihood of each round; ``extra`` names a parameter beside
    strengths, with the log density of its prior.
    """
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
