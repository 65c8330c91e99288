"""study.fit: one store, whole or not at all, the same on every executor."""

import json
import random
import signal
import subprocess
import sys
import time
import warnings
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from studies import OPTIONS, files_of, many
from votes import draw


@pytest.fixture(scope="module")
def study(boards, tmp_path_factory):
    return lb.study.fit(boards, store=tmp_path_factory.mktemp("one") / "study", **OPTIONS)


def test_each_tournament_is_a_fit(boards, study):
    assert [t.attrs["tournament"] for t in study.children.values()] == list(
        boards["tournament"].to_numpy()
    )
    assert list(study.children)[:2] == ["a", "b c"]
    assert len(lb.leaderboard(study["a"])) == 4
    assert len(lb.leaderboard(study["b c"])) == 3
    assert 0.0 <= float(lb.check(study["a"])["p_round"]) <= 1.0
    alone = lb.fit(
        boards.sel(tournament="a", drop=True), sampler="laplace", draws=20, replicates=10,
        seed=study["a"].attrs["seed"],
    )  # fmt: skip
    xr.testing.assert_allclose(study["a/posterior"].to_dataset(), alone["posterior"].to_dataset())


def test_a_study_is_no_fit(boards, study):
    for take in (lb.leaderboard, lb.plan, lambda dt: lb.new_player(dt, boards[0, 0])):
        with pytest.raises(lb.LeaderbayesError, match=r"pick one, as study\['iris'\]"):
            take(study)


