"""Estimates of the best theta: boards shrunk or cropped until their maximum is what was seen."""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import ClassVar, Literal, NamedTuple

import numpy as np
import xarray as xr
from scipy.optimize import brentq

from leaderbayes._arguments import share, whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics import auc
from leaderbayes._numerics.maximum import (
    binomial_sd,
    estimate_cdf,
    estimate_window,
    moments,
    of_board,
    of_estimates,
    quantiles,
    steps_of,
)
from leaderbayes._types import Floats
from leaderbayes.sota._auc import auc_cdf, auc_sd, class_sizes
from leaderbayes.sota._law import Dependence, cdf_of, check_dependence, feasible

Criterion = Literal["mean", "upper"]
Convention = Literal["correct", "published"]
Excess = Callable[[float], float]

_SHARES = (1e-9, 1.0 - 1e-9)  # next to 0 and to 1


class _Family(NamedTuple):
    """Boards made of a board's scores by one parameter; their maximum grows with it."""

    parameter: str
    thetas: Callable[[float], Floats]  # (team,), -inf of a team that is left out
    root: Callable[[Excess], float]  # where an increasing function crosses 0
    whole: float  # the board as it is


class _Tabled(NamedTuple):
    """F of the best score at low / steps, (low + 1) / steps, and so on."""

    steps: float
    low: int
    cdf: Floats
    excluded: int = 0  # classifiers, by equation 8

    @property
    def mean(self) -> float:
        """The expected best score."""
        return moments(self.steps, self.low, self.cdf)[0]

    def quantile(self, tail: float) -> float:
        """Score, in steps, at which F is this; between steps a line: limits move smoothly."""
        return self.low + float(np.interp(tail, self.cdf, np.arange(len(self.cdf))))


@dataclass(frozen=True)
class _ShareLaw:
    """Law of the best share of right answers of classifiers with these thetas."""

    n: int
    rho: float
    theta_0: float | None
    dependence: Dependence
    convention: Convention

    # A maximum at least as high is one count more than below it, one at most as high is not.
    ticks: ClassVar[tuple[float, float]] = (1.0, 0.0)
    bounds: ClassVar[tuple[float, float]] = _SHARES  # of thetas

    def __call__(self, theta: Floats) -> _Tabled:
        """Table F at counts."""
        teams = len(theta)
        theta = theta[np.isfinite(theta)]
        kept = np.ones(len(theta), dtype=bool)
        reference = float(theta.max()) if self.theta_0 is None else self.theta_0
        # A reference that is always right depends on nothing.
        rho = self.rho if 0.0 < reference < 1.0 else 0.0
        if rho > 0.0 and self.dependence == "boland":
            kept = feasible(theta, rho, reference)
        excluded = int((~kept).sum())
        sd = binomial_sd(self.n, float(theta.max()))
        mixture = of_board(theta[kept], sd, _draws(teams - excluded, self.convention))
        low, cdf = cdf_of(self.n, mixture, rho, reference, self.dependence)
        return _Tabled(self.n, low, cdf, excluded)


@dataclass(frozen=True)
class _AucLaw:
    """Law of the best AUC of classifiers with these AUCs."""

    positives: int
    negatives: int
    rho: float
    convention: Convention

    ticks: ClassVar[tuple[float, float]] = (0.5, 0.5)  # F is that of the middle between steps
    bounds: ClassVar[tuple[float, float]] = _SHARES

    def __call__(self, theta: Floats) -> _Tabled:
        """Table F from 0 to 1."""
        sizes = self.positives, self.negatives
        draws = _draws(len(theta), self.convention)
        theta = theta[np.isfinite(theta)]
        mixture = of_board(theta, auc_sd(float(theta.max()), *sizes), draws)
        return _Tabled(auc.STEPS, 0, auc_cdf(mixture, *sizes, self.rho))


@dataclass(frozen=True)
class _EstimateLaw:
    """Law of the best estimate of teams with these thetas and their own standard errors."""

    se: Floats  # (team,)
    rho: float
    bounds: tuple[float, float]

    ticks: ClassVar[tuple[float, float]] = (0.5, 0.5)

    def __call__(self, theta: Floats) -> _Tabled:
        """Table F in steps that are small against the range of the best score."""
        kept = np.isfinite(theta)
        mixture, se = of_estimates(theta[kept], self.se[kept])
        steps = steps_of(*estimate_window(mixture, se))
        return _Tabled(steps, *estimate_cdf(mixture, se, self.rho, steps))


