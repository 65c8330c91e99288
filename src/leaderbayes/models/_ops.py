"""Compiled likelihoods of a board as PyTensor operations with gradients.

A kernel is a pair of Numba functions of one or two parameters and the data: its value, a vector,
and the pullback of a cotangent to the parameter, or to both.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytensor
import pytensor.tensor as pt
from pytensor.gradient import disconnected_type
from pytensor.graph.basic import Apply, Variable
from pytensor.graph.op import Op
from pytensor.link.numba.dispatch import basic as numba_basic
from pytensor.link.numba.dispatch.basic import register_funcify_default_op_cache_key
from pytensor.tensor.variable import TensorConstant, TensorVariable

from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics import pairs_by_round, plackett_luce, round_intercept
from leaderbayes._numerics.pairs_by_round import RoundStatistics
from leaderbayes._numerics.plackett_luce import Rankings
from leaderbayes._numerics.round_intercept import ListedStatistics

KERNELS: dict[str, tuple[Callable[..., Any], Callable[..., Any], int]] = {
    "pairs": (pairs_by_round.log_normalisers, pairs_by_round.log_normalisers_pullback, 2),
    "listed": (round_intercept.log_normalisers, round_intercept.log_normalisers_pullback, 2),
    "ranking": (plackett_luce.log_likelihood, plackett_luce.log_likelihood_pullback, 1),
}


class _Kernel(Op):  # type: ignore[misc]
    """(parameters, data) -> vector; a gradient, no Hessian: no sampler here needs one."""

    __props__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def make_node(self, *inputs: Variable) -> Apply:
        variables = [pt.as_tensor_variable(x) for x in inputs]
        return Apply(self, variables, [pt.dvector()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = KERNELS[self.name][0](*inputs)

    def pullback(
        self, inputs: list[Variable], outputs: list[Variable], cotangents: list[Variable]
    ) -> list[Variable]:
        slopes = _Pullback(self.name)(*inputs, cotangents[0], return_list=True)
        return [*slopes, *(disconnected_type() for _ in inputs[len(slopes) :])]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[k < KERNELS[self.name][2]] for k in range(len(node.inputs))]


class _Pullback(Op):  # type: ignore[misc]
    """(parameters, data, cotangent) -> a cotangent of each parameter."""

    __props__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def make_node(self, *inputs: Variable) -> Apply:
        variables = [pt.as_tensor_variable(x) for x in inputs]
        return Apply(self, variables, [v.type() for v in variables[: KERNELS[self.name][2]]])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        slopes = KERNELS[self.name][1](*inputs)
        for storage, slope in zip(
            output_storage, slopes if len(output_storage) > 1 else (slopes,), strict=True
        ):
            storage[0] = slope


@register_funcify_default_op_cache_key(_Kernel)
def _compile_kernel(op: _Kernel, node: Apply, **_: Any) -> tuple[Callable[..., Any], int]:
    return _starred(KERNELS[op.name][0]), code_of_kernels()


@register_funcify_default_op_cache_key(_Pullback)
def _compile_pullback(op: _Pullback, node: Apply, **_: Any) -> tuple[Callable[..., Any], int]:
    return _starred(KERNELS[op.name][1]), code_of_kernels()


@cache
def code_of_kernels() -> int:
    """Digest of the code that kernels are compiled from.

    PyTensor keeps what it has compiled on disk, and knows a kernel by its name alone: without this
    another version of the package would go on with the likelihoods of the one before.
    """
    files = sorted(Path(pairs_by_round.__file__).parent.glob("*.py"))
    digest = sha256(pairs_by_round.__name__.encode())
    for file in files:
        digest.update(file.read_bytes())
    return int.from_bytes(digest.digest()[:8])


def _starred(function: Callable[..., Any]) -> Callable[..., Any]:
    @numba_basic.numba_njit
    def compiled(*inputs):  # type: ignore[no-untyped-def]
        return function(*inputs)

    return compiled  # type: ignore[no-any-return]


def known(value: TensorVariable) -> np.ndarray[Any, np.dtype[Any]]:
    """Observed value of a variable; a likelihood is reduced to statistics of it beforehand."""
    if not isinstance(value, TensorConstant):
        raise LeaderbayesError(
            "A board's likelihood is reduced to statistics of its places before sampling: observe "
            "them as data, not as another variable."
        )
    return np.asarray(value.data)


_LARGE = 1000
_EXCHANGEABLE = ContextVar("exchangeable", default=False)


@contextmanager
def exchangeable_data() -> Iterator[None]:
    """Compile models whose boards can be exchanged: ``with_data`` of what nutpie compiles.

    Shared variables are named ``Statistics.field``.
    """
    token = _EXCHANGEABLE.set(True)
    try:
        yield
    finally:
        _EXCHANGEABLE.reset(token)


def _in_graph[T: tuple[Any, ...]](statistics: T) -> T:
    """Statistics as variables: constants, or shared ones if large or within `exchangeable_data`.

    A constant compiles faster, but Numba's code copies it at every evaluation.
    """
    kind: Any = type(statistics)
    return cast(
        T,
        kind(
            *(
                pytensor.shared(value, name=f"{kind.__name__}.{field}")
                if _EXCHANGEABLE.get() or np.size(value) > _LARGE
                else pt.constant(value)
                for field, value in zip(kind._fields, statistics, strict=True)
            )
        ),
    )


def pairs_log_likelihood(
    statistics: RoundStatistics, epp: TensorVariable, nu: TensorVariable | None = None
) -> TensorVariable:
    """Log-likelihood of each round's matches, (round,).

    Parameters
    ----------
    statistics : RoundStatistics
        Of the places.
    epp : (1, player) or (round, player)
        Log-odds of beating the average player.
    nu : (1,), optional
        Davidson's log tie parameter; absent for Bradley-Terry.
    """
    data = _in_graph(statistics)
    sets = (data.start, data.member, data.left, data.right)
    tie = pt.constant(np.array([-np.inf])) if nu is None else nu
    normaliser = _Kernel("pairs")(epp.flatten(), tie, *sets)[data.set]
    own = (data.points * epp).sum(axis=-1)
    own = own if nu is None else own + nu * data.tied
    return pt.inc_subtensor(own[data.round], -data.sign * normaliser)


def ranking_log_likelihood(rankings: Rankings, epp: TensorVariable) -> TensorVariable:
    """Log-likelihood of each round's ranking, (round,).

    Parameters
    ----------
    rankings : Rankings
        Of the places.
    epp : (1, player) or (round, player)
        Log-odds of beating the average player.
    """
    return _Kernel("ranking")(epp, *_in_graph(rankings))


def listed_log_likelihood(
    statistics: ListedStatistics, epp: TensorVariable, intercept: TensorVariable
) -> TensorVariable:
    """Log-likelihood of each round's listed pairs, (round,).

    Parameters
    ----------
    statistics : ListedStatistics
        Of the outcomes.
    epp : (player,)
        Strengths, log-odds.
    intercept : (round,)
        Log-odds that the first-listed of two equal players wins.
    """
    data = _in_graph(statistics)
    own = data.points @ epp + data.first * intercept
    return own - _Kernel("listed")(epp, intercept, data.start, data.member)
