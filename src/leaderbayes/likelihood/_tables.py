"""Estimates to tables: leaderboard, win probabilities, and the ranking that follows from them."""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, ndtri

from leaderbayes._errors import LeaderbayesError
from leaderbayes._scores.matches import one_tournament
from leaderbayes.likelihood._hypothesis import Convention, pair_differences
from leaderbayes.likelihood._spread import player_errors, require_fitted, trust


def table(estimate: xr.Dataset, prob: float) -> pd.DataFrame:
    """Make the leaderboard of an estimate, with normal intervals."""
    require_fitted(estimate)
    epp = estimate["epp"].to_numpy()
    error = player_errors(estimate) * ndtri((1.0 + prob) / 2.0)
    board = pd.DataFrame(
        {
            "player": estimate["player"].to_numpy(),
            "epp": epp,
            "epp_lower": epp - error,
            "epp_upper": epp + error,
            "p_average": expit(epp),
            # An estimate has no probability of being the best: these belong to the posterior.
            "p_best": np.nan,
        }
    ).sort_values("epp", ascending=False, kind="stable", ignore_index=True)
    board = board.assign(rank=np.arange(1, len(board) + 1), rank_lower=np.nan, rank_upper=np.nan)
    board.attrs.update(trust(estimate))
    return board


def probabilities(estimate: xr.Dataset, prob: float, convention: Convention) -> xr.Dataset:
    """Return win probabilities of an estimate, with intervals."""
    require_fitted(estimate)
    gap, error = pair_differences(estimate, convention)
    error = error * ndtri((1.0 + prob) / 2.0)
    dims = ("player", "opponent")
    players = estimate["player"].to_numpy()
    return xr.Dataset(
        {
            "mean": (dims, expit(gap)),
            "lower": (dims, expit(gap - error)),
            "upper": (dims, expit(gap + error)),
        },
        coords={"player": players, "opponent": players},
        attrs=trust(estimate),
    )


def ranking(
    estimate: xr.Dataset | xr.DataArray, *, scores: xr.DataArray | None = None
) -> pd.DataFrame:
    """Rank players so that each beats all below it with a probability above one half.

    Players that beat one another in a circle share a rank, as do those at exactly one half.

    Parameters
    ----------
    estimate : Dataset or DataArray (player, opponent)
        From `leaderbayes.likelihood`; or the probabilities that the row beats the column, such as
        ``leaderbayes.win_probability(dt)["mean"]`` of a posterior, or that of PMRA with
        ``convention="published"``.
    scores : DataArray (player, round), optional
        To set the ranking beside that by mean scores.

    Returns
    -------
    DataFrame
        ``player``, ``rank`` (1 is best; tied players share the lowest), best first; with scores
        ``mean_score`` and ``mean_rank``.

    Raises
    ------
    LeaderbayesError
        If it is neither; or the probabilities are not a square table of players, or do not add up
        to 1 by pairs.

    References
    ----------
    Gajda, Chlebus (2022), A probability-based models ranking approach, section 3.5.1.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers", "breast_cancer")
    >>> estimate = lb.likelihood.bradley_terry(lb.matches(scores))
    >>> lb.likelihood.ranking(estimate, scores=scores)[["player", "rank", "mean_rank"]].head(3)
             player  rank  mean_rank
    0       svm C=1     1          1
    1  logistic C=1     2          2
    2      svm C=10     3          3
    """
    probability = _won(estimate)
    names = probability["player"].to_numpy()
    square = probability.transpose("player", "opponent").sel(opponent=names).to_numpy()
    if not np.allclose(square + square.T, 1.0, atol=1e-6):
        raise LeaderbayesError("P(i beats j) and P(j beats i) do not add up to 1.")
    ahead = square >= 0.5
    np.fill_diagonal(ahead, False)
    _, group = connected_components(ahead, directed=True, connection="strong")
    # Between groups all edges point one way, so a group stands behind all that beat it.
    beaten_by = (ahead & (group[:, None] != group)).sum(axis=0)
    ranked = pd.DataFrame({"player": names, "rank": beaten_by + 1})
    if scores is not None:
        board = one_tournament(scores).sel(player=names)
        sign = 1.0 if board.attrs.get("higher_is_better", 1) else -1.0
        mean = board.mean("round").to_series()
        mean_rank = (sign * mean).rank(method="min", ascending=False).astype(int)
        ranked = ranked.assign(mean_score=mean.to_numpy(), mean_rank=mean_rank.to_numpy())
    return ranked.sort_values("rank", kind="stable", ignore_index=True)


def _won(estimate: Any) -> xr.DataArray:
    """Return the probabilities (player, opponent) of an estimate, or take them as they are."""
    if isinstance(estimate, xr.Dataset):
        return probabilities(estimate, 0.95, "correct")["mean"]
    if not isinstance(estimate, xr.DataArray) or set(estimate.dims) != {"player", "opponent"}:
        raise LeaderbayesError(
            "Pass an estimate of leaderbayes.likelihood, or probabilities (player, opponent) "
            "such as leaderbayes.win_probability(dt)['mean']."
        )
    return estimate
