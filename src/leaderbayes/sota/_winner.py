"""What the scores alone say of the winner and of the best: intervals without a law."""

from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from scipy.special import ndtr, ndtri

from leaderbayes._arguments import number, share, whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics import auc
from leaderbayes._numerics import winner as numerics
from leaderbayes._numerics.decimals import decimals_of_best
from leaderbayes._numerics.winner import (
    Bounds,
    Cells,
    Drawn,
    Luck,
    Normals,
    OneFactor,
    Scale,
    Shares,
)
from leaderbayes._scores.facts import facts, own_n
from leaderbayes._scores.tables import shown
from leaderbayes._types import Floats, Longs
from leaderbayes.sota._lattice import digits_of
from leaderbayes.sota._suspects import copies

_CHANCE = 1e-4  # that scores of more digits would all be printed with so few


def winner(
    board: xr.DataArray,
    *,
    rho: float | None = None,
    covariance: xr.DataArray | xr.Dataset | None = None,
    variants: int = 1,
    prob: float = 0.95,
) -> xr.Dataset:
    r"""Say how good the winner is, and how good the best, without a law of the teams' thetas.

    Two questions. **The winner's own** :math:`\theta_w`, of the team w with the highest score:
    inference on winners (Andrews, Kitagawa, McCloskey 2024), whose conditional interval takes the
    score's law given that it is the highest, and whose hybrid one also that it lies within an
    interval that holds for all teams. **The best theta**, :math:`\theta_{SOTA} = \max_j \theta_j`,
    whoever has it. It is at least the winner's; and the team that has it, whichever it is, scored
    no more than the winner:

    .. math:: P(\max_j X_j \le x \mid \max_j \theta_j = u) \le P(X \le x \mid \theta = u),

    an upper limit that pays for one team's luck, not for m. The lower one is the highest t at which
    teams none of which is better than t, and none better than its own score allows (bounds for all
    teams at once), would have so high a maximum with a probability of no more than (1 - prob) / 2.

    Parameters
    ----------
    board : DataArray (team)
        From `read_board`, `read_answers` or `read_losses`; all teams count. Of an n between two
        numbers the smaller is taken, which has the wider intervals.
    rho : float, optional
        Two scores correlate by rho^2 given the thetas, as for `posterior`; by default the board's
        own, else 0.
    covariance : DataArray (``team``, ``team_``), or Dataset, optional
        Covariance of the scores' errors, in the board's order, such as `covariance` gives of losses
        or answers and `delong` of AUCs, in place of standard errors and rho.
    variants : int
        How many variants each team may have tried on the test set, to show the best (m times as
        many scores, of which m are seen). The winner's interval is then the simultaneous one, as
        the scores that would have won are not known, and there is no conditional one (NaN). Not
        with a covariance.
    prob : float
        Coverage of the intervals.

    Returns
    -------
    Dataset
        Scalars ``theta_sota_lower``, ``theta_sota_upper``, the interval of the best theta. Of the
        winner's: ``theta_winner``, ``theta_winner_lower``, ``theta_winner_upper``, the hybrid
        estimate (median-unbiased but for a tenth of 1 - prob) and interval; ``conditional``,
        ``conditional_lower``, ``conditional_upper``, the median-unbiased ones, which may be very
        wide; ``simultaneous_lower``, ``simultaneous_upper``, which hold for all teams at once. But
        for the conditional ones, none of these ends is above the same end of the best theta.
        ``observed_max``; ``runner_up``, the next score; ``tied``, how many others have the best
        score; ``m``. attrs: ``winner``, its name (of a tie the first listed), ``rho``, ``prob``,
        ``message``, which says of a tie the simultaneous interval.

    Raises
    ------
    LeaderbayesError
        If it is no board, an argument is out of range, or the covariance does not fit.

    Notes
    -----
    Shares of right answers of independent teams have their exact binomial laws, made continuous;
    with rho their arcsines, AUCs by their probits, and estimates as they are, are jointly normal
    with known standard errors. Scores are cells as wide as they are printed, 1 / n at least; of a
    tie the first listed has won, by lot; more teams at the best score than chance has
    (`read_board`, LB031) are copies of it, and no rivals. Where the next score is close the
    conditional law says little: the hybrid estimate then lies near the interval's lower end.

    References
    ----------
    Andrews, Kitagawa, McCloskey (2024), Inference on winners, Quarterly Journal of Economics
    139(1), 305-358, https://doi.org/10.1093/qje/qjad043.
    Romano, Shaikh, Wolf (2014), A practical two-step method for testing moment inequalities,
    Econometrica 82(5), 1979-2002, https://doi.org/10.3982/ECTA11011.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = [0.93, 0.92, 0.92, 0.91, 0.91, 0.9, 0.89, 0.89, 0.88, 0.88, 0.87, 0.85]
    >>> best = lb.sota.winner(lb.sota.read_board(scores, n=200))
    >>> [round(float(best[f"theta_sota_{end}"]), 2) for end in ("lower", "upper")]
    [0.86, 0.96]
    >>> [round(float(best[f"theta_winner_{end}"]), 2) for end in ("lower", "upper")]
    [0.85, 0.96]
    """
    known = facts(board)
    if (between := own_n(board)) is not None:
        known = facts(board.assign_attrs(n=between[0]))  # whose intervals are the wider
    prob, variants = share("prob", prob), whole("variants", variants)
    if variants > 1 and covariance is not None:
        raise LeaderbayesError("variants: not with a covariance, which is of the scores shown.")
    rho = number("rho", known.rho if rho is None else rho, at_least=0.0, at_most=1.0)
    score = board.to_numpy().astype(float)
    if not score.size:
        raise LeaderbayesError("The board has no team.")
    first = int(np.argmax(score))
    kept = (
        np.arange(len(score)) if covariance is not None else _without_copies(score, first, known.n)
    )
    if covariance is not None:
        problem = _of_covariance(score, _matrix(covariance, board))
    elif known.metric == "accuracy":
        problem = _of_shares(score[kept], known.n or 0, rho, variants)
    elif known.sizes is not None:
        problem = _of_aucs(score[kept], known.sizes, rho, variants)
    else:
        se = board["se"].to_numpy().astype(float)[kept]
        problem = _Problem(_cells(score[kept]), Normals(se), OneFactor(rho, se, variants))
    parts = problem.cells, problem.scale, problem.luck
    place = int(np.flatnonzero(kept == first)[0])
    hybrid = numerics.hybrid(*parts, place, prob)
    alone = numerics.conditional(*parts, place, prob)
    for_all = numerics.simultaneous(*parts, place, prob)
    lower, upper = numerics.best(*parts, prob)
    if variants > 1:
        alone = Bounds(np.nan, np.nan, np.nan)
        hybrid = Bounds(np.nan, for_all.lower, upper)
    hybrid, for_all = (_no_better(bounds, lower, upper) for bounds in (hybrid, for_all))
    found = {
        "theta_sota_lower": lower,
        "theta_sota_upper": upper,
        "theta_winner": hybrid.middle,
        "theta_winner_lower": hybrid.lower,
        "theta_winner_upper": hybrid.upper,
        "conditional": alone.middle,
        "conditional_lower": alone.lower,
        "conditional_upper": alone.upper,
        "simultaneous_lower": for_all.lower,
        "simultaneous_upper": for_all.upper,
    }
    rest = np.delete(score, first)
    name, tied = str(board["team"].to_numpy()[first]), int((rest == score[first]).sum())
    made = {key: problem.back(value) for key, value in found.items()}
    return xr.Dataset(
        made
        | {
            "observed_max": score[first],
            "runner_up": rest.max() if rest.size else np.nan,
            "tied": tied,
            "m": len(score),
        },
        attrs={
            "winner": name,
            "rho": np.nan if covariance is not None else rho,
            "variants": variants,
            "prob": prob,
            "message": _message(made, name, tied, prob),
        },
    )


