"""A posterior that somebody gave: from `leaderbayes.fit`, from ``pm.sample``, from a file.

Every answer reads it through `Posterior`, and nothing else looks at a tree's groups.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import expit

from leaderbayes._arguments import is_hashable
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits import matches as beside
from leaderbayes._numerics.diagnostics import recorded
from leaderbayes._numerics.places import ranks_of
from leaderbayes._numerics.rounds import Weighing
from leaderbayes._scores.matches import matches as played
from leaderbayes._scores.tables import suggest
from leaderbayes._types import Floats, Ints, Longs
from leaderbayes.models._board import rule_for_ties
from leaderbayes.models._model import Kind, Model
from leaderbayes.models._registry import MODELS, first_of
from leaderbayes.models._weight import weighing_in

# How to add a group that a sampler does not give.
_REMEDY = {
    "posterior_predictive": "with model: dt.update(pm.sample_posterior_predictive(dt))",
    "log_likelihood": "sample the model with pm.sample, then call pm.compute_log_likelihood(dt)",
    "constant_data": "sample a model of leaderbayes.models, which adds it",
    "observed_data": "sample a model of leaderbayes.models, which adds it",
    "prior": "with model: dt.update(pm.sample_prior_predictive())",
}


class Posterior:
    """Draws of what players are ranked by, and what stands beside them; or raise.

    ``Posterior(dt)`` is one of the classes in `_fits.posterior`; answers that differ between them
    are functions that dispatch on the class. ``model`` is the one whose data these are; of a
    posterior that names none, the first with this ``parameter``.
    """

    parameter: ClassVar[Literal["epp", "score", "theta"]]
    who: ClassVar[str] = "player"  # dimension of what is ranked
    observed: ClassVar[frozenset[str]] = frozenset()  # dimensions that only these data have
    parts: ClassVar[Mapping[str, Sequence[str]]] = {}  # variables that stand beside ours, by group
    several: ClassVar[bool] = False  # tournaments at once
    tournaments: Sequence[str] = ()  # of several
    offset: Floats = np.zeros(0)  # log-odds of votes (vote,) for the first by what is no player
    kind: ClassVar[Kind]
    tree: xr.DataTree
    model: Model
    is_ours: bool  # whose data stand beside it as our models keep them

    def __new__(cls, given: Any) -> "Posterior":
        """Choose the kind by what is in the tree; a posterior that was read already stays."""
        from leaderbayes._fits.posterior import KINDS

        if isinstance(given, Posterior):
            return given
        if not isinstance(given, xr.DataTree):
            raise LeaderbayesError(
                f"This takes a posterior, a DataTree from leaderbayes.fit or pm.sample, not "
                f"{type(given).__name__}."
            )
        post = super().__new__(cls)
        post.tree = given
        if "posterior" not in given.children:
            raise LeaderbayesError(
                "This DataTree has no posterior: of a study choose one fit, study['iris'], and for "
                "az.thin use dt.isel(draw=slice(None, None, 2))."
            )
        named = post._named()
        if named is not None and named.complete is not None:
            for name in filter(post.has, ("theta", "rho", "ease", "mean", "concentration")):
                post.read(name, ...)
            post.tree = named.complete(given)
        kind = next((kind for kind in KINDS if kind.is_of(post)), None)
        if kind is None:
            raise LeaderbayesError(
                f"{post.called} has none of epp (player), score (player) and theta (team) in its "
                "posterior: use leaderbayes.fit, or pm.sample of its models, not pruned by pm.do."
            )
        found = super().__new__(kind)
        found.tree = post.tree
        found.is_ours = named is not None and named.parameter == kind.parameter
        found.model = first_of(kind.parameter, several=found.several)
        if named is not None and found.is_ours:  # else another program's
            found.model = named
            for group in kind.parts.keys() & set(post.tree.children):
                if lost := beside.lost_of(post.group(group), kind.parts[group]):
                    raise LeaderbayesError(f"{post.called} has lost {group}/{lost[0]}; fit again.")
        return found

    @classmethod
    def is_of(cls, post: "Posterior") -> bool:
        """Whether what is in the tree is of this kind."""
        inside = post.tree["posterior"].dataset
        there = cls.parameter in inside and cls.who in inside[cls.parameter].dims
        return there and cls.observed <= set(post.known.dims)

    @classmethod
    def of(cls, given: Any, otherwise: str, **words: str) -> Self:
        """Return a posterior of this kind; or raise ``otherwise``, with these words."""
        post = Posterior(given)
        if not isinstance(post, cls):
            words |= {"called": post.called, "parameter": post.parameter}
            raise LeaderbayesError(otherwise.format(**words))
        return post

    @property
    def called(self) -> str:
        """How a message names this posterior."""
        source, name = self.tree.encoding.get("source"), self.tree.attrs.get("tournament")
        said = "This posterior" if name is None else f"The posterior of {str(name)[:60]!r}"
        return said if source is None else f"{source}: {said[0].lower()}{said[1:]}"

    def _named(self) -> Model | None:
        """Find the model that made it, if it says which."""
        names = np.ravel(self.known.coords.get("model", self.tree.attrs.get("model")))
        return MODELS.get(str(names[0])) if len(names) else None

    def has(self, name: str) -> bool:
        """Whether the posterior has this variable."""
        return name in self.tree["posterior"].dataset.data_vars

    @property
    def varies_by(self) -> str | None:
        """What draws of the parameter differ by: "tournament" or "period"."""
        each = ("tournament", "period")
        return next((by for by in each if self.has(f"{self.parameter}_{by}")), None)

    # Draws

    @cached_property
    def players(self) -> pd.Index:
        """Names of players, or teams."""
        who, inside = self.who, self.tree["posterior"].dataset
        names: pd.Index = pd.Index(inside[who].to_numpy(), name=who)
        if names.has_duplicates or names.hasnans or not len(names) or who not in inside.coords:
            raise LeaderbayesError(f"{self.called} has {who}s without a name, or a name twice.")
        return names

    @cached_property
    def draws(self) -> Floats:
        """Draws (sample, player) of the parameter, in its unit."""
        return np.asarray(self.own_unit(self.read(self.parameter, self.who)))

    @cached_property
    def standing(self) -> Floats:
        """Draws (sample, player) of which more is better."""
        return self.draws if self.higher_is_better else -self.draws

    @cached_property
    def order(self) -> Longs:
        """Positions of players, highest posterior mean of `standing` first; equal ones together."""
        total = np.bincount(self.equals, self.standing.mean(axis=0))
        return np.argsort(-(total / np.bincount(self.equals))[self.equals], kind="stable")

    @cached_property
    def equals(self) -> Longs:
        """Number of each player (player,), the same for players with the same scores throughout."""
        if self.scores is None:
            return np.arange(len(self.players))
        rows = self.scores.transpose("player", ...).to_numpy().reshape(len(self.players), -1)
        return np.asarray(pd.factorize(pd.Index([row.tobytes() for row in rows + 0.0]))[0])

    @cached_property
    def ranks(self) -> Ints:
        """Rank of each player in each draw (sample, player), 1 is best."""
        return ranks_of(self.standing)

    def position(self, player: object) -> int:
        """Find a player; or raise, with the nearest name."""
        if is_hashable(player) and player in self.players:
            return int(self.players.to_list().index(player))
        names = [str(name) for name in self.players]
        if not isinstance(player, str):
            called = str(player) if np.isscalar(player) and str(player) in names else names[0]
            raise LeaderbayesError(
                f"{str(player)[:60]!r} ({type(player).__name__}) is not the name of a {self.who}: "
                f"use one of the {len(names)} names, in quotes, such as {called!r}."
            )
        known = f"among the {len(names)}; {suggest(player, names)}"
        raise LeaderbayesError(f"There is no {self.who} {player[:60]!r} {known}")

    @cached_property
    def apart(self) -> Floats:
        """Spread of a difference between tournaments, in that of a player's (player, opponent)."""
        if "spread" in self.known:
            found = self._of(self.constant["spread"], self.players)
            at = self.constant.indexes["player"].get_indexer(self.players)
            return np.asarray(np.sqrt(2.0) * found.to_numpy()[:, at])
        return np.full((len(self.players),) * 2, np.sqrt(2.0))

    def chance(self, gap: Floats, factor: Floats | float, picked: Any = slice(None)) -> Floats:
        """Return the probability that the player ahead by a gap (sample, ...) wins a new match."""
        return np.asarray(expit(gap))

    def read(self, name: str, *dims: Any, group: str = "posterior") -> Floats:
        """Return draws (sample, ...) of a variable; or raise, if any is lost (NaN) or infinite."""
        inside = self.group(group)
        if name not in inside.data_vars:
            raise LeaderbayesError(f"{self.called} has no {group}/{name}.")
        try:
            values = inside[name].transpose("chain", "draw", *dims).to_numpy()
        except Exception as problem:  # other dimensions, or a file that cannot be read
            why = f"cannot be read: {problem!s:.200}"
            if not {"chain", "draw"} <= {*inside[name].dims}:
                why = "lost the dimensions chain and draw: unstack it, or take isel(chain=[0])."
            raise LeaderbayesError(f"{self.called} has {group}/{name} that {why}") from problem
        if values.dtype.kind not in "iufb" or not np.isfinite(values).all() or not values.size:
            which = f"{self.called} has values in {group}/{name}"
            raise LeaderbayesError(f"{which} that are not finite; fit again.")
        return np.asarray(values.reshape(-1, *values.shape[2:]))

    def group(self, name: str) -> xr.Dataset:
        """Return a group; or raise, with how to add it."""
        if name not in self.tree.children:
            how = _REMEDY.get(name, "take leaderbayes.fit")
            raise LeaderbayesError(f"{self.called} has no group {name!r}; to add it: {how}.")
        found = self.tree[name].to_dataset()
        try:  # all of a group is needed, but of the posterior a variable at a time
            return found if name == "posterior" else found.load()
        except Exception as problem:  # a damaged store
            raise LeaderbayesError(
                f"{self.called} has a group {name!r} that cannot be read: {problem!s:.200}"
            ) from problem

    # What stands beside them

    @cached_property
    def constant(self) -> xr.Dataset:
        """The group ``constant_data``."""
        found = self.group("constant_data")  # a pm.Model's data are no coordinates
        return found.set_coords("round_weight") if "round_weight" in found else found

    @property
    def known(self) -> xr.Dataset:
        """The same; empty if there is none."""
        return self.constant if "constant_data" in self.tree.children else xr.Dataset()

    def _observed(self) -> xr.Dataset:
        there = "observed_data" in self.tree.children
        return self.group("observed_data") if there else xr.Dataset()

    @property
    def unit(self) -> str:
        """Unit of the draws, in words."""
        return self.model.unit

    def own_unit(self, values: Any) -> Any:
        """Return values of the model in the unit of the draws."""
        return values

    @property
    def higher_is_better(self) -> bool:
        """Whether more of the parameter is better: not of losses."""
        return self.kind.gains or self._more_is_better

    @property
    def _more_is_better(self) -> bool:
        """Whether higher scores are better."""
        scored = self.known.get("scores", xr.DataArray()).attrs.get("higher_is_better", 1)
        return bool(np.all(self.known.get("higher_is_better", scored)))

    @cached_property
    def scores(self) -> xr.DataArray | None:
        """Scores (player, round) or (tournament, player, round), where they are known."""
        if "scores" not in self.known:
            return None
        scores = self._of(self.constant["scores"], self.players)
        # A pm.Model has minus infinity for a missing score.
        scores = scores.where(np.isfinite(scores)).assign_attrs(scores.attrs)
        gains = scores if self._more_is_better else -scores
        if beside.is_replaced(gains, self._observed().get("place")):
            return None
        return beside.with_periods(scores, self.tree).assign_attrs(
            higher_is_better=int(self._more_is_better)
        )

    @cached_property
    def weighing(self) -> Weighing | None:
        """How rounds count; None where all count the same."""
        return weighing_in(self.known)

    @cached_property
    def arguments(self) -> dict[str, Any]:
        """Arguments of `leaderbayes.fit`, as far as it records them."""
        return dict(self._attr("arguments", json.loads, "{}"))

    def option(self, name: str, default: Any = None) -> Any:
        """Return an option that the model was built with."""
        found = self.known.get(name, self.known.get(f"prior_{name}", xr.DataArray([])))
        if name in self.arguments or found.size != 1:
            return self.arguments.get(name, default)
        return float(found.item()) or (None if default is None else 0.0)

    @property
    def test_fraction(self) -> float | None:
        """Share of the data that each round tests on, where rounds share training data."""
        return None if (value := self.option("test_fraction")) is None else float(value)

    @property
    def seed(self) -> int:
        """Seed of the fit, by which what repeats with it is drawn; 0 of other posteriors."""
        return int(self._attr("seed", int, 0))

    @cached_property
    def diagnostics(self) -> dict[str, Any]:
        """What the fit has recorded of its convergence, or what draws by PyMC show."""
        found = recorded(self.tree, self.arguments, lambda: self.read(self.parameter, self.who))
        return {**found, "converged": int(self._attr("converged", int, found["converged"]) != 0)}

    @property
    def trust(self) -> dict[str, Any]:
        """``converged``, ``warnings`` and perhaps ``estimand``: attrs of whatever is made of it."""
        self._attr("warnings", json.loads, "[]")
        said = self._estimand()
        return {
            "converged": self.diagnostics["converged"],
            "warnings": self.tree.attrs.get("warnings", "[]"),
            **({"estimand": said} if said else {}),
        }

    def _estimand(self) -> str | None:
        """Return what results are about, where that needs a word."""
        known: str | None = self.known.attrs.get("estimand")
        return " ".join(filter(None, (known, self.weighing and self.weighing.said()))) or None

    def _attr(self, name: str, read: Callable[[Any], Any], default: Any) -> Any:
        value = self.tree.attrs.get(name, default)
        try:
            return read(value)
        except (TypeError, ValueError, RecursionError) as problem:
            raise LeaderbayesError(
                f"{self.called} has the attribute {name}={value!r:.60}, which cannot be read."
            ) from problem

    # What it was fitted to

    @property
    def data(self) -> xr.DataArray | xr.Dataset:
        """Votes, scores or, where these are unknown, places, to fit the same model again."""
        if self.scores is not None:
            return self.scores
        return (place := self._place()).where(place > 0).assign_attrs(higher_is_better=0)

    @property
    def rows(self) -> Any:
        """Scores (round, player) that means are taken of."""
        return self.data

    @cached_property
    def _matches(self) -> xr.Dataset:
        return self._matches_of(self.players)

    def matches(self, players: Sequence[str] | None = None) -> xr.Dataset:
        """Return the matches that it was fitted to, of all or of some players, as `lb.matches`."""
        if players is None or list(players) == self.players.to_list():
            return self._matches
        return self._matches_of(list(players))

    def _matches_of(self, names: Any) -> xr.Dataset:
        place = self._of(self._place(), names)
        within, ties = 1, "half"
        if "within_round" in self.known and self.known.sizes.get("model", 1):
            within, ties = int(self.constant["within_round"].item()), rule_for_ties(self.constant)
        board = xr.Dataset({"place": place}, attrs={"within_round": within, "ties": ties})
        if "order" in self.known:
            board["order"] = self._of(self.constant["order"], names)
        return beside.with_tables(board) if place.dims == ("round", "player") else board

    def _of(self, values: xr.DataArray, players: Any) -> xr.DataArray:
        """Take these players' values, in their order."""
        try:
            return values.sel(player=players)
        except KeyError as problem:
            raise LeaderbayesError(
                f"{self.called} has players that {values.name} does not have: {problem!s:.100}."
            ) from problem

    def _place(self) -> xr.DataArray:
        """Observed places (round, player)."""
        if (found := beside.place_in(self._observed(), self.known)) is not None:
            return found
        if self.scores is None:
            name = "constant_data/scores" if self.parameter == "score" else "observed_data/place"
            raise LeaderbayesError(f"{self.called} has no {name}; {_REMEDY['observed_data']}.")
        return played(self.scores, pairs=False)["place"]

    def again(self, data: Any) -> dict[str, Any]:
        """Return arguments of a fit to a part of the data."""
        return {}
