"""A study on disk: every group is there in whole or not at all."""

import random
import subprocess
import sys

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from conftest import board, tree, uncounted
from leaderbayes._inference.made_again import GROUPS
from leaderbayes.study import _store
from leaderbayes.study._store import attrs_of, encode, fingerprint, key_of, writing_study
from studies import OPTIONS, files_of, many


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


def test_xarray_opens_it(boards, tmp_path):
    study = lb.study.fit(boards, store=tmp_path / "study", **OPTIONS)
    with pytest.warns(RuntimeWarning, match="non-consolidated"):
        opened = xr.open_datatree(tmp_path / "study", engine="zarr")
    assert set(opened.children) == set(study.children)


def test_names_stored_alike_are_read_once(tmp_path, monkeypatch):
    """And yet each group has coordinates of its own, as xarray gives them."""
    lb.study.fit(many(["a", "b"]), store=tmp_path / "study", **OPTIONS)
    made = []
    monkeypatch.setattr(
        _store.xr, "Coordinates", lambda *a, of=xr.Coordinates: made.append(a) or of(*a)
    )
    study = lb.study.open(tmp_path / "study")
    read = [next(iter(coords)) for coords, *indexes in made if not indexes]
    # Players are stored in two forms.
    assert sorted(read) == ["chain", "draw", "player", "player", "round"]
    monkeypatch.undo()
    for name, fit in study.children.items():
        plain = xr.open_datatree(tmp_path / "study" / name, engine="zarr", consolidated=True)
        assert set(fit.children) == {*plain.children, *GROUPS}
        for group in plain.children:
            one, other = fit[group].to_dataset(), plain[group].to_dataset()
            assert one.identical(other)
            assert set(one.xindexes) == set(other.xindexes)
    study["a"]["posterior"]["player"].attrs["note"] = "mine"
    assert not study["a"]["observed_data"]["player"].attrs
    assert not study["b"]["posterior"]["player"].attrs


def test_names_that_a_store_has_already(tmp_path, monkeypatch):
    """None of them hides another, or the study itself, which is continued from inside."""
    names = ["zarr.json", "x", "", "%", ".", "../study"]
    lb.study.fit(many(names), store=tmp_path / "study", **OPTIONS)
    before = files_of(tmp_path)
    monkeypatch.chdir(tmp_path / "study")
    again = lb.study.fit(many(names), store=".", **OPTIONS)
    assert [fit.attrs["tournament"] for fit in again.children.values()] == names
    assert files_of(tmp_path) == before


def damaged(store, name):
    """Files of a tournament, and of the study's root."""
    return [store / "zarr.json", *(p for p in (store / name).rglob("*") if p.is_file())]


