"""The fast engine: independence Metropolis chains, exact for any proposal.

Where a proposal that is far out weighs so much that chains stay at it, proposals are drawn anew by
weight, and each then moves by itself (Gilks and Berzuini 2001, Following a moving target, JRSS B).
"""

from typing import Any

import numpy as np

from leaderbayes._numerics.diagnostics import PROB, diagnose
from leaderbayes._numerics.engine import Engine, Proposals
from leaderbayes._types import Floats, Longs
from leaderbayes.models._model import Problem

_FEWEST = 4000  # proposals
_TIMES = (1, 2, 4)  # as many proposals in all, where fewer do not do
_GOOD_ESS = 1000.0  # at which no more are drawn
_MOST = 20_000_000  # numbers of proposed strengths
_THIN = 3  # players with the thinnest tails on either side, of whom chains are diagnosed
_CHECKED = 40  # players that moves are diagnosed of beside these, at most
_MANY, _STATES = 120, 10  # players, and states that are kept of one point
_MOVES, _MOST_MOVES = 5, 60  # of points at a time, and until chains have to agree
_WALKERS = 4  # chains that are compared, at least
_REMEMBERED = 0.3  # correlation of where moves led with where they began


def draw_metropolis(
    problem: Problem, chains: int, draws: int, rng: np.random.Generator
) -> tuple[dict[str, Floats], dict[str, Floats], dict[str, Any]]:
    """Draw the posterior of a problem, with more proposals per draw until chains converge.

    All proposals' chains are diagnosed; what is kept of them is evenly spread.

    Returns
    -------
    drawn, stats, found
        Variables and statistics of the sampler (chain, draw, ...), and diagnostics.
    """
    engine = Engine(problem.target)
    total, m = chains * draws, problem.target.players
    # One chain alone cannot disagree: what is kept then comes from four, in turn.
    walkers = max(chains, _WALKERS)
    least = -(-_FEWEST // total) * (walkers if chains < walkers else 1)
    proposed = engine.propose(least * total, rng)
    for more in _TIMES:
        missing = more * least * total - len(proposed.x)
        if missing:
            if more * least * total * m > _MOST:
                break
            proposed = proposed.and_also(engine.propose(missing, rng))
        thin = more * least
        state, accepted = _walk(proposed.log_weight, walkers, rng)
        # What is kept of a chain, evenly spread; of few draws, what they are kept of.
        shown = state[:, thin - 1 :: thin] if total >= _FEWEST else state
        some = _with_thin_tails(proposed, shown, m)
        found = diagnose(
            _checked(proposed, shown, m, some), pareto_k=_pareto_k(proposed.log_weight)
        )
        if found["converged"] and found["min_ess"] > min(_GOOD_ESS, total / 2):
            break
    kept = state.reshape(-1)[thin - 1 :: thin]
    x, t = proposed.x[kept], proposed.log_scale[kept]
    rate, sampler = accepted.reshape(chains, draws, -1).mean(axis=2), "metropolis"
    # Moves of matched strengths agree long before they are where they belong.
    if not found["converged"] and problem.target.log_prior is None:
        # As many as diagnostics need, of which draws are kept evenly spread.
        several = -(-_FEWEST // total)
        # Moves of many players take long: several states of each of fewer points are kept.
        each = _STATES if m > _MANY and total % (walkers * _STATES) == 0 else 1
        kept = _resample(proposed.log_weight, walkers, several * total // each, rng)
        x, t = proposed.x[kept], proposed.log_scale[kept]
        moves, begun = max(_MOVES, 2 * each), _numbers(x, t, m)
        some = np.union1d(some, np.linspace(0, m - 1, min(m, _CHECKED)).astype(int))
        for again in range(_MOST_MOVES // moves):
            if again:
                x, t = x[each - 1 :: each], t[each - 1 :: each]
            x, t, accepted = engine.move(x, t, rng, moves, each)
            moved = Proposals(x, t, np.zeros(len(x)))
            state = np.arange(len(x)).reshape(walkers, -1)
            # Copies are next to each other: the effective sample size counts what has moved.
            found = diagnose(_checked(moved, state, m, some))
            # Chains that begin alike can agree before they have moved far.
            now = _numbers(x[each - 1 :: each], t[each - 1 :: each], m)
            found["converged"] *= int((begun * now).mean(axis=0).max() < _REMEMBERED)
            if found["converged"]:
                break
        x, t, sampler = x[several - 1 :: several], t[several - 1 :: several], "resample-move"
        rate = accepted[several - 1 :: several].reshape(chains, draws)
    found["min_ess"] = min(found["min_ess"], float(total))
    scale = np.exp(t)
    drawn = problem.expand(x[:, :m], x[:, m:], scale, rng)
    shaped = {name: value.reshape(chains, draws, *value.shape[1:]) for name, value in drawn.items()}
    stats = {"acceptance_rate": rate, "diverging": np.zeros((chains, draws), bool)}
    return shaped, stats, found | {"sampler": sampler}


def _numbers(x: Floats, t: Floats, m: int) -> Floats:
    """Return strengths, parameters and log sigma in standard deviations (point, number)."""
    a = x[:, :m] - x[:, :m].mean(axis=1, keepdims=True)
    every = np.column_stack([a, x[:, m:], t])
    rank = every.argsort(axis=0).argsort(axis=0) + 0.5
    return np.asarray((rank / len(rank) - 0.5) * np.sqrt(12.0))


def _with_thin_tails(proposed: Proposals, state: Longs, m: int) -> Longs:
    """Return the players whose tails rest on the fewest proposals.

    A step moves all players or none, but a tail may be thin for one of them alone.
    """
    a = proposed.x[:, :m] - proposed.x[:, :m].mean(axis=1, keepdims=True)
    weight = np.exp(proposed.log_weight - proposed.log_weight.max())
    low, high = np.quantile(a[state.ravel()], (1.0 - PROB, PROB), axis=0)
    sizes = [np.square(weight @ tail) / (weight**2 @ tail) for tail in (a <= low, a >= high)]
    return np.unique([size.argsort()[:_THIN] for size in sizes])


def _checked(proposed: Proposals, state: Longs, m: int, some: Longs) -> dict[str, Floats]:
    """Return the diagnosed variables (chain, draw, ...): strengths, scale, further parameters."""
    a = proposed.x[:, some] - proposed.x[:, :m].mean(axis=1, keepdims=True)
    found = {"epp": a[state], "epp_scale": np.exp(proposed.log_scale)[state]}
    if proposed.x.shape[1] > m:
        found["extra"] = proposed.x[:, m:][state]
    return found


def _walk(log_weight: Floats, chains: int, rng: np.random.Generator) -> tuple[Longs, Floats]:
    """Run each chain through its proposals; return states and acceptances (chain, draw)."""
    each = len(log_weight) // chains
    log_u = np.log(rng.random((chains, each)))
    state, accepted = np.empty((chains, each), np.int64), np.zeros((chains, each))
    for c in range(chains):
        own = log_weight[c * each : (c + 1) * each].tolist()
        # It begins at a proposal drawn by weight, and so already in the posterior.
        gain = np.exp(log_weight[c * each : (c + 1) * each] - max(own))
        at = int(rng.choice(each, p=gain / gain.sum()))
        here = own[at]
        for k, (weight, u) in enumerate(zip(own, log_u[c].tolist(), strict=True)):
            if weight - here > u:
                at, here = k, weight
                accepted[c, k] = 1.0
            state[c, k] = c * each + at
    return state, accepted


def _resample(log_weight: Floats, chains: int, draws: int, rng: np.random.Generator) -> Longs:
    """Resample the proposals of each chain by weight, equal ones next to each other."""
    each, kept = len(log_weight) // chains, []
    for c in range(chains):
        own = log_weight[c * each : (c + 1) * each]
        below = np.cumsum(np.exp(own - own.max()))
        at = (np.arange(draws // chains) + rng.random()) / (draws // chains)
        kept.append(c * each + np.minimum(np.searchsorted(below, at * below[-1]), each - 1))
    return np.concatenate(kept)


def _pareto_k(log_weight: Floats) -> float:
    """Return Pareto k of the weights of proposals."""
    from arviz_stats.base import array_stats

    finite = np.where(np.isfinite(log_weight), log_weight, log_weight.max() - 1e3)
    # ArviZ wants the negative of log weights.
    return float(array_stats.psislw(-finite)[1])
