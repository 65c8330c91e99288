"""study.fit and study.open: one store, whole or not at all, the same however it is made."""

import json
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import BrokenExecutor, Executor, Future
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from conftest import board, uncounted, warned
from leaderbayes.study import _store
from leaderbayes.study._store import fingerprint, key_of
from studies import OPTIONS, files_of, many
from votes import draw

NAMES = ["a", "b c", "d/e"]


@pytest.fixture(scope="session")
def boards():
    return many(NAMES)


@pytest.fixture(scope="module")
def store(boards, tmp_path_factory):
    path = tmp_path_factory.mktemp("one") / "study"
    lb.study.fit(boards, store=path, **OPTIONS)
    return path


@pytest.fixture(scope="module")
def fitted(store):
    return lb.study.open(store)


def test_each_tournament_is_a_fit(boards, fitted):
    assert [t.attrs["tournament"] for t in fitted.children.values()] == NAMES
    assert list(fitted.children)[:2] == ["a", "b c"]
    assert fitted.attrs["model"] == "bradley_terry"
    assert len(lb.leaderboard(fitted["a"])) == 4
    assert len(lb.leaderboard(fitted["b c"])) == 3
    assert 0.0 <= float(lb.check(fitted["a"])["p_value"]) <= 1.0
    alone = lb.fit(
        boards.sel(tournament="a", drop=True), draws=20, replicates=10,
        seed=fitted["a"].attrs["seed"],
    )  # fmt: skip
    for name, group in alone.children.items():
        xr.testing.assert_allclose(fitted[f"a/{name}"].to_dataset(), group.to_dataset())


def test_a_study_is_no_fit(boards, fitted):
    for take in (lb.leaderboard, lb.plan, lambda dt: lb.new_player(dt, boards[0, 0])):
        with pytest.raises(lb.LeaderbayesError, match=r"choose one fit, study\['iris'\]"):
            take(fitted)


def test_xarray_opens_it(fitted, store):
    with pytest.warns(RuntimeWarning, match="non-consolidated"):
        opened = xr.open_datatree(store, engine="zarr")
    assert set(opened.children) == set(fitted.children)


@pytest.mark.slow
def test_the_same_by_processes(boards, fitted, tmp_path):
    lb.study.fit(boards, store=tmp_path / "two", workers=2, **OPTIONS)
    for name, child in lb.study.open(tmp_path / "two").children.items():
        xr.testing.assert_identical(
            child["posterior"].to_dataset(), fitted[name]["posterior"].to_dataset()
        )
        assert child.attrs == fitted[name].attrs
    assert [path.name for path in tmp_path.iterdir()] == ["two"]


class Killed(Executor):
    """Loses what it is given."""

    def submit(self, *_):
        job = Future()
        job.set_exception(BrokenExecutor("killed"))
        return job


def test_a_worker_that_dies(boards, tmp_path):
    with pytest.raises(lb.LeaderbayesError, match="A worker died"):
        lb.study.fit(boards, store=tmp_path / "study", workers=Killed(), **OPTIONS)
    assert list(tmp_path.iterdir()) == []


KILLED = """
import sys
sys.path.insert(0, {tests!r})
from studies import OPTIONS, many
import leaderbayes as lb

print("ready", flush=True)
lb.study.fit(many([str(t) for t in range(8)]), store=sys.argv[1], **OPTIONS)
"""


