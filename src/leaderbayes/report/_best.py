"""What the page says of the best of a competition's board."""

from typing import Any

import xarray as xr

from leaderbayes._answers.check import check
from leaderbayes._answers.completed import board_of, completed
from leaderbayes._answers.leaderboard import leaderboard
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.trust import trust
from leaderbayes._numerics.decimals import decimals_of_best
from leaderbayes.report._boards import Axis, keyed, widest
from leaderbayes.report._style import number
from leaderbayes.report._verdicts import interval, probability, settings, verdict
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
    found = summary(dt, prob=prob)
    dt = completed(dt)
    estimates = {str(name): value.item() for name, value in found.data_vars.items()}
    table = leaderboard(dt, prob=prob)
    shown = table.iloc[:top]
    digits = decimals_of_best(estimates["theta_sota_lower"], estimates["theta_sota_upper"])
    axis = Axis(
        float(min(shown["theta_lower"].min(), shown["score"].min())),
        float(max(shown["theta_upper"].max(), shown["score"].max())),
    )
    rows = [
        {
            **keyed(row),
            "player": str(row["team"]),
            "text": number(row["theta"], digits),
            "interval": interval(row["theta_lower"], row["theta_upper"], digits),
            "scored": number(row["score"], digits),
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
        "widest": widest(rows),
        "zero": axis(estimates["theta_sota"]),
        "summary": _summary(estimates, digits)
        | {"apart": " ".join(filter(None, (found.attrs[k] for k in ("law_free", "middle"))))},
        "check": _check(dt, digits),
        "verdict": verdict(dt.attrs | trust(dt)),
        "settings": _method(dt) + settings({"model": "sota"} | dt.attrs),
    }


def _summary(estimates: dict[str, Any], digits: int) -> dict[str, Any]:
    return {
        "theta": number(estimates["theta_sota"], digits),
        "theta_interval": interval(
            estimates["theta_sota_lower"], estimates["theta_sota_upper"], digits
        ),
        "again": number(estimates["expected_max"], digits),
        "again_interval": interval(estimates["max_lower"], estimates["max_upper"], digits),
        "observed": number(estimates["observed_max"], digits),
        "above": estimates["teams_above"],
        "too_high": estimates["observed_max"] > estimates["theta_sota"],
        "m": estimates["m"],
        "law_free": interval(estimates["law_free_lower"], estimates["law_free_upper"], digits),
    }


def _check(dt: xr.DataTree, digits: int) -> list[dict[str, str]]:
    return [
        {
            "statistic": str(row["statistic"]),
            "observed": number(row["observed"], digits),
            "interval": interval(row["lower"], row["upper"], digits),
            "p_value": probability(row["p_value"]),
        }
        for row in check(dt).to_dataframe().reset_index().to_dict("records")
    ]


def _method(dt: xr.DataTree) -> list[tuple[str, str]]:
    known = board_of(dt).attrs
    errors = ("Standard errors", "those of the board")
    if "n" in known:
        errors = ("Instances of the test set", str(known["n"]))
    return [("Sampler", str(dt.attrs.get("sampler", "PyMC"))), errors]
