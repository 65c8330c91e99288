r"""Plackett-Luce: the likelihood of whole rankings.

The next place goes to player i of those left, A, in proportion to :math:`e^{b_i}`:

.. math::

    \sigma &\sim \mathrm{HalfNormal}(prior\_scale), \quad
    a_i \sim \mathrm{StudentT}(prior\_df, 0, \sigma), \quad b = a - \bar a \\
    \log L_k &= \mathrm{mean}_{\pi} \sum_a \Big( b_{\pi_a}
    - \log \sum_{c \ge a} e^{b_{\pi_c}} \Big)

the mean over orders :math:`\pi` of round k's players, best first, that ties leave open. Without
ties this is the distribution of strengths plus Gumbel noise. A pair's win probability is
Bradley-Terry's, so ``epp`` keeps its meaning, and intervals are honest with weight 1.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from leaderbayes._numerics.rankings import (
    by_round,
    draw_rankings,
    information,
    log_likelihood,
    rankings,
)
from leaderbayes._numerics.target import Target
from leaderbayes._types import Floats, Ints
from leaderbayes.models._board import checked, coords_of, declare, problem_of_places
from leaderbayes.models._model import Model, Problem
from leaderbayes.models._places import observe_rankings
from leaderbayes.models._prior import PRIOR_SCALE, rank_reliability, strengths
from leaderbayes.models._weight import Weight

if TYPE_CHECKING:
    import pymc as pm

_NAME = "plackett_luce"


def plackett_luce(
    matches: xr.Dataset,
    *,
    weight: Weight = 1.0,
    test_fraction: float | None = None,
    prior_scale: float = PRIOR_SCALE,
    prior_df: float | None = None,
) -> "pm.Model":
    """Return the Plackett-Luce model of a board, where each round is one ranking.

    A tie counts as what breaking it at random comes to on average. Where very many scores tie,
    differences come out a little too small, and replicates have the ties of the observed round. A
    round with missing players is the ranking of those present.

    Parameters
    ----------
    matches : Dataset
        From `leaderbayes.matches`, within rounds, ties "half"; ``pairs=False`` is enough.
    weight : float
        Power of the likelihood.
    test_fraction, prior_scale, prior_df
        As for `bradley_terry`.

    Returns
    -------
    pymc.Model
        Variables as of `bradley_terry`; observed ``place`` (round, player), where 1 is best and 0
        absent. Log-likelihoods and replicates come by round.

    Warns
    -----
    LeaderbayesWarning
        LB010, if some differences rest on the prior alone.

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
    import pymc as pm

    _, _, constant = checked(
        matches, MODEL, weight=weight, test_fraction=test_fraction, prior_scale=prior_scale,
        prior_df=prior_df,
    )  # fmt: skip
    with pm.Model(coords=coords_of(matches)) as model:
        data = declare(constant)
        b = strengths(data, rank_reliability(matches["place"].to_numpy()))
        observe_rankings(b, data["weight"], matches)
    return model


def problem(matches: xr.Dataset, **options: Any) -> Problem:
    """Return the same model for the fast engine."""
    eta, df, constant = checked(matches, MODEL, **{"weight": 1.0} | options)
    prior_scale, place = float(constant["prior_scale"].item()), matches["place"].to_numpy()
    ordered = rankings(place, eta)

    def density(a: Floats, extra: Floats, gradient: bool) -> tuple[Floats, Floats, Floats]:
        value, slope = log_likelihood(a, ordered, gradient=gradient)
        return value, slope, extra

    def hessian(a: Floats, extra: Floats) -> Floats:
        return information(a, ordered)

    def replicate(drawn: Mapping[str, Floats], rng: np.random.Generator) -> Ints:
        return draw_rankings(drawn["epp"][:, None], place, rng)

    return problem_of_places(
        Target(place.shape[1], density, prior_scale, df, cells=place.shape[1], hessian=hessian),
        matches,
        constant,
        replicate,
        rankings_by_round,
    )


def rankings_by_round(drawn: Mapping[str, Floats], matches: xr.Dataset) -> Floats:
    """Return the log-likelihood of each round's ranking (draw, round)."""
    return by_round(drawn["epp"], rankings(matches["place"].to_numpy()))


MODEL = Model(
    name=_NAME,
    label="Plackett-Luce",
    data=("matches",),
    parameter="epp",
    unit="log-odds",
    blends=True,
    takes=("round_weight",),
    build=plackett_luce,
    problem=problem,
    log_likelihood=rankings_by_round,
    pairs=False,
    weight=1.0,
)
