"""Draw PMRA's posterior, ``models.round_intercept``, without PyMC.

The rounds' intercepts are integrated out: what is left, strengths, their scale, b_0 and s, is drawn
as in `density`, and the intercepts given these, exactly. Chains of all together get stuck where s
is small.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import ndtr, ndtri

from leaderbayes._inference.density import (
    Target,
    draw_density,
    given_scale,
    of_replicates,
    step_of_replicates,
)
from leaderbayes._inference.log_likelihood import with_notice
from leaderbayes._inference.log_prior import half_normal, normal
from leaderbayes._numerics.alike_rounds import (
    AlikeRounds,
    alike_rounds,
    draw_intercepts,
    log_likelihood,
    many_log_likelihoods,
)
from leaderbayes._numerics.laplace import Board
from leaderbayes._numerics.log_density import (
    Coordinates,
    coordinates,
    fold,
    many_priors,
    prior_parts,
    strengths,
)
from leaderbayes._numerics.round_intercept import ABSENT, counts, draw_outcomes, listed_statistics
from leaderbayes._types import Bytes, Floats, Longs
from leaderbayes.models._board import check_options
from leaderbayes.models._listed import ListedBoard, listed_board
from leaderbayes.models._weight import PRIOR_SCALE, Weight

_NORMAL = 1e12  # degrees of freedom of Student's law: with so many it is the normal one
_ENDS = (-7.0, 37.0)  # standard deviations beyond which a normal's quantiles are no numbers
_CELLS = ("chain", "draw")
_DIMS: dict[str, tuple[str, ...]] = {
    "epp": ("player",),
    "epp_scale": (),
    "intercept": (),
    "intercept_round": ("round",),
    "intercept_scale": (),
}
_OUTCOME = {"outcome": ("round", "pair")}


def draw_round_intercept(
    matches: xr.Dataset,
    sampling: dict[str, Any],
    seed: int,
    prior: bool = False,
    progressbar: bool = False,
    *,
    order: Sequence[str] | None = None,
    weight: Weight = 1.0,
    test_fraction: float | None = None,
    prior_scale: float = PRIOR_SCALE,
    intercept_scale: float = 1.0,
    centring: float | None = None,
) -> tuple[xr.DataTree, dict[str, Any]]:
    """Draw the groups of `fit` for ``models.round_intercept``, and diagnose; as `draw_exactly`."""
    check_options(centring, prior_scale=prior_scale, intercept_scale=intercept_scale)
    board = listed_board(matches, order, weight, test_fraction)
    scales = prior_scale, intercept_scale
    drawn, by_round, stats, found = draw_of_rounds(
        board.outcome, board.listed, board.eta, scales, sampling, seed, progressbar=progressbar
    )
    log_odds = drawn["intercept"][..., None] + drawn["intercept_round"]
    step = step_of_replicates(board.outcome.size, sampling)
    again = _replicate(drawn["epp"][:, ::step], log_odds[:, ::step], board, of_replicates(seed))
    coords = {dim: matches[dim].to_numpy() for dim in ("player", "round")} | {"pair": board.pairs}
    named = partial(_named, coords=coords)
    replicates = named({"outcome": again}, _OUTCOME)
    replicates["draw"] = step * replicates["draw"]
    groups = {
        "posterior": named(drawn, _DIMS),
        "posterior_predictive": replicates,
        "log_likelihood": with_notice(named({"outcome": by_round}, {"outcome": ("round",)})),
        "sample_stats": named(stats, dict.fromkeys(stats, ())),
        "log_prior": named(_log_priors(drawn, *scales), _DIMS),
        "observed_data": replicates.isel(chain=0, draw=0, drop=True).assign(
            outcome=(_OUTCOME["outcome"], board.outcome)
        ),
        "constant_data": xr.Dataset(
            {"weight": ("round", board.eta), "order": ("player", board.order)},
            {dim: coords[dim] for dim in ("player", "round")},
        ),
    }
    if prior:
        before = np.random.default_rng(np.random.SeedSequence(seed).spawn(5)[4])
        first = _draw_prior(matches, scales, sampling["draws"], before)
        log_odds = first["intercept"][..., None] + first["intercept_round"]
        again = _replicate(first["epp"], log_odds, board, before)
        groups["prior"] = named(first, _DIMS)
        groups["prior_predictive"] = named({"outcome": again}, _OUTCOME)
    return xr.DataTree.from_dict(groups), found


def draw_of_rounds(
    outcome: Bytes,
    listed: Longs,
    eta: Floats,
    scales: tuple[float, float],
    sampling: dict[str, Any],
    seed: int,
    *,
    progressbar: bool,
) -> tuple[dict[str, Floats], Floats, dict[str, Floats], dict[str, Any]]:
    """Draw all parameters given outcomes (round, pair) of players as listed.

    Parameters
    ----------
    eta : (round,)
        Powers of the likelihood.
    scales : tuple
        ``prior_scale`` and ``intercept_scale``.

    Returns
    -------
    drawn, by_round, stats, found
        Parameters (chain, draw, ...), the weighted log-likelihood (chain, draw, round),
        statistics of the sampler (chain, draw), and the diagnosis.
    """
    statistics, (_, n) = listed_statistics(outcome, listed), counts(outcome, listed)
    rounds = alike_rounds(statistics, eta)
    target = partial(_target, rounds=rounds, scales=scales)
    at = coordinates(Board(eta @ statistics.points, eta.mean() * n, scales[0], _NORMAL))
    shapes = {"epp": listed.shape, "epp_scale": (), "intercept": (), "intercept_scale": ()}
    tree, found = draw_density(
        target(at), shapes, sampling, seed,
        progressbar=progressbar, given_scale=given_scale(target, at),
        # Intercepts take their share of what matches say: few rounds' chains diverge without.
        by_nuts=target(at._replace(centring=0.5 * at.centring)),
    )  # fmt: skip
    drawn = {name: tree["posterior"][name].to_numpy() for name in shapes}
    level, scale = (drawn[name] for name in ("intercept", "intercept_scale"))
    epp = drawn["epp"].reshape(-1, listed.size)
    rng = np.random.default_rng(np.random.SeedSequence(seed).spawn(6)[5])
    u, taken = draw_intercepts(epp, level.ravel(), scale.ravel(), rounds, rng)
    drawn["intercept_round"] = scale[..., None] * u.reshape(*scale.shape, -1)
    log_odds = level[..., None] + drawn["intercept_round"]
    own = (epp @ statistics.points.T - taken).reshape(log_odds.shape)
    stats = {str(name): value.to_numpy() for name, value in tree["sample_stats"].data_vars.items()}
    return drawn, eta * (own + statistics.first * log_odds), stats, found


def _target(at: Coordinates, rounds: AlikeRounds, scales: tuple[float, float]) -> Target:
    """Give the density of x (1 + player + 2,): `Coordinates`', b_0 over its scale, and s.

    The last one is standard normal a priori, as b_0 over its scale is.
    """
    prior_scale, tau = scales

    def density(x: Floats) -> tuple[float, Floats]:
        s, by_x = _half_normal_of(x[-1], tau)
        value, by_scale, a, slope, by_strength, own = prior_parts(
            x[:-2], *at[:2], prior_scale, _NORMAL
        )
        found, by_a, by_level, by_s = log_likelihood(a, tau * x[-2], s, rounds)
        fold(by_scale, by_strength + by_a, a, slope, at.centring, own)
        gradient = np.concatenate([own, [tau * by_level - x[-2], by_s * by_x - x[-1]]])
        return value + found - 0.5 * (x[-2] ** 2 + x[-1] ** 2), gradient

    def expand(x: Floats) -> dict[str, Any]:
        return {
            "epp": strengths(x[:-2], *at[:2], _NORMAL),
            "epp_scale": np.exp(x[0]),
            "intercept": tau * x[-2],
            "intercept_scale": _half_normal_of(x[-1], tau)[0],
        }

    def many(x: Floats) -> tuple[dict[str, Floats], Floats]:
        value, epp, a = many_priors(x, *at[:2], prior_scale, _NORMAL)
        level, s = tau * x[:, -2], _half_normal_of(x[:, -1], tau)[0]
        value += many_log_likelihoods(a, level, s, rounds)
        value -= 0.5 * (x[:, -2] ** 2 + x[:, -1] ** 2)
        named = {"epp": epp, "epp_scale": np.exp(x[:, 0]), "intercept": level, "intercept_scale": s}
        return named, value

    return Target(density, expand, np.append(at.start, [0.0, 0.0]), many)


def _half_normal_of[T: (float, Floats)](x: T, scale: float) -> tuple[T, T]:
    """Give the half-normal number of as high a probability as a normal x; and its slope."""
    inside = np.clip(x, *_ENDS)
    z = -ndtri(0.5 * ndtr(-inside))
    return scale * z, 0.5 * scale * np.exp(0.5 * (z**2 - inside**2))


def _draw_prior(
    matches: xr.Dataset, scales: tuple[float, float], draws: int, rng: np.random.Generator
) -> dict[str, Floats]:
    """Draw all parameters from their prior, in one chain."""
    m, r = matches.sizes["player"], matches.sizes["round"]
    scale, s = (tau * abs(rng.standard_normal((1, draws))) for tau in scales)
    level = scales[1] * rng.standard_normal((1, draws))
    epp = scale[..., None] * rng.standard_normal((1, draws, m))
    return {
        "epp": epp - epp.mean(axis=-1, keepdims=True),
        "epp_scale": scale,
        "intercept": level,
        "intercept_round": s[..., None] * rng.standard_normal((1, draws, r)),
        "intercept_scale": s,
    }


def _log_priors(
    drawn: dict[str, Floats], prior_scale: float, intercept_scale: float
) -> dict[str, Floats]:
    """Give the log-densities (chain, draw) of what options set the priors of."""
    return {
        "epp_scale": half_normal(drawn["epp_scale"], prior_scale),
        "intercept": normal(drawn["intercept"], intercept_scale),
        "intercept_scale": half_normal(drawn["intercept_scale"], intercept_scale),
    }


def _replicate(
    epp: Floats, log_odds: Floats, board: ListedBoard, rng: np.random.Generator
) -> Bytes:
    """Draw outcomes (chain, draw, round, pair), at log-odds of the first (chain, draw, round)."""
    played = board.outcome != ABSENT
    every = zip(epp.reshape(-1, epp.shape[-1]), log_odds.reshape(-1, len(played)), strict=True)
    drawn = [draw_outcomes(b, level, played, board.listed, rng) for b, level in every]
    return np.array(drawn).reshape(*epp.shape[:2], *played.shape)


def _named(
    drawn: Mapping[str, Any], of: Mapping[str, tuple[str, ...]], coords: dict[str, Any]
) -> xr.Dataset:
    """Name draws (chain, draw, ...), after the coordinates of what each is of."""
    chains, draws = drawn[next(iter(drawn))].shape[:2]
    counted = {"chain": np.arange(chains), "draw": np.arange(draws)}
    own = {dim: coords[dim] for dim in coords if any(dim in of[name] for name in drawn)}
    return xr.Dataset(
        {name: ((*_CELLS, *of[name]), value) for name, value in drawn.items()}, counted | own
    )
