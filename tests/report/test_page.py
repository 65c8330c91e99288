"""The page's file: its numbers are those of the functions, and names are text."""

import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
import posteriors
from conftest import cycle, study_of
from leaderbayes._files.printed import probability
from leaderbayes.report._html import _title
from leaderbayes.report._page import Axis, labels
from leaderbayes.report._style import interval, number

UPPER = np.triu_indices


def table_of(path, board=0):
    """Rows of a leaderboard: texts of cells, without what is only for those who do not see."""
    text = path.read_text("utf-8")
    body = text.split("<tbody>")[1 + board].split("</tbody>")[0]
    drop = re.sub(r'<span class="(hidden-text|tie)".*?</span>|<svg.*?</svg>', "", body, flags=re.S)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S) for row in drop.split("<tr")[1:]]
    return [[unescape(re.sub(r"<[^>]*>", " ", cell)).split() for cell in row] for row in cells]


def test_rows_are_the_leaderboard(page, classifiers):
    table, made = lb.leaderboard(classifiers), table_of(page)
    assert len(made) == len(table)
    for row, cells in zip(table.to_dict("records"), made, strict=True):
        assert cells[0] == [str(row["rank"])]
        assert " ".join(cells[1]).rstrip(" ●") == row["player"]
        shown = [number(row["epp"]), interval(row["epp_lower"], row["epp_upper"])]
        assert " ".join(cells[2]) == " ".join(shown)
        ends = [row["rank_lower"], row["rank_upper"]]
        assert cells[-1] == ["–".join(dict.fromkeys(map(str, ends)))]
        assert probability(row["p_best"]) in cells[-2]
    marked = page.read_text("utf-8").count('<tr class="leading">')
    assert marked == len(lb.tied_for_top(classifiers))


def test_numbers_are_those_of_the_functions(page, classifiers, numbers):
    read = numbers(page)
    (board,) = read["boards"]
    names = list(lb.leaderboard(classifiers)["player"])
    assert board["players"] == names
    upper, pair = UPPER(len(names), 1), {"player": names, "opponent": names}

    def close(values, expected):
        np.testing.assert_allclose(
            np.array(values) / read["scale"], expected, atol=0.6 / read["scale"]
        )

    win = lb.win_probability(classifiers)
    own = lb.win_probability(classifiers, by="record")
    kept = {key: np.take(values, board["record"]["of"]) for key, values in board["record"].items()
            if key != "of"}  # fmt: skip
    for key in ("mean", "lower", "upper"):
        close(board["win"][key], win[key].sel(pair).to_numpy()[upper])
        close(kept[key], own[key].sel(pair).to_numpy()[upper])
    np.testing.assert_allclose(kept["won"], own["won"].sel(pair).to_numpy()[upper])
    share = lb.rank_probability(classifiers).sel(player=names).to_numpy()
    close(board["rank"], share[:, : len(board["rank"][0])])
    first, second = names[:2]
    close(board["better"][0], float(lb.compare(classifiers, first, second)["p_better"]))


def test_fit_and_settings(page, classifiers):
    text = unescape(page.read_text("utf-8"))
    assert f"<bdi>{probability(classifiers.attrs['p_check'])}</bdi>" in text
    assert "<dt>Weight of a match, on average</dt><dd>0.350</dd>" in text
    assert "<dt>Sampler</dt><dd>metropolis</dd>" in text
    assert "Largest R-hat" in text
    assert "<h1>Leaderboard: breast_cancer</h1>" in text
    assert text.count("<math") > 3


@pytest.mark.parametrize("name", posteriors.POSTERIORS[1:])
@pytest.mark.parametrize("bare", [False, True])
def test_every_kind_has_its_page(kinds, name, bare, tmp_path, numbers):
    dt = posteriors.of_posteriors_own(kinds[name]) if bare else kinds[name]
    path = lb.report.html(dt, tmp_path / "page.html")
    text, boards = path.read_text("utf-8"), numbers(path)["boards"]
    first = lb.leaderboard(dt).iloc[0, 0]
    assert first in text
    if name == "sota":
        assert boards == []
        assert f"<strong>{float(lb.sota.summary(dt)['theta_sota']):.4f}</strong>" in text
    elif name in ("mean_score", "items"):
        assert "Goodness of fit" not in text
        gap = lb.compare(dt, *boards[0]["players"][:2])["difference"]
        assert boards[0]["gap"]["mean"][0] == pytest.approx(float(gap), abs=0.05)
    else:
        assert 'id="fit"' in text


