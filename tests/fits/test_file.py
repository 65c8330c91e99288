"""A fit on disk: every byte counts, and what cannot be checked is said."""

import random
import subprocess
import sys
import warnings

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from conftest import simulate, uncounted
from leaderbayes._fits.file import encoded
from votes import draw, fit


@pytest.fixture(scope="module")
def dt():
    scores = simulate([0.6, 0.2, -0.8], 8, np.random.default_rng(3))
    return lb.fit(scores, draws=25, chains=2, seed=1)


@pytest.fixture
def file(dt, tmp_path):
    return lb.write_fit(dt, tmp_path / "made" / "posterior.nc")


def test_comes_back_as_it_was(dt, file):
    assert [path.name for path in file.parent.iterdir()] == ["posterior.nc"]
    for path in (file, file.parent, str(file)):
        back = lb.read_fit(path)
        xr.testing.assert_identical(back, dt)
    # For any other program it is netCDF.
    xr.testing.assert_identical(xr.load_datatree(file), dt)
    # What was read and changed is written like anything else, its digest is another.
    back.attrs["note"] = "mine"
    assert lb.read_fit(lb.write_fit(back, file)).attrs["note"] == "mine"


def test_one_of_a_study_is_a_fit_by_itself(dt, tmp_path):
    study = xr.DataTree(children={"one": dt.copy(), "other": dt.copy()})
    back = lb.read_fit(lb.write_fit(study["one"], tmp_path / "fit.nc"))
    assert back.equals(dt)
    assert lb.leaderboard(back).equals(lb.leaderboard(dt))


