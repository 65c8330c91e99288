"""Compiled code has a place where neither package nor home can be written to."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from leaderbayes._numerics import kernels

PLACE = "NUMBA_CACHE_DIR"


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """Neither place can be written to; temporary files can."""
    monkeypatch.delenv(PLACE, raising=False)
    monkeypatch.setenv("PYTENSOR_FLAGS", "floatX=float64")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(kernels, "_writable", lambda place: False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    yield tmp_path
    os.environ.pop(PLACE, None)


def test_a_place_that_lasts_and_is_the_users_own(nowhere):
    kernels.keep()
    place = Path(os.environ[PLACE])
    assert place.parent == nowhere
    assert place.stat().st_mode & 0o077 == 0
    assert os.environ["PYTENSOR_FLAGS"] == f"floatX=float64,base_compiledir={place}"
    del os.environ[PLACE]
    kernels.keep()
    assert os.environ[PLACE] == str(place)


def test_a_folder_that_others_could_write_to_is_not_taken(nowhere):
    """They could put code there that would be run."""
    kernels.keep()
    shared = Path(os.environ.pop(PLACE))
    shared.chmod(0o777)
    kernels.keep()
    other = Path(os.environ.pop(PLACE))
    assert other != shared
    assert other.stat().st_mode & 0o077 == 0
    shared.rmdir()
    shared.symlink_to(other)
    kernels.keep()
    assert os.environ[PLACE] not in (str(shared), str(other))


def test_numba_that_is_imported_already_hears_of_it(nowhere, monkeypatch):
    import types

    numba = types.SimpleNamespace(config=types.SimpleNamespace(CACHE_DIR=""))
    monkeypatch.setitem(sys.modules, "numba", numba)
    kernels.keep()
    assert os.environ[PLACE] == numba.config.CACHE_DIR


def test_places_that_do_are_left(monkeypatch, nowhere):
    monkeypatch.setenv(PLACE, "mine")
    monkeypatch.setenv("PYTENSOR_FLAGS", "base_compiledir=mine")
    kernels.keep()
    assert os.environ[PLACE] == "mine"
    assert os.environ["PYTENSOR_FLAGS"] == "base_compiledir=mine"
    monkeypatch.delenv(PLACE)
    monkeypatch.setattr(kernels, "_writable", lambda place: "__pycache__" in str(place))
    kernels.keep()
    assert PLACE not in os.environ


def test_what_can_be_written_to(tmp_path):
    assert kernels._writable(tmp_path / "not" / "yet")
    assert not kernels._writable("~")
    assert not kernels._writable("/proc/1")


def test_numba_compiles_there(tmp_path):
    """In a process of its own, whose package and home are read only."""
    code = (
        "import os, tempfile; from pathlib import Path; from leaderbayes._numerics import kernels\n"
        "kernels._writable = lambda place: False\n"
        "kernels.keep()\n"
        "from leaderbayes._numerics.independence import independence_chains as walk\n"
        "import numpy as np; walk(np.zeros(8), 2, np.random.default_rng(1))\n"
        "assert list(Path(os.environ['NUMBA_CACHE_DIR']).rglob('*.nbi'))\n"
    )
    env = {k: v for k, v in os.environ.items() if k != PLACE} | {"TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], check=True, env=env)
