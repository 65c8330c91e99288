"""Probabilities of beating the average player, across tournaments."""

import numpy as np
import xarray as xr
from scipy.special import expit

from leaderbayes._answers.draws import draws_of
from leaderbayes._arguments import share
from leaderbayes.study._strengths import evenly, fewest_draws, players_of
from leaderbayes.study._tournaments import fits_of, trust_of


def average_player(study: xr.DataTree, *, prob: float = 0.95) -> xr.Dataset:
    """Give each player's probability of beating the average player, by tournament and overall.

    It means the same in every tournament, whatever the scores there. Where tournaments have
    different players, so are their averages.

    Parameters
    ----------
    study : DataTree
        A fit for each tournament, or a fit of the model "tournaments".
    prob : float
        Posterior probability of the (equal-tailed) intervals.

    Returns
    -------
    Dataset
        ``mean``, ``lower``, ``upper`` (tournament, player), NaN for absent players; ``overall``,
        ``overall_lower``, ``overall_upper`` (player), its mean over the tournaments that the
        player took part in: these tournaments, not new ones. attrs: ``prob``, ``converged``,
        ``warnings`` (JSON).

    Raises
    ------
    LeaderbayesError
        If there is no tournament, or ``prob`` is not between 0 and 1.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, section
    3.3.3, property 3.4.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers").sel(tournament=["iris", "wine"])
    >>> study = lb.study.fit(
    ...     scores, store="study", sampler="laplace", seed=1, progressbar=False
    ... )
    >>> p = lb.study.average_player(study)
    >>> dict(p["mean"].sizes)
    {'tournament': 2, 'player': 15}
    >>> float(p["overall"].sel(player="svm C=1").round(1))
    0.7
    """
    prob = share("prob", prob)
    fits = dict(fits_of(study))
    players, used = players_of(fits), fewest_draws(fits)
    tails = [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0]
    mean, low, high = np.full((3, len(fits), len(players)), np.nan)
    total = np.zeros((used, len(players)))
    for t, fit in enumerate(fits.values()):
        epp, present = draws_of(fit)
        win, at = expit(epp), players.get_indexer(present)
        mean[t, at] = win.mean(axis=0)
        low[t, at], high[t, at] = np.quantile(win, tails, axis=0)
        total[:, at] += evenly(win, used)
    overall = total / (~np.isnan(mean)).sum(axis=0)
    overall_low, overall_high = np.quantile(overall, tails, axis=0)
    cells = ("tournament", "player")
    return xr.Dataset(
        {
            "mean": (cells, mean),
            "lower": (cells, low),
            "upper": (cells, high),
            "overall": ("player", overall.mean(axis=0)),
            "overall_lower": ("player", overall_low),
            "overall_upper": ("player", overall_high),
        },
        coords={"tournament": list(fits), "player": players.to_numpy()},
        attrs={"prob": prob, **trust_of(study)},
    )
