"""Reports of mean scores: numbers, words, and what is not said of them."""

import json
import re
from html import unescape

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from conftest import board
from leaderbayes.report._scores import facts_of_scores
from leaderbayes.report._style import number, probability
from prose import rows, section


@pytest.fixture(params=["mean_score", "mean_score_folds", "mean_score_flat", "mean_score_items"])
def fit(request, of_scores):
    return of_scores[request.param]


@pytest.fixture(scope="module")
def page_of_losses(of_scores, tmp_path_factory):
    return lb.report.html(of_scores["mean_score"], tmp_path_factory.mktemp("page") / "page.html")


def test_numbers_are_those_of_the_functions(fit):
    report = lb.report.text(fit, prob=0.9, rope=0.1)
    table = lb.leaderboard(fit, prob=0.9)
    first, *others = rows(report)
    digits, apart = (len(cell.split(".")[1]) for cell in (first[2], others[0][4]))
    assert apart >= digits >= 2
    for cells, row in zip(others, table.iloc[1:].itertuples(), strict=True):
        low, high = row.rank_lower, row.rank_upper
        ranks = f"{low}–{high}" if low < high else str(low)
        assert cells == [
            str(row.rank), row.player, number(row.score, digits),
            f"[{number(row.score_lower, digits)}, {number(row.score_upper, digits)}]",
            number(row.difference, apart),
            f"[{number(row.difference_lower, apart)}, {number(row.difference_upper, apart)}]",
            cells[6], probability(row.p_best), ranks,
        ]  # fmt: skip
        assert float(cells[6]) == pytest.approx(row.win_rate, abs=0.0051)
    results = section(report, "Results")
    names = table["player"].head(2)
    plain = lb.compare(fit, *names, prob=0.9)
    near = lb.compare(fit, *names, prob=0.9, rope=0.1)
    gap, low, high = (
        number(float(plain[f"difference{end}"]), apart) for end in ("", "_lower", "_upper")
    )
    for expected in (
        f"(posterior probability {probability(float(plain['p_better']))})"
        if plain["p_better"] >= 0.6
        else f"has posterior probability {probability(float(plain['p_better']))}",
        f"less the other's is {gap} [{low}, {high}].",
        f"equivalent with posterior probability {probability(float(near['p_equivalent']))}; the",
    ):
        assert expected in results
    tied = lb.tied_for_top(fit, prob=0.9)[1:]
    assert all(player in results for player in tied)
    assert "differ by 0.1 or less (Benavoli et al., 2017)" in section(report, "Methods")


def test_nothing_is_said_of_matches(fit, tmp_path):
    for report in (lb.report.text(fit), lb.report.latex(fit)):
        assert not re.search(r"log-odds|EPP|average strength|deviance|Bradley|weight η", report)
        assert "was not checked" in report.replace("\n", " ")
    page = lb.report.html(fit, tmp_path / "p.html").read_text("utf-8")
    # The model's card has its own words, and the charts' library is Bokeh's.
    said = page.split("<body>")[1].split('<section id="model"')[0]
    assert not re.search(r"log-odds|Strength|beats|[Dd]eviance|Goodness|average player", said)
    assert 'id="fit"' not in page
    assert 'id="chart-fit"' not in page


def test_what_was_done_is_said(of_scores):
    said = {name: section(lb.report.text(fit), "Methods") for name, fit in of_scores.items()}
    assert "(log_loss) of 6 players in 10 rounds" in said["mean_score"]
    assert "(lower scores are better)" in said["mean_score"]
    assert "half-Cauchy prior of scale 1.5 with a floor of 0.1" in said["mean_score"]
    assert "Missing scores were filled in again and again" in said["mean_score"]
    assert "Nadeau" not in said["mean_score"]
    assert "f/(1 − f) = 0.25 times" in said["mean_score_folds"]
    assert "on fresh data" in said["mean_score_folds"]
    assert "Rubin" in said["mean_score_items"]
    assert "5 players on 40 items in 10 clusters" in said["mean_score_items"]
    assert "on the logit scale" in said["mean_score_items"]
    for words in ("(a flat prior)", "too bold", "drawn directly: 2,000 independent draws"):
        assert words in said["mean_score_flat"]
    assert "R-hat" not in said["mean_score_flat"]


@pytest.mark.parametrize("likelihood", ["normal", "dirichlet"])
def test_flat_priors(of_scores, likelihood):
    name = "mean_score_items" if likelihood == "dirichlet" else "mean_score_folds"
    dt = of_scores[name].copy()
    dt.attrs["sampler"] = "exact"
    arguments = json.loads(dt.attrs["arguments"]) | {"prior_scale": np.inf}
    dt.attrs["arguments"] = json.dumps(arguments)
    said = section(lb.report.text(dt), "Methods")
    assert "(a flat prior): each pair is compared by its own scores" in said
    assert ("a difference has luck that all rounds share" in said) == (likelihood == "normal")
    assert "τ" not in said


