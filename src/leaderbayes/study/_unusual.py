"""Players that make a tournament unlike the others."""

import numpy as np
import xarray as xr
from scipy.special import log_ndtr, log_softmax, logsumexp, ndtri_exp

from leaderbayes._arguments import share
from leaderbayes._numerics.intervals import ends
from leaderbayes._types import AnyFloats, Floats
from leaderbayes.study._strengths import check_several, standard_ranks, strengths_of, with_winning
from leaderbayes.study._tournaments import read_study


def unusual(study: xr.DataTree, *, prob: float = 0.95) -> xr.Dataset:
    r"""Find unusual players of each tournament, and tournaments that reverse the usual order.

    A player's probability of beating another one, drawn at random, is compared with what the other
    tournaments predict; epp of a player that never won would be as low as the prior lets it be:

    .. math::

        \hat p_{ti} \sim N(\mu_i - l_t, \tau_i^2 + s_{ti}^2), \quad
        \tau_i \sim \mathrm{HalfCauchy}(1/4)

    with posterior means and standard deviations s, each player's own spread between tournaments
    :math:`\tau_i`, and the level l of the players present. Strengths of one fit of several
    tournaments are shrunk towards each other already: fit each separately for this.

    Parameters
    ----------
    study : DataTree
        From `study.fit`, or a fit of several tournaments, in log-odds.
    prob : float
        Probability mass of the equal-tailed credible intervals.

    Returns
    -------
    Dataset
        ``difference``, ``difference_sd`` (tournament, player): epp less its mean over the other
        tournaments; ``z`` (tournament, player), normal score of the leave-one-out predictive
        probability, standard normal where nothing is unusual. ``agreement``,
        ``agreement_lower``, ``agreement_upper`` (tournament): Spearman's correlation with the
        mean of the others; ``p_reversed`` (tournament): probability that it is negative. NaN
        where there is nothing to compare with. attrs: ``prob``, ``converged``, ``warnings``.

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
    >>> study = lb.study.fit(scores, store="study", seed=1, progressbar=False)
    >>> str(lb.study.unusual(study)["agreement"].idxmin("tournament").item())
    'iris'
    """
    prob = share("prob", prob)
    every = read_study(study, in_log_odds=True)
    strengths = strengths_of(every)
    check_several(strengths)
    strengths = with_winning(strengths, every)
    epp = _levelled(strengths["epp"], strengths)
    draw = _levelled(strengths["draw"], strengths)
    correlation = _agreement(draw)
    low, high = ends(correlation, prob)
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
    """Score each win probability (tournament, player) by what the other tournaments predict."""
    p = strengths["p_win"] + strengths["p_win_level"]
    sd = strengths["p_win_draw"].std("sample", skipna=False)
    # Around 1/2 a probability moves by a quarter of the log-odds.
    return left_out_score(4.0 * p.to_numpy(), 4.0 * sd.to_numpy().astype(float))


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


# Spread between rows, log-odds: even in the logarithm, half-Cauchy(1) by its mass there.
_SPREAD = np.geomspace(0.03, 30.0, 40)[:, None, None]
_LOG_PRIOR = np.log(_SPREAD / (1.0 + _SPREAD**2))


def left_out_score(estimate: Floats, sd: Floats) -> Floats:
    r"""Score each estimate, as a normal one, in its predictive law given the others of its column.

    .. math::

        y_{ti} &\sim N(\mu_i, \tau_i^2 + s_{ti}^2), \quad
        \mu_i \sim 1, \quad \tau_i \sim \mathrm{HalfCauchy}(1) \\
        z_{ti} &= \Phi^{-1}(P(\tilde y_{ti} \le y_{ti} \mid y_{ui}, u \ne t))

    The mean is integrated out exactly and the spread on a grid, so that few others make wide laws,
    and z (row, column) is standard normal if the model holds, however many others there are. NaN
    where there is no estimate, or no other in its column.
    """
    known = ~np.isnan(estimate)
    count = known.sum(axis=0)
    enough = known & (count > 1)
    # Sums of squares lose no digits once the columns are centred.
    y = np.where(known, estimate, 0.0)
    y = np.where(known, y - y.sum(axis=0) / np.maximum(count, 1), 0.0)
    variance = np.where(known, sd, 0.0) ** 2 + _SPREAD**2
    weight = known / variance
    precision = np.where(enough, _others(weight), 1.0)
    mean = _others(weight * y) / precision
    misfit = _others(weight * y**2) - precision * mean**2
    log_size = _others(known * np.log(variance)) + np.log(precision)
    log_p = log_softmax(_LOG_PRIOR - 0.5 * (log_size + misfit), axis=0)
    gap = (y - mean) / np.sqrt(variance + 1.0 / precision)
    below, above = (logsumexp(log_p + log_ndtr(side), axis=0) for side in (gap, -gap))
    # From the smaller tail, which is the exact one.
    z = np.where(below < above, ndtri_exp(below), -ndtri_exp(above))
    return np.where(enough, z, np.nan)