def test_votes_of_pymc_need_no_replicates(kinds, tmp_path):
    made = posteriors.of_posteriors_own(kinds["votes"])
    del made["posterior_predictive"]
    assert "Goodness of fit" not in lb.report.html(made, tmp_path / "x.html").read_text("utf-8")
    text = lb.report.text(made)
    assert "Fit was checked" not in text
    for said in (" ".join(text.split()), lb.report.latex(made)):
        assert "Fit to the votes was not checked" in said
    assert "was not checked" not in lb.report.text(kinds["votes"])


def test_lower_scores_may_be_better(kinds, tmp_path):
    path = lb.report.html(kinds["mean_score"], tmp_path / "page.html")
    assert "(lower is better)" in path.read_text("utf-8")
    assert [row[1][0] for row in table_of(path)] == ["p2", "p3", "p1", "p0", "p4"]


def test_switching_between_tournaments(pages, study, numbers):
    text, read = pages.read_text("utf-8"), numbers(pages)
    assert [board["players"] for board in read["boards"]] == [
        list(lb.leaderboard(fit)["player"]) for fit in study.children.values()
    ]
    compared = lb.study.compare(study)
    across = text[text.index('id="across"') : text.index('id="leaderboard"')]
    for row in compared.itertuples():
        assert f'data-value="{row.leader}"' in across
        assert f'data-value="{row.tied_for_top}"' in across
    assert across.count("data-show=") == 4


def test_a_posterior_of_several_tournaments(several, tmp_path, numbers):
    path = lb.report.html(several, tmp_path / "page.html")
    text, boards = path.read_text("utf-8"), numbers(path)["boards"]
    assert len(boards) == 4
    assert boards[0]["scope"] == "in a new tournament"
    assert boards[0]["record"] is None
    assert boards[1]["record"] is not None
    assert '<option value="3">b&lt;a&gt;d</option>' in text


def test_the_best_is_a_section(classifiers, kinds, tmp_path):
    text = lb.report.html(classifiers, tmp_path / "p.html", sota=kinds["sota"]).read_text("utf-8")
    assert "How good is the best?" in text
    assert "<h1>Leaderboard: breast_cancer</h1>" in text
    for row in lb.check(kinds["sota"]).to_dataframe().reset_index().itertuples():
        assert f"<bdi>{row.statistic}</bdi>" in text
    with pytest.raises(lb.LeaderbayesError, match="omit sota"):
        lb.report.html(kinds["sota"], tmp_path / "p.html", sota=kinds["sota"])


def test_an_audit_is_a_section(harmful, tmp_path):
    asked = lb.audit(harmful, seed=1)
    text = lb.report.html(harmful, tmp_path / "p.html", audit=asked).read_text("utf-8")
    part = text[text.index('id="audit"') : text.index('id="compare"')]
    assert f"{asked.attrs['found']} of" in part
    assert part.count("<details>") >= 4
    assert "<script>window" not in part
    assert "<img" not in part


def test_doubt_is_shown(classifiers, tmp_path):
    made = classifiers.copy()
    made.attrs |= {"converged": 0, "warnings": '["LB001 not <converged>"]'}
    text = lb.report.html(made, tmp_path / "p.html").read_text("utf-8")
    assert text.count("The chains did not converge: do not report these numbers.") == 2
    assert "LB001 not &lt;converged&gt;" in text
    assert "leads; it is the best" not in text
    misfit = posteriors.strengths(cycle(), [0.1, 0.0, -0.1], weight=1.0)
    misfit.attrs |= {"p_check": 0.0, "deviance_ratio": 9.0, "misfit": 0.31}
    text = lb.report.html(misfit, tmp_path / "p.html").read_text("utf-8")
    assert "differ from the model by 0.31; win probabilities allow for this." in text
    assert "The model counts as much as" in text


def test_study_names_those_that_did_not_converge(tmp_path):
    table = xr.DataArray([[1.0, 0.0, -1.0]] * 2, dims=("t", "p")).to_pandas()
    table.index, table.columns = ["good", "b<a>d"], ["x", "y", "z"]
    made = study_of(table, np.random.default_rng(1))
    made["b<a>d"].attrs["converged"] = 0
    text = lb.report.html(made, tmp_path / "p.html").read_text("utf-8")
    assert "1 of 2 posteriors did not converge" in text
    assert "<li>b&lt;a&gt;d</li>" in text


