r"""The best of a competition board, whose score was chosen because it is highest.

.. math:: \theta_j \sim P(\theta), \quad \theta_{SOTA} = \max_j \theta_j, \quad
          X_j \mid \theta_j \sim \mathrm{Bin}(s, p_{1j}) + \mathrm{Bin}(n - s, p_{0j})

A reference is right on s of n instances, which all teams share; the conditional probabilities are
equations 6 and 7 of the paper. Without dependence scores are binomial. AUCs, on the probit scale,
and estimates with standard errors are normal.
"""

import math
from typing import Any, Literal

import numpy as np
import xarray as xr
from scipy.special import logit

from leaderbayes._arguments import one_of, positive
from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.board_scale import CountScale, EstimateScale, Scale, draw_counts
from leaderbayes._numerics.counts import reference_count
from leaderbayes._scores.facts import own_rho
from leaderbayes._types import Floats, Longs
from leaderbayes.models._board import registered
from leaderbayes.models._model import Model
from leaderbayes.models._sota_completed import complete
from leaderbayes.models._sota_simulated import simulate
from leaderbayes.models._theta import CONCENTRATION, constants_of, locations, scale_of

_FAR = 5.0  # square roots of n above the floor from which nobody could have been below it
_BEYOND = 20.0  # log-probability that counts beyond the ends of their binomial lack


def sota(
    board: xr.DataArray,
    *,
    law: Literal["beta", "flexible"] = "beta",
    rho: Any = None,
    theta_0: float | None = None,
    statistic: Literal["board", "maximum"] = "board",
    epsilon: float | None = None,
) -> Any:
    r"""Return the model of a board and of the best theta on it.

    With its likelihood it is sampled by `pymc.sample`; with ``epsilon`` a simulator draws boards,
    for approximate Bayesian computation by `pymc.sample_smc`: parameters are likely where
    statistics of the simulated board are near the board's,
    :math:`-\frac{1}{2} \sum_k ((T_k - t_k) / \epsilon_k)^2`. All answers take its draws.

    Parameters
    ----------
    board : DataArray (team)
        From `leaderbayes.sota.read_board`. Accuracies at or below chance are excluded.
    law : {"beta", "flexible"}
        P(theta): a beta distribution (normal, of AUCs and estimates) with unknown parameters; or a
        Dirichlet process, which needs ``epsilon``.
    rho : float or (float, float), optional
        Correlation with the reference, or mean and standard deviation of its beta prior; by default
        the board's own, else 0.
    theta_0 : float, optional
        P(the reference is right); by default the best score.
    statistic : {"board", "maximum"}
        What simulated boards are compared by: the maximum and three quantiles (0.9, 0.5, 0.1), or
        the maximum alone, as in the paper.
    epsilon : float, optional
        Distance kernel's standard deviation, in standard deviations of each statistic.

    Returns
    -------
    pm.Model
        ``theta`` (team) and ``theta_sota``; ``mean`` and ``concentration``, or ``location`` and
        ``scale``; ``ease`` of the test set and ``rho``; observed ``count`` or ``estimate`` (team).
        Simulated: ``theta_sota`` and parameters, observed ``statistics``.

    Raises
    ------
    LeaderbayesError
        If no team is above chance, or an option is unknown, out of range or not of this metric.

    References
    ----------
    Møllersen, Holsbø (2025), Accounting for multiplicity in machine learning benchmark
    performance, sections 4.2 and 5.3.2.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> model = lb.models.sota(lb.sota.read_board([0.91, 0.9, 0.88, 0.85], n=100))
    >>> [variable.name for variable in model.free_RVs]
    ['mean_unit', 'concentration', 'theta_unit']
    """
    import pymc as pm

    one_of("law", law, "beta", "flexible")
    one_of("statistic", statistic, "board", "maximum")
    rho = own_rho(board) if rho is None else rho
    kept, scale = scale_of(board, rho, theta_0)
    _check_road(scale, law, statistic, epsilon)
    constants = constants_of(kept, scale, rho)
    with pm.Model(coords={name: c.to_numpy() for name, c in constants.coords.items()}) as model:
        for name, values in constants.items():
            registered(str(name), values.to_numpy(), *values.dims)
        common, ease = _dependence(scale.rho)
        if isinstance(scale, EstimateScale):
            _add_estimates(scale, common, ease)
        elif epsilon is None:
            _add_counts(scale, common, ease)
        else:
            simulate(scale, law, statistic, positive("epsilon", epsilon), common, ease)
    return model


