"""The kinds of posteriors: strengths from rounds or votes, mean scores, and teams of a board."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import xarray as xr
from scipy.special import ndtr

from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.base import Posterior as Posterior
from leaderbayes._fits.matches import kept_votes, positions, votes_by_pair
from leaderbayes._numerics.bradley_terry import expit_mean
from leaderbayes._numerics.design import PERHAPS
from leaderbayes._numerics.pairs import Separation, over_all_rounds
from leaderbayes._types import AnyInts, Floats
from leaderbayes.likelihood._hints import MOST_COMPARED, apart, separation_of
from leaderbayes.models._model import Kind


class Strengths(Posterior):
    """Strengths of players from who beat whom in rounds."""

    parameter = "epp"
    parts: ClassVar = {"constant_data": ("weight",), "observed_data": ()}
    kind = Kind(
        name="epp", counted="matches", unit="round", match="match",
        misfit="deviance of head-to-head results", said="who beats whom in each round",
        wins_by="model", average="win", gains=True, rope_below=0.5,
        pairs=("Win probabilities", "beats"),
        first="{one} beats {other} in a new {unit} with probability {win_probability} "
        "({level}{win_ends}).",
        better="{one} is stronger, over all opponents, with probability {p_better}.",
        near="win probability within {rope:g} of 1/2",
    )  # fmt: skip

    @cached_property
    def separation(self) -> Separation | None:
        """How rounds separate players by who plays in them; None if that is nothing but luck."""
        if self.varies_by or not self.model.blends or len(self.players) > MOST_COMPARED:
            return None
        if self.scores is None or self.scores.notnull().all():  # before any pair is counted
            return None
        found = separation_of(self.matches())
        return found if apart(found) else None

    @cached_property
    def draws(self) -> Floats:
        """Draws (sample, player) of the parameter, extrapolated where missing scores matter."""
        found, epp = self.separation, super().draws
        if found is None:
            return epp
        return over_all_rounds(found, self.matches()["place"].to_numpy(), epp)

    def _estimand(self) -> str | None:
        return " ".join(filter(None, [super()._estimand(), *apart(self.separation)])) or None


class OfTournaments(Posterior):
    """Of several tournaments at once: what is the same in all, and how much they differ."""

    several = True
    won: Callable[[Floats, Floats], Floats]  # mean win probability of a gap that varies so much

    @classmethod
    def is_of(cls, post: Posterior) -> bool:
        """Whether the posterior has a spread between tournaments, too; raise if these are lost."""
        found = super().is_of(post) and post.has(f"{cls.parameter}_spread")
        known = {"tournament"} <= set(post.tree["posterior"].dims)
        if found and not known and post.has(f"{cls.parameter}_tournament"):
            raise LeaderbayesError(
                f"{post.called} is of several tournaments, of which it has lost the dimension "
                "tournament: take one by leaderbayes.study.select(dt, name)."
            )
        return found

    @cached_property
    def tournaments(self) -> Sequence[str]:  # type: ignore[override]
        """Names of the tournaments."""
        return [str(name) for name in self.tree["posterior"].dataset["tournament"].to_numpy()]

    @cached_property
    def round_of(self) -> AnyInts:
        """Number (tournament_round,) of each observed round's tournament, -1 if it is gone."""
        known = super().group("constant_data")
        if "tournament_of_round" not in known:
            raise LeaderbayesError(f"{self.called} has no constant_data/tournament_of_round.")
        names = self.tree["posterior"]["tournament"]
        return positions(known, "tournament", names, known["tournament_of_round"])

    def group(self, name: str) -> xr.Dataset:
        """Return a group, with the rounds of tournaments that are still there; or raise."""
        found = super().group(name)
        if "tournament_round" not in found.dims:
            return found
        if "tournament_of_round" in found:
            found = found.assign(tournament_of_round=("tournament_round", self.round_of))
        return found.isel(tournament_round=self.round_of >= 0)

    @property
    def spread(self) -> Floats:
        """Draws (sample,) of the standard deviation between tournaments."""
        return self.read(f"{self.parameter}_spread")

    def chance(self, gap: Floats, factor: Floats | float, picked: Any = slice(None)) -> Floats:
        """Return the probability that the player ahead wins in a new tournament."""
        scale = factor * self.spread[picked].reshape(-1, *[1] * (gap.ndim - 1))
        return np.asarray(self.won(gap, scale))

    @property
    def rows(self) -> Any:
        """Mean score of each player in each tournament (round, player); or raise."""
        if self.scores is None:
            raise LeaderbayesError(f"{self.called} has no scores in constant_data.")
        return self.data.mean("round", keep_attrs=True).rename(tournament="round")


class StrengthsOfTournaments(OfTournaments, Strengths):
    """Strengths over several tournaments."""

    kind, won = Strengths.kind.over_tournaments(), staticmethod(expit_mean)


# Pairs chosen by earlier results of the same votes look like pairs matched by strength.
_PAIRING = {
    True: "Opponents look matched by strength, which intervals allow for. If results among these "
    "votes chose the pairs, fit with options={'matched': False} (--option matched=False).",
    False: "Opponents may be matched by strength. If they are, and not by results among these "
    "votes, fit with options={'matched': True} (--option matched=True).",
}


