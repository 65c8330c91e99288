r"""The likelihood of counts under a law of thetas that is learnt from the board, in PyTensor.

.. math:: X_j \mid w, \rho, z \sim \sum_k w_k P(x \mid \theta_k, \rho, z), \quad
          w \sim \mathrm{Dirichlet}(\alpha b)

as in `_numerics.flexible_law`, on the same cells, and with the same shifted binomials
(`_numerics.counts`), as expressions with gradients.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pymc as pm
import pytensor.tensor as pt

from leaderbayes._numerics.counts import Counts
from leaderbayes._numerics.flexible_law import ALPHAS, ALPHAS_PRIOR, END, cells_of_counts
from leaderbayes._numerics.maximum import draw_given
from leaderbayes._types import Floats, Longs

_TRIALS = 30  # of counts that must be above the floor
_ATOMS = 40  # of a law that is simulated: what is left beyond is 1e-4 on average, at most


def flexible_counts(seen: Counts, rho: Any, theta_0: float, common: Any, ease: Any) -> None:
    """Add ``concentration``, ``weight`` (cell) and the observed ``count`` (team) to the model.

    Of independent teams also the cells' ``shift``.

    rho: as given, a number or a frozen law; common: it, or its variable; ease: of the test set.
    """
    given = cells_of_counts(seen.x, seen.n, rho)
    width = np.diff(given.edge)
    which = pm.Categorical("which", ALPHAS_PRIOR)
    alpha = pm.Deterministic("concentration", pt.as_tensor_variable(ALPHAS)[which])
    pm.modelcontext(None).add_coord("cell", np.arange(width.size))
    weight = pm.Dirichlet("weight", alpha * width / width.sum(), dims="cell")
    at: Any = given.middle
    if not hasattr(rho, "logpdf") and float(rho) == 0.0:  # else the common luck moves them
        at = at + pm.Uniform("shift", -given.furthest, given.furthest)
    theta = _less_luck(at, seen.n, theta_0, common, ease)

    def logp(x: Any, weight: Any, theta: Any, common: Any, ease: Any) -> Any:
        given = _shifted_binomials(seen.n, theta, theta_0, common, ease)
        log = _log_probability(x[:, None], *given) - _log_above(seen.floor, *given)
        return pt.logsumexp(log + pt.log(weight), axis=1)

    def random(
        weight: Floats, theta: Floats, common: Any, ease: Any, rng: Any = None, size: Any = None
    ) -> Longs:
        # PyMC repeats parameters for each team.
        reference = seen.n * theta_0 + ease * math.sqrt(seen.n * theta_0 * (1.0 - theta_0))
        s = np.clip(np.round(reference), 0, seen.n).astype(np.int64)
        below = np.cumsum(weight, axis=-1)
        shape = np.broadcast_shapes(below.shape[:-1], s.shape, np.shape(common), size or ())

        def draw() -> Longs:
            level = rng.random(shape)[..., None] * below[..., -1:]
            cell = (level >= below[..., :-1]).sum(axis=-1)[..., None]
            at = np.take_along_axis(np.broadcast_to(theta, (*shape, theta.shape[-1])), cell, -1)
            return draw_given(at[..., 0], seen.n, s, common, theta_0, rng)

        right = draw()
        for _ in range(_TRIALS):
            low = right <= seen.floor
            if not low.any():
                break
            right = np.where(low, draw(), right)
        return right

    counts = seen.x[seen.of].astype(np.int64)
    pm.CustomDist(
        "count", weight, theta, common, ease, logp=logp, random=random,
        signature="(c),(c),(),()->()", dtype="int64", observed=counts, dims="team",
    )  # fmt: skip


def atoms(
    seen: Counts, rho: Any, theta_0: float, common: Any, ease: Any
) -> tuple[list[Any], Callable[..., Floats]]:
    """Add the law by its atoms, by breaking a stick (Sethuraman), and ``theta_sota``.

    All are functions of normal numbers, which walks that keep to the prior can move: ``stick`` and
    ``place`` (atom), ``many`` of the concentration, and ``rank`` of the best among as many teams.
    Give what a simulator is told, and what draws thetas of that up to the best.
    """
    edge = cells_of_counts(seen.x, seen.n, rho).edge
    pm.modelcontext(None).add_coord("atom", np.arange(_ATOMS))
    chance = np.cumsum(ALPHAS_PRIOR)[:-1]
    which = (_below(pm.Normal("many")) > chance).sum()
    alpha = pm.Deterministic("concentration", pt.as_tensor_variable(ALPHAS)[which])
    left = _below(-pm.Normal("stick", dims="atom")) ** (1.0 / alpha)
    left = pt.set_subtensor(left[-1], 0.0)
    before = pt.concatenate([pt.ones(1), pt.cumprod(left)[:-1]])
    weight = pm.Deterministic("weight", (1.0 - left) * before, dims="atom")
    at = edge[0] + (edge[-1] - edge[0]) * _below(pm.Normal("place", dims="atom"))
    at = pm.Deterministic("at", at, dims="atom")
    theta = _less_luck(at, seen.n, theta_0, common, ease)
    order = pt.argsort(theta)
    level = _below(pm.Normal("rank")) ** (1.0 / len(seen.of))
    first = pt.minimum((pt.cumsum(weight[order]) < level).sum(), _ATOMS - 1)
    best = pm.Deterministic("theta_sota", theta[order][first])

    def draw(
        rng: np.random.Generator, size: int, low: float, theta: Any, weight: Any, best: Any
    ) -> Floats:
        up_to = np.cumsum(np.where(theta <= best, weight, 0.0))
        return np.asarray(theta[np.searchsorted(up_to, rng.random(size) * up_to[-1], "right")])

    return [theta, weight, best], draw


def _below(x: Any) -> Any:
    """Give the normal distribution function."""
    return 0.5 * pt.erfc(-x / math.sqrt(2.0))


def _less_luck(at: Any, n: int, theta_0: float, rho: Any, ease: Any) -> Any:
    """Thetas of places on the scale, which moves with the luck."""
    known = pt.sin(at) ** 2
    luck = 0.5 * ease / math.sqrt(n) * _allowed(known, rho, theta_0)
    return pt.sin(pt.clip(at - luck, END, 0.5 * math.pi - END)) ** 2


def _allowed(theta: Any, rho: Any, theta_0: float) -> Any:
    odds = theta / (1.0 - theta) * (1.0 - theta_0) / theta_0
    return pt.minimum(rho, pt.sqrt(pt.minimum(odds, 1.0 / odds)))


def _shifted_binomials(n: int, theta: Any, theta_0: float, rho: Any, ease: Any) -> Any:
    """Shift, size and probability, of each cell; without dependence binomials themselves."""
    s = n * theta_0 + ease * math.sqrt(n * theta_0 * (1.0 - theta_0))
    spread = _allowed(theta, rho, theta_0) * pt.sqrt(theta * (1.0 - theta))
    up = pt.minimum(theta + spread * math.sqrt((1.0 - theta_0) / theta_0), 1.0)
    down = pt.maximum(theta - spread * math.sqrt(theta_0 / (1.0 - theta_0)), 0.0)
    first, second = s * up * (1.0 - up), (n - s) * down * (1.0 - down)
    variance = first + second
    p = 0.5 * (1.0 - (first * (1.0 - 2.0 * up) + second * (1.0 - 2.0 * down)) / variance)
    size = variance / (p * (1.0 - p))
    return s * up + (n - s) * down - size * p, size, p


def _log_probability(x: Any, shift: Any, size: Any, p: Any) -> Any:
    y, rest = x - shift, size - x + shift
    ways = pt.gammaln(size + 1.0) - pt.gammaln(y + 1.0) - pt.gammaln(rest + 1.0)
    inside = (y > -1.0) & (rest > -1.0)
    return pt.switch(inside, ways + y * pt.log(p) + rest * pt.log1p(-p), -np.inf)


def _log_above(floor: int, shift: Any, size: Any, p: Any) -> Any:
    """Logarithm of the probability to be above the floor."""
    if floor < 0:
        return pt.zeros_like(p)
    y = pt.clip(floor + 1.0 - shift, 1e-12, size + 1.0 - 1e-12)
    return pt.log(pt.betainc(y, size - y + 1.0, p))
