"""Table of players from a posterior."""

from typing import Literal

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import expit

from leaderbayes._answers.beside import set_beside
from leaderbayes._answers.best import is_best, placed
from leaderbayes._answers.draws import spread_of, standing_once
from leaderbayes._answers.groups import Control
from leaderbayes._answers.mean_score import table_of_scores
from leaderbayes._answers.publish import published
from leaderbayes._answers.ranks import ranks_once
from leaderbayes._answers.votes import clustered_by, votes_by_player
from leaderbayes._arguments import one_of, share
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import is_mean_score, is_of_votes
from leaderbayes._fits.trust import trust
from leaderbayes._numerics.logistic_normal import expit_mean
from leaderbayes._types import Floats
from leaderbayes.likelihood._tables import table


def leaderboard(
    dt: xr.DataTree | xr.Dataset,
    *,
    prob: float = 0.95,
    columns: Literal["all", "publish"] = "all",
    control: Control = "joint",
) -> pd.DataFrame:
    """Rank the players, with intervals.

    Of a fit of many tournaments: by their mean strength, and beating the average player in a new
    tournament. `study.select` gives one of them.

    Parameters
    ----------
    dt : DataTree or Dataset
        From `leaderbayes.fit` or `leaderbayes.sota.posterior`; or an estimate from
        `leaderbayes.likelihood`.
    prob : float
        Posterior probability of the (equal-tailed) intervals; of an estimate, coverage of the
        normal ones.
    columns : {"all", "publish"}
        "publish": few columns, ready to be pasted into a published table; of a fit of
        `leaderbayes.fit`.
    control : {"pair", "joint"}
        Of "publish": what has the probability ``prob``, each pair's claim or all together, as for
        `groups`. A table makes all of them at once, hence "joint".

    Returns
    -------
    DataFrame
        A row a player, highest posterior mean (or estimate) first: ``player``; ``epp``,
        ``epp_lower``, ``epp_upper`` (log-odds of beating the average player); ``p_average``
        (probability of beating the average player); ``p_best`` (of having the highest epp);
        ``rank`` in this table, ``rank_lower``, ``rank_upper`` of the posterior rank. Beside ``epp``
        stands ``score``, the player's mean score in the metric's unit: as it is where no score is
        missing, and else by least squares of players' and rounds' effects, so that nobody's mean
        goes by which rounds it has. There is none of a fit of many tournaments or across rounds, of
        one that has lost its ``constant_data``, and where players and rounds fall into parts that
        share no score. An estimate
        has no ``p_best`` and no range of ranks, and one with ``covariance="none"`` no interval:
        they are NaN. Of votes also ``votes``, how many there are on the player, and where some are
        that both are bad and these are neither ties nor left out ``both_bad``, their share. Of mean
        scores ("mean_score") in place of ``epp`` and ``p_average``:
        ``score``, ``score_lower``, ``score_upper``, and ``difference``, ``difference_lower``,
        ``difference_upper`` from the first of the table, in the metric's unit; beside these, under
        the same conditions, ``win_rate``, the share of its matches that a player won (ties are
        half). Of the best of a
        board: a row a team, highest posterior mean first:
        ``team``, ``score``; ``theta``, ``theta_lower``, ``theta_upper``; ``p_sota`` (probability
        that theta is at or above theta_SOTA, the posterior mean of the best theta) and ``p_best``
        (that it is the best itself). attrs: ``converged`` (0 or 1), ``warnings``
        (JSON list); ``disagreement``, a sentence, where another player leads by the score (or the
        win_rate) that stands beside: who, by how much, and why. It is about the two columns,
        whether or not the posterior tells the two players apart; of votes ``cluster``, what makes
        them go together: "judge and prompt", "judge", "prompt" or "none".

        To publish: ``rank``; ``ranks``, the interval of the posterior rank ("1 to 3"); ``player``;
        ``group``, letters: every pair of players that is told apart shares none, every other pair
        shares one; ``score`` with its interval ("0.95 [0.93, 0.97]") and ``difference`` to the
        first, in the metric's unit, of a fit of mean scores; else ``epp`` with its interval, and
        ``score`` (as above, where there is one) or ``votes``. attrs: ``note``, a sentence to set
        below the table, which says so where the fit did not converge or does not describe the
        board; ``prob``, ``control``, ``converged``, ``warnings``.

    Raises
    ------
    LeaderbayesError
        If it is no fit, ``prob`` is not between 0 and 1, or an option has no such choice;
        "publish" of an estimate or of the best of a board.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, properties
    3.2 and 3.4. Piepho (2004), An algorithm for a letter-based representation of all-pairwise
    comparisons, Journal of Computational and Graphical Statistics 13.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "breast_cancer"), sampler="laplace", seed=1)
    >>> board = lb.leaderboard(dt)
    >>> board[["rank", "player", "epp"]].round(0).head(3)
       rank        player  epp
    0     1       svm C=1  3.0
    1     2  logistic C=1  3.0
    2     3      svm C=10  3.0
    >>> bool((board["epp_lower"] < board["epp_upper"]).all())
    True

    To paste:

    >>> table = lb.leaderboard(dt, columns="publish")
    >>> list(table)
    ['rank', 'ranks', 'player', 'group', 'epp', 'score']
    >>> table["group"].iloc[0][0]
    'a'
    """
    prob = share("prob", prob)
    one_of("columns", columns, "all", "publish")
    one_of("control", control, "pair", "joint")
    if columns == "publish":
        if isinstance(dt, xr.Dataset) or is_best(dt):
            raise LeaderbayesError(
                "columns='publish' is of a fit of leaderbayes.fit: rank intervals and letters are "
                "of a posterior of all players."
            )
        return published(dt, leaderboard(dt, prob=prob), prob, control)
    if isinstance(dt, xr.Dataset):
        return table(dt, prob)
    if is_best(dt):
        teams = placed(dt, prob)
        teams.attrs.update(trust(dt))
        return teams
    if is_mean_score(dt):
        board = table_of_scores(dt, prob)
    else:
        board = _table_of_strengths(dt, prob)
    board.attrs.update(trust(dt))
    set_beside(dt, board)
    return board


def _table_of_strengths(dt: xr.DataTree, prob: float) -> pd.DataFrame:
    epp, players = standing_once(dt)
    tails = [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0]
    ranks = ranks_once(dt)
    low, high = np.quantile(epp, tails, axis=0)
    rank_low, rank_high = np.quantile(ranks, tails, axis=0, method="inverted_cdf")
    board = pd.DataFrame(
        {
            "player": players,
            "epp": epp.mean(axis=0),
            "epp_lower": low,
            "epp_upper": high,
            "p_average": _p_average(epp, spread_of(dt)),
            "p_best": (ranks == 1).mean(axis=0),
        }
    ).assign(rank_lower=rank_low.astype(int), rank_upper=rank_high.astype(int))
    board = board.sort_values("epp", ascending=False, kind="stable", ignore_index=True)
    board.insert(6, "rank", np.arange(1, len(board) + 1))
    if is_of_votes(dt):
        board = board.join(votes_by_player(dt), on="player")
        board.attrs["cluster"] = " and ".join(clustered_by(dt)) or "none"
    return board


def _p_average(epp: Floats, spread: Floats | None) -> Floats:
    """Average over draws the probability of beating the average player, (player,)."""
    if spread is None:
        return np.asarray(expit(epp).mean(axis=0))
    # A player's deviation in a new tournament, less the average of all players' there.
    scale = spread[:, None] * np.sqrt(1.0 - 1.0 / epp.shape[1])
    return np.asarray(expit_mean(epp, scale).mean(axis=0))
