"""Answers from a posterior of mean scores, in the metric's own unit."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import ndtr

from leaderbayes._answers.draws import by_mean, scores_of, sign_of
from leaderbayes._answers.new_data_set import compared_on_new, law_of_new
from leaderbayes._answers.ranks import ranks_of
from leaderbayes._fits.posterior import drawn
from leaderbayes._numerics.decimals import decimals
from leaderbayes._scores.hints import is_right_or_wrong
from leaderbayes._types import Floats


def table_of_scores(dt: xr.DataTree, prob: float) -> pd.DataFrame:
    """Rank the players as `leaderboard` does, by their mean scores."""
    score, players = scores_of(dt)
    standing = sign_of(dt) * score
    ranks = ranks_of(standing)
    order = by_mean(standing)
    behind = score - score[:, order[:1]]
    tails = [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0]
    low, high = np.quantile(score, tails, axis=0)
    away_low, away_high = np.quantile(behind, tails, axis=0)
    rank_low, rank_high = np.quantile(ranks, tails, axis=0, method="inverted_cdf")
    table = pd.DataFrame(
        {
            "player": players,
            "score": score.mean(axis=0),
            "score_lower": low,
            "score_upper": high,
            "difference": behind.mean(axis=0),
            "difference_lower": away_low,
            "difference_upper": away_high,
            "p_best": (ranks == 1).mean(axis=0),
        }
    ).assign(rank_lower=rank_low.astype(int), rank_upper=rank_high.astype(int))
    table = table.iloc[order].reset_index(drop=True)
    table.insert(8, "rank", np.arange(1, len(table) + 1))
    return table


def compared_scores(
    dt: xr.DataTree, first: int, second: int, rope: float | None, prob: float
) -> dict[str, float]:
    """Compare two players (positions) as `compare` does, in the metric's unit."""
    score, _ = scores_of(dt)
    gap = score[:, first] - score[:, second]
    ahead = sign_of(dt) * gap
    means = with_ends({"difference": gap}, prob)
    if (law := law_of_new(dt)) is not None:
        spread, ratio = law
        return means | compared_on_new(gap, sign_of(dt), spread * ratio[first, second], rope, prob)
    equivalent = np.abs(gap) <= rope if rope is not None else np.zeros(len(gap), bool)
    return {
        **means,
        "p_better": float(((ahead > 0.0) & ~equivalent).mean()),
        "p_equivalent": float(equivalent.mean()),
        "p_worse": float(((ahead <= 0.0) & ~equivalent).mean()),
        **_effect_sizes(dt, gap, [first, second], prob),
    }


def _effect_sizes(dt: xr.DataTree, gap: Floats, pair: list[int], prob: float) -> dict[str, float]:
    """Give Cohen's d and Cliff's delta of two players, whose difference is gap (sample,).

    Where it is known how scores vary between rounds: by the model's variances, or because scores
    are right or wrong.
    """
    scores = dt["constant_data"].dataset["scores"]
    if "noise" in dt["posterior"].data_vars:
        noise = drawn(dt, "noise").transpose("chain", "draw", "player").to_numpy()
        variance = noise.reshape(-1, noise.shape[-1])[:, pair] ** 2
        # Of two scores of rounds that need not be the same.
        delta = 2.0 * ndtr(gap / np.sqrt(variance.sum(axis=1))) - 1.0
    elif "of" not in scores.attrs and is_right_or_wrong(scores):
        low, high = float(scores.min()), float(scores.max())
        right = (scores_of(dt)[0][:, pair] - low) / (high - low)
        variance = right * (1.0 - right) * (high - low) ** 2
        delta = gap / (high - low)
    else:
        return {}
    return with_ends({"cohen_d": gap / np.sqrt(variance.mean(axis=1)), "cliff_delta": delta}, prob)


def with_ends(draws: Mapping[str, Floats], prob: float) -> dict[str, float]:
    """Give means of draws (sample,) by their names, with the ends of their intervals."""
    tails = [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0]
    return {
        name + end: float(value)
        for name, values in draws.items()
        for end, value in zip(
            ("", "_lower", "_upper"), (values.mean(), *np.quantile(values, tails)), strict=True
        )
    }


def decimals_of(table: pd.DataFrame) -> tuple[int, int]:
    """Count the decimals to show of a table of `table_of_scores`: of scores, of differences.

    Differences have as many as scores, or more.
    """
    behind = table.iloc[1:]
    digits = decimals(table["score_upper"] - table["score_lower"])
    apart = decimals(behind["difference_upper"] - behind["difference_lower"])
    return digits, max(digits, apart)


def differences(dt: xr.DataTree, players: Sequence[str], prob: float) -> xr.Dataset:
    """Give the difference of each pair, the row's score less the column's, in the metric's unit.

    Returns
    -------
    Dataset
        ``mean``, ``lower``, ``upper`` (player, opponent).
    """
    every, names = scores_of(dt)
    score = every[:, names.get_indexer(pd.Index(players))]
    tails = [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0]
    m = score.shape[1]
    lower, upper = np.zeros((2, m, m))
    for i in range(m - 1):
        low, high = np.quantile(score[:, i : i + 1] - score[:, i + 1 :], tails, axis=0)
        lower[i, i + 1 :], upper[i, i + 1 :] = low, high
        lower[i + 1 :, i], upper[i + 1 :, i] = -high, -low
    mean = score.mean(axis=0)
    values = {"mean": mean[:, None] - mean, "lower": lower, "upper": upper}
    return xr.Dataset(
        {name: (("player", "opponent"), value) for name, value in values.items()},
        coords={"player": list(players), "opponent": list(players)},
    )
