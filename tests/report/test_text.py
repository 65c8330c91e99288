"""Reports in text: golden files, numbers against the functions that give them, hostile names."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest
import xarray as xr
from rich.cells import cell_len

import leaderbayes as lb
from conftest import often_by_little, simulate
from prose import rows, section


def test_golden(texts, kind, golden):
    golden(f"{kind}.txt", texts[kind])


@pytest.mark.parametrize("sign", [-1, 1])
def test_no_number_stands_on_an_edge(fits, texts, kind, sign):
    """Another machine's rounding errors change no text: neither a digit nor which scores tie."""
    fit = fits[kind]
    if isinstance(fit, xr.Dataset):
        near = {name: fit[name] * (1 + sign * 1e-9) for name in ("epp", "deviance")}
        moved = fit.assign(near)
    else:
        moved = fit.copy()
        for group, error in (("posterior", 1e-9), ("posterior_predictive", 1e-15)):
            if group not in fit.children:
                continue
            values = fit[group].to_dataset()
            floats = {n: v * (1 + sign * error) for n, v in values.items() if v.dtype.kind == "f"}
            moved[group] = xr.DataTree(values.assign(floats))
    assert lb.report.text(moved) == texts[kind]


def test_prose_is_whole(texts, kind):
    report = texts[kind]
    for title in ("Methods", "Results"):
        prose = section(report, title)
        assert prose.endswith(".")
        assert not re.search(r" [,.;:)]|\(\s|,,|\.\.|[<%]{2}|none|None|nan|undefined", prose)
        assert not re.search(r"\b([a-z]+) \1\b", prose)
        assert not re.search(r"\b(significan\w*|proves?|proven)\b", prose, re.IGNORECASE)
        assert not re.search(r"probability (of )?(0\.0+|1\.0+)\b", prose)
    assert all(len(line) <= 88 for line in report.split("Table 1.")[0].splitlines())


def test_pymc_is_named_where_nuts_moved_its_model(fits, texts):
    """What it moves is drawn, too; functions of our own have nothing of the kind."""
    by_pymc = fits["davidson"].copy()
    drawn = by_pymc["posterior"].to_dataset()
    by_pymc["posterior"] = xr.DataTree(drawn.assign(epp_unit=drawn["epp"]))
    assert "PyMC" in lb.report.text(by_pymc)
    assert "PyMC" not in texts["davidson"]


def test_not_converged_comes_first(unconverged):
    for report in (lb.report.text(unconverged), lb.report.latex(unconverged)):
        prose = report.split("\n\n")[0].splitlines()
        first = next(line for line in prose if not line.startswith(("%", r"\provide")))
        assert re.match(r"(\\textbf\{)?This fit did not converge, and none of its numbers", first)
        assert "LB001" in report
        assert "No results are given, because the fit did not converge." in report
        assert "tabular" not in report
        assert "Table 1" not in report
        leader = lb.leaderboard(unconverged)["player"][0]
        assert leader not in report


def test_warnings_are_repeated(classifiers):
    dt = classifiers.copy()
    dt.attrs["warnings"] = json.dumps(["LB010 a_b never beat anybody else."])
    ending = "The software warns: LB010 a_b never beat anybody else."
    assert section(lb.report.text(dt), "Results").endswith(ending)
    assert ending.replace("_", r"\_") in lb.report.latex(dt)


def test_hostile_names_stand_in_one_line_each(hostile):
    report = lb.report.text(hostile)
    table = report.split("References\n")[0].split("---\n")[-1].strip().splitlines()
    assert len(table) == 9
    assert not re.search(r"[\u202e\x07\t]", report)
    assert sum("a_ba_b" in line for line in table) == 2
    assert any("… (2)" in line for line in table)
    assert any("(no name)" in line for line in table)


def test_columns_are_those_of_a_terminal(scores):
    """Of Chinese letters each takes two, and of accents that are letters by themselves none."""
    names = ["漢字モデル", "re\u0301sume\u0301", *scores["player"].to_numpy()[2:]]
    named = scores.assign_coords(player=names)
    report = lb.report.text(lb.fit(named, sampler="laplace", seed=1))
    *_, rule, table = re.split(r"^( *-[- ]+-)$", report.split("References\n")[0], flags=re.M)
    lines = table.strip("\n").splitlines()
    assert {cell_len(line) for line in lines} == {len(rule)}
    assert len({len(line) for line in lines}) > 1


def test_two_players():
    dt = lb.fit(simulate([0.5, -0.5], 8, np.random.default_rng(1)), sampler="laplace", seed=1)
    report = " ".join(lb.report.text(dt).split())
    assert "one ranking" not in report
    assert "the best of both" in report
    assert "deviance against" not in report


def test_player_placed_afterwards(scores):
    dt = lb.fit(scores, sampler="laplace", seed=1)
    other = scores.isel(player=1, drop=True).rename("late_one")
    report = lb.report.latex(lb.new_player(dt, other, seed=1))
    assert r"Player late\_one was placed on that posterior afterwards" in report


