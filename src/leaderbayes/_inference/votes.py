"""Draw the posterior of votes: Bradley-Terry's, of the matches that they are worth."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import expit

from leaderbayes._arguments import one_of
from leaderbayes._errors import LeaderbayesError
from leaderbayes._inference.bradley_terry import draw_board
from leaderbayes._inference.density import Target, draw_density
from leaderbayes._inference.log_likelihood import NOTICE, with_notice
from leaderbayes._inference.log_prior import half_normal, normal
from leaderbayes._numerics import design
from leaderbayes._numerics.bradley_terry import log_normaliser
from leaderbayes._numerics.laplace import Board
from leaderbayes._numerics.vote_replicates import tally_again
from leaderbayes._numerics.votes import (
    Estimate,
    Moments,
    alike,
    groups_of,
    holders,
    misfit,
    pair_sums,
    vote_again,
    with_shared,
)
from leaderbayes._scores.matches import Ties, matches
from leaderbayes._scores.vote_matches import check_effects
from leaderbayes._types import Floats, Longs
from leaderbayes.likelihood._vote_models import Modelled, weigh_davidson, weigh_intercept
from leaderbayes.likelihood._votes import Weighed, clusterings, pair_worth, weigh
from leaderbayes.models._board import check_options
from leaderbayes.models._weight import PRIOR_SCALE, check_board, degrees_of_freedom

_DIMS = ("chain", "draw", "player")
NO_LOO = "votes_have_no_loo"  # at which ``az.loo`` stops
_REPLICATES = 100
_MOST = 20_000_000  # votes that are drawn again, unless more are asked for
_LARGE = 100_000  # rows of votes from which on they are counted as they are drawn
FEWEST = 50  # replicates that a check takes


def draw_votes(
    votes: xr.Dataset,
    sampling: dict[str, Any],
    seed: int,
    prior: bool = False,
    progressbar: bool = False,
    *,
    cluster: str | Sequence[str] = "auto",
    order_effect: bool = False,
    covariates: Sequence[str] | None = None,
    prior_scale: float = PRIOR_SCALE,
    prior_df: float | None = None,
    matched: bool | None = None,
) -> tuple[xr.DataTree, dict[str, Any]]:
    """Draw the groups of `fit` for votes, and diagnose.

    Parameters
    ----------
    votes : Dataset
        Of `read_votes`.
    sampling : dict
        Arguments of `fit`, as for `draw_exactly`; and ``ties``.
    cluster : "auto", "none", "judge", "prompt" or a list of the two
        What makes votes go together: by default judges and prompts, where votes have them.
    order_effect : bool
        Let whoever is shown first have an advantage, the same for all.
    covariates : sequence of str, optional
        Those of the votes that count; by default all.
    prior_scale, prior_df
        As of `models.bradley_terry`.
    matched : bool, optional
        Whether who met whom may itself say who is strong, as where pairs are matched by rating: how
        much strengths vary along the ways between players is then learnt (`design`), from those
        that are exchangeable on. By default where the spectral gap of the walk from player to
        opponent is below a half (`design.has_long_ways`).
    """
    check_options(None, prior_scale=prior_scale)
    ties: Ties = sampling["ties"]
    played = _played(votes, ties)
    modelled = modelled_by_wins(
        weigh(votes, ties=ties, cluster=cluster, order_effect=order_effect, covariates=covariates)
    )
    return _drawn(
        modelled, played, sampling, seed, prior, progressbar, (prior_scale, prior_df, matched)
    )


def modelled_by_wins(weighed: Weighed) -> Modelled:
    """Say how votes come about by Bradley-Terry's model."""

    def moments(here: Estimate) -> Moments:
        p = expit(
            here.epp[weighed.votes.first]
            - here.epp[weighed.votes.second]
            + weighed.votes.effect @ here.beta
        )
        return Moments(p, p * (1.0 - p))

    def again(here: Estimate, *given: Any) -> Floats:
        return vote_again(weighed.votes, here, *given)

    return Modelled(weighed, moments, again)


def draw_davidson(
    votes: xr.Dataset,
    sampling: dict[str, Any],
    seed: int,
    prior: bool = False,
    progressbar: bool = False,
    *,
    cluster: str | Sequence[str] = "auto",
    order_effect: bool = False,
    covariates: Sequence[str] | None = None,
    prior_scale: float = PRIOR_SCALE,
    prior_df: float | None = None,
    matched: bool | None = None,
    tie_scale: float = 2.0,
) -> tuple[xr.DataTree, dict[str, Any]]:
    """Draw as `draw_votes`, by Davidson's model, whose options are those of `models.davidson`."""
    check_options(None, prior_scale=prior_scale, tie_scale=tie_scale)
    ties: Ties = sampling["ties"]
    played = _played(votes, ties)
    modelled = weigh_davidson(
        votes, ties=ties, cluster=cluster, order_effect=order_effect, covariates=covariates
    )
    known = np.append(np.full(len(modelled.weighed.effects), np.inf), tie_scale)
    prior_of = (prior_scale, prior_df, matched)
    tree, found = _drawn(modelled, played, sampling, seed, prior, progressbar, prior_of, known)
    nu = tree["posterior"]["tie"].to_numpy()
    return _with_log_prior(tree, "tie", normal(nu, tie_scale)), found


