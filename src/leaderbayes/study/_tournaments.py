"""Tournaments of a study, or of one fit of many."""

import json
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

import pandas as pd
import xarray as xr

from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import board_fitted, drawn, is_mean_score, is_of_votes
from leaderbayes._fits.require import require_tree
from leaderbayes._fits.trust import trust, warnings_of


def select(study: xr.DataTree, tournament: str) -> xr.DataTree:
    """Take one tournament out of a study, or out of a fit of many as if it had been fitted alone.

    Parameters
    ----------
    study : DataTree
        A study, a fit for each tournament; or from ``leaderbayes.fit(scores, "tournaments")``, or
        "score_tournaments".
    tournament : str
        Its name.

    Returns
    -------
    DataTree
        ``posterior`` (``epp`` (chain, draw, player) in this tournament, of the players that it
        has), ``posterior_predictive`` and ``observed_data`` (``place``), ``constant_data``
        (``scores`` (player, round), ``weight``), or of mean scores ``score``, ``round_score`` and
        no ``weight``; of votes ``wins``, and the votes; attrs as they were. Tables, checks and
        plots take it as any fit; `loo` does not. Of a study, the tournament's own fit.

    Raises
    ------
    LeaderbayesError
        If it is not of many tournaments, or has none of this name.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers").sel(tournament=["iris", "wine"])
    >>> study = lb.study.fit(
    ...     scores, store="study", sampler="laplace", seed=1, progressbar=False
    ... )
    >>> dt = lb.study.select(study, "iris")
    >>> lb.leaderboard(dt)["player"].head(3).tolist()
    ['logistic C=100', 'svm C=1', 'forest trees=5']
    """
    names = tournaments_of(study)
    if tournament not in names:
        near = get_close_matches(str(tournament), names, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]!r}?" if near else f"the first is {names[0]!r}."
        raise LeaderbayesError(f"There is no tournament {tournament!r}; {hint}")
    if "posterior" not in study.children:
        return list(study.children.values())[names.index(tournament)]
    board_fitted(study, "constant_data", "observed_data", "posterior_predictive")
    of_scores = is_mean_score(study)
    scores = study["constant_data"]["scores"]
    board = scores.sel(tournament=tournament, drop=True)
    board = board.dropna("player", how="all").dropna("round", how="all")
    # Its rounds stand together, in the order of the scores.
    rows = scores.transpose("tournament", "round", "player").notnull().any("player").to_numpy()
    first = int(rows[: names.index(tournament)].sum())
    own = slice(first, first + board.sizes["round"])
    who = {"player": board["player"].to_numpy()}

    def rounds_of(group: str) -> xr.Dataset:
        places = study[group].to_dataset().isel(tournament_round=own).sel(who)
        return places.rename(tournament_round="round").assign_coords(
            round=board["round"].to_numpy()
        )

    name = "score" if of_scores else "epp"
    strength = drawn(study, f"{name}_tournament").sel(tournament=tournament, drop=True).sel(who)
    data = xr.Dataset({"scores": board})
    if not of_scores:
        data["weight"] = ("round", study["constant_data"]["weight"].to_numpy()[own])
    tree = xr.DataTree.from_dict(
        {
            "posterior": xr.Dataset({name: strength}),
            "posterior_predictive": rounds_of("posterior_predictive"),
            "observed_data": rounds_of("observed_data"),
            "constant_data": data,
        }
    )
    tree.attrs = study.attrs | {"tournament": tournament}
    if not of_scores:
        tree.attrs["weight"] = float(data["weight"].mean())
    tree.attrs["p_check"] = float("nan")  # that of the study is of all tournaments
    return tree


def tournaments_of(study: xr.DataTree) -> list[str]:
    """List the names of the tournaments of a study, or of a fit of the model "tournaments".

    Raises
    ------
    LeaderbayesError
        If it is neither, has none, or has one twice.
    """
    require_tree(study)
    if "posterior" in study.children:
        board_fitted(study, "constant_data")
        if not {"epp_tournament", "score_tournament"} & {*study["posterior"].data_vars}:
            raise LeaderbayesError(
                f"This is a fit{' of votes' if is_of_votes(study) else ''} of one tournament "
                f"({study.attrs['model']}): give a study, with a "
                "fit for each tournament, or a fit of the model 'tournaments' or "
                "'score_tournaments'."
            )
        return [str(name) for name in study["constant_data"]["tournament"].to_numpy()]
    if not study.children:
        raise LeaderbayesError("The study has no tournament: give one with a fit for each.")
    for name, fit in study.children.items():
        if "posterior" not in fit.children:
            raise LeaderbayesError(f"{name!r} in the study is no fit: it has no group posterior.")
        board_fitted(fit)
    # A name with a slash cannot be a node's: the attribute holds the real one.
    names = [str(fit.attrs.get("tournament", name)) for name, fit in study.children.items()]
    again = pd.Index(names).duplicated()
    if again.any():
        raise LeaderbayesError(
            f"The study has tournament {names[again.argmax()]!r} twice: give one of its fits "
            "another name, in its attribute 'tournament'."
        )
    return names


def fits_of(study: xr.DataTree) -> Iterator[tuple[str, xr.DataTree]]:
    """Give each tournament's name and fit, of a study or of a fit of the model "tournaments".

    Raises
    ------
    LeaderbayesError
        If it is neither, or has no tournament.
    """
    names = tournaments_of(study)
    fits = (
        (select(study, name) for name in names)
        if "posterior" in study.children
        else study.children.values()
    )
    yield from zip(names, fits, strict=True)


def trust_of(study: xr.DataTree) -> dict[str, Any]:
    """Say whether all of a study's fits converged, with their warnings by the tournament's name."""
    if "posterior" in study.children:
        return trust(study)
    every = {name: trust(fit) for name, fit in fits_of(study)}
    said = [
        f"tournament {name!r}: {text}" for name, one in every.items() for text in warnings_of(one)
    ]
    return {
        "converged": min(one["converged"] for one in every.values()),
        "warnings": json.dumps(said),
    }