@pytest.mark.slow
def test_survives_being_killed(tmp_path):
    """Whatever is there is whole, and in the end it is as if nothing had happened."""
    code = KILLED.format(tests=str(Path(__file__).parents[1]))
    store, rng, killed = tmp_path / "killed", random.Random(1), 0
    while killed < 8:
        process = subprocess.Popen(
            [sys.executable, "-c", code, str(store)], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        assert process.stdout.readline() == b"ready\n"
        time.sleep(rng.uniform(0.5, 2.0))
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            killed += 1
        done = process.wait() == 0
        process.stdout.close()
        if (store / "zarr.json").exists():
            for child in lb.study.open(store).children.values():
                lb.leaderboard(child)
        if done:
            break
    assert killed > 0
    boards = many([str(t) for t in range(8)])
    lb.study.fit(boards, store=store, **OPTIONS)
    lb.study.fit(boards, store=tmp_path / "whole", **OPTIONS)
    assert files_of(store) == files_of(tmp_path / "whole")


def test_continues_and_grows(boards, fitted, tmp_path):
    first = lb.study.fit(boards[:2], store=tmp_path / "study", **OPTIONS)
    before = files_of(tmp_path / "study" / "a")
    (tmp_path / "study" / ".part-killed").mkdir()
    both = lb.study.fit(boards, store=tmp_path / "study", **(OPTIONS | {"seed": None}))
    assert list(both.children)[:2] == list(first.children)
    assert len(both.children) == 3
    assert not (tmp_path / "study" / ".part-killed").exists()
    assert files_of(tmp_path / "study" / "a") == before
    fewer = lb.study.fit(boards[2:3], store=tmp_path / "study", **OPTIONS)
    assert len(fewer.children) == 3
    xr.testing.assert_identical(
        fewer["d%2Fe/posterior"].to_dataset(), fitted["d%2Fe/posterior"].to_dataset()
    )


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"draws": 30}, "made with arguments"),
        ({"seed": 2}, "made with seed 1, not 2"),
        ({"model": "davidson"}, "made with model bradley_terry, not davidson"),
    ],
)
def test_other_arguments_are_refused(boards, store, changed, message):
    before = files_of(store)
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.study.fit(boards, store=store, **(OPTIONS | changed))
    with pytest.raises(lb.LeaderbayesError, match="'a' was fitted to other scores"):
        lb.study.fit(-boards, store=store, **OPTIONS)
    assert files_of(store) == before


def test_a_failing_tournament_is_reported(boards, tmp_path):
    broken = boards[:2].copy()
    broken[0, 1:] = np.nan  # one player is left
    with pytest.warns(lb.LeaderbayesWarning, match="LB030 Tournament 'a'"):
        study = lb.study.fit(broken, store=tmp_path / "study", **OPTIONS)
    assert list(study.children) == ["b c"]
    assert list(json.loads(study.attrs["failed"])) == ["a"]
    assert list(lb.study.open(tmp_path / "study").children) == ["b c"]


def test_all_fail(boards, tmp_path):
    with pytest.raises(lb.LeaderbayesError, match="No tournament could be fitted"):
        lb.study.fit(boards[:2], store=tmp_path / "study", **(OPTIONS | {"ties": "floor"}))
    assert list(tmp_path.iterdir()) == []


def test_why_a_tournament_needed_nuts(fitted, tmp_path):
    _store.write_root(tmp_path, fitted.attrs)
    for name in ("a", "b c"):
        child = fitted[name].copy()
        child.attrs |= {"why_nuts": "Pareto k 0.91 (below 0.7)"} if name == "a" else {}
        _store.write(child, tmp_path, name)
    study = lb.study.open(tmp_path)
    assert json.loads(study.attrs["why_nuts"]) == {"a": "Pareto k 0.91 (below 0.7)"}


def test_arguments_of_numpy_are_the_same(boards, store):
    changed = OPTIONS | {"draws": np.int64(20), "seed": np.int64(1)}
    assert len(lb.study.fit(boards, store=store, **changed).children) == 3


def test_warnings_come_once(tmp_path):
    boards = many(["a", "b"])[..., :2]  # two rounds are too few for a weight
    said = warned(lb.study.fit, boards, store=tmp_path / "study", **OPTIONS)
    ours = [text for text in said if text.startswith("LB011")]
    assert len(ours) == 1
    assert ours[0].startswith("LB011 in 2 of 2 tournaments, a, b: ")


