"""Plackett-Luce: the exact likelihood of whole rankings."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pymc as pm
import pytensor.tensor as pt
import xarray as xr
from scipy.special import gammaln

from leaderbayes._errors import LeaderbayesError
from leaderbayes._weight import check_board, dependence
from leaderbayes.models._board import check_options, coords_of, rank_reliability, strengths
from leaderbayes.models._ops import known, ranking_log_likelihood
from leaderbayes.numerics.plackett_luce import draw_rankings, rankings
from leaderbayes.numerics.plackett_luce import tie_sizes as sizes_of_ties

# Elementary symmetric polynomials grow like binomials; a float ends at e^709.
_LARGEST = 600.0


def plackett_luce(
    matches: xr.Dataset,
    *,
    weight: float = 1.0,
    test_fraction: float | None = None,
    prior_scale: float = 2.0,
    tie_scale: float = 2.0,
    tie_sizes: Sequence[int] | None = None,
    centring: float | None = None,
) -> pm.Model:
    r"""Plackett-Luce model of a board: each round is one ranking.

    The next place goes to player i of those left, A, in proportion to :math:`e^{b_i}`; where
    players tie, to a set C of c players (Davidson-Luce):

    .. math::

        \sigma &\sim \mathrm{HalfNormal}(prior\_scale),\quad
        b \sim \mathrm{ZeroSumNormal}(\sigma),\quad
        \log \delta_c \sim N(0, tie\_scale^2),\ \delta_1 = 1 \\
        P(C \mid A) &\propto \delta_c \exp\Big(\frac{1}{c} \sum_{i \in C} b_i\Big)

    Without ties this is the law of strengths plus Gumbel noise; a pair's win probability is
    Bradley-Terry's, so ``epp`` keeps its meaning, and the width is honest with weight 1. A round
    with missing players is the ranking of those present.

    Parameters
    ----------
    matches : Dataset
        From `leaderbayes.matches` or (without tables of all pairs) `leaderbayes.rankings`, within
        rounds.
    weight : float
        Power of the likelihood.
    test_fraction : float, optional
        As for `bradley_terry`.
    prior_scale : float
        Scale of the half-normal prior on the players' standard deviation, log-odds.
    tie_scale : float
        Standard deviation of the normal prior on log delta.
    tie_sizes : sequence of int, optional
        Sizes, from 2 up, that a set of tied players can have; those of the board by default.
    centring : float, optional
        As for `bradley_terry`.

    Returns
    -------
    pymc.Model
        Variables ``epp`` (player), ``epp_scale`` (), ``epp_unit`` (player) as in
        `bradley_terry`; ``tie`` (tie_size), log delta, if players tie; observed ``place`` (round,
        player), 1 is best and 0 absent; data ``weight`` (). Log-likelihood and replicates come by
        round.

    Raises
    ------
    LeaderbayesError
        If an option has no meaning for these matches.

    Warns
    -----
    DisconnectedWarning
        If some differences rest on the prior alone.

    References
    ----------
    Turner, van Etten, Firth, Kosmidis (2020), Modelling rankings in R: the PlackettLuce package,
    Computational Statistics 35, https://doi.org/10.1007/s00180-020-00959-3.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> model = lb.models.plackett_luce(lb.rankings(lb.datasets.load_classifiers("iris")))
    >>> [variable.name for variable in model.free_RVs]
    ['epp_scale', 'epp_unit', 'tie']
    """
    check_options(centring, prior_scale=prior_scale, tie_scale=tie_scale)
    check_board(matches)
    if not matches.attrs["within_round"] or matches.attrs["ties"] != "half":
        raise LeaderbayesError(
            "Plackett-Luce ranks the players of each round, ties included: give matches with "
            "within_round=True and ties='half'."
        )
    if isinstance(weight, str) or not 0.0 < weight <= 1.0:
        raise LeaderbayesError(
            f"weight={weight!r}: a ranking's likelihood is exact; its power is 1, or a number "
            "above 0 and below 1."
        )
    place = matches["place"].to_numpy()
    sizes = _sizes(place, tie_sizes)
    tied = sizes[1:]
    coords = coords_of(matches) | ({"tie_size": tied} if tied.size else {})

    def logp(value: Any, epp: Any, present: Any, weight: Any, *tie: Any) -> Any:
        log_delta = pt.concatenate([pt.zeros(1), *(t.reshape((-1, tied.size))[0] for t in tie)])
        epp = epp.reshape((1, epp.shape[-1]))
        return weight * ranking_log_likelihood(rankings(known(value)), epp, log_delta, sizes)

    def random(
        epp: Any, present: Any, weight: Any, *tie: Any, rng: np.random.Generator, size: Any
    ) -> Any:
        log_delta = np.concatenate([[0.0], *(t.reshape(-1, tied.size)[0] for t in tie)])
        epp = epp.reshape(-1, epp.shape[-1])
        return draw_rankings(epp, log_delta, sizes, present.astype(bool), rng)

    with pm.Model(coords=coords) as model:
        power = pm.Data("weight", weight * dependence(len(place), test_fraction))
        epp = strengths(prior_scale, rank_reliability(place) if centring is None else centring)
        tie = [pm.Normal("tie", 0.0, tie_scale, dims="tie_size")] if tied.size else []
        pm.CustomDist(
            "place",
            epp,
            (place > 0).astype("int8"),
            power,
            *tie,
            logp=logp,
            random=random,
            signature="(p),(p),()" + ",(t)" * len(tie) + "->(p)",
            dtype="int32",
            observed=place,
            dims=("round", "player"),
        )
    return model


def _sizes(place: np.ndarray, asked: Sequence[int] | None) -> np.ndarray:
    seen = sizes_of_ties(place)
    sizes = seen if asked is None else np.unique([1, *asked])
    if sizes[0] < 1 or not set(seen) <= set(sizes):
        raise LeaderbayesError(
            f"tie_sizes={asked}: the board has ties of {', '.join(map(str, seen[1:]))} players; "
            "name those, and whatever else is possible, from 2 up."
        )
    players, most = float((place > 0).sum(axis=1).max()), float(sizes[-1])
    if gammaln(players + 1) - gammaln(most + 1) - gammaln(players - most + 1) > _LARGEST:
        raise LeaderbayesError(
            f"{int(most)} of {int(players)} players tie in one round, too many for Davidson-Luce; "
            "use model='bradley_terry' or 'davidson'."
        )
    return sizes
