"""Candidates by iteration: all of a grid, draws of distributions, or a grid that is refined."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, islice, product
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

from leaderbayes._errors import LeaderbayesError

Parameters = dict[str, Any]

# Gives the next iteration's candidates, from those that are tied for the top, the best first.
Propose = Callable[[Sequence[Parameters]], list[Parameters]]

_DRAWS_AT_ONCE = 10  # candidates of an iteration of strategy="random"
_DIGITS = 6  # of numbers between those of a grid: two ways to one point arrive at the same


def name_of(parameters: Mapping[str, Any]) -> str:
    """Write parameters as a player's name."""
    return ", ".join(
        f"{name}={value:.4g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in parameters.items()
    )


def proposal(
    strategy: str, space: Any, n_candidates: int | None, max_iterations: int,
    random: np.random.RandomState,
) -> Propose:  # fmt: skip
    """Propose candidates by the strategy of a search: "grid", "random" or "iterated"."""
    from sklearn.model_selection import ParameterGrid, ParameterSampler

    if strategy == "iterated":
        return Refined([space] if isinstance(space, Mapping) else space, n_candidates)
    if strategy == "random":
        size = n_candidates or _DRAWS_AT_ONCE
        draws = ParameterSampler(space, size * max_iterations, random_state=random)
        with warnings.catch_warnings():
            # It warns of a small grid, all of which is tried then.
            warnings.simplefilter("ignore", UserWarning)
            return in_turn(list(draws), size)
    grid = list(ParameterGrid(space))
    if n_candidates is not None:
        random.shuffle(grid)
    return in_turn(grid, n_candidates)


def in_turn(candidates: Sequence[Parameters], size: int | None) -> Propose:
    """Propose ``size`` of the candidates at a time, in their order; all at once by default."""
    left = iter(candidates)
    return lambda tied: list(islice(left, size))


class Refined:
    """Propose a grid, and then up to ``size`` points around those that are tied for the top.

    In each iteration numeric parameters move by half as much as in the one before, first by half
    the grid's own step, up or down, within the grid (Gajda and Chlebus' equation 20), on a
    logarithmic scale where the grid's steps are more nearly equal there. Points around the best
    come first, and those with few parameters changed.
    """

    def __init__(self, grids: Sequence[Mapping[str, Sequence[Any]]], size: int | None) -> None:
        from sklearn.model_selection import ParameterGrid

        # It checks that every value is a list of values.
        self._points = [(g, point) for g, grid in enumerate(grids) for point in ParameterGrid(grid)]
        self._axes = [_axes(grid) for grid in grids]
        self._size = size
        self._grid_of: dict[str, int] = {}  # of every candidate, by `key_of`
        self._share = 1.0  # of the grid's step

    def __call__(self, tied: Sequence[Parameters]) -> list[Parameters]:
        """Propose the next iteration's candidates; none where nothing is left to refine."""
        if not self._grid_of:
            points = self._points
            self._size = self._size or len(points)
        else:
            self._share /= 2.0
            points = list(islice(self._around(tied), self._size))
        self._grid_of |= {key_of(point): g for g, point in points}
        return [point for _, point in points]

    def _around(self, tied: Sequence[Parameters]) -> Iterator[tuple[int, Parameters]]:
        """Yield new points around all of the tied, with one parameter changed, then two, ..."""
        seen = set(self._grid_of)
        for changed in range(1, max(len(axes) for axes in self._axes) + 1):
            for centre in tied:
                g = self._grid_of[key_of(centre)]
                for point in _neighbours(centre, self._axes[g], self._share, changed):
                    if key_of(point) not in seen:
                        seen.add(key_of(point))
                        yield g, point


class _Axis(NamedTuple):
    """A numeric parameter of a grid."""

    low: float | int
    high: float | int
    step: float  # of the grid, on the scale
    logarithmic: bool
    integer: bool

    def moved(self, value: float, steps: float) -> float | int:
        """Go from a value by a number of steps, to the ends at most."""
        if self.logarithmic:
            there = float(np.exp(np.log(value) + steps * self.step))
        else:
            there = value + steps * self.step
        there = round(there) if self.integer else float(f"{there:.{_DIGITS}g}")
        return min(max(there, self.low), self.high)


def _axes(grid: Mapping[str, Sequence[Any]]) -> dict[str, _Axis]:
    """Describe the parameters of a grid that have two different numbers or more."""
    axes = {}
    for name, values in grid.items():
        numeric = [v for v in values if _is_number(v)]
        numbers = np.unique(np.array(numeric, dtype=float))
        if len(numbers) < 2:
            continue
        if not np.isfinite(numbers).all():
            raise LeaderbayesError(
                f"{name!r} has a value that is not finite; strategy='iterated' needs finite "
                "numbers."
            )
        logarithmic = _is_logarithmic(numbers)
        scale = np.log(numbers) if logarithmic else numbers
        step = float((scale[-1] - scale[0]) / (len(scale) - 1))
        integer = all(isinstance(v, Integral) for v in numeric)
        low, high = ((int if integer else float)(numbers[end]) for end in (0, -1))
        axes[name] = _Axis(low, high, step, logarithmic, integer)
    return axes


def _is_logarithmic(numbers: np.ndarray[Any, np.dtype[np.float64]]) -> bool:
    """Whether rising numbers are spaced more evenly by their logarithms."""
    if numbers[0] <= 0.0:
        return False
    if len(numbers) == 2:
        # Two numbers are even on every scale.
        return bool(numbers[1] >= 10.0 * numbers[0])
    steps, ratios = np.diff(numbers), np.diff(np.log(numbers))
    return bool(ratios.std() / ratios.mean() < steps.std() / steps.mean())


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def key_of(point: Mapping[str, Any]) -> str:
    """Name a point, a number in one way."""

    def written(value: Any) -> str:
        if not _is_number(value):
            return repr(value)
        return str(int(value)) if isinstance(value, Integral) else f"{value:.{_DIGITS}g}."

    return repr([(name, written(value)) for name, value in sorted(point.items())])


def _neighbours(
    centre: Parameters, axes: Mapping[str, _Axis], share: float, changed: int
) -> Iterator[Parameters]:
    """Yield points a share of a step away, in so many of the numeric parameters."""
    movable = [name for name in axes if _is_number(centre[name])]
    for names in combinations(movable, changed):
        for signs in product((-share, share), repeat=changed):
            moves = dict(zip(names, signs, strict=True))
            yield centre | {name: axes[name].moved(centre[name], s) for name, s in moves.items()}