def draw_intercept(
    votes: xr.Dataset,
    sampling: dict[str, Any],
    seed: int,
    prior: bool = False,
    progressbar: bool = False,
    *,
    cluster: str | Sequence[str] = "auto",
    order_effect: bool = True,
    covariates: Sequence[str] | None = None,
    prior_scale: float = PRIOR_SCALE,
    prior_df: float | None = None,
    matched: bool | None = None,
    intercept_scale: float = 1.0,
) -> tuple[xr.DataTree, dict[str, Any]]:
    """Draw as `draw_votes`, by PMRA: judges differ in how much they favour whoever is first.

    ``intercept_scale`` is as of `models.round_intercept`. There are no covariates.
    """
    check_options(None, prior_scale=prior_scale, intercept_scale=intercept_scale)
    check_effects(order_effect, covariates)
    if not order_effect:
        raise LeaderbayesError(
            "order_effect=False: who is shown first is what round_intercept of votes is about; "
            "take model='bradley_terry'."
        )
    if "covariates" in votes and (covariates is None or len(covariates)):
        raise LeaderbayesError(
            "round_intercept of votes takes no covariates: give covariates=[] to leave them out, "
            "or take model='bradley_terry' with order_effect=True."
        )
    ties: Ties = sampling["ties"]
    played = _played(votes, ties)
    modelled = weigh_intercept(votes, ties=ties, cluster=cluster)
    prior_of, known = (prior_scale, prior_df, matched), np.array([intercept_scale])
    tree, found = _drawn(modelled, played, sampling, seed, prior, progressbar, prior_of, known)
    s = tree["posterior"]["intercept_scale"].to_numpy()
    return _with_log_prior(tree, "intercept_scale", half_normal(s, intercept_scale)), found


def _played(votes: xr.Dataset, ties: Ties) -> xr.Dataset:
    played = matches(votes, ties=ties)
    check_board(played)
    return played


def _with_log_prior(tree: xr.DataTree, name: str, value: Floats) -> xr.DataTree:
    known = tree["log_prior"].to_dataset()
    tree["log_prior"] = xr.DataTree(known.assign({name: (_DIMS[:2], value)}))
    return tree


def _drawn(
    modelled: Modelled,
    played: xr.Dataset,
    sampling: dict[str, Any],
    seed: int,
    prior: bool,
    progressbar: bool,
    prior_of: tuple[float, float | None, bool | None],
    known: Floats | None = None,
) -> tuple[xr.DataTree, dict[str, Any]]:
    """Draw the groups of a fit: strengths of the matches that votes are worth, the rest of these.

    ``known`` (parameter,) are standard deviations of the priors of what stands beside strengths in
    the estimate, of a model that has any.
    """
    (prior_scale, prior_df, matched), weighed = prior_of, modelled.weighed
    one_of("matched", matched, None, True, False)
    df = degrees_of_freedom(prior_df, weighed.votes.players)
    streams = np.random.SeedSequence(seed).spawn(4)
    board = Board(weighed.matched.points, weighed.matched.n, prior_scale, df)
    met = played["n"].to_numpy()
    if matched is None:
        matched = design.has_long_ways(met)
    if matched:
        drawn, found = _draw_matched(met, board, sampling, seed, progressbar=progressbar)
    else:
        drawn, found = draw_board(board, sampling, streams, progressbar=progressbar)
    epp = drawn["posterior"]["epp"].to_numpy()
    scale = drawn["posterior"]["epp_scale"].to_numpy()
    rng = np.random.default_rng(streams[1])
    names = weighed.kept["player"].to_numpy()
    coords = {"chain": np.arange(epp.shape[0]), "draw": np.arange(epp.shape[1])}
    posterior = xr.Dataset(
        {"epp": (_DIMS, epp), "epp_scale": (_DIMS[:2], scale)}, coords | {"player": names}
    )
    if matched:
        posterior["matching"] = _DIMS[:2], drawn["posterior"]["matching"].to_numpy()
    beta = draw_effects(weighed, epp, rng, known)
    effects = len(weighed.effects)
    if beta.shape[-1] > effects:
        posterior["tie"] = _DIMS[:2], beta[..., effects]
    if modelled.scale is not None and known is not None:
        beta = np.append(beta, _scales(*modelled.scale, known[0], epp.shape[:2], rng), axis=-1)
        posterior["intercept_scale"] = _DIMS[:2], beta[..., -1]
    if weighed.effects:
        size = (*_DIMS[:2], "effect"), beta[..., :effects]
        posterior = posterior.assign(effect_size=size).assign_coords(effect=weighed.effects)
    log_prior = half_normal(scale, prior_scale)
    tree = {
        "posterior": posterior,
        "sample_stats": drawn["sample_stats"].to_dataset().assign_coords(coords),
        "posterior_predictive": _replicates(modelled, epp, beta, sampling["replicates"], rng),
        "log_likelihood": with_notice(
            xr.Dataset({"wins": (_DIMS[:2], log_likelihood(epp, board))}, coords)
        ).rename({NOTICE: NO_LOO}),
        "log_prior": xr.Dataset({"epp_scale": (_DIMS[:2], log_prior)}, coords),
        "observed_data": played[["wins"]]
        .drop_attrs()
        .assign(misfit=float(misfit_of(modelled, weighed.at, weighed.votes.won).sum())),
        "constant_data": _constant(weighed, played),
    }
    if prior:
        tree["prior"] = _prior(
            names, prior_scale, df, epp.shape[1], streams[2], met if matched else None
        )
    return xr.DataTree.from_dict(tree), found | {"weight": worth_of_votes(weighed)}