class StrengthsOfVotes(Strengths):
    """Strengths from votes, which have no rounds and no scores."""

    observed = frozenset({"vote"})
    parts: ClassVar = {
        "constant_data": ("first", "second", "count", "weight", "opinion_variance"),
        "observed_data": ("outcome",),
    }
    kind = Strengths.kind._replace(
        name="votes", counted="votes", unit="vote", more="votes", met="votes",
        parts=("judge", "prompt", "vote"), match="vote", said="who beats whom in votes",
        card="votes",
    )  # fmt: skip

    @property
    def data(self) -> xr.Dataset:
        """Votes from which the same model can be fitted again."""
        return self.votes

    @cached_property
    def votes(self) -> xr.Dataset:
        """Votes that it was fitted to, as `read_votes` returns them."""
        outcome = self.group("observed_data")["outcome"].to_numpy()
        return kept_votes(self.constant, outcome, self.players.to_numpy())

    @cached_property
    def _shown(self) -> tuple[AnyInts, AnyInts]:
        """Positions (vote,) of the first and the second player, -1 of one that is gone."""
        known = super().group("constant_data")
        each = (positions(known, "player", self.players, known[k]) for k in ("first", "second"))
        first, second = each
        if not ((first >= 0) & (second >= 0)).any():
            raise LeaderbayesError(f"{self.called} has no vote on two of its players.")
        return first, second

    def group(self, name: str) -> xr.Dataset:
        """Return a group, of votes on players that are still there; or raise."""
        found = super().group(name)
        if "vote" not in found.dims:
            return found
        first, second = self._shown
        if name == "constant_data":
            found = found.assign(first=("vote", first), second=("vote", second))
        here = (first >= 0) & (second >= 0)
        return found if here.all() else found.isel(vote=here)

    def _matches_of(self, names: Any) -> xr.Dataset:
        board = votes_by_pair(self.votes, self.constant, self.draws.mean(axis=0))
        return board.sel(player=names, opponent=names)

    def _estimand(self) -> str | None:
        doubtful = self.option("gap_by_chance", 1.0) < PERHAPS
        return _PAIRING[bool(self.option("matched"))] if doubtful else None

    @cached_property
    def offset(self) -> Floats:  # type: ignore[override]
        """Log-odds of votes (vote,) for the first by what is no player: order and covariates."""
        if not self.has("effect_size") or "effect_value" not in self.constant:
            return np.zeros(self.votes.sizes["vote"])
        values = self.constant["effect_value"].transpose("vote", "effect").to_numpy()
        return np.asarray(values @ self.read("effect_size", "effect").mean(axis=0))


class MeanScores(Posterior):
    """Mean scores of players over rounds."""

    parameter = "score"
    kind = Kind(
        name="score", counted="scores", unit="round", match="score", misfit="largest residual",
        said="right-or-wrong answers, by means", items=True,
    )  # fmt: skip

    def group(self, name: str) -> xr.Dataset:
        """Return a group; or raise, with how to add it, where the model of these data has it."""
        none = self.tree.attrs.get("sampler") == "exact" and not (self.has("noise") or self.several)
        if none and name in {"posterior_predictive", "log_likelihood"} - {*self.tree.children}:
            raise LeaderbayesError(
                f"Items, medians and interquartile means have no {name}: use model='rasch' for "
                "items, or model='bradley_terry'."
            )
        if name == "log_likelihood" and self.tree.attrs.get("sampler") == "imputation":
            raise LeaderbayesError(
                "Where scores are missing there is no log_likelihood: fit complete rounds alone, "
                "data.dropna('round')."
            )
        return super().group(name)

    def again(self, data: Any) -> dict[str, Any]:
        """Return arguments of a fit to a part of the data: to fewer clusters, too."""
        return {"cluster": "new"} if "cluster" in data.coords else {}


class ScoresOfTournaments(OfTournaments, MeanScores):
    """Mean scores over several tournaments."""

    kind = MeanScores.kind.over_tournaments(
        first="{one} minus {other}, means over data sets: {difference} ({level}{difference_ends}); "
        "better with probability {mean_better}.",
        better="On a new data set: {new_ends}; better with probability {p_better}.",
    )
    won = staticmethod(lambda gap, scale: ndtr(gap / scale))


class Teams(Posterior):
    """True performance of the teams of a competition's board."""

    parameter, who = "theta", "team"
    kind = Kind(
        name="theta", counted="scores", unit="score", match="score", misfit="discrepancy",
        said="the best of a board", ticks="score",
    )  # fmt: skip

    @property
    def unit(self) -> str:
        """Unit of the draws, in words."""
        if "se" in self.known:
            return "the metric's unit"
        return self.model.unit if self.higher_is_better else "probability of a wrong answer"

    def own_unit(self, values: Any) -> Any:
        """Return values of a board of losses, whose model has 1 - loss or -loss."""
        if self.higher_is_better:
            return values
        return -values if "se" in self.known else (1.0 - values).round(12)

    @property
    def board(self) -> xr.DataArray | None:
        """Scores of teams (team,), where they are known."""
        for group in ("constant_data", "observed_data"):
            if group in self.tree.children and "score" in self.tree[group].dataset:
                board: xr.DataArray = self.own_unit(self.tree[group].dataset["score"])
                return board
        return None

    def _place(self) -> xr.DataArray:
        raise LeaderbayesError(f"{self.called} ranks teams, which play no matches in rounds.")


# The first whose data these are.
KINDS: tuple[type[Posterior], ...] = (
    StrengthsOfVotes, StrengthsOfTournaments, Strengths, ScoresOfTournaments, MeanScores, Teams,
)  # fmt: skip


def own_prior(post: Posterior) -> bool:
    """Whether players have a prior that is not the model's, whose scale is gone."""
    return not any(map(post.has, ("epp_scale", "score_scale", "ability_scale")))
