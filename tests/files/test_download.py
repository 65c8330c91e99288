"""Public boards, fetched from a server of our own: these tests need no network."""

import hashlib
import logging
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

import leaderbayes as lb
from conftest import REFERENCE
from leaderbayes._files import download as _download

VTAB = "\ufeffModel;Mean;Pets;DMLab\nA;50.5;60.5;40.5\nB;60;100;20\n"
BBTCOMP = '"db","svm","rf"\n"iris",0.9,NA\n"iris",0.8,0.7\n"wine",1,0.9\n"wine",1,1\n'
AMLB = (
    "acc,auc,fold,framework,id,info,logloss,result,task,type,score\n"
    "0.9,,0,tpot,t/1,,0.4,0.4,iris,multiclass,-0.4\n"
    "0.8,,0,autoweka,t/1,,0.5,0.5,iris,multiclass,-0.5\n"
    ",,1,tpot,t/1,Error: None,,,iris,multiclass,\n"
)
TSML = {"A": "folds:,0,1\nACSF1,0.5,0.6\nAdiac,0.7,0.8\n", "B": "Resamples:,0,1\nACSF1,0.4,0.3\n"}
PMRA = (
    '"Model","split_num","iter_num","AUC_score"\n'
    '"AB0",0,0,0.1\n"RF0",0,0,0.2\n"AB0",0,1,0.6\n"RF0",0,1,0.5\n"AB0",0,2,0.1\n"RF0",0,2,0.2\n'
)
TABLES = ("vtab.csv", "bbtcomp.csv", "amlb_2019_4h.csv", "tsml_univariate.csv.gz", "pmra.csv")
KAGGLE = "rank,score\n1,0.9132\n2,0.9043\n"


class Server:
    """Files in a folder, and how often each was asked for."""

    def __init__(self, folder):
        self.folder, self.asked = folder, []
        folder.mkdir()
        outer = self

        class Handler(SimpleHTTPRequestHandler):
            def do_GET(self):
                outer.asked.append(self.path)
                super().do_GET()

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self):
        self.http.shutdown()
        self.http.server_close()


@pytest.fixture
def server(tmp_path, monkeypatch):
    """Serve texts under the registered names, with their own hashes."""
    logging.getLogger("pooch").setLevel(logging.ERROR)
    made = Server(tmp_path / "served")
    registry = tmp_path / "registry.txt"
    monkeypatch.setattr(_download, "REGISTRY", registry)
    monkeypatch.setenv(_download.CACHE, str(tmp_path / "cache"))
    monkeypatch.delenv(_download.DATA, raising=False)
    # Tables of no server; their hashes are of nothing until a test says otherwise.
    registry.write_text("".join(f"tables/{name} sha256:{'0' * 64}\n" for name in TABLES))

    def offer(name, text):
        path = made.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        known = hashlib.sha256(path.read_bytes()).hexdigest()
        url = f"http://127.0.0.1:{made.http.server_port}/{name}"
        with registry.open("a") as file:
            file.write(f"{name} sha256:{known} {url}\n")

    made.offer = offer
    yield made
    made.stop()


def test_fetched_once_and_then_from_the_cache(server, tmp_path):
    server.offer("vtab.csv", VTAB)
    first = lb.datasets.fetch("vtab")
    assert server.asked == ["/vtab.csv"]
    server.stop()
    second = lb.datasets.fetch("vtab")
    assert second.identical(first)
    assert server.asked == ["/vtab.csv"]
    assert first.attrs["source"] == str(tmp_path / "cache" / "vtab.csv")
    assert first.dims == ("player", "round")
    np.testing.assert_array_equal(first, [[60.5, 40.5], [100.0, 20.0]])


def test_another_file_is_refused_and_not_kept(server, tmp_path):
    server.offer("vtab.csv", VTAB)
    (server.folder / "vtab.csv").write_text("something else")
    with pytest.raises(lb.LeaderbayesError, match=r"/vtab.csv is not the file that it was"):
        lb.datasets.fetch("vtab")
    assert [p for p in (tmp_path / "cache").rglob("*") if p.is_file()] == []
    (server.folder / "vtab.csv").write_bytes(VTAB.encode())
    assert lb.datasets.fetch("vtab").sizes["player"] == 2


def test_a_file_broken_in_the_cache_is_fetched_again(server, tmp_path):
    server.offer("vtab.csv", VTAB)
    lb.datasets.fetch("vtab")
    (tmp_path / "cache" / "vtab.csv").write_text("cut")
    assert lb.datasets.fetch("vtab").sizes["player"] == 2
    assert server.asked == ["/vtab.csv"] * 2


def test_without_a_network(server, tmp_path):
    server.offer("vtab.csv", VTAB)
    server.stop()
    with pytest.raises(lb.LeaderbayesError) as caught:
        lb.datasets.fetch("vtab")
    message = str(caught.value)
    path = tmp_path / "cache" / "vtab.csv"
    for part in (f":{server.http.server_port}/vtab.csv", str(path), "put the file there by hand",
                 "LEADERBAYES_CACHE"):  # fmt: skip
        assert part in message
    assert not path.exists()
    path.write_bytes(VTAB.encode())
    assert lb.datasets.fetch("vtab").sizes["player"] == 2