def test_what_is_refused(boards, tmp_path):
    with pytest.raises(lb.LeaderbayesError, match=r"these data have one.*leaderbayes\.fit"):
        lb.study.fit(boards[0], store=tmp_path / "study")
    with pytest.raises(lb.LeaderbayesError, match="model='tournaments' fits all together"):
        lb.study.fit(boards, "tournaments", store=tmp_path / "study")
    with pytest.raises(lb.LeaderbayesError, match="no argument 'drawn'"):
        lb.study.fit(boards, store=tmp_path / "study", drawn=20)
    with pytest.raises(lb.LeaderbayesError, match="workers=0"):
        lb.study.fit(boards, store=tmp_path / "study", workers=0)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_study(boards, tmp_path):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    for name in ("file", "folder"):
        with pytest.raises(lb.LeaderbayesError, match="not a study"):
            lb.study.fit(boards, store=tmp_path / name, **OPTIONS)
        with pytest.raises(lb.LeaderbayesError, match="not a study"):
            lb.study.open(tmp_path / name)
    with pytest.raises(lb.LeaderbayesError, match="no study"):
        lb.study.open(tmp_path / "nowhere")
    assert (tmp_path / "file").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_a_lost_or_damaged_part_is_no_answer(boards, tmp_path):
    store = tmp_path / "study"
    lb.study.fit(boards[:1], store=store, **OPTIONS)
    for array in ("posterior/epp", "constant_data/scores"):
        (chunk,) = (p for p in (store / "a" / array / "c").rglob("*") if p.is_file())
        content = chunk.read_bytes()
        half = len(content) // 2  # a bit of Zstandard's tables may be changed without harm
        for damaged in (content[:half] + bytes(8) + content[half + 8 :], None):
            chunk.unlink() if damaged is None else chunk.write_bytes(damaged)
            with pytest.raises(lb.LeaderbayesError, match=r"study/a: .*'a' has .* cannot be read"):
                lb.leaderboard(lb.study.open(store)["a"])
        chunk.write_bytes(content)
    (store / "a" / "zarr.json").write_text("{")
    with pytest.raises(lb.LeaderbayesError, match="study/a: this part of the study cannot be read"):
        lb.study.open(store)


def test_a_second_process_is_refused(boards, tmp_path):
    """It names the one that writes; afterwards nothing of the lock is left."""
    code = (
        "import sys; from pathlib import Path\n"
        "from leaderbayes._files.write import locked\n"
        "with locked(Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()\n"
    )
    store = tmp_path / "study"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / ".study.lock")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as first:  # fmt: skip
        assert first.stdout.readline() == "held\n"
        with pytest.raises(lb.LeaderbayesError, match=f"process {first.pid} on .* holds this lock"):
            lb.study.fit(boards, store=store, **OPTIONS)
        first.stdin.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="limits of Unix")
