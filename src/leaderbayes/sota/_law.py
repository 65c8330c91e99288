"""Distribution of the best score among many classifiers on one test set."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from leaderbayes import _arguments
from leaderbayes._arguments import number, whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.maximum import (
    Mixture,
    binomial_sd,
    boland_cdf,
    conditionals,
    copula_cdf,
    draw_counts,
    independent_cdf,
    moments,
    of_board,
    of_law,
    quantiles,
)
from leaderbayes._types import Bools, Floats

Dependence = Literal["boland", "copula"]

PROBABILITY = np.array([0.025, 0.05, 0.25, 0.5, 0.75, 0.95, 0.975])
_TOLERANCE = 1e-12


def maximum_distribution(
    n: int,
    theta: Any,
    m: int | None = None,
    *,
    rho: float = 0.0,
    theta_0: float | None = None,
    dependence: Dependence = "boland",
) -> xr.Dataset:
    r"""Distribution of max X / n, the best share of right answers on a test set.

    .. math:: X_j \mid \theta_j \sim \mathrm{Bin}(n, \theta_j), \quad
              F(x) = \sum_s P(s) \prod_j P(X_j \le x \mid \theta_j, s)

    computed, not simulated: given the number s of instances on which a reference classifier is
    right, the others are independent.

    Parameters
    ----------
    n : int
        Instances of the test set.
    theta : float, array or distribution
        Probability of a right answer: one for all m classifiers; one for each (classifier,); or
        what m classifiers' are drawn from, a frozen ``scipy.stats`` law, or with ``m`` an array
        to draw from with replacement.
    m : int, optional
        Number of classifiers; not with an array of their thetas.
    rho : float
        Dependence, 0 to 1: right answers of two classifiers correlate by rho^2 (in the copula, of
        two that are right with theta_0). "boland": correlation of each classifier with the
        reference, rho_0 in the paper.
    theta_0 : float, optional
        P(the reference is right); the highest theta (of a distribution: next to its upper end) by
        default.
    dependence : {"boland", "copula"}
        Boland's model (section 4.2, exact), which equation 8 forbids to weak classifiers; or a
        Gaussian copula, which has no such bound: exact for each classifier, an approximation of
        their joint law (distance to the exact one on 400 instances: 0.02 for 1000 classifiers of
        theta 0.9, 0.04 of 0.98).

    Returns
    -------
    Dataset
        ``pmf`` and ``cdf`` over ``x`` (0 to n, counts); scalars ``mean`` and ``sd`` of max X / n;
        ``quantile`` (probability), shares. attrs: the arguments, and ``m``.

    Raises
    ------
    LeaderbayesError
        If an argument is out of range, or equation 8 excludes classifiers: names them.

    References
    ----------
    Møllersen, Holsbø (2025), Accounting for multiplicity in machine learning benchmark
    performance, equations 2 to 8.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> law = lb.sota.maximum_distribution(20, 0.5, 1000)
    >>> round(float(1 - law["cdf"].sel(x=17)), 2)
    0.18
    >>> round(float(law["mean"]), 2)
    0.85
    """
    check_size(n)
    check_dependence(rho, dependence)
    size, mixture, thetas = mixture_of(theta, m, lambda best: binomial_sd(n, best))
    reference = float(thetas.max()) if theta_0 is None else float(theta_0)
    _check_reference(thetas, rho, reference, dependence)
    low, inside = cdf_of(n, mixture, rho, reference, dependence)
    cdf = np.concatenate(
        [np.zeros(low), np.minimum(inside, 1.0), np.ones(n - low - len(inside) + 1)]
    )
    mean, sd = moments(n, low, inside)
    return xr.Dataset(
        {
            "pmf": ("x", np.maximum(np.diff(cdf, prepend=0.0), 0.0)),
            "cdf": ("x", cdf),
            "mean": mean,
            "sd": sd,
            "quantile": ("probability", quantiles(n, low, inside, PROBABILITY)),
        },
        coords={"x": np.arange(n + 1), "probability": PROBABILITY},
        attrs={"n": n, "m": size, "rho": rho, "theta_0": reference, "dependence": dependence},
    )


def cdf_of(
    n: int, mixture: Mixture, rho: float, theta_0: float, dependence: str
) -> tuple[int, Floats]:
    """F from its first count on; of thetas that `feasible` allows."""
    if rho == 0.0:
        return independent_cdf(n, mixture)
    if dependence == "copula":
        return copula_cdf(n, mixture, rho, theta_0)
    return boland_cdf(n, mixture, rho, theta_0)


def _check_reference(theta: Floats, rho: float, theta_0: float, dependence: str) -> None:
    """Raise where the dependence is impossible, naming the thetas that equation 8 excludes."""
    if rho == 0.0:
        return
    if not 0.0 < theta_0 < 1.0:
        raise LeaderbayesError(
            f"theta_0={theta_0}: a reference that is always, or never, right depends on nothing; "
            "give theta_0 between 0 and 1, or rho=0."
        )
    excluded = theta[~feasible(theta, rho, theta_0)]
    if dependence == "boland" and excluded.size:
        named = ", ".join(f"{t:.4g}" for t in excluded[:5])
        raise LeaderbayesError(
            f"Equation 8 excludes theta {named}{' and more' if excluded.size > 5 else ''} at "
            f"theta_0={theta_0:.4g}, rho={rho}: leave these out, lower rho, or take "
            "dependence='copula'."
        )


def feasible(theta: Floats, rho: float, theta_0: float) -> Bools:
    """Whether equations 6 and 7 give probabilities (equation 8 and its like), by classifier."""
    up, down = conditionals(theta, rho, theta_0)
    return np.asarray((down >= -_TOLERANCE) & (up <= 1.0 + _TOLERANCE))


def check_size(n: int) -> None:
    """Raise unless n is a number of instances."""
    whole("n", n)


def check_many(m: int | None) -> None:
    """Raise unless m, where it is given, is a number of classifiers."""
    if m is not None:
        whole("m", m)


def check_boards(boards: int) -> None:
    """Raise unless this is a number of boards."""
    whole("boards", boards)


def check_dependence(rho: float, dependence: str = "boland") -> None:
    """Raise unless these are a correlation and a model of dependence."""
    number("rho", rho, at_least=0.0, at_most=1.0)
    if dependence not in ("boland", "copula"):
        raise LeaderbayesError(f"dependence={dependence!r}: choose 'boland' or 'copula'.")


def check_shares(values: Floats) -> None:
    """Raise unless all are numbers from 0 to 1."""
    wrong = ~((values >= 0.0) & (values <= 1.0))
    if wrong.any():
        first = np.atleast_1d(values)[np.atleast_1d(wrong)][0]
        hint = "; divide percentages by 100" if 1.0 < first <= 100.0 else ""
        raise LeaderbayesError(f"theta holds {first:.6g}: probabilities are from 0 to 1{hint}.")


def mixture_of(
    theta: Any, m: int | None, sd: Callable[[float], float]
) -> tuple[int, Mixture, Floats]:
    """Give the number of classifiers, where their thetas lie, and the thetas that occur.

    sd gives the standard deviation of the best one's score.
    """
    check_many(m)
    if hasattr(theta, "ppf"):
        if m is None:
            raise LeaderbayesError("theta is drawn from a distribution: give m, how many are.")
        mixture = of_law(theta.ppf, int(m))
        check_shares(mixture.theta)
        return int(m), mixture, mixture.theta
    values = np.asarray(theta, dtype=float)
    if values.size == 0:
        raise LeaderbayesError("There is no theta: give one at least.")
    check_shares(values)
    if values.ndim == 0:
        if m is None:
            raise LeaderbayesError("theta is one number: give m, how many classifiers have it.")
        one = values.reshape(1)
        return int(m), Mixture(one, np.array([float(m)]), 0.0), one
    values = values.ravel()
    if m is None:
        return values.size, of_board(values, sd(float(values.max()))), values
    distinct, counts = np.unique(values, return_counts=True)
    return int(m), Mixture(distinct, counts / values.size, float(m)), distinct


def lattice(low: int, cdf: Floats, steps: float, attrs: dict[str, Any]) -> xr.Dataset:
    """Give a maximum's law, tabled at low / steps, (low + 1) / steps, and so on, as a Dataset."""
    mean, sd = moments(steps, low, cdf)
    return xr.Dataset(
        {
            "cdf": ("x", cdf),
            "mean": mean,
            "sd": sd,
            "quantile": ("probability", quantiles(steps, low, cdf, PROBABILITY)),
        },
        coords={"x": (low + np.arange(len(cdf))) / steps, "probability": PROBABILITY},
        attrs=attrs,
    )


