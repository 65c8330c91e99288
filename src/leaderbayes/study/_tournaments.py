"""Tournaments of a study, or of one fit of several."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import OfTournaments, Posterior, Strengths
from leaderbayes._scores.tables import suggest
from leaderbayes._types import Bools
from leaderbayes.models._registry import first_of

# Groups that answers read, beside replicates.
_NEEDED = ("posterior", "sample_stats", "observed_data", "constant_data")


def select(study: xr.DataTree, tournament: str) -> xr.DataTree:
    """Return one tournament of a study, or of a fit of several as if it had been fitted alone.

    Parameters
    ----------
    study : DataTree
        From `study.fit`, or a posterior of a model of several tournaments.
    tournament : str
        Name of the tournament.

    Returns
    -------
    DataTree
        The tournament's own fit. From a fit of several: its groups with this tournament's players
        and rounds alone, which tables, checks and plots take as any posterior; `loo` does not.

    Raises
    ------
    LeaderbayesError
        If it is not about several tournaments, or has none of this name.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers").sel(tournament=["iris", "wine"])
    >>> study = lb.study.fit(scores, store="study", seed=1, progressbar=False)
    >>> dt = lb.study.select(study, "iris")
    >>> lb.leaderboard(dt)["player"].head(2).tolist()
    ['logistic C=100', 'svm C=1']
    """
    names = tournaments_of(study)
    if tournament not in names:
        raise LeaderbayesError(f"no tournament {tournament!r:.60}; {suggest(tournament, names)}")
    if "posterior" not in study.children:
        return list(study.children.values())[names.index(tournament)]
    return _part(OfTournaments.of(study, ""), tournament)


def _part(every: OfTournaments, tournament: str) -> xr.DataTree:
    """Take one tournament out of a posterior of several."""
    name = every.parameter
    of = every.round_of[every.round_of >= 0]
    own = of == [*every.tournaments].index(tournament)
    here = _present(every.group("observed_data").sel(player=every.players), own)
    of_one = first_of(name, several=False)

    def part(group: str) -> xr.Dataset:
        inside = every.group(group)
        # Scores have the rounds of all tournaments.
        inside = inside.drop_dims(["round", "opponent"], errors="ignore")
        if "tournament_round" in inside.dims:
            rounds = inside["tournament_round"].to_numpy()[own]
            plain = [str(k).removeprefix(f"{tournament}: ") for k in rounds]
            inside = inside.isel(tournament_round=own).rename(tournament_round="round")
            inside = inside.assign_coords(round=plain)
        found: xr.Dataset = _of(inside, tournament)
        return found.sel(player=every.players[here])

    drawn = part("posterior")[[f"{name}_tournament"]].rename({f"{name}_tournament": name})
    constant = part("constant_data").drop_vars("tournament_of_round", errors="ignore")
    constant = constant.assign_coords(model=[of_one.name])
    if every.scores is not None:
        scores = _of(every.scores, tournament).dropna("round", how="all")
        constant["scores"] = scores.sel(player=every.players[here])
    groups = {"posterior": drawn, "observed_data": part("observed_data"), "constant_data": constant}
    if "posterior_predictive" in every.tree.children:
        groups["posterior_predictive"] = part("posterior_predictive")
    tree = xr.DataTree.from_dict(groups)
    # The check of fit is of all tournaments, and not of this one.
    kept = {k: v for k, v in every.tree.attrs.items() if k not in ("model", "p_check")}
    tree.attrs = kept | {"tournament": tournament}
    return tree


def _of(values: Any, tournament: str) -> Any:
    """Take the part of one tournament, where there are several."""
    if "tournament" not in values.dims:
        return values
    at = [str(name) for name in values["tournament"].to_numpy()].index(tournament)
    return values.isel(tournament=at, drop=True)


def _present(observed: xr.Dataset, own: Bools) -> Bools:
    """Which players have a place or a score in a tournament's rounds."""
    (values,) = observed.data_vars.values()
    rows = values.transpose("tournament_round", "player").to_numpy()[own]
    there = rows > 0 if rows.dtype.kind in "iu" else np.isfinite(rows)
    return np.asarray(there.any(axis=0))


def tournaments_of(study: xr.DataTree) -> list[str]:
    """List the names of the tournaments of a study, or of a fit of several."""
    if not isinstance(study, xr.DataTree):
        raise LeaderbayesError(
            f"This takes a study from leaderbayes.study.fit, not {type(study).__name__}."
        )
    if "posterior" in study.children:
        otherwise = "is about one tournament: use a study, or a model of several tournaments."
        return list(OfTournaments.of(study, f"{{called}} {otherwise}").tournaments)
    if not study.children:
        raise LeaderbayesError("The study has no tournaments: use one with a fit for each.")
    for name, fit in study.children.items():
        if "posterior" not in fit.children:
            raise LeaderbayesError(f"{name!r} in the study is not a fit (no group posterior).")
    # A name with a slash cannot be a node's: the attribute holds the real one.
    names = [str(fit.attrs.get("tournament", name)) for name, fit in study.children.items()]
    again = pd.Index(names).duplicated()
    if again.any():
        raise LeaderbayesError(
            f"The study has tournament {names[again.argmax()]!r} twice: change the attribute "
            "'tournament' of one fit."
        )
    return names


def fits_of(study: xr.DataTree) -> Iterator[tuple[str, xr.DataTree]]:
    """Yield each tournament's name and fit, of a study or of a fit of several."""
    names = tournaments_of(study)
    if "posterior" not in study.children:
        yield from zip(names, study.children.values(), strict=True)
        return
    every = OfTournaments.of(study, "")
    yield from ((name, _part(every, name)) for name in names)


class Study(NamedTuple):
    """Posteriors by tournament, and the attrs that say whether they converged."""

    fits: dict[str, Posterior]
    trust: dict[str, Any]


def read_study(study: xr.DataTree, *, in_log_odds: bool = False, load: bool = False) -> Study:
    """Read each tournament's posterior, all of them of strengths if log-odds are needed.

    With ``load`` what answers need is in memory, else values of a store are read at each use.
    """
    needed = Strengths if in_log_odds else Posterior
    otherwise = (
        "Tournament {name} has mean scores, but this needs log-odds: compare ranks with "
        "leaderbayes.study.average(study, of='rank')."
    )
    each = ((name, _loaded(fit) if load else fit) for name, fit in fits_of(study))
    fits = {name: needed.of(fit, otherwise, name=repr(name[:60])) for name, fit in each}
    if "posterior" in study.children:
        return Study(fits, Posterior(study).trust)
    texts = [
        f"tournament {name!r}: {text}"
        for name, fit in fits.items()
        for text in json.loads(fit.trust["warnings"])
    ]
    converged = min(fit.trust["converged"] for fit in fits.values())
    return Study(fits, {"converged": converged, "warnings": json.dumps(texts)})


def _loaded(fit: xr.DataTree) -> xr.DataTree:
    """Copy a fit into memory, without its replicates."""
    kept = {k: fit[k].to_dataset().load() for k in _NEEDED if k in fit.children}
    tree = xr.DataTree.from_dict(kept)
    tree.attrs, tree.encoding = fit.attrs, fit.encoding
    return tree
