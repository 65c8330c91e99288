"""The one check of a fit that a user gives: nothing absent, foreign or undefined."""

import json
from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.kinds import OF_SCORES, OF_SEVERAL
from leaderbayes._fits.require import require_tree
from leaderbayes._fits.unchanged import once

_REMEDY = "Give what leaderbayes.fit returned, whole, or fit again."
_ROUNDS = ("round", "tournament_round")  # of one tournament, of many
_OF_PAIRS = ({"player", "opponent"}, {"tournament", "player", "opponent"})
# Dimensions of what is read, by group and variable, beside chain and draw; of rounds either name.
_DIMS: dict[tuple[str, str], tuple[set[str], ...]] = {
    ("posterior", "epp"): ({"player"},),
    **{
        ("posterior", name): ({"tournament", "player"},)
        for name in ("epp_tournament", "score_tournament")
    },
    **{
        ("posterior", name): (set(),)
        for name in (
            "epp_scale",
            "epp_spread",
            "intercept",
            "intercept_scale",
            "score_spread",
            "theta_sota",
        )
    },
    ("posterior", "tie"): (set(), {"tie_size"}),
    ("posterior", "score"): ({"player"},),
    **{
        (group, "round_score"): tuple({rounds, "player"} for rounds in _ROUNDS)
        for group in ("posterior_predictive", "observed_data")
    },
    ("log_likelihood", "round_score"): tuple({rounds} for rounds in _ROUNDS),
    ("posterior", "theta"): ({"team"},),
    ("posterior_predictive", "place"): tuple({rounds, "player"} for rounds in _ROUNDS),
    ("posterior_predictive", "outcome"): ({"round", "pair"},),
    **{("posterior_predictive", name): ({"team"},) for name in ("score", "new_score")},
    **{
        ("log_likelihood", name): tuple({rounds} for rounds in _ROUNDS)
        for name in ("place", "outcome")
    },
    ("observed_data", "place"): tuple({rounds, "player"} for rounds in _ROUNDS),
    ("observed_data", "score"): ({"team"},),
    ("constant_data", "scores"): ({"player", "round"}, {"tournament", "player", "round"}),
    ("constant_data", "weight"): (*({rounds} for rounds in _ROUNDS), {"vote"}),
    ("constant_data", "order"): ({"player"},),
    ("constant_data", "spread"): ({"player", "opponent"},),
    # Of votes.
    ("posterior", "effect_size"): ({"effect"},),
    ("posterior_predictive", "wins"): _OF_PAIRS,
    ("posterior_predictive", "misfit"): (set(), {"tournament"}),
    ("log_likelihood", "wins"): (set(),),
    ("observed_data", "wins"): _OF_PAIRS,
    ("observed_data", "misfit"): (set(), {"tournament"}),
    **{("constant_data", name): ({"vote"},) for name in ("first", "second", "outcome")},
    **{("constant_data", name): _OF_PAIRS for name in ("tied", "worth", "effective", "both_bad")},
    ("constant_data", "n"): (*_OF_PAIRS, set()),  # of votes; of the best of a board
}
_DRAWN = ("posterior", "posterior_predictive", "log_likelihood")
# What a group has to hold, of a leaderboard and of a posterior of the best: one of these sets.
_HELD: dict[str, dict[str, tuple[tuple[str, ...], ...]]] = {
    "player": {
        "posterior_predictive": (("place",), ("outcome",), ("wins", "misfit")),
        "log_likelihood": (("place",), ("outcome",), ("wins",)),
        "observed_data": (("place",), ("outcome",), ("wins", "misfit")),
        "constant_data": (("scores", "weight"), ("first", "second", "outcome", "n", "worth")),
    },
    "score": {
        "posterior_predictive": (("round_score",),),
        "log_likelihood": (("round_score",),),
        "observed_data": (("round_score",),),
        "constant_data": (("scores",),),
    },
    "team": {
        "posterior_predictive": (("score", "new_score"),),
        "observed_data": (("score",),),
        "constant_data": (("n",), ("se",)),
    },
}


