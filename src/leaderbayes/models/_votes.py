r"""Votes as data of Bradley-Terry's and of Davidson's model.

.. math:: \mathrm{logit}\,P(first\ wins) = b_{first} - b_{second} + x'\beta

Every vote's log-likelihood is multiplied by its weight, because votes of one judge, and votes on
one prompt, depend on each other (`vote_weights`). This module has what a model's file needs:
`vote_statistics` reads the votes, `observe_votes` adds them to a pymc.Model, and `VoteTarget` is
the same likelihood on plain arrays.
"""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from scipy.special import expit

from leaderbayes._arguments import one_of
from leaderbayes._errors import HintWarning, LeaderbayesError
from leaderbayes._numerics import design
from leaderbayes._numerics.engine import Target
from leaderbayes._numerics.vote_replicates import Again
from leaderbayes._numerics.vote_weights import Together, together
from leaderbayes._numerics.votes import (
    EFFECT_SCALE,
    TIE_SCALE,
    Estimate,
    Likelihood,
    counted,
    has_covariates,
    law_at,
    maximum,
    met_of,
    reduced,
)
from leaderbayes._scores.matches import check_ties
from leaderbayes._scores.vote_matches import CLUSTERINGS, counted_votes
from leaderbayes._types import Floats
from leaderbayes.likelihood._vote_rows import VoteRows, said_of_few, vote_rows
from leaderbayes.models._board import (
    PRIOR_SCALE,
    degrees_of_freedom,
    half_normal,
    normal,
    refuse_given,
    target_of_pairs,
)
from leaderbayes.models._model import Problem
from leaderbayes.models._weight import check_scales, warn_if_apart

_EXACT = 2000  # votes with covariates, beyond which effects are nearly normal given strengths

_PACKAGE = str(Path(__file__).parents[1])


class VoteStatistics(NamedTuple):
    """Votes that count, and how much each counts."""

    rows: VoteRows
    at: Estimate  # near the highest likelihood
    together: Together
    ways: design.Ways | None  # where pairs were matched by strength

    @property
    def weight(self) -> Floats:
        """Power of each vote's likelihood (vote,)."""
        return self.together.weight


def vote_statistics(
    votes: xr.Dataset,
    *,
    ties: str = "half",
    cluster: str | Sequence[str] = "auto",
    order_effect: bool = False,
    covariates: Sequence[str] | None = None,
    matched: bool | None = None,
    tie: bool = False,
) -> VoteStatistics:
    """Read votes, and estimate how much each counts.

    Parameters
    ----------
    votes : Dataset
        From `read_votes`.
    ties, cluster, order_effect, covariates, matched
        As for `leaderbayes.fit`.
    tie : bool
        Whether ties have a parameter (Davidson's model).

    Warns
    -----
    HintWarning
        LB044, if judges or prompts are few.
    """
    one_of("matched", matched, None, True, False)
    if tie and ties != "half":
        raise LeaderbayesError(
            f"ties={ties!r}: davidson has a parameter for ties; take ties='half', which leaves "
            "them as they are, or model='bradley_terry'."
        )
    rows = vote_rows(
        votes, ties=ties, cluster=cluster, order_effect=order_effect, covariates=covariates
    )
    # With proper priors there is an estimate, whoever won.
    at = maximum(rows.votes, 1.0, tie=tie, effect_scale=EFFECT_SCALE, tie_scale=TIE_SCALE)
    law = law_at(rows.votes, at)
    found = together(rows.votes, law, tuple(rows.clusters.values()), ties_modelled=tie)
    for text in said_of_few(rows, found):
        warnings.warn(text, HintWarning, skip_file_prefixes=(_PACKAGE,))
    met = met_of(rows.votes)
    long = design.has_long_ways(met) if matched is None else matched
    return VoteStatistics(rows, at, found, design.ways(met) if long else None)


