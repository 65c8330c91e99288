"""Fit a board again, with other data or settings."""

import warnings
from collections.abc import Sequence
from inspect import signature
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from leaderbayes._arguments import is_list, number, one_of
from leaderbayes._errors import LeaderbayesError, LeaderbayesWarning
from leaderbayes._fits.posterior import Posterior, own_prior
from leaderbayes._scores.matches import listed_positions
from leaderbayes._scores.vote_matches import CLUSTERINGS
from leaderbayes.models._registry import FITTED, data_of, takers_of
from leaderbayes.models._weight import resolve_weight

_SILENT = {"progressbar": False, "replicates": 1}
RULES = ("ties", "weight", "cluster", "prior")
# By what a model is fitted to.
_RULES_OF = {"matches": ("ties", "weight"), "votes": ("ties", "cluster"), "scores": ()}


class Setting(NamedTuple):
    """One setting of a fit; "" if the model has no such option."""

    model: str
    ties: str
    weight: str | float
    cluster: str
    prior: float  # times the model's own scale of the prior
    without: str = ""  # the round, or the judge of votes, that is left out
    part: int = -1  # its position, -1 of none

    def label(self) -> str:
        """Return a label of the setting."""
        said = [self.model]
        for name in ("ties", "weight", "cluster"):
            if (value := getattr(self, name)) != "":
                said.append(f"{name}={value}")
        said += [f"prior x {self.prior:g}"] if self.prior != 1.0 else []
        return ", ".join(said) + (f", without {self.without}" if self.part >= 0 else "")

    def options(self, scale: float | None) -> dict[str, Any]:
        """Return the arguments of `leaderbayes.fit`, from the scale of the base's prior."""
        chosen = {name: getattr(self, name) for name in ("ties", "weight", "cluster")}
        own = signature(FITTED[self.model].build).parameters["prior_scale"].default
        scale = self.prior * (own if scale is None else scale)
        return {k: v for k, v in chosen.items() if v != ""} | {"prior_scale": scale}

    def differs(self, base: "Setting") -> str:
        """Return the only option that differs from the base; "" if none or several do."""
        if self.part >= 0:
            return "part"
        odd = [name for name in RULES if getattr(self, name) != getattr(base, name)]
        if self.model != base.model:
            # The same in what both may choose.
            return "" if any(getattr(self, name) != "" for name in odd) else "model"
        return odd[0] if len(odd) == 1 else ""


def settings_of(board: Any, rounds: bool, **choices: Sequence[Any]) -> list[Setting]:
    """List all settings, the base first; or raise if a choice is no sequence of such values."""
    for name, values in choices.items():
        if not is_list(values) or not len(values):
            raise LeaderbayesError(f"{name}={values!r}: pass a sequence that starts with the base.")
    known = [model.name for model in takers_of(data_of(board))]
    for name in choices["models"]:
        one_of("models", name, *known)
    for rule in choices["ties"]:
        one_of("ties", rule, "half", "drop")
    for each in choices["clusters"]:
        one_of("clusters", each, "auto", "none", *CLUSTERINGS)
    factors = [number("priors", factor, above=0.0) for factor in choices["priors"]]
    every = [
        Setting(name, *rest)
        for name in choices["models"]
        for rest in product(*_own(board, name, choices), factors)
    ]
    every = list(dict.fromkeys(every))
    _, names, which = data_of(board).removable()
    if rounds and len(names) > 2:
        every += [every[0]._replace(without=str(names[k]), part=k) for k in which.tolist()]
    return every


def _own(board: Any, name: str, choices: dict[str, Sequence[Any]]) -> list[Sequence[Any]]:
    """Return the options for ties, weight and cluster that a model has."""
    model = FITTED[name]
    (form,) = {*data_of(board).fits} & {*model.data}
    grouped = any(c in board.coords for c in CLUSTERINGS)
    own = {
        "ties": choices["ties"][: None if data_of(board).tied() else 1],
        "weight": choices["weights"],
        "cluster": choices["clusters"][: None if grouped else 1],
    }
    has = {*_RULES_OF[form]}
    has -= set() if {"half", "drop"} <= {*model.ties} else {"ties"}
    has -= set() if model.weight == "composite" else {"weight"}
    return [values if rule in has else [""] for rule, values in own.items()]


def models_for(board: Any) -> list[str]:
    """Return the models to compare: the first of each parameter, or of one, also that with ties."""
    known = takers_of(data_of(board))
    found = list({m.parameter: m.name for m in reversed(known)}.values())[::-1]
    if len(found) == 1 and data_of(board).tied():
        found.append(next(m.name for m in known if m.tie_parameter))
    return found


def refit(post: Posterior, data: Any, **changes: Any) -> xr.DataTree:
    """Fit the model of a posterior to other data; warnings are only stored in attrs."""
    asked = {"seed": post.seed, **_SILENT, **arguments_of(post), **changes, **post.again(data)}
    return fitted(data, post.model.name, asked)


def fitted(data: Any, model: str, asked: dict[str, Any]) -> xr.DataTree:
    """Fit with arguments and options of the model's own; warnings are only stored in attrs."""
    # By its public name, which is looked up when it is called: some models of it import PyMC.
    import leaderbayes as lb

    named = set(signature(lb.fit).parameters)
    own = {k: v for k, v in asked.items() if k not in named} | asked.get("options", {})
    asked = {k: v for k, v in asked.items() if k in named} | {"options": own}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeaderbayesWarning)
        return lb.fit(data, model, **asked)


def arguments_of(post: Posterior) -> dict[str, Any]:
    """Return the arguments with which a posterior was fitted, as far as they are known."""
    if post.arguments:
        return {name: value for name, value in post.arguments.items() if name not in _SILENT}
    more = len(getattr(post.tree.get("observed_data"), "data_vars", ())) > 1
    if more or own_prior(post) or post.has("epp_group"):
        raise LeaderbayesError(
            f"{post.called} has a prior (no epp_scale, or groups) or observed data that other fits "
            "would not have: fit your own model to the other data, and compare the results."
        )
    options = signature(post.model.build).parameters
    found = {n: post.option(n) for n in options if n != "weight" and post.option(n) is not None}
    if "within_round" in post.constant:
        board = post.matches()
        found |= {"weight": weight_of(post), "ties": str(board.attrs["ties"])}
        found["within_round"] = bool(board.attrs["within_round"])
        listed = np.argsort(np.asarray(board.get("order", ())))
        if "order" in board and (listed != listed_positions(board, None)).any():
            found["order"] = post.players[listed].to_list()
    return found | ({"order_effect": True} if "order" in post.known.get("effect", ()) else {})


def weight_of(post: Posterior) -> Any:
    """Return the option ``weight`` of a model of rounds; where rounds have their own, these."""
    eta, board = post.constant["weight"].to_numpy(), post.matches()
    if post.several or post.varies_by or post.weighing or (eta == 1.0).all():
        return 1.0 if (eta == 1.0).all() else post.model.weight
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeaderbayesWarning)
        composite, full = (
            resolve_weight(board, weight, post.test_fraction, with_ties=post.model.tie_parameter)
            for weight in ("composite", 1.0)
        )
    power, *others = np.unique((eta / full).round(9)).tolist()
    return "composite" if np.allclose(eta, composite) else (power, *others) if others else power


def without(data: Any, by: str, removed: Any) -> Any:
    """Return scores or votes without some rounds, clusters, tournaments, judges or votes."""
    (dim,) = data[by].dims
    return data.isel({dim: ~np.isin(data[by].to_numpy(), removed)})