def test_few_draws_have_no_third_decimal(scores):
    dt = lb.fit(scores, sampler="laplace", draws=50, seed=1)
    report = lb.report.text(dt)
    assert "< 0.01" in report
    assert "0.001" not in report


def test_references_are_those_cited(texts):
    for report in texts.values():
        prose, references = report.split("\nReferences\n")
        years = re.findall(r"\(((?:\d{4})|n\.d\.)\)\.", references)
        cited = set(re.findall(r"([^(;]+, (?:\d{4}|n\.d\.))[;)]", " ".join(prose.split())))
        assert len(years) == len(cited)


@pytest.mark.parametrize(
    ("fit", "options", "message"),
    [
        ("bradley_terry", {"prob": 1.0}, "prob=1.0"),
        ("bradley_terry", {"rope": 0.7}, "rope=0.7"),
        ("estimate", {"rope": 0.1}, "posteriors"),
        ("estimate", {"prob": 0.0}, "prob=0.0"),
        ("sota", {"rope": 0.1}, "leaderboards"),
        ("sota", {"prob": 2.0}, "prob=2.0"),
    ],
)
def test_bad_options(fits, fit, options, message):
    for report in (lb.report.text, lb.report.latex, lb.report.bibtex):
        with pytest.raises(lb.LeaderbayesError, match=re.escape(message)):
            report(fits[fit], **options)


def test_what_is_no_fit(study, classifiers):
    with pytest.raises(lb.LeaderbayesError, match="of a study of many fits"):
        lb.report.text(study)
    with pytest.raises(lb.LeaderbayesError, match="not DataFrame"):
        lb.report.text(lb.leaderboard(classifiers))


def test_report_of_an_approximation_does_without_pymc():
    code = (
        "import sys, leaderbayes as lb\n"
        "scores = lb.datasets.load('classifiers', 'iris')\n"
        "dt = lb.fit(scores, sampler='laplace', draws=50, seed=1)\n"
        "lb.report.text(dt), lb.report.latex(dt)\n"
        "print([m for m in ('pymc', 'arviz', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.slow
def test_fits_of_every_model(fitted, fitted_davidson, scores, tied_scores):
    """Real fits record what the prose needs."""
    ranking = lb.fit(tied_scores, "plackett_luce", seed=1, progressbar=False)
    intercepts = lb.fit(scores, "round_intercept", seed=1, draws=2000, progressbar=False)
    for dt in (fitted, fitted_davidson, ranking, intercepts):
        report = lb.report.text(dt)
        assert dt.attrs["converged"]
        assert len(rows(report)) == 6
        assert f"{dt.attrs['max_rhat']:.3f}" in section(report, "Methods")
        assert lb.report.latex(dt).count(r"\citep") >= 6


@pytest.mark.filterwarnings("ignore::leaderbayes.LeaderbayesWarning")
def test_who_leads_by_mean_score_is_said():
    scores = often_by_little().assign_coords(player=["a_b", "b", "c"])
    dt = lb.fit(scores, sampler="laplace", seed=1)
    said = (
        "By mean score b leads, by 0.0055 over a_b: a_b wins 18 of their 25 rounds, by 0.004 on "
        "average, and loses 7, by 0.03."
    )
    report = lb.report.text(dt)
    assert said in section(report, "Results")
    assert [cells[4] for cells in rows(report)] == ["0.8200", "0.8255", "0.7644"]
    fragment = lb.report.latex(dt)
    assert said.replace("_", r"\_") in fragment
    assert "& $0.8255$ &" in fragment


def test_an_audit_has_a_section():
    dt = lb.fit(lb.datasets.load("classifiers", "breast_cancer"), sampler="laplace", seed=1)
    asked = lb.audit(dt, simulations=3)
    said = lb.report.text(dt, audit=asked)
    plain = " ".join(said.split())
    assert "\nAudit\n-----\n" in said
    for part in asked.children.values():
        assert " ".join(part.attrs["message"].split()) in plain
    assert "\nAudit\n" not in lb.report.text(dt)
    other = lb.fit(lb.datasets.load("answers").rename(classifier="player", instance="round")
                   .isel(player=slice(3)), "mean_score", seed=1)  # fmt: skip
    for wrong in (dt, lb.audit(other)):
        with pytest.raises(lb.LeaderbayesError, match=r"audit= takes|of another fit"):
            lb.report.text(dt, audit=wrong)


def test_a_notebook_shows_it_as_it_reads(laplace):
    pretty = pytest.importorskip("IPython.lib.pretty")
    text = lb.report.text(laplace)
    assert pretty.pretty(text) == text
    assert repr(text).startswith(("'", '"'))
    assert isinstance(text, str)


def test_pmra_without_nuts_says_what_was_integrated_out():
    scores = simulate([0.5, 0.0, -0.5], 8, np.random.default_rng(1))
    report = lb.report.text(lb.fit(scores, "round_intercept", seed=1, replicates=50))
    methods = " ".join(report.split())
    assert "a multivariate t law with the curvature at its highest density" in methods
    assert "Rounds' intercepts were integrated out, and drawn given the rest." in methods
