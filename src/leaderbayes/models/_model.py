"""What the package knows of a model: one `Model`, at the end of each model's file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import xarray as xr

from leaderbayes._numerics.target import Target
from leaderbayes._scores.matches import Ties
from leaderbayes._types import Floats

Data = Literal["matches", "votes", "scores", "board"]


class Kind(NamedTuple):
    """Words, units and defaults for posteriors of one kind of data."""

    name: str  # of the templates that describe its data
    counted: str  # what its data are made of
    unit: str  # what more data come in
    match: str  # what a weight is of
    misfit: str  # what `check` goes by
    said: str  # why it was taken by default
    more: Literal["votes", "rounds"] = "rounds"  # what `plan` asks for
    met: Literal["votes", "matches"] = "matches"  # what a pair's own record is made of
    parts: tuple[str, ...] = ("cluster", "round")  # of data: the last always, others where known
    wins_by: Literal["model", "record"] = "record"  # win probabilities, by default
    average: Literal["win", "rank"] = "rank"  # over tournaments of a study
    affordable: int = 200_000_000  # draws of all pairs: a few seconds of them
    items: bool = False  # whether rounds may be items, of which no model is assumed
    gains: bool = False  # whether more is better, whatever scores are
    ticks: str | None = None  # column of the leaderboard that is marked beside intervals
    where: str = ""  # two are compared
    pairs: tuple[str, str] = ("Who is better", "is better than")  # of a page: heading and verb
    card: str = ""  # of all its models, if these have none of their own
    # Of two players, and what a region of equivalence is of.
    first: str = "{one} minus {other}: {difference} ({level}{difference_ends})."
    better: str = "{one} is better with probability {p_better}."
    near: str = "difference within {rope:g}"
    rope_below: float = np.inf
    # What to do where the model does not describe the data.
    instead: str = "model='bradley_terry'"

    def over_tournaments(self, **words: Any) -> "Kind":
        """Return the same where further data are tournaments."""
        return self._replace(
            unit="tournament", parts=("tournament",), said=f"{self.said}, over several tournaments",
            wins_by="model", affordable=4_000_000, items=False, where=" in a new tournament",
            instead="each tournament by itself",
        )._replace(**words)  # fmt: skip


class Problem(NamedTuple):
    """One data set under one model without PyMC, for the fast engine and replicates."""

    target: Target
    # Strengths (draw, player), their scale (draw,) and parameters (draw, k) to the variables of
    # the posterior, each with the draws first.
    expand: Callable[[Floats, Floats, Floats, np.random.Generator], Mapping[str, Floats]]
    dims: Mapping[str, tuple[str, ...]]  # of each variable, without draws
    # Draws of the posterior, by name, to as many data sets like the observed one.
    replicate: Callable[[Mapping[str, Floats], np.random.Generator], Any]
    # To the log-likelihood (draw, observation), where leaving one out by it is right; or None.
    log_likelihood: Callable[[Mapping[str, Floats]], Floats] | None
    log_prior: Mapping[str, Callable[[Floats], Floats]]  # of what options set the priors of
    observed: xr.Dataset  # one variable
    constant: xr.Dataset
    coords: Mapping[str, Any]
    # As `expand`, of draws of the prior, where what data say of the rest is no part of it.
    expand_prior: Callable[..., Mapping[str, Floats]] | None = None

    def prior(
        self, a: Floats, extra: Floats, scale: Floats, rng: np.random.Generator
    ) -> Mapping[str, Floats]:
        """Return draws of the prior."""
        return (self.expand_prior or self.expand)(a, extra, scale, rng)


@dataclass(frozen=True, kw_only=True)
class Model:
    """A model: how to build and fit it, and how answers describe it."""

    name: str  # of the function in `leaderbayes.models`
    label: str  # as people write it
    data: tuple[Data, ...]  # what it is fitted to
    parameter: Literal["epp", "score", "theta"]  # what players are ranked by
    unit: str
    build: Callable[..., Any]  # the data and options to a `pymc.Model`
    # The same data and options to a `Problem`, of models that the fast engine draws.
    problem: Callable[..., Problem] | None = None
    draw: Callable[..., Any] | None = None  # for models whose posterior can be drawn directly
    # Draws by name (sample, ...) and one tournament's matches, as `Posterior.matches` returns them,
    # to the log-likelihood of each round (sample, round), whatever its weight.
    log_likelihood: Callable[[Mapping[str, Floats], xr.Dataset], Floats] | None = None
    # Where a general sampler leaves something out of a posterior: to the same with it.
    complete: Callable[[xr.DataTree], xr.DataTree] | None = None
    several: bool = False  # whether it is about several tournaments at once
    ties: tuple[Ties, ...] = ("half",)  # rules that `leaderbayes.matches` may have used
    tie_parameter: bool = False  # whether ties have a parameter of their own
    across: bool = False  # whether scores may be compared across rounds
    likelihood: str = "auto"  # of scores, by default
    # Whether win probabilities are a blend of the model's and of a pair's own record.
    blends: bool = False
    pairs: bool = True  # whether it needs tables of all pairs
    weight: float | Literal["composite"] = "composite"  # default power of the likelihood
    takes: tuple[str, ...] = ()  # what scores may have beside them: "round_weight", "judge"

    def counted(self, won: Floats, played: Floats, tied: Floats) -> tuple[Floats, Floats]:
        """Return wins and matches that strengths explain: without ties if they have a parameter."""
        return (won - tied / 2.0, played - tied) if self.tie_parameter else (won, played)
