"""What the page says of the best of a competition's board."""

from typing import Any

import xarray as xr

from leaderbayes._answers.check import check
from leaderbayes._answers.leaderboard import leaderboard
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import Posterior
from leaderbayes._numerics.decimals import decimals_of_best
from leaderbayes.report._facts import numbers
from leaderbayes.report._page import rows_of
from leaderbayes.report._style import interval, number, probability
from leaderbayes.report._verdicts import settings, verdict_of

_SCALARS = ("theta_sota", "expected_max", "observed_max")


def best(dt: xr.DataTree, prob: float, top: int) -> dict[str, Any]:
    """Describe the posterior of the best theta and of the ``top`` best teams.

    Raises
    ------
    LeaderbayesError
        If it is no posterior of theta.
    """
    from leaderbayes.sota import summary

    post = Posterior(dt)
    if post.parameter != "theta":
        raise LeaderbayesError("sota= takes what leaderbayes.sota.posterior returns.")
    found, table = summary(dt, prob=prob), leaderboard(dt, prob=prob)
    known = numbers(found)
    digits = decimals_of_best(known["theta_sota_lower"], known["theta_sota_upper"])
    wide = ("theta_sota", "max", "law_free")
    ends = {name: interval(known[f"{name}_lower"], known[f"{name}_upper"], digits) for name in wide}
    shown = table.iloc[:top]
    return {
        "size": len(table),
        "model": post.model.name,
        "title": post.model.label,
        "known": known,
        "written": {k: number(known[k], digits) for k in _SCALARS},
        "ends": ends,
        "notes": [found.attrs["law_free"]] if found.attrs["law_free"] else [],
        "check": [
            [
                str(row["statistic"]), number(row["observed"], digits),
                interval(row["lower"], row["upper"], digits), probability(row["p_value"]),
            ]
            for row in check(dt).to_dataframe().reset_index().to_dict("records")
        ],
        "verdict": verdict_of(post),
        "settings": settings(post),
        **rows_of(post, shown, prob, set()),
    }  # fmt: skip
