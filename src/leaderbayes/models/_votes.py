r"""Votes as data of the Bradley-Terry and Davidson models.

.. math:: \mathrm{logit}\,P(first\ wins) = b_{first} - b_{second} + x'\beta

Every vote's log-likelihood is multiplied by its weight, because votes of one judge, and votes on
one prompt, depend on each other (`vote_weights`). With ``tie_scale`` ties have a parameter.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from leaderbayes._arguments import one_of
from leaderbayes._errors import LeaderbayesError, warn
from leaderbayes._numerics import design
from leaderbayes._numerics.vote_replicates import Again
from leaderbayes._numerics.vote_weights import Together, together
from leaderbayes._numerics.votes import (
    EFFECT_SCALE,
    TIE_SCALE,
    counted,
    law_at,
    maximum,
    met_of,
    regressors,
    row_of,
)
from leaderbayes._scores.matches import check_ties
from leaderbayes._scores.vote_matches import CLUSTERINGS, counted_votes
from leaderbayes._types import Floats, Longs
from leaderbayes.likelihood._vote_rows import VoteRows, refuse_given, said_of_few, vote_rows
from leaderbayes.models._board import declare
from leaderbayes.models._model import Problem
from leaderbayes.models._prior import (
    PRIOR_SCALE,
    degrees_of_freedom,
    half_normal,
    normal,
    reliability,
)
from leaderbayes.models._vote_target import VoteTarget
from leaderbayes.models._weight import check_scales, warn_if_apart

_CELLS = 2_000_000  # votes that are drawn at a time


class VoteStatistics(NamedTuple):
    """Votes, their weights, and the priors."""

    rows: VoteRows
    together: Together
    ways: design.Ways | None  # where pairs were matched by strength
    constant: xr.Dataset  # the group ``constant_data`` of a posterior
    prior: tuple[float, float]  # prior_scale and degrees of freedom
    tie_scale: float | None  # of Davidson's nu
    centring: float  # of the strengths that NUTS samples


def vote_statistics(
    name: str, votes: xr.Dataset, *, prior_scale: float = PRIOR_SCALE,
    prior_df: float | None = None, tie_scale: float | None = None, ties: str | None = None,
    cluster: str | Sequence[str] | None = None, order_effect: bool | None = None,
    covariates: Sequence[str] | None = None, matched: bool | None = None,
    weight: object = "composite", test_fraction: float | None = None,
) -> VoteStatistics:  # fmt: skip
    """Prepare votes for a model, and estimate their weights."""
    of_rounds = {"weight": None if weight == "composite" else weight}
    refuse_given(of_rounds | {"test_fraction": test_fraction}, "rounds of scores")
    one_of("matched", matched, None, True, False)
    tie, own = tie_scale is not None, {} if tie_scale is None else {"tie_scale": tie_scale}
    check_scales(prior_scale=prior_scale, **own)
    check_ties(ties or "half", ("half",) if tie else ("half", "drop"), f"votes by models.{name}")
    if np.unique(votes.coords.get("tournament", "")).size > 1:
        raise LeaderbayesError(
            "These votes come from several tournaments: fit each separately, "
            "leaderbayes.study.fit(votes, store='study'), or together, without the coordinate: "
            "votes.drop_vars('tournament')."
        )
    rows = vote_rows(
        votes, ties=ties or "half", cluster="auto" if cluster is None else cluster,
        order_effect=False if order_effect is None else order_effect, covariates=covariates,
    )  # fmt: skip
    board = counted_votes(rows.kept, "half")
    warn_if_apart(board)
    # With proper priors there is an estimate, whoever won.
    at = maximum(
        rows.votes, 1.0, tie=tie, effect_scale=EFFECT_SCALE, tie_scale=tie_scale or TIE_SCALE
    )
    law = law_at(rows.votes, at)
    found = together(rows.votes, law, tuple(rows.clusters.values()), ties_modelled=tie)
    for text in said_of_few(rows, found):
        warn(text)
    met = met_of(rows.votes)
    share = design.gap_by_chance(met) if matched is None else 1.0
    long = matched or share < design.MATCHED
    df = degrees_of_freedom(prior_df, len(met))
    options = {"prior_scale": prior_scale, "prior_df": df, "tie_scale": tie_scale or 0.0}
    options |= {"matched": float(long), "gap_by_chance": share, "higher_is_better": 1.0}
    return VoteStatistics(
        rows, found, design.ways(met) if long else None, _constants(name, rows, found, options),
        (prior_scale, df), tie_scale, reliability(board, found.weight),
    )  # fmt: skip


def _constants(
    name: str, rows: VoteRows, found: Together, options: Mapping[str, float]
) -> xr.Dataset:
    """Return the data that answers need beside draws."""
    votes, names = rows.votes, rows.kept["player"].to_numpy()
    values: dict[str, Any] = {
        "first": ("vote", votes.first), "second": ("vote", votes.second),
        "count": ("vote", votes.n), "weight": ("vote", found.weight),
        "player_number": ("player", np.arange(len(names))),  # in first and second
        **{key: ("vote", group) for key, group in rows.clusters.items()},
        "opinion_variance": ("clustering", found.tau2),
        "dispersion": ("model", [found.phi]),
        **{key: ("model", [value]) for key, value in options.items()},
    }  # fmt: skip
    coords: dict[str, Any] = {
        "vote": np.arange(len(votes.n)), "clustering": rows.clusterings, "model": [name],
        "player": names,
    }  # fmt: skip
    if rows.effects:
        values["effect_value"] = ("vote", "effect"), votes.effect
        values["effect_unit"] = "effect", rows.units
        coords["effect"] = rows.effects
    if rows.both_bad is not None:
        values["both_bad"] = ("player", "opponent"), rows.both_bad
        coords["opponent"] = names
    return xr.Dataset(values, coords)


def model_of_votes(name: str, votes: xr.Dataset, **options: Any) -> Any:
    """Return the pymc.Model of votes: ``epp``, and where there are any effects, tie, matching."""
    import pymc as pm

    found = vote_statistics(name, votes, **options)
    rows = found.rows
    with pm.Model(coords={"player": rows.kept["player"].to_numpy()}) as model:
        data = declare(found.constant)
        scale = pm.HalfNormal("epp_scale", data["prior_scale"])
        unit = pm.StudentT("epp_unit", data["prior_df"], sigma=scale**found.centring, dims="player")
        a = scale ** (1.0 - found.centring) * unit
        if found.ways is not None:
            alpha = pm.Uniform("matching", 0.0, design.LARGEST)
            shrink = pm.math.exp(-0.5 * alpha * found.ways.log_known)
            a = found.ways.way @ (shrink * (found.ways.way.T @ a))
        epp = pm.Deterministic("epp", a - a.mean(), dims="player")
        observe_votes(found, data, epp[data["first"]] - epp[data["second"]])
    return model


def observe_alike(found: VoteStatistics, eta: Any, row: Longs) -> None:
    """Add ``outcome`` (vote,) to the pm.Model, by log-odds of rows of votes that are alike."""
    import pymc as pm

    votes, weight, draw = found.rows.votes, found.together.weight, _random(found)
    won, n = np.bincount(row, weight * votes.won), np.bincount(row, weight * votes.n)

    def logp(value: Any, eta: Any, count: Any) -> Any:
        half = 0.5 * abs(eta)
        return ((won - 0.5 * n) * eta - n * (half + pm.math.log1p(pm.math.exp(-2.0 * half)))).sum()

    def random(eta: Any, count: Any, rng: Any, size: Any = None) -> Any:
        return draw(eta[..., row], count, None, rng=rng)

    pm.CustomDist(
        "outcome", eta, votes.n, logp=logp, random=random, signature="(r),(v)->(v)",
        observed=votes.won / votes.n, dims="vote",
    )  # fmt: skip


def observe_votes(found: VoteStatistics, data: Mapping[str, Any], eta: Any) -> None:
    """Add ``outcome`` (vote,) to the pm.Model under construction, by log-odds of strengths."""
    import pymc as pm

    if found.rows.effects:
        size = pm.Normal("effect_size", 0.0, EFFECT_SCALE, dims="effect")
        eta += data["effect_value"] @ size
    nu = [] if found.tie_scale is None else [pm.Normal("tie", 0.0, data["tie_scale"])]
    votes = found.rows.votes
    outcome = pm.Data("vote_outcome", votes.won / votes.n, dims="vote")
    pm.CustomDist(
        "outcome", eta, data["count"], data["weight"], *nu, logp=_logp, random=_random(found),
        observed=outcome, dtype="float64", dims="vote",
    )  # fmt: skip


def _logp(value: Any, eta: Any, count: Any, weight: Any, *nu: Any) -> Any:
    """Return the weighted log-likelihood of each vote; without nu a tie is half a win."""
    import pymc as pm

    half = 0.5 * abs(eta)
    others, likelihood = pm.math.exp(-2.0 * half), (value - 0.5) * eta - half
    if nu:
        others += pm.math.exp(nu[0] - half)
        likelihood += 4.0 * value * (1.0 - value) * nu[0]
    return weight * count * (likelihood - pm.math.log1p(others))


def _random(found: VoteStatistics) -> Any:
    """Return a function with which PyMC draws votes, with opinions of judges and prompts."""
    votes = found.rows.votes
    again = Again(votes, votes, tuple(found.rows.clusters.values()), found.together.tau2)

    def random(eta: Any, count: Any, weight: Any, *nu: Any, rng: Any, size: Any = None) -> Any:
        eta = np.broadcast_to(eta, np.shape(eta) if size is None else size)
        flat = eta.reshape(-1, eta.shape[-1])
        level = np.broadcast_to(nu[0], eta.shape).reshape(flat.shape)[:, 0] if nu else None
        won, _ = again.draw(flat.T, rng, nu=level, phi=found.together.phi)
        return (won / votes.n[:, None]).T.reshape(eta.shape)

    return random


def problem_of_votes(name: str, votes: xr.Dataset, **options: Any) -> Problem:
    """Return the same model for the fast engine."""
    found = vote_statistics(name, votes, **options)
    rows, one = found.rows, found.rows.votes
    own = VoteTarget(
        counted(one, found.together.weight),
        *found.prior,
        ways=found.ways,
        tie_scale=found.tie_scale,
    )
    again = Again(one, one, tuple(rows.clusters.values()), found.together.tau2)
    few = counted(one)
    each, row = regressors(few), row_of(one, few)

    def expand(
        a: Floats, extra: Floats, scale: Floats, rng: np.random.Generator, *, prior: bool = False
    ) -> dict[str, Floats]:
        return own.expand(a, extra, rng, prior=prior) | {"epp_scale": scale}

    def replicate(drawn: Mapping[str, Floats], rng: np.random.Generator) -> Any:
        sizes, tie = [drawn["effect_size"]] if rows.effects else [], drawn.get("tie")
        x, size = np.column_stack([drawn["epp"], *sizes]), max(_CELLS // len(row), 1)
        out = np.empty((len(x), len(row)), np.float32)
        for begin in range(0, len(x), size):
            some = slice(begin, begin + size)
            eta, nu = np.asarray(each @ x[some].T)[row], None if tie is None else tie[some]
            won, _ = again.draw(eta, rng, nu=nu, phi=found.together.phi)
            out[some] = (won / one.n[:, None]).T
        return out

    coords = {"player": rows.kept["player"].to_numpy(), "vote": np.arange(len(one.n))}
    labels = {
        key: ("vote", rows.kept[key].to_numpy())
        for key in (*CLUSTERINGS, "time") if key in rows.kept.coords
    }  # fmt: skip
    log_prior = {"epp_scale": half_normal(found.prior[0])}
    if found.tie_scale is not None:
        log_prior["tie"] = normal(found.tie_scale)
    outcome = xr.Dataset({"outcome": ("vote", one.won / one.n)}, {"vote": coords["vote"]})
    return Problem(
        target=own.target,
        expand=expand,
        dims={"epp": ("player",), "effect_size": ("effect",)},
        replicate=replicate,
        log_likelihood=None,
        log_prior=log_prior,
        observed=outcome,
        constant=found.constant.assign(labels).assign_attrs(rows.kept.attrs),
        coords=coords | {"effect": rows.effects},
        expand_prior=partial(expand, prior=True),
    )
