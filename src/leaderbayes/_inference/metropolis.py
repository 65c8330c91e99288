"""Chains of an independence Metropolis sampler: proposals of a Laplace approximation."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from leaderbayes._inference.diagnostics import diagnose
from leaderbayes._inference.psis import MAX_PARETO_K, smooth
from leaderbayes._numerics.independence import independence_chains
from leaderbayes._numerics.laplace import Board, log_weight, sample
from leaderbayes._types import Floats

_FEWEST = 4000  # proposals
_PROPOSALS = (1, 4, 16)  # times as many, where those do not do
_GOOD_K, _GOOD_ESS = 0.5, 1000.0  # at which no more are drawn
_WALKERS = 4  # chains, at least
_DIMS = ("chain", "draw", "player")
_MOST = 4_000_000  # numbers of proposed strengths


class Proposals(NamedTuple):
    """Independent draws."""

    value: dict[str, Floats]  # by name, (proposal,) or (proposal, player)
    log_weight: Floats  # (proposal,): wanted density over that of the proposals, up to a constant


def walk(
    board: Board, shape: tuple[int, int], rng: np.random.Generator
) -> tuple[xr.DataTree, dict[str, Any]]:
    """Draw Bradley-Terry's posterior, as `walk_through`."""

    def propose(count: int) -> Proposals:
        drawn = sample(board, count, rng)
        return Proposals({"epp": drawn.epp, "epp_scale": drawn.scale}, log_weight(drawn, board))

    return walk_through(propose, len(board.points), shape, rng)


def walk_through(
    propose: Callable[[int], Proposals],
    players: int,
    shape: tuple[int, int],
    rng: np.random.Generator,
    times: Sequence[int] = _PROPOSALS,
) -> tuple[xr.DataTree, dict[str, Any]]:
    """Draw exactly, with more proposals for each draw that is kept until chains converge.

    Diagnosed are the chains of all proposals: what is kept of them, evenly spread, may be few.
    Groups are ``posterior`` and ``sample_stats``, of (chain, draw) ``shape``. What is proposed are
    numbers, or has a dimension of players; ``times`` as many as draws, one after the other.
    """
    size = shape[0] * shape[1]
    # One chain alone cannot disagree: then what is kept comes from four in turn.
    walkers = max(shape[0], _WALKERS)
    least = -(-_FEWEST // size)
    for more in times:
        thin = least * more * (walkers if shape[0] < walkers else 1)
        if more > times[0] and thin * size * players > _MOST:
            break
        proposed = propose(thin * size)
        state, acceptance = independence_chains(proposed.log_weight, walkers, rng)
        drawn = {name: value[state] for name, value in proposed.value.items()}
        found = diagnose(xr.Dataset({n: (_DIMS[: v.ndim], v) for n, v in drawn.items()}))
        tail = smooth(proposed.log_weight).pareto_k
        found |= {"converged": int(found["converged"] and tail < MAX_PARETO_K), "pareto_k": tail}
        found["min_ess"] = min(found["min_ess"], float(size))
        every = slice(thin - 1, None, thin)
        posterior = {}
        for name, value in drawn.items():
            own = value.shape[2:]
            kept = value.reshape(-1, *own)[every].reshape(*shape, *own)
            posterior[name] = (_DIMS[: kept.ndim], kept)
        if found["converged"] and tail < _GOOD_K and found["min_ess"] > min(_GOOD_ESS, size / 2):
            break
    taken = acceptance.reshape(*shape, -1).mean(axis=2)
    stats = {"acceptance_rate": taken, "diverging": np.zeros(shape, bool)}
    tree = {
        "posterior": xr.Dataset(posterior),
        "sample_stats": xr.Dataset({name: (_DIMS[:2], value) for name, value in stats.items()}),
    }
    return xr.DataTree.from_dict(tree), found | {"sampler": "laplace"}