def apart(estimate: float, lower: float, upper: float) -> str:
    """Say that an estimate and the interval that needs no law contradict each other, or nothing."""
    digits = decimals_of_best(lower, upper)
    # As they are printed: nobody sees a difference beyond that.
    if round(lower, digits) <= round(estimate, digits) <= round(upper, digits):
        return ""
    where, end = ("above", upper) if estimate > upper else ("below", lower)
    return (
        f"The estimate, {estimate:.{digits}f}, is {where} {end:.{digits}f}, where the interval "
        "ends that needs no law of the teams: the law, and not the scores, puts the best there. "
        "Do not report it before another law agrees."
    )


def _no_better(bounds: Bounds, lower: float, upper: float) -> Bounds:
    """Let no end be above the same end of the best theta, which the winner's is no better than."""
    return Bounds(bounds.middle, min(bounds.lower, lower), min(bounds.upper, upper))


class _Problem(NamedTuple):
    """Scores on the scale of their law, and the law."""

    cells: Cells
    scale: Scale
    luck: Luck
    probit: bool = False

    def back(self, theta: float) -> float:
        return float(ndtr(theta)) if self.probit else float(theta)


def _without_copies(score: Floats, first: int, n: int | None) -> Longs:
    """Teams (team,) without the winner's copies, which are no rivals: more than chance has."""
    values, _, expected = copies(score, n)
    tied = np.flatnonzero(score == score[first])
    if score[first] not in values:
        return np.arange(len(score))
    chance = max(round(float(expected[values == score[first]][0])), 1)
    return np.setdiff1d(np.arange(len(score)), tied[chance:])


