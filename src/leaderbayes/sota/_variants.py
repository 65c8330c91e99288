"""Variants that were tried on a test set, of which the best is shown: how many, and how likely."""

from typing import Any, NamedTuple

import numpy as np

from leaderbayes._arguments import whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.best_of_variants import chosen
from leaderbayes._types import Floats

_LEFT_OUT = 1e-6  # of a prior
_HIGH = 0.975  # quantile of a prior, for what takes one number


class Variants(NamedTuple):
    """How many variants there may be, and their probabilities."""

    many: Floats  # (number,), one after the other
    weight: Floats  # (number,), of sum 1

    @property
    def several(self) -> bool:
        """Whether there may be more than one."""
        return bool(self.many[-1] > 1.0)

    @property
    def most(self) -> int:
        """As many as there are nearly for certain."""
        last = int(np.searchsorted(np.cumsum(self.weight), _HIGH))
        return int(self.many[min(last, len(self.many) - 1)])

    def chosen(self, p: Floats, upto: Floats) -> Floats:
        """How many times as probable scores are as the best than as one variant's own.

        Ties by lot; arrays (score,) of one dimension: p, the probability that a variant scores just
        as much, or lies in its cell, and ``upto``, that it does so or lower.
        """
        return np.asarray(chosen(p, upto, float(self.many[0]), self.weight))

    def at_most(self, upto: Floats) -> Floats:
        """Probability that the best scores as much at most, of one variant's."""
        return np.asarray(np.power(upto[..., None], self.many) @ self.weight)


def variants_of(name: str, k: Any, most: int) -> Variants:
    """Check a number of variants, or a prior of it, given as the argument of this name.

    Raises
    ------
    LeaderbayesError
        If it is neither, or of fewer than 1 or more than ``most``.
    """
    if not hasattr(k, "pmf"):
        if hasattr(k, "pdf"):
            raise LeaderbayesError(
                f"{name}: its prior is of whole numbers, such as randint(1, 51)."
            )
        return Variants(np.array([float(whole(name, k, at_most=most))]), np.ones(1))
    first, last = int(k.ppf(_LEFT_OUT)), int(k.ppf(1.0 - _LEFT_OUT))
    if first < 0 or last > most:
        raise LeaderbayesError(f"{name}: its prior must lie from 1 to {most}.")
    many = np.arange(max(first, 1), last + 1)
    weight = np.asarray(k.pmf(many), dtype=float)
    if not weight.sum() > 0.5:
        raise LeaderbayesError(f"{name}: its prior must lie from 1 up; a score was shown.")
    return Variants(many.astype(float), weight / weight.sum())