def test_not_converged(of_scores, tmp_path):
    dt = of_scores["mean_score_items"].copy()
    dt.attrs |= {"converged": 0, "max_rhat": 1.2, "warnings": '["LB001 not converged."]'}
    for report in (lb.report.text(dt), lb.report.latex(dt)):
        assert "This fit did not converge, and none of its numbers is a result: LB001" in report
        assert "No results are given" in report
        assert "tabular" not in report
        assert "p1" not in report
    page = lb.report.html(dt, tmp_path / "p.html").read_text("utf-8")
    assert page.count("Not converged: do not report these numbers.") == 2
    assert "it is the best" not in page


def test_names_are_escaped(of_scores):
    dt = of_scores["mean_score"].copy()
    names = [r"a_b%$#{}~^\&", "p_1", "new\nline", "$x^2$", "[b] \\\\ c", "<i>"]
    for group in ("posterior", "observed_data", "constant_data"):
        dt[group] = dt[group].to_dataset().assign_coords(player=names)
    made = lb.report.latex(dt)
    for shown in (r"a\_b\%\$\#\{\}", r"p\_1", "new line", r"\$x\textasciicircum{}2\$"):
        assert shown in made
    # What may stand in brackets in the first column begins no option of a new row.
    assert not re.search(r"\\\\ ?\n\[", made)
    assert len(re.findall(r" \\\\$", made, re.MULTILINE)) == 7


def test_rows_of_the_page(page_of_losses, of_scores):
    """Losses: the lowest is first, and its heading sorts it to the top."""
    text = page_of_losses.read_text("utf-8")
    table = lb.leaderboard(of_scores["mean_score"])
    assert table["score"].is_monotonic_increasing
    part = text.split('<section id="leaderboard"')[1].split("</section>")[0]
    assert 'data-first="asc">Mean score</button>' in part
    assert "the metric&#39;s unit (lower is better): dot" in part
    assert 'data-first="asc" title="Score less' in part
    shown = re.findall(
        r'<td class="n" data-value="([^"]*)">([^<]*)<span class="beside">([^<]*)', part
    )
    # The first is behind nobody.
    for cells, row in zip(shown, table.iloc[1:].itertuples(), strict=True):
        assert float(cells[0]) == row.difference
        low, high = number(row.difference_lower), number(row.difference_upper)
        assert [unescape(cell) for cell in cells[1:]] == [
            number(row.difference),
            f"{low} to {high}",
        ]
    assert "<dt>Better is</dt><dd>lower</dd>" in text


def test_items_are_counted(of_scores, tmp_path):
    page = lb.report.html(of_scores["mean_score_items"], tmp_path / "p.html").read_text("utf-8")
    assert "<dt>Items</dt><dd>40</dd>" in page
    assert "<dt>Clusters</dt><dd>10</dd>" in page
    assert "Divergent" not in page.split("<script>")[0]


def test_pairs_of_the_page(page_of_losses, of_scores, numbers):
    fit = of_scores["mean_score"]
    read = numbers(page_of_losses)
    (made,) = read["boards"]
    at = 0
    for i, a in enumerate(made["players"]):
        for b in made["players"][i + 1 :]:
            told = lb.compare(fit, a, b)
            assert made["better"][at] / read["scale"] == pytest.approx(
                float(told["p_better"]), abs=1e-5
            )
            for name, end in (("mean", ""), ("lower", "_lower"), ("upper", "_upper")):
                assert made["gap"][name][at] == round(
                    float(told[f"difference{end}"]), made["digits"]
                )
            assert made["record"]["won"][at] == float(told["record_won"])
            at += 1
    assert at == len(made["better"])


def test_two_players_in_words(page_of_losses, of_scores, visit):
    page = visit(page_of_losses)
    fit = of_scores["mean_score"]
    assert "Goodness" not in page.locator("nav").text_content()
    a, b = lb.leaderboard(fit)["player"].iloc[[3, 1]]
    page.get_by_label("Player", exact=True).select_option(label=a)
    page.get_by_label("Opponent", exact=True).select_option(label=b)
    told = lb.compare(fit, a, b)
    gap, low, high = (number(float(told[f"difference{end}"])) for end in ("", "_lower", "_upper"))
    shown = page.locator("#answer").text_content()
    assert shown.startswith(f"{a} is better than {b} with probability ")
    assert (
        f"Its mean score less the other's is {gap} (95\u00a0% interval {low} to {high})." in shown
    )
    assert "Their own rounds alone, of which it won " in shown
    assert (
        f"{told['record']:.2f} ({told['record_lower']:.2f} to {told['record_upper']:.2f})." in shown
    )
    page.locator("[data-table='win'] summary").click()
    table = page.locator("[data-table='win'] table")
    table.wait_for()
    assert (
        table.locator("caption").text_content()
        == "Probability that the row is better than the column"
    )
    page.set_viewport_size({"width": 390, "height": 844})
    # Figures follow the window when they get to it, on a busy machine a moment later. The page's
    # policy forbids the eval by which `wait_for_function` would ask a second time.
    for _ in range(400):
        width = page.evaluate("document.documentElement.scrollWidth")
        if width == 390:
            break
        page.wait_for_timeout(50)
    assert width == 390


