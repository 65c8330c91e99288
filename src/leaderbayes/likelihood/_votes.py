"""Bradley-Terry's model of votes by maximum likelihood, with errors by judge and prompt."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import expit, xlogy

from leaderbayes._arguments import number
from leaderbayes._errors import NotConvergedError
from leaderbayes._numerics.newton import inverse
from leaderbayes._numerics.vote_weights import Together, opinion_products, together, with_shared
from leaderbayes._numerics.votes import Estimate, Votes, law_at, maximum, regressors
from leaderbayes._scores.tables import listed
from leaderbayes._scores.vote_matches import counted_votes
from leaderbayes._types import Floats, Longs
from leaderbayes.likelihood._estimate import EACH_TWICE, estimate, require_estimate
from leaderbayes.likelihood._vote_rows import said_of_few, vote_rows


def estimate_votes(
    votes: xr.Dataset, *, covariance: str, pseudo_rounds: float, ties: str = "half",
    cluster: str | Sequence[str] = "auto", order_effect: bool = False,
    covariates: Sequence[str] | None = None,
) -> xr.Dataset:  # fmt: skip
    """Estimate as `bradley_terry`, from votes."""
    number("pseudo_rounds", pseudo_rounds, at_least=0.0)
    require_estimate(
        counted_votes(votes, ties),
        pseudo_rounds=pseudo_rounds,
        remedy="Use the posterior (leaderbayes.fit, or rank without --ml), a penalty "
        "(pseudo_rounds=1), or fit each group separately.",
    )
    rows = vote_rows(
        votes, ties=ties, cluster=cluster, order_effect=order_effect, covariates=covariates
    )
    at = _maximum(rows.votes, rows.effects, pseudo_rounds)
    m, groups = rows.votes.players, tuple(rows.clusters.values())
    law = law_at(rows.votes, at)
    found = together(rows.votes, law, groups)
    p = expit(at.epp)
    penalty = np.diag(pseudo_rounds * np.pad(p * (1.0 - p), (0, len(at.beta))))
    spread = model = inverse(at.information + penalty, m)
    if covariance == "clustered":
        spread = model @ _meat(rows.votes, at, law.variance, found, groups) @ model
    loglik, deviance, cells = _fit(rows.votes, at, rows.effects)
    square = ("player", "player_")
    variables: dict[str, Any] = {
        "epp": ("player", at.epp),
        "covariance": (square, spread[:m, :m]),
        "covariance_model": (square, model[:m, :m]),
        "loglik": loglik,
        "deviance": deviance,
        "opinion_variance": ("clustering", found.tau2),
    }
    coords: dict[str, Any] = {"clustering": rows.clusterings}
    if rows.effects:
        variables["effect_size"] = ("effect", at.beta)
        variables["effect_covariance"] = (("effect", "effect_"), spread[m:, m:])
        coords |= {"effect": rows.effects, "effect_": rows.effects}
    attrs = {
        "model": "bradley_terry", "covariance": covariance, "ties": ties,
        "df": cells - len(model) + 1, "cells": _cells(rows.effects),
        "pseudo_rounds": float(pseudo_rounds), "firth": 0,
        "published_variance": EACH_TWICE,
    }  # fmt: skip
    few = said_of_few(rows, found)
    return estimate(rows.kept, variables, attrs, coords=coords, hinted=few)


def _maximum(votes: Votes, effects: list[str], pseudo_rounds: float) -> Estimate:
    try:
        return maximum(votes, pseudo_rounds)
    except NotConvergedError as problem:
        if not effects:
            raise
        which = "the order" if effects == ["order"] else f"one of the effects {listed(effects)}"
        raise NotConvergedError(
            f"{which} has no finite estimate: it explains nearly every vote. Omit it "
            "(order_effect, covariates; --order-effect, --covariates)."
        ) from problem


def _meat(
    votes: Votes, at: Estimate, variance: Floats, found: Together, groups: tuple[Longs, ...]
) -> Floats:
    """Return the covariance of the score: of votes, and of clusters' opinions."""
    meat = found.phi * at.information
    rows = regressors(votes)
    for group, tau2 in zip(with_shared(votes, groups), found.tau2 * found.wider, strict=True):
        if tau2 > 0.0:
            alike = opinion_products(votes, rows, votes.n * variance, group)
            size, ways = np.linalg.eigh(alike)
            meat = meat + tau2 * (ways * np.maximum(size, 0.0)) @ ways.T
    return meat


def _cells(effects: list[str]) -> str:
    """Name what the saturated model has a probability for."""
    if any(name != "order" for name in effects):
        return "votes"
    return "ordered pairs" if effects else "pairs"


def _fit(votes: Votes, at: Estimate, effects: list[str]) -> tuple[float, float, int]:
    """Return log-likelihood, deviance, and the number of cells whose shares saturate the model."""
    m, cells = votes.players, _cells(effects)
    eta = at.epp[votes.first] - at.epp[votes.second] + votes.effect @ at.beta
    loglik = float((votes.won * eta - votes.n * np.logaddexp(0.0, eta)).sum())
    won, n = votes.won, votes.n
    if cells != "votes":
        swap = (votes.first > votes.second) & (cells == "pairs")
        low, high = np.where(swap, [votes.second, votes.first], [votes.first, votes.second])
        pair = low.astype(np.int64) * m + high
        won = np.bincount(pair, np.where(swap, n - won, won), m * m)
        n = np.bincount(pair, n, m * m)
        won, n = won[n > 0.0], n[n > 0.0]
    share = won / n
    most = float((n * (xlogy(share, share) + xlogy(1.0 - share, 1.0 - share))).sum())
    return loglik, 2.0 * (most - loglik), len(n)
