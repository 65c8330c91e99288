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
    """The kind of data of a posterior, and the words for it."""

    name: Literal["epp", "votes", "score", "theta"]
    counted: str  # what its data are made of
    unit: str  # what more data come in
    more: Literal["votes", "rounds"]  # what `plan` asks for
    met: Literal["votes", "matches"]  # what a pair's own record is made of
    parts: tuple[str, ...]  # what data are parted by: the last always, the others where they are
    match: str  # what a weight is of
    said: str  # why it was taken by default


_ROUNDS, _VOTES = ("cluster", "round"), ("judge", "prompt", "vote")
# By the parameter, and that of votes.
KINDS = {
    "epp": Kind(
        "epp", "matches", "round", "rounds", "matches", _ROUNDS, "match",
        "who beats whom in each round",
    ),
    "votes": Kind(
        "votes", "votes", "vote", "votes", "votes", _VOTES, "vote", "who beats whom in votes"
    ),
    "score": Kind(
        "score", "scores", "round", "rounds", "matches", _ROUNDS, "score",
        "right-or-wrong answers, by means",
    ),
    "theta": Kind(
        "theta", "scores", "score", "rounds", "matches", _ROUNDS, "score", "the best of a board"
    ),
}  # fmt: skip


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
    """A model: how to build and fit it, and how answers describe it.

    Attributes
    ----------
    name, label : str
        Name of the function in `leaderbayes.models`, and as people write it.
    data : tuple of str
        What it is fitted to: "matches" of scores, "votes", "scores", or a "board" of a competition.
    parameter, unit : str
        What players are ranked by: "epp", "score" or "theta", and its unit.
    build : callable
        The data and options to a `pymc.Model`.
    problem : callable, optional
        The same data and options to a `Problem`, of models that the fast engine draws.
    draw : callable, optional
        For models whose posterior can be drawn directly.
    log_likelihood : callable, optional
        Draws by name (sample, ...) and one tournament's matches, as `Posterior.matches` returns
        them, to the log-likelihood of each round (sample, round), whatever its weight.
    complete : callable, optional
        For models of which a general sampler leaves something out: a posterior to the same with it.
    several : bool
        Whether it is about several tournaments at once.
    ties : tuple of str
        Rules for ties that `leaderbayes.matches` may have used.
    tie_parameter : bool
        Whether ties have a parameter of their own.
    across : bool
        Whether scores may be compared across rounds.
    blends : bool
        Whether win probabilities are a blend of the model's and of a pair's own record.
    weight : "composite" or float
        Default power of the likelihood.
    takes : tuple of str
        What scores may have beside them: "round_weight", "judge".
    """

    name: str
    label: str
    data: tuple[Data, ...]
    parameter: Literal["epp", "score", "theta"]
    unit: str
    build: Callable[..., Any]
    problem: Callable[..., Problem] | None = None
    draw: Callable[..., Any] | None = None
    log_likelihood: Callable[[Mapping[str, Floats], xr.Dataset], Floats] | None = None
    complete: Callable[[xr.DataTree], xr.DataTree] | None = None
    several: bool = False
    ties: tuple[Ties, ...] = ("half",)
    tie_parameter: bool = False
    across: bool = False
    blends: bool = False
    pairs: bool = True  # whether it needs tables of all pairs
    weight: float | Literal["composite"] = "composite"
    takes: tuple[str, ...] = ()

    def counted(self, won: Floats, played: Floats, tied: Floats) -> tuple[Floats, Floats]:
        """Return wins and matches that strengths explain: without ties if they have a parameter."""
        return (won - tied / 2.0, played - tied) if self.tie_parameter else (won, played)