def _is_number(value: Any) -> bool:
    return isinstance(value, Real | np.bool_) or (
        isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "biuf"
    )


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _from_json(value: Any) -> Any:
    try:
        return json.loads(value)
    except (TypeError, ValueError, RecursionError):
        return None


def _is_object(value: Any) -> bool:
    return isinstance(_from_json(value), dict)


def _is_list(value: Any) -> bool:
    texts = _from_json(value)
    return isinstance(texts, list) and all(isinstance(each, str) for each in texts)


_NUMBERS = (
    "seed", "placed_seed", "weight", "max_rhat", "min_ess", "divergences", "pareto_k", "ess",
    "p_check", "tune",
)  # fmt: skip
_ATTRS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "model": (_is_text, "a name"),
    "converged": (lambda v: _is_number(v) and v in (0, 1), "0 or 1"),
    "warnings": (_is_list, "a JSON list of texts"),
    "arguments": (_is_object, "a JSON object"),
    "versions": (_is_object, "a JSON object"),
    **{name: (_is_text, "a name") for name in ("tournament", "placed", "sampler", "why_nuts")},
    **{name: (_is_number, "a number") for name in _NUMBERS},
}
_SCALES = ("prior_scale", "prior_df", "tie_scale", "spread_scale", "intercept_scale")
_ARGUMENTS: dict[str, Callable[[Any], bool]] = {
    "within_round": lambda v: isinstance(v, bool),
    "ties": lambda v: isinstance(v, str) and v in ("half", "drop", "floor", "loss"),
    "weight": lambda v: v == "composite" or (_is_number(v) and 0.0 < v <= 1.0),
    "test_fraction": lambda v: v is None or (_is_number(v) and 0.0 < v < 1.0),
    **dict.fromkeys(_SCALES, lambda v: _is_number(v) and 0.0 < v < np.inf),
    # Infinite where mean scores have a flat prior.
    "prior_scale": lambda v: _is_number(v) and v > 0.0,
    "sampler": _is_text,
    "tune": lambda v: v is None or _is_number(v),
}


def fitted(
    given: Any,
    *groups: str,
    of: str = "player",
    attrs: tuple[str, ...] = (),
    arguments: tuple[str, ...] = (),
) -> None:
    """Raise unless this is a fit with what is asked for, each part of its kind and size.

    It looks at names and sizes, not at draws: `drawn` does, where they are read.

    Parameters
    ----------
    given : object
        What a user has given.
    *groups : str
        Groups that are needed beside ``posterior``.
    of : {"player", "score", "team"}
        What has strengths: players by their matches, players by their mean scores, or teams of
        `leaderbayes.sota.posterior`.
    attrs : tuple of str
        Attributes that are needed beside ``model``, ``converged`` and ``warnings``; with
        ``constant_data`` also ``arguments``.
    arguments : tuple of str
        Arguments that are needed; with ``constant_data`` also ``within_round`` and ``ties``.

    Raises
    ------
    LeaderbayesError
        Naming the tournament or file where it is known, and what is wrong.
    """
    require_tree(given)
    once(
        given,
        ("fitted", groups, of, attrs, arguments),
        lambda: _check(given, groups, of, attrs, arguments),
    )