def test_a_real_fit_of_either_kind(tmp_path):
    """What `fit` records is what reports read."""
    rng = np.random.default_rng(1)
    right = board((rng.random((4, 60)) < np.array([[0.9], [0.7], [0.6], [0.2]])).astype(float))
    items = lb.fit(right, "mean_score", seed=1)
    flat = lb.fit(board(rng.normal(size=(4, 12))), "mean_score", prior_scale=np.inf, seed=1)
    for dt, word in ((items, "items"), (flat, "rounds")):
        assert word in section(lb.report.text(dt), "Methods")
        assert facts_of_scores(dt, json.loads(dt.attrs["arguments"]))["players"] == 4
        assert lb.report.html(dt, tmp_path / "p.html").stat().st_size > 100_000


@pytest.mark.parametrize(
    ("options", "called", "unit", "said"),
    [
        ({"of": "standardised"}, "mean score", "in standard deviations of the round's", "t-test"),
        ({"of": "distance", "statistic": "median"}, "median score", "(0) to its worst", "Rubin"),
        ({"of": "share", "prior_scale": np.inf}, "mean score", "as share of the round", "t-test"),
        ({"statistic": "iqm", "test_fraction": 0.2}, "interquartile mean score", "metric's unit",
         "weights vary as if there were luck that all rounds share, with f/(1 − f) = 0.25"),
    ],
)  # fmt: skip
def test_what_is_reported_and_its_unit(options, called, unit, said, tmp_path):
    rng = np.random.default_rng(2)
    values = 3.0 + rng.normal(size=12) + np.arange(4)[:, None] + rng.normal(size=(4, 12))
    scores = board(values - values.min() + 1.0, higher_is_better=0)
    dt = lb.fit(scores, "mean_score", seed=1, draws=200, progressbar=False, **options)
    report = lb.report.text(dt, rope=0.1)
    methods, results = (section(report, name) for name in ("Methods", "Results"))
    assert f"each player's {called}" in methods
    assert f"where their {called}s differ" in methods
    assert unit in methods
    assert said in methods
    assert not re.search(r"\bitems?\b|logit", methods)
    assert ("a flat prior" in methods) == ("prior_scale" in options)
    best = "highest" if options.get("of") == "share" else "lowest"
    assert f"The player of {best} {called} is {lb.leaderboard(dt)['player'][0]}" in results
    assert "tabular" in lb.report.latex(dt)
    page = unescape(lb.report.html(dt, tmp_path / "p.html").read_text("utf-8"))
    assert f"{called.capitalize()} " in page.split('<caption id="caption-0">')[1][:40]
    assert f'"quantity":"{called}"' in page
    assert "<dt>Rounds</dt><dd>12</dd>" in page


def test_missing_answers_are_said():
    rng = np.random.default_rng(3)
    right = (rng.random((3, 50)) < 0.7).astype(float)
    right[0, :5] = np.nan
    methods = section(lb.report.text(lb.fit(board(right), "mean_score", seed=1)), "Methods")
    assert "Of 150 scores, 5 (3.3%) were missing" in methods
    assert "filled in by weighted least squares" in methods


@pytest.fixture(scope="module")
def several():
    rng = np.random.default_rng(1)
    values = np.array([[0.0], [0.4]]) + 0.3 * rng.normal(size=(8, 2, 1))
    values = values + 0.3 * rng.normal(size=(8, 2, 5))
    names = xr.Variable("tournament", [f"data {q}" for q in range(8)])
    scores = xr.concat([board(y) for y in values], names).assign_attrs(board(values[0]).attrs)
    return lb.fit(scores, "score_tournaments", seed=1, progressbar=False)


@pytest.mark.slow
def test_of_several_tournaments(several):
    report = lb.report.text(several, rope=0.1)
    methods, results = (section(report, name) for name in ("Methods", "Results"))
    assert "2 players in 40 rounds of 8 tournaments" in methods
    assert "mean score over tournaments such as these" in methods
    assert "Corani et al., 2017" in methods
    pair = lb.compare(several, "p1", "p0", rope=0.1)
    plain = lb.compare(several, "p1", "p0")
    assert f"posterior probability {probability(float(pair['mean_better']))}" in results
    new = probability(float(plain["p_better"]))
    assert f"is better than that player with posterior probability {new}" in results
    near = probability(float(pair["p_equivalent"]))
    assert f"There the two are practically equivalent with posterior probability {near}" in results
    assert [cells[1] for cells in rows(report)] == ["p1", "p0"]
    assert "tabular" in lb.report.latex(several)
    one = lb.report.text(lb.study.select(several, "data 3"))
    assert "5 rounds of tournament data 3" in section(one, "Methods")
    assert "In a new tournament" not in one


def test_page_of_several_tournaments(several, tmp_path):
    page = unescape(lb.report.html(several, tmp_path / "p.html").read_text("utf-8"))
    assert "All tournaments" in page
    assert "Mean scores over data sets" in page
    for name in several["constant_data"]["scores"]["tournament"].to_numpy():
        assert f"{name}" in page
