"""Votes by maximum likelihood, and what their judges and prompts make of its width."""

import json
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from scipy.special import expit, ndtr, xlogy

from leaderbayes._arguments import number
from leaderbayes._errors import (
    EstimateWarning,
    HintWarning,
    LeaderbayesError,
    NotConvergedError,
)
from leaderbayes._numerics.bradley_terry import probability
from leaderbayes._numerics.judge_favour import favour_of_judges
from leaderbayes._numerics.newton import inverse
from leaderbayes._numerics.order_shift import order_shift
from leaderbayes._numerics.votes import (
    Dependence,
    Effective,
    Estimate,
    Moments,
    Votes,
    bread_of,
    dependence,
    effective,
    groups_of,
    information_of,
    maximum,
    shared,
    with_shared,
)
from leaderbayes._scores.tables import listed, shown
from leaderbayes._scores.vote_matches import (
    clusters_of,
    counted_votes,
    effects_of,
    require_whole_weights,
    valid_votes,
    weights_of,
)
from leaderbayes._types import Floats, Longs
from leaderbayes.likelihood._estimate import require_estimate
from leaderbayes.likelihood._spread import without_variation
from leaderbayes.likelihood._vote_drift import said_of_drift

_PACKAGE = str(Path(__file__).parents[1])
FEW = 10.0  # judges, or prompts, below which they hardly say how judges differ
_ONE = 1.2  # of them, below which they do not say at all
_FAR = 25.0  # log-odds of two who met, which no number of votes estimates
_TOLD = 1e-9  # of an effect's information, below which players tell it
_SURE = 3.0  # standard errors from which an order effect is pointed out
_NAMED = 3  # judges that are named who choose by it


class Weighed(NamedTuple):
    """Votes, their estimate, and how they go together."""

    kept: xr.Dataset  # the votes that count
    votes: Votes
    clusters: dict[str, Longs]  # by name of the clustering: (vote,)
    effects: list[str]
    at: Estimate
    bread: Floats  # (player + effect, player + effect): covariance of independent votes' estimate
    together: Dependence
    matched: Effective


def votes_of(
    kept: xr.Dataset, order_effect: bool, covariates: Sequence[str] | None
) -> tuple[Votes, list[str]]:
    """Take arrays from votes that are valid, and name their effects.

    Raises
    ------
    ScoresError
        If a weight is no number of votes.
    LeaderbayesError
        If players or other effects tell an effect.
    """
    require_whole_weights(kept)
    effects = effects_of(kept, order_effect, covariates)
    outcome, n = kept["outcome"].to_numpy(), weights_of(kept)
    columns = np.column_stack(list(effects.values())) if effects else np.empty((len(n), 0))
    first, second = kept["first"].to_numpy(), kept["second"].to_numpy()
    votes = Votes(
        kept.sizes["player"], first, second, n * outcome, n, n * outcome**2,
        np.ascontiguousarray(columns),
    )  # fmt: skip
    if effects:
        _require_told(votes, list(effects))
    return votes, list(effects)


def weigh(
    votes: xr.Dataset,
    *,
    ties: str = "half",
    cluster: str | Sequence[str] = "auto",
    order_effect: bool = False,
    covariates: Sequence[str] | None = None,
) -> Weighed:
    """Estimate strengths and effects of votes, and the matches that they are worth.

    Where the estimate does not exist, it is taken with one pseudo-round.

    Warns
    -----
    HintWarning
        LB044, if judges or prompts are few; LB045, if who is shown first is favoured, by all or by
        some judges, and no effect of the order is taken into account; LB049, if strengths move
        over time.
    """
    kept = valid_votes(votes, ties)
    arrays, effects = votes_of(kept, order_effect, covariates)
    clusters = clusters_of(kept, cluster)
    at = best_of(arrays, effects, maximum)
    together = dependence(arrays, at, tuple(clusters.values()))
    for name, count in zip(clusters, together.clusters, strict=False):
        if count < FEW:
            warnings.warn(
                f"LB044 {said_of_few(name, count, clusters[name], arrays.n)}",
                HintWarning,
                skip_file_prefixes=(_PACKAGE,),
            )
    matched = effective(arrays, at, together)
    bread = bread_of(arrays, at)
    weighed = Weighed(kept, arrays, clusters, effects, at, bread, together, matched)
    if (favour := said_of_favour(weighed)) is not None:
        warnings.warn(f"LB045 {favour}", HintWarning, skip_file_prefixes=(_PACKAGE,))
    if (moved := said_of_drift(weighed)) is not None:
        warnings.warn(f"LB049 {moved}", HintWarning, skip_file_prefixes=(_PACKAGE,))
    return weighed