_Law = _ShareLaw | _AucLaw | _EstimateLaw


def _draws(teams: int, convention: Convention) -> float:
    """Give the number of draws from the thetas; 0 where each team is taken once."""
    return float(teams) if convention == "published" else 0.0


class _Case(NamedTuple):
    """What is asked of a board."""

    law: _Law
    scores: Floats  # (team,), those above chance
    chance: float  # -inf where not given, of estimates
    attrs: dict[str, float]


def shrink(
    board: xr.DataArray,
    *,
    classes: int = 2,
    chance: float | None = None,
    positive_rate: float | None = None,
    rho: float = 0.0,
    theta_0: float | None = None,
    dependence: Dependence = "boland",
    criterion: Criterion = "mean",
    prob: float = 0.95,
    convention: Convention = "correct",
) -> xr.Dataset:
    r"""Estimate the best theta by shrinking a board towards the random classifier.

    .. math:: \theta_j' = w \hat\theta_j + (1 - w) \, \mathrm{chance}

    with the weight w at which the best of a board with thetas :math:`\theta'` is expected to score
    what the best team scored; the estimate is :math:`\max \theta'`.

    Parameters
    ----------
    board : DataArray (team)
        From `read_board`. Teams at or below chance are left out.
    classes : int
        Number of classes: chance is 1 / classes.
    chance : float, optional
        Score of the random classifier, instead of 1 / classes; boards of estimates need it.
    positive_rate : float, optional
        Share of the positive class: the board is one of AUCs, of classifiers with binormal scores
        (section 5.2).
    rho, theta_0, dependence
        As for `maximum_distribution`, of AUCs rho as for `maximum_auc`; theta_0 is the highest
        theta' by default. Teams that equation 8 excludes are left out: they are never the best.
        Of estimates rho is as for `maximum_estimate`.
    criterion : {"mean", "upper"}
        The observed maximum is the expected one, or the upper limit of its interval.
    prob : float
        Probability of the intervals.
    convention : {"correct", "published"}
        Each team is on the board once; or, as in the authors' program, as many teams are drawn
        from the thetas with replacement (of cropped thetas too, as many as there are teams above
        chance that equation 8 does not exclude). Not of estimates.

    Returns
    -------
    Dataset
        Scalars ``weight``; ``theta_sota``, the estimate; ``theta_sota_lower`` and
        ``theta_sota_upper``, where the observed maximum would be the upper and the lower limit of
        its interval; ``expected_max``, ``max_lower``, ``max_upper``, mean and interval of the best
        score on another test set; ``observed_max``, with ``naive_lower`` and ``naive_upper``, its
        interval were it the only team; ``bias``, of the best score where thetas are the scores;
        ``teams_above``, teams that scored above ``theta_sota``; ``m``, teams above chance;
        ``excluded`` of them by equation 8. attrs: ``solved`` (0 where multiplicity does not
        explain the maximum: then the estimate is the observed maximum), ``message``, and the
        arguments.

    Raises
    ------
    LeaderbayesError
        If an argument is out of range, or no team is above chance.

    References
    ----------
    Møllersen, Holsbø (2025), Accounting for multiplicity in machine learning benchmark
    performance, section 5.1, equation 9.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = [0.93, 0.92, 0.92, 0.91, 0.91, 0.9, 0.89, 0.89, 0.88, 0.88, 0.87, 0.85]
    >>> board = lb.sota.read_board(scores, n=200)
    >>> made = lb.sota.shrink(board)
    >>> float(made["observed_max"]), round(float(made["theta_sota"]), 3), int(made["teams_above"])
    (0.93, 0.915, 3)
    """
    law, scores, bottom, attrs = _prepare(
        board, classes, chance, positive_rate, rho, theta_0, dependence, convention
    )
    if not np.isfinite(bottom):
        raise LeaderbayesError(
            "Estimates of any metric are shrunk towards chance: give the score of a random "
            "classifier (chance=, --chance), or crop."
        )
    best = float(scores.max())
    # The best theta is next to the highest possible one.
    heaviest = max(1.0, (law.bounds[1] - bottom) / (best - bottom))

    def thetas(weight: float) -> Floats:
        return weight * scores + (1.0 - weight) * bottom

    def root(excess: Excess) -> float:
        return _root(excess, 1e-9, heaviest)

    made = _solve(_Family("weight", thetas, root, 1.0), law, scores, criterion, prob)
    return made.assign_attrs(method="shrink", **attrs)


