"""What commands write."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import xarray as xr

from command import call, python
from conftest import uncounted
from leaderbayes._cli._output import codes, write_table


def test_out_that_cannot_be_written_leaves_nothing(folder):
    (folder / "taken" / "run.json").mkdir(parents=True)
    for out in ("new/" + 300 * "a", "taken"):
        done = call("rank", "scores.csv", "--ml", "--out", out, cwd=folder)
        assert done.returncode == 2
        assert "cannot be written" in done.stderr
    assert not (folder / "new").exists()
    assert [path.name for path in (folder / "taken").iterdir()] == ["run.json"]
    assert not list(folder.glob(".leaderbayes-*"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full disk here")
def test_output_that_cannot_be_written(tmp_path):
    """No traceback, and a status that is neither that of success nor of doubtful results."""
    code = f"{sys.executable} -m leaderbayes"
    for end, status in {"models > /dev/full": 2, "-h | true; exit ${PIPESTATUS[0]}": 141}.items():
        done = subprocess.run(
            ["bash", "-c", f"{code} {end}"], cwd=tmp_path, env=uncounted(), capture_output=True,
            text=True, check=False,
        )  # fmt: skip
        assert done.returncode == status
        full = "Error: the output cannot be written (No space left on device).\n"
        assert done.stderr == (full if status == 2 else "")


@pytest.mark.parametrize("command", ["rank", "tournaments"])
def test_out_is_tried_before_the_work(two, command):
    """No table is read, no fit made."""
    (two / "a_file").write_text("precious")
    store = ("--store", "never") if command == "tournaments" else ()
    for out in ("a_file", "a_file/in/it"):
        done = call(command, "two.csv", *store, "--out", out, "--player", "none", cwd=two)
        assert done.returncode == 2
        assert done.stderr == (
            f"Error: {out}: cannot be written (a file stands where a folder is needed); choose "
            "another path.\n"
        )
    assert (two / "a_file").read_text() == "precious"
    assert not (two / "never").exists()


def test_doubt_is_marked(tmp_path):
    """What did not converge says so in every row; a player may be called like the mark."""
    texts = ["LB001 not", "tournament 'LB010x': LB010 a", "LB001 b"]
    trusted = {"converged": False, "warnings": codes(texts)}
    names = ["converged", "b"]
    matrix = xr.DataArray(
        [[0.5, 0.4], [0.6, 0.5]], {"player": names, "opponent": names}, ("player", "opponent")
    )
    write_table(tmp_path / "matrix.csv", matrix, trusted)
    write_table(tmp_path / "table.csv", pd.DataFrame({"player": names}), trusted)
    first, *rows = (tmp_path / "matrix.csv").read_text().splitlines()
    assert first == "player,converged,b,converged,warnings"
    assert rows == ["converged,0.5,0.4,False,LB001 LB010", "b,0.6,0.5,False,LB001 LB010"]
    assert (tmp_path / "table.csv").read_text().splitlines()[1] == "converged,False,LB001 LB010"


@pytest.mark.skipif(sys.platform == "win32", reason="limits of Unix")
@pytest.mark.parametrize("command", ["rank", "tournaments"])
@pytest.mark.slow
def test_a_full_disk_is_one_line(two, command):
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (3_000, 3_000))\n"
        "from leaderbayes._cli import main; main()\n"
    )
    options = {
        "rank": ["--only", "y", "--out", "full"],
        "tournaments": ["--workers", "1", "--store", "full"],
    }[command]
    given = (command, "two.csv", "--json", *options)
    # Byte code would be cut off too, and found by the next process.
    done = python("-B", "-c", code, *given, cwd=two, env=uncounted())
    assert done.returncode == 2, (done.returncode, done.stderr)
    (said,) = [line for line in done.stderr.splitlines() if not line.startswith("Warning: ")]
    assert said.startswith("Error: full: cannot be written (File too large)")
    assert not list(two.glob("*full*"))
