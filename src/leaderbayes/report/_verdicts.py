"""Numbers and verdicts in words, the same in every section of the page."""

import json
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._fits.kinds import OF_SEVERAL
from leaderbayes._inference.diagnostics import MAX_RHAT, MIN_ESS
from leaderbayes.report._style import number

_WITHOUT_STEPS = ("laplace", "exact", "imputation")


def interval(low: float, high: float, digits: int = 2) -> str:
    """Write an interval."""
    return f"{number(low, digits)} to {number(high, digits)}"


def probability(p: float) -> str:
    """Write a probability; what rounds to 0 or 1 is neither."""
    if p < 0.005:
        return "<0.01"
    return ">0.99" if p > 0.995 else f"{p:.2f}"


def span(low: int, high: int) -> str:
    """Write a range of whole numbers."""
    return str(low) if low == high else f"{low}–{high}"


def verdict(attrs: Mapping[Any, Any], checked: str | None = None) -> dict[str, Any]:
    """Say of a fit, or of a posterior of the best, whether its numbers can be reported.

    ``checked`` is what the check of fit says, "good", "care" or "bad"; it is good only where that
    is, or where there is none.

    Returns
    -------
    dict
        ``kind`` ("good", "care" or "bad"), ``text`` (a plain sentence), ``facts`` (diagnostics:
        name, value, what is good), ``warnings``.
    """
    warnings = json.loads(attrs["warnings"])
    if not attrs["converged"]:
        kind, text = "bad", "Not converged: do not report these numbers."
    elif checked == "bad":
        kind, text = "care", "Converged, but the model does not describe this board."
    elif warnings:
        kind, text = "care", "Converged, with warnings to heed before reporting these numbers."
    elif checked == "care":
        kind, text = "care", "Converged; the board varies less than the model says it would."
    else:
        kind, text = "good", "Converged: these numbers can be reported."
    return {"kind": kind, "text": text, "facts": list(_facts(attrs)), "warnings": warnings}


def _facts(attrs: Mapping[Any, Any]) -> list[tuple[str, str, str]]:
    known = {
        "max_rhat": ("Largest R-hat", 3, f"below {MAX_RHAT}" if "min_ess" in attrs else ""),
        "min_ess": ("Smallest effective sample size", 0, f"above {MIN_ESS:.0f}"),
        "divergences": ("Divergent transitions", 0, "none"),
        "pareto_k": ("Pareto k of the importance weights", 2, "below 0.7"),
        "ess": ("Effective sample size", 0, ""),
    }
    return [
        (name, number(float(attrs[key]), digits), good)
        for key, (name, digits, good) in known.items()
        # Only NUTS has transitions that diverge.
        if key in attrs and not np.isnan(float(attrs[key]))
        if key != "divergences" or attrs.get("sampler") not in _WITHOUT_STEPS
    ]


def settings(attrs: Mapping[Any, Any]) -> list[tuple[str, str]]:
    """List what a fit was made with: model, arguments, seed, versions."""
    rows = [("Model", str(attrs["model"]))]
    if "weight" in attrs:
        what = "vote" if "order_effect" in _arguments(attrs) else "match"
        rows.append((f"Weight of a {what}", number(float(attrs["weight"]), 3)))
    arguments = _arguments(attrs)
    if "order_effect" in arguments:  # of votes, which have no rounds
        arguments.pop("within_round", None)
    if arguments.get("test_fraction") and attrs["model"] not in OF_SEVERAL:
        about = "fresh data sets of this size from the same population, not further splits of this"
        rows.append(("Intervals are about", about))
    rows += [(name, _written(value)) for name, value in sorted(arguments.items())]
    if "why_nuts" in attrs:
        rows.append(("NUTS in place of Laplace's proposals", str(attrs["why_nuts"])))
    if "seed" in attrs:
        rows.append(("Seed", str(attrs["seed"])))
    versions = json.loads(attrs.get("versions", "{}"))
    if versions:
        rows.append(("Versions", ", ".join(f"{name} {v}" for name, v in versions.items())))
    return rows


def _written(value: Any) -> str:
    """Write an argument: words as they are, all else as JSON."""
    if value is None:
        return "default"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _arguments(attrs: Mapping[Any, Any]) -> dict[str, Any]:
    arguments: dict[str, Any] = json.loads(attrs.get("arguments", "{}"))
    return arguments


def data(scores: xr.DataArray, *, items: bool = False) -> list[tuple[str, str]]:
    """Describe scores (player, round) or (tournament, player, round), whose rounds may be items."""
    called = {"round": "item"} if items else {}
    rows = [
        (f"{called.get(dim, dim)}s".capitalize(), str(scores.sizes[dim]))
        for dim in ("tournament", "player", "round")
        if dim in scores.dims
    ]
    if scores.attrs.get("tournament"):
        rows.insert(0, ("Tournament", str(scores.attrs["tournament"])))
    if items and "cluster" in scores.coords:
        rows.append(("Clusters", str(len(np.unique(scores["cluster"])))))
    there = int(scores.notnull().sum())
    rows.append(("Scores", f"{there} of {scores.size}" if there < scores.size else str(there)))
    rows.append(("Better is", "higher" if scores.attrs.get("higher_is_better", 1) else "lower"))
    if scores.attrs.get("scheme"):
        rows.append(("What plays", str(scores.attrs["scheme"])))
    if scores.attrs.get("source"):
        # Folders are nobody's business.
        rows.append(("Source", PurePath(str(scores.attrs["source"])).name))
    return rows
