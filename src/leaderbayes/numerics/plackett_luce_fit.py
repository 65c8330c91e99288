"""Plackett-Luce and Davidson-Luce by maximum likelihood: Newton on exact gradients."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.special import comb, expit

from leaderbayes._errors import NotConvergedError
from leaderbayes.numerics.newton import Linear, Maximum, maximise
from leaderbayes.numerics.plackett_luce import (
    Ints,
    Rankings,
    log_likelihood,
    log_likelihood_pullback,
    rankings,
    tie_sizes,
)

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

_STEP = 1e-5  # of central differences of the gradient, log-odds: an error of some 1e-10


class RankingLikelihood:
    """Log-likelihood of places (round, player) in x = (b, log delta of each size from 2 up)."""

    def __init__(self, place: Ints) -> None:
        self.rounds, self.m = place.shape
        self.sizes: Longs = tie_sizes(place)
        self.data: Rankings = rankings(place)
        self.parameters = self.m + len(self.sizes) - 1

    def value(self, x: Floats) -> float:
        """Sum over rounds."""
        log_delta = np.append(0.0, x[self.m :])
        return float(log_likelihood(x[None, : self.m], log_delta, self.sizes, *self.data).sum())

    def gradient(self, x: Floats, weight: Floats) -> Floats:
        """Gradient of the rounds' weighted sum."""
        log_delta = np.append(0.0, x[self.m :])
        epp, tie = log_likelihood_pullback(
            x[None, : self.m], log_delta, self.sizes, *self.data, weight
        )
        return np.append(epp[0], tie[1:])

    def fit(self, *, pseudo_rounds: float = 0.0, linear: Linear | None = None) -> Maximum:
        """Maximise; ``pseudo_rounds`` as for `bradley_terry.newton`.

        Raises
        ------
        NotConvergedError
            If tie parameters have no finite estimate, or Newton's method does not converge.
        """
        if self._ties_are_unbounded():
            raise NotConvergedError(
                "LB002 Davidson-Luce's tie parameters have no finite estimate: some number of "
                f"players (of {', '.join(map(str, self.sizes))}) ties always, or never, where it "
                "could. Use the posterior (model='plackett_luce'), or likelihood.bradley_terry."
            )
        every = np.ones(self.rounds)

        def parts(x: Floats) -> tuple[float, Floats, Floats]:
            steps = _STEP * np.eye(self.parameters)
            curve = [self.gradient(x - h, every) - self.gradient(x + h, every) for h in steps]
            information = np.array(curve) / (2.0 * _STEP)
            information = (information + information.T) / 2.0
            value, gradient = self.value(x), self.gradient(x, every)
            if pseudo_rounds > 0.0:
                epp = x[: self.m]
                q = expit(epp)
                value -= pseudo_rounds * float((np.logaddexp(0.0, epp) - 0.5 * epp).sum())
                gradient[: self.m] += pseudo_rounds * (0.5 - q)
                information[np.diag_indices(self.m)] += pseudo_rounds * q * (1.0 - q)
            return value, gradient, information

        # Each size about as often as it is seen: at 0 the largest sets would crowd out the others.
        block, ties = self.data.block, self.sizes[1:]
        seen = np.bincount(block)[ties] / (block > 0).sum()
        start = np.append(np.zeros(self.m), np.log(seen * self.m / comb(self.m, ties)))
        return maximise(parts, start, self.m, linear=linear, tolerance=1e-8)

    def _ties_are_unbounded(self) -> bool:
        """Whether a tie parameter could grow without bound.

        Sizes of tied sets meet as players do: the chosen one beats all others that were possible.
        """
        stands = self.data.block > 0
        left = np.concatenate([np.arange(1, n + 1) for n in np.diff(self.data.start)])[stands]
        chosen = np.searchsorted(self.sizes, self.data.block[stands])
        beaten = np.zeros((len(self.sizes), len(self.sizes)), dtype=bool)
        for size, most in {(int(c), int(n)) for c, n in zip(chosen, left, strict=True)}:
            beaten[size] |= self.sizes <= most
        count, _ = connected_components(beaten, directed=True, connection="strong")
        return bool(count > 1)
