"""All models by name, and the data that they take: scores or votes.

Fits, answers, documentation and the command line read this one list.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from leaderbayes._errors import LeaderbayesError
from leaderbayes._scores.matches import (
    Ties,
    compared,
    matches,
    one_tournament,
    only_tournament,
    valid_scores,
)
from leaderbayes._scores.read import describe, what_was_read
from leaderbayes._scores.tables import BY_ROUND, counted
from leaderbayes._scores.vote_matches import is_votes, of_players, valid_votes, weights_of
from leaderbayes._types import Longs
from leaderbayes.likelihood._hints import are_answers, hint
from leaderbayes.models._model import Data, Model
from leaderbayes.models._scores import by_levels, ends_of, likelihood_of
from leaderbayes.models._weight import check_beside

_NAMES = (
    "bradley_terry", "davidson", "plackett_luce", "round_intercept", "tournaments", "dynamic",
    "mean_score", "rasch", "score_tournaments", "sota",
)  # fmt: skip
MODELS: dict[str, Model] = {
    name: import_module(f"leaderbayes.models._{name}").MODEL for name in _NAMES
}
# Those that `leaderbayes.fit` takes: not of boards.
FITTED = {name: model for name, model in MODELS.items() if "board" not in model.data}

_JUDGES = 30  # most that are left out, one by one
_LEVELS = ("player", "judge", "prompt", "tournament")  # of votes


class Scores(NamedTuple):
    """Scores (player, round), of several tournaments with these first."""

    values: Any
    fits: tuple[Data, ...] = ("matches", "scores")
    read_as: str = "read"
    columns: tuple[str, ...] = BY_ROUND  # options of the command line that are of reading

    @property
    def several(self) -> bool:
        """Whether one model can fit several tournaments of such data."""
        return bool(self.values.sizes.get("tournament", 1) > 1)

    @property
    def parameter(self) -> str:
        """Return the parameter by which players are ranked by default."""
        y = self.values
        answers = likelihood_of(y, "auto", None) == "dirichlet" and y.sizes.get("round", 2) > 1
        # Right and wrong ones: many accuracies of 1 are no answers.
        answers &= are_answers(y) or all(bool((y == end).any()) for end in ends_of(y))
        return "score" if answers or "judge" in y.coords else "epp"

    def tournaments(self) -> list[str]:
        """List the tournaments in order of appearance."""
        if "tournament" not in getattr(self.values, "dims", ()):
            return []
        return [str(name) for name in self.values["tournament"].to_numpy()]

    def of(self, tournament: str) -> Any:
        """Take one tournament."""
        return self.values.sel(tournament=tournament, drop=True)

    def parted(self) -> dict[str, Any]:
        """Return the data of each tournament, with its players and rounds."""
        scores = valid_scores(self.values)
        boards = (scores.isel(tournament=t, drop=True) for t in range(scores.sizes["tournament"]))
        kept = (board.dropna("player", how="all").dropna("round", how="all") for board in boards)
        return dict(zip(Scores(scores).tournaments(), kept, strict=True))

    def valid(self) -> "Scores":
        """Return scores that can be compared; or raise."""
        return Scores(valid_scores(self.values))

    def one(self) -> Any:
        """Return valid scores (player, round) of one tournament; or raise."""
        return one_tournament(self.values).transpose("player", "round")

    def tied(self) -> bool:
        """Whether any match is tied."""
        rounds = self.values.transpose("round", "player").to_pandas()
        return bool((rounds.nunique(axis=1) < rounds.count(axis=1)).any())

    def removable(self) -> tuple[str, np.ndarray, Longs]:
        """Return names of rounds, and positions of those to leave out."""
        return "round", self.values["round"].to_numpy(), np.arange(self.values.sizes["round"])

    def prepared(
        self, model: Model, options: Mapping[str, Any], *, within_round: bool, ties: Ties
    ) -> Any:
        """Return what the model is fitted to, scores or their matches; warn of what it ignores."""
        fraction, cluster = options.get("test_fraction"), options.get("cluster", "auto")
        if "scores" not in model.data:
            pairs = model.pairs or None
            played = compared(self.values, within_round=within_round, ties=ties, pairs=pairs)
            board = by_levels(self.values, cluster)
            hint(board, played, test_fraction=fraction, models_ties=model.tie_parameter)
            return played
        if not (within_round and ties == "half"):
            raise LeaderbayesError(
                f"{model.label} are compared within rounds and need no rule for ties: omit "
                "within_round and ties."
            )
        if "judge" not in self.values.coords:
            board = by_levels(self.values, cluster)
            of = likelihood_of(board, options.get("likelihood", model.likelihood), fraction)
            known = None if "statistic" in options else of
            hint(board, test_fraction=fraction, likelihood=known)
        return self.values

    def estimable(self, options: Mapping[str, Any], _: Any) -> tuple[Any, dict[str, Any]]:
        """Return matches, and the options of an estimate from them."""
        played = matches(self.values, within_round=options["within_round"], ties=options["ties"])
        weight = options["weight"]
        kind = "model" if weight == 1.0 else "clustered"
        return played, {} if weight is None else {"covariance": kind}

    def adapted(self, model: Model, options: dict[str, Any]) -> "Scores":
        """Return the data for the model; remove used ``options``."""
        check_beside(self.values, model)
        board = self.values if model.several else only_tournament(self.values)
        del options["ties"]  # a rule of matches here
        if options["cluster"] == "none":
            board = by_levels(board, options.pop("cluster"))
        return Scores(board)

    def facts(self) -> dict[str, Any]:
        """Return what was read, ready for JSON."""
        return what_was_read(self.values)

    def said(self) -> str:
        """Describe in a line what was read."""
        return describe(self.values)


class Votes(NamedTuple):
    """Votes, as `leaderbayes.read_votes` returns them; the same methods."""

    values: Any
    fits: tuple[Data, ...] = ("votes",)
    read_as: str = "read as votes"
    columns: tuple[str, ...] = ()
    several: bool = False
    parameter: str = "epp"

    def tournaments(self) -> list[str]:
        """List the tournaments in order of appearance."""
        each = np.asarray(self.values.coords.get("tournament", ()))
        return [str(name) for name in pd.unique(each)]

    def of(self, tournament: str) -> Any:
        """Take one tournament."""
        own = self.values["tournament"].to_numpy().astype(str) == tournament
        return self.values.isel(vote=own).drop_vars("tournament")

    def parted(self) -> dict[str, Any]:
        """Return the votes of each tournament, with its players."""
        return {name: of_players(self.of(name)) for name in self.tournaments()}

    def valid(self) -> "Votes":
        """Return votes; what reads them raises."""
        return self

    def one(self) -> Any:
        """Return votes, some of which count; or raise."""
        valid_votes(self.values, "half")
        return self.values

    def tied(self) -> bool:
        """Whether any match is tied."""
        return bool((self.values["outcome"] == 0.5).any())

    def removable(self) -> tuple[str, np.ndarray, Longs]:
        """Return names of judges, and positions of those with the most votes, to leave out."""
        if "judge" not in self.values.coords:
            return "judge", np.empty(0, dtype=object), np.empty(0, dtype=np.int64)
        code, names = pd.factorize(self.values["judge"].to_numpy())
        votes = np.bincount(code, weights_of(self.values), len(names))
        return "judge", np.asarray(names), np.sort(np.argsort(-votes, kind="stable")[:_JUDGES])

    def prepared(
        self, model: Model, options: Mapping[str, Any], *, within_round: bool, ties: Ties
    ) -> Any:
        """Return votes, which models take as they are."""
        return self.values

    def estimable(
        self, options: Mapping[str, Any], typed: Sequence[str]
    ) -> tuple[Any, dict[str, Any]]:
        """Return votes, and those options of an estimate that were given."""
        return self.values, {name: options[name] for name in typed}

    def adapted(self, model: Model, options: dict[str, Any]) -> "Votes":
        """Return the data for the model."""
        return self

    def facts(self) -> dict[str, Any]:
        """Return what was read, ready for JSON."""
        votes = self.values
        count = float(votes["weight"].sum()) if "weight" in votes else votes.sizes["vote"]
        what: dict[str, Any] = {"kind": "votes", "columns": str(votes.attrs["read_as"])}
        what |= {"unused": votes.attrs["unused"]} if "unused" in votes.attrs else {}
        known = {f"{k}s": votes[k].to_numpy().tolist() for k in _LEVELS if k in votes.coords}
        return what | {"votes": round(count)} | {k: len(set(v)) for k, v in known.items()}

    def said(self) -> str:
        """Describe in a line what was read."""
        what = self.facts()
        sizes = [counted(what[f"{k}s"], k) for k in ("vote", *_LEVELS) if f"{k}s" in what]
        unused = f"; not used: {what['unused']}" if "unused" in what else ""
        return f"{what['columns']}; {', '.join(sizes)}{unused}"


def data_of(given: Any) -> Scores | Votes:
    """Distinguish votes from scores."""
    return Votes(given) if is_votes(given) else Scores(given)


def models_of(*, several: bool) -> list[Model]:
    """List the models of several tournaments, or of one."""
    return [model for model in MODELS.values() if model.several == several]


def first_of(parameter: str, *, several: bool) -> Model:
    """Return the first model that ranks players by this, of several tournaments or of one."""
    known = [*models_of(several=several), *MODELS.values()]
    return next(model for model in known if model.parameter == parameter)


def takers_of(data: Scores | Votes) -> list[Model]:
    """List the models of one tournament that can be fitted to such data."""
    return [m for m in models_of(several=False) if {*data.fits} & {*m.data}]
