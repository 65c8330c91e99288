"""The audit as a section of each report."""

import json
import re

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from leaderbayes._answers.audit import heading, sentences
from leaderbayes._files.printed import clean
from leaderbayes.report._audit import _table, audited, section
from votes import draw
from votes import fit as fit_of


@pytest.fixture(scope="module")
def fit():
    scores = lb.datasets.load("classifiers", "breast_cancer")
    return lb.fit(scores, test_fraction=0.2, sampler="laplace", seed=1)


@pytest.fixture(scope="module")
def asked(fit):
    return lb.audit(fit, simulations=3)


def test_questions_are_those_of_the_audit(fit, asked):
    questions = audited(fit, asked)
    assert {name: each.said for name, each in questions.items()} == {
        name: clean(said) for name, said in sentences(asked).items()
    }
    assert all(each.heading == heading(name) for name, each in questions.items())


def test_numbers_are_those_of_the_audit(fit, asked):
    made = section(fit, asked)
    tables = dict(zip(asked.children, (each["table"] for each in made["questions"]), strict=True))
    asked_of = sum(part.attrs["applies"] for part in asked.children.values())
    assert made["said"].startswith(f"{asked.attrs['found']} of {asked_of} questions")
    assert tables["plan"] is tables["halves"] is tables["check"] is None
    letters = asked["players"]["letters"].to_series()
    assert {row[0]: row[1] for row in tables["players"]["rows"]} == letters.to_dict()
    counts = asked["pairs"].attrs
    assert tables["pairs"]["rows"][0][1:] == [
        str(counts[name]) for name in ("neighbours", "neighbours_singly", "neighbours_jointly")
    ]
    removed = [row[0] for row in tables["removal_round"]["rows"]]
    assert removed == list(map(str, asked["removal_round"]["round"].to_numpy()))
    leads = [float(row[2].replace("−", "-")) for row in tables["left_out"]["rows"]]
    assert leads == sorted(leads)
    assert leads[0] == pytest.approx(float(asked["left_out"]["lead"].min()), rel=0.05)
    assert len(leads) == 20
    assert tables["left_out"]["more"] == "and 5 more"
    assert len(tables["aggregators"]["rows"]) == asked["aggregators"].sizes["aggregator"]


def test_the_page_has_a_section(fit, asked, tmp_path):
    page = lb.report.html(fit, tmp_path / "page.html", audit=asked).read_text("utf-8")
    assert '<a href="#audit">Audit</a>' in page
    (found,) = re.findall(r'<section id="audit".*?</section>', page, re.DOTALL)
    assert found.count('<li class="care">') == asked.attrs["found"]
    plain = lb.report.html(fit, tmp_path / "plain.html").read_text("utf-8")
    assert 'id="audit"' not in plain


@pytest.mark.parametrize(
    ("model", "ties", "name"),
    [("davidson", "half", "Davidson"), ("round_intercept", "drop", "PMRA")],
)
def test_votes_by_their_own_model_on_the_page(tmp_path, model, ties, name):
    votes = draw(np.array([0.8, 0.0, -0.5]), 600, np.random.default_rng(2), ties=0.2)
    dt = fit_of(votes, model=model, ties=ties)
    asked = lb.audit(dt)
    page = lb.report.html(dt, tmp_path / "page.html", audit=asked).read_text("utf-8")
    (found,) = re.findall(r'<section id="audit".*?</section>', page, re.DOTALL)
    assert re.search(f">{name}<", found)
    assert "Not asked" not in found.replace("Not asked: the fit has too few replicates", "")
    assert "judge" in found


def test_latex_has_a_list(fit, asked, tmp_path):
    text = lb.report.latex(fit, tmp_path / "a.tex", audit=asked)
    _, listed = text.split("\\paragraph{Audit}\n\\begin{itemize}\n")
    assert listed.split("\\end{itemize}")[0].count("\\item") == len(asked.children)
    assert "\\emph{What the lead hangs on.}" in text
    assert "\\paragraph{Audit}" not in lb.report.latex(fit)


def test_a_circle_has_its_table():
    found = xr.Dataset(
        {
            "triple": (("triples", "place"), [["a", "b", "c"]]),
            "triple_probability": ("triples", [0.97]),
        },
        attrs={"applies": 1},
    )
    assert _table("check", found)["rows"] == [["a over b over c", "0.97"]]


def test_a_site_has_audits(fit, asked, tmp_path):
    lb.report.site({"a": fit, "b": fit}, tmp_path / "site", audits={"a": asked})
    one, other = (json.loads((tmp_path / "site" / f"{n}.json").read_text("utf-8")) for n in "ab")
    assert one["audit"]["pairs"]["message"] == clean(asked["pairs"].attrs["message"])
    assert "audit" not in other
    assert 'id="audit"' in (tmp_path / "site" / "a.html").read_text("utf-8")
    with pytest.raises(lb.LeaderbayesError, match="no fit of the name 'c'"):
        lb.report.site({"a": fit}, tmp_path / "site", audits={"c": asked})


def test_of_another_fit_it_is_refused(fit, asked, laplace, study, sota, tmp_path):
    for dt in (laplace, study, sota):
        with pytest.raises(lb.LeaderbayesError, match="of another fit"):
            lb.report.html(dt, tmp_path / "page.html", audit=asked)
    with pytest.raises(lb.LeaderbayesError, match="audit= takes"):
        lb.report.latex(fit, audit=fit)
    assert not (tmp_path / "page.html").exists()
