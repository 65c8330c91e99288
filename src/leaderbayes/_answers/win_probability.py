"""Posterior probability that one player beats another, of all pairs."""

from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.draws import scores_of, spread_of, standing_once
from leaderbayes._answers.new_data_set import better_on_new
from leaderbayes._answers.record import record
from leaderbayes._arguments import one_of, share
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import is_mean_score
from leaderbayes._fits.trust import trust
from leaderbayes._numerics.logistic_normal import expit_mean
from leaderbayes._numerics.pair_summary import pair_summary
from leaderbayes._types import Floats
from leaderbayes.likelihood._hypothesis import Convention
from leaderbayes.likelihood._tables import probabilities

By = Literal["model", "record"]

# Draws of all pairs, in a minute or two.
_PAIR_VALUES = 20_000_000_000
_BLOCK_VALUES = 20_000_000


def win_probability(
    dt: xr.DataTree | xr.Dataset,
    *,
    prob: float = 0.95,
    by: By = "model",
    convention: Convention = "correct",
) -> xr.Dataset:
    """Give the probability that the row beats the column in a new round.

    Under Davidson's model: given that the match is not tied. Under PMRA: without the effect of
    who is listed first. Of a fit of many tournaments: in a new tournament. Of mean scores: by the
    record of each pair, whatever ``by`` says; of those of many tournaments, that the row's mean
    score is better than the column's on a new data set.

    Parameters
    ----------
    dt : DataTree or Dataset
        From `leaderbayes.fit`; or an estimate from `leaderbayes.likelihood`.
    prob : float
        Posterior probability of the (equal-tailed) intervals; of an estimate, coverage of the
        normal ones of the log-odds.
    by : {"model", "record"}
        "record": by the matches of the two players alone, whatever the others did: right also where
        the model does not describe the board (LB016), and wider by a tenth to a quarter where it
        does. A Beta posterior of wins and losses, with ties, ``test_fraction`` and rounds as in the
        fit; pairs that never met have 1/2 and nearly all from 0 to 1. Of a fit of one tournament.
    convention : {"correct", "published"}
        Of an estimate. "published": of PMRA with the intercept, for whoever is listed first
        (equation 7); of Bradley-Terry with ``covariance="model"``, every match counted twice.

    Returns
    -------
    Dataset
        ``mean``, ``lower``, ``upper`` (player, opponent), 1/2 on the diagonal; by the record also
        ``better`` (P(p > 1/2)), ``won`` and ``played`` (matches), ``tied`` (of these, each half
        a win). attrs: ``by``,
        ``draws_used`` (by the model; posterior draws are thinned evenly on boards of thousands of
        players), ``converged`` (0 or 1), ``warnings`` (JSON list).

    Raises
    ------
    LeaderbayesError
        If ``prob`` is not between 0 and 1, or the convention has no meaning for this fit; by the
        record, if it is an estimate or a fit of many tournaments.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, property 3.1.
    Gajda, Chlebus (2022), A probability-based models ranking approach, equation 7.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "breast_cancer"), sampler="laplace", seed=1)
    >>> win = lb.win_probability(dt)
    >>> pair = win.sel(player="svm C=1", opponent="knn k=25")
    >>> [round(float(pair[name]), 1) for name in ("lower", "mean", "upper")]
    [0.8, 0.9, 0.9]
    """
    prob = share("prob", prob)
    one_of("by", by, "model", "record")
    one_of("convention", convention, "correct", "published")
    if isinstance(dt, xr.Dataset):
        if by != "model":
            raise LeaderbayesError("An estimate keeps no matches: give a fit for by='record'.")
        return probabilities(dt, prob, convention)
    if convention != "correct":
        raise LeaderbayesError("Published conventions are those of estimates, not of posteriors.")
    if is_mean_score(dt) and "score_spread" in dt["posterior"] and by == "model":
        _, names = scores_of(dt)
        mean, low, high, used = better_on_new(dt, prob)
        return _table(names, (mean, low, high), {"by": by, "draws_used": used, **trust(dt)})
    if by == "record" or is_mean_score(dt):
        return record(dt, prob).assign_attrs(by="record")
    epp, players = standing_once(dt)
    spread = spread_of(dt)
    # The mean over a new tournament's deviations takes some sixty evaluations, and quantiles.
    most = _PAIR_VALUES // len(players) ** 2 // (1 if spread is None else 600)
    used = int(np.clip(most, min(200, len(epp)), len(epp)))
    picked = np.linspace(0, len(epp) - 1, used).astype(int)
    if spread is None:
        mean, low, high = pair_summary(epp[picked].T, prob)
    else:
        mean, low, high = _of_new_tournaments(epp[picked], spread[picked], prob)
    return _table(players, (mean, low, high), {"by": by, "draws_used": used, **trust(dt)})


def _table(
    players: pd.Index, values: tuple[Floats, Floats, Floats], attrs: dict[str, Any]
) -> xr.Dataset:
    """Name mean, lower and upper end (player, opponent)."""
    dims = ("player", "opponent")
    return xr.Dataset(
        dict(zip(("mean", "lower", "upper"), ((dims, each) for each in values), strict=True)),
        coords={"player": players.to_numpy(), "opponent": players.to_numpy()},
        attrs=attrs,
    )


def _of_new_tournaments(epp: Floats, spread: Floats, prob: float) -> tuple[Floats, Floats, Floats]:
    """Give mean, lower and upper end of all pairs; players deviate by ``spread`` (draw,)."""
    m = epp.shape[1]
    tails = [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0]
    # Player first, so that each pair's draws lie side by side.
    by_player = np.ascontiguousarray(epp.T)
    mean, low, high = np.empty((3, m, m))
    block = max(1, _BLOCK_VALUES // (m * len(epp)))
    for first in range(0, m, block):
        rows = slice(first, first + block)
        gap = by_player[rows, None, :] - by_player[None]
        win = expit_mean(gap, np.sqrt(2.0) * spread)
        low[rows], high[rows] = np.quantile(win, tails, axis=2)
        mean[rows] = win.mean(axis=2)
    return mean, low, high
