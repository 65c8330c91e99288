"""How much classifiers depend on each other, from their answers."""

import numpy as np

from leaderbayes._types import Floats

_REPLICATES = 400  # bootstrap samples of the items, for the interval
_TAILS = (0.025, 0.975)


def rho_of_answers(answers: Floats) -> tuple[float, float, float] | None:
    """Estimate rho from right and wrong answers (classifier, item), with its 95 % interval.

    In Boland's model right answers of two classifiers correlate by rho^2 (section 4.2): the
    estimate is the root of the mean correlation of all pairs, 0 where that is negative. None where
    fewer than two classifiers are right on some items and wrong on others.
    """
    estimate = _rho(answers)
    if np.isnan(estimate):
        return None
    rng, n = np.random.default_rng(0), answers.shape[1]
    drawn = [_rho(answers[:, rng.integers(n, size=n)]) for _ in range(_REPLICATES)]
    lower, upper = np.nanquantile(drawn, _TAILS)
    return estimate, float(lower), float(upper)


def _rho(answers: Floats) -> float:
    """Root of the mean correlation of pairs; classifiers that never vary have none."""
    sd = answers.std(axis=1)
    varies = answers[sd > 0.0]
    m, n = varies.shape
    if m < 2:
        return float("nan")
    unit = (varies - varies.mean(axis=1, keepdims=True)) / sd[sd > 0.0, None]
    # The sum over pairs is the square of the sum, less the diagonal.
    mean = (float((unit.sum(axis=0) ** 2).sum()) / n - m) / (m * (m - 1))
    return float(np.sqrt(max(mean, 0.0)))
