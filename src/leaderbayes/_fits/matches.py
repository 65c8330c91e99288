"""Votes and places that stand beside a posterior, as matches of pairs."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.places import count
from leaderbayes._scores.vote_matches import CLUSTERINGS, counted_votes, weights_of
from leaderbayes._types import AnyInts, Floats, Longs


def is_replaced(gains: xr.DataArray, place: xr.DataArray | None) -> bool:
    """Whether observed places are of another board than these scores, by ``pm.set_data``."""
    if place is not None and gains.ndim == 3 and "tournament_round" in place.dims:
        place = place.rename(tournament_round="round")
        gains = gains.stack(tournament_round=("tournament", "round"))
        labels = [f"{tournament}: {name}" for tournament, name in gains["tournament_round"].values]
        gains = gains.reset_index("tournament_round", drop=True).rename(tournament_round="round")
        gains = gains.assign_coords(round=labels)
    same = place is not None and {*place.dims} == {*gains.dims} == {"round", "player"}
    if place is None or not same or gains.indexes["round"].has_duplicates:
        return False
    place, gains = (x.transpose("round", "player") for x in xr.align(place, gains))
    at = np.argsort(place.to_numpy(), axis=1, kind="stable")
    there = np.take_along_axis(place.to_numpy(), at, axis=1) > 0
    better = np.diff(np.take_along_axis(gains.to_numpy(), at, axis=1), axis=1) > 0.0
    return bool((better & there[:, :-1]).any())


def place_in(*groups: xr.Dataset) -> xr.DataArray | None:
    """Return observed places (..., player), whichever group has them."""
    for place in (group["place"] for group in groups if "place" in group):
        known = {*place.dims} <= {"tournament", "tournament_round", "round", "player"}
        if known and np.isfinite(place).all():
            return place.astype(int).transpose(..., "player")
    return None


def positions(known: xr.Dataset, dim: str, names: Any, given: Any) -> AnyInts:
    """Find those that data give by number among a posterior's names, -1 if gone; or raise."""
    labels, given = pd.Index(np.atleast_1d(names)), np.asarray(given).astype(int)
    if f"{dim}_number" not in known:  # of an earlier version
        return np.where(given < len(labels), given, -1)
    number = pd.Index(np.atleast_1d(known[f"{dim}_number"]))
    where = labels.get_indexer(known.indexes.get(dim, labels))
    if number.has_duplicates or (where < 0).all() or len(where) != len(number):
        raise LeaderbayesError(
            f"This posterior has other {dim}s than its constant_data: rename them in all groups."
        )
    at = number.get_indexer(given)
    return np.where(at < 0, -1, where[at])


def with_periods(scores: xr.DataArray, tree: xr.DataTree) -> xr.DataArray:
    """Add the period of each round, where there are periods."""
    if "period_of_round" not in tree["constant_data"].dataset:
        return scores
    number = tree["constant_data"].dataset["period_of_round"].to_numpy().astype(int)
    at, names = _periods(tree, number)
    return scores.assign_coords(period=("round", names[at]))


def _periods(tree: xr.DataTree, number: Longs) -> tuple[AnyInts, Any]:
    """Return the position of each round's period, and names; or raise if some are lost."""
    names = np.atleast_1d(tree["posterior"].coords.get("period", np.arange(number.max() + 1)))
    at = positions(tree["constant_data"].dataset, "period", names, number)
    if (at < 0).any():
        raise LeaderbayesError("This posterior has lost some of its periods; take all of them.")
    return at, names


def lost_of(inside: xr.Dataset, names: Sequence[str]) -> list[str]:
    """Name what a group lacks: variables, of which only an outcome may be missing, and labels."""
    at = {n: np.asarray(inside.get(n, np.nan)) for n in names}
    lost = [n for n in names if n != "outcome" and not np.isfinite(at[n]).all()]
    lost += [n for n in names if n == "outcome" and (n not in inside or np.isinf(at[n]).any())]
    rules = [n for n in ("within_round", "ties") if n in inside]  # both or none
    lost += [n for n in rules if len(rules) == 1 or not np.isfinite(inside[n].to_numpy()).all()]
    lost += {"player"} & {*inside.dims} - {*inside.coords}
    named = inside.coords.get("clustering", xr.DataArray([])).values
    lost += [n for n in CLUSTERINGS if n in named and n not in inside]
    return lost + [d for d in ("round", "vote", "model") if inside.sizes.get(d) == 0]


