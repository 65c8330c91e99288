"""What the page says of how a board fits: the check, and what to do where strengths fail."""

from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._answers.deviance import deviance
from leaderbayes._answers.draws import seed_of
from leaderbayes._fits.posterior import is_of_votes
from leaderbayes._inference.discrepancy import (
    MISFIT,
    against,
    discrepancies,
    histogram,
    share_as_far,
)
from leaderbayes.report._style import number
from leaderbayes.report._verdicts import probability

# Of votes alone is there no p-value although there are replicates.
UNCHECKED = "so few pairs met that strengths describe any votes on them"
_SAID = {
    "bad": "The board does not fit: replicates of it vary less than it does.",
    "care": "The board varies less than the model says it would.",
    "good": "No sign of misfit: replicates of the board vary as much as it does.",
}
_DRAWN = 30  # draws of each of many boards in the chart


def checked_fit(fit: xr.DataTree, draws: int, *, many: bool) -> xr.Dataset:
    """Check the fit as `check` does, without naming pairs that do not fit.

    Of many boards by replicates of whole rounds alone: the p-value is the fit's own, where it has
    one, and few of its draws are drawn.
    """
    rng = None if many else np.random.default_rng(seed_of(fit))
    own = float(fit.attrs.get("p_check", np.nan)) if many else np.nan
    taken = draws if np.isnan(own) else min(draws, _DRAWN)
    observed, by_round, naive = discrepancies(fit, taken, rng)
    replicates = fit["posterior_predictive"].sizes
    return xr.Dataset(
        {
            "observed": ("draw", observed),
            "replicated_round": ("draw", by_round),
            "p_round": share_as_far(observed, by_round) if np.isnan(own) else own,
            "p_naive": share_as_far(observed, naive),
        },
        # Behind the p-value.
        attrs={"draws": min(draws, replicates["chain"] * replicates["draw"])},
    )


def kind_of(p: float) -> str:
    """Say what a p-value of the check is: "good", "care" or "bad"."""
    if p < MISFIT:
        return "bad"
    return "care" if p > 1.0 - MISFIT else "good"


def goodness(fit: xr.DataTree, checked: xr.Dataset) -> dict[str, Any]:
    """Give the deviance, and the check of fit, in numbers and words."""
    p, distance = float(checked["p_round"]), deviance(fit)
    if np.isnan(p):
        kind, text = "care", f"Nothing can be checked: {UNCHECKED}."
    else:
        kind = kind_of(p)
        text = _SAID[kind]
    chi_square = float(distance["p_value"])
    return {
        "kind": kind,
        "text": text,
        "known": not np.isnan(p),
        "p_round": "none" if np.isnan(p) else probability(p),
        "p_naive": "" if np.isnan(checked["p_naive"]) else probability(float(checked["p_naive"])),
        # Of votes the board's distance is the same in all draws: there is nothing to draw.
        "drawn": not is_of_votes(fit),
        "advice": _advice(fit) if kind == "bad" else [],
        "deviance": number(float(distance["value"]), 1),
        "df": int(distance["df"]),
        "p_value": "" if np.isnan(chi_square) else probability(chi_square),
        "draws": checked.attrs["draws"],
    }


def _advice(fit: xr.DataTree) -> list[str]:
    """Say what to do where strengths do not describe the board."""
    of_votes = is_of_votes(fit)
    own = "votes" if of_votes else "matches"
    pairs = [
        f"For a pair, go by its own {own}: Compare two gives them, and "
        'leaderbayes.win_probability(fit, by="record") those of all pairs.',
        "See which pairs do not fit: leaderbayes.plots.record(fit) draws them, "
        "leaderbayes.check(fit) names the players.",
    ]
    kinds = "judges or prompts" if of_votes else "rounds"
    last = f"Look whether {kinds} of several kinds are on one board, and fit each kind by itself"
    if not of_votes:
        last += '; or ask by how much: leaderbayes.fit(scores, "mean_score") has no strengths'
    return [
        *([] if "epp_tournament" in fit["posterior"] else pairs),
        "Read the probability of being best, ranks and groups with care.",
        f"{last}.",
    ]


def bars(checked: xr.Dataset) -> dict[str, Any]:
    """Give the chart of the check to the page's script: the board's line, and replicates' bars.

    No bars where there is no check.
    """
    observed, again = (checked[name].to_numpy() for name in ("observed", "replicated_round"))
    if not np.isfinite(observed).all():
        return {"line": None, "less": False, "edges": [], "bars": []}
    own, values = against(observed, again)
    ends = min(own, values.min()), max(own, values.max())
    counts, edges = histogram(values, ends)
    return {
        "line": float(f"{own:.4g}"),
        "less": bool(own != observed[0]),
        "edges": [float(f"{edge:.4g}") for edge in edges],
        "bars": counts.tolist(),
    }