def test_the_page_loads_nothing_and_is_the_same_again(page, classifiers, tmp_path):
    text = page.read_text("utf-8")
    assert "default-src 'none'" in text
    assert not re.findall(r"""<(?:script|img|link|iframe)[^>]*\b(?:src|href)=["']?https?:""", text)
    again = lb.report.html(classifiers, tmp_path / "again.html")
    assert again.read_bytes() == page.read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["again.html"]
    assert page.stat().st_size < 150_000


def test_hostile_names_are_text(harmed, harmful, numbers):
    text = harmed.read_text("utf-8")
    for harm in ("<script>window", "<img src=x", "<script>hacked", "</script><script>window"):
        assert harm not in text
    (board,) = numbers(harmed)["boards"]
    assert set(board["players"]) == set(harmful["posterior"]["player"].to_numpy())
    assert len(set(board["labels"])) == len(board["labels"])
    assert all(label.isprintable() and len(label) <= 32 for label in board["labels"])


def test_only_the_best_are_compared(classifiers, tmp_path, numbers):
    path = lb.report.html(classifiers, tmp_path / "p.html", top=4)
    (board,) = numbers(path)["boards"]
    assert board["players"] == list(lb.leaderboard(classifiers)["player"][:4])
    assert len(board["better"]) == 6
    assert len(table_of(path)) == 15


def test_bars_are_the_groups(page, classifiers):
    """Each row's path has a segment for each group of two or more that it is in."""
    text, groups = page.read_text("utf-8"), lb.groups(classifiers)
    size = groups.groupby("group")["player"].transform("size")
    expected = groups[size > 1].groupby("player").size()
    rows = text.split("<tbody>")[1].split("</tbody>")[0].split("</tr>")[:-1]
    for row in rows:
        (name,) = re.findall(r'<th scope="row" data-value="([^"]*)"', row)
        found = re.findall(r'<svg class="bars".*?d="([^"]*)"', row)
        assert sum(path.count("M") for path in found) == expected.get(unescape(name), 0)


@pytest.mark.parametrize(("low", "high"), [(-3.2, 4.1), (0.90, 0.903), (5.0, 5.0), (-1e5, 3e5)])
def test_ticks_of_the_axis(low, high):
    axis = Axis(low, high)
    ticks = axis.ticks(5)
    assert 1 <= len(ticks) <= 6
    for place, label in ticks:
        assert 0.0 <= place <= 100.0
        assert axis(float(label.replace("−", "-"))) == pytest.approx(place, abs=0.6)
    short = f"{'a' * 13}…{'a' * 13}"
    assert labels(["a" * 40, "a" * 41]) == [short, f"{short} (2)"]


def test_titles():
    packed = [{"data": [("Source", "results/board.v2.csv.gz")]}]
    assert _title(packed) == "Leaderboard: board.v2"
    assert _title([{"data": [("Source", "the DataFrame")]}]) == "Leaderboard"
    assert _title([]) == "How good is the best?"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prob": 1.0}, "prob=1.0"),
        ({"top": 1}, "top=1"),
        ({"dt": "posterior.nc"}, "not str"),
        ({"dt": xr.DataTree()}, "has no posterior"),
        ({"dt": xr.DataTree(children={"posterior": xr.DataTree()})}, "has none of epp"),
        ({"sota": "posterior.nc"}, "not str"),
        ({"path": "p.tex"}, "p.tex: choose a file name that ends with .html or .htm."),
        ({"path": "/proc/absent/page.html"}, "/proc/absent/page.html: cannot be written ("),
    ],
)
def test_errors_say_what_to_do(options, message, classifiers, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = {"dt": classifiers, "path": "page.html"} | options
    with pytest.raises(lb.LeaderbayesError, match=re.escape(message)):
        lb.report.html(given.pop("dt"), given.pop("path"), **given)
    assert list(tmp_path.iterdir()) == []


def test_cards_are_those_of_the_models():
    from leaderbayes.report._card import SECTIONS, card_of

    root = Path(__file__).parents[2] / "models"
    for folder in (path.parent for path in sorted(root.glob("*/README.md"))):
        card = card_of(folder.name, "x")
        assert tuple(card.sections) == SECTIONS
        text = "".join(card.sections.values())
        assert "$" not in text
        assert not re.search("<img|<a ", text)
    assert card_of("none", "My <model>") == ("My <model>", {})