def kept_votes(known: xr.Dataset, outcome: Floats, players: Any) -> xr.Dataset:
    """Return votes as `read_votes` does, of the group ``constant_data`` and outcomes (vote,)."""
    votes = known[["first", "second"]].assign_coords(player=players).drop_attrs()
    votes["outcome"] = "vote", outcome
    votes["weight"] = "vote", known["count"].to_numpy()
    for name in (*CLUSTERINGS, "time"):
        if name in known and known[name].dims == ("vote",):
            votes = votes.assign_coords({name: known[name]})
    if "period_of_vote" in known:
        own = known["period"].to_numpy()[known["period_of_vote"].to_numpy().astype(int)]
        votes = votes.assign_coords(time=("vote", own))
    if "effect_value" in known and bool((known["effect"] != "order").any()):
        own = known["effect"].to_numpy() != "order"
        values = (known["effect_value"] * known["effect_unit"]).transpose("vote", "effect")
        votes["covariates"] = ("vote", "covariate"), values.to_numpy()[:, own]
        votes = votes.assign_coords(covariate=known["effect"].to_numpy()[own])
    return votes.assign_attrs(known.attrs)


def votes_by_pair(votes: xr.Dataset, known: xr.Dataset, epp: Floats) -> xr.Dataset:
    """Count votes as `matches` does, with what one of each pair is ``worth`` by itself."""
    from leaderbayes._numerics.vote_weights import pair_worth

    rows, clusters, tau2 = rows_of(votes, known)
    who = votes["player"].to_numpy()
    board = counted_votes(votes, "half").reindex(player=who, opponent=who, fill_value=0)
    board["worth"] = ("player", "opponent"), pair_worth(rows, epp, clusters, tau2)
    if "both_bad" in known:
        board["both_bad"] = known["both_bad"]
    return board


def rows_of(votes: xr.Dataset, known: xr.Dataset) -> tuple[Any, list[Longs], Floats]:
    """Return votes as numbers, their clusters by judge or prompt, and opinions' variances."""
    from leaderbayes._numerics.votes import Votes

    first, second, outcome = (votes[k].to_numpy() for k in ("first", "second", "outcome"))
    n, effect = weights_of(votes), np.empty((len(first), 0))
    if "effect_value" in known:
        effect = known["effect_value"].transpose("vote", "effect").to_numpy()
    tied = 4.0 * n * outcome * (1.0 - outcome)
    rows = Votes(votes.sizes["player"], first, second, n * outcome, n, tied, effect)
    names = [str(name) for name in known.get("clustering", xr.DataArray()).to_numpy().ravel()]
    clusters = [pd.factorize(known[k].to_numpy())[0] for k in CLUSTERINGS if k in names]
    return rows, clusters, known["opinion_variance"].to_numpy() if clusters else np.empty(0)


def with_tables(board: xr.Dataset) -> xr.Dataset:
    """Count wins, matches and ties (player, opponent) of places (round, player)."""
    within, ties = bool(board.attrs["within_round"]), str(board.attrs["ties"])
    tables = count(board["place"].to_numpy(), within_round=within, ties=ties)
    dims = ("player", "opponent")
    named = {key: (dims, table) for key, table in zip(("wins", "n", "tied"), tables, strict=True)}
    opponent = "opponent", board["player"].to_numpy()
    return xr.Dataset({**board.variables, **named, "opponent": opponent}, attrs=board.attrs)


def boards_of(post: Any) -> list[tuple[xr.Dataset, Floats]]:
    """Return each tournament's or period's matches, and draws (draw, player) of who played."""
    board, by, name = post.matches(), post.varies_by, post.parameter
    if by is None or f"{by}_of_round" not in post.constant:
        return [(board, post.own_unit(post.read(name, post.who)))]
    number, place = post.constant[f"{by}_of_round"].to_numpy().astype(int), board["place"]
    epp, found = post.read(f"{name}_{by}", by, "player"), []
    if len(number) != len(place):
        raise LeaderbayesError(f"{post.called} has no observed_data/place.")
    if by == "period":
        number = _periods(post.tree, number)[0]
    for t in range(int(number.max(initial=-1)) + 1):
        rows = place[number == t].rename({place.dims[0]: "round"})
        at = np.flatnonzero((rows > 0).any("round").to_numpy())
        if not len(rows):  # of some rounds alone
            continue
        if len(at) < 2:
            raise LeaderbayesError(f"{post.called} has a {by} without two of its players.")
        own = xr.Dataset({"place": rows.isel(player=at)}, attrs=board.attrs)
        found.append((with_tables(own), epp[:, t][:, at]))
    return found
