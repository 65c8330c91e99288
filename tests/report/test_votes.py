"""Reports of votes: nothing of rounds, and what else sways votes."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb
from leaderbayes.report._votes import data_of_votes


@pytest.fixture(scope="module")
def dt():
    rng = np.random.default_rng(1)
    first = rng.integers(0, 4, 400)
    second = (first + rng.integers(1, 4, 400)) % 4
    votes = xr.Dataset(
        {
            "first": ("vote", first.astype(np.int32)),
            "second": ("vote", second.astype(np.int32)),
            "outcome": ("vote", rng.choice([0.0, 0.5, 1.0], 400, p=[0.4, 0.1, 0.5])),
            "covariates": (("vote", "covariate"), rng.normal(size=(400, 1))),
        },
        {
            "player": ["a", "b_%", "c", "<d>"],
            "covariate": ["len_gth"],
            "judge": ("vote", rng.integers(0, 15, 400)),
            "prompt": ("vote", rng.integers(0, 40, 400)),
        },
        {"kind": "votes", "ordered": 1, "read_as": "x", "both_bad": "tie", "source": "/a/v.csv"},
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        return lb.fit(votes, order_effect=True, draws=300, replicates=60, seed=1)


def test_text_is_of_votes_judges_and_prompts(dt):
    text = " ".join(lb.report.text(dt).split())
    assert "by 400 votes on who of two is better, of 15 judges on 40 prompts" in text
    assert "two-way dependence over 15 judges and 40 prompts" in text
    assert "Being shown first adds" in text
    assert "more of len_gth adds" in text
    assert not re.search(r"\brounds?\b|\bscores?\b", text.partition("References")[0])


def test_latex_compiles_in_what_it_cites(dt):
    text, references = lb.report.latex(dt), lb.report.bibtex(dt)
    assert r"len\_gth" in text
    assert "& Votes" in text
    assert "cameron2011" in references
    rows = re.findall(r"^\d+ & .*\\\\$", text, flags=re.MULTILINE)
    assert {row.count("&") for row in rows} == {8}


def test_page_is_of_votes(dt, tmp_path):
    page = lb.report.html(dt, tmp_path / "p.html").read_text("utf-8")
    body = page[page.index("<main") : page.index("</main>")]
    assert "What else sways votes" in body
    assert "shown first" in body
    assert 'id="chart-fit"' not in page
    assert not re.search(r"\brounds?\b", re.sub(r"<[^>]*>", "", body))
    assert "&lt;d&gt;" in body
    assert dict(data_of_votes(dt))["Source"] == "v.csv"


def test_page_with_both_bad_needs_no_scrolling_aside(tmp_path, visit):
    rng = np.random.default_rng(1)
    first = rng.integers(0, 6, 600)
    words = np.array(["model_a", "model_b", "tie", "tie (bothbad)"])
    names = np.array([f"some-model-{k}-instruct" for k in range(6)])
    table = pd.DataFrame(
        {
            "model_a": names[first],
            "model_b": names[(first + rng.integers(1, 6, 600)) % 6],
            "winner": words[rng.integers(0, 4, 600)],
        }
    )
    dt = lb.fit(lb.read_votes(table, both_bad="own"), seed=1, draws=200, replicates=50)
    page = visit(lb.report.html(dt, tmp_path / "p.html"), width=1200)
    inner, outer = page.locator(".scroll").first.evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert inner <= outer


def test_figure_of_the_check(dt):
    collection = lb.plots.deviance(dt, seed=1, backend="none")
    assert collection is not None
