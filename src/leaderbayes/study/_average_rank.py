"""Ranks of players, across tournaments."""

import pandas as pd
import xarray as xr

from leaderbayes._answers.draws import standing_of
from leaderbayes._answers.ranks import ranks_of
from leaderbayes._arguments import share
from leaderbayes._types import Floats
from leaderbayes.study._across import across


def average_rank(study: xr.DataTree, *, prob: float = 0.95) -> xr.Dataset:
    """Give each player's rank, by tournament and on average over them.

    It needs no common unit, so that it is of strengths and of mean scores: an error rate may stand
    beside a squared error. It does not say by how much. Where tournaments have different players,
    a rank is one among those present, and the third of three has the rank of the third of thirty.

    Parameters
    ----------
    study : DataTree
        A fit for each tournament, or a fit of the model "tournaments" or "score_tournaments".
    prob : float
        Posterior probability of the (equal-tailed) intervals.

    Returns
    -------
    Dataset
        ``rank``, ``rank_lower``, ``rank_upper`` (tournament, player), posterior mean and interval,
        1 is the best, NaN for absent players; ``average_rank``, ``average_rank_lower``,
        ``average_rank_upper`` (player), of its mean over the tournaments that the player took part
        in: these tournaments, not new ones. The less a tournament tells, the nearer to the middle
        are the means of its ranks. attrs: ``prob``, ``converged``, ``warnings`` (JSON).

    Raises
    ------
    LeaderbayesError
        If there is no tournament, or ``prob`` is not between 0 and 1.

    References
    ----------
    Demšar (2006), Statistical comparisons of classifiers over multiple data sets, Journal of
    Machine Learning Research 7, whose average ranks are of the scores, without their uncertainty.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers").sel(tournament=["iris", "wine"])
    >>> study = lb.study.fit(
    ...     scores, store="study", sampler="laplace", seed=1, progressbar=False
    ... )
    >>> ranks = lb.study.average_rank(study)
    >>> dict(ranks["rank"].sizes)
    {'tournament': 2, 'player': 15}
    >>> ranks["average_rank"].idxmin().item()
    'svm C=1'
    """
    prob = share("prob", prob)

    def ranks(fit: xr.DataTree) -> tuple[Floats, pd.Index]:
        standing, players = standing_of(fit)
        return ranks_of(standing).astype(float), players

    made = across(study, ranks, prob, "inverted_cdf")
    ends = ("", "_lower", "_upper")
    names = dict(zip(("mean", "lower", "upper"), (f"rank{end}" for end in ends), strict=True))
    return made.rename(names | {f"overall{end}": f"average_rank{end}" for end in ends})
