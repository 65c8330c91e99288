r"""PMRA: Bradley-Terry with a random intercept for each round.

For players in a listed order, i before j,

.. math::

    \mathrm{logit}\,P(i\ \mathrm{beats}\ j \mid k) &= b_0 + u_k + b_i - b_j \\
    b_0 &\sim N(0, intercept\_scale^2), \quad u_k \sim N(0, s^2), \quad
    s \sim \mathrm{HalfNormal}(intercept\_scale) \\
    b &\sim \mathrm{ZeroSumNormal}(\sigma), \quad \sigma \sim \mathrm{HalfNormal}(prior\_scale)
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import xarray as xr
from scipy.special import ndtr, ndtri

from leaderbayes._numerics.listed import alike_rounds, draw_intercepts, log_likelihood
from leaderbayes._numerics.round_intercept import (
    ABSENT,
    LOSS,
    TIE,
    draw_outcomes,
    listed_statistics,
    outcomes,
)
from leaderbayes._numerics.target import Target
from leaderbayes._scores.matches import listed_positions
from leaderbayes._types import Bytes, Floats, Longs
from leaderbayes.models._board import constants, coords_of, declare
from leaderbayes.models._model import Model, Problem
from leaderbayes.models._prior import PRIOR_SCALE, half_normal, normal, reliability
from leaderbayes.models._weight import Weight, check_board, check_scales, resolve_weight

if TYPE_CHECKING:
    import pymc as pm

_NAME = "round_intercept"
NORMAL = 1e12  # degrees of freedom, of which Student's t distribution is normal
# Standard deviations: below, rounds' intercepts differ by so little that slopes lose their digits;
# beyond, normal quantiles are no numbers.
_ENDS = (-5.5, 37.0)


def round_intercept(
    matches: xr.Dataset,
    *,
    order: Sequence[str] | None = None,
    weight: Weight = 1.0,
    test_fraction: float | None = None,
    prior_scale: float = PRIOR_SCALE,
    intercept_scale: float = 1.0,
) -> "pm.Model":
    """Return the PMRA model of a board.

    The intercept favours the player listed first, so its sign depends on the order of the list;
    and matches of a round stay as dependent as they were: with weight 1, as published, intervals
    are too narrow.

    Parameters
    ----------
    matches : Dataset
        From `leaderbayes.matches`, within rounds, ties "half", or "loss" as published (a tie is a
        loss of the player listed first).
    order : sequence of str, optional
        Players as they are listed; by name where it is not given, as in the published software.
    weight : float or "composite"
        Power of the likelihood of each round.
    test_fraction, prior_scale
        As for `bradley_terry`.
    intercept_scale : float
        Scale of the priors on b_0 and s, in log-odds.

    Returns
    -------
    pymc.Model
        ``epp`` (player), strengths without the effect of the list; ``epp_scale``; ``intercept``,
        b_0; ``intercept_round`` (round), u_k; ``intercept_scale``, s; observed ``outcome`` (round,
        pair) of the first-listed player: 2 a win, 1 a tie, 0 a loss, -1 no match.

    Raises
    ------
    LeaderbayesError
        If these are no matches, an option is out of range, or ``order`` does not list every player
        once.

    Warns
    -----
    LeaderbayesWarning
        LB010, if some differences rest on the prior alone.

    References
    ----------
    Gajda, Chlebus (2022), A probability-based models ranking approach: an alternative method of
    machine-learning model performance assessment, Sensors 22, section 3.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> model = lb.models.round_intercept(lb.matches(lb.datasets.load("classifiers", "iris")))
    >>> [variable.name for variable in model.free_RVs]
    ['epp_scale', 'epp_unit', 'intercept', 'intercept_scale', 'intercept_unit']
    """
    import pymc as pm
    import pytensor.tensor as pt

    board = _listed(matches, order, weight, test_fraction, prior_scale, intercept_scale)
    outcome, listed = board.outcome, board.listed
    first, second = (listed[side] for side in np.triu_indices(len(listed), 1))
    centring = reliability(matches, board.weight)

    def logp(value: Any, b: Any, level: Any, played: Any, weight: Any) -> Any:
        gap = b[..., first] - b[..., second] + level[..., None]
        each = 0.5 * value * gap - pt.softplus(gap)
        return weight * (pt.neq(value, ABSENT) * each).sum(axis=-1)

    def random(
        b: Any, level: Any, played: Any, weight: Any, rng: np.random.Generator, size: Any
    ) -> Bytes:
        played = played.astype(bool)
        level = np.broadcast_to(level, played.shape[:1])
        return draw_outcomes(b.reshape(-1, b.shape[-1])[0], level, played, listed, rng)

    with pm.Model(coords=coords_of(matches) | {"pair": board.pairs}) as model:
        data = declare(board.constant)
        scale = pm.HalfNormal("epp_scale", data["prior_scale"])
        unit = pm.ZeroSumNormal("epp_unit", sigma=scale**centring, dims="player")
        b = pm.Deterministic("epp", scale ** (1.0 - centring) * unit, dims="player")
        b0 = pm.Normal("intercept", 0.0, data["prior_intercept_scale"])
        s = pm.HalfNormal("intercept_scale", data["prior_intercept_scale"])
        # Halfway between centred and not: s may be near 0, and a round's intercept well known.
        round_unit = pm.Normal("intercept_unit", 0.0, s**0.5, dims="round")
        u = pm.Deterministic("intercept_round", s**0.5 * round_unit, dims="round")
        pm.CustomDist(
            "outcome", b, b0 + u, (outcome != ABSENT).astype("int8"), data["weight"],
            logp=logp, random=random, signature="(p),(),(q),()->(q)", dtype="int8",
            observed=outcome, dims=("round", "pair"),
        )  # fmt: skip
    return model


def problem(
    matches: xr.Dataset, *, order: Sequence[str] | None = None, weight: Weight = 1.0,
    test_fraction: float | None = None, prior_scale: float = PRIOR_SCALE,
    intercept_scale: float = 1.0,
) -> Problem:  # fmt: skip
    """Return the same model for the fast engine, with the rounds' intercepts integrated out."""
    board = _listed(matches, order, weight, test_fraction, prior_scale, intercept_scale)
    outcome, listed, eta = board.outcome, board.listed, board.weight
    statistics, tau = listed_statistics(outcome, listed), intercept_scale
    rounds = alike_rounds(statistics, eta)

    def density(a: Floats, extra: Floats, gradient: bool) -> tuple[Floats, Floats, Floats]:
        # Both parameters are standard normal a priori.
        s, by_x = half_normal_of(extra[:, 1], tau)
        value, by_a, by_level, by_scale = log_likelihood(
            a, tau * extra[:, 0], s, rounds, gradient=gradient
        )
        return value, by_a, np.column_stack([tau * by_level, by_x * by_scale])

    def expand(
        a: Floats, extra: Floats, scale: Floats, rng: np.random.Generator
    ) -> dict[str, Floats]:
        b = a - a.mean(axis=1, keepdims=True)
        level, s = tau * extra[:, 0], half_normal_of(extra[:, 1], tau)[0]
        c = draw_intercepts(b, level, s, rounds, len(eta), rng)
        return {
            "epp": b, "epp_scale": scale, "intercept": level, "intercept_scale": s,
            "intercept_round": c - level[:, None],
        }  # fmt: skip

    def expand_prior(
        a: Floats, extra: Floats, scale: Floats, rng: np.random.Generator
    ) -> dict[str, Floats]:
        s = half_normal_of(extra[:, 1], tau)[0]
        return {
            "epp": a - a.mean(axis=1, keepdims=True), "epp_scale": scale,
            "intercept": tau * extra[:, 0], "intercept_scale": s,
            "intercept_round": s[:, None] * rng.standard_normal((len(a), len(eta))),
        }  # fmt: skip

    def replicate(drawn: Mapping[str, Floats], rng: np.random.Generator) -> Bytes:
        c = drawn["intercept"][:, None] + drawn["intercept_round"]
        each = zip(drawn["epp"], c, strict=True)
        return np.stack([draw_outcomes(b, k, outcome != ABSENT, listed, rng) for b, k in each])

    coords = coords_of(matches) | {"pair": board.pairs}
    return Problem(
        target=Target(
            len(listed), density, prior_scale, NORMAL, np.ones(2), cells=len(listed) ** 2
        ),
        expand=expand,
        dims={
            "epp": ("player",), "epp_scale": (), "intercept": (), "intercept_scale": (),
            "intercept_round": ("round",),
        },
        replicate=replicate,
        log_likelihood=partial(_by_round, outcome=outcome, listed=listed)
        if (eta == 1.0).all() else None,
        log_prior={
            "epp_scale": half_normal(prior_scale),
            "intercept": normal(tau),
            "intercept_scale": half_normal(tau),
        },
        observed=xr.Dataset({"outcome": (("round", "pair"), outcome)},
                            {"round": coords["round"], "pair": board.pairs}),
        constant=board.constant,
        coords=coords,
        expand_prior=expand_prior,
    )  # fmt: skip