def crop(
    board: xr.DataArray,
    *,
    classes: int = 2,
    chance: float | None = None,
    positive_rate: float | None = None,
    rho: float = 0.0,
    theta_0: float | None = None,
    dependence: Dependence = "boland",
    criterion: Criterion = "mean",
    prob: float = 0.95,
    convention: Convention = "correct",
) -> xr.Dataset:
    """Estimate the best theta by cropping a board: teams above a threshold are left out.

    The threshold is the score at which the best of the teams left is expected to score nearest to
    what the best team of all scored; it is the estimate.

    Parameters
    ----------
    board, classes, chance, positive_rate, rho, theta_0, dependence, criterion, prob, convention
        As for `shrink`; without chance all teams of a board of estimates are taken.

    Returns
    -------
    Dataset
        As from `shrink`, with ``threshold`` for ``weight``. No limit lies above the observed
        maximum.

    Raises
    ------
    LeaderbayesError
        As for `shrink`.

    References
    ----------
    Møllersen, Holsbø (2025), appendix, Table 4.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = [0.93, 0.92, 0.92, 0.91, 0.91, 0.9, 0.89, 0.89, 0.88, 0.88, 0.87, 0.85]
    >>> board = lb.sota.read_board(scores, n=200)
    >>> made = lb.sota.crop(board)
    >>> float(made["observed_max"]), float(made["threshold"])
    (0.93, 0.91)
    """
    law, scores, _, attrs = _prepare(
        board, classes, chance, positive_rate, rho, theta_0, dependence, convention
    )
    steps = np.unique(scores)

    def thetas(threshold: float) -> Floats:
        return np.where(scores <= threshold, scores, -np.inf)

    def root(excess: Excess) -> float:
        above = bisect_left(range(len(steps)), 0.0, key=lambda k: excess(float(steps[k])))
        pair = steps[max(above - 1, 0) : above + 1]
        return float(min(pair, key=lambda t: abs(excess(float(t)))))

    family = _Family("threshold", thetas, root, float(steps[-1]))
    made = _solve(family, law, scores, criterion, prob)
    return made.assign_attrs(method="crop", **attrs)


def _root(excess: Excess, low: float, high: float) -> float:
    """Where an increasing function crosses 0 between low and high, or the end next to it."""
    if excess(high) <= 0.0:
        return high
    return float(brentq(excess, low, high, xtol=1e-8 * (high - low))) if excess(low) < 0.0 else low


def _prepare(
    board: xr.DataArray,
    classes: int,
    chance: float | None,
    positive_rate: float | None,
    rho: float,
    theta_0: float | None,
    dependence: Dependence,
    convention: Convention,
) -> _Case:
    """Check what is given, and find the law of the board's maximum."""
    whole("classes", classes, at_least=2)
    check_dependence(rho, dependence)
    if convention not in ("correct", "published"):
        raise LeaderbayesError(f"convention={convention!r}: choose 'correct' or 'published'.")
    if theta_0 is not None:
        share("theta_0", theta_0)
    metric = board.attrs.get("metric")
    if chance is not None and not (
        np.isfinite(chance) if metric == "estimate" else 0.0 <= chance < 1.0
    ):
        raise LeaderbayesError(f"chance={chance}: give the score of a random classifier.")
    if board.dims != ("team",) or ("se" not in board.coords and "n" not in board.attrs):
        raise LeaderbayesError(
            "A board comes from sota.read_board: dimension team, attribute n or coordinate se."
        )
    if (metric == "auc") != (positive_rate is not None):
        raise LeaderbayesError(
            "positive_rate is for boards of AUC, and these need it: read_board(metric='auc')."
        )
    if theta_0 is not None and metric in ("auc", "estimate"):
        raise LeaderbayesError(
            "theta_0 is for shares of right answers on n instances: leave it out."
        )
    if convention == "published" and metric == "estimate":
        raise LeaderbayesError("convention='published' is for shares of right answers and AUCs.")
    if classes != 2 and metric in ("auc", "estimate"):
        instead = "leave out classes" if metric == "auc" else "give chance instead of classes"
        raise LeaderbayesError(f"classes is for shares of right answers: {instead}.")
    if chance is not None:
        bottom, attrs = float(chance), {"chance": float(chance)}
        if not board.attrs.get("higher_is_better", 1):  # given as the source's scores are
            bottom = -bottom if metric == "estimate" else 1.0 - bottom
    elif metric == "estimate":
        bottom, attrs = -np.inf, {}
    else:
        bottom, attrs = 1.0 / classes, {"classes": classes}
    values = board.to_numpy()
    above = values > bottom
    if not above.any():
        raise LeaderbayesError(
            f"No team scores above chance, {bottom:.4g}; is classes, or chance, right?"
        )
    law = _law_of(board[above], positive_rate, rho, theta_0, dependence, convention)
    return _Case(law, values[above], bottom, attrs)


