"""Whole boards drawn from known thetas."""

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from leaderbayes import _arguments
from leaderbayes._arguments import whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.auc import draw_board
from leaderbayes._numerics.maximum import draw_counts
from leaderbayes._scores.facts import class_sizes
from leaderbayes.sota._law_of_shares import (
    Dependence,
    check_dependence,
    check_reference,
    check_shares,
)


def simulate(
    theta: ArrayLike,
    *,
    n: int,
    positive_rate: float | None = None,
    boards: int = 1,
    rho: float = 0.0,
    theta_0: float | None = None,
    dependence: Dependence = "boland",
    seed: int | None = None,
) -> xr.DataArray:
    """Draw whole boards: the scores of all classifiers on one test set each.

    Parameters
    ----------
    theta : array (classifier,)
        Probabilities of a right answer; with a positive rate AUCs, of binormal scores.
    n, positive_rate, rho, theta_0, dependence
        As for `leaderbayes.sota.maximum`; the copula is simulated instance by instance.
    boards : int
        Number of test sets.
    seed : int, optional
        Same seed, same boards. None draws one and records it.

    Returns
    -------
    DataArray (board, classifier)
        Shares of right answers, or estimates of the AUCs. attrs: ``seed``.

    Raises
    ------
    LeaderbayesError
        As for `leaderbayes.sota.maximum`.

    References
    ----------
    Møllersen, Holsbø (2025), Accounting for multiplicity in machine learning benchmark performance,
    sections 4.1 to 4.3, 5.2.1 and 5.3.1.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> boards = lb.paper.simulate([0.9, 0.9, 0.8], n=100, boards=5, seed=1)
    >>> dict(boards.sizes)
    {'board': 5, 'classifier': 3}
    """
    whole("n", n)
    check_dependence(rho, dependence)
    values = np.atleast_1d(np.asarray(theta, dtype=float))
    check_shares(values)
    whole("boards", boards)
    seed = _arguments.seed_or_new(seed)
    rng = np.random.default_rng(seed)
    if positive_rate is not None:
        if theta_0 is not None or dependence == "copula":
            raise LeaderbayesError("theta_0 and dependence are for shares of right answers.")
        sizes = class_sizes(n, positive_rate)
        score = np.array([draw_board(values, *sizes, rho, rng) for _ in range(boards)])
    else:
        reference = float(values.max()) if theta_0 is None else float(theta_0)
        check_reference(values, rho, reference, dependence)
        drawn = [draw_counts(n, values, rho, reference, dependence, rng) for _ in range(boards)]
        score = np.array(drawn) / n
    return xr.DataArray(score, dims=("board", "classifier"), name="score", attrs={"seed": seed})
