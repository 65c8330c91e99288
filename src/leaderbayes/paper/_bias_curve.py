"""How much better the best score looks than the best classifier is, over one parameter."""

from typing import Literal

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike
from scipy import stats

from leaderbayes._arguments import number, whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes.sota._law_of_shares import check_dependence, feasible
from leaderbayes.sota._maximum import maximum

Parameter = Literal["m", "n", "theta", "spread", "rho"]


def bias_curve(
    over: Parameter,
    values: ArrayLike,
    *,
    n: int = 3000,
    theta: float = 0.9,
    m: int = 1000,
    spread: float = 0.0,
    rho: float = 0.0,
) -> xr.Dataset:
    r"""Compute bias and standard deviation of the best score as one parameter varies.

    Classifiers' thetas are drawn from a uniform distribution of width d, placed so that the best of
    them is expected at theta_SOTA:

    .. math:: \theta_j \sim U(a, a + d), \quad
              \theta_{SOTA} = \frac{m (a + d) + a}{m + 1}, \quad
              bias = E \max X / n - \theta_{SOTA}

    Each point is computed, not simulated; the defaults are the paper's.

    Parameters
    ----------
    over : {"m", "n", "theta", "spread", "rho"}
        The parameter that varies; its own argument is not read.
    values : array (point,)
        Its values.
    n : int
        Instances of the test set.
    theta : float
        theta_SOTA, the expected probability of a right answer of the best classifier.
    m : int
        Number of classifiers.
    spread : float
        Width d of the uniform distribution; 0 for identical classifiers.
    rho : float
        Dependence, as for `leaderbayes.sota.maximum`, of a reference that is right with theta_SOTA.

    Returns
    -------
    Dataset
        ``bias`` and ``sd`` of max X / n, both shares, over a coordinate named as ``over``; missing
        where equation 8 forbids so strong a dependence. attrs: ``over``, and the other arguments.

    Raises
    ------
    LeaderbayesError
        If ``over`` is no parameter, or a value is out of range.

    References
    ----------
    Møllersen, Holsbø (2025), Accounting for multiplicity in machine learning benchmark
    performance, Figures 4 and 5.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> curve = lb.paper.bias_curve("m", [10, 100, 1000])
    >>> curve["bias"].round(4).to_series().to_dict()
    {10: 0.0083, 100: 0.0135, 1000: 0.0173}
    """
    arguments = {"n": n, "theta": theta, "m": m, "spread": spread, "rho": rho}
    if over not in arguments:
        raise LeaderbayesError(f"over={over!r}: choose one of {', '.join(arguments)}.")
    at = np.atleast_1d(np.asarray(values))
    if over in ("m", "n"):
        broken = at[at % 1 != 0]
        if broken.size:
            raise LeaderbayesError(f"{over} holds {broken[0]:g}: give whole numbers.")
        at = at.astype(int)  # of linspace or logspace, say
    points = np.array([_moments(**{**arguments, over: value.item()}) for value in at])
    return xr.Dataset(
        {"bias": (over, points[:, 0]), "sd": (over, points[:, 1])},
        coords={over: at},
        attrs={"over": over, **{k: v for k, v in arguments.items() if k != over}},
    )


def _moments(n: int, theta: float, m: int, spread: float, rho: float) -> tuple[float, float]:
    """Compute bias and standard deviation at one point."""
    whole("n", n)
    whole("m", m)
    check_dependence(rho)
    number("spread", spread, at_least=0.0)
    number("theta", theta)
    high = theta + spread / (m + 1)
    ends = np.array([high - spread, high])
    if ends[0] < 0.0 or ends[1] > 1.0:
        raise LeaderbayesError(
            f"theta={theta}, spread={spread}: thetas from {ends[0]:.4g} to {ends[1]:.4g} are not "
            "all probabilities; give a theta from 0 to 1, with room for the spread."
        )
    if rho > 0.0 and not feasible(ends, rho, theta).all():
        return np.nan, np.nan
    law = stats.uniform(ends[0], spread) if spread else theta
    best = maximum(law, m, n=n, rho=rho, theta_0=theta if rho else None)
    return float(best["mean"]) - theta, float(best["sd"])
