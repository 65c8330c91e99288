"""The command report; its pages are tested with `report.html`."""

import json

import pytest

import leaderbayes as lb
from command import call


@pytest.fixture(scope="module")
def fit(folder):
    scores = lb.read_scores(folder / "scores.csv")
    return lb.write_fit(lb.fit(scores, sampler="laplace", draws=100, seed=1), folder / "fit.nc")


def test_text_and_latex_say_what_python_says(fit, folder):
    done = call("report", fit, "--out", "fit.txt", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    text = (folder / "fit.txt").read_text("utf-8")
    assert text == lb.report.text(lb.read_fit(fit))
    assert json.loads(done.stdout) == {
        "out": "fit.txt", "bytes": len(text.encode()), "converged": True,
    }  # fmt: skip
    done = call("report", fit, "--out", "fit.tex", cwd=folder)
    assert "references are in fit.bib" in done.stdout
    assert (folder / "fit.bib").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fit.nc", "--out", "fit.pdf"], "fit.pdf"),
        (["fit.nc", "--out", "other.txt", "--title", "Mine"], "--title is of a page"),
        (["absent.nc", "--out", "page.html"], "absent.nc: no such file"),
        ([".", "--out", "page.html"], "no posterior.nc, and is no study"),
    ],
)
def test_refusals(fit, folder, arguments, message):
    done = call("report", *arguments, cwd=folder)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stdout == ""
