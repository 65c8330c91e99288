"""Probabilities of beating the average player, across tournaments."""

import pandas as pd
import xarray as xr
from scipy.special import expit

from leaderbayes._answers.draws import draws_of
from leaderbayes._arguments import share
from leaderbayes._types import Floats
from leaderbayes.study._across import across


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

    def win(fit: xr.DataTree) -> tuple[Floats, pd.Index]:
        epp, players = draws_of(fit)
        return expit(epp), players

    return across(study, win, prob)
