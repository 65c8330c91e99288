"""Kernels that Numba compiles when they are first called, and a line where that takes a while."""

import math
import sys
from collections.abc import Callable
from functools import cache
from threading import RLock
from time import monotonic
from typing import Any

_LONG = 2.0  # seconds
_OURS = ("leaderbayes.", "pytensor", "numba_funcified")
_LOCK = RLock()  # chains in threads would each compile their own


class _Kernel:
    """A function that is compiled, with the kernels that it calls, when it is called."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        self.function, self.options, self.known = function, options, None

    def __call__(self, *given: Any) -> Any:
        return self.compiled()(*given)

    def compiled(self) -> Any:
        """Return Numba's function."""
        with _LOCK:
            if self.known is None:
                import numba

                report()
                around = self.function.__globals__
                for name in self.function.__code__.co_names:
                    if isinstance(kernel := around.get(name), _Kernel):
                        around[name] = kernel.compiled()
                how = {"cache": True, "error_model": "numpy", **self.options}
                self.known = numba.njit(**how)(self.function)
            return self.known


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Decorate a kernel; Numba is imported when it is called."""
    return lambda function: _Kernel(function, options)


@cache
def report() -> None:
    """Report on standard error, once a process, that kernels compile."""
    from numba.core import event

    class Said(event.Listener):  # type: ignore[misc]
        """Kernels that others call begin within these."""

        spent, begun = 0.0, list[float]()

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

    event.register("numba:compile", Said())