def best_of(
    votes: Votes, effects: list[str], maximise: Callable[[Votes, float], Estimate]
) -> Estimate:
    """Find the estimate of votes; where it does not exist, with one pseudo-round.

    Raises
    ------
    NotConvergedError
        If an effect has none even so.
    """
    try:
        at = maximise(votes, 0.0)
        # Beside thousands of votes of others numbers do not tell an end that is none.
        if np.abs(at.epp[votes.first] - at.epp[votes.second]).max() < _FAR:
            return at
    except NotConvergedError:
        pass
    try:
        return maximise(votes, 1.0)
    except NotConvergedError as problem:
        if not effects:
            raise
        which = "the order" if effects == ["order"] else f"one of the effects {listed(effects)}"
        raise NotConvergedError(
            f"LB002 {which} has no finite estimate: it could explain nearly every vote, however "
            "strong it is taken to be. Leave it out (order_effect, covariates; on the command line "
            "--order-effect, --covariate), or give more votes."
        ) from problem


def _require_told(votes: Votes, effects: list[str]) -> None:
    """Raise where players, or other effects, tell an effect.

    As of a baseline that is always first: then no vote says which of the two it was.
    """
    m = votes.players
    information = information_of(votes, votes.n)
    own = information[m:, m:]
    taken = np.linalg.pinv(information[:m, :m], rcond=1e-10, hermitian=True)
    left = own - information[m:, :m] @ taken @ information[:m, m:]
    scale = 1.0 / np.sqrt(np.maximum(np.diag(own), 1e-300))
    if np.linalg.eigvalsh(left * scale[:, None] * scale).min() >= _TOLD:
        return
    which = "the effect of the order" if effects == ["order"] else f"each of {listed(effects)}"
    apart = groups_of(votes) > 1
    raise LeaderbayesError(
        f"Nothing says how large {which} is: players or other effects tell it"
        f"{', and some players never met (LB010)' if apart else ''}. Leave it out (order_effect, "
        "covariates; on the command line --order-effect, --covariate)"
        f"{', or take a group by itself' if apart else ''}."
    )


def said_of_few(name: str, count: float, cluster: Longs, n: Floats) -> str:
    """Say what answers are about where judges, or prompts (vote,) of n votes, are few, or one."""
    if count < _ONE:
        # Numbers are from 0; -1 is of votes that are each a cluster by themselves.
        if np.bincount(cluster + 1, n)[1:].max(initial=0.0) < n.sum() / _ONE:
            return (
                f"hardly any two {name}s have votes on the same players: nothing says how {name}s "
                "differ, and answers are about these, however sure."
            )
        return (
            f"votes are all but of one {name}: nothing says how {name}s differ, and answers are "
            "about this one, however sure."
        )
    return (
        f"votes are of {count:.1f} {name}s in effect: too few to say well how {name}s differ, and "
        f"answers are about {name}s like these."
    )


def said_of_favour(weighed: Weighed, moments: Moments | None = None) -> str | None:
    """Say so where who is shown first wins more often, or less, or where nothing can tell."""
    kept, votes, at = weighed.kept, weighed.votes, weighed.at
    if "order" in weighed.effects or not kept.attrs.get("ordered", 1):
        return None
    if moments is None:
        p = expit(at.epp[votes.first] - at.epp[votes.second] + votes.effect @ at.beta)
        moments = Moments(p, p * (1.0 - p))
    shift = order_shift(votes, at, moments, tuple(weighed.clusters.values()), weighed.together)
    if np.isinf(shift.error):
        return (
            "players tell who was shown first (hardly any two were seen in both orders): what "
            "being first is worth cannot be told from strengths, and is in them. Have pairs judged "
            "in both orders; or, where columns say nothing of who was shown first, pass over this."
        )
    judges = _said_of_judges(weighed, moments)
    if not abs(shift.size) > _SURE * shift.error:
        if judges is None:
            return None
        return (
            "some judges choose by who is shown first, more than strengths and their opinions of "
            f"players explain{judges}: take order_effect=True, or model='round_intercept', which "
            "lets each judge have an advantage of the first; or leave out judges that do not look. "
            "Where players were first unequally often their strengths have a part of that."
        )
    one_order = " Hardly any two were seen in both orders: this leans on strengths that add up."
    adding = "" if shift.both_orders else one_order
    return (
        f"the one shown first wins about {np.exp(shift.size):.2f} times the odds that strengths "
        f"give it{judges or ''}: take order_effect=True, or where players were first unequally "
        f"often their strengths have a part of that.{adding}"
    )


def _said_of_judges(weighed: Weighed, moments: Moments) -> str | None:
    """Name, in brackets, those who choose by place beyond chance; None if all may be chance."""
    votes, judge = weighed.votes, weighed.clusters.get("judge")
    if judge is None or not judge.max() > 0:
        return None
    favour = favour_of_judges(
        votes, weighed.at, moments, judge, tuple(weighed.clusters.values()), weighed.together
    )
    if not favour.p_value < 2.0 * ndtr(-_SURE):
        return None
    n, won = np.bincount(judge, votes.n), np.bincount(judge, votes.won)
    labels = weighed.kept["judge"].to_numpy()
    most = np.argsort(-np.abs(favour.z), kind="stable")[:_NAMED]
    said = [
        f"{shown(labels[int(np.argmax(judge == g))])} chose the "
        + (f"first in {won[g]:g}" if favour.z[g] > 0.0 else f"second in {n[g] - won[g]:g}")
        + f" of {n[g]:g} votes"
        for g in most
        if abs(favour.z[g]) > _SURE
    ]
    return f" ({'; '.join(said)})" if said else ""