def matched_strengths(unit: Any, found: VoteStatistics) -> Any:
    """Map strengths (player,) of a pymc.Model where pairs were matched, and add ``matching``."""
    import pymc as pm

    if found.ways is None:
        return unit
    alpha = pm.Uniform("matching", 0.0, design.LARGEST)
    shrink = pm.math.exp(-0.5 * alpha * found.ways.log_known)
    return found.ways.way @ (shrink * (found.ways.way.T @ unit))


def observe_votes(found: VoteStatistics, epp: Any, tie: Any = None) -> Any:
    """Add the votes to the pymc.Model under construction.

    It gets the dimensions "vote", "effect" and "clustering", ``outcome`` (vote,), observed,
    ``effect_size`` (effect,) where there are effects, and as data all that answers need.

    Parameters
    ----------
    found : VoteStatistics
    epp : tensor (player,)
    tie : tensor, optional
        Davidson's nu; None for Bradley-Terry, where a tie is half a win for both.
    """
    import pymc as pm

    rows, votes = found.rows, found.rows.votes
    again = Again(votes, votes, tuple(rows.clusters.values()), found.together.tau2)
    coords: dict[str, Any] = {"vote": np.arange(len(votes.n)), "clustering": rows.clusterings}
    pm.modelcontext(None).add_coords(coords)
    first, second = (pm.Data(k, getattr(votes, k), dims="vote") for k in ("first", "second"))
    count = pm.Data("count", votes.n, dims="vote")
    weight = pm.Data("weight", found.weight, dims="vote")
    for name, group in rows.clusters.items():
        pm.Data(name, group, dims="vote")
    pm.Data("opinion_variance", found.together.tau2, dims="clustering")
    if rows.both_bad is not None:
        pm.modelcontext(None).add_coord("opponent", rows.kept["player"].to_numpy())
        pm.Data("both_bad", rows.both_bad, dims=("player", "opponent"))
    eta = epp[first] - epp[second]
    if rows.effects:
        pm.modelcontext(None).add_coord("effect", rows.effects)
        pm.Data("effect_unit", rows.units, dims="effect")
        value = pm.Data("effect_value", votes.effect, dims=("vote", "effect"))
        eta += value @ pm.Normal("effect_size", 0.0, EFFECT_SCALE, dims="effect")

    def logp(value: Any, eta: Any, count: Any, weight: Any, *nu: Any) -> Any:
        half = 0.5 * abs(eta)
        others = pm.math.exp(-2.0 * half)
        likelihood = (value - 0.5) * eta - half
        if nu:
            others += pm.math.exp(nu[0] - half)
            likelihood += 4.0 * value * (1.0 - value) * nu[0]
        return weight * count * (likelihood - pm.math.log1p(others))

    def random(eta: Any, count: Any, weight: Any, *nu: Any, rng: Any, size: Any = None) -> Any:
        eta = np.broadcast_to(eta, np.shape(eta) if size is None else size)
        flat = eta.reshape(-1, eta.shape[-1])
        level = np.broadcast_to(nu[0], eta.shape).reshape(flat.shape)[:, 0] if nu else None
        won, _ = again.draw(flat.T, rng, nu=level, phi=found.together.phi)
        return (won / votes.n[:, None]).T.reshape(eta.shape)

    return pm.CustomDist(
        "outcome", eta, count, weight, *([] if tie is None else [tie]), logp=logp, random=random,
        observed=pm.Data("vote_outcome", votes.won / votes.n, dims="vote"), dtype="float64",
        dims="vote",
    )  # fmt: skip


