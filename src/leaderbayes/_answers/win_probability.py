"""Posterior probability that one player beats another, of all pairs."""

from typing import Any, Literal

import numpy as np
import xarray as xr
from scipy.special import expit, ndtr

from leaderbayes._answers.record import record
from leaderbayes._arguments import one_of, share
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import Posterior
from leaderbayes._numerics.bradley_terry import expit_mean
from leaderbayes._types import Floats
from leaderbayes.likelihood._hypothesis import Convention
from leaderbayes.likelihood._tables import probabilities

By = Literal["model", "record"]

# Draws of all pairs: a few seconds of them. Over new tournaments each takes a quadrature.
_MOST, _MOST_OF_SEVERAL, _FEWEST = 200_000_000, 4_000_000, 200
_TWO = float(np.sqrt(2.0))  # of two players, who deviate by themselves


def win_probability(
    dt: xr.DataTree | xr.Dataset,
    *,
    prob: float = 0.95,
    by: By = "model",
    convention: Convention = "correct",
) -> xr.Dataset:
    """Return the probability that each player beats each other player in a new round.

    Of several tournaments it is in a new tournament. Under Davidson's model the match is not tied,
    and under PMRA nobody is listed first. Of mean scores of one tournament it is by the pair's own
    matches, and of several it is the probability that the row's mean score is the better one.

    Parameters
    ----------
    dt : DataTree or Dataset
        Posterior of matches, votes or scores, from `fit` or ``pm.sample``; or an estimate from
        `leaderbayes.likelihood`.
    prob : float
        Probability of the equal-tailed credible intervals; coverage of an estimate's.
    by : {"model", "record"}
        "record" takes each pair's head-to-head results alone: right where the model does not fit,
        and wider by a tenth to a quarter where it does.
    convention : {"correct", "published"}
        Of an estimate. "published": of PMRA with the intercept of whoever is listed first (equation
        7); of Bradley-Terry with every match counted twice.

    Returns
    -------
    Dataset
        ``mean``, ``lower``, ``upper`` (player, opponent), 1/2 on the diagonal. By the record also
        ``better`` (P(p > 1/2)), ``won``, ``played`` and ``tied`` (matches). attrs: ``by``,
        ``draws_used`` (fewer on very large boards), ``converged``, ``warnings``.

    Raises
    ------
    LeaderbayesError
        If an option has no meaning for this posterior or estimate.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, property 3.1.
    Gajda, Chlebus (2022), A probability-based models ranking approach, equation 7.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "breast_cancer"), seed=1)
    >>> pair = lb.win_probability(dt).sel(player="svm C=1", opponent="knn k=25")
    >>> [round(float(pair[name]), 1) for name in ("lower", "mean", "upper")]
    [0.8, 0.9, 0.9]
    """
    prob = share("prob", prob)
    one_of("by", by, "model", "record")
    one_of("convention", convention, "correct", "published")
    if isinstance(dt, xr.Dataset):
        if by != "model":
            raise LeaderbayesError(
                "An estimate keeps no matches: give a posterior for by='record'."
            )
        return probabilities(dt, prob, convention)
    if convention != "correct":
        raise LeaderbayesError("Published conventions are those of estimates, not of posteriors.")
    post = Posterior(dt)
    if by == "record" or not (post.parameter == "epp" or post.several):
        return record(post, prob).assign_attrs(by="record")
    (mean, low, high), used = _of_pairs(post, prob)
    dims, names = ("player", "opponent"), post.players.to_numpy()
    return xr.Dataset(
        {"mean": (dims, mean), "lower": (dims, low), "upper": (dims, high)},
        {"player": names, "opponent": names},
        {"by": by, "draws_used": used, **post.trust},
    )


def chance(
    post: Posterior, gap: Floats, factor: Floats | float = _TWO, picked: Any = slice(None)
) -> Floats:
    """Return the probability that whoever is ahead by a gap (sample, ...) wins a new match.

    Of several tournaments in a new one, where the gap varies with ``factor`` times the spread.
    ``picked`` are the draws that the gap is of.
    """
    if post.spread is None:
        return np.asarray(expit(gap))
    scale = factor * post.spread[picked].reshape(-1, *[1] * (gap.ndim - 1))
    return expit_mean(gap, scale) if post.parameter == "epp" else np.asarray(ndtr(gap / scale))


def _of_pairs(post: Posterior, prob: float) -> tuple[Floats, int]:
    """Return mean, lower and upper end (3, player, opponent), and the number of draws used."""
    draws, m = post.standing.shape
    most = (_MOST_OF_SEVERAL if post.several else _MOST) // m**2
    used = int(np.clip(most, min(_FEWEST, draws), draws))
    picked = np.linspace(0, draws - 1, used).astype(int)
    standing, tails = post.standing[picked], [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0]
    found = np.full((3, m, m), 0.5)
    for i in range(m - 1):
        p = chance(post, standing[:, [i]] - standing[:, i + 1 :], post.apart[i, i + 1 :], picked)
        found[0, i, i + 1 :] = p.mean(axis=0)
        # Quantiles along the last axis, where each pair's draws lie side by side.
        found[1:, i, i + 1 :] = np.quantile(np.ascontiguousarray(p.T), tails, axis=1)
    below = np.tril_indices(m, -1)
    for one, other in ((0, 0), (1, 2), (2, 1)):
        found[one][below] = 1.0 - found[other].T[below]
    return found, used