def pair_worth(weighed: Weighed) -> Floats:
    """Give what a vote of each pair is worth by itself (player, opponent), 1 if independent.

    The variance of a pair's share of wins over that of independent matches, by the dependence that
    all votes show.
    """
    votes, together, m = weighed.votes, weighed.together, weighed.votes.players
    groups = with_shared([*weighed.clusters.values()])
    pair = np.minimum(votes.first, votes.second).astype(np.int64) * m
    pair += np.maximum(votes.first, votes.second)
    n = np.bincount(pair, votes.n, m * m)
    excess = np.zeros(m * m)
    for tau2, group in zip(together.tau2, groups, strict=True):
        kept = group >= 0
        both = shared(pair[kept], group[kept])
        size = np.bincount(both, votes.n[kept])
        # Ordered pairs of votes of one cluster.
        of = np.zeros(len(size), dtype=np.int64)
        of[both] = pair[kept]
        excess += 2.0 * tau2 * np.bincount(of, size**2, m * m)
        excess -= 2.0 * tau2 * np.bincount(pair[kept], votes.n[kept], m * m)
    p = probability(weighed.at.epp).reshape(-1)
    share = np.divide(excess, n, out=np.zeros_like(n), where=n > 0.0)
    worth = (1.0 / (1.0 + np.maximum(share, 0.0) * p * (1.0 - p))).reshape(m, m)
    upper = np.triu(worth, 1)
    return np.asarray(upper + upper.T + np.eye(m))


def estimate_votes(
    votes: xr.Dataset,
    *,
    covariance: str,
    pseudo_rounds: float,
    ties: str = "half",
    cluster: str | Sequence[str] = "auto",
    order_effect: bool = False,
    covariates: Sequence[str] | None = None,
) -> xr.Dataset:
    """Estimate as `bradley_terry`, from votes."""
    number("pseudo_rounds", pseudo_rounds, at_least=0.0)
    require_estimate(
        counted_votes(votes, ties),
        pseudo_rounds=pseudo_rounds,
        remedy="Use the posterior (leaderbayes.fit, or rank without --ml), a penalty "
        "(pseudo_rounds=1), or the votes on a group by itself.",
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", HintWarning)
        weighed = weigh(
            votes, ties=ties, cluster=cluster, order_effect=order_effect, covariates=covariates
        )
    m = weighed.votes.players
    at, model = weighed.at, weighed.bread
    if pseudo_rounds > 0.0:
        at = maximum(weighed.votes, pseudo_rounds)
        p = expit(at.epp)
        penalty = pseudo_rounds * np.pad(p * (1.0 - p), (0, len(at.beta)))
        model = inverse(at.hessian + np.diag(penalty), m)
    clustered = covariance == "clustered"
    spread = model @ weighed.together.meat @ model if clustered else model
    loglik, deviance, cells = _fit(weighed.votes, at, weighed.effects)
    names = weighed.kept["player"].to_numpy()
    square = ("player", "player_")
    variables: dict[str, Any] = {
        "epp": ("player", at.epp),
        "covariance": (square, spread[:m, :m]),
        "covariance_model": (square, model[:m, :m]),
        "loglik": loglik,
        "deviance": deviance,
        "opinion_variance": ("clustering", weighed.together.tau2),
    }
    coords: dict[str, Any] = {
        "player": names, "player_": names, "clustering": clusterings(weighed.clusters),
    }  # fmt: skip
    if weighed.effects:
        variables["effect_size"] = ("effect", at.beta)
        variables["effect_covariance"] = (("effect", "effect_"), spread[m:, m:])
        coords |= {"effect": weighed.effects, "effect_": weighed.effects}
    attrs = {
        "model": "bradley_terry", "covariance": covariance, "ties": ties,
        "df": cells - len(model) + 1, "cells": _cells(weighed.effects),
        "pseudo_rounds": float(pseudo_rounds), "firth": 0, "converged": 1,
    }  # fmt: skip
    fit = xr.Dataset(variables, coords, attrs)
    fixed = without_variation(fit, "votes")
    said: list[tuple[type[Warning], str]] = [(HintWarning, str(each.message)) for each in caught]
    said += [(EstimateWarning, fixed)] if fixed is not None else []
    for kind, text in said:
        warnings.warn(text, kind, skip_file_prefixes=(_PACKAGE,))
    return fit.assign_attrs(warnings=json.dumps([text for _, text in said]))


def clusterings(clusters: dict[str, Longs]) -> list[str]:
    """Name the clusterings, and what two of them share."""
    return [*clusters, "both"] if len(clusters) == 2 else [*clusters]


def _cells(effects: list[str]) -> str:
    """Name what the saturated model has a probability for."""
    if any(name != "order" for name in effects):
        return "votes"
    return "ordered pairs" if effects else "pairs"


def _fit(votes: Votes, at: Estimate, effects: list[str]) -> tuple[float, float, int]:
    """Give log-likelihood, deviance, and the number of cells whose shares saturate the model."""
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
