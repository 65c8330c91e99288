"""PMRA's backward elimination of fixed effects."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import xarray as xr
from scipy.special import chdtrc, ndtr

from leaderbayes._arguments import one_of, share, whole
from leaderbayes._numerics.newton import Linear, inverse
from leaderbayes._numerics.quadrature import Marginal, fit_marginal
from leaderbayes._numerics.shrinkage import of_differences
from leaderbayes._types import Floats
from leaderbayes.likelihood._round_intercept import Listed, describe, list_board

Method = Literal["rigorous", "accelerated", "heuristic"]
_STEP = np.dtype(
    [("player", int), ("test", "U4"), ("p_value", float), ("loglik", float), ("eliminated", bool)]
)


def eliminate(
    matches: xr.Dataset,
    *,
    method: Method = "accelerated",
    alpha: float = 0.05,
    order: Sequence[str] | None = None,
    zero: str | None = None,
    n_quadrature: int = 10,
) -> xr.Dataset:
    r"""Estimate PMRA, and set fixed effects to 0 that do not differ from the zero player's.

    "rigorous": players in the order of their Wald p-values (:math:`b_i = 0`), highest first, are
    tried until one leaves: a likelihood-ratio test of all effects eliminated so far and this one
    against the full model does not reject. This is repeated until no player leaves. "accelerated":
    only players whose Wald p-value is above alpha are tried. "heuristic": the player with the
    highest Wald p-value leaves, as long as that is above alpha.

    Parameters
    ----------
    matches : Dataset
        As for `round_intercept`; not votes.
    method : {"accelerated", "rigorous", "heuristic"}
        Section 3.2.2 of the paper.
    alpha : float
        Level of the tests.
    order, zero, n_quadrature
        As for `round_intercept`.

    Returns
    -------
    Dataset
        As from `round_intercept`, of the last model; and ``eliminated`` (player); for every test
        ``step_player``, ``step_test`` ("Wald" or "LR"), ``step_p_value``, ``step_loglik`` (of the
        model without that player's effect), ``step_eliminated`` (step).

    Raises
    ------
    LeaderbayesError
        If an option has no meaning; else as for `round_intercept`.

    References
    ----------
    Gajda, Chlebus (2022), A probability-based models ranking approach, section 3.2.2.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> board = lb.matches(lb.datasets.load("classifiers", "breast_cancer"))
    >>> fit = lb.likelihood.eliminate(board)
    >>> gone = fit["eliminated"].to_series()
    >>> gone[gone].index.tolist()
    ['tree depth=20']
    """
    one_of("method", method, "rigorous", "accelerated", "heuristic")
    alpha = share("alpha", alpha)
    n_quadrature = whole("n_quadrature", n_quadrature, at_most=100)
    board = list_board(matches, "likelihood.eliminate", order=order, zero=zero)
    x, at = fit_marginal(board.given, board.start, n_quadrature)
    full = at.value
    out: list[int] = []
    steps: list[tuple[Any, ...]] = []
    # The zero player and one other are left at least: without them there is nothing to test.
    while len(out) < len(board.players) - 1:
        p_values = _wald(x, at, board.zero, _restriction(board, out))
        candidates = [i for i in np.argsort(-p_values) if i != board.zero and i not in out]
        if method != "rigorous":
            candidates = [i for i in candidates if p_values[i] > alpha]
        if method == "heuristic":
            candidates = candidates[:1]
        for player in candidates:
            tried = _restriction(board, [*out, player])
            start = x.copy()
            start[player] = start[board.zero]
            start[:-2] -= start[:-2].mean()
            new_x, new = fit_marginal(board.given, start, n_quadrature, linear=tried)
            gain = max(2.0 * (full - new.value), 0.0)
            if method == "heuristic":
                test, p_value = "Wald", float(p_values[player])
            else:
                test, p_value = "LR", float(chdtrc(len(out) + 1, gain))
            leaves = p_value > alpha
            steps.append((player, test, p_value, new.value, leaves))
            if leaves:
                out.append(int(player))
                x, at = new_x, new
                break
        else:
            break
    fit = describe(board, x, at, _restriction(board, out), n_quadrature)
    players = board.players
    fit["eliminated"] = ("player", np.isin(np.arange(len(players)), out))
    by_step = np.array(steps, dtype=_STEP)
    fit["step_player"] = ("step", players[by_step["player"]])
    for name in ("test", "p_value", "loglik", "eliminated"):
        fit[f"step_{name}"] = ("step", by_step[name])
    return fit.assign_attrs(elimination=method, alpha=alpha)


def _restriction(board: Listed, out: Sequence[int]) -> Linear | None:
    """Restrict whoever is eliminated to be as strong as the zero player."""
    if not out:
        return None
    matrix = np.zeros((len(out), len(board.players) + 1))
    matrix[np.arange(len(out)), out] = 1.0
    matrix[:, board.zero] = -1.0
    return Linear(matrix, np.zeros(len(out)))


def _wald(x: Floats, at: Marginal, zero: int, linear: Linear | None) -> Floats:
    """Test b_i = 0: p-values (player,); b of the zero player is 0."""
    m = len(x) - 2
    variance = of_differences(inverse(at.information, m, linear)[:m, :m])[zero]
    z = np.abs(x[:m] - x[zero]) / np.sqrt(np.where(variance > 1e-12, variance, np.inf))
    return np.asarray(2.0 * ndtr(-z))
