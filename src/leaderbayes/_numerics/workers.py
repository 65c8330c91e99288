"""Number of threads or processes."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController

from leaderbayes._arguments import whole

_controller = cache(ThreadpoolController)  # finding the libraries takes a while
_lock, _running = Lock(), list[Any]()
_QUOTA = Path("/sys/fs/cgroup/cpu.max")  # of the container, where there is one


def available() -> int:
    """Return the CPUs that this process may use, by affinity, PYTHON_CPU_COUNT and container."""
    return max(min(_visible(), _quota()), 1)


def workers_of(workers: int | None) -> int:
    """Return the number of workers, a whole number from 1 up; None is `available`."""
    return available() if workers is None else whole("workers", workers)


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep linear algebra to one thread: several took up to ten times the CPU, and ended later."""
    with _lock:  # fits in threads: the first limits, and the last one restores
        _running.append(_running[0] if _running else _controller().limit(limits=1, user_api="blas"))
    try:
        yield
    finally:
        with _lock:
            limit = _running.pop()
            if not _running:
                limit.restore_original_limits()


def _visible() -> int:
    """Count CPUs as `os.process_cpu_count` does, which Python 3.12 does not have."""
    if hasattr(os, "process_cpu_count"):
        return os.process_cpu_count() or 1
    given = os.environ.get("PYTHON_CPU_COUNT", "")
    if given.isdecimal() and int(given) > 0:
        return int(given)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _quota() -> int:
    """Return the CPU quota of the container, rounded up."""
    try:
        quota, period = _QUOTA.read_text().split()
        return -(-int(quota) // int(period))
    except (OSError, ValueError):  # no container, or no limit
        return os.cpu_count() or 1
