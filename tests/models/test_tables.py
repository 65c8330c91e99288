"""Tables of evidence grow cell by cell, and a run that was stopped goes on."""

from concurrent.futures import ThreadPoolExecutor

import pytest

CELLS = [("a", 1), ("a", 2), ("b", 1)]


@pytest.fixture
def tables(script):
    return script("tables")


def worker(seen, stop_at=None):
    def work(name, size):
        if (name, size) == stop_at:
            raise KeyboardInterrupt
        seen.append((name, size))
        key = {"name": name, "size": size}
        # The second cell has no row in the other table.
        other = [key | {"part": k} for k in range(2)] if size == 1 else []
        return {"main": [key | {"value": 0.1 * size}], "other": other}

    return work


def make(tables, folder, work, asked=CELLS):
    with ThreadPoolExecutor(1) as executor:
        tables.complete(folder, "main", ("name", "size"), asked, work, executor)


def test_a_run_that_was_stopped_goes_on(tables, tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    whole.mkdir(), parts.mkdir()
    make(tables, whole, worker([]))
    with pytest.raises(KeyboardInterrupt):
        make(tables, parts, worker([], stop_at=("a", 2)))
    seen = []
    make(tables, parts, worker(seen))
    assert seen == CELLS[1:]
    for name in ("main.csv", "other.csv"):
        assert (parts / name).read_text() == (whole / name).read_text()
    assert [row["name"] for row in tables.read(whole / "other.csv")] == ["a", "a", "b", "b"]
    make(tables, parts, worker(seen))
    assert seen == CELLS[1:]


def test_a_cell_without_its_main_row_is_made_again_whole(tables, tmp_path):
    """The other tables' rows of it are replaced, whatever the order in which cells are made."""
    make(tables, tmp_path, worker([]))
    before = {path: path.read_text() for path in tmp_path.glob("*.csv")}
    rows = tables.read(tmp_path / "main.csv")
    tables.write(tmp_path / "main.csv", rows[1:])
    make(tables, tmp_path, worker([]))
    assert before == {path: path.read_text() for path in tmp_path.glob("*.csv")}


def test_mean_and_error(tables):
    assert tables.mean([True, False, True, True]) == 0.75
    assert tables.error([0.0, 1.0, 0.0, 1.0]) == 0.25