def worth_of_votes(weighed: Weighed) -> float:
    """Give what a vote is worth, of an independent match."""
    inner = slice(0, weighed.votes.players + len(weighed.effects))
    bread, meat = (each[inner, inner] for each in (weighed.bread, weighed.together.meat))
    return float((len(bread) - groups_of(weighed.votes)) / (bread * meat).sum())


def draw_effects(
    weighed: Weighed,
    epp: Floats,
    rng: np.random.Generator,
    spread: Floats | None = None,
    covariance: Floats | None = None,
) -> Floats:
    """Draw effects, and nu (chain, draw, effect), given strengths: of a normal law.

    ``covariance`` is that of the estimate, by default the one of all that makes it unsure.
    """
    m = weighed.votes.players
    v = weighed.matched.covariance if covariance is None else covariance
    known = v[m:, :m] @ np.linalg.pinv(v[:m, :m], rcond=1e-10, hermitian=True)
    left = v[m:, m:] - known @ v[:m, m:]
    centre = weighed.at.beta + (epp - weighed.at.epp) @ known.T
    if spread is not None:  # of a normal prior of each
        own = np.linalg.inv(left)
        left = np.linalg.inv(own + np.diag(spread**-2.0))
        centre = centre @ (left @ own).T
    root = np.linalg.cholesky(left) if len(left) else left
    return np.asarray(centre + rng.standard_normal(centre.shape) @ root.T)


def _scales(
    values: Floats, height: Floats, prior: float, shape: tuple[int, ...], rng: np.random.Generator
) -> Floats:
    """Draw how judges differ (chain, draw, 1): of its likelihood at these values, half-normal."""
    density = np.exp(height - height.max() - 0.5 * (values / prior) ** 2)
    grid, density = np.append(0.0, values), np.append(density[0], density)
    below = np.append(0.0, np.cumsum(0.5 * (density[1:] + density[:-1]) * np.diff(grid)))
    return np.asarray(np.interp(rng.random((*shape, 1)), below / below[-1], grid))


def misfit_of(modelled: Modelled, at: Estimate, outcome: Floats) -> Floats:
    """How far pairs are from strengths, by their first player (player,); see `votes.misfit`."""
    votes = modelled.weighed.votes
    inner = slice(0, votes.players + len(modelled.weighed.effects))
    bread = modelled.weighed.bread[inner, inner]
    return misfit(votes, at, bread, outcome, modelled.moments(at))


def log_likelihood(epp: Floats, board: Board) -> Floats:
    """Of the matches that votes are worth (chain, draw)."""
    flat = np.ascontiguousarray(epp.reshape(-1, epp.shape[-1]))
    value = flat @ board.points - log_normaliser(flat, board.n)
    return np.asarray(value.reshape(epp.shape[:2]))


def _replicates(
    modelled: Modelled, epp: Floats, beta: Floats, asked: int | None, rng: np.random.Generator
) -> xr.Dataset:
    """Draw all votes again, of some draws evenly spread.

    ``wins`` (chain, draw, player, opponent), and ``misfit`` (chain, draw), how far pairs are from
    the strengths that these votes would give.
    """
    at = replicated_draws(modelled, epp, asked)
    shape, m = (epp.shape[0], len(at)), epp.shape[2]
    wins, distance = np.empty((*shape, m, m), dtype=np.float32), np.empty(shape)
    for c, k, won, far in votes_again(modelled, epp, beta, at, rng):
        wins[c, k], distance[c, k] = won, far.sum()
    return xr.Dataset(
        {
            "wins": (("chain", "draw", "player", "opponent"), wins),
            "misfit": (("chain", "draw"), distance),
        },
        {"chain": np.arange(shape[0]), "draw": at, **_pairs(modelled.weighed)},
    )


