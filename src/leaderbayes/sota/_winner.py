"""Intervals of the winner's theta, and of the best theta, without a distribution of the teams."""

from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from scipy.special import ndtr, ndtri

from leaderbayes._arguments import number, share
from leaderbayes._errors import LeaderbayesError
from leaderbayes._files.printed import Answer
from leaderbayes._numerics import auc
from leaderbayes._numerics import winner as numerics
from leaderbayes._numerics.intervals import decimals_of_best
from leaderbayes._numerics.winner import Cells, Drawn, Luck, Normals, OneFactor, Scale, Shares
from leaderbayes._scores.facts import facts, in_own_unit
from leaderbayes._scores.tables import shown
from leaderbayes._types import Floats
from leaderbayes.models._theta import probits
from leaderbayes.sota._printed import digits_of

_CHANCE = 1e-4  # that scores of more digits would all be printed with so few


def winner(
    board: xr.DataArray,
    *,
    rho: float | None = None,
    covariance: xr.DataArray | Floats | None = None,
    prob: float = 0.95,
) -> xr.Dataset:
    r"""Return intervals of the winner's theta and of the best theta, for any distribution of teams.

    **The winner's own** theta, of the team w with the highest score: inference on winners, whose
    conditional interval takes the score's distribution given that it is the highest, and whose
    hybrid one also that it lies within an interval that holds for all teams. **The best theta**,
    whoever has it: the team that has it scored no more than the winner,

    .. math:: P(\max_j X_j \le x \mid \max_j \theta_j = u) \le P(X \le x \mid \theta = u),

    which limits it from above; from below, teams none of which is better than t, nor than its own
    score allows, would rarely have so high a maximum.

    Parameters
    ----------
    board : DataArray (team)
        From `read_board` or `read_answers`; all teams count.
    rho : float, optional
        Two scores correlate by rho^2 given the thetas; by default the board's own, else 0.
    covariance : array (team, team), optional
        Covariance of the scores' errors, in the board's order, in place of standard errors and rho.
    prob : float
        Coverage of the intervals.

    Returns
    -------
    Dataset
        ``theta_sota_lower``, ``theta_sota_upper`` of the best theta. For the winner's:
        ``theta_winner`` with ``_lower``, ``_upper``, the hybrid estimate and interval;
        ``conditional`` with the same, which may be very wide; ``simultaneous_lower``,
        ``simultaneous_upper``, which hold for all teams at once. ``observed_max``; ``runner_up``;
        ``tied``, how many others have the best score; ``m``. attrs: ``winner``, ``rho``, ``prob``,
        ``message``.

    Raises
    ------
    LeaderbayesError
        If it is no board, an argument is out of range, or the covariance does not fit.

    References
    ----------
    Andrews, Kitagawa, McCloskey (2024), Inference on winners, Quarterly Journal of Economics
    139(1), 305-358. Romano, Shaikh, Wolf (2014), A practical two-step method for testing moment
    inequalities, Econometrica 82(5), 1979-2002.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = [0.93, 0.92, 0.92, 0.91, 0.91, 0.9, 0.89, 0.89, 0.88, 0.88, 0.87, 0.85]
    >>> best = lb.sota.winner(lb.sota.read_board(scores, n=200))
    >>> [round(float(best[f"theta_sota_{end}"]), 2) for end in ("lower", "upper")]
    [0.86, 0.96]
    """
    known, prob = facts(board), share("prob", prob)
    rho = number("rho", known.rho if rho is None else rho, at_least=0.0, at_most=1.0)
    score = board.to_numpy().astype(float)
    if not score.size:
        raise LeaderbayesError("The board has no teams.")
    first = int(np.argmax(score))
    if covariance is not None:
        matrix = _matrix(covariance, board)
        problem = _Problem(_cells(score), Normals(np.sqrt(np.diag(matrix))), Drawn(matrix))
    elif known.metric == "accuracy":
        problem = _of_shares(score, known.n or 0, rho)
    elif known.sizes is not None:
        problem = _of_aucs(score, known.sizes, rho)
    else:
        se = board["se"].to_numpy().astype(float)
        problem = _Problem(_cells(score), Normals(se), OneFactor(rho, se))
    parts = problem[:3]
    lower, upper = numerics.best(*parts, prob)
    alone = numerics.won(*parts, first, prob, share=0.0)
    hybrid = numerics.won(*parts, first, prob)
    for_all = numerics.simultaneous(*parts, first, prob)
    found = {
        "theta_sota_lower": lower, "theta_sota_upper": upper,
        "conditional": alone.middle, "conditional_lower": alone.lower,
        "conditional_upper": alone.upper, "theta_winner": hybrid.middle,
    }  # fmt: skip
    for name, bounds in (("theta_winner", hybrid), ("simultaneous", for_all)):
        # The winner is no better than the best theta.
        found[f"{name}_lower"] = min(bounds.lower, lower)
        found[f"{name}_upper"] = min(bounds.upper, upper)
    made = in_own_unit({key: problem.back(value) for key, value in found.items()}, board)
    rest = np.delete(score, first)
    name, tied = str(board["team"].to_numpy()[first]), int((rest == score[first]).sum())
    seen = {
        "observed_max": score[first], "runner_up": rest.max() if rest.size else np.nan,
        "tied": tied, "m": len(score),
    }  # fmt: skip
    return Answer(
        made | in_own_unit(seen, board),
        attrs={
            "winner": name,
            "rho": np.nan if covariance is not None else rho,
            "prob": prob,
            "message": _message(
                made, name, tied, prob, more=board.attrs.get("higher_is_better", 1)
            ),
        },
    )


