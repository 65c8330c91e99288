"""What the page says about a posterior: whether to trust it, and what it was made from."""

import json
from functools import singledispatch
from pathlib import PurePath
from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._answers.blend import blends
from leaderbayes._answers.votes import counted_of, said_of_worth
from leaderbayes._files.printed import probability
from leaderbayes._fits.posterior import Posterior, Strengths, StrengthsOfVotes
from leaderbayes._numerics.diagnostics import MAX_PARETO_K, MAX_RHAT, MIN_ESS
from leaderbayes.report._facts import check_of, is_of_items, tournament_of
from leaderbayes.report._style import amount, number, percent

# What diagnostics are called, their decimals, and what is good.
_DIAGNOSTICS = {
    "max_rhat": ("Largest R-hat", 3, f"below {MAX_RHAT}"),
    "min_ess": ("Smallest effective sample size", 0, f"above {MIN_ESS:.0f}"),
    "divergences": ("Divergent transitions", 0, "none"),
    "pareto_k": ("Pareto k of the importance weights", 2, f"below {MAX_PARETO_K}"),
}

Rows = list[tuple[str, str]]


def verdict(converged: Any, warnings: list[str]) -> dict[str, Any]:
    """Describe whether numbers can be reported: ``kind`` ("good", "care" or "bad") and ``text``."""
    if not converged:
        kind, text = "bad", "The chains did not converge: do not report these numbers."
    elif warnings:
        kind, text = "care", "Converged, with warnings."
    else:
        kind, text = "good", "Converged."
    return {"kind": kind, "text": text, "warnings": warnings}


def verdict_of(post: Posterior) -> dict[str, Any]:
    """Describe the same of a posterior, with its diagnostics: name, value, and what is good."""
    found = post.diagnostics
    facts = [
        (name, number(float(found[key]), digits), good)
        for key, (name, digits, good) in _DIAGNOSTICS.items()
        if key in found and not np.isnan(float(found[key]))
    ]
    return verdict(found["converged"], json.loads(post.trust["warnings"])) | {"facts": facts}


@singledispatch
def goodness(post: Posterior) -> dict[str, Any] | None:
    """Describe the check of fit; None of what is not of matches or votes."""
    return None


@goodness.register
def _of_strengths(post: Strengths) -> dict[str, Any] | None:
    if (found := check_of(post)) is None:
        return None
    if np.isnan(found.p):
        kind, text = "care", "Too few pairs met to check the model."
    elif not found.matters:
        kind, text = "good", "The model describes the results well enough."
    else:
        kind, text = "care", f"Head-to-head results differ from the model by {found.misfit:.2f}."
        if blends(post):
            kind, text = "good", f"{text[:-1]}; win probabilities allow for this."
    return {
        "kind": kind, "text": text, "warnings": [], "value": found.p,
        "misfit": number(found.misfit, 2), "p": "" if np.isnan(found.p) else probability(found.p),
    }  # fmt: skip


def settings(post: Posterior) -> Rows:
    """List what a posterior was made with: model, sampler, options, seed, versions."""
    attrs = post.tree.attrs
    rows = [("Model", post.model.label)]
    if "weight" in post.constant:
        weight = float(post.constant["weight"].mean())
        rows.append((f"Weight of a {post.kind.match}, on average", number(weight, 3)))
    options = json.loads(attrs.get("arguments", "{}"))
    rows += [(name, _written(value)) for name, value in sorted(options.items())]
    if "why_nuts" in attrs:
        rows.append(("Reason for NUTS", str(attrs["why_nuts"])))
    rows += [(name.capitalize(), str(attrs[name])) for name in ("sampler", "seed") if name in attrs]
    if versions := json.loads(attrs.get("versions", "{}")):
        rows.append(("Versions", ", ".join(f"{name} {v}" for name, v in versions.items())))
    return rows


def _written(value: Any) -> str:
    """Write an option: words as they are, all else as JSON."""
    if value is None:
        return "default"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@singledispatch
def data(post: Posterior) -> Rows:
    """Describe what a posterior was made from."""
    scores = post.scores
    if scores is None:
        return [(f"{post.who}s".capitalize(), str(len(post.players)))]
    called = {"round": "item"} if is_of_items(post) else {}
    rows = [
        (f"{called.get(dim, dim)}s".capitalize(), str(scores.sizes[dim]))
        for dim in ("tournament", "player", "round")
        if dim in scores.dims
    ]
    if (tournament := tournament_of(post)) is not None:
        rows.insert(0, ("Tournament", tournament))
    for level in {"cluster", "stratum"} & set(scores.coords):
        rows.append(("Clusters", str(len(np.unique(scores[level])))))
    there = int(scores.notnull().sum())
    rows.append(("Scores", f"{there} of {scores.size}" if there < scores.size else str(there)))
    rows.append(("Better is", "higher" if scores.attrs["higher_is_better"] else "lower"))
    if scores.attrs.get("scheme"):
        rows.append(("Scheme", str(scores.attrs["scheme"])))
    return rows + _source(scores)


@data.register
def _votes(post: StrengthsOfVotes) -> Rows:
    counted = counted_of(post)
    rows = [
        ("Players", str(len(post.players))),
        ("Votes", amount(counted.votes)),
        ("Ties among them", percent(counted.tied / counted.votes) if counted.votes else "0"),
    ]
    for name, known in (("Judges", counted.judges), ("Prompts", counted.prompts)):
        rows.append((name, "unknown" if known is None else amount(known)))
    if counted.both_bad:
        rows.append(("Votes for neither", amount(counted.both_bad)))
    together = " and ".join(counted.clusters) or "nothing"
    rows.append(("Votes depend on each other by", f"{together}; {said_of_worth(counted.worth)}"))
    return rows + _source(post.constant)


def _source(given: xr.DataArray | xr.Dataset) -> Rows:
    """Name the file, without its folder."""
    source = given.attrs.get("source")
    return [("Source", PurePath(str(source)).name)] if source else []