@pytest.mark.parametrize("make", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_the_same_on_executors(boards, tmp_path, make):
    with make(2) as executor:
        lb.study.fit(boards, store=tmp_path / "two", executor=executor, **OPTIONS)
    lb.study.fit(boards, store=tmp_path / "one", **OPTIONS)
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_same_on_dask(boards, tmp_path):
    """A local cluster of two processes, given as a client and by name."""
    distributed = pytest.importorskip("distributed")
    lb.study.fit(boards, store=tmp_path / "one", **OPTIONS)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster, distributed.Client(cluster) as client:  # fmt: skip
        for name, executor in (("two", client), ("three", "dask")):
            lb.study.fit(boards, store=tmp_path / name, executor=executor, **OPTIONS)
            assert files_of(tmp_path / "one") == files_of(tmp_path / name)


KILLED = """
import sys
sys.path.insert(0, {tests!r})
from studies import OPTIONS, many
import leaderbayes as lb

print("ready", flush=True)
lb.study.fit(many([str(t) for t in range(30)]), store=sys.argv[1], **OPTIONS)
"""


def run_killed(store, kills, rng):
    """Start fitting, kill it after a while, and start again; give the times it was killed."""
    code = KILLED.format(tests=str(Path(__file__).parents[1]))
    killed = 0
    while killed < kills:
        process = subprocess.Popen(
            [sys.executable, "-c", code, str(store)], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        assert process.stdout.readline() == b"ready\n"
        time.sleep(rng.uniform(0.0, 0.4))
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            killed += 1
        done = process.wait() == 0
        process.stdout.close()
        if store.exists():
            # Whatever is there is whole.
            for child in lb.study.open(store).children.values():
                lb.leaderboard(child)
        if done:
            return killed
    return killed


def check_killed(tmp_path, kills, seed):
    killed = run_killed(tmp_path / "killed", kills, random.Random(seed))
    boards = many([str(t) for t in range(30)])
    lb.study.fit(boards, store=tmp_path / "killed", **OPTIONS)
    lb.study.fit(boards, store=tmp_path / "whole", **OPTIONS)
    assert files_of(tmp_path / "killed") == files_of(tmp_path / "whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["killed", "whole"]
    return killed


@pytest.mark.slow
def test_survives_being_killed_twenty_times(tmp_path):
    total = 0
    for seed in range(20):
        (tmp_path / str(seed)).mkdir()
        total += check_killed(tmp_path / str(seed), 20 - total, seed)
        if total >= 20:
            return
    raise AssertionError(f"killed {total} times only")


def test_continues_and_grows(boards, tmp_path):
    first = lb.study.fit(boards[:2], store=tmp_path / "study", **OPTIONS)
    before = files_of(tmp_path / "study" / "a")
    both = lb.study.fit(boards, store=tmp_path / "study", **(OPTIONS | {"seed": None}))
    assert list(both.children)[:2] == list(first.children)
    assert len(both.children) == 6
    assert files_of(tmp_path / "study" / "a") == before
    fewer = lb.study.fit(boards[2:3], store=tmp_path / "study", **OPTIONS)
    assert len(fewer.children) == 6


def test_other_arguments_are_refused(boards, tmp_path):
    lb.study.fit(boards[:2], store=tmp_path / "study", **OPTIONS)
    before = files_of(tmp_path / "study")
    for changed, message in (
        ({"draws": 30}, "made with arguments"),
        ({"seed": 2}, "made with seed 1, not 2"),
    ):
        with pytest.raises(lb.LeaderbayesError, match=message):
            lb.study.fit(boards, store=tmp_path / "study", **(OPTIONS | changed))
    with pytest.raises(lb.LeaderbayesError, match="'a' was fitted to other scores"):
        lb.study.fit(-boards, store=tmp_path / "study", **OPTIONS)
    assert files_of(tmp_path / "study") == before


def test_a_failing_tournament_is_reported(boards, tmp_path):
    broken = boards.copy()
    broken[0, 1:] = np.nan  # one player is left
    with pytest.warns(lb.LeaderbayesWarning, match="LB030 tournament 'a'"):
        study = lb.study.fit(broken, store=tmp_path / "study", **OPTIONS)
    assert "a" not in study.children
    assert len(study.children) == 5
    assert list(json.loads(study.attrs["failed"])) == ["a"]
    again = lb.study.open(tmp_path / "study")
    assert list(again.children) == list(study.children)


def test_all_fail(boards, tmp_path):
    with (
        pytest.warns(lb.LeaderbayesWarning, match="LB030"),
        pytest.raises(lb.LeaderbayesError, match="No tournament could be fitted"),
    ):
        lb.study.fit(boards, store=tmp_path / "study", **(OPTIONS | {"ties": "floor"}))
    # The store is not lost to the mistake.
    study = lb.study.fit(boards, store=tmp_path / "study", **OPTIONS)
    assert len(study.children) == 6


def test_arguments_of_numpy(boards, tmp_path):
    changed = OPTIONS | {"draws": np.int64(20), "weight": np.float32(0.5), "seed": np.int64(1)}
    lb.study.fit(boards[:2], store=tmp_path / "study", **changed)
    again = OPTIONS | {"weight": 0.5}
    assert len(lb.study.fit(boards[:2], store=tmp_path / "study", **again).children) == 2


class Gone(Exception):
    """As Dask's KilledWorker, by its module."""

    __module__ = "distributed.scheduler"


@pytest.mark.parametrize("kind", [Gone, BrokenExecutor])
def test_a_worker_that_dies(boards, tmp_path, monkeypatch, kind):
    """The current Dask client loses it; nothing is tried on another cluster."""

    class Executor:
        def submit(self, *_):
            job = Future()
            job.set_exception(kind("killed"))
            return job

    client = SimpleNamespace(get_executor=Executor)
    fake = SimpleNamespace(get_client=lambda: client, Client=None)
    monkeypatch.setitem(sys.modules, "distributed", fake)
    with pytest.raises(lb.LeaderbayesError, match="A worker has died"):
        lb.study.fit(boards, store=tmp_path / "study", executor="dask", **OPTIONS)
    assert [path.name for path in tmp_path.iterdir()] == ["study"]


def test_warnings_are_said_once(tmp_path):
    boards = many(["a", "b", "c"])[..., :2]  # two rounds are too few for a weight
    warnings.simplefilter("ignore", lb.DisconnectedWarning)
    with pytest.warns(lb.WeightWarning) as caught:
        lb.study.fit(
            boards, store=tmp_path / "study", **OPTIONS | {"sampler": "auto", "draws": 500}
        )
    ours = [str(w.message) for w in caught if issubclass(w.category, lb.WeightWarning)]
    assert ours == ["LB011 in 3 of 3 tournaments, a, b, c: see the attribute 'warnings' of each."]


def test_hints_are_said_once(tmp_path):
    boards = lb.datasets.load("classifiers").sel(tournament=["iris", "wine", "diabetes"])
    with pytest.warns(lb.HintWarning) as caught:
        lb.study.fit(boards, store=tmp_path / "study", **OPTIONS)
    folds, ties = [str(w.message) for w in caught if issubclass(w.category, lb.HintWarning)]
    assert folds.startswith("LB017 in 3 of 3 tournaments, iris, wine, diabetes: rounds look like")
    assert "test_fraction=0.2" in folds
    assert ties == "LB018 in 2 of 3 tournaments, iris, wine: see the attribute 'warnings' of each."


def test_bad_arguments(boards, tmp_path):
    with pytest.raises(lb.LeaderbayesError, match="for one board"):
        lb.study.fit(boards[0], store=tmp_path / "study")
    with pytest.raises(lb.LeaderbayesError, match="model='tournaments'"):
        lb.study.fit(boards, "tournaments", store=tmp_path / "study")
    with pytest.raises(lb.LeaderbayesError, match="executor"):
        lb.study.fit(boards, store=tmp_path / "study", executor=3)
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    for name in ("file", "folder"):
        with pytest.raises(lb.LeaderbayesError, match="no study"):
            lb.study.fit(boards, store=tmp_path / name, **OPTIONS)
        with pytest.raises(lb.LeaderbayesError, match="no study"):
            lb.study.open(tmp_path / name)
    with pytest.raises(lb.LeaderbayesError, match="there is no study"):
        lb.study.open(tmp_path / "nowhere")
    assert (tmp_path / "file").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


@pytest.fixture(scope="module")
def languages():
    """Votes in three languages; in one of them a player has none."""
    rng = np.random.default_rng(3)
    votes = draw(np.array([1.0, 0.3, -0.3, -1.0]), 600, rng, judges=40)
    names = rng.choice(np.array(["en", "fr", "zu"], dtype=object), 600)
    votes = votes.assign_coords(
        tournament=("vote", names),
        time=("vote", np.datetime64("2026-01-01", "ns") + np.arange(600)),
        player=votes["player"].astype(object),
    )
    absent = (names == "zu") & ((votes["first"] == 3) | (votes["second"] == 3)).to_numpy()
    return votes.isel(vote=~absent)


def test_votes(languages, tmp_path):
    options = {"seed": 1, "replicates": 50, "progressbar": False, "order_effect": True}
    study = lb.study.fit(languages, store=tmp_path / "study", **options)
    assert set(study.children) == {"en", "fr", "zu"}
    assert list(study["zu/posterior"]["player"].to_numpy()) == ["m0", "m1", "m2"]
    own = languages.isel(vote=languages["tournament"].to_numpy() == "fr").drop_vars("tournament")
    alone = lb.fit(
        own, seed=study["fr"].attrs["seed"], replicates=50, order_effect=True, progressbar=False
    )
    xr.testing.assert_allclose(study["fr/posterior"].to_dataset(), alone["posterior"].to_dataset())
    compared = lb.study.compare(study)
    assert compared["votes"].sum() == languages.sizes["vote"]
    assert "rounds" not in compared
    assert set(compared["leader"]) == {"m0"}
    assert lb.study.unusual(study)["agreement"].min() > 0.5
    lb.plots.leaderboard(study, backend="none")
    again = lb.study.fit(languages, store=tmp_path / "study", **options)  # nothing to do
    assert again["en"].attrs["scores"] == study["en"].attrs["scores"]
    other = languages.assign(outcome=1.0 - languages["outcome"])
    with pytest.raises(lb.LeaderbayesError, match="was fitted to other scores"):
        lb.study.fit(other, store=tmp_path / "study", **options)


def test_votes_of_which_one_cannot_be_fitted(languages, tmp_path):
    alone = languages.isel(vote=[0]).assign_coords(tournament=("vote", ["xx"]))
    alone = alone.assign(outcome=("vote", [np.nan]))  # both are bad, and nobody won
    votes = xr.concat([languages, alone], "vote", data_vars="minimal")
    with pytest.warns(lb.LeaderbayesWarning, match="LB030 tournament 'xx' could not be fitted"):
        study = lb.study.fit(votes, store=tmp_path / "study", seed=1, replicates=4)
    assert set(study.children) == {"en", "fr", "zu"}


def test_votes_by_executors_with_covariates(languages, tmp_path):
    rng = np.random.default_rng(1)
    length = rng.normal(size=(languages.sizes["vote"], 1))
    votes = languages.assign(covariates=(("vote", "covariate"), length))
    votes = votes.assign_coords(covariate=["length"])
    options = {"seed": 1, "replicates": 4, "covariates": ["length"], "progressbar": False}
    here = lb.study.fit(votes, store=tmp_path / "here", **options)
    with ThreadPoolExecutor(2) as workers:
        there = lb.study.fit(votes, store=tmp_path / "there", executor=workers, **options)
    for name in ("en", "fr", "zu"):
        assert here[f"{name}/posterior"]["effect"].to_numpy().tolist() == ["length"]
        xr.testing.assert_identical(
            here[f"{name}/posterior"].to_dataset(), there[f"{name}/posterior"].to_dataset()
        )


def test_votes_of_one_tournament(languages, tmp_path):
    with pytest.raises(lb.LeaderbayesError, match="name the column that tells them apart"):
        lb.study.fit(languages.drop_vars("tournament"), store=tmp_path / "study")


def test_mean_scores_in_units_of_their_own(mistakes, study_of_scores):
    """Each is the fit of its own scores, with what clusters and directions make of them."""
    assert study_of_scores.attrs["model"] == "mean_score"
    for name, fit in zip(
        mistakes["tournament"].to_numpy(), study_of_scores.children.values(), strict=True
    ):
        board = mistakes.sel(tournament=name, drop=True).dropna("player")
        alone = lb.fit(board, "mean_score", draws=500, replicates=8, seed=fit.attrs["seed"])
        xr.testing.assert_equal(fit["posterior"]["score"], alone["posterior"]["score"])
        assert json.loads(fit.attrs["arguments"])["likelihood"] == "dirichlet"
        assert lb.plan(fit, seed=1).equals(lb.plan(alone, seed=1))
    assert lb.leaderboard(study_of_scores["reading"])["player"][0] == "p0"


def test_other_clusters_are_other_scores(mistakes, study_of_scores, tmp_path):
    asked = {"draws": 500, "replicates": 8, "seed": 1, "progressbar": False}
    few = mistakes.isel(tournament=slice(0, 1))
    lb.study.fit(few, "mean_score", store=tmp_path / "study", **asked)
    again = lb.study.fit(few, "mean_score", store=tmp_path / "study", **asked)
    xr.testing.assert_identical(
        again["reading"]["posterior"].to_dataset(),
        study_of_scores["reading"]["posterior"].to_dataset(),
    )
    for other in (few.drop_vars("cluster"), few.assign_attrs(higher_is_better=1)):
        with pytest.raises(lb.LeaderbayesError, match="was fitted to other scores"):
            lb.study.fit(other, "mean_score", store=tmp_path / "study", **asked)


def test_hints_of_mean_scores_are_hints(tmp_path):
    """Few items of each tournament: LB028, once for both."""
    rng = np.random.default_rng(2)
    items = xr.DataArray(
        rng.integers(2, size=(2, 3, 12)),
        dims=("tournament", "player", "round"),
        coords={"tournament": ["a", "b"], "player": list("xyz"), "round": np.arange(12)},
    )
    with pytest.warns(lb.HintWarning, match="LB028 in 2 of 2 tournaments, a, b"):
        lb.study.fit(
            items, "mean_score", store=tmp_path / "study", draws=500, replicates=8, seed=1,
            progressbar=False,
        )  # fmt: skip