def apart(estimate: float, lower: float, upper: float) -> str:
    """Return a caution if an estimate is at the end of the interval without a distribution."""
    digits = decimals_of_best(lower, upper)
    # As they are printed: nobody sees a difference beyond that.
    if round(lower, digits) <= round(estimate, digits) <= round(upper, digits):
        return ""
    where, end = ("above", upper) if estimate > upper else ("below", lower)
    return (
        f"The estimate, {estimate:.{digits}f}, is {where} {end:.{digits}f}, the end of the "
        "interval without assumptions about the teams: it rests on P(theta). Report it only if "
        "another law= agrees."
    )


class _Problem(NamedTuple):
    """Scores on the scale of their errors, and these errors."""

    cells: Cells
    scale: Scale
    luck: Luck
    probit: bool = False

    def back(self, theta: float) -> float:
        return float(ndtr(theta)) if self.probit else float(theta)


def _cells(score: Floats) -> Cells:
    """Return the cells of printed scores: the intervals that round to them."""
    half = 0.5 * _unit(score, 100.0)
    return Cells(score - half, score, score + half)


def _unit(score: Floats, finer: float) -> float:
    """Return the rounding step of the scores, if it is more than chance."""
    unit, different = 10.0 ** -digits_of(score), len(np.unique(score))
    return unit / finer if finer > 1.0 and finer**-different > _CHANCE else unit


def _of_shares(score: Floats, n: int, rho: float) -> _Problem:
    """Return counts as intervals from k to k + 1, or wider if rounded."""
    half = 0.5 * max(1.0, n * _unit(score, n * 10.0 ** -digits_of(score)))
    middle = n * score + 0.5
    low, high = np.maximum(middle - half, 0.0), np.minimum(middle + half, n + 1.0)
    cells = Cells(low, np.clip(middle, 0.0, n + 1.0), high)
    return _Problem(cells, Shares(n), OneFactor(rho, np.ones(len(score))))


def _of_aucs(score: Floats, sizes: tuple[int, int], rho: float) -> _Problem:
    """Return AUCs with normal errors on the probit scale, as in `posterior`."""
    latent, se = probits(score, sizes)
    least = 0.25 / (sizes[0] * sizes[1])
    half = 0.5 * max(10.0 ** -digits_of(score), 2.0 * least)
    edges = [np.clip(ndtr(latent) + k * half, least, 1.0 - least) for k in (-1, 0, 1)]
    cells = Cells(*map(ndtri, edges))
    common = float(auc.loading(np.array([score.max()]), *sizes, rho)[0])
    return _Problem(cells, Normals(se), OneFactor(common, se), True)


def _matrix(covariance: Any, board: xr.DataArray) -> Floats:
    """Check a covariance matrix of the teams."""
    m, own = board.sizes["team"], board["team"].to_numpy().astype(str)
    named = getattr(covariance, "coords", {}).get("team", own)
    if not np.array_equal(np.asarray(named).astype(str), own):
        raise LeaderbayesError("covariance must have the teams of the board, in the same order.")
    try:
        matrix = np.asarray(covariance, dtype=float)
        right = matrix.shape == (m, m) and np.allclose(matrix, matrix.T, rtol=1e-6)
        least = np.linalg.eigvalsh(matrix)[0] if right else -np.inf
    except (TypeError, ValueError, np.linalg.LinAlgError):
        right = False
    if not right or not np.diag(matrix).min() > 0.0 or least < -1e-6 * np.trace(matrix):
        raise LeaderbayesError(
            f"covariance must be a symmetric positive semidefinite {m} x {m} matrix in the order "
            "of the board, with variances above 0."
        )
    return matrix


def _message(found: dict[str, float], name: str, tied: int, prob: float, *, more: int) -> str:
    """Describe the two intervals in a sentence."""
    lower, upper = found["theta_sota_lower"], found["theta_sota_upper"]
    digits = decimals_of_best(lower, upper)
    # The first of a tie is so by lot, which says nothing of its theta.
    of = "simultaneous" if tied else "theta_winner"
    own = " and ".join(f"{found[f'{of}_{end}']:.{digits}f}" for end in ("lower", "upper"))
    best = "highest" if more else "lowest"
    highest = (
        f"{shown(name)}, one of {tied + 1} that scored {best}, between {own}, all teams at once"
        if tied
        else f"the team that scored {best}, {shown(name)}, between {own}"
    )
    return (
        f"Without assumptions about the teams, the best team is between {lower:.{digits}f} and "
        f"{upper:.{digits}f} ({prob:.0%} interval), and {highest}."
    )
