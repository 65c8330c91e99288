"""The command report; what is in its pages is tested with `report.html`."""

import json

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from command import call


@pytest.fixture(scope="module")
def dt(folder):
    scores = lb.read_scores(folder / "scores.csv")
    return lb.fit(scores, draws=100, seed=1)


@pytest.fixture(scope="module")
def fit(dt, folder):
    return lb.write_fit(dt, folder / "fit.nc")


def test_page_says_what_python_says(dt, fit, folder):
    done = call("report", fit, "--out", "page.html", cwd=folder)
    assert done.returncode == 0, done.stderr
    direct = lb.report.html(dt, folder / "direct.html")
    assert (folder / "page.html").read_bytes() == direct.read_bytes()


@pytest.mark.slow
def test_title_and_the_best_of_a_board(fit, folder):
    score = np.random.default_rng(5).binomial(500, 0.75, size=30) / 500
    best = lb.sota.posterior(lb.sota.read_board(score, n=500), theta_0=0.7, seed=1)
    lb.write_fit(best, folder / "best.nc")
    options = ["--out", "titled.html", "--sota", "best.nc", "--title", "Mine", "--json"]
    done = call("report", fit, *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    page = (folder / "titled.html").read_text("utf-8")
    assert json.loads(done.stdout)["bytes"] == len(page.encode())
    assert "<h1>Mine</h1>" in page
    assert f"<strong>{float(lb.sota.summary(best)['theta_sota']):.4f}</strong>" in page


@pytest.mark.slow
def test_an_audit_goes_with_each(dt, fit, folder):
    asked = lb.audit(dt)
    for suffix, said in ((".html", 'id="audit"'), (".tex", "paragraph{Audit}"), (".txt", "Audit")):
        done = call("report", fit, "--out", f"asked{suffix}", "--audit", cwd=folder)
        assert done.returncode == 0, done.stderr
        assert said in (folder / f"asked{suffix}").read_text("utf-8")
    written = " ".join((folder / "asked.txt").read_text("utf-8").split())
    assert " ".join(asked["pairs"].attrs["message"].split()) in written


def test_study_has_a_page_and_no_text(scores, tmp_path):
    several = xr.concat([scores, -scores], dim=xr.Variable("tournament", ["a", "b"]))
    several.attrs = scores.attrs
    lb.study.fit(several, store=tmp_path / "study", seed=1, draws=100, progressbar=False)
    assert call("report", "study", "--out", "page.html", cwd=tmp_path).returncode == 0
    assert 'id="across"' in (tmp_path / "page.html").read_text("utf-8")
    done = call("report", "study", "--out", "report.txt", cwd=tmp_path)
    assert done.returncode == 2
    assert "a study of many fits" in done.stderr
    done = call("report", "study", "--out", "other.html", "--audit", cwd=tmp_path)
    assert done.returncode == 2
    assert "without --audit" in done.stderr


def test_a_doubtful_fit_exits_with_1(dt, tmp_path):
    doubtful = dt.copy()
    doubtful.attrs["converged"] = 0
    lb.write_fit(doubtful, tmp_path / "doubtful.nc")
    done = call("report", "doubtful.nc", "--out", "page.html", cwd=tmp_path)
    assert done.returncode == 1
    assert "Not converged" in done.stdout


def test_text_and_latex_say_what_python_says(fit, folder):
    done = call("report", fit, "--out", "fit.txt", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    text = (folder / "fit.txt").read_text("utf-8")
    assert text == lb.report.text(lb.read_fit(fit))
    assert json.loads(done.stdout) == {
        "out": "fit.txt", "bytes": len(text.encode()), "converged": True,
    }  # fmt: skip
    done = call("report", fit, "--out", "fit.tex", "--prob", 0.9, cwd=folder)
    assert "references are in fit.bib" in done.stdout
    lb.report.latex(lb.read_fit(fit), folder / "direct" / "fit.tex", prob=0.9)
    for name in ("fit.tex", "fit.bib"):
        assert (folder / name).read_text() == (folder / "direct" / name).read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fit.nc", "--out", "fit.pdf"], "fit.pdf"),
        (["fit.nc", "--out", "other.txt", "--title", "Mine"], "--title is for a page"),
        (
            ["fit.nc", "--out", "scores.csv"],
            "choose a file name that ends with .html, .htm, .tex or",
        ),
        (["absent.nc", "--out", "page.html"], "no such file; use the folder"),
        (["scores.csv", "--out", "page.html"], "not a netCDF file, or damaged"),
        ([".", "--out", "page.html"], "no posterior.nc and is not a study"),
        (["fit.nc", "--out", "page.html", "--sota", "fit.nc"], "fit.nc: not a posterior of"),
    ],
)
def test_refusals(fit, folder, arguments, message):
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    done = call("report", *arguments, cwd=folder)
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stdout == ""


def test_a_site_of_a_folder(dt, scores, tmp_path):
    """Files, folders of rank and studies."""
    lb.write_fit(dt, tmp_path / "fits" / "one.nc")
    doubtful = dt.copy()
    doubtful.attrs = {**dt.attrs, "converged": 0}
    lb.write_fit(doubtful, tmp_path / "fits" / "two" / "posterior.nc")
    boards = xr.concat([scores, scores], dim="tournament").assign_coords(tournament=["x", "y"])
    boards.attrs = scores.attrs
    lb.study.fit(boards, store=tmp_path / "fits" / "three", seed=1, draws=100, progressbar=False)
    (tmp_path / "fits" / "notes.txt").write_text("none of it")
    done = call("report", "fits", "--site", "site", "--title", "T", "--json", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout) == {
        "site": "site", "boards": ["one", "three", "two"], "converged": False,
    }  # fmt: skip
    names = {path.stem for path in (tmp_path / "site").iterdir()}
    assert names == {"index", "one", "two", "three"}