def simulate_boards(
    n: int,
    theta: ArrayLike,
    *,
    boards: int = 1,
    rho: float = 0.0,
    theta_0: float | None = None,
    dependence: Dependence = "boland",
    seed: int = 0,
) -> xr.DataArray:
    """Draw whole boards: the shares of right answers of all classifiers on one test set each.

    Parameters
    ----------
    n, rho, theta_0, dependence
        As for `maximum_distribution`; the copula is simulated instance by instance.
    theta : array (classifier,)
        Probability of a right answer.
    boards : int
        Number of test sets.
    seed : int
        Same seed, same boards.

    Returns
    -------
    DataArray (board, classifier)
        X / n.

    Raises
    ------
    LeaderbayesError
        As for `maximum_distribution`.

    References
    ----------
    Møllersen, Holsbø (2025), Accounting for multiplicity in machine learning benchmark performance,
    sections 4.1 to 4.3.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> boards = lb.sota.simulate_boards(100, [0.9, 0.9, 0.8], boards=5, seed=1)
    >>> dict(boards.sizes)
    {'board': 5, 'classifier': 3}
    """
    check_size(n)
    check_dependence(rho, dependence)
    values = np.atleast_1d(np.asarray(theta, dtype=float))
    check_shares(values)
    check_boards(boards)
    reference = float(values.max()) if theta_0 is None else float(theta_0)
    _check_reference(values, rho, reference, dependence)
    rng = np.random.default_rng(_arguments.seed(seed))
    drawn = [draw_counts(n, values, rho, reference, dependence, rng) for _ in range(boards)]
    return xr.DataArray(np.array(drawn) / n, dims=("board", "classifier"), name="score")