@pytest.mark.parametrize("how", ["flipped", "lost", "cut", "another's"])
def test_a_damaged_file_is_noticed(boards, tmp_path, how):
    store = tmp_path / "study"
    two = boards.isel(tournament=slice(2))
    lb.study.fit(two, store=store, **OPTIONS)
    files = damaged(store, "a")
    (store / "a" / ".DS_Store").write_text("of a file manager")
    assert len(lb.study.open(store).children) == 2
    rng = random.Random(1)
    for file in files:
        content = file.read_bytes()
        if how == "lost":
            file.unlink()
        elif how == "cut":
            file.write_bytes(content[:-1])
        elif how == "another's":
            file.write_bytes((store / "b c" / "posterior" / "epp" / "zarr.json").read_bytes())
        else:
            flipped = bytearray(content)
            flipped[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
            file.write_bytes(flipped)
        with pytest.raises(lb.LeaderbayesError, match=r"study(/a)?: this (part of the|is no) stud"):
            lb.study.open(store)
        file.write_bytes(content)
    assert len(lb.study.open(store).children) == 2


# Zarr opens the first fit of a shape, we the others.
@pytest.mark.parametrize(("which", "lost"), [("a", "no finite numbers"), ("c", "/epp that cannot")])
def test_damage_after_opening(tmp_path, which, lost):
    """Values are read when they are used: chunks have checksums, and a lost one is no answer."""
    study = lb.study.fit(many(["a", "b", "c"]), store=tmp_path / "s", **OPTIONS)
    chunks = sorted(p for p in (tmp_path / f"s/{which}/posterior/epp/c").rglob("*") if p.is_file())
    flipped = bytearray(chunks[0].read_bytes())
    flipped[-9] ^= 1
    chunks[0].write_bytes(flipped)
    with pytest.raises(lb.LeaderbayesError, match=rf"tournament '{which}' has .*/epp that cannot"):
        lb.leaderboard(study[which])
    for chunk in chunks:
        chunk.unlink()
    with pytest.raises(lb.LeaderbayesError, match=rf"tournament '{which}' has .*{lost}"):
        lb.leaderboard(study[which])


def test_a_second_process_is_refused(boards, tmp_path):
    """It names the one that writes; afterwards nothing of the lock is left."""
    code = (
        "import sys, time; from pathlib import Path\n"
        "from leaderbayes.study._store import writing_study\n"
        "with writing_study(Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()\n"
    )
    store = tmp_path / "study"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(store)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as first:  # fmt: skip
        assert first.stdout.readline() == "held\n"
        with pytest.raises(lb.LeaderbayesError, match=f"process {first.pid} on .* holds this lock"):
            lb.study.fit(boards, store=store, **OPTIONS)
        first.stdin.close()
    assert list(tmp_path.iterdir()) == []
    assert len(lb.study.fit(boards, store=store, **OPTIONS).children) == 6
    assert [path.name for path in tmp_path.iterdir()] == ["study"]


@pytest.mark.skipif(sys.platform == "win32", reason="limits of Unix")
@pytest.mark.slow
def test_a_full_disk(boards, tmp_path):
    """Of a new study nothing is left, of an older one what it had."""
    code = (
        "import resource, sys, xarray as xr, leaderbayes as lb\n"
        "scores = xr.open_dataarray(sys.argv[1]).load()\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, 2_000))\n"
        "try: lb.study.fit(scores, store=sys.argv[2], sampler='laplace', draws=20,\n"
        "                        replicates=10, seed=1, progressbar=False)\n"
        "except lb.LeaderbayesError as problem: print(problem)\n"
    )
    boards.to_netcdf(tmp_path / "scores.nc")
    lb.study.fit(boards.isel(tournament=slice(2)), store=tmp_path / "old", **OPTIONS)
    before = files_of(tmp_path / "old" / "a")
    for store, said in {
        "new": "give another path.\n",
        "old": "give another path. What was fitted is kept: call again.\n",
    }.items():
        done = subprocess.run(
            [sys.executable, "-c", code, "scores.nc", store],
            cwd=tmp_path, env=uncounted(), capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(f"{store}: cannot be written (File too large); make room, or")
        assert done.stdout.endswith(said)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["old", "scores.nc"]
    assert files_of(tmp_path / "old" / "a") == before
    assert len(lb.study.open(tmp_path / "old").children) == 2


def test_fingerprints_tell_scores_names_and_directions_apart():
    one = board([[1.0, 2.0, np.nan], [3.0, 1.0, 2.0]])
    others = [
        one + xr.zeros_like(one).where(one != 2.0, 1e-15),
        one.assign_coords(player=["p0", "q"]),
        one.assign_coords(round=["0", "1", "3"]),
        one.assign_attrs(higher_is_better=0),
        one[::-1],
    ]
    assert len({fingerprint(each) for each in [one, *others]}) == 6
    # How an array lies in memory, and what else it knows, is of no account.
    assert fingerprint(one.transpose("round", "player").copy()) == fingerprint(one)
    assert fingerprint(one.assign_attrs(source="elsewhere").rename("points")) == fingerprint(one)


def test_files_of_a_tree_are_the_same_each_time(tmp_path):
    made = tree(np.arange(12.0).reshape(2, 2, 3))
    files = encode(made)
    assert files == encode(made.copy(deep=True))
    made["posterior"]["epp"][1, 1, 2] = -1.0
    changed = encode(made)
    assert {name for name in files if files[name] != changed[name]} > {"zarr.json"}
    with writing_study(tmp_path / "s") as writer:
        writer.root({"tournaments": "[]"})
        writer.tournament("a/b", changed)
    assert attrs_of(tmp_path / "s" / "a%2Fb")["model"] == "bradley_terry"
    assert [path.name for path in tmp_path.iterdir()] == ["s"]
