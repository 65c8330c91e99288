"""Independence Metropolis: exact draws from independent ones of a near density."""

import numba
import numpy as np

from leaderbayes._types import Floats, Longs


def independence_chains(
    log_weight: Floats, chains: int, rng: np.random.Generator
) -> tuple[Longs, Floats]:
    """Walk through proposals in chains; each is taken with probability min(1, w' / w).

    Every chain starts at one of its first tenth, by weight.

    Parameters
    ----------
    log_weight : (proposal,)
        Log of the wanted density over the proposals', which are independent.
    chains : int
        That divides the proposals.

    Returns
    -------
    state : (chain, step)
        Numbers of the proposals where the chains are.
    acceptance : (chain, step)
        Probability with which each step's proposal was taken.
    """
    count = len(log_weight) // chains
    state = np.arange(chains * count).reshape(chains, count)
    weight = log_weight[: state.size].reshape(chains, count)
    uniform = np.log(rng.random((chains, count)))
    acceptance = np.empty((chains, count))
    for c in range(chains):
        first = np.exp(weight[c, : count // 10 + 1] - weight[c].max())
        total = first.cumsum()
        at = int(np.searchsorted(total, rng.random() * total[-1])) if total[-1] > 0.0 else 0
        gain = _walk(weight[c], uniform[c], at, state[c])
        np.exp(np.minimum(gain, 0.0), out=acceptance[c])
    return state, acceptance


@numba.njit(cache=True, error_model="numpy")
def _walk(weight: Floats, uniform: Floats, at: int, state: Longs) -> Floats:
    """Walk through proposals (step,) from one of them, and write where; give logs of w' / w."""
    first, gain = state[0], np.empty(weight.size)
    for k in range(weight.size):
        gain[k] = weight[k] - weight[at]
        if uniform[k] < gain[k]:
            at = k
        state[k] = first + at
    return gain
