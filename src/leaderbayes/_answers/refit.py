"""Fit again: the model of a posterior on other data, by the options that it was fitted with."""

import warnings
from inspect import signature
from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._errors import LeaderbayesWarning
from leaderbayes._fits.posterior import Posterior

_SILENT = {"progressbar": False, "replicates": 1}


def refit(post: Posterior, data: Any, **changes: Any) -> xr.DataTree:
    """Fit the model of a posterior to these data; what it warns of is in attrs alone.

    Raises
    ------
    LeaderbayesError
        If they cannot be fitted.
    """
    # By its public name, which is looked up when it is called: some models of it import PyMC.
    import leaderbayes as lb

    asked = {"seed": post.seed, **_SILENT, **arguments_of(post), **changes}
    if post.parameter == "score" and "cluster" in data.coords:
        asked["cluster"] = "new"  # of fewer, too
    named = set(signature(lb.fit).parameters)
    asked["options"] = {k: asked.pop(k) for k in list(asked) if k not in named}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeaderbayesWarning)
        return lb.fit(data, post.model.name, **asked)


def arguments_of(post: Posterior) -> dict[str, Any]:
    """Return the arguments that a posterior was fitted by, as far as it tells.

    One of ``pm.sample`` tells the options that are numbers; its weight is 1 or the model's own.
    """
    if post.arguments:
        return {name: value for name, value in post.arguments.items() if name not in _SILENT}
    options = signature(post.model.build).parameters
    found = {n: post.option(n) for n in options if n != "weight" and post.option(n) is not None}
    if "weight" in options and bool((post.constant["weight"] == 1.0).all()):
        found["weight"] = 1.0
    if "within_round" in post.constant:
        attrs = post.matches(post.players[:2].to_list()).attrs
        found |= {"within_round": bool(attrs["within_round"]), "ties": str(attrs["ties"])}
    return found


def without(data: Any, by: str, removed: Any) -> Any:
    """Return scores or votes without some rounds, clusters, tournaments, judges, votes."""
    if by == "vote":
        return data.isel(vote=~np.isin(np.arange(data.sizes["vote"]), removed))
    (dim,) = data[by].dims
    return data.isel({dim: ~np.isin(data[by].to_numpy(), removed)})
