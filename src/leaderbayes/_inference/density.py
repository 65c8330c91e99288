"""Draw a posterior from a function of its density.

Chains walk through proposals of a Laplace approximation, or are NUTS's where that does not do;
nothing is compiled but once on a machine.
"""

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from leaderbayes._inference.diagnostics import lacking, warn_of_weights
from leaderbayes._inference.metropolis import Proposals, walk_through
from leaderbayes._inference.nuts import sample_density
from leaderbayes._inference.replicates import step_of
from leaderbayes._numerics.log_density import Coordinates
from leaderbayes._numerics.nested import nested, propose_nested
from leaderbayes._numerics.proposals import (
    Density,
    at_the_top,
    log_weights,
    propose,
    refined,
    worth,
)
from leaderbayes._types import Floats

_MOST_GIVEN = 100  # players for whom proposals of each scale cost less than NUTS
_FEWEST = 0.05  # of proposals that are worth something: with fewer chains would not converge
_PILOT = 2000  # proposals, by which those of each scale are judged
_HOPELESS = 0.02  # of the first ones: refining never made that enough of many coordinates


class Target(NamedTuple):
    """A posterior, in coordinates."""

    density: Density
    expand: Callable[[Floats], dict[str, Any]]  # what is drawn, by name
    start: Floats  # (coordinate,): near the highest density
    # Both of many points (point, coordinate) at once, the density's logarithm alone.
    many: Callable[[Floats], tuple[dict[str, Floats], Floats]] | None = None

    def densities(self, x: Floats) -> Floats:
        """Give logarithms of the density of points (point, coordinate)."""
        with np.errstate(all="ignore"):  # of far points, whose density is nothing
            if self.many is not None:
                return self.many(np.ascontiguousarray(x))[1]
            return np.array([self.density(each)[0] for each in x])

    def expanded(self, x: Floats) -> tuple[dict[str, Floats], Floats]:
        """Give what points (point, coordinate) stand for, by name, and `densities`."""
        if self.many is not None:
            with np.errstate(all="ignore"):
                return self.many(np.ascontiguousarray(x))
        every = [self.expand(each) for each in x]
        value = {name: np.array([each[name] for each in every]) for name in every[0]}
        return value, self.densities(x)


class _Way(NamedTuple):
    """Proposals of a target, and which share of them is worth something."""

    target: Target
    propose: Callable[[int], tuple[Floats, Floats]]  # of how many: points, logs of their density
    share: float


def given_scale(target: Callable[[Coordinates], Target], at: Coordinates) -> Target | None:
    """Give the target in coordinates that are nearly normal at each scale, not at all together."""
    if len(at.centring) > _MOST_GIVEN:
        return None
    return target(at._replace(centring=np.zeros_like(at.centring)))


def draw_density(
    target: Target,
    shapes: dict[str, tuple[int, ...]],
    sampling: dict[str, Any],
    seed: int,
    *,
    progressbar: bool,
    given_scale: Target | None = None,
    by_nuts: Target | None = None,
    failed: str = "",
) -> tuple[xr.DataTree, dict[str, Any]]:
    """Draw by the sampler that is asked for, as `draw_board`; streams are those of `draw_exactly`.

    Parameters
    ----------
    shapes : dict
        Of what the target's ``expand`` gives.
    given_scale : Target, optional
        The same posterior in coordinates of which the first is a logarithm of scale, and the others
        are nearly normal given it: for proposals where one law of all coordinates does not do.
    by_nuts : Target, optional
        The same posterior in coordinates for NUTS, where others serve it better than ``target``'s.
    failed : str
        Why proposals are not tried, where "nutpie" was not asked for.
    """
    streams = np.random.SeedSequence(seed).spawn(4)
    if sampling["sampler"] != "nutpie":
        rng = np.random.default_rng(streams[0])
        ways = 1 if given_scale is None else 2
        for count, way in enumerate(_ways(target, given_scale, rng), 1):
            asked = sampling["sampler"] == "laplace" and count == ways
            if way.share <= _FEWEST and not asked:
                failed = (
                    f"{way.share:.1%} of them are worth something (above {_FEWEST:.0%} is good)"
                )
                continue
            shape = sampling["chains"], sampling["draws"]
            # Chains that stay where they are lose about as much again as weights do.
            enough = 2 * math.ceil(1.0 / max(way.share, _FEWEST))
            times = (enough, 4 * enough)
            proposals = partial(_proposals, way)
            drawn, found = walk_through(proposals, shapes["epp"][0], shape, rng, times)
            if found["converged"] or asked:
                if not found["converged"]:
                    warn_of_weights(found)
                return drawn, found
            failed = lacking(found)
    first, again = (int(s) for s in streams[3].generate_state(2))
    sampled = by_nuts or target
    return sample_density(
        sampled.density,
        sampled.expand,
        sampled.start,
        shapes,
        sampling,
        (first, again),
        progressbar=progressbar,
        failed=failed,
    )


def _ways(target: Target, given_scale: Target | None, rng: np.random.Generator) -> Iterator[_Way]:
    """Give proposals of one law of all coordinates; then, if asked for more, of one each scale."""
    # Others go on from here with the same stream.
    least = _HOPELESS if given_scale is None else 0.0
    top, share = refined(target.densities, at_the_top(target.density, target.start), rng, least)
    yield _Way(target, lambda count: propose(top, count, rng), share)
    if given_scale is not None:
        laws = nested(given_scale.density, given_scale.start)
        x, log = propose_nested(laws, _PILOT, rng)
        log_weight = log_weights(given_scale.densities(x), log)
        yield _Way(given_scale, lambda count: propose_nested(laws, count, rng), worth(log_weight))


def _proposals(way: _Way, count: int) -> Proposals:
    x, log = way.propose(count)
    value, wanted = way.target.expanded(x)
    return Proposals(value, log_weights(wanted, log))


def step_of_replicates(size: int, sampling: dict[str, Any]) -> int:
    """Say of every how many-th draw there is a replicate, of so many numbers."""
    shape: tuple[int, int] = (sampling["chains"], sampling["draws"])
    return step_of(shape, size, sampling["replicates"])


def of_replicates(seed: int) -> np.random.Generator:
    """Give the stream that `draw_exactly` has for replicates."""
    return np.random.default_rng(np.random.SeedSequence(seed).spawn(4)[1])