def _check(
    given: xr.DataTree,
    groups: tuple[str, ...],
    of: str,
    attrs: tuple[str, ...],
    arguments: tuple[str, ...],
) -> None:
    """Do as `fitted` says."""
    if "posterior" not in given.children:
        raise LeaderbayesError(
            "This is no fit; of a study of many fits pick one, as study['iris']."
        )
    if of == "player" and "epp" not in given["posterior"].dataset.data_vars:
        if is_mean_score(given):
            raise LeaderbayesError(
                f"{_whose(given)} is of mean scores, and this needs strengths in log-odds. Of mean "
                "scores there are leaderboard, compare, rank_probability, p_top, groups, "
                "tied_for_top, win_probability, plan, study.compare, study.average_rank and "
                "reports; fit model='bradley_terry' for the others."
            )
        raise refuse(given, "is no fit of a leaderboard: its posterior has no epp")
    of_data = "constant_data" in groups and of != "team"
    who = "team" if of == "team" else "player"
    read = ("arguments",) if of_data or arguments else ()
    _check_attrs(given, ("model", "converged", "warnings", *read, *attrs))
    names = _names_once(given, "posterior", who)
    _check_group(given, "posterior", _strengths(given, of))
    for group in groups:
        if group not in given.children:
            raise refuse(given, f"has no group {group}")
        inside = given[group].dataset
        choices = _HELD[of][group]
        found = [each for each in choices if set(each) <= set(inside.data_vars)]
        _check_group(given, group, found[0] if found else choices[0])
        if who in inside.dims:
            others = _names_once(given, group, who)
            if names != others:
                odd = str(next(iter(names ^ others)))[:60]
                raise refuse(given, f"has {who} {odd!r} in one of posterior and {group} only")
    _check_arguments(given, (*(("within_round", "ties") if of_data else ()), *arguments))


def is_mean_score(given: Any) -> bool:
    """Say whether this is a fit of mean scores, in the metric's unit, of one tournament or many."""
    return isinstance(given, xr.DataTree) and given.attrs.get("model") in OF_SCORES


def is_of_votes(given: Any) -> bool:
    """Say whether this is a fit of votes, which have no rounds and no scores."""
    return (
        isinstance(given, xr.DataTree)
        and "constant_data" in given.children
        and bool({"first", "second"} & set(given["constant_data"].dataset.data_vars))
    )


def of_rounds(given: Any, what: str) -> None:
    """Raise where a fit is of votes, and what is asked for goes by rounds of scores."""
    if is_of_votes(given):
        raise LeaderbayesError(
            f"{_whose(given)} is of votes, and {what} goes by rounds of scores, which votes do not "
            "have. Of votes there are leaderboard, compare, rank_probability, p_top, groups, "
            "tied_for_top, win_probability, check, plan, influence, reports and figures."
        )


def one_board(dt: xr.DataTree, what: str) -> None:
    """Raise unless a fit of mean scores is over one tournament.

    Parameters
    ----------
    what : str
        What is there of no other, such as "A report".
    """
    _check_attrs(dt, ("model", "arguments"))
    if dt.attrs["model"] in OF_SEVERAL:
        raise LeaderbayesError(
            f"{what} is of mean scores over one tournament, and this fit has "
            f"model={dt.attrs['model']!r}: of it there are leaderboard, compare, rank_probability, "
            "p_top, groups, figures and reports."
        )


def board_fitted(given: Any, *groups: str) -> None:
    """Raise as `fitted`, of players by their matches or by their mean scores."""
    fitted(given, *groups, of="score" if is_mean_score(given) else "player")


def _strengths(dt: xr.DataTree, of: str) -> tuple[str, ...]:
    """Name the variables of the posterior that every answer rests on."""
    if of == "team":
        return "theta", "theta_sota"
    # One tournament that was picked out of many has no spread between them.
    several = dt.attrs["model"] in OF_SEVERAL and "tournament" not in dt.attrs
    if of == "score":
        return ("score", "score_spread") if several else ("score",)
    return ("epp", "epp_spread") if several else ("epp",)


def drawn(dt: xr.DataTree, name: str, group: str = "posterior") -> xr.DataArray:
    """Give a variable (chain, draw, ...) of a fit, all of whose values are finite.

    A part of a store that is lost is read as NaN, and would be the best player of all.

    Raises
    ------
    LeaderbayesError
        If a value is no finite number or cannot be read, or there is no such variable.
    """
    if name not in dt[group].dataset.data_vars:
        raise refuse(dt, f"has no {group}/{name}")
    draws = dt[group].dataset[name].transpose("chain", "draw", ..., missing_dims="ignore")
    try:
        draws = draws.load()
    except Exception as problem:  # of the store, whatever it is: a checksum, a file that is gone
        cause = f"{problem!s:.200}"
        raise refuse(dt, f"has values in {group}/{name} that cannot be read ({cause})") from problem
    values = draws.to_numpy()
    if values.dtype.kind not in "iuf":
        raise refuse(dt, f"has {group}/{name} of dtype {values.dtype}")
    bad = values.size - np.count_nonzero(np.isfinite(values))
    if bad:
        raise refuse(
            dt, f"has {bad} of {values.size} values in {group}/{name} that are no finite numbers"
        )
    return draws


