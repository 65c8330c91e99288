"""What an estimate says of a whole board: its thetas, and scores drawn from them."""

import numpy as np
import xarray as xr

from leaderbayes import _arguments
from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics import auc
from leaderbayes._types import Bools, Floats
from leaderbayes.sota._law import feasible, simulate_boards


def realisation(board: xr.DataArray, estimate: xr.Dataset, *, seed: int = 0) -> xr.Dataset:
    """Draw one board from the thetas of an estimate, to be held against the board itself.

    Parameters
    ----------
    board : DataArray (team)
        From `read_board`.
    estimate : Dataset
        From `shrink` or `crop` of this board. Of any other with ``theta_sota`` and
        ``observed_max``, thetas are the scores shrunk until the best of them is theta_sota.
    seed : int
        Same seed, same board.

    Returns
    -------
    Dataset
        ``theta`` and ``score`` over ``team``: teams of the board that the estimate keeps, which are
        those above chance that equation 8 allows, and up to the threshold of `crop`. attrs:
        ``seed``.

    Raises
    ------
    LeaderbayesError
        If the estimate is not of this board.

    References
    ----------
    Møllersen, Holsbø (2025), Accounting for multiplicity in machine learning benchmark
    performance, Figures 8, 9 and 11.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = [0.93, 0.92, 0.92, 0.91, 0.91, 0.9, 0.89, 0.89, 0.88, 0.88, 0.87, 0.85]
    >>> board = lb.sota.read_board(scores, n=200)
    >>> drawn = lb.sota.realisation(board, lb.sota.shrink(board), seed=1)
    >>> list(drawn), dict(drawn.sizes)
    (['theta', 'score'], {'team': 12})
    """
    if not np.isclose(float(board.max()), float(estimate["observed_max"])):
        raise LeaderbayesError(
            f"The board's best score is {float(board.max()):.5g}, the estimate's "
            f"{float(estimate['observed_max']):.5g}: give the board that it was made of."
        )
    theta = _thetas(board, estimate)
    rng = np.random.default_rng(_arguments.seed(seed))
    if "positives" in estimate.attrs:
        sizes = estimate.attrs["positives"], estimate.attrs["negatives"]
        score = auc.draw(theta.to_numpy(), *sizes, rng)
    else:
        law = {
            k: estimate.attrs[k] for k in ("rho", "theta_0", "dependence") if k in estimate.attrs
        }
        theta = theta[_allowed(theta.to_numpy(), **law)]
        drawn = simulate_boards(int(board.attrs["n"]), theta.to_numpy(), seed=seed, **law)
        score = drawn[0].to_numpy()
    return xr.Dataset({"theta": theta, "score": ("team", score)}, attrs={"seed": seed})


def _thetas(board: xr.DataArray, estimate: xr.Dataset) -> xr.DataArray:
    """Thetas of the teams above chance."""
    chance = 1.0 / estimate.attrs.get("classes", 2)
    best, sota = float(estimate["observed_max"]), float(estimate["theta_sota"])
    above = board[board > chance]
    if estimate.attrs.get("method") == "crop":
        return above[above <= sota]
    weight = (sota - chance) / (best - chance)
    return above.copy(data=weight * above.to_numpy() + (1.0 - weight) * chance)


def _allowed(
    theta: Floats, rho: float = 0.0, theta_0: float | None = None, dependence: str = "boland"
) -> Bools:
    """Classifiers that equation 8 does not exclude."""
    if rho == 0.0 or dependence != "boland":
        return np.ones(len(theta), dtype=bool)
    return feasible(theta, rho, float(theta.max()) if theta_0 is None else theta_0)
