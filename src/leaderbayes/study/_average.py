"""What means the same in every tournament, and its mean over tournaments."""

from collections.abc import Callable
from typing import Literal

import numpy as np
import xarray as xr
from scipy.special import expit

from leaderbayes._arguments import one_of, share
from leaderbayes._fits.posterior import Posterior
from leaderbayes._numerics.intervals import Method, ends, with_ends
from leaderbayes._types import AnyFloats
from leaderbayes.study._strengths import all_players, evenly, fewest_draws
from leaderbayes.study._tournaments import read_study

Of = Literal["win", "rank"]


def average(study: xr.DataTree, *, of: Of = "win", prob: float = 0.95) -> xr.Dataset:
    """Return each player's probability of beating the average player, or rank, over tournaments.

    If tournaments have different players, so do their averages, and ranks are among players that
    are present. Ranks need no common unit, so tournaments may have different metrics.

    Parameters
    ----------
    study : DataTree
        From `study.fit`, or a fit of several tournaments; for ``of="win"`` in log-odds.
    of : {"win", "rank"}
        The probability of beating the average player, or the rank.
    prob : float
        Probability mass of the equal-tailed credible intervals.

    Returns
    -------
    Dataset
        ``mean``, ``lower``, ``upper`` (tournament, player), NaN for absent players; ``overall``,
        ``overall_lower``, ``overall_upper`` (player), the mean over the tournaments that the
        player took part in. For ranks, 1 is the best, ``rank``, ``rank_lower``, ``rank_upper`` and
        ``average_rank``, ``average_rank_lower``, ``average_rank_upper``. attrs: ``prob``,
        ``converged``, ``warnings`` (JSON).

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, section
    3.3.3, property 3.4. Demšar (2006), Statistical comparisons of classifiers over multiple data
    sets, Journal of Machine Learning Research 7, whose average ranks are those of the scores.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers").sel(tournament=["iris", "wine"])
    >>> study = lb.study.fit(scores, store="study", seed=1, progressbar=False)
    >>> float(lb.study.average(study)["overall"].sel(player="svm C=1").round(1))
    0.7
    >>> lb.study.average(study, of="rank")["average_rank"].idxmin().item()
    'svm C=1'
    """
    one_of("of", of, "win", "rank")
    prob = share("prob", prob)
    if of == "win":
        return _across(study, lambda fit: expit(fit.draws), prob, in_log_odds=True)
    made = _across(study, lambda fit: fit.ranks.astype(float), prob, method="inverted_cdf")
    names = {"mean": "rank", "lower": "rank_lower", "upper": "rank_upper"}
    over = {f"overall{end}": f"average_rank{end}" for end in ("", "_lower", "_upper")}
    return made.rename(names | over)


def _across(
    study: xr.DataTree,
    of: Callable[[Posterior], AnyFloats],
    prob: float,
    *,
    in_log_odds: bool = False,
    method: Method = "linear",
) -> xr.Dataset:
    """Summarise draws (sample, player) of each tournament, and their mean over tournaments."""
    fits, trust = read_study(study, in_log_odds=in_log_odds)
    players = all_players(fits.values())
    used = fewest_draws(fits.values())
    mean, low, high = np.full((3, len(fits), len(players)), np.nan)
    total = np.zeros((used, len(players)))
    for t, fit in enumerate(fits.values()):
        draws, at = of(fit), players.get_indexer(fit.players)
        mean[t, at] = draws.mean(axis=0)
        low[t, at], high[t, at] = ends(draws, prob, method=method)
        # Draws of tournaments are independent, whatever their numbers.
        total[:, at] += evenly(draws, used)
    overall = total / (~np.isnan(mean)).sum(axis=0)
    cells = ("tournament", "player")
    return xr.Dataset(
        {
            "mean": (cells, mean),
            "lower": (cells, low),
            "upper": (cells, high),
            **{k: ("player", v) for k, v in with_ends({"overall": overall}, prob).items()},
        },
        coords={"tournament": list(fits), "player": players.to_numpy()},
        attrs={"prob": prob, **trust},
    )
