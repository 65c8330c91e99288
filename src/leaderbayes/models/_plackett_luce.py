"""Plackett-Luce: the likelihood of whole rankings."""

from typing import Any

import numpy as np
import pymc as pm
import xarray as xr

from leaderbayes._numerics.plackett_luce import draw_rankings, rankings
from leaderbayes._scores.matches import require_matches
from leaderbayes.models._board import check_options, coords_of, rank_reliability
from leaderbayes.models._ops import known, ranking_log_likelihood
from leaderbayes.models._weight import (
    PRIOR_SCALE,
    Weight,
    check_board,
    degrees_of_freedom,
    weight_of_rankings,
)


def plackett_luce(
    matches: xr.Dataset,
    *,
    weight: Weight = 1.0,
    test_fraction: float | None = None,
    prior_scale: float = PRIOR_SCALE,
    prior_df: float | None = None,
    centring: float | None = None,
) -> pm.Model:
    r"""Plackett-Luce model of a board: each round is one ranking.

    The next place goes to player i of those left, A, in proportion to :math:`e^{b_i}`:

    .. math::

        \sigma &\sim \mathrm{HalfNormal}(prior\_scale),\quad
        a_i \sim \mathrm{StudentT}(prior\_df, 0, \sigma), \quad b = a - \bar a \\
        \log L_k &= \mathrm{mean}_{\pi} \sum_a \Big( b_{\pi_a}
        - \log \sum_{c \ge a} e^{b_{\pi_c}} \Big),

    the mean over the orders :math:`\pi` of round k's players, best first, that its ties leave open.

    Without ties this is the law of strengths plus Gumbel noise; a pair's win probability is
    Bradley-Terry's, so ``epp`` keeps its meaning, and the width is honest with weight 1. A tie is,
    as half a win for either side, what breaking it at random comes to on average, and no part of
    the law: differences are a little too small where very many tie (0.97 of the true log-odds
    where 19 % of pairs do, 0.94 at 32 %), and replicates have the ties of the observed round,
    whoever is drawn to the tied places. A round with missing players is the ranking of those
    present.

    Parameters
    ----------
    matches : Dataset
        From `leaderbayes.matches`, within rounds, ties "half"; ``pairs=False`` will do.
    weight : float
        Power of the likelihood.
    test_fraction : float, optional
        As for `bradley_terry`.
    prior_scale : float
        Scale of the half-normal prior on the scale of the players' strengths, log-odds.
    prior_df : float, optional
        Degrees of freedom of the strengths' Student-t law: few leave a player who is far ahead of,
        or behind, all others where its matches put it, large ones are normal. None: 4 of up to 10
        players, 2 of more.
    centring : float, optional
        As for `bradley_terry`.

    Returns
    -------
    pymc.Model
        Variables ``epp`` (player), ``epp_scale`` (), ``epp_unit`` (player) as in
        `bradley_terry`; observed ``place`` (round, player), 1 is best and 0 absent; data
        ``weight`` (). Log-likelihood and replicates come by round.

    Raises
    ------
    LeaderbayesError
        If these are no matches, or an option has no meaning for them.

    Warns
    -----
    DisconnectedWarning
        If some differences rest on the prior alone.

    References
    ----------
    Luce (1959), Individual choice behavior. Plackett (1975), The analysis of permutations, Applied
    Statistics 24.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> board = lb.matches(lb.datasets.load("classifiers", "iris"), pairs=False)
    >>> model = lb.models.plackett_luce(board)
    >>> [variable.name for variable in model.free_RVs]
    ['epp_scale', 'epp_unit']
    """
    check_options(centring, prior_scale=prior_scale)
    require_matches(matches, "models.plackett_luce", ties=("half",), across=False)
    check_board(matches)
    df = degrees_of_freedom(prior_df, matches.sizes["player"])
    eta = weight_of_rankings(matches, weight, test_fraction)
    place = matches["place"].to_numpy()
    centring = rank_reliability(place) if centring is None else centring

    def logp(value: Any, b: Any, pattern: Any, weight: Any) -> Any:
        return weight * ranking_log_likelihood(rankings(known(value)), b.reshape((1, b.shape[-1])))

    def random(b: Any, pattern: Any, weight: Any, *, rng: np.random.Generator, size: Any) -> Any:
        return draw_rankings(b.reshape(-1, b.shape[-1]), pattern, rng)

    with pm.Model(coords=coords_of(matches)) as model:
        power = pm.Data("weight", eta, dims="round")
        scale = pm.HalfNormal("epp_scale", prior_scale)
        unit = pm.StudentT("epp_unit", nu=df, sigma=scale**centring, dims="player")
        apart = unit - unit.mean()
        b = pm.Deterministic("epp", scale ** (1.0 - centring) * apart, dims="player")
        pm.CustomDist(
            "place",
            b,
            place,
            power,
            logp=logp,
            random=random,
            signature="(p),(p),()->(p)",
            dtype="int32",
            observed=place,
            dims=("round", "player"),
        )
    return model
