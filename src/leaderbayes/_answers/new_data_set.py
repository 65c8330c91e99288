"""Answers on a new data set, from mean scores over several."""

import numpy as np
import xarray as xr
from scipy.special import ndtr, ndtri

from leaderbayes._answers.draws import scores_of, sign_of
from leaderbayes._fits.posterior import drawn
from leaderbayes._types import Floats

# Draws of all pairs, in some seconds.
_PAIR_VALUES = 40_000_000
_NORMAL = ndtri((np.arange(99) + 0.5) / 99.0)  # of a draw's differences on new data sets


def compared_on_new(
    gap: Floats, sign: float, scale: Floats, rope: float | None, prob: float
) -> dict[str, float]:
    """Compare two players, whose means differ by gap (sample,), on a new data set.

    Parameters
    ----------
    scale : (sample,)
        Standard deviation of their difference between data sets.
    """
    far, ahead = 0.0 if rope is None else rope, sign * gap
    better, worse = (float(ndtr((side * ahead - far) / scale).mean()) for side in (1.0, -1.0))
    new = gap[:, None] + scale[:, None] * _NORMAL
    low, high = np.quantile(new, [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0])
    return {
        "mean_better": float((ahead > 0.0).mean()),
        "new_lower": float(low),
        "new_upper": float(high),
        "p_better": better,
        "p_equivalent": max(1.0 - better - worse, 0.0) if far > 0.0 else 0.0,
        "p_worse": worse,
    }


def law_of_new(dt: xr.DataTree) -> tuple[Floats, Floats] | None:
    """Read the spread of differences between data sets, if the fit is of several.

    Of a usual pair (sample,), and by what each pair's is more (player, player).
    """
    if "score_spread" not in dt["posterior"]:
        return None
    ratio = dt["constant_data"].dataset["spread"].transpose("player", "opponent").to_numpy()
    return np.sqrt(2.0) * drawn(dt, "score_spread").to_numpy().reshape(-1), ratio


def better_on_new(dt: xr.DataTree, prob: float) -> tuple[Floats, Floats, Floats, int]:
    """Return P(row is better than column) on a new data set, (player, opponent), and draws used.

    Mean over the draws, and their lower and upper quantile.
    """
    score, _ = scores_of(dt)
    law = law_of_new(dt)
    assert law is not None
    standing = sign_of(dt) * score
    m = standing.shape[1]
    used = int(np.clip(_PAIR_VALUES // m**2, min(200, len(score)), len(score)))
    picked = np.linspace(0, len(score) - 1, used).astype(int)
    tails = [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0]
    mean, low, high = np.full((3, m, m), 0.5)
    for i in range(m):
        others = np.arange(m) != i
        gap = standing[picked, i : i + 1] - standing[picked][:, others]
        better = ndtr(gap / (law[0][picked, None] * law[1][i, others]))
        low[i, others], high[i, others] = np.quantile(better, tails, axis=0)
        mean[i, others] = better.mean(axis=0)
    return mean, low, high, used
