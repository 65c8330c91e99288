"""Kernels that Numba compiles, and a line on standard error where that takes a while."""

import math
import sys
from functools import partial
from time import monotonic
from typing import Any

import numba
from numba.core import event

_LONG = 2.0  # seconds
_OURS = ("leaderbayes.", "pytensor", "numba_funcified")

njit = partial(numba.njit, cache=True, error_model="numpy")


class _Said(event.Listener):  # type: ignore[misc]
    """Report once a process that kernels compile; those that they call begin within them."""

    def __init__(self) -> None:
        self.spent, self.begun = 0.0, list[float]()

    def on_start(self, started: Any) -> None:
        """Report, if it has taken a while so far."""
        self.begun.append(monotonic())
        of = str(started.data["dispatcher"].py_func.__module__)
        if self.spent + self.begun[-1] - self.begun[0] > _LONG and of.startswith(_OURS):
            print("leaderbayes: compiling, once per machine ...", file=sys.stderr)
            self.spent = -math.inf

    def on_end(self, ended: Any) -> None:
        """Add up what was not within another."""
        begun = self.begun.pop()
        self.spent += 0.0 if self.begun else monotonic() - begun


event.register("numba:compile", _Said())
