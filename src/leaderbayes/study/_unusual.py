"""Players that make a tournament unlike the others."""

import numpy as np
import xarray as xr

from leaderbayes._arguments import share
from leaderbayes._numerics.left_out import left_out_score
from leaderbayes._types import AnyFloats
from leaderbayes.study._strengths import check_several, standard_ranks, strengths_of


def unusual(study: xr.DataTree, *, prob: float = 0.95) -> xr.Dataset:
    r"""Find the players that make a tournament unlike the others, and tournaments in reverse order.

    A player's strength in a tournament is held against what the other tournaments predict for it:

    .. math::

        \widehat{epp}_{ti} \sim N(\mu_i - l_t, \tau_i^2 + s_{ti}^2), \quad
        \tau_i \sim \mathrm{HalfCauchy}(1)

    with posterior means and standard deviations s, each player's own spread between tournaments
    :math:`\tau_i`, and the level l of the players present, which is 0 where all are. ``z`` is the
    normal score of the leave-one-out predictive probability, so it is standard normal where
    nothing is unusual, and cautious where there are few other tournaments: they do not tell how
    much a player varies.

    Strengths of a tournament sum to zero, so one player far up moves the others down a little.
    Strengths of one fit of many tournaments are drawn towards each other already, and their ``z``
    towards 0: fits of each tournament by itself are the better ground.

    Parameters
    ----------
    study : DataTree
        A fit for each of two or more tournaments, or a fit of the model "tournaments".
    prob : float
        Posterior probability of the (equal-tailed) interval.

    Returns
    -------
    Dataset
        ``difference``, ``difference_sd`` (tournament, player): posterior mean and standard
        deviation of epp less its mean over the other tournaments, log-odds; ``z`` (tournament,
        player); NaN for absent players, and those of one tournament. ``agreement``,
        ``agreement_lower``, ``agreement_upper`` (tournament): Spearman's correlation over players
        with the mean of the others; ``p_reversed`` (tournament): posterior probability that it is
        negative; NaN where fewer than two players are elsewhere too. attrs: ``prob``,
        ``converged``, ``warnings`` (JSON).

    Raises
    ------
    LeaderbayesError
        If there are not two tournaments, or ``prob`` is not between 0 and 1.

    References
    ----------
    Gosiewska, Bakała, Woźnica, Zwoliński, Biecek (2019), EPP: interpretable score of model
    predictive power, section 5, finds two data sets with reversed orders. Marshall, Spiegelhalter
    (2003), Approximate cross-validatory predictive checks in disease mapping models, Statistics
    in Medicine 22.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers").sel(tournament=["breast_cancer", "iris", "wine"])
    >>> study = lb.study.fit(
    ...     scores, store="study", sampler="laplace", seed=1, progressbar=False
    ... )
    >>> odd = lb.study.unusual(study)
    >>> odd["z"].dims
    ('tournament', 'player')
    >>> str(odd["agreement"].idxmin("tournament").item())
    'iris'
    """
    prob = share("prob", prob)
    strengths = strengths_of(study)
    check_several(strengths)
    epp = _levelled(strengths["epp"], strengths)
    draw = _levelled(strengths["draw"], strengths)
    correlation = _agreement(draw)
    tails = [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0]
    low, high = np.quantile(correlation, tails, axis=0)
    reversed_ = np.where(np.isnan(low), np.nan, (correlation < 0).mean(axis=0))
    cells = ("tournament", "player")
    return xr.Dataset(
        {
            "difference": (cells, epp - _mean_of_others(epp)),
            "difference_sd": (cells, (draw - _mean_of_others(draw)).std(axis=0)),
            "z": (cells, surprise(strengths)),
            "agreement": ("tournament", correlation.mean(axis=0)),
            "agreement_lower": ("tournament", low),
            "agreement_upper": ("tournament", high),
            "p_reversed": ("tournament", reversed_),
        },
        coords={name: strengths[name].to_numpy() for name in cells},
        attrs={"prob": prob, **strengths.attrs},
    )


def surprise(strengths: xr.Dataset) -> AnyFloats:
    """Score each strength (tournament, player) in its law given the other tournaments."""
    epp = strengths["epp"] + strengths["level"]
    return left_out_score(epp.to_numpy(), strengths["epp_sd"].to_numpy())


def _levelled(values: xr.DataArray, strengths: xr.Dataset) -> AnyFloats:
    """Move strengths (..., tournament, player) to levels that tournaments can be compared at."""
    return (values + strengths["level"].astype(values.dtype)).to_numpy()


def _others(values: AnyFloats) -> AnyFloats:
    """Sum over the other tournaments (second to last axis)."""
    return np.asarray(values.sum(axis=-2, keepdims=True) - values)


def _mean_of_others(values: AnyFloats) -> AnyFloats:
    """Average over the other tournaments that have the player, NaN if there is none."""
    known = ~np.isnan(values)
    count = _others(known.astype(values.dtype))
    return _others(np.where(known, values, 0)) / np.where(count > 0, count, np.nan)


def _agreement(draw: AnyFloats) -> AnyFloats:
    """Correlate (Spearman) with the mean of the others, draw by draw: (sample, tournament)."""
    others = _mean_of_others(draw)
    correlation = np.full(draw.shape[:2], np.nan)
    for t, both in enumerate(~np.isnan(draw[0] + others[0])):
        if both.sum() > 1:
            pair = (standard_ranks(each[:, t, both]) for each in (draw, others))
            correlation[:, t] = np.multiply(*pair).sum(axis=-1)
    return correlation
