"""Draw Bradley-Terry's posterior exactly: proposals of the nested Laplace approximation."""

from typing import NamedTuple

import numpy as np
import xarray as xr

from leaderbayes._inference.diagnostics import diagnose
from leaderbayes._inference.laplace import assemble
from leaderbayes._inference.psis import MAX_PARETO_K, smooth
from leaderbayes._numerics.composite_weight import weighted_counts
from leaderbayes._numerics.independence import independence_chains
from leaderbayes._numerics.laplace import Board, log_weight, sample
from leaderbayes._types import Floats
from leaderbayes.models._board import check_options
from leaderbayes.models._weight import (
    PRIOR_DF,
    PRIOR_SCALE,
    Weight,
    check_board,
    check_pairs,
    resolve_weight,
)

_FEWEST = 4000  # proposals
_PROPOSALS = (1, 4, 16)  # times as many, where those do not do
_GOOD_K, _GOOD_ESS = 0.5, 1000.0  # at which no more are drawn
_WALKERS = 4  # chains, at least
_DIMS = ("chain", "draw", "player")
_MOST = 4_000_000  # numbers of proposed strengths


def draw_exactly(
    matches: xr.Dataset,
    shape: tuple[int, int],
    replicates: int,
    seed: int,
    *,
    weight: Weight = "composite",
    test_fraction: float | None = None,
    prior_scale: float = PRIOR_SCALE,
    prior_df: float = PRIOR_DF,
    centring: float | None = None,
) -> tuple[xr.DataTree, dict[str, float | int]]:
    """Draw the groups of `fit` for ``models.bradley_terry``, (chain, draw) of ``shape``.

    Chains of an independence Metropolis sampler, whose proposals are draws of the nested Laplace
    approximation. Up to ``replicates`` of the draws, evenly spread, have a posterior predictive
    board. The tree comes with its diagnostics, as of NUTS, whose way of sampling players, the
    centring, is no part of the model and changes nothing.
    """
    check_pairs(matches, "models.bradley_terry")
    check_board(matches)
    check_options(centring, prior_scale=prior_scale, prior_df=prior_df)
    chains, draws = shape
    # One stream for the posterior and one for replicates, as `fit` has them.
    posterior, predictive = (
        np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(2)
    )
    eta = resolve_weight(matches, weight, test_fraction, with_ties=False)
    wins, n, _ = weighted_counts(
        matches["place"].to_numpy(), eta,
        within_round=bool(matches.attrs["within_round"]), ties=str(matches.attrs["ties"]),
    )  # fmt: skip
    board = Board(wins.sum(axis=1), n, prior_scale, prior_df)
    kept, acceptance, found = _chains(board, shape, posterior)
    step = -(-draws * chains // replicates)
    tree = assemble(matches, eta, prior_scale, kept.epp, kept.scale, step, predictive)
    stats = {"acceptance_rate": acceptance, "diverging": np.zeros(shape, bool)}
    counted = {"chain": np.arange(chains), "draw": np.arange(draws)}
    tree["sample_stats"] = xr.DataTree(
        xr.Dataset({name: (("chain", "draw"), value) for name, value in stats.items()}, counted)
    )
    return tree, found


class _Kept(NamedTuple):
    """Draws that are kept."""

    epp: Floats  # (chain, draw, player)
    scale: Floats  # (chain, draw)


def _chains(
    board: Board, shape: tuple[int, int], rng: np.random.Generator
) -> tuple[_Kept, Floats, dict[str, float | int]]:
    """Draw exactly, with more proposals for each draw that is kept until chains converge.

    Diagnosed are the chains of all proposals: what is kept of them, evenly spread, may be few.
    """
    size, m = shape[0] * shape[1], len(board.points)
    # One chain alone cannot disagree: then what is kept comes from four in turn.
    walkers = max(shape[0], _WALKERS)
    least = -(-_FEWEST // size)
    for more in _PROPOSALS:
        thin = least * more * (walkers if shape[0] < walkers else 1)
        if more > 1 and thin * size * m > _MOST:
            break
        proposed = sample(board, thin * size, rng)
        ratio = log_weight(proposed, board)
        state, acceptance = independence_chains(ratio, walkers, rng)
        epp, scale = proposed.epp[state], proposed.scale[state]
        found = diagnose(xr.Dataset({"epp": (_DIMS, epp), "epp_scale": (_DIMS[:2], scale)}))
        tail = smooth(ratio).pareto_k
        found |= {"converged": int(found["converged"] and tail < MAX_PARETO_K), "pareto_k": tail}
        found["min_ess"] = min(found["min_ess"], float(size))
        every = slice(thin - 1, None, thin)
        kept = _Kept(
            epp.reshape(-1, m)[every].reshape(*shape, m), scale.reshape(-1)[every].reshape(shape)
        )
        if found["converged"] and tail < _GOOD_K and found["min_ess"] > min(_GOOD_ESS, size / 2):
            break
    return kept, acceptance.reshape(*shape, -1).mean(axis=2), found
