"""What the page says of the best of a competition's board."""

from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._answers.best import is_best as is_best
from leaderbayes._answers.check import check
from leaderbayes._answers.leaderboard import leaderboard
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import fitted
from leaderbayes.report._boards import Axis, keyed
from leaderbayes.report._verdicts import interval, number, probability, settings, verdict
from leaderbayes.sota._summary import summary


def best(dt: xr.DataTree, prob: float, top: int) -> dict[str, Any]:
    """Describe the posterior of the best theta and of the ``top`` best teams.

    Raises
    ------
    LeaderbayesError
        If the DataTree is another model's.
    """
    if not isinstance(dt, xr.DataTree):
        raise LeaderbayesError("sota: give what leaderbayes.sota.posterior returns.")
    found, table = summary(dt, prob=prob), leaderboard(dt, prob=prob)
    fitted(dt, "constant_data", of="team")
    shown = table.iloc[:top]
    axis = Axis(
        float(min(shown["theta_lower"].min(), shown["score"].min())),
        float(max(shown["theta_upper"].max(), shown["score"].max())),
    )
    rows = [
        {
            **keyed(row),
            "player": str(row["team"]),
            "text": number(row["theta"], 4),
            "interval": interval(row["theta_lower"], row["theta_upper"], 4),
            "as_good": probability(row["p_sota"]),
            "best": probability(row["p_best"]),
            "at": axis(row["theta"]),
            "outer": (axis(row["theta_lower"]), axis(row["theta_upper"])),
            "score_at": axis(row["score"]),
        }
        for row in shown.to_dict("records")
    ]
    return {
        "size": len(table),
        "rows": rows,
        "ticks": axis.ticks(),
        "zero": axis(float(found["theta_sota"])),
        "summary": _summary(found),
        "check": _check(dt),
        "verdict": verdict(dt.attrs),
        "settings": _method(dt) + settings(dt.attrs),
    }


def _summary(found: xr.Dataset) -> dict[str, Any]:
    return {
        "theta": number(float(found["theta_sota"]), 4),
        "theta_interval": interval(
            float(found["theta_sota_lower"]), float(found["theta_sota_upper"]), 4
        ),
        "again": number(float(found["expected_max"]), 4),
        "again_interval": interval(float(found["max_lower"]), float(found["max_upper"]), 4),
        "observed": number(float(found["observed_max"]), 4),
        "above": int(found["teams_above"]),
        "too_high": float(found["observed_max"]) > float(found["theta_sota"]),
        "m": int(found["m"]),
    }


def _check(dt: xr.DataTree) -> list[dict[str, str]]:
    return [
        {
            "statistic": str(row["statistic"]),
            "observed": number(row["observed"], 4),
            "interval": interval(row["lower"], row["upper"], 4),
            "p_value": probability(row["p_value"]),
        }
        for row in check(dt).to_dataframe().reset_index().to_dict("records")
    ]


def _method(dt: xr.DataTree) -> list[tuple[str, str]]:
    known = dt["constant_data"]
    size = (
        ("Instances of the test set", str(int(np.max(known["n"]))))
        if "n" in known
        else ("Standard errors", "those of the board")
    )
    return [("Sampler", str(dt.attrs["sampler"])), size]
