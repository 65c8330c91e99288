"""A posterior that somebody gave: from `leaderbayes.fit`, from ``pm.sample``, from a file.

Every answer reads it through `Posterior`, and nothing else looks at a tree's groups.
"""

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.places import count
from leaderbayes._types import Floats
from leaderbayes.models._board import rule_for_ties
from leaderbayes.models._model import Model
from leaderbayes.models._registry import MODELS

_PARAMETERS = ("epp", "score", "theta")
_WHO = {"epp": "player", "score": "player", "theta": "team"}
# How to add a group that a sampler does not give.
_REMEDY = {
    "posterior_predictive": "with model: dt.update(pm.sample_posterior_predictive(dt))",
    "log_likelihood": "with model: pm.compute_log_likelihood(dt)",
    "constant_data": "sample a model of leaderbayes.models, which brings it",
    "observed_data": "sample a model of leaderbayes.models, which brings it",
    "prior": "with model: dt.update(pm.sample_prior_predictive())",
}


class Posterior:
    """Draws of what players are ranked by, and what stands beside them.

    Parameters
    ----------
    given : DataTree
        With the group ``posterior`` that holds ``epp`` (player), ``score`` (player) or ``theta``
        (team).

    Attributes
    ----------
    tree : DataTree
    parameter : str
        The one of the three that there is.
    model : Model
        Whose data these are; of a posterior that names none, the first with this parameter.

    Raises
    ------
    LeaderbayesError
        If it is no such tree.
    """

    def __init__(self, given: Any) -> None:
        if not isinstance(given, xr.DataTree):
            raise LeaderbayesError(
                f"This takes a posterior, a DataTree from leaderbayes.fit or pm.sample, not "
                f"{type(given).__name__}."
            )
        self.tree = given
        if "posterior" not in given.children:
            raise LeaderbayesError(
                "This DataTree has no posterior. Of a study of many fits pick one: study['iris']."
            )
        inside = given["posterior"].dataset
        found = [name for name in _PARAMETERS if name in inside.data_vars]
        found = [name for name in found if _WHO[name] in inside[name].dims]
        if not found:
            raise LeaderbayesError(
                f"{self.called} has none of epp (player), score (player) and theta (team) in its "
                "posterior; give what leaderbayes.fit or pm.sample of its models returned."
            )
        self.parameter = found[0]
        self.model = self._model()

    @property
    def called(self) -> str:
        """How a message names this posterior."""
        source, name = self.tree.encoding.get("source"), self.tree.attrs.get("tournament")
        said = "This posterior" if name is None else f"The posterior of {str(name)[:60]!r}"
        return said if source is None else f"{source}: {said[0].lower()}{said[1:]}"

    def _model(self) -> Model:
        name = None
        if "constant_data" in self.tree.children and "model" in self.constant.coords:
            name = str(self.constant["model"].to_numpy()[0])
        name = self.tree.attrs.get("model") if name is None else name
        own = [m for m in MODELS.values() if m.parameter == self.parameter]
        if name in MODELS:
            own = [MODELS[name]]
        several = [m for m in own if m.several == self.several]
        return (several or own)[0]

    @property
    def several(self) -> bool:
        """Whether it is about several tournaments at once."""
        return f"{self.parameter}_spread" in self.tree["posterior"].dataset.data_vars

    @property
    def of_votes(self) -> bool:
        """Whether votes were observed, which have no rounds and no scores."""
        return "constant_data" in self.tree.children and "vote" in self.constant.dims

    # Draws

    @cached_property
    def players(self) -> pd.Index:
        """Names of players, or teams."""
        who = _WHO[self.parameter]
        inside = self.tree["posterior"].dataset
        names: pd.Index = pd.Index(inside[who].to_numpy(), name=who)
        if names.has_duplicates or names.hasnans:
            raise LeaderbayesError(f"{self.called} has {who}s without a name, or two of one name.")
        return names

    @cached_property
    def draws(self) -> Floats:
        """Draws (sample, player) of the parameter, in its unit."""
        return self.read(self.parameter, _WHO[self.parameter])

    @cached_property
    def standing(self) -> Floats:
        """Draws (sample, player) of which more is better."""
        return self.draws if self.higher_is_better else -self.draws

    @property
    def spread(self) -> Floats | None:
        """Draws (sample,) of the standard deviation between tournaments, where there is one."""
        return self.read(f"{self.parameter}_spread") if self.several else None

    def read(self, name: str, *dims: str, group: str = "posterior") -> Floats:
        """Return draws (sample, ...) of a variable, all of them finite numbers.

        Raises
        ------
        LeaderbayesError
            If there is no such variable, it has other dimensions, or a value is not finite (a part
            of a store that was lost reads as NaN, and would be the best player of all).
        """
        inside = self.group(group)
        if name not in inside.data_vars:
            raise LeaderbayesError(f"{self.called} has no {group}/{name}.")
        try:
            values = inside[name].transpose("chain", "draw", *dims).to_numpy()
        except Exception as problem:  # other dimensions, or a file that cannot be read
            raise LeaderbayesError(
                f"{self.called} has {group}/{name} that cannot be read: {problem!s:.200}"
            ) from problem
        if values.dtype.kind not in "iufb" or not np.isfinite(values).all() or not values.size:
            raise LeaderbayesError(
                f"{self.called} has values in {group}/{name} that are no finite numbers; fit again."
            )
        return np.asarray(values.reshape(-1, *values.shape[2:]))

    def group(self, name: str) -> xr.Dataset:
        """Return a group.

        Raises
        ------
        LeaderbayesError
            If there is none; the message says how to add it.
        """
        if name not in self.tree.children:
            how = _REMEDY.get(name, "take leaderbayes.fit")
            raise LeaderbayesError(f"{self.called} has no group {name!r}; to add it: {how}.")
        return self.tree[name].to_dataset()

    # What stands beside them

    @cached_property
    def constant(self) -> xr.Dataset:
        """The group ``constant_data``."""
        return self.group("constant_data")

    @property
    def higher_is_better(self) -> bool:
        """Whether more of the parameter is better: not of losses."""
        if self.parameter != "score" or "constant_data" not in self.tree.children:
            return True
        if "higher_is_better" in self.constant:
            return bool(self.constant["higher_is_better"].item())
        scores = self.constant.get("scores")
        return scores is None or bool(scores.attrs.get("higher_is_better", 1))

    @property
    def scores(self) -> xr.DataArray | None:
        """Scores (player, round) or (tournament, player, round), where they are known."""
        if "constant_data" not in self.tree.children or "scores" not in self.constant:
            return None
        scores = self.constant["scores"]
        if "higher_is_better" in scores.attrs or "higher_is_better" not in self.constant:
            return scores
        return scores.assign_attrs(higher_is_better=int(self.constant["higher_is_better"].item()))

    def option(self, name: str, default: Any = None) -> Any:
        """Return an option that the model was built with."""
        if "arguments" in self.tree.attrs:
            arguments = json.loads(self.tree.attrs["arguments"])
            if name in arguments:
                return arguments[name]
        if "constant_data" in self.tree.children and name in self.constant:
            return float(self.constant[name].item()) or default
        return default

    @property
    def test_fraction(self) -> float | None:
        """Share of the data that each round tests on, where rounds share training data."""
        value = self.option("test_fraction")
        return None if value is None else float(value)

    @property
    def seed(self) -> int:
        """Seed of the fit, by which what repeats with it is drawn; 0 of other posteriors."""
        return int(self.tree.attrs.get("seed", 0))

    @property
    def trust(self) -> dict[str, Any]:
        """``converged`` (0 or 1) and ``warnings`` (JSON list): attrs of whatever is made of it."""
        return {
            "converged": int(self.tree.attrs.get("converged", 1)),
            "warnings": str(self.tree.attrs.get("warnings", "[]")),
        }

    # Matches

    def matches(self, players: Sequence[str] | None = None) -> xr.Dataset:
        """Return the matches that it was fitted to, of all or of some players, as `lb.matches`."""
        board = self._votes() if self.of_votes else self._places()
        if players is None:
            return board
        names = list(players)
        return board.sel({d: names for d in ("player", "opponent") if d in board.dims})

    def _places(self) -> xr.Dataset:
        place = self._place()
        if "within_round" in self.constant:
            within = bool(self.constant["within_round"].item())
            ties = rule_for_ties(self.constant)
        else:
            within, ties = True, "half"
        dims = ("player", "opponent")
        names = place["player"].to_numpy()
        coords = {"player": names, "opponent": names}
        attrs = {"within_round": int(within), "ties": ties}
        if "tournament_round" not in place.dims:
            return xr.Dataset({"place": place}, coords, attrs).assign(
                _tables(place.to_numpy(), dims, within=within, ties=ties)
            )
        return xr.Dataset({"place": place}, coords, attrs)

    def _place(self) -> xr.DataArray:
        """Observed places (round, player)."""
        for name in ("observed_data", "constant_data"):
            if name in self.tree.children and "place" in self.group(name):
                place = self.group(name)["place"]
                return place.transpose(..., "player")
        if (scores := self.scores) is not None:
            from leaderbayes._scores.matches import matches

            return matches(scores)["place"]
        raise LeaderbayesError(f"{self.called} has no observed places; {_REMEDY['observed_data']}.")

    def _votes(self) -> xr.Dataset:
        raise NotImplementedError

    def boards(self) -> list[tuple[xr.Dataset, Floats]]:
        """Return each tournament's matches and draws (sample, player) of the players it has."""
        board = self.matches()
        if not self.several:
            return [(board, self.draws)]
        place = board["place"]
        number = self.constant["tournament_of_round"].to_numpy().astype(int)
        epp = self.read(f"{self.parameter}_tournament", "tournament", "player")
        found = []
        for t in range(int(number.max()) + 1):
            rows = place.isel(tournament_round=number == t)
            who = np.flatnonzero((rows > 0).any("tournament_round").to_numpy())
            own = rows.isel(player=who).rename(tournament_round="round")
            names = own["player"].to_numpy()
            tables = _tables(
                own.to_numpy(), ("player", "opponent"),
                within=bool(board.attrs["within_round"]), ties=str(board.attrs["ties"]),
            )  # fmt: skip
            one = xr.Dataset({"place": own, **tables}, {"opponent": names}, board.attrs)
            found.append((one, epp[:, t][:, who]))
        return found


def _tables(
    place: Any, dims: tuple[str, str], *, within: bool, ties: str
) -> dict[str, tuple[tuple[str, str], Floats]]:
    wins, n, tied = count(place, within_round=within, ties=ties)
    return {"wins": (dims, wins), "n": (dims, n), "tied": (dims, tied)}
