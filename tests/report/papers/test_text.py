"""Reports in text: golden files, numbers against the functions that give them, hostile names."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from conftest import simulate
from leaderbayes.report._references import entries
from leaderbayes.report._style import against, labels, logodds, probability


def section(report, title):
    """A section on one line."""
    body = re.search(rf"^{title}\n-+\n(.*?)\n\n", report, re.MULTILINE | re.DOTALL).group(1)
    return " ".join(body.split())


def rows(report):
    """Cells of the table."""
    lines = report.split("\n\nReferences")[0].split("---\n")[-1].splitlines()
    return [re.split(r"\s{2,}", line.strip()) for line in lines]


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


def test_numbers_are_those_of_the_functions(classifiers):
    report = lb.report.text(classifiers, prob=0.9, rope=0.05)
    board = lb.leaderboard(classifiers, prob=0.9)
    for cells, row in zip(rows(report), board.itertuples(), strict=True):
        low, high = logodds(row.epp_lower), logodds(row.epp_upper)
        ranks = f"{row.rank_lower}–{row.rank_upper}"
        assert cells == [
            str(row.rank), row.player, logodds(row.epp), f"[{low}, {high}]",
            probability(row.p_average), probability(row.p_best),
            ranks if row.rank_lower < row.rank_upper else str(row.rank_lower),
        ]  # fmt: skip
    results = section(report, "Results")
    first, second = board["player"].head(2)
    plain = lb.compare(classifiers, first, second, prob=0.9).to_pandas()
    near = lb.compare(classifiers, first, second, prob=0.9, rope=0.05).to_pandas()
    found = lb.deviance(classifiers)
    for number in (
        f"(posterior probability {probability(plain['p_better'])})",
        f"{logodds(plain['epp_difference'])} [{logodds(plain['epp_lower'])}, ",
        f"{probability(plain['win_probability'])} [{probability(plain['win_lower'])}, ",
        f"equivalent with posterior probability {probability(near['p_equivalent'])}; the leader",
        f"with {probability(near['p_better'])}, and worse with {probability(near['p_worse'])}.",
        f"with probability {probability(float(lb.check(classifiers)['p_round']))}",
        f"exactly is {found['value']:.1f} on {int(found['df'])} ",
        f"rank is between {board['rank_lower'][0]} and {board['rank_upper'][0]} ",
    ):
        assert number in results
    tied = lb.tied_for_top(classifiers, prob=0.9)[1:]
    assert f"{('One', 'Two')[len(tied) - 1]} other player" in results
    assert all(player in results for player in tied)
    assert "90% credible interval" in results
    assert "at least 0.9;" in section(report, "Methods")


def test_numbers_of_tournaments(together):
    results = section(lb.report.text(together), "Results")
    leader = lb.leaderboard(together)["player"][0]
    leads = (lb.study.compare(together, draws=0)["leader"] == leader).sum()
    assert leads == 3
    assert "It leads all 3 tournaments." in results
    assert "τ = 0.71" in results
    assert "in a new tournament" in results


def test_numbers_of_the_best_score(best):
    report = lb.report.text(best["sota"], prob=0.9)
    found = lb.sota.summary(best["sota"], prob=0.9)
    results = section(report, "Results")
    for name in ("theta_sota", "observed_max", "expected_max"):
        assert f"{float(found[name]):.4f}" in results
    interval = f"[{float(found['theta_sota_lower']):.4f}, {float(found['theta_sota_upper']):.4f}]"
    assert f"(90% credible interval {interval})" in results
    teams = lb.leaderboard(best["sota"], prob=0.9)
    for cells, row in zip(rows(report), teams.itertuples(), strict=True):
        assert cells[1:] == [
            row.team, f"{row.score:.4f}", f"{row.theta:.4f}", f"[{row.lower:.4f}, {row.upper:.4f}]",
            probability(row.p_sota), probability(row.p_best),
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("better", "words"),
    [
        (0.9999, "almost certainly better"), (0.96, "very probably better"),
        (0.8, "probably better"), (0.65, "perhaps better"), (0.55, "That it is better"),
    ],
)  # fmt: skip
def test_words_are_as_sure_as_the_probability(classifiers, monkeypatch, better, words):
    from leaderbayes.report import _facts

    compare = _facts.compare
    monkeypatch.setattr(
        _facts, "compare", lambda *given, **options: _with(compare(*given, **options), better)
    )
    results = section(lb.report.text(classifiers), "Results")
    assert words in results
    assert ("which tells the two apart" in results) == (better >= 0.95)
    # Of Laplace's approximation only: a sampler's probability is what it says.
    approximate = json.loads(classifiers.attrs["arguments"])["sampler"] == "laplace"
    assert ("close call" in results) == (approximate and better == 0.96)


def _with(compared, better):
    return compared.assign(p_better=better)


def test_probability_shows_on_which_side_of_the_level_it_is():
    assert against(0.9496, 0.95, 3) == "0.9496"
    assert against(0.948, 0.95, 3) == "0.948"
    assert against(0.951, 0.95, 3) == "0.95"
    assert against(0.9499, 0.95, 2) == "0.9499"
    assert against(0.9999, 0.95, 3) == "> 0.999"


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


def test_labels_are_unique():
    names = ["x" * 70 + str(k) for k in range(3)] + ["y", "y\u200b"]
    assert len(set(labels(names).values())) == 5
    assert labels(["a  b"]) == {"a  b": "a b"}


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
        "dt = lb.fit(lb.datasets.load_classifiers('iris'), sampler='laplace', draws=50, seed=1)\n"
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


def test_references_are_those_of_the_citation_file():
    """What CITATION.cff asks to cite, reports cite with the same title, year and place."""
    asked = (Path(__file__).parents[3] / "CITATION.cff").read_text(encoding="utf-8")
    keys = {"gosiewska2022", "gajda2022", "mollersen2025"}
    for key in keys:
        _, fields = entries()[key]
        assert f"doi: {fields['doi']}" in asked
        block = next(part for part in asked.split("  - type: article") if fields["doi"] in part)
        for name in ("title", "journal", "year"):
            assert fields[name] in block
    assert asked.count("- type: article") == len(keys)