def listed_by_round(drawn: Mapping[str, Floats], matches: xr.Dataset) -> Floats:
    """Return the log-likelihood of each round (draw, round) given its intercept."""
    listed = np.argsort(matches["order"].to_numpy())
    outcome = outcomes(matches["place"].to_numpy(), listed)
    if matches.attrs["ties"] == "loss":
        outcome[outcome == TIE] = LOSS
    return _by_round(drawn, outcome, listed)


def _by_round(drawn: Mapping[str, Floats], outcome: Bytes, listed: Longs) -> Floats:
    c = drawn["intercept"][:, None] + drawn["intercept_round"]
    first, second = (listed[side] for side in np.triu_indices(len(listed), 1))
    gap = drawn["epp"][:, first] - drawn["epp"][:, second]
    out = np.empty(c.shape)
    for k, row in enumerate(outcome):
        here = gap + c[:, k : k + 1]
        each = 0.5 * row * here - np.logaddexp(0.0, here)
        out[:, k] = each[:, row != ABSENT].sum(axis=1)
    return out


class _Listed(NamedTuple):
    """A board whose players are listed in an order."""

    weight: Floats  # (round,)
    listed: Longs  # (player,): positions of players as listed
    outcome: Bytes  # (round, pair): of the first-listed player
    pairs: list[str]
    constant: xr.Dataset