class VoteTarget:
    """Likelihood of votes on plain arrays, at many points at once.

    Beside strengths there are, in this order, effects, Davidson's nu with ``tie``, and, where pairs
    were matched, the logit of ``matching`` / 2, whose prior is part of the likelihood. Of many
    votes with covariates effects and nu are integrated out, and drawn given strengths.
    """

    def __init__(
        self, found: VoteStatistics, *, tie: bool = False, tie_scale: float = TIE_SCALE
    ) -> None:
        votes = counted(found.rows.votes, found.weight)
        self.ways, self.effects, self.tie = found.ways, found.rows.effects, tie
        self.reduced = None
        if len(votes.n) > _EXACT and has_covariates(votes):
            self.reduced = reduced(votes, tie=tie, tie_scale=tie_scale)
            votes = self.reduced.votes
        self.likelihood = Likelihood(votes, tie=tie and self.reduced is None)
        scales = [EFFECT_SCALE] * len(self.effects) + [tie_scale] * tie
        scales = [] if self.reduced else scales
        self.extra_scale = np.array(scales + [np.inf] * (self.ways is not None))
        self.cells = len(self.likelihood.votes.n)

    def log_likelihood(
        self, a: Floats, extra: Floats, gradient: bool = True
    ) -> tuple[Floats, Floats, Floats]:
        """Return the log-likelihood (point,), and gradients in strengths and in the rest.

        Parameters
        ----------
        a : (point, player)
        extra : (point, k)
        gradient : bool
            Whether gradients are wanted; else they are empty.
        """
        none, m = np.empty((0, 0)), a.shape[1]
        if self.ways is None:
            x = np.column_stack([a, extra])
            if not gradient:
                return self.likelihood.value(x), none, none
            value, slope = self.likelihood.gradient(x)
            return value, slope[:, :m], slope[:, m:]
        logit = extra[:, -1]
        share = expit(logit)
        alpha = design.LARGEST * share
        x = np.column_stack([design.along(a, alpha, self.ways), extra[:, :-1]])
        prior = -np.logaddexp(0.0, logit) - np.logaddexp(0.0, -logit)
        if not gradient:
            return self.likelihood.value(x) + prior, none, none
        value, slope = self.likelihood.gradient(x)
        by_a, by_alpha = design.pull_back(a, alpha, self.ways, slope[:, :m])
        by_logit = by_alpha * alpha * (1.0 - share) + 1.0 - 2.0 * share
        return value + prior, by_a, np.column_stack([slope[:, m:], by_logit])

    def strengths(self, a: Floats, extra: Floats) -> Floats:
        """Return epp (draw, player) of draws."""
        if self.ways is not None:
            a = design.along(a, design.LARGEST * expit(extra[:, -1]), self.ways)
        return a - a.mean(axis=1, keepdims=True)

    def others(self, epp: Floats, extra: Floats, rng: np.random.Generator) -> dict[str, Floats]:
        """Return draws of effect_size, tie and matching, those that there are, given epp."""
        found, k = {}, len(self.effects)
        if self.ways is not None:
            found["matching"] = design.LARGEST * expit(extra[:, -1])
        if self.reduced is not None:
            extra = self.reduced.draw(epp, rng)
        if k:
            found["effect_size"] = extra[:, :k]
        if self.tie:
            found["tie"] = extra[:, k]
        return found


def model_of_votes(name: str, votes: xr.Dataset, **options: Any) -> Any:
    """Build the pm.Model of votes, by the options of `models.bradley_terry`."""
    import pymc as pm

    found, prior, tie_scale = _read(votes, **options)
    players = found.rows.kept["player"].to_numpy()
    with pm.Model(coords={"player": players, "model": [name]}) as model:
        pm.Data("higher_is_better", [1], dims="model")
        scale = pm.HalfNormal("epp_scale", prior[0])
        unit = pm.StudentT("epp_unit", nu=prior[1], sigma=1.0, dims="player")
        a = matched_strengths(scale * unit, found)
        b = pm.Deterministic("epp", a - a.mean(), dims="player")
        nu = None if tie_scale is None else pm.Normal("tie", 0.0, tie_scale)
        observe_votes(found, b, nu)
    return model


