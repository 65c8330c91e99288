"""Estimates of the best theta by shrinking or cropping a board."""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from typing import Literal, NamedTuple

import numpy as np
import xarray as xr
from scipy.optimize import brentq

from leaderbayes._arguments import number, one_of, share
from leaderbayes._errors import LeaderbayesError
from leaderbayes._files.printed import Answer
from leaderbayes._numerics.maximum import Tabled
from leaderbayes._scores.facts import Facts, facts, in_own_unit
from leaderbayes._scores.tables import counted, listed
from leaderbayes._types import Floats
from leaderbayes.sota._laws import AucLaw, Dependence, EstimateLaw, Law, ShareLaw

Criterion = Literal["mean", "upper"]
Excess = Callable[[float], float]


def shrink(
    board: xr.DataArray,
    *,
    rule: Literal["shrink", "crop"] | None = None,
    rho: float | None = None,
    theta_0: float | None = None,
    dependence: Dependence = "boland",
    criterion: Criterion = "mean",
    prob: float = 0.95,
    convention: Literal["correct", "published"] = "correct",
) -> xr.Dataset:
    r"""Estimate the best theta by shrinking or cropping a board until its best score is expected.

    Shrunk, all teams move towards the random classifier,
    :math:`\theta_j' = w \hat\theta_j + (1 - w) \, \mathrm{chance}`, with the weight w at which the
    best of such a board is expected to score what the best team scored; the estimate is the highest
    of them. Cropped, teams above a threshold are excluded: the score at which the best of those
    left is expected to score nearest to what the best of all scored, which is the estimate.

    Parameters
    ----------
    board : DataArray (team)
        From `read_board` or `read_answers`. Teams at or below chance are excluded.
    rule : {"shrink", "crop"}, optional
        How the board is made worse: "shrink" by default, and "crop" where chance is unknown.
    rho, theta_0, dependence
        As for `maximum`; by default the board's own rho, else 0. Teams that equation 8 excludes
        are excluded: they are never the best.
    criterion : {"mean", "upper"}
        The observed maximum is the expected one, or the upper limit of its interval.
    prob : float
        Probability of the intervals.
    convention : {"correct", "published"}
        Each team once; or, as in the authors' program, drawn with replacement. Not of estimates.

    Returns
    -------
    Dataset
        ``weight`` or ``threshold``; ``theta_sota`` with ``_lower`` and ``_upper``, where so high,
        or low, a maximum would be at the limits; ``expected_max``, ``max_lower``, ``max_upper`` of
        the best score on another test set; ``observed_max`` with ``naive_lower``, ``naive_upper``,
        were it the only team; ``bias`` of the best score where thetas are the scores;
        ``teams_above``; ``m``; ``excluded`` by equation 8; ``below_chance``. attrs: ``solved`` (0
        where multiplicity does not explain the maximum, which then is the estimate), ``message``,
        ``left_out``, the arguments. Of a board of losses all are losses.

    Raises
    ------
    LeaderbayesError
        If an argument is out of range, or no team is above chance.

    References
    ----------
    Møllersen, Holsbø (2025), Accounting for multiplicity in machine learning benchmark
    performance, section 5.1, equation 9; of cropping the appendix, Table 4.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = [0.93, 0.92, 0.92, 0.91, 0.91, 0.9, 0.89, 0.89, 0.88, 0.88, 0.87, 0.85]
    >>> best = lb.sota.shrink(lb.sota.read_board(scores, n=200))
    >>> float(best["observed_max"]), round(float(best["theta_sota"]), 3), int(best["teams_above"])
    (0.93, 0.915, 3)
    """
    known = facts(board)
    rho = number("rho", known.rho if rho is None else rho, at_least=0.0, at_most=1.0)
    if rule is None:
        rule = "shrink" if np.isfinite(known.chance) else "crop"
    one_of("rule", rule, "shrink", "crop")
    one_of("dependence", dependence, "boland", "copula")
    one_of("criterion", criterion, "mean", "upper")
    one_of("convention", convention, "correct", "published")
    _check(known, theta_0, convention)
    share("prob", prob)
    above = board[board.to_numpy() > known.chance]
    if not above.size:
        raise LeaderbayesError(
            f"No team scores above chance, {known.chance:.4g}: check classes, or chance, of "
            "read_board."
        )
    law = _law_of(above, known, rho, theta_0, dependence)
    scores = above.to_numpy()
    family = _cropped(scores) if rule == "crop" else _shrunk(scores, known.chance, law.bounds[1])
    given = {name: board.attrs[name] for name in ("chance", "classes") if name in board.attrs}
    facts_of_law = {k: v for k, v in asdict(law).items() if isinstance(v, int | float | str)}
    answer = _solve(family, law, above, criterion, prob, again=convention == "published")
    out = board["team"].to_numpy()[board.to_numpy() <= known.chance]
    answer["below_chance"] = len(out)
    left_out = f"{counted(len(out), 'team')} at or below chance: {listed(out)}" if len(out) else ""
    return answer.assign_attrs(
        facts_of_law, rule=rule, convention=convention, criterion=criterion, prob=prob,
        left_out=left_out, **given,
    )  # fmt: skip


class _Family(NamedTuple):
    """Family of boards with one parameter, with which their maximum grows."""

    parameter: str
    thetas: Callable[[float], Floats]  # (team,), -inf of a team that is excluded
    root: Callable[[Excess], float]  # where an increasing function crosses 0
    whole: float  # the board as it is


