"""Teams of a posterior of the best of a board, and whether the model describes the board."""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._fits.posterior import drawn, fitted
from leaderbayes._numerics.counts import STATISTICS, statistics
from leaderbayes._scores.facts import own_n


def is_best(dt: Any) -> bool:
    """Say whether this is a posterior of `leaderbayes.sota.posterior`."""
    return isinstance(dt, xr.DataTree) and dt.attrs.get("model") == "sota"


def require_best(dt: xr.DataTree) -> None:
    """Raise unless a posterior of the best is whole."""
    fitted(dt, "observed_data", "posterior_predictive", of="team", attrs=("sampler",))


def placed(dt: xr.DataTree, prob: float = 0.95) -> pd.DataFrame:
    """Rank the teams as `leaderboard` does, of a posterior that need not be finished yet."""
    theta = drawn(dt, "theta").stack(sample=("chain", "draw")).transpose("team", "sample")
    values = theta.to_numpy()
    lower, upper = np.quantile(values, [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0], axis=1)
    best = values == values.max(axis=0)
    table = pd.DataFrame(
        {
            "team": theta["team"].to_numpy(),
            "score": drawn(dt, "score", "observed_data").sel(team=theta["team"]).to_numpy(),
            "theta": values.mean(axis=1),
            "theta_lower": lower,
            "theta_upper": upper,
            "p_sota": (values >= float(drawn(dt, "theta_sota").mean())).mean(axis=1),
            # Laws with atoms have several best.
            "p_best": (best / best.sum(axis=0)).mean(axis=1),
        }
    )
    return table.sort_values(["theta", "score"], ascending=False, ignore_index=True)


def compared(dt: xr.DataTree) -> pd.DataFrame:
    """Compare the board as `check` does, of a posterior that need not be finished yet."""
    new = statistics(drawn(dt, "new_score", "posterior_predictive").to_numpy())
    new = new.reshape(-1, new.shape[-1])
    board = drawn(dt, "score", "observed_data")
    score = board.to_numpy()
    if board.attrs.get("metric") == "accuracy" and "n" in board.attrs and own_n(board) is None:
        # As the model has them: 373 of 374, printed as 0.99733, is no more than that.
        score = np.round(score * board.attrs["n"]) / board.attrs["n"]
    seen = statistics(score)
    # Ties count half: scores are multiples of 1 / n, and quantiles of them but for rounding errors.
    tied = np.isclose(new, seen, rtol=1e-12, atol=0.0)
    above = np.where(tied, 0.5, new > seen).mean(axis=0)
    lower, upper = np.quantile(new, [0.025, 0.975], axis=0)
    return pd.DataFrame(
        {
            "observed": seen,
            "lower": lower,
            "upper": upper,
            "p_value": np.minimum(2.0 * np.minimum(above, 1.0 - above), 1.0),
        },
        index=pd.Index(STATISTICS, name="statistic"),
    )