def _check_road(scale: Scale, law: str, statistic: str, epsilon: float | None) -> None:
    """Raise unless the board has the requested likelihood or simulator."""
    if epsilon is not None and not isinstance(scale, CountScale):
        raise LeaderbayesError("epsilon is for boards of accuracies: omit it.")
    if epsilon is None and law == "flexible":
        raise LeaderbayesError(
            "law='flexible' cannot be sampled by NUTS: use epsilon=0.5 with pm.sample_smc, or "
            "sota.posterior(board)."
        )
    if epsilon is None and statistic == "maximum":
        raise LeaderbayesError(
            "statistic='maximum' is for simulated boards: set epsilon, such as 0.5."
        )


def _dependence(rho: Any) -> tuple[Any, Any]:
    """Return correlation and ease of the test set, as variables or constants."""
    import pymc as pm
    import pytensor.tensor as pt

    if hasattr(rho, "args"):
        return pm.Beta("rho", *rho.args), pm.Normal("ease")
    return pt.as_tensor_variable(float(rho)), pm.Normal("ease") if rho else pt.zeros(())


def _add_counts(scale: CountScale, common: Any, ease: Any) -> None:
    """Add thetas of teams, and counts of right answers."""
    import pymc as pm

    eta = _etas(scale, common, ease)
    theta = pm.Deterministic("theta", pm.math.invlogit(eta), dims="team")
    pm.Deterministic("theta_sota", theta.max())
    seen, theta_0 = scale.board, scale.theta_0
    near = seen.x[0] < seen.floor + _FAR * math.sqrt(seen.n)

    def logp(x: Any, theta: Any, common: Any, ease: Any) -> Any:
        given = _shifted_binomial(seen.n, theta, theta_0, common, ease)
        return _log_probability(x, *given) - (_log_above(seen.floor, *given) if near else 0.0)

    def random(theta: Floats, common: Any, ease: Any, rng: Any = None, size: Any = None) -> Longs:
        right = reference_count(seen.n, theta_0, ease)
        return draw_counts(theta, seen.n, right, common, theta_0, rng, seen.floor)

    pm.CustomDist(
        "count", theta, common, ease, logp=logp, random=random, signature="(),(),()->()",
        dtype="int64", observed=seen.x[seen.of].astype(np.int64), dims="team",
    )  # fmt: skip


def _etas(scale: CountScale, common: Any, ease: Any) -> Any:
    """Add log-odds of beta thetas, centred by the share of the variance that is no noise."""
    import pymc as pm
    import pytensor.tensor as pt

    score = scale.board.scores
    signal = _signal(np.arcsin(np.sqrt(score)), 0.25 / scale.board.n)
    middle = float(np.clip(score.mean(), 0.01, 0.99))
    # The luck that all share moves all thetas: scores show where they are but for that.
    lucky = common * ease / math.sqrt(scale.board.n * middle * (1.0 - middle))
    level = _from(float(logit(middle)), pm.Logistic, "mean_unit", lucky, 1.0)
    mean = pm.Deterministic("mean", pm.math.invlogit(level - lucky))  # uniform
    concentration = pm.LogNormal("concentration", *CONCENTRATION)
    a, b = mean * concentration, (1.0 - mean) * concentration
    centre = signal * logit(middle) + (1.0 - signal) * level - lucky
    step = (1.0 + mean * b) ** (-0.5 * (1.0 - signal))

    def logp(offset: Any, a: Any, b: Any, centre: Any, step: Any) -> Any:
        eta = centre + step * offset
        log = pt.log(step) + pt.gammaln(a + b) - pt.gammaln(a) - pt.gammaln(b)
        return log - a * pt.softplus(-eta) - b * pt.softplus(eta)

    def random(a: Any, b: Any, centre: Any, step: Any, rng: Any = None, size: Any = None) -> Floats:
        theta = np.clip(rng.beta(a, b, size=size), 1e-12, 1.0 - 1e-12)
        return np.asarray((logit(theta) - centre) / step)

    offset = pm.CustomDist(
        "theta_unit", a, b, centre, step, logp=logp, random=random, signature="(),(),(),()->()",
        dims="team",
    )  # fmt: skip
    return centre + step * offset