def _shrunk(scores: Floats, chance: float, highest: float) -> _Family:
    """Return scores shrunk towards chance by a weight (equation 9)."""
    if not np.isfinite(chance):
        raise LeaderbayesError(
            "Shrinkage is towards chance: set the score of a random classifier by "
            "sota.read_board(chance=...) (--chance), or use rule='crop' (--rule crop)."
        )
    best = float(scores.max())
    # The best theta is next to the highest possible one.
    heaviest = max(1.0, (highest - chance) / (best - chance))
    return _Family(
        "weight",
        lambda weight: weight * scores + (1.0 - weight) * chance,
        lambda excess: _root_between(excess, 1e-9, heaviest),
        1.0,
    )


def _cropped(scores: Floats) -> _Family:
    """Return scores up to a threshold."""
    steps = np.unique(scores)

    def root(excess: Excess) -> float:
        above = bisect_left(range(len(steps)), 0.0, key=lambda k: excess(float(steps[k])))
        pair = steps[max(above - 1, 0) : above + 1]
        return float(min(pair, key=lambda t: abs(excess(float(t)))))

    def thetas(threshold: float) -> Floats:
        return np.where(scores <= threshold, scores, -np.inf)

    return _Family("threshold", thetas, root, float(steps[-1]))


def _solve(
    family: _Family, law: Law, board: xr.DataArray, criterion: Criterion, prob: float, *,
    again: bool,
) -> xr.Dataset:  # fmt: skip
    """Find the board of the family with the observed maximum."""
    scores = board.to_numpy()
    observed, tails = float(scores.max()), ((1.0 - prob) / 2.0, (1.0 + prob) / 2.0)

    @cache
    def table(parameter: float) -> Tabled:
        theta = family.thetas(parameter)
        out = law.excluded(theta)
        return law(np.where(out, -np.inf, theta), int((~out).sum()) if again else 0)

    whole = table(family.whole)
    bias = whole.mean - observed
    solved = bias >= 0.5 / whole.steps
    between = _limits(table, family.root, observed, law.ticks, tails)
    parameter = family.whole
    if solved:
        by_mean = family.root(lambda parameter: table(parameter).mean - observed)
        parameter = by_mean if criterion == "mean" else between[0]
    theta, tabled = family.thetas(parameter), table(parameter)
    lower, upper = tabled.quantile(np.array(tails))
    gains = board.attrs.get("higher_is_better", 1)
    does, to = ("adds", "to its score") if gains else ("takes", "off its loss")
    own = in_own_unit({"observed": observed, "expected": observed + bias}, board)
    message = (
        f"Choosing the best of {len(scores)} {does} {tabled.mean - theta.max():.4f} {to} on "
        "average."
        if solved
        else f"Multiplicity does not explain the best score, {own['observed']:.5f}: if every team "
        f"were as good as its score, the best of {len(scores)} would be expected at "
        f"{own['expected']:.5f}."
    )
    is_best = np.arange(len(scores)) == np.argmax(scores)
    alone = _limits(
        lambda theta: law(np.where(is_best, theta, -np.inf)),
        lambda excess: _root_between(excess, *law.bounds),
        observed,
        law.ticks,
        tails,
    )
    found = {
        family.parameter: parameter,
        "theta_sota": theta.max(),
        "theta_sota_lower": family.thetas(between[0]).max(),
        "theta_sota_upper": family.thetas(between[1]).max(),
        "expected_max": tabled.mean,
        "max_lower": lower,
        "max_upper": upper,
        "observed_max": observed,
        "naive_lower": alone[0],
        "naive_upper": alone[1],
        "bias": bias,
        "teams_above": int((scores > theta.max()).sum()),
        "m": len(scores),
        "excluded": int(law.excluded(theta).sum()),
    }
    return Answer(in_own_unit(found, board), attrs={"solved": int(solved), "message": message})


def _limits(
    table: Callable[[float], Tabled], root: Callable[[Excess], float], observed: float,
    ticks: tuple[float, float], tails: tuple[float, float],
) -> tuple[float, float]:  # fmt: skip
    """Return the limits of the parameter, at which the maximum has probability (1 - prob) / 2."""

    def at(tick: float, tail: float) -> float:
        def excess(parameter: float) -> float:
            tabled = table(parameter)
            # Between steps a line, so that limits are smooth.
            at = tabled.low + float(np.interp(tail, tabled.cdf, np.arange(len(tabled.cdf))))
            return (at + tick) / tabled.steps - observed

        return root(excess)

    return at(ticks[0], tails[1]), at(ticks[1], tails[0])  # as Clopper and Pearson have it


def _root_between(excess: Excess, low: float, high: float) -> float:
    """Return the root of an increasing function between low and high, or the nearer end."""
    if excess(high) <= 0.0:
        return high
    return float(brentq(excess, low, high, xtol=1e-8 * (high - low))) if excess(low) < 0.0 else low


def _law_of(
    board: xr.DataArray, known: Facts, rho: float, theta_0: float | None, dependence: Dependence
) -> Law:
    """Return the distribution of the maximum given thetas, for the metric of the board."""
    if known.sizes is not None:
        return AucLaw(positives=known.sizes[0], negatives=known.sizes[1], rho=rho)
    if known.n is not None:
        return ShareLaw(n=known.n, rho=rho, theta_0=theta_0, dependence=dependence)
    se, best = board["se"].to_numpy().astype(float), float(board.max())
    far = 10.0 * float(se.max())
    return EstimateLaw(se=se, rho=rho, bounds=(best - far, best + far))


def _check(known: Facts, theta_0: float | None, convention: str) -> None:
    """Raise if an option is not for the metric of the board."""
    if theta_0 is not None:
        share("theta_0", theta_0)
        if known.metric != "accuracy":
            raise LeaderbayesError(
                "theta_0 is for shares of right answers on n instances: omit it."
            )
    if convention == "published" and known.metric == "estimate":
        raise LeaderbayesError("convention='published' is for shares of right answers and AUCs.")
