"""Simulated boards of many teams, and their parameters.

The best theta is a variable, and a simulator draws the others below it, and then all scores.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import betainc, betaincinv

from leaderbayes._numerics.board_scale import CountScale, draw_counts
from leaderbayes._numerics.counts import STATISTICS, reference_count, statistics
from leaderbayes._numerics.flexible_law import ALPHAS, ALPHAS_PRIOR
from leaderbayes._numerics.theta_cells import END
from leaderbayes._types import Floats, Longs
from leaderbayes.models._theta import CONCENTRATION

_ATOMS = 40  # of the flexible distribution: the weight that is left is 1e-4 on average, at most
_TRIALS = 10  # of classifiers that must be above the floor
_REPLICATES = 200  # boards that give statistics their standard deviations

# (rng, best (board, 1), teams (board,), parameters) -> thetas of all boards' teams, in turn
Draw = Callable[..., Floats]


def simulate(
    scale: CountScale, law: str, statistic: str, epsilon: float, common: Any, ease: Any
) -> None:
    """Add the parameters, ``theta_sota``, and the observed ``statistics`` to the model."""
    import pymc as pm
    import pytensor.tensor as pt

    board, many = scale.board, len(scale.of)
    names = STATISTICS[: 1 if statistic == "maximum" else None]
    parameters, draw = _betas(many) if law == "beta" else _atoms(scale, common, ease)

    def simulator(rng: np.random.Generator, *given: Any) -> Floats:
        *parameters, best, common, ease, _, size = given
        shape = np.shape(best) if size is None else tuple(size)
        best, common, ease = (
            np.broadcast_to(value, shape).reshape(-1, 1) for value in (best, common, ease)
        )
        parameters = [
            np.broadcast_to(p, (*shape, *np.shape(p)[-1:])).reshape(len(best), -1)
            for p in parameters
        ]
        score = _boards(rng, scale, draw, parameters, best, common, ease)
        return statistics(score)[:, : len(names)].reshape(*shape, len(names))

    observed = statistics(board.scores)[: len(names)]
    pm.modelcontext(None).add_coord("statistic", list(names))
    shapes = ["(c)" if pt.as_tensor_variable(p).ndim else "(one)" for p in parameters[:-1]]
    pm.Simulator(
        "statistics",
        simulator,
        *(pt.atleast_1d(p) for p in parameters[:-1]), parameters[-1], common, ease,
        np.zeros(len(names)),
        signature=",".join([*shapes, "(),(),(),(s)"]) + "->(s)",
        epsilon=epsilon * _spread(scale)[: len(names)],
        observed=observed,
        dims="statistic",
    )  # fmt: skip


def _boards(
    rng: np.random.Generator, scale: CountScale, draw: Draw, parameters: list[Floats], best: Floats,
    common: Floats, ease: Floats,
) -> Floats:  # fmt: skip
    """Draw scores (board, team) above the floor, given the best theta."""
    n, theta_0, floor = scale.board.n, scale.theta_0, scale.board.floor
    right = reference_count(n, theta_0, ease)
    count = np.full((len(best), len(scale.of)), floor)
    count[:, :1] = draw_counts(best, n, right, common, theta_0, rng)
    for _ in range(1 + _TRIALS):
        low = count <= floor
        low[:, 0] = False
        if not low.any():
            break
        theta, row = draw(rng, best, low.sum(axis=1), *parameters), np.nonzero(low)[0]
        count[low] = draw_counts(theta, n, right[row, 0], common[row, 0], theta_0, rng)
    return count / n


def _spread(scale: CountScale) -> Floats:
    """Simulate the standard deviation of each statistic, treating scores as thetas."""
    rng, score, n = np.random.default_rng(0), scale.board.scores, scale.board.n
    theta = rng.choice(score, (_REPLICATES, len(score)))
    right = reference_count(n, scale.theta_0, rng.standard_normal((_REPLICATES, 1)))
    rho = scale.rho.mean() if hasattr(scale.rho, "mean") else scale.rho
    count = draw_counts(theta, n, right, rho, scale.theta_0, rng)
    return np.maximum(statistics(count / n).std(axis=0), 0.5 / n)


def _betas(m: int) -> tuple[list[Any], Draw]:
    """Add a beta distribution with unknown parameters, and the best of m."""
    import pymc as pm
    import pytensor.tensor as pt

    mean = pm.Uniform("mean", 0.0, 1.0)
    concentration = pm.LogNormal("concentration", *CONCENTRATION)
    a, b = mean * concentration, (1.0 - mean) * concentration

    def logp(value: Any, a: Any, b: Any) -> Any:
        below = pt.log(pt.betainc(a, b, value))
        return math.log(m) + (m - 1) * below + pm.logp(pm.Beta.dist(a, b), value)

    def random(a: Any, b: Any, rng: Any = None, size: Any = None) -> Floats:
        shape = np.broadcast_shapes(np.shape(a), np.shape(b)) if size is None else tuple(size)
        a, b = (np.broadcast_to(x, shape)[..., None] for x in (a, b))
        # Particles start on the scale of log-odds.
        best = np.clip(rng.beta(a, b, (*shape, m)).max(axis=-1), 1e-9, 1.0 - 1e-9)
        return np.asarray(best)

    best = pm.CustomDist(
        "theta_sota", a, b, logp=logp, random=random, signature="(),()->()",
        transform=pm.distributions.transforms.logodds,
    )  # fmt: skip

    def draw(rng: np.random.Generator, best: Floats, teams: Longs, a: Floats, b: Floats) -> Floats:
        a, b, best = (np.repeat(x[:, 0], teams) for x in (a, b, best))
        theta = rng.beta(a, b)
        above = theta > best  # few: the best of all is near the upper end
        a, b, best = a[above], b[above], best[above]
        theta[above] = betaincinv(a, b, rng.random(len(best)) * betainc(a, b, best))
        return theta

    return [a, b, best], draw


def _atoms(scale: CountScale, common: Any, ease: Any) -> tuple[list[Any], Draw]:
    """Add the flexible distribution by its atoms, by breaking a stick (Sethuraman), of normals."""
    import pymc as pm
    import pytensor.tensor as pt

    def below(x: Any) -> Any:
        return 0.5 * pt.erfc(-x / math.sqrt(2.0))

    pm.modelcontext(None).add_coord("atom", np.arange(_ATOMS))
    edge, n, rest = scale.cells.edge, scale.board.n, np.arange(_ATOMS) < _ATOMS - 1
    above = below(pm.Normal("many_unit")) > np.cumsum(ALPHAS_PRIOR)[:-1]
    alpha = pm.Deterministic("concentration", ALPHAS[0] + (np.diff(ALPHAS) * above).sum())
    left = pt.log(below(-pm.Normal("stick_unit", dims="atom"))) / alpha
    weight = pt.exp(rest * pt.log1p(-pt.exp(left)) + pt.dot(np.tri(_ATOMS, k=-1), left))
    weight = pm.Deterministic("weight", weight, dims="atom")
    at = edge[0] + (edge[-1] - edge[0]) * below(pm.Normal("place_unit", dims="atom"))
    at = pm.Deterministic("at", at, dims="atom")
    # Less the luck, which moves the scale: `CountScale.theta`.
    known = pt.sin(at) ** 2
    odds = known / (1.0 - known) * (1.0 - scale.theta_0) / scale.theta_0
    allowed = pt.minimum(common, pt.sqrt(pt.minimum(odds, 1.0 / odds)))
    luck = 0.5 * ease / math.sqrt(n) * allowed
    theta = pt.sin(pt.clip(at - luck, END, 0.5 * math.pi - END)) ** 2
    up_to = (weight * (theta <= theta[:, None])).sum(axis=1)
    level = below(pm.Normal("rank_unit")) ** (1.0 / len(scale.of))
    short = up_to + 1e-9 < level  # of the best's rank among as many teams
    best = pm.Deterministic("theta_sota", (theta + 2.0 * short).min())

    def draw(
        rng: np.random.Generator, best: Floats, teams: Longs, theta: Floats, weight: Floats
    ) -> Floats:
        share = np.where(theta <= best, weight, 0.0)
        times = rng.multinomial(teams, share / share.sum(axis=1, keepdims=True))
        return np.repeat(theta.ravel(), times.ravel())

    return [theta, weight, best], draw
