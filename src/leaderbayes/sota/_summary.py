"""How good the best really is, by a posterior."""

import numpy as np
import xarray as xr

from leaderbayes._arguments import share
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import Posterior
from leaderbayes._scores.facts import in_own_unit
from leaderbayes.models._sota_completed import board_of
from leaderbayes.sota._winner import apart, winner


def summary(dt: xr.DataTree, *, prob: float = 0.95) -> xr.Dataset:
    """Return how good the best of a board really is.

    Parameters
    ----------
    dt : DataTree
        From `posterior`, or from PyMC's samplers of `leaderbayes.models.sota`.
    prob : float
        Probability of the (equal-tailed) intervals.

    Returns
    -------
    Dataset
        As from `shrink`: ``theta_sota``, the posterior mean (the paper's definition 1), with
        ``theta_sota_lower``, ``theta_sota_upper``; ``expected_max``, ``max_lower``, ``max_upper``
        of the same teams' best score on another test set; ``observed_max``, ``teams_above``,
        ``m``. ``law_free_lower``, ``law_free_upper``: the interval of `winner`. attrs:
        ``sampler``, ``converged``, ``warnings``, ``prob``; ``law_free``, a sentence where the
        estimate lies outside that interval, else empty.

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
    >>> best = lb.sota.summary(lb.sota.posterior(lb.sota.read_board(scores, n=200), seed=1))
    >>> float(best["observed_max"]), round(float(best["theta_sota"]), 2), int(best["teams_above"])
    (0.93, 0.91, 5)
    """
    share("prob", prob)
    post = Posterior(dt)
    if post.parameter != "theta":
        raise LeaderbayesError("This is no posterior of a board: give what sota.posterior returns.")
    board, best = board_of(post.tree), post.read("theta_sota")
    again = post.read("score", "team", group="posterior_predictive").max(axis=1)
    tails = [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0]
    theta, highest = np.quantile(best, tails), np.quantile(again, tails)
    expected = float(best.mean())
    # Of a rho that is unknown the board's own estimate, or else what it came to be.
    rho = float(post.read("rho").mean()) if post.has("rho") else board.attrs.get("rho", 0.0)
    free = winner(board, rho=rho, prob=prob)
    ends = float(free["theta_sota_lower"]), float(free["theta_sota_upper"])
    found = {
        "theta_sota": expected,
        "theta_sota_lower": theta[0],
        "theta_sota_upper": theta[1],
        "expected_max": float(again.mean()),
        "max_lower": highest[0],
        "max_upper": highest[1],
        "observed_max": float(board.max()),
        "teams_above": int((board > expected).sum()),
        "m": board.sizes["team"],
    }
    found = in_own_unit(found, board)
    return xr.Dataset(
        found | {"law_free_lower": ends[0], "law_free_upper": ends[1]},
        attrs={
            "sampler": dt.attrs.get("sampler", "pymc"),
            **post.trust,
            "prob": prob,
            "law_free": apart(found["theta_sota"], *ends),
        },
    )
