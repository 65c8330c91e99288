"""Compiled likelihood of a board of places as PyTensor operations with gradients."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytensor.tensor as pt
from pytensor.gradient import disconnected_type
from pytensor.graph.basic import Apply, Variable
from pytensor.graph.op import Op
from pytensor.link.numba.dispatch import basic as numba_basic
from pytensor.link.numba.dispatch.basic import register_funcify_default_op_cache_key
from pytensor.tensor.variable import TensorVariable

from leaderbayes.numerics.rounds import (
    log_normalisers,
    log_normalisers_pullback,
    round_statistics,
)


class _RoundStatistics(Op):  # type: ignore[misc]
    """Places (round, player) to sufficient statistics; folded away when the places are constant."""

    __props__ = ("within_round", "ties")

    def __init__(self, within_round: bool, ties: str) -> None:
        self.within_round = within_round
        self.ties = ties

    def make_node(self, place: Variable) -> Apply:
        place = pt.as_tensor_variable(place)
        outputs = [pt.dmatrix(), pt.dvector(), pt.dmatrix(), pt.lvector(), pt.lvector()]
        return Apply(self, [place], [*outputs, pt.dvector(), pt.dvector()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        statistics = round_statistics(
            inputs[0].astype(np.int32), within_round=self.within_round, ties=self.ties
        )
        for storage, value in zip(output_storage, statistics, strict=True):
            storage[0] = value


class _LogNormalisers(Op):  # type: ignore[misc]
    """(epp, nu, sets) -> log normaliser of every set of pairs."""

    __props__ = ()

    def make_node(self, epp: Variable, nu: Variable, *sets: Variable) -> Apply:
        inputs = [pt.as_tensor_variable(x) for x in (epp, nu, *sets)]
        return Apply(self, inputs, [pt.dvector()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        epp, nu, *sets = inputs
        output_storage[0][0] = log_normalisers(epp, float(nu), *sets)

    def pullback(
        self, inputs: list[Variable], outputs: list[Variable], cotangents: list[Variable]
    ) -> list[Variable]:
        slope, tie = _Pullback()(*inputs, cotangents[0])
        return [slope, tie, *(disconnected_type() for _ in inputs[2:])]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[True], [True], [False], [False], [False], [False]]


class _Pullback(Op):  # type: ignore[misc]
    """Gradient of `_LogNormalisers`; a Hessian is not needed by any sampler here."""

    __props__ = ()

    def make_node(self, *inputs: Variable) -> Apply:
        variables = [pt.as_tensor_variable(x) for x in inputs]
        return Apply(self, variables, [pt.dvector(), pt.dscalar()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        epp, nu, *rest = inputs
        slope, tie = log_normalisers_pullback(epp, float(nu), *rest)
        output_storage[0][0] = slope
        output_storage[1][0] = np.asarray(tie)


@register_funcify_default_op_cache_key(_LogNormalisers)
def _compile_log_normalisers(op: Op, node: Apply, **_: Any) -> Callable[..., Any]:
    @numba_basic.numba_njit
    def compiled(epp, nu, start, member, left, right):  # type: ignore[no-untyped-def]
        return log_normalisers(epp, nu.item(), start, member, left, right)

    return compiled  # type: ignore[no-any-return]


@register_funcify_default_op_cache_key(_Pullback)
def _compile_pullback(op: Op, node: Apply, **_: Any) -> Callable[..., Any]:
    @numba_basic.numba_njit
    def compiled(epp, nu, start, member, left, right, cotangent):  # type: ignore[no-untyped-def]
        slope, tie = log_normalisers_pullback(epp, nu.item(), start, member, left, right, cotangent)
        return slope, np.asarray(tie)

    return compiled  # type: ignore[no-any-return]


def log_likelihood_by_round(
    place: TensorVariable,
    epp: TensorVariable,
    nu: TensorVariable | None = None,
    *,
    within_round: bool,
    ties: str,
) -> TensorVariable:
    """Log-likelihood of each round's matches, (round,).

    Parameters
    ----------
    place : (round, player)
        1 is best, 0 absent.
    epp : (player,)
        Log-odds of beating the average player.
    nu : scalar, optional
        Davidson's log tie parameter; absent for Bradley-Terry.
    within_round, ties
        As for `leaderbayes.matches`; "drop" only within rounds.
    """
    points, tied, share, *sets = _RoundStatistics(within_round, ties)(place)
    own = points @ epp
    if nu is None:
        return own - share @ _LogNormalisers()(epp, pt.constant(-np.inf), *sets)
    return own + nu * tied - share @ _LogNormalisers()(epp, nu, *sets)
