"""Parameters of the models of a board: priors, and the scale on which they are sampled."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, log_expit, logit

from leaderbayes._types import Floats


class Parameter(NamedTuple):
    """One parameter, of one or several numbers."""

    name: str
    size: int
    constrain: Callable[[Floats], Floats]  # (point, size) -> (point, size or more)
    free: Callable[[Floats], Floats]  # its inverse
    log_prior: Callable[[Floats], Floats]  # (point, size) on the unbounded scale -> (point,)
    random: Callable[[np.random.Generator, int], Floats]  # of the prior, there, (point, size)


def share(name: str, size: int = 1) -> Parameter:
    """Uniform between 0 and 1, sampled as log-odds."""

    def log_prior(x: Floats) -> Floats:
        return np.asarray((log_expit(x) + log_expit(-x)).sum(axis=1))

    return Parameter(
        name, size, expit, logit, log_prior, lambda rng, points: rng.logistic(size=(points, size))
    )


def bounded(name: str) -> Parameter:
    """Uniform between 0 and 1, sampled as it is: what depends on it does so nearly linearly."""

    def log_prior(x: Floats) -> Floats:
        return np.asarray(np.where((x > 0.0) & (x < 1.0), 0.0, -np.inf).sum(axis=1))

    return Parameter(
        name, 1, lambda x: np.clip(x, 0.0, 1.0), _same, log_prior,
        lambda rng, points: rng.random((points, 1)),
    )  # fmt: skip


def normal(name: str, size: int = 1, mean: float = 0.0, sd: float = 1.0) -> Parameter:
    """Give a normal prior."""
    return Parameter(name, size, _same, _same, *_normal(mean, sd, size))


def log_normal(name: str, size: int, mean: float, sd: float) -> Parameter:
    """Give a log-normal prior; sampled as the logarithm."""

    def constrain(x: Floats) -> Floats:
        # As far as the laws can be computed; the prior has nothing beyond.
        return np.asarray(np.exp(np.clip(x, -16.0, 18.0)))

    return Parameter(name, size, constrain, np.log, *_normal(mean, sd, size))


def simplex(name: str, size: int) -> Parameter:
    """Shares of ``size`` components, uniform, by breaking a stick."""
    rest = np.arange(size - 1, 0, -1)

    def constrain(x: Floats) -> Floats:
        left = np.cumprod(1.0 - expit(x), axis=1)
        before = np.hstack([np.ones((len(x), 1)), left])
        return np.hstack([expit(x) * before[:, :-1], before[:, -1:]])

    def free(weight: Floats) -> Floats:
        before = 1.0 - np.cumsum(weight, axis=1)[:, :-1] + weight[:, :-1]
        return np.asarray(logit(weight[:, :-1] / before))

    def log_prior(x: Floats) -> Floats:
        return np.asarray((log_expit(x) + rest * log_expit(-x) + np.log(rest)).sum(axis=1))

    def random(rng: np.random.Generator, points: int) -> Floats:
        return free(rng.dirichlet(np.ones(size), points))

    return Parameter(name, size - 1, constrain, free, log_prior, random)


def of_law(name: str, law: Any) -> Parameter:
    """Give a prior by a frozen scipy.stats law between 0 and 1, sampled as log-odds."""

    def log_prior(x: Floats) -> Floats:
        return np.asarray((law.logpdf(expit(x)) + log_expit(x) + log_expit(-x)).sum(axis=1))

    def random(rng: np.random.Generator, points: int) -> Floats:
        return np.asarray(logit(law.rvs(size=(points, 1), random_state=rng)))

    return Parameter(name, 1, expit, logit, log_prior, random)


def of_dependence(rho: Any) -> list[Parameter]:
    """Ease of the test set, and rho where it is not known: a number, or a frozen law."""
    unknown = hasattr(rho, "logpdf")
    ease = [normal("ease")] if depends(rho) else []
    return ease + ([of_law("rho", rho)] if unknown else [])


def depends(rho: Any) -> bool:
    """Whether classifiers share the luck of the test set."""
    return hasattr(rho, "logpdf") or rho > 0.0


def rho_and_ease(values: dict[str, Floats], rho: Any, size: int) -> tuple[Floats, Floats]:
    """Values of both, (point,), where they are parameters and where not."""
    each = values["rho"][:, 0] if "rho" in values else np.full(size, float(rho))
    return each, values["ease"][:, 0] if "ease" in values else np.zeros(size)


def unpack(parameters: Sequence[Parameter], points: Floats) -> dict[str, Floats]:
    """Values of each parameter (point, component) from points (point, number)."""
    parts = _parts(parameters, points)
    return {p.name: p.constrain(x) for p, x in zip(parameters, parts, strict=True)}


def log_priors(parameters: Sequence[Parameter], points: Floats) -> dict[str, Floats]:
    """Log prior of each parameter (point,), on the unbounded scale."""
    parts = _parts(parameters, points)
    return {p.name: p.log_prior(x) for p, x in zip(parameters, parts, strict=True)}


def free(parameters: Sequence[Parameter], values: dict[str, Floats]) -> Floats:
    """Points (point, number) of values, as `unpack` gives them."""
    return np.hstack([p.free(values[p.name]) for p in parameters] or [np.zeros((0, 0))])


def random(
    parameters: Sequence[Parameter], size: int, rng: np.random.Generator
) -> dict[str, Floats]:
    """Draw values of each parameter (point, component) from its prior."""
    return {p.name: p.constrain(p.random(rng, size)) for p in parameters}


def _parts(parameters: Sequence[Parameter], points: Floats) -> list[Floats]:
    ends = np.cumsum([p.size for p in parameters])
    return [points[:, end - p.size : end] for p, end in zip(parameters, ends, strict=True)]


def _same(x: Floats) -> Floats:
    return x


def _normal(
    mean: float, sd: float, size: int
) -> tuple[Callable[[Floats], Floats], Callable[[np.random.Generator, int], Floats]]:
    """Give the log density of normals, and draws from them."""

    def log_prior(x: Floats) -> Floats:
        return np.asarray(
            (-0.5 * ((x - mean) / sd) ** 2 - np.log(sd * np.sqrt(2.0 * np.pi))).sum(axis=1)
        )

    return log_prior, lambda rng, points: rng.normal(mean, sd, (points, size))
