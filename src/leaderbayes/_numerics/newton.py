"""Newton's method for likelihoods of strengths that sum to zero, free or under K x = c."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError
from scipy.linalg.lapack import dposv
from scipy.sparse.linalg import LinearOperator, cg

from leaderbayes._errors import NotConvergedError
from leaderbayes._types import Floats

# A step this long that gains nothing: along an exponential tail every one is about 1, while at a
# maximum its square is at most the decrement times a variance.
_FAR = 0.01
REMEDY = "Use pseudo_rounds=1, or fit the posterior."
UNBOUNDED = f"Some strengths grow without bound: there is no finite estimate. {REMEDY}"
_FARTHEST = 10.0  # that a step goes, log-odds


class Linear(NamedTuple):
    """Hypotheses K x = c; K has full rank, its rows on players sum to zero."""

    matrix: Floats  # (hypothesis, coefficient): the first parameters; they say nothing of the rest
    value: Floats  # (hypothesis,)


class Maximum(NamedTuple):
    """Maximum of a likelihood, and its curvature there."""

    x: Floats  # (parameter,)
    information: Any  # (parameter, parameter), as `parts` gives it


def maximise(
    parts: Callable[[Floats], tuple[float, Floats, Any]], start: Floats, m: int, *,
    linear: Linear | None = None, tolerance: float = 1e-10, max_iter: int = 100,
) -> Maximum:  # fmt: skip
    """Climb by damped Newton steps from ``start``, whose first m are strengths that sum to zero.

    ``parts`` takes parameters (parameter,) to value, gradient (parameter,) and information
    (parameter, parameter), of the players singular along 1: a matrix, or a LinearOperator.
    ``linear`` are hypotheses that the maximum has to satisfy. It ends where Newton's decrement,
    about twice the log-likelihood still to be gained, is below the ``tolerance``. It raises after
    ``max_iter`` steps (where an estimate exists a dozen suffice), or if the maximum is at infinity.
    """
    x = start
    if linear is not None:
        linear = _widened(linear, len(start))
        x = x + np.linalg.lstsq(linear.matrix, linear.value - linear.matrix @ x)[0]
    value, gradient, information = parts(x)
    for _ in range(max_iter):
        step = _step(information, gradient, m, linear)
        decrement = float(gradient @ step)
        if decrement < tolerance:
            if np.abs(step).max() > _FAR:
                raise NotConvergedError(UNBOUNDED)
            # The last step costs nothing, and squares the error.
            return Maximum(x + step, information)
        # Where strengths lie far apart the curvature fades, and a whole step would lead beyond all
        # that numbers can show.
        size = min(1.0, _FARTHEST / float(np.abs(step).max()))
        while True:
            trial = x + size * step
            new = parts(trial)
            higher = new[0] >= value - 1e-12 * abs(value)
            # A penalty's curvature is not in the information: a step may end beyond the top, as
            # high as it began, and the next one come back.
            if (higher and new[1] @ step >= -0.5 * decrement) or size < 1e-8:
                break
            size /= 2.0
        x, (value, gradient, information) = trial, new
    raise NotConvergedError(f"Newton's method did not converge in {max_iter} steps. {REMEDY}")


def _step(information: Any, gradient: Floats, m: int, linear: Linear | None) -> Floats:
    """Newton's step, within the space where K step = 0."""
    right = gradient[:, None] if linear is None else np.column_stack([gradient, linear.matrix.T])
    try:
        solved = solve(information, right, m)
    except LinAlgError:
        # Far from the maximum it may not be definite: climb along every eigenvector all the same.
        values, vectors = np.linalg.eigh(information)
        size = np.maximum(np.abs(values), 1e-8 * np.abs(values).max())
        if not size.max() > 0.0:
            raise NotConvergedError(
                f"Newton's method did not converge: the likelihood is flat. {REMEDY}"
            ) from None
        solved = solve((vectors * size) @ vectors.T, right, m)
    if linear is None:
        return solved[:, 0]
    k = linear.matrix
    free, towards = solved[:, 0], solved[:, 1:]
    return np.asarray(free - towards @ np.linalg.solve(k @ towards, k @ free))


def solve(information: Floats | LinearOperator, right: Floats, m: int) -> Floats:
    """Solve where the first m coordinates sum to zero: (P information P)^+ ``right``.

    P takes the mean off the players' coordinates; penalties give the information a part along it.
    Adding 11'/m to the player block then fills the null space and leaves the rest as it is. Where
    only products are known (of strengths alone), conjugate gradients stay among sums of zero.
    """
    if isinstance(information, LinearOperator):

        def product(v: Floats) -> Floats:
            answer = information @ (v - v.mean())
            return np.asarray(answer - answer.mean())

        projected = LinearOperator(information.shape, product, dtype=np.float64)
        columns = (right - right.mean(axis=0)).T
        return np.column_stack([cg(projected, c, rtol=1e-4, maxiter=500)[0] for c in columns])
    filled, centred = information.copy(), right.copy()
    filled[:m] -= filled[:m].mean(axis=0)
    filled[:, :m] -= filled[:, :m].mean(axis=1, keepdims=True)
    centred[:m] -= centred[:m].mean(axis=0)
    filled[:m, :m] += np.trace(information[:m, :m]) / m / m
    # LAPACK counts by columns, and a symmetric matrix is its own transpose.
    _, answer, failed = dposv(filled.T, centred, lower=True, overwrite_a=True)
    if failed or not np.isfinite(answer).all():
        raise LinAlgError("The information is not positive definite.")
    answer[:m] -= answer[:m].mean(axis=0)
    return np.asarray(answer)


def inverse(information: Floats, m: int, linear: Linear | None = None) -> Floats:
    """Covariance of the maximum: the pseudo-inverse on the space that hypotheses leave."""
    eye = np.eye(len(information))
    eye[:m, :m] -= 1.0 / m
    free = solve(information, eye, m)
    if linear is None:
        return free
    matrix = _widened(linear, len(information)).matrix
    towards = free @ matrix.T
    return np.asarray(free - towards @ np.linalg.solve(matrix @ towards, towards.T))


def jeffreys(information: Floats, m: int) -> tuple[float, Floats]:
    """Half the log determinant where strengths sum to 0, or -inf, and the inverse."""
    filled = information.copy()
    filled[:m, :m] += 1.0 / m
    try:
        covariance = inverse(information, m)
    except (LinAlgError, ValueError):
        return -np.inf, np.zeros_like(information)
    return 0.5 * float(np.linalg.slogdet(filled)[1]), covariance


def _widened(linear: Linear, parameters: int) -> Linear:
    """Return hypotheses a column for every parameter."""
    more = parameters - linear.matrix.shape[1]
    return linear._replace(matrix=np.pad(linear.matrix, ((0, 0), (0, more))))
