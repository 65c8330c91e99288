"""How many work at a time: affinity, the environment, and a container's quota."""

import os

import pytest

from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics import workers as _workers


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """Eight CPUs, of which this process may use six, in no container."""
    monkeypatch.delenv("PYTHON_CPU_COUNT", raising=False)
    monkeypatch.delattr(os, "process_cpu_count", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(6)), raising=False)
    monkeypatch.setattr(_workers, "_QUOTA", tmp_path / "cpu.max")
    return tmp_path / "cpu.max"


@pytest.mark.parametrize(
    ("quota", "count"),
    [("max 100000\n", 6), ("200000 100000\n", 2), ("50000 100000\n", 1), ("150000 100000\n", 2)],
)
def test_a_container_s_quota(machine, quota, count):
    assert _workers.available() == 6
    machine.write_text(quota)
    assert _workers.available() == count


def test_the_environment_and_other_systems(machine, monkeypatch):
    monkeypatch.setenv("PYTHON_CPU_COUNT", "3")
    assert _workers.available() == 3
    monkeypatch.setenv("PYTHON_CPU_COUNT", "default")
    assert _workers.available() == 6
    monkeypatch.delattr(os, "sched_getaffinity")
    assert _workers.available() == 8
    monkeypatch.setattr(os, "process_cpu_count", lambda: 5, raising=False)
    assert _workers.available() == 5


def test_linear_algebra_has_one_thread_for_a_while():
    blas = _workers._controller().select(user_api="blas")
    with blas.limit(limits=2):
        with _workers.one_thread(), _workers.one_thread():  # as fits in threads do
            assert {each["num_threads"] for each in blas.info()} == {1}
        assert {each["num_threads"] for each in blas.info()} == {2}


def test_given(machine):
    assert _workers.workers_of(None) == 6
    assert _workers.workers_of(9) == 9
    for wrong in (0, -1, 1.5, True, "2"):
        with pytest.raises(LeaderbayesError, match="from 1 up"):
            _workers.workers_of(wrong)
