"""Draw the posterior of votes: Bradley-Terry's, of the matches that they are worth."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._inference.bradley_terry import draw_board
from leaderbayes._inference.log_likelihood import with_notice
from leaderbayes._numerics.bradley_terry import log_normaliser
from leaderbayes._numerics.laplace import Board
from leaderbayes._numerics.votes import (
    Estimate,
    holders,
    misfit,
    pair_sums,
    vote_again,
    with_shared,
)
from leaderbayes._scores.matches import Ties, matches
from leaderbayes._types import Floats
from leaderbayes.likelihood._votes import Weighed, clusterings, pair_worth, weigh
from leaderbayes.models._board import check_options
from leaderbayes.models._weight import PRIOR_SCALE, check_board, degrees_of_freedom

_DIMS = ("chain", "draw", "player")
_REPLICATES = 100
_MOST = 20_000_000  # votes that are drawn again, unless more are asked for
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
    """
    check_options(None, prior_scale=prior_scale)
    ties: Ties = sampling["ties"]
    played = matches(votes, ties=ties)
    check_board(played)
    weighed = weigh(
        votes, ties=ties, cluster=cluster, order_effect=order_effect, covariates=covariates
    )
    df = degrees_of_freedom(prior_df, weighed.votes.players)
    streams = np.random.SeedSequence(seed).spawn(4)
    board = Board(weighed.matched.points, weighed.matched.n, prior_scale, df)
    drawn, found = draw_board(board, sampling, streams, progressbar=progressbar)
    epp = drawn["posterior"]["epp"].to_numpy()
    scale = drawn["posterior"]["epp_scale"].to_numpy()
    rng = np.random.default_rng(streams[1])
    names = weighed.kept["player"].to_numpy()
    coords = {"chain": np.arange(epp.shape[0]), "draw": np.arange(epp.shape[1])}
    posterior = xr.Dataset(
        {"epp": (_DIMS, epp), "epp_scale": (_DIMS[:2], scale)}, coords | {"player": names}
    )
    beta = _effects(weighed, epp, rng)
    if weighed.effects:
        posterior = posterior.assign(effect_size=((*_DIMS[:2], "effect"), beta)).assign_coords(
            effect=weighed.effects
        )
    log_prior = 0.5 * np.log(2.0 / np.pi) - np.log(prior_scale) - 0.5 * (scale / prior_scale) ** 2
    tree = {
        "posterior": posterior,
        "sample_stats": drawn["sample_stats"].to_dataset().assign_coords(coords),
        "posterior_predictive": _replicates(weighed, epp, beta, sampling["replicates"], rng),
        "log_likelihood": with_notice(
            xr.Dataset({"wins": (_DIMS[:2], _log_likelihood(epp, board))}, coords)
        ),
        "log_prior": xr.Dataset({"epp_scale": (_DIMS[:2], log_prior)}, coords),
        "observed_data": played[["wins"]]
        .drop_attrs()
        .assign(misfit=misfit(weighed.votes, weighed.at, weighed.bread, weighed.votes.won)),
        "constant_data": _constant(weighed, played),
    }
    if prior:
        tree["prior"] = _prior(names, prior_scale, df, epp.shape[1], streams[2])
    information = float((weighed.bread * weighed.together.meat).sum())
    return xr.DataTree.from_dict(tree), found | {"weight": (len(weighed.bread) - 1.0) / information}


def _effects(weighed: Weighed, epp: Floats, rng: np.random.Generator) -> Floats:
    """Draw effects (chain, draw, effect) given strengths: of a normal law."""
    m, v = weighed.votes.players, weighed.matched.covariance
    known = v[m:, :m] @ np.linalg.pinv(v[:m, :m], rcond=1e-10, hermitian=True)
    left = v[m:, m:] - known @ v[:m, m:]
    centre = weighed.at.beta + (epp - weighed.at.epp) @ known.T
    root = np.linalg.cholesky(left) if len(left) else left
    return np.asarray(centre + rng.standard_normal(centre.shape) @ root.T)


def _log_likelihood(epp: Floats, board: Board) -> Floats:
    """Of the matches that votes are worth (chain, draw)."""
    flat = np.ascontiguousarray(epp.reshape(-1, epp.shape[-1]))
    value = flat @ board.points - log_normaliser(flat, board.n)
    return np.asarray(value.reshape(epp.shape[:2]))


def _replicates(
    weighed: Weighed, epp: Floats, beta: Floats, asked: int | None, rng: np.random.Generator
) -> xr.Dataset:
    """Draw all votes again, of some draws evenly spread.

    ``wins`` (chain, draw, player, opponent), and ``misfit`` (chain, draw), how far pairs are from
    the strengths that these votes would give.
    """
    votes = weighed.votes
    held = [holders(votes, each) for each in with_shared([*weighed.clusters.values()])]
    chains, draws, m = epp.shape
    size = len(votes.first)
    wanted = asked if asked is not None else min(max(_MOST // size, FEWEST), _REPLICATES)
    each = min(-(-wanted // chains), draws)
    at = np.linspace(0, draws - 1, each).astype(int)
    wins, distance = np.empty((chains, each, m, m), dtype=np.float32), np.empty((chains, each))
    met = pair_sums(votes, votes.n)
    for c, k in np.ndindex(chains, each):
        here = Estimate(epp[c, at[k]], beta[c, at[k]], *weighed.at[2:])
        again = vote_again(votes, here, held, weighed.together.tau2, rng)
        won = pair_sums(votes, again)
        wins[c, k] = won + (met - won).T
        distance[c, k] = misfit(votes, here, weighed.bread, again)
    return xr.Dataset(
        {
            "wins": (("chain", "draw", "player", "opponent"), wins),
            "misfit": (("chain", "draw"), distance),
        },
        {"chain": np.arange(chains), "draw": at, **_pairs(weighed)},
    )


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


def _prior(
    names: Any, prior_scale: float, df: float, draws: int, stream: np.random.SeedSequence
) -> xr.Dataset:
    """Draw strengths from their prior, in one chain."""
    rng = np.random.default_rng(stream)
    scale = prior_scale * abs(rng.standard_normal((1, draws)))
    epp = scale[..., None] * rng.standard_t(df, (1, draws, len(names)))
    epp -= epp.mean(axis=-1, keepdims=True)
    coords = {"chain": [0], "draw": np.arange(draws), "player": names}
    return xr.Dataset({"epp": (_DIMS, epp), "epp_scale": (_DIMS[:2], scale)}, coords)