def test_a_file_that_is_gone_or_a_cache_that_cannot_be(server, tmp_path, monkeypatch):
    server.offer("vtab.csv", VTAB)
    (server.folder / "vtab.csv").unlink()
    with pytest.raises(lb.LeaderbayesError, match=r"could not be downloaded.*404"):
        lb.datasets.fetch("vtab")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(_download.CACHE, str(tmp_path / "file" / "cache"))
    with pytest.raises(lb.LeaderbayesError, match="could not be downloaded to"):
        lb.datasets.fetch("vtab")


def test_bbtcomp(server):
    server.offer("bbtcomp.csv", BBTCOMP)
    scores = lb.datasets.fetch("bbtcomp")
    assert scores.dims == ("tournament", "player", "round")
    np.testing.assert_array_equal(scores.sel(tournament="iris"), [[0.9, 0.8], [np.nan, 0.7]])


def test_amlb(server):
    server.offer("amlb_2019_1h.csv", AMLB)
    scores = lb.datasets.fetch("amlb_1h")
    np.testing.assert_array_equal(scores.sel(tournament="iris", round="0"), [-0.4, -0.5])
    assert scores.attrs["higher_is_better"] == 1
    with pytest.raises(lb.LeaderbayesError, match="No public board 'amlb_2h'; there are vtab, "):
        lb.datasets.fetch("amlb_2h")


def test_tsml(server):
    for name, text in TSML.items():
        server.offer(f"tsml/multivariate/{name}.csv", text)
    scores = lb.datasets.fetch("tsml_multivariate")
    assert dict(scores.sizes) == {"tournament": 2, "player": 2, "round": 2}
    np.testing.assert_array_equal(scores.sel(tournament="ACSF1"), [[0.5, 0.6], [0.4, 0.3]])
    assert scores.sel(tournament="Adiac", player="B").isnull().all()
    with pytest.raises(lb.LeaderbayesError, match="No public board 'tsml_both'"):
        lb.datasets.fetch("tsml_both")


def test_pmra_is_the_second_run(server):
    server.offer("pmra.csv", PMRA)
    scores = lb.datasets.fetch("pmra")
    assert scores.to_pandas()["0"].to_dict() == {"AB0": 0.6, "RF0": 0.5}


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
    scores = lb.datasets.fetch("vtab")
    assert scores.attrs["source"] == str(own / name)
    assert server.asked == []
    assert not (tmp_path / "cache").exists()


def test_what_the_folder_lacks_is_downloaded(server, own):
    server.offer("vtab.csv", VTAB)
    assert lb.datasets.fetch("vtab").sizes["player"] == 2
    assert server.asked == ["/vtab.csv"]


def test_another_file_of_that_name_is_refused(server, own):
    server.offer("vtab.csv", VTAB)
    (own / "vtab.csv").write_text("another")
    with pytest.raises(lb.LeaderbayesError, match=r"own/vtab.csv is not the file that is meant"):
        lb.datasets.fetch("vtab")
    assert server.asked == []


def test_the_folder_must_be_one(server, own, monkeypatch):
    server.offer("vtab.csv", VTAB)
    monkeypatch.setenv(_download.DATA, str(own / "nowhere"))
    with pytest.raises(lb.LeaderbayesError, match=r"LEADERBAYES_DATA=.*nowhere: this is no folder"):
        lb.datasets.fetch("vtab")


def test_tables_in_place_of_the_files(reference, monkeypatch):
    """The registered tables are the reference data's; sizes are those of the docstrings."""
    reference("vtab/scores.csv")
    monkeypatch.setenv(_download.DATA, str(REFERENCE))
    fetch = lb.datasets.fetch
    sizes = {
        "vtab": (16, 19), "pmra": (49, 10), "bbtcomp": (132, 16, 4), "amlb_4h": (39, 7, 10),
        "tsml_univariate": (142, 40, 30),
    }  # fmt: skip
    for name, shape in sizes.items():
        scores = fetch(name)
        assert scores.shape == shape
        assert scores.attrs["source"].startswith(str(REFERENCE))
    # Its log loss is an AUC in the original: turned, as all others of the task.
    task = "jungle_chess_2pcs_raw_endgame_complete"
    assert (fetch("amlb_4h").sel(tournament=task) <= 0).all()
    assert len(fetch("kaggle_obesity")) == 3587


def test_kaggle(server):
    server.offer("kaggle/playground-series-s4e2_public.csv", KAGGLE)
    board = lb.datasets.fetch("kaggle_obesity_public")
    assert board.to_dict() == {"1": 0.9132, "2": 0.9043}
    assert lb.sota.read_board(board, se=0.01).sizes["team"] == 2
    with pytest.raises(lb.LeaderbayesError, match=r"No public board 'leaves'; .*kaggle_obesity"):
        lb.datasets.fetch("leaves")


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
