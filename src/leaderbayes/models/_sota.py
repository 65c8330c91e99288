"""A board whose best score was chosen: by simulation, and by the likelihood of a learnt law."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pymc as pm
import pytensor.tensor as pt
import xarray as xr
from scipy.special import betainc

from leaderbayes._arguments import positive
from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.counts import STATISTICS, Counts, counts_above, statistics
from leaderbayes._numerics.maximum import draw_given
from leaderbayes._scores.facts import facts, own_rho, require_n
from leaderbayes._types import Floats, Longs
from leaderbayes.models._flexible_law import atoms, flexible_counts
from leaderbayes.models._theta import CONCENTRATION, check_law

_TRIALS = 10  # of classifiers that must be above the floor; of laws far below it fewer are drawn
_REACH = 5.0  # standard deviations by which a count is luckier than its theta, at most
_CELLS = 200  # of a beta's distribution function, between _WIDTH standard deviations around it
_WIDTH = 12.0
_REPLICATES = 200  # boards that give statistics their standard deviations
_KNOTS = 20_001  # of a known law's quantile function


def sota(
    board: xr.DataArray,
    *,
    law: Any = "beta",
    components: int = 2,
    floor: float | None = None,
    rho: Any = None,
    theta_0: float | None = None,
    statistic: Literal["board", "moments", "maximum"] = "board",
    epsilon: float | None = None,
) -> pm.Model:
    r"""Model of a board by simulation, for approximate Bayesian computation; or by its likelihood.

    .. math:: \theta_{SOTA} = \max_j \theta_j \sim m F(t)^{m - 1} f(t), \quad
              \theta_j \mid \theta_{SOTA} \sim P(\theta \mid \theta < \theta_{SOTA}), \quad
              X_j \mid \theta_j \sim \mathrm{Bin}(s, p_{1j}) + \mathrm{Bin}(n - s, p_{0j})

    The best theta is a variable of the model, and a simulator draws the others below it, and then
    all scores. Parameters are likely where statistics of the simulated board are near the board's:
    :math:`-\frac{1}{2} \sum_k ((T_k - t_k) / \epsilon_k)^2`.

    Under ``law="flexible"``, of which no epsilon is given, thetas are integrated out and counts are
    observed: the density that `leaderbayes.sota.posterior` draws from, whose moves no general
    sampler has (weights of hundreds of cells, nearly all of them next to nothing). With an epsilon
    boards are simulated of it as of the others, by the law's atoms.

    Parameters
    ----------
    board : DataArray (team)
        Accuracies, from `leaderbayes.sota.read_board`.
    law, components, floor, theta_0
        As for `leaderbayes.sota.posterior`, but that the beta law is the default.
    rho : float or distribution, optional
        Correlation with the reference: a number, or a prior frozen from ``scipy.stats``. By default
        the board's own, of `leaderbayes.sota.read_answers`, else 0.
    statistic : {"board", "moments", "maximum"}
        The maximum and three quantiles (0.9, 0.5, 0.1); the maximum, mean and standard deviation;
        or the maximum alone, as in the paper. Neither of the first two says all of a board.
    epsilon : float, optional
        Distance kernel's standard deviation, in standard deviations of each statistic. None: 0.5;
        of the flexible law no simulation, but the likelihood.

    Returns
    -------
    pm.Model
        For `pymc.sample_smc`. ``theta_sota``; ``mean`` and ``concentration`` (component), with
        ``weight`` (component) of a mixture; ``shrinkage``; ``ease`` of the test set, ``rho``;
        observed ``statistics`` (statistic). Data: none.

        Of the flexible law ``concentration``, ``weight`` (cell), ``ease``, ``rho``, of independent
        teams the cells' ``shift``; observed ``count`` (team). Where it is simulated
        ``concentration``, ``weight`` and ``at`` (atom; their places on arcsin sqrt theta), and the
        normal numbers that these are of: ``many``, ``stick``, ``place``, ``rank``.

    Raises
    ------
    LeaderbayesError
        If the board is not of accuracies, no team is above the floor, or an option is unknown or
        out of range.

    References
    ----------
    Møllersen, Holsbø (2025), Accounting for multiplicity in machine learning benchmark
    performance, section 5.3.2.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> model = lb.models.sota(lb.sota.read_board([0.91, 0.9, 0.88, 0.85], n=100))
    >>> [variable.name for variable in model.free_RVs]
    ['mean', 'concentration', 'theta_sota']
    """
    known = facts(board)
    if known.n is None or known.metric != "accuracy":
        raise LeaderbayesError("The simulator is of accuracies: sota.read_board(board, n=...).")
    require_n(board)
    check_law(law, components, floor, theta_0, statistic)
    flexible = isinstance(law, str) and law == "flexible"
    by_likelihood = flexible and epsilon is None
    epsilon = positive("epsilon", 0.5 if epsilon is None else epsilon)
    if by_likelihood and statistic != "board":
        raise LeaderbayesError(
            "law='flexible' has the likelihood of the whole board: take statistic='board'."
        )
    seen = counts_above(board.to_numpy(), known.n, known.chance, floor)
    reference = seen.reference if theta_0 is None else theta_0
    rho = own_rho(board) if rho is None else rho
    names, summarise = _STATISTICS[statistic]
    if by_likelihood:
        team = board["team"].to_numpy()[np.round(board.to_numpy() * seen.n) > seen.floor]
        with pm.Model(coords={"team": team}) as model:
            ease, common = _dependence(rho)
            flexible_counts(seen, rho, reference, common, ease)
        return model
    observed = summarise(seen.scores)
    simulate = _simulator(seen, reference, statistic)
    near = epsilon * _spread(seen, float(rho.mean() if hasattr(rho, "mean") else rho), simulate)
    with pm.Model(coords={"statistic": names}) as model:
        ease, common = _dependence(rho)
        if flexible:
            parameters, draw = atoms(seen, rho, reference, common, ease)
        elif isinstance(law, str) and law != "empirical":
            parameters, draw = _betas(law, components, len(seen.of))
        elif law == "empirical":
            parameters, draw = _empirical(seen, known.chance)
        else:
            parameters, draw = _known(law, len(seen.of))

        def simulator(rng: np.random.Generator, *given: Any) -> Floats:
            *parameters, common, ease, _, _ = given
            return simulate(rng, draw, parameters, float(common), float(ease))

        inputs = [*parameters, common, ease, np.zeros(len(observed))]
        shapes = ["(c)" if pt.as_tensor_variable(p).ndim else "()" for p in parameters]
        pm.Simulator(
            "statistics",
            simulator,
            *inputs,
            signature=",".join([*shapes, "()", "()", "(s)"]) + "->(s)",
            epsilon=near,
            observed=observed,
            dims="statistic",
        )
    return model


Draw = Callable[..., Floats]  # (rng, how many, from where, parameters) -> thetas, to the best one


def _dependence(rho: Any) -> tuple[Any, Any]:
    """Ease of the test set, and the correlation, as variables or constants."""
    if hasattr(rho, "logpdf"):
        return pm.Normal("ease"), _correlation(rho)
    ease = pm.Normal("ease") if float(rho) > 0.0 else pt.zeros(())
    return ease, pt.as_tensor_variable(float(rho))


def _correlation(rho: Any) -> Any:
    """Give rho a prior."""

    def logp(value: Any, *_: Any) -> Any:
        # The prior's log density, as a fine table: any scipy.stats law will do.
        knot = np.linspace(1e-4, 1.0 - 1e-4, 2001)
        return _interpolate(value, knot, rho.logpdf(knot))

    def random(*_: Any, rng: Any = None, size: Any = None) -> Floats:
        return np.asarray(rho.rvs(size=size, random_state=rng))

    return pm.CustomDist(
        "rho", logp=logp, random=random, transform=pm.distributions.transforms.logodds
    )


def _betas(law: str, components: int, m: int) -> tuple[list[Any], Draw]:
    """Mixture of betas with unknown parameters."""
    size = components if law == "mixture" else 1
    mean = pm.Uniform("mean", 0.0, 1.0, shape=size)
    concentration = pm.LogNormal("concentration", *CONCENTRATION, shape=size)
    weight = pm.Dirichlet("weight", np.ones(size)) if size > 1 else pt.ones(1)
    a, b = mean * concentration, (1.0 - mean) * concentration
    best = largest_beta("theta_sota", m, a, b, weight)

    def draw(
        rng: np.random.Generator, size: int, low: float, a: Any, b: Any, weight: Any, best: Any
    ) -> Floats:
        middle = a / (a + b)
        reach = _WIDTH * np.sqrt(middle * (1.0 - middle) / (a + b + 1.0))
        first, last = (np.clip(middle + k * reach, min(low, best), best) for k in (-1.0, 1.0))
        knot = np.unique(np.linspace(first, last, _CELLS))
        return _between(rng, size, knot, betainc(a, b, knot[:, None]) @ weight)

    return [a, b, weight, best], draw


def _empirical(seen: Counts, chance: float) -> tuple[list[Any], Draw]:
    """Scores shrunk towards chance (equation 9)."""
    score = seen.scores
    m = len(score)
    shrinkage = pm.Uniform("shrinkage", 0.0, 1.0)
    level = pm.Uniform("level", 0.0, 1.0)
    at = pt.clip(pt.ceil(m * level ** (1.0 / m)) - 1, 0, m - 1).astype("int64")
    best = pm.Deterministic(
        "theta_sota", shrinkage * pt.as_tensor_variable(score)[at] + (1.0 - shrinkage) * chance
    )

    def draw(rng: np.random.Generator, size: int, low: float, shrinkage: Any, best: Any) -> Floats:
        theta = shrinkage * score + (1.0 - shrinkage) * chance
        first, last = np.searchsorted(theta, low), np.searchsorted(theta, best, side="right")
        last = max(last, 1)
        return np.asarray(theta[rng.integers(min(first, last - 1), last, size=size)])

    return [shrinkage, best], draw


def _known(law: Any, m: int) -> tuple[list[Any], Draw]:
    """P(theta) without unknown parameters."""
    knot = law.ppf(np.linspace(0.0, 1.0, _KNOTS)[1:-1])
    knot = np.concatenate([knot, law.ppf(1.0 - np.logspace(-4.4, -9.0, 200))])
    below = law.cdf(knot)
    level = pm.Uniform("level", 0.0, 1.0)
    best = pm.Deterministic("theta_sota", _interpolate(level ** (1.0 / m), below, knot))

    def draw(rng: np.random.Generator, size: int, low: float, best: Any) -> Floats:
        inside = np.clip(knot, min(low, best), best)
        return _between(rng, size, inside, np.interp(inside, knot, below))

    return [best], draw


def _between(rng: np.random.Generator, size: int, knot: Floats, below: Floats) -> Floats:
    """Draw from a law by its distribution function at ascending knots, between the outermost."""
    return np.asarray(np.interp(rng.uniform(below[0], below[-1], size), below, knot))


def largest_beta(name: str, m: int, a: Any, b: Any, weight: Any) -> Any:
    """Prior of the largest of m draws from a mixture of betas: m F(t)^(m - 1) f(t)."""

    def logp(value: Any, a: Any, b: Any, weight: Any) -> Any:
        below = pt.log(pt.sum(weight * pt.betainc(a, b, value)))
        density = pt.logsumexp(pt.log(weight) + pm.logp(pm.Beta.dist(a, b), value))
        return np.log(m) + (m - 1) * below + density

    def random(a: Any, b: Any, weight: Any, rng: Any = None, size: Any = None) -> Floats:
        at = _component(rng, m, weight)
        # Particles start on the scale of log-odds.
        return np.asarray(np.clip(rng.beta(a[at], b[at]).max(), 1e-9, 1.0 - 1e-9))

    return pm.CustomDist(
        name, a, b, weight, logp=logp, random=random, signature="(c),(c),(c)->()",
        transform=pm.distributions.transforms.logodds,
    )  # fmt: skip


def _maximum(score: Floats) -> Floats:
    """Give the best score."""
    return np.array([score.max()])


def _moments(score: Floats) -> Floats:
    """Give the best score, mean and standard deviation."""
    return np.array([score.max(), score.mean(), score.std()])


_STATISTICS: dict[str, tuple[list[str], Callable[[Floats], Floats]]] = {
    "board": (list(STATISTICS), statistics),
    "moments": (["maximum", "mean", "standard deviation"], _moments),
    "maximum": (["maximum"], _maximum),
}


def _simulator(seen: Counts, theta_0: float, statistic: str) -> Callable[..., Floats]:
    """Statistics of a board of classifiers below the best one, and this one."""
    n, m = seen.n, len(seen.of)
    alone, summarise = statistic == "maximum", _STATISTICS[statistic][1]

    def simulate(
        rng: np.random.Generator, draw: Draw, parameters: Any, rho: float, ease: float
    ) -> Floats:
        best = float(parameters[-1])
        s = round(n * theta_0 + ease * np.sqrt(n * theta_0 * (1.0 - theta_0)))
        s = min(max(s, 0), n)

        def scores(theta: Floats) -> Longs:
            if rho == 0.0:
                return rng.binomial(n, theta)
            return draw_given(theta, n, s, rho, theta_0, rng)

        sd = 0.5 / np.sqrt(n)
        low = max(seen.floor / n - (_REACH + abs(ease)) * sd, 0.0)
        # No one so far below the best is ever first.
        lowest = best - 2.0 * _REACH * sd if alone else 0.0
        kept = [scores(np.array([best]))]
        missing = m - 1
        for _ in range(_TRIALS):
            if missing <= 0:
                break
            theta = draw(rng, missing, low, *parameters)
            right = scores(theta[theta >= lowest])
            above = right > seen.floor
            kept.append(right[above])
            missing -= len(theta) - int((~above).sum())
        return summarise(np.concatenate(kept) / n)

    return simulate


def _spread(seen: Counts, rho: float, simulate: Callable[..., Floats]) -> Floats:
    """Simulate the standard deviation of each statistic, were the scores thetas."""
    rng = np.random.default_rng(0)
    score = seen.scores

    def draw(rng: np.random.Generator, size: int, *_: Any) -> Floats:
        return rng.choice(score, size)

    boards = [
        simulate(rng, draw, [score[-1]], rho, rng.standard_normal()) for _ in range(_REPLICATES)
    ]
    return np.maximum(np.std(boards, axis=0), 0.5 / seen.n)


def _component(rng: np.random.Generator, size: int, weight: Floats) -> Longs:
    """Draw components of a mixture."""
    if len(weight) == 1:
        return np.zeros(size, np.int64)
    return np.searchsorted(np.cumsum(weight)[:-1], rng.random(size)).astype(np.int64)


def _interpolate(x: Any, knot: Floats, value: Floats) -> Any:
    """Interpolate linearly between knots, with PyTensor."""
    knots, values = pt.as_tensor_variable(knot), pt.as_tensor_variable(value)
    at = pt.clip(pt.searchsorted(knots, x), 1, len(knot) - 1)
    share = (x - knots[at - 1]) / (knots[at] - knots[at - 1])
    return values[at - 1] + pt.clip(share, 0.0, 1.0) * (values[at] - values[at - 1])
