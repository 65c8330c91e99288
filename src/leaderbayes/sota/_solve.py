"""The board of a family whose expected maximum is what was seen, and its limits."""

from collections.abc import Callable
from dataclasses import asdict, replace
from functools import cache
from typing import Literal, NamedTuple

import numpy as np
import xarray as xr
from scipy.optimize import brentq

from leaderbayes._arguments import one_of, share
from leaderbayes._numerics.maximum import quantiles
from leaderbayes._types import Floats
from leaderbayes.sota._law_of_board import EstimateLaw, Law, Tabled

Criterion = Literal["mean", "upper"]
Excess = Callable[[float], float]


class Family(NamedTuple):
    """Boards made of a board's scores by one parameter; their maximum grows with it."""

    parameter: str
    thetas: Callable[[float], Floats]  # (team,), -inf of a team that is left out
    root: Callable[[Excess], float]  # where an increasing function crosses 0
    whole: float  # the board as it is


def _limits(
    table: Callable[[float], Tabled],
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


def solve(
    family: Family, law: Law, scores: Floats, criterion: Criterion, prob: float
) -> xr.Dataset:
    """Find the board of the family that has the observed maximum."""
    one_of("criterion", criterion, "mean", "upper")
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
    own = law if isinstance(law, EstimateLaw) else replace(law, convention="correct")
    alone = _limits(
        lambda theta: own(np.where(is_best, theta, -np.inf)),
        lambda excess: root_between(excess, *law.bounds),
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


def root_between(excess: Excess, low: float, high: float) -> float:
    """Where an increasing function crosses 0 between low and high, or the end next to it."""
    if excess(high) <= 0.0:
        return high
    return float(brentq(excess, low, high, xtol=1e-8 * (high - low))) if excess(low) < 0.0 else low