def _cells(score: Floats) -> Cells:
    """Scores with what their printed digits leave open."""
    half = 0.5 * _unit(score, 100.0)
    return Cells(score - half, score, score + half)


def _unit(score: Floats, finer: float) -> float:
    """Step of the printed scores, unless all of so few fall on it by chance, being finer."""
    unit, different = 10.0 ** -digits_of(score), len(np.unique(score))
    return unit / finer if finer > 1.0 and finer**-different > _CHANCE else unit


def _of_shares(score: Floats, n: int, rho: float, variants: int) -> _Problem:
    """Count k from k to k + 1, or as wide as the digits leave it."""
    coarser = n * 10.0 ** -digits_of(score)
    half = 0.5 * max(1.0, n * _unit(score, coarser))
    middle = n * score + 0.5
    cells = Cells(
        np.maximum(middle - half, 0.0), np.clip(middle, 0.0, n + 1.0),
        np.minimum(middle + half, n + 1.0),
    )  # fmt: skip
    return _Problem(cells, Shares(n), OneFactor(rho, np.ones(len(score)), variants))


def _of_aucs(score: Floats, sizes: tuple[int, int], rho: float, variants: int) -> _Problem:
    """Take normal errors on the probit scale, as `posterior` does."""
    pairs = sizes[0] * sizes[1]
    inside = np.clip(score, 0.5 / pairs, 1.0 - 0.5 / pairs)
    half = 0.5 * max(10.0 ** -digits_of(score), 0.5 / pairs)
    edges = [np.clip(inside + k * half, 0.25 / pairs, 1.0 - 0.25 / pairs) for k in (-1, 0, 1)]
    latent = ndtri(inside)
    slope = np.exp(-0.5 * latent**2) / np.sqrt(2.0 * np.pi)
    different, where = np.unique(inside, return_inverse=True)
    spread = np.sqrt([auc.variance(float(a), *sizes) for a in different])
    se = spread[where] / slope
    common = float(auc.loading(np.array([inside.max()]), *sizes, rho)[0])
    return _Problem(Cells(*map(ndtri, edges)), Normals(se), OneFactor(common, se, variants), True)


def _of_covariance(score: Floats, matrix: Floats) -> _Problem:
    """Jointly normal."""
    return _Problem(_cells(score), Normals(np.sqrt(np.diag(matrix))), Drawn(matrix))


def _matrix(covariance: Any, board: xr.DataArray) -> Floats:
    """Check a covariance of the board's teams."""
    if isinstance(covariance, xr.Dataset) and "covariance" in covariance:
        covariance = covariance["covariance"]
    m = board.sizes["team"]
    if not isinstance(covariance, xr.DataArray) or covariance.shape != (m, m):
        raise LeaderbayesError(
            f"covariance: give a DataArray of {m} teams by {m}, in the order of the board."
        )
    first = covariance.dims[0]
    if first in covariance.coords and first == "team":
        names = [str(name) for name in covariance[first].to_numpy()]
        if names != [str(name) for name in board["team"].to_numpy()]:
            raise LeaderbayesError(
                "covariance: its teams are not the board's, in their order; take "
                "covariance.sel(team=board.team.values, team_=board.team.values)."
            )
    matrix = covariance.to_numpy().astype(float)
    if not (np.isfinite(matrix).all() and np.allclose(matrix, matrix.T, rtol=1e-6)):
        raise LeaderbayesError("covariance: it has gaps, or is not symmetric.")
    if (np.diag(matrix) <= 0.0).any():
        raise LeaderbayesError(
            f"covariance: the team {shown(str(board['team'].to_numpy()[np.diag(matrix).argmin()]))}"
            " has no variance: leave it out."
        )
    if np.linalg.eigvalsh(matrix)[0] < -1e-6 * np.trace(matrix):
        raise LeaderbayesError("covariance: it has a negative variance in some direction.")
    return matrix


def _message(found: dict[str, float], name: str, tied: int, prob: float) -> str:
    """Say what the two intervals are of."""
    lower, upper = found["theta_sota_lower"], found["theta_sota_upper"]
    digits = decimals_of_best(lower, upper)
    # Who is first of a tie is so by lot: it says something of nobody's theta.
    of = "simultaneous" if tied else "theta_winner"
    own = " and ".join(f"{found[f'{of}_{end}']:.{digits}f}" for end in ("lower", "upper"))
    highest = (
        f"{shown(name)}, one of {tied + 1} that scored highest, between {own}, all teams at once"
        if tied
        else f"the team that scored highest, {shown(name)}, between {own}"
    )
    return (
        f"Without a law of the teams, whoever is the best is between {lower:.{digits}f} and "
        f"{upper:.{digits}f} ({prob:.0%} interval); {highest}."
    )
