"""What an estimate says of a whole board: its thetas, and scores drawn from them."""

import numpy as np
import xarray as xr

from leaderbayes import _arguments
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.require import require_result
from leaderbayes._numerics import auc
from leaderbayes._scores.facts import facts, require_n
from leaderbayes._types import Bools, Floats
from leaderbayes.paper._simulate import simulate
from leaderbayes.sota._law_of_shares import feasible


def realisation(
    board: xr.DataArray, estimate: xr.Dataset, *, seed: int | None = None
) -> xr.Dataset:
    """Draw one board from the thetas of an estimate, to be held against the board itself.

    Parameters
    ----------
    board : DataArray (team)
        From `leaderbayes.sota.read_board`.
    estimate : Dataset
        From `leaderbayes.sota.shrink` of this board. Of any other with ``theta_sota`` and
        ``observed_max``, thetas are the scores shrunk until the best of them is theta_sota.
    seed : int, optional
        Same seed, same board. None draws one and records it.

    Returns
    -------
    Dataset
        ``theta`` and ``score`` over ``team``: teams of the board that the estimate keeps, which are
        those above chance that equation 8 allows, of a cropped board up to its threshold. attrs:
        ``seed``.

    Raises
    ------
    LeaderbayesError
        If the estimate is not of this board, or the board one of estimates.

    References
    ----------
    Møllersen, Holsbø (2025), Accounting for multiplicity in machine learning benchmark
    performance, Figures 8, 9 and 11.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = [0.93, 0.92, 0.92, 0.91, 0.91, 0.9, 0.89, 0.89, 0.88, 0.88, 0.87, 0.85]
    >>> board = lb.sota.read_board(scores, n=200)
    >>> drawn = lb.paper.realisation(board, lb.sota.shrink(board), seed=1)
    >>> list(drawn), dict(drawn.sizes)
    (['theta', 'score'], {'team': 12})
    """
    known = facts(board)
    require_n(board)
    require_result(estimate, "sota.shrink", "theta_sota", "observed_max")
    if not np.isclose(float(board.max()), float(estimate["observed_max"])):
        raise LeaderbayesError(
            f"The board's best score is {float(board.max()):.5g}, the estimate's "
            f"{float(estimate['observed_max']):.5g}: give the board that it was made of."
        )
    theta = _thetas(board, estimate, known.chance)
    seed = _arguments.seed_or_new(seed)
    if known.sizes is not None:
        score = auc.draw(theta.to_numpy(), *known.sizes, np.random.default_rng(seed))
    elif known.n is not None:
        law = {k: v for k, v in estimate.attrs.items() if k in ("rho", "theta_0", "dependence")}
        theta = theta[_allowed(theta.to_numpy(), **law)]
        score = simulate(theta.to_numpy(), n=known.n, seed=seed, **law)[0].to_numpy()
    else:
        raise LeaderbayesError("A realisation is of accuracies or AUCs on n instances.")
    return xr.Dataset({"theta": theta.drop_attrs(), "score": ("team", score)}, attrs={"seed": seed})


def _thetas(board: xr.DataArray, estimate: xr.Dataset, chance: float) -> xr.DataArray:
    """Give thetas of the teams above chance."""
    best, sota = float(estimate["observed_max"]), float(estimate["theta_sota"])
    above = board[board > chance]
    if estimate.attrs.get("rule") == "crop":
        return above[above <= sota]
    weight = (sota - chance) / (best - chance)
    return above.copy(data=weight * above.to_numpy() + (1.0 - weight) * chance)


def _allowed(
    theta: Floats, rho: float = 0.0, theta_0: float | None = None, dependence: str = "boland"
) -> Bools:
    """Find the classifiers that equation 8 does not exclude."""
    if rho == 0.0 or dependence != "boland":
        return np.ones(len(theta), dtype=bool)
    return feasible(theta, rho, float(theta.max()) if theta_0 is None else theta_0)
