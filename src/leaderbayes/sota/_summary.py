"""What a posterior of `sota.posterior` says of the best theta."""

import json
from numbers import Real

import numpy as np
import xarray as xr

from leaderbayes._answers.best import is_best, require_best
from leaderbayes._arguments import share
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import drawn
from leaderbayes._numerics.decimals import decimals_of_best
from leaderbayes._scores.facts import own_n
from leaderbayes.sota._winner import apart, winner


def summary(dt: xr.DataTree, *, prob: float = 0.95) -> xr.Dataset:
    """Say how good the best really is.

    Parameters
    ----------
    dt : DataTree
        From `posterior`.
    prob : float
        Probability of the (equal-tailed) intervals.

    Returns
    -------
    Dataset
        Scalars as from `shrink`: ``theta_sota``, the posterior mean (the paper's definition 1),
        ``theta_sota_lower``, ``theta_sota_upper``; ``expected_max``, ``max_lower``, ``max_upper``
        of the same teams' best score on another test set; ``observed_max``, ``teams_above`` (teams
        that scored above ``theta_sota``), ``m``. ``law_free_lower``, ``law_free_upper``: the
        interval of the best theta that needs no law, of `winner`. Where n is not known ``n``,
        ``n_lower``, ``n_upper``: the mean of what it was integrated over, and its ends. attrs:
        ``sampler``, ``converged``, ``warnings``, ``prob``; ``law_free``, a sentence where the
        estimate lies outside that interval, else empty; ``middle``, one where it lies below the
        median score (and LB022 does not say so already), as may be of teams that are about equal.

    Raises
    ------
    LeaderbayesError
        If ``prob`` is not between 0 and 1, or the DataTree is another model's.

    References
    ----------
    Møllersen, Holsbø (2025), Accounting for multiplicity in machine learning benchmark performance,
    definition 1.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = [0.93, 0.92, 0.92, 0.91, 0.91, 0.9, 0.89, 0.89, 0.88, 0.88, 0.87, 0.85]
    >>> board = lb.sota.read_board(scores, n=200)
    >>> best = lb.sota.summary(lb.sota.posterior(board, seed=1))
    >>> float(best["observed_max"]), round(float(best["theta_sota"]), 2), int(best["teams_above"])
    (0.93, 0.91, 5)
    """
    _require(dt)
    share("prob", prob)
    best = drawn(dt, "theta_sota")
    again = drawn(dt, "score", "posterior_predictive").max("team")
    score = drawn(dt, "score", "observed_data")
    tails = [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0]
    theta, highest = best.quantile(tails).to_numpy(), again.quantile(tails).to_numpy()
    expected = float(best.mean())
    tried = int(dt.attrs.get("variants", 1))
    free = winner(score, rho=_rho(dt), variants=tried, prob=prob)
    ends = float(free["theta_sota_lower"]), float(free["theta_sota_upper"])
    return xr.Dataset(
        {
            "theta_sota": expected,
            "theta_sota_lower": theta[0],
            "theta_sota_upper": theta[1],
            "expected_max": float(again.mean()),
            "max_lower": highest[0],
            "max_upper": highest[1],
            "observed_max": float(score.max()),
            "teams_above": int((score > expected).sum()),
            "m": score.sizes["team"],
            "law_free_lower": ends[0],
            "law_free_upper": ends[1],
        }
        | _sizes(dt, score),
        attrs={name: dt.attrs[name] for name in ("sampler", "converged", "warnings")}
        | {
            "prob": prob,
            "law_free": apart(expected, *ends),
            "middle": "" if "LB022" in dt.attrs["warnings"] else _middle(expected, theta, score),
        },
    )


def _middle(estimate: float, interval: np.ndarray, score: xr.DataArray) -> str:
    """Say that the best is estimated below the median score, as they are printed, or nothing."""
    digits, median = decimals_of_best(*map(float, interval)), float(score.median())
    if score.sizes["team"] == 1 or round(estimate, digits) >= round(median, digits):
        return ""
    return (
        f"The estimate, {estimate:.{digits}f}, is below the median score, {median:.{digits}f}: the "
        "teams are hardly told apart, and the best may be about as good as most of them."
    )


def _sizes(dt: xr.DataTree, board: xr.DataArray) -> dict[str, float]:
    """Give what n was integrated over, where it is not known."""
    if (ends := own_n(board)) is None:
        return {}
    return {"n": float(drawn(dt, "n").mean()), "n_lower": ends[0], "n_upper": ends[1]}


def _rho(dt: xr.DataTree) -> float | None:
    """Give the dependence: as it was given, or what the board knows, or the posterior's mean."""
    given = json.loads(dt.attrs.get("arguments", "{}")).get("rho")
    if isinstance(given, Real):
        return float(given)
    if "rho" in dt["posterior"] and "rho" not in dt["observed_data"]["score"].attrs:
        return float(drawn(dt, "rho").mean())
    return None


def _require(dt: xr.DataTree) -> None:
    if not is_best(dt):
        raise LeaderbayesError("This is no posterior of a board: give what sota.posterior returns.")
    require_best(dt)