def _listed(
    matches: xr.Dataset, order: Sequence[str] | None, weight: Weight, test_fraction: float | None,
    prior_scale: float, intercept_scale: float,
) -> _Listed:  # fmt: skip
    """Check data and options, and list the matches."""
    check_scales(prior_scale=prior_scale, intercept_scale=intercept_scale)
    check_board(matches, MODEL)
    eta = resolve_weight(matches, weight, test_fraction, with_ties=False)
    listed = listed_positions(matches, order)
    outcome = outcomes(matches["place"].to_numpy(), listed)
    if matches.attrs["ties"] == "loss":
        outcome[outcome == TIE] = LOSS
    names = matches["player"].to_numpy()[listed]
    first, second = np.triu_indices(len(names), 1)
    pairs = [f"{a} - {b}" for a, b in zip(names[first], names[second], strict=True)]
    options = {"test_fraction": test_fraction, "prior_scale": prior_scale}
    options["prior_intercept_scale"] = intercept_scale  # a variable has the name without prior
    place = matches["place"]
    constant = constants(
        _NAME, matches, eta, options,
        order=("player", np.argsort(listed)), place=(place.dims, place.to_numpy()),
    )  # fmt: skip
    return _Listed(eta, listed, outcome, pairs, constant)


def half_normal_of(x: Floats, scale: float) -> tuple[Floats, Floats]:
    """Map normal x to half-normal numbers of the same probability; return these and slopes."""
    inside = np.clip(x, *_ENDS)
    z = -ndtri(0.5 * ndtr(-inside))
    return scale * z, 0.5 * scale * np.exp(0.5 * (z**2 - inside**2))


MODEL = Model(
    name=_NAME,
    label="PMRA (round intercepts)",
    data=("matches",),
    parameter="epp",
    unit="log-odds",
    build=round_intercept,
    problem=problem,
    log_likelihood=listed_by_round,
    ties=("half", "loss"),
    weight=1.0,
)