@pytest.mark.slow
def test_a_full_disk(boards, tmp_path):
    """Of a new study nothing is left, of an older one what it had."""
    code = (
        "import resource, sys, xarray as xr, leaderbayes as lb\n"
        "scores = xr.open_dataarray(sys.argv[1]).load()\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, 2_000))\n"
        "try: lb.study.fit(scores, store=sys.argv[2], draws=20, replicates=10, seed=1,\n"
        "                  progressbar=False)\n"
        "except lb.LeaderbayesError as problem: print(problem)\n"
    )
    boards[:3].to_netcdf(tmp_path / "scores.nc")
    lb.study.fit(boards[:2], store=tmp_path / "old", **OPTIONS)
    before = files_of(tmp_path / "old" / "a")
    for store in ("new", "old"):
        done = subprocess.run(
            [sys.executable, "-c", code, "scores.nc", store],
            cwd=tmp_path, env=uncounted(), capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(f"{store}: cannot be written (File too large); make room, or")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["old", "scores.nc"]
    assert files_of(tmp_path / "old" / "a") == before
    assert len(lb.study.open(tmp_path / "old").children) == 2


def test_keys_are_names_of_files():
    names = ("a", "A b", "../x", ".", "..", "__x", "a/b", "é" * 300, "", "%", "zarr.json")
    keys = [key_of(name) for name in names]
    assert len(set(keys)) == len(keys)
    assert keys[:2] == ["a", "A b"]
    for key in keys:
        assert key
        assert key != "zarr.json"
        assert "/" not in key
        assert not key.startswith((".", "_"))
        assert len(key.encode()) < 255


def test_names_that_a_store_has_already(tmp_path, monkeypatch):
    """None of them hides another, or the study itself, which is continued from inside."""
    names = ["zarr.json", ""]
    lb.study.fit(many(names), store=tmp_path / "study", **OPTIONS)
    before = files_of(tmp_path)
    monkeypatch.chdir(tmp_path / "study")
    again = lb.study.fit(many(names), store=".", **OPTIONS)
    assert [fit.attrs["tournament"] for fit in again.children.values()] == names
    assert files_of(tmp_path) == before


def test_fingerprints_tell_scores_names_and_directions_apart():
    one = board([[1.0, 2.0, np.nan], [3.0, 1.0, 2.0]])
    others = [
        one + xr.zeros_like(one).where(one != 2.0, 1e-15),
        one.assign_coords(player=["p0", "q"]),
        one.assign_coords(round=["0", "1", "3"]),
        one.assign_coords(cluster=("round", ["0", "1", "1"])),
        one.assign_attrs(higher_is_better=0),
    ]
    assert len({fingerprint(each) for each in [one, *others]}) == 6
    # How an array lies in memory, and what else it knows, is of no account.
    assert fingerprint(one.transpose("round", "player").copy()) == fingerprint(one)
    assert fingerprint(one.assign_attrs(source="elsewhere").rename("points")) == fingerprint(one)


def test_votes_by_language(tmp_path):
    """In one language a player has no votes; another has a vote that nobody won."""
    rng = np.random.default_rng(3)
    votes = draw(np.array([1.0, 0.3, -0.3, -1.0]), 400, rng, judges=40)
    names = rng.choice(np.array(["en", "zu"], dtype=object), 400)
    absent = (names == "zu") & ((votes["first"] == 3) | (votes["second"] == 3)).to_numpy()
    votes = votes.assign_coords(tournament=("vote", names)).isel(vote=~absent)
    options = {"seed": 1, "replicates": 20, "progressbar": False, "order_effect": True}
    study = lb.study.fit(votes, store=tmp_path / "study", **options)
    assert list(study["zu/posterior"]["player"].to_numpy()) == ["m0", "m1", "m2"]
    own = votes.isel(vote=votes["tournament"].to_numpy() == "en").drop_vars("tournament")
    alone = lb.fit(own, seed=study["en"].attrs["seed"], replicates=20, order_effect=True)
    xr.testing.assert_allclose(study["en/posterior"].to_dataset(), alone["posterior"].to_dataset())
    compared = lb.study.compare(study)
    assert compared["votes"].sum() == votes.sizes["vote"]
    assert "rounds" not in compared
    other = votes.assign(outcome=1.0 - votes["outcome"])
    with pytest.raises(lb.LeaderbayesError, match="was fitted to other scores"):
        lb.study.fit(other, store=tmp_path / "study", **options)
    with pytest.raises(lb.LeaderbayesError, match="name their column"):
        lb.study.fit(votes.drop_vars("tournament"), store=tmp_path / "study")


def test_mean_scores_in_units_of_their_own(mistakes, study_of_scores):
    """Each is the fit of its own scores, with what clusters and directions make of them."""
    assert study_of_scores.attrs["model"] == "mean_score"
    for name, fit in zip(
        mistakes["tournament"].to_numpy(), study_of_scores.children.values(), strict=True
    ):
        board = mistakes.sel(tournament=name, drop=True).dropna("player")
        alone = lb.fit(board, draws=500, replicates=8, seed=fit.attrs["seed"])
        xr.testing.assert_equal(fit["posterior"]["score"], alone["posterior"]["score"])
    assert lb.leaderboard(study_of_scores["reading"])["player"][0] == "p0"
