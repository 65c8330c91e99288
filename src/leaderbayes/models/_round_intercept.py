"""Round intercept: PMRA's Bradley-Terry with an order effect and a random intercept a round."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pymc as pm
import xarray as xr

from leaderbayes._numerics.round_intercept import ABSENT, draw_outcomes, listed_statistics
from leaderbayes.models._board import check_options, coords_of, reliability
from leaderbayes.models._listed import listed_board
from leaderbayes.models._ops import known, listed_log_likelihood
from leaderbayes.models._weight import PRIOR_SCALE, Weight


def round_intercept(
    matches: xr.Dataset,
    *,
    order: Sequence[str] | None = None,
    weight: Weight = 1.0,
    test_fraction: float | None = None,
    prior_scale: float = PRIOR_SCALE,
    intercept_scale: float = 1.0,
    centring: float | None = None,
) -> pm.Model:
    r"""PMRA: Bradley-Terry with an intercept, and a random intercept for each round.

    For players i before j in the listed order, in round k,

    .. math::

        \mathrm{logit}\,P(i\ \mathrm{beats}\ j \mid k) &= b_0 + b_i - b_j + u_k, \quad
        u_k \sim N(0, s^2) \\
        b \sim \mathrm{ZeroSumNormal}(\sigma), \quad \sigma &\sim \mathrm{HalfNormal}(prior\_scale),
        \quad b_0 \sim N(0, 1), \quad s \sim \mathrm{HalfNormal}(1)

    The sign of b_0 and u_k depends on which player is listed first: another order is another
    model, and gives other results. Without them (b_0 = u_k = 0) it is Bradley-Terry.

    Parameters
    ----------
    matches : Dataset
        From `leaderbayes.matches`, within rounds; with ties "half", or as published "loss" of
        the first-listed player.
    order : sequence of str, optional
        All players, as they are listed; sorted by name without regard to case by default, as
        the published software does.
    weight : float or "composite"
        Power of the likelihood given the intercepts; 1.0, as published, by default. "composite"
        is Bradley-Terry's composite weight of the same matches.
    test_fraction : float, optional
        As for `bradley_terry`.
    prior_scale : float
        Scale of the half-normal prior on the players' standard deviation, log-odds.
    intercept_scale : float
        Scales of the normal prior on b_0 and of the half-normal prior on s, log-odds.
    centring : float, optional
        As for `bradley_terry`.

    Returns
    -------
    pymc.Model
        Variables ``epp`` (player), ``epp_scale`` (), ``epp_unit`` (player) as in
        `bradley_terry`: the strengths without any order effect; ``intercept`` (),
        ``intercept_round`` (round), u_k; ``intercept_scale`` (), s; ``intercept_unit`` (round),
        what is sampled for u_k; observed ``outcome`` (round, pair) of the first-listed player:
        2 a win, 1 a tie, 0 a loss, -1 no match; data ``weight`` () and ``order`` (player),
        position in the list.

    Raises
    ------
    LeaderbayesError
        If these are no matches, an option has no meaning for them, or ``order`` does not list
        every player once.

    Warns
    -----
    DisconnectedWarning
        If some differences rest on the prior alone.

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
    check_options(centring, prior_scale=prior_scale, intercept_scale=intercept_scale)
    board = listed_board(matches, order, weight, test_fraction)
    eta, listed, outcome, pairs = board
    centring = reliability(matches, eta) if centring is None else centring

    def logp(value: Any, b: Any, level: Any, played: Any, weight: Any) -> Any:
        statistics = listed_statistics(known(value), listed)
        return weight * listed_log_likelihood(
            statistics, b.reshape((-1, b.shape[-1]))[0], level.flatten()
        )

    def random(
        b: Any, level: Any, played: Any, weight: Any, rng: np.random.Generator, size: Any
    ) -> Any:
        played = played.astype(bool)
        level = np.broadcast_to(level, played.shape[:1])
        return draw_outcomes(b.reshape(-1, b.shape[-1])[0], level, played, listed, rng)

    with pm.Model(coords=coords_of(matches) | {"pair": pairs}) as model:
        power = pm.Data("weight", eta, dims="round")
        pm.Data("order", board.order, dims="player")
        scale = pm.HalfNormal("epp_scale", prior_scale)
        unit = pm.ZeroSumNormal("epp_unit", sigma=scale**centring, dims="player")
        b = pm.Deterministic("epp", scale ** (1.0 - centring) * unit, dims="player")
        b0 = pm.Normal("intercept", 0.0, intercept_scale)
        s = pm.HalfNormal("intercept_scale", intercept_scale)
        # Halfway between centred and not: s may be near 0, and a round's intercept well known.
        round_unit = pm.Normal("intercept_unit", 0.0, s**0.5, dims="round")
        u = pm.Deterministic("intercept_round", s**0.5 * round_unit, dims="round")
        pm.CustomDist(
            "outcome",
            b,
            b0 + u,
            (outcome != ABSENT).astype("int8"),
            power,
            logp=logp,
            random=random,
            signature="(p),(),(q),()->(q)",
            dtype="int8",
            observed=outcome,
            dims=("round", "pair"),
        )
    return model