def replicated_draws(modelled: Modelled, epp: Floats, asked: int | None) -> Longs:
    """Choose draws of each chain that get replicates, evenly spread."""
    size = len(modelled.weighed.votes.first)
    wanted = asked if asked is not None else min(max(_MOST // size, FEWEST), _REPLICATES)
    chains, draws, _ = epp.shape
    return np.linspace(0, draws - 1, min(-(-wanted // chains), draws)).astype(int)


def votes_again(
    modelled: Modelled, epp: Floats, beta: Floats, at: Longs, rng: np.random.Generator
) -> Iterator[tuple[int, int, Floats, Floats]]:
    """Draw all votes again: by chain and draw wins (player, opponent) and `misfit_of` (player,)."""
    weighed, votes = modelled.weighed, modelled.weighed.votes
    held = [holders(votes, each) for each in with_shared([*weighed.clusters.values()])]
    met = pair_sums(votes, votes.n)
    rows = alike(votes)
    # Of votes that nothing but players, judges and prompts tells apart, counts say it all.
    by_pair = modelled.law is None and rows is not votes and len(votes.first) > _LARGE
    for c, k in np.ndindex(len(epp), len(at)):
        here = Estimate(epp[c, at[k]], beta[c, at[k]], *weighed.at[2:])
        if by_pair:
            won = tally_again(votes, here, held, weighed.together.tau2, rng)
            distance = misfit(rows, here, weighed.bread, won[rows.first, rows.second])
        else:
            again = modelled.again(here, held, weighed.together.tau2, rng)
            won = pair_sums(votes, again)
            distance = misfit_of(modelled, here, again)
        yield c, k, won + (met - won).T, distance


def _pairs(weighed: Weighed) -> dict[str, Any]:
    """Name both sides of pairs."""
    names = weighed.kept["player"].to_numpy()
    return {"player": names, "opponent": names}


def _constant(weighed: Weighed, played: xr.Dataset) -> xr.Dataset:
    """Give the votes that count, and what they are worth."""
    kept = weighed.kept
    square = ("player", "opponent")
    known = kept.reset_coords(drop=False).assign(
        n=(square, played["n"].to_numpy()),
        tied=(square, played["tied"].to_numpy()),
        effective=(square, weighed.matched.n),
        worth=(square, pair_worth(weighed)),
        opinion_variance=("clustering", weighed.together.tau2),
    ).assign_coords(**_pairs(weighed), clustering=clusterings(weighed.clusters))  # fmt: skip
    if "both_bad" in played:
        known["both_bad"] = (square, played["both_bad"].to_numpy())
    return known


def _draw_matched(
    met: Floats, board: Board, sampling: dict[str, Any], seed: int, *, progressbar: bool
) -> tuple[xr.DataTree, dict[str, Any]]:
    """Draw as `draw_board`, and ``matching`` with it, by who met whom (player, opponent)."""
    at = design.ways(met, board)
    names = ("epp", "epp_scale", "matching")
    target = Target(
        lambda x: design.log_density(x, board, at),
        lambda x: dict(zip(names, design.expand(x, at), strict=True)),
        at.start,
    )
    return draw_density(
        target,
        {"epp": (len(met),), "epp_scale": (), "matching": ()},
        sampling,
        seed,
        progressbar=progressbar,
    )


def _prior(
    names: Any,
    prior_scale: float,
    df: float,
    draws: int,
    stream: np.random.SeedSequence,
    met: Floats | None,
) -> xr.Dataset:
    """Draw strengths from their prior, in one chain; of matched pairs by who met whom."""
    rng = np.random.default_rng(stream)
    scale = prior_scale * abs(rng.standard_normal((1, draws)))
    coords = {"chain": [0], "draw": np.arange(draws), "player": names}
    if met is not None:
        alpha = rng.uniform(0.0, design.LARGEST, (1, draws))
        epp = design.draw_strengths(met, scale[0], alpha[0], df, rng)[None]
        values = {"epp": (_DIMS, epp), "epp_scale": (_DIMS[:2], scale)}
        return xr.Dataset(values | {"matching": (_DIMS[:2], alpha)}, coords)
    epp = scale[..., None] * rng.standard_t(df, (1, draws, len(names)))
    epp -= epp.mean(axis=-1, keepdims=True)
    return xr.Dataset({"epp": (_DIMS, epp), "epp_scale": (_DIMS[:2], scale)}, coords)