def _law_of(
    board: xr.DataArray,
    positive_rate: float | None,
    rho: float,
    theta_0: float | None,
    dependence: Dependence,
    convention: Convention,
) -> _Law:
    """Law of the maximum of a board, by its metric."""
    if board.attrs.get("metric") == "estimate":
        se, best = board["se"].to_numpy(), float(board.max())
        far = 10.0 * float(se.max())
        return _EstimateLaw(se, rho, (best - far, best + far))
    n = int(board.attrs["n"])
    if positive_rate is None:
        return _ShareLaw(n, rho, theta_0, dependence, convention)
    return _AucLaw(*class_sizes(n, positive_rate), rho, convention)


def _limits(
    table: Callable[[float], _Tabled],
    root: Callable[[Excess], float],
    observed: float,
    ticks: tuple[float, float],
    tails: tuple[float, float],
) -> tuple[float, float]:
    """Parameters at which so high a maximum, or so low a one, has half of 1 - prob."""

    def excess(parameter: float, tick: float, tail: float) -> float:
        tabled = table(parameter)
        return (tabled.quantile(tail) + tick) / tabled.steps - observed

    # As Clopper and Pearson have it.
    at_least, at_most = ticks
    return (
        root(lambda p: excess(p, at_least, tails[1])),
        root(lambda p: excess(p, at_most, tails[0])),
    )


def _solve(
    family: _Family, law: _Law, scores: Floats, criterion: Criterion, prob: float
) -> xr.Dataset:
    """Find the board of the family that has the observed maximum."""
    if criterion not in ("mean", "upper"):
        raise LeaderbayesError(f"criterion={criterion!r}: choose 'mean' or 'upper'.")
    share("prob", prob)
    observed = float(scores.max())
    tails = ((1.0 - prob) / 2.0, (1.0 + prob) / 2.0)

    table = cache(lambda parameter: law(family.thetas(parameter)))

    def above_mean(parameter: float) -> float:
        return table(parameter).mean - observed

    whole = table(family.whole)
    bias = whole.mean - observed
    solved = bias >= 0.5 / whole.steps
    between = _limits(table, family.root, observed, law.ticks, tails)
    parameter = family.whole
    if solved:
        parameter = family.root(above_mean) if criterion == "mean" else between[0]
        message = "Choosing the best of {} adds {:.4f} to its score on average."
    else:
        message = (
            "Multiplicity does not explain the maximum: were every team as good as its score, the "
            f"best of {len(scores)} would be expected at {observed + bias:.5f}, next to the "
            f"observed {observed:.5f}."
        )
    theta = family.thetas(parameter)
    tabled = table(parameter)
    expected = tabled.mean
    lower, upper = quantiles(tabled.steps, tabled.low, tabled.cdf, np.array(tails))
    is_best = np.arange(len(scores)) == np.argmax(scores)
    # One team is not drawn again.
    own = law if isinstance(law, _EstimateLaw) else replace(law, convention="correct")
    alone = _limits(
        lambda theta: own(np.where(is_best, theta, -np.inf)),
        lambda excess: _root(excess, *law.bounds),
        observed,
        law.ticks,
        tails,
    )
    return xr.Dataset(
        {
            family.parameter: parameter,
            "theta_sota": theta.max(),
            "theta_sota_lower": family.thetas(between[0]).max(),
            "theta_sota_upper": family.thetas(between[1]).max(),
            "expected_max": expected,
            "max_lower": lower,
            "max_upper": upper,
            "observed_max": observed,
            "naive_lower": alone[0],
            "naive_upper": alone[1],
            "bias": bias,
            "teams_above": int((scores > theta.max()).sum()),
            "m": len(scores),
            "excluded": tabled.excluded,
        },
        attrs={
            "solved": int(solved),
            "message": message.format(len(scores), expected - theta.max()),
            **{k: v for k, v in asdict(law).items() if isinstance(v, int | float | str)},
            "criterion": criterion,
            "prob": prob,
        },
    )
