"""Chains of an independence Metropolis sampler: proposals of the nested Laplace approximation."""

from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._inference.diagnostics import diagnose
from leaderbayes._inference.psis import MAX_PARETO_K, smooth
from leaderbayes._numerics.independence import independence_chains
from leaderbayes._numerics.laplace import Board, log_weight, sample

_FEWEST = 4000  # proposals
_PROPOSALS = (1, 4, 16)  # times as many, where those do not do
_GOOD_K, _GOOD_ESS = 0.5, 1000.0  # at which no more are drawn
_WALKERS = 4  # chains, at least
_DIMS = ("chain", "draw", "player")
_MOST = 4_000_000  # numbers of proposed strengths


def walk(
    board: Board, shape: tuple[int, int], rng: np.random.Generator
) -> tuple[xr.DataTree, dict[str, Any]]:
    """Draw exactly, with more proposals for each draw that is kept until chains converge.

    Diagnosed are the chains of all proposals: what is kept of them, evenly spread, may be few.
    Groups are ``posterior`` and ``sample_stats``, of (chain, draw) ``shape``.
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
        posterior = {
            "epp": (_DIMS, epp.reshape(-1, m)[every].reshape(*shape, m)),
            "epp_scale": (_DIMS[:2], scale.reshape(-1)[every].reshape(shape)),
        }
        if found["converged"] and tail < _GOOD_K and found["min_ess"] > min(_GOOD_ESS, size / 2):
            break
    taken = acceptance.reshape(*shape, -1).mean(axis=2)
    stats = {"acceptance_rate": taken, "diverging": np.zeros(shape, bool)}
    tree = {
        "posterior": xr.Dataset(posterior),
        "sample_stats": xr.Dataset({name: (_DIMS[:2], value) for name, value in stats.items()}),
    }
    return xr.DataTree.from_dict(tree), found | {"sampler": "laplace"}