def problem_of_votes(name: str, votes: xr.Dataset, **options: Any) -> Problem:
    """Return the same for the fast engine."""
    found, prior, tie_scale = _read(votes, **options)
    rows = found.rows
    own = VoteTarget(found, tie=tie_scale is not None, tie_scale=tie_scale or 1.0)
    if len(own.extra_scale):
        target = Target(
            rows.votes.players, own.log_likelihood, *prior, own.extra_scale, cells=own.cells
        )
    else:
        sums = own.likelihood.votes
        points = np.bincount(sums.first, sums.won, sums.players)
        points = points + np.bincount(sums.second, sums.n - sums.won, sums.players)
        target = target_of_pairs(points, met_of(sums), *prior)

    def expand(
        a: Floats, extra: Floats, scale: Floats, rng: np.random.Generator
    ) -> dict[str, Floats]:
        epp = own.strengths(a, extra)
        return {"epp": epp, "epp_scale": scale, **own.others(epp, extra, rng)}

    def replicate(drawn: Mapping[str, Floats], rng: np.random.Generator) -> Floats:
        eta = drawn["epp"][:, rows.votes.first] - drawn["epp"][:, rows.votes.second]
        if rows.effects:
            eta = eta + drawn["effect_size"] @ rows.votes.effect.T
        again = Again(rows.votes, rows.votes, tuple(rows.clusters.values()), found.together.tau2)
        won, _ = again.draw(eta.T, rng, nu=drawn.get("tie"), phi=found.together.phi)
        return np.asarray((won / rows.votes.n[:, None]).T)

    coords = {"player": rows.kept["player"].to_numpy(), "vote": np.arange(len(rows.votes.n))}
    log_prior = {"epp_scale": half_normal(prior[0])}
    observed = {"outcome": ("vote", rows.votes.won / rows.votes.n)}
    return Problem(
        target=target,
        expand=expand,
        dims={"epp": ("player",), "effect_size": ("effect",)},
        replicate=replicate,
        log_likelihood=None,
        log_prior=log_prior | ({} if tie_scale is None else {"tie": normal(tie_scale)}),
        observed=xr.Dataset(observed, {"vote": coords["vote"]}),
        constant=constants_of_votes(name, found),
        coords=coords | ({"effect": rows.effects} if rows.effects else {}),
        votes=found,
    )


def _read(
    votes: xr.Dataset,
    *,
    prior_scale: float = PRIOR_SCALE,
    prior_df: float | None = None,
    tie_scale: float | None = None,
    weight: Any = "composite",
    test_fraction: float | None = None,
    **options: Any,
) -> tuple[VoteStatistics, tuple[float, float], float | None]:
    """Check options and read votes; return these, the prior of strengths, and that of ties."""
    of_rounds = {"weight": None if weight == "composite" else weight}
    refuse_given(of_rounds | {"test_fraction": test_fraction}, "rounds of scores")
    check_scales(prior_scale=prior_scale, **({} if tie_scale is None else {"tie_scale": tie_scale}))
    given = {name: value for name, value in options.items() if value is not None}
    ties = given.get("ties", "half")
    check_ties(ties, ("half", "drop"), "votes")
    warn_if_apart(counted_votes(votes, ties))
    found = vote_statistics(votes, tie=tie_scale is not None, **given)
    df = degrees_of_freedom(prior_df, found.rows.votes.players)
    return found, (prior_scale, df), tie_scale


def constants_of_votes(name: str, found: VoteStatistics) -> xr.Dataset:
    """Return the group ``constant_data``: what `observe_votes` registers, and names of judges."""
    rows, votes = found.rows, found.rows.votes
    values: dict[str, Any] = {
        "first": ("vote", votes.first), "second": ("vote", votes.second),
        "count": ("vote", votes.n), "weight": ("vote", found.weight),
        "opinion_variance": ("clustering", found.together.tau2),
        "higher_is_better": ("model", [1]),
    }  # fmt: skip
    coords: dict[str, Any] = {"clustering": rows.clusterings, "model": [name]}
    labels = (*CLUSTERINGS, "time")
    values |= {k: ("vote", rows.kept[k].to_numpy()) for k in labels if k in rows.kept.variables}
    if rows.effects:
        values["effect_value"] = ("vote", "effect"), votes.effect
        values["effect_unit"] = "effect", rows.units
        coords["effect"] = rows.effects
    if rows.both_bad is not None:
        values["both_bad"] = ("player", "opponent"), rows.both_bad
        names = rows.kept["player"].to_numpy()
        coords |= {"player": names, "opponent": names}
    return xr.Dataset(values, coords, rows.kept.attrs)