def test_every_flipped_byte_is_noticed(dt, file):
    content, rng = file.read_bytes(), random.Random(1)
    whole = lb.leaderboard(dt)
    body = len(content) - 64 - len(b"\nleaderbayes sha256 ")

    def flip(at):
        flipped = bytearray(content)
        flipped[at] ^= 1 << rng.randrange(8)
        file.write_bytes(flipped)

    for at in [*range(0, body, body // 300), *range(-64, 0)]:
        flip(at)
        with pytest.raises(lb.LeaderbayesError, match=r"posterior\.nc: this file is damaged"):
            lb.read_fit(file)
    for at in (body, body + 5):  # of what says that there is a digest
        flip(at)
        assert lb.leaderboard(lb.read_fit(file)).equals(whole)


def test_numbers_are_checked_by_any_reader(dt, file):
    content = file.read_bytes()
    # A draw as it stands in the file: of a leaf of the values.
    number = dt["posterior"]["epp"].to_numpy().ravel()[40].tobytes()
    assert content.count(number) == 1
    file.write_bytes(content.replace(number, bytes(8)))
    with pytest.raises(OSError, match=r"[Cc]an't|filter"):
        xr.load_datatree(file)


def test_a_file_without_a_digest_is_read(dt, tmp_path):
    dt.to_netcdf(tmp_path / "own.nc")
    xr.testing.assert_identical(lb.read_fit(tmp_path / "own.nc"), dt)


def test_what_is_no_fit(tmp_path):
    with pytest.raises(lb.LeaderbayesError, match=r"absent\.nc: cannot be read \(No such file"):
        lb.read_fit(tmp_path / "absent.nc")
    (tmp_path / "text.nc").write_text("text")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of no fit nobody asks for a digest
        with pytest.raises(lb.LeaderbayesError, match=r"text\.nc: not a netCDF file"):
            lb.read_fit(tmp_path / "text.nc")
    with pytest.raises(lb.LeaderbayesError, match=r"choose a file name that ends with \.nc"):
        lb.write_fit(xr.DataTree(), tmp_path / "x.txt")
    with pytest.raises(lb.LeaderbayesError, match="takes a posterior"):
        lb.write_fit(xr.Dataset(), tmp_path / "x.nc")
    ragged = xr.Dataset({"beta": ("chain", np.array([[1, 2.0], 1], dtype=object))})
    with pytest.raises(lb.LeaderbayesError, match=r"variable 'beta'.*Remove or convert it"):
        lb.write_fit(xr.DataTree.from_dict({"posterior": ragged}), tmp_path / "x.nc")


def test_lists_of_a_sampler_are_left_out(dt, tmp_path):
    """As pm.sample_smc has them: of each stage, of which chains have different numbers."""
    made, beta = dt.copy(), np.empty(2, dtype=object)
    beta[:] = [[0.1, 0.5, 1.0], [0.2, 1.0]]
    stats = xr.Dataset({"beta": ("chain", beta), "how": ("chain", ["a", "b"])})
    made["sample_stats"] = xr.DataTree(stats)
    back = lb.read_fit(lb.write_fit(made, tmp_path / "x.nc"))
    assert {*back["sample_stats"].data_vars} == {"how"}
    assert {*made["sample_stats"].data_vars} == {"beta", "how"}
    assert lb.leaderboard(back).equals(lb.leaderboard(dt))


@pytest.mark.skipif(sys.platform == "win32", reason="limits of Unix")
def test_a_full_disk(dt, file):
    """HDF5 crashes where the disk is full; nothing of ours does, and the old file stays."""
    code = (
        "import resource, sys, leaderbayes as lb\n"
        "dt = lb.read_fit(sys.argv[1])\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))\n"
        "try: lb.write_fit(dt, sys.argv[1])\n"
        "except lb.LeaderbayesError as problem: print(problem)\n"
    )
    before = file.read_bytes()
    done = subprocess.run(
        [sys.executable, "-c", code, str(file)],
        env=uncounted(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "posterior.nc: cannot be written (File too large)" in done.stdout
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.iterdir()] == ["posterior.nc"]


def test_a_cluster_that_is_gone_does_not_matter(dt, tmp_path, monkeypatch):
    """Of an open client xarray would take the lock, and ask a scheduler that may be no more."""
    distributed = pytest.importorskip("distributed")

    def gone(*_, **__):
        raise OSError("no scheduler")

    with distributed.LocalCluster(
        n_workers=1, processes=False, dashboard_address=None
    ) as cluster, distributed.Client(cluster):  # fmt: skip
        monkeypatch.setattr(distributed.Lock, "acquire", gone)
        path = lb.write_fit(dt, tmp_path / "fit.nc")
    assert lb.read_fit(path).identical(lb.read_fit(lb.write_fit(dt, tmp_path / "other.nc")))


def test_labels_of_many_votes_take_little_room(tmp_path):
    """Prompts and judges come back as they were, whatever letters they are of."""
    rng = np.random.default_rng(1)
    names = np.array(
        [f"prompt {k:>60} é 漢字" for k in range(2000)] + [" x ", "tab\tend\n"], object
    )
    votes = draw(np.array([0.5, 0.0, -0.5]), 4000, rng)
    votes = votes.assign_coords(prompt=("vote", names[rng.integers(0, len(names), 4000)]))
    dt = fit(votes, draws=100)
    path = lb.write_fit(dt, tmp_path / "posterior.nc")
    again = lb.read_fit(path)
    for group in dt.children:
        xr.testing.assert_identical(again[group].dataset, dt[group].dataset)
    assert lb.leaderboard(again).equals(lb.leaderboard(dt))
    plain = len(bytes(dt["constant_data"].dataset.to_netcdf(engine="h5netcdf")))
    small = len(encoded(xr.DataTree.from_dict({"constant_data": dt["constant_data"].dataset})))
    assert small < 0.5 * plain


@pytest.mark.parametrize("odd", ["", "x" * 500])
def test_odd_labels_come_back(odd, tmp_path):
    labels = np.array(["a", odd] * 600, dtype=object)
    dt = xr.DataTree.from_dict({"/": xr.Dataset(coords={"vote": labels})})
    path = tmp_path / "fit.nc"
    path.write_bytes(encoded(dt))
    assert lb.read_fit(path)["vote"].to_numpy().tolist() == labels.tolist()