def refuse(dt: xr.DataTree, problem: str) -> LeaderbayesError:
    """Make the error that names the fit, what is wrong with it, and the remedy."""
    return LeaderbayesError(f"{_whose(dt)} {problem}. {_REMEDY}")


def _whose(dt: xr.DataTree) -> str:
    """Name a fit by its file and tournament, where they are known."""
    source, tournament = dt.encoding.get("source"), dt.attrs.get("tournament")
    if tournament is None:
        return "This fit" if source is None else f"{source}: it"
    named = f"fit of tournament {str(tournament)[:60]!r}"
    return f"The {named}" if source is None else f"{source}: the {named}"


def _check_attrs(dt: xr.DataTree, needed: tuple[str, ...]) -> None:
    for name in needed:
        if name not in dt.attrs:
            raise refuse(dt, f"has no attribute {name!r}")
    for name, (is_so, what) in _ATTRS.items():
        if name in dt.attrs and not is_so(dt.attrs[name]):
            raise refuse(dt, f"has the attribute {name}={dt.attrs[name]!r:.60}, and not {what}")


def _check_arguments(dt: xr.DataTree, needed: tuple[str, ...]) -> None:
    if not needed:
        return
    arguments: Mapping[str, Any] = json.loads(dt.attrs["arguments"])
    for name in (*needed, *(name for name in (*_SCALES, "test_fraction") if name in arguments)):
        is_so = _ARGUMENTS.get(name, lambda _: True)
        if name not in arguments or not is_so(arguments[name]):
            raise refuse(dt, f"has the argument {name}={arguments.get(name)!r:.60}")


def _check_group(dt: xr.DataTree, group: str, needed: tuple[str, ...]) -> None:
    """Raise unless its variables are there, with their dimensions, and not empty."""
    inside = dt[group].dataset
    absent = [name for name in needed if name not in inside.data_vars]
    if absent:
        raise refuse(dt, f"has no {group}/{absent[0]}")
    for name, values in inside.data_vars.items():  # of which not all may be needed
        known = _DIMS.get((group, str(name)))
        if known is None:
            continue
        choices = [own | ({"chain", "draw"} if group in _DRAWN else set()) for own in known]
        if set(values.dims) not in choices:
            raise refuse(
                dt,
                f"has {group}/{name} with dimensions ({', '.join(map(str, values.dims))}), and "
                f"not ({', '.join(sorted(choices[0]))})",
            )
        if not values.size:
            raise refuse(dt, f"has an empty {group}/{name}")
        if values.dtype.kind not in ("f" if group == "posterior" else "iuf"):
            raise refuse(dt, f"has {group}/{name} of dtype {values.dtype}")


def _names_once(dt: xr.DataTree, group: str, of: str) -> frozenset[Any]:
    """Read as `_names`, within `unchanged` once a group."""
    return once(dt, ("names", group, of), lambda: _names(dt, group, of))


def _names(dt: xr.DataTree, group: str, of: str) -> frozenset[Any]:
    """Read the names of players or teams, each another."""
    inside = dt[group].dataset
    if of not in inside.coords:
        raise refuse(dt, f"has no names of {of}s in {group}")
    try:
        index = inside.xindexes.get(of)  # which knows already whether names repeat
        names = pd.Index(inside[of].to_numpy()) if index is None else index.to_pandas_index()
        mixed = names.inferred_type.startswith("mixed")  # which no table could sort
        bad = names.has_duplicates or names.hasnans or mixed
    except (TypeError, ValueError):  # no names at all, but lists or tables
        bad = True
    if bad:
        raise refuse(dt, f"has {of}s in {group} that have no name, or the same")
    return frozenset(names)
