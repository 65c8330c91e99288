"""Files that are fetched: once, checked, from the user's folder or a server."""

import numpy as np
import pytest

import leaderbayes as lb
from leaderbayes._files import download as _download
from served import TABLES, VTAB


def test_fetched_once_and_then_from_the_cache(server, tmp_path):
    server.offer("vtab.csv", VTAB)
    first = lb.datasets.load("vtab")
    assert server.asked == ["/vtab.csv"]
    server.stop()
    second = lb.datasets.load("vtab")
    assert second.identical(first)
    assert server.asked == ["/vtab.csv"]
    assert first.attrs["source"] == str(tmp_path / "cache" / "vtab.csv")
    assert first.dims == ("player", "round")
    np.testing.assert_array_equal(first, [[60.5, 40.5], [100.0, 20.0]])


def test_another_file_is_refused_and_not_kept(server, tmp_path):
    server.offer("vtab.csv", VTAB)
    (server.folder / "vtab.csv").write_text("something else")
    with pytest.raises(lb.LeaderbayesError, match=r"/vtab.csv has changed"):
        lb.datasets.load("vtab")
    assert [p for p in (tmp_path / "cache").rglob("*") if p.is_file()] == []
    (server.folder / "vtab.csv").write_bytes(VTAB.encode())
    assert lb.datasets.load("vtab").sizes["player"] == 2


def test_a_file_broken_in_the_cache_is_fetched_again(server, tmp_path):
    server.offer("vtab.csv", VTAB)
    lb.datasets.load("vtab")
    (tmp_path / "cache" / "vtab.csv").write_text("cut")
    assert lb.datasets.load("vtab").sizes["player"] == 2
    assert server.asked == ["/vtab.csv"] * 2


def test_without_a_network(server, tmp_path):
    server.offer("vtab.csv", VTAB)
    server.stop()
    with pytest.raises(lb.LeaderbayesError) as caught:
        lb.datasets.load("vtab")
    message = str(caught.value)
    path = tmp_path / "cache" / "vtab.csv"
    for part in (f":{server.http.server_port}/vtab.csv", str(path), "put the file there",
                 "LEADERBAYES_CACHE"):  # fmt: skip
        assert part in message
    assert not path.exists()
    path.write_bytes(VTAB.encode())
    assert lb.datasets.load("vtab").sizes["player"] == 2


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A folder of the user's."""
    folder = tmp_path / "own"
    folder.mkdir()
    monkeypatch.setenv(_download.DATA, str(folder))
    return folder


@pytest.mark.parametrize("name", ["vtab.csv", "deep/down/some other name.csv"])
def test_the_folder_of_the_user_comes_first(server, own, tmp_path, name):
    server.offer("vtab.csv", VTAB)
    (own / name).parent.mkdir(parents=True, exist_ok=True)
    (own / name).write_bytes(VTAB.encode())
    (own / "another.csv").write_text("another")
    scores = lb.datasets.load("vtab")
    assert scores.attrs["source"] == str(own / name)
    assert server.asked == []
    assert not (tmp_path / "cache").exists()


def test_another_file_of_that_name_is_refused(server, own):
    server.offer("vtab.csv", VTAB)
    (own / "vtab.csv").write_text("another")
    with pytest.raises(lb.LeaderbayesError, match=r"own/vtab.csv is not the expected file"):
        lb.datasets.load("vtab")
    assert server.asked == []


def test_the_folder_must_be_one(server, own, monkeypatch):
    server.offer("vtab.csv", VTAB)
    monkeypatch.setenv(_download.DATA, str(own / "nowhere"))
    with pytest.raises(lb.LeaderbayesError, match=r"LEADERBAYES_DATA=.*nowhere is not a folder"):
        lb.datasets.load("vtab")


def test_the_registry_names_one_commit_of_each_file():
    lines = [line.split(" ") for line in _download.REGISTRY.read_text().splitlines()]
    names = [name for name, *_ in lines]
    assert len(set(names)) == len(names)
    assert [name for name in names if name.startswith("tables/")] == [f"tables/{n}" for n in TABLES]
    assert len(_download.names()) == len(names) - len(TABLES) == 70
    for name, known, *rest in lines:
        assert len(known.removeprefix("sha256:")) == 64
        assert len(rest) == (not name.startswith("tables/"))
    for name, _, url in (line for line in lines if len(line) == 3):
        parts = url.removeprefix("https://raw.githubusercontent.com/").split("/")
        assert len(parts[2]) == 40, name
        int(parts[2], 16)