def _add_estimates(scale: EstimateScale, common: Any, ease: Any) -> None:
    """Add thetas of the teams from a normal distribution, and their estimates."""
    import pymc as pm

    estimate, se = scale.estimate, scale.se
    centre, unit = locations(scale)
    average = float(estimate.mean())
    # The luck that all share moves all thetas: scores show where they are but for that.
    lucky = common * ease * float(np.median(se))
    level = _from(average, pm.Normal, "location_unit", centre + lucky, unit)
    pm.Deterministic("location", level - lucky)
    spread = pm.LogNormal("scale", math.log(0.5 * unit), 1.0)
    signal = _signal(estimate, float(np.mean(se**2)))
    step = spread ** (1.0 - signal)
    away = signal * (level - average) / step
    offset = pm.Normal("theta_unit", away, spread**signal, dims="team")
    latent = signal * average + (1.0 - signal) * level - lucky + step * offset
    theta = pm.math.invprobit(latent) if scale.probit else latent
    theta = pm.Deterministic("theta", theta, dims="team")
    pm.Deterministic("theta_sota", theta.max())
    own = pm.math.sqrt(1.0 - common**2) * se
    pm.Normal("estimate", latent + common * ease * se, own, observed=estimate, dims="team")


def _from(begin: float, law: Any, name: str, *parameters: Any) -> Any:
    """Add a variable and where chains begin; models with ``initval`` are refused by `pm.do`."""
    import pymc as pm
    import pytensor.tensor as pt

    return pm.CustomDist(
        name, *parameters, dist=lambda *args: law.dist(*args[:-1], size=args[-1]),
        support_point=lambda rv, *_: pt.full_like(rv, begin),
    )  # fmt: skip


def _signal(score: Floats, noise: float) -> float:
    """Return the share of the variance of scores that is not noise, from 0 to 1."""
    variance = float(score.var())
    return max(1.0 - noise / variance, 0.0) if variance > 0.0 else 0.0


def _shifted_binomial(n: int, theta: Any, theta_0: float, rho: Any, ease: Any) -> Any:
    """Return shift, size and probability of the binomial of `_numerics.counts`, in PyTensor."""
    import pytensor.tensor as pt

    s = n * theta_0 + ease * math.sqrt(n * theta_0 * (1.0 - theta_0))
    odds = theta / (1.0 - theta) * (1.0 - theta_0) / theta_0
    spread = pt.minimum(rho, pt.sqrt(pt.minimum(odds, 1.0 / odds)))
    spread = spread * pt.sqrt(theta * (1.0 - theta))
    up = pt.minimum(theta + spread * math.sqrt((1.0 - theta_0) / theta_0), 1.0)
    down = pt.maximum(theta - spread * math.sqrt(theta_0 / (1.0 - theta_0)), 0.0)
    first, second = s * up * (1.0 - up), (n - s) * down * (1.0 - down)
    variance = first + second
    p = 0.5 * (1.0 - (first * (1.0 - 2.0 * up) + second * (1.0 - 2.0 * down)) / variance)
    size = variance / (p * (1.0 - p))
    return s * up + (n - s) * down - size * p, size, p


def _log_probability(x: Any, shift: Any, size: Any, p: Any) -> Any:
    """Return the log-probability of counts, with normal tails beyond the ends."""
    import pytensor.tensor as pt

    inside = (x - shift > -1.0) & (size - x + shift > -1.0)
    y = pt.switch(inside, x - shift, 0.5 * size)
    rest = size - y
    ways = pt.gammaln(size + 1.0) - pt.gammaln(y + 1.0) - pt.gammaln(rest + 1.0)
    gap = x - shift - size * p
    beyond = -0.5 * gap**2 / (size * p * (1.0 - p)) - _BEYOND
    return pt.switch(inside, ways + y * pt.log(p) + rest * pt.log1p(-p), beyond)


def _log_above(floor: int, shift: Any, size: Any, p: Any) -> Any:
    """Return the log-probability of being above the floor."""
    import pytensor.tensor as pt

    y = pt.clip(floor + 1.0 - shift, 1e-12, size + 1.0 - 1e-12)
    return pt.log(pt.betainc(y, size - y + 1.0, p))


MODEL = Model(
    name="sota",
    label="SOTA under multiplicity",
    data=("board",),
    parameter="theta",
    unit="probability of a right answer",
    build=sota,
    complete=complete,
)
