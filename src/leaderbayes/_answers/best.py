"""Teams of a posterior of the best of a board, and whether the model describes the board."""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.completed import board_of, completed
from leaderbayes._fits.posterior import drawn, refuse
from leaderbayes._numerics.counts import STATISTICS, statistics


def is_best(dt: Any) -> bool:
    """Whether this is a posterior of the best of a board."""
    if not isinstance(dt, xr.DataTree):
        return False
    known = dt["constant_data"] if "constant_data" in dt.children else {}
    by_data = "model" in known and "sota" in np.atleast_1d(known["model"].to_numpy())
    return dt.attrs.get("model") == "sota" or by_data


def placed(dt: xr.DataTree, prob: float = 0.95) -> pd.DataFrame:
    """Rank the teams, as `leaderboard` returns them."""
    dt = completed(dt)
    theta = drawn(dt, "theta").stack(sample=("chain", "draw")).transpose("team", "sample")
    values = theta.to_numpy()
    lower, upper = np.quantile(values, [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0], axis=1)
    best, board = values == values.max(axis=0), board_of(dt)
    if set(theta["team"].to_numpy()) != set(board["team"].to_numpy()):
        raise refuse(dt, "has other teams in posterior/theta than constant_data/score")
    table = pd.DataFrame(
        {
            "team": theta["team"].to_numpy(),
            "score": board.sel(team=theta["team"]).to_numpy(),
            "theta": values.mean(axis=1),
            "theta_lower": lower,
            "theta_upper": upper,
            "p_sota": (values >= float(drawn(dt, "theta_sota").mean())).mean(axis=1),
            # Where teams share a theta, several are the best.
            "p_best": (best / best.sum(axis=0)).mean(axis=1),
        }
    )
    return table.sort_values(["theta", "score"], ascending=False, ignore_index=True)


def compared(dt: xr.DataTree) -> pd.DataFrame:
    """Compare the board with boards of the model, as `check` returns it."""
    dt = completed(dt)
    if "new_score" not in dt["posterior_predictive"]:
        raise refuse(
            dt,
            "has no posterior_predictive/new_score (boards of other teams), which is only drawn "
            "from a P(theta) that leaderbayes knows",
        )
    new = statistics(drawn(dt, "new_score", "posterior_predictive").to_numpy())
    new, board = new.reshape(-1, new.shape[-1]), board_of(dt)
    score = board.to_numpy()
    if board.attrs.get("metric") == "accuracy":
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
