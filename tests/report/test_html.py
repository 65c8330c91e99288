"""The page's file: its numbers, what it does to names, its size, and its errors."""

import re
import warnings
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb
from conftest import study_of
from leaderbayes.report._card import card_of
from leaderbayes.report._html import _title
from leaderbayes.report._style import number
from leaderbayes.report._verdicts import probability

ROOT = Path(__file__).parents[2]


def test_fit_and_settings_are_told(page, laplace):
    text = page.read_text("utf-8")
    checked = lb.check(laplace, seed=laplace.attrs["seed"])
    found = lb.deviance(laplace)
    for p in (checked["p_round"], checked["p_naive"], found["p_value"]):
        assert f'<td class="n">{probability(float(p))}</td>' in unescape(text)
    assert f"deviance {found['value']:.1f} on {int(found['df'])} degrees" in text
    assert f"<dt>Weight of a match</dt><dd>{laplace.attrs['weight']:.3f}</dd>" in text
    assert "Pareto k" in text


def test_same_fit_same_page(page, laplace, tmp_path):
    again = lb.report.html(laplace, tmp_path / "again.html")
    assert again.read_bytes() == page.read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["again.html"]


def test_nothing_is_loaded(page):
    text = page.read_text("utf-8")
    assert "default-src 'none'" in text
    assert not re.findall(r"""<(?:script|img|link|iframe)[^>]*\b(?:src|href)=["']?https?:""", text)


def test_hostile_names_are_text(harmful, numbers, tmp_path):
    made = lb.report.html(harmful, tmp_path / "harmful.html", title="<script>hacked()</script>")
    text = made.read_text("utf-8")
    for harm in ("<script>window", "<img src=x", "<script>hacked", "</script><script>window"):
        assert harm not in text
    (board,) = numbers(made)["boards"]
    assert set(board["players"]) == set(harmful["posterior"]["player"].to_numpy())
    assert len(set(board["labels"])) == len(board["labels"])
    assert all(label.isprintable() for label in board["labels"])


def test_hundred_players_are_small(hundred, numbers):
    assert hundred.stat().st_size < 3e6
    (board,) = numbers(hundred)["boards"]
    assert len(board["win"]) == 100 * 99 / 2


def test_doubt_is_shown(laplace, tmp_path):
    doubtful = laplace.copy()
    doubtful.attrs |= {"converged": 0, "warnings": '["LB001 not <converged>"]'}
    text = lb.report.html(doubtful, tmp_path / "p.html").read_text("utf-8")
    assert text.count("Not converged: do not report these numbers.") == 2
    assert "LB001 not &lt;converged&gt;" in text


def test_study_names_those_that_did_not_converge(tmp_path):
    table = xr.DataArray([[1.0, 0.0, -1.0]] * 2, dims=("t", "p")).to_pandas()
    table.index, table.columns = ["good", "b<a>d"], ["x", "y", "z"]
    made = study_of(table, np.random.default_rng(1))
    made["b<a>d"].attrs["converged"] = 0
    text = lb.report.html(made, tmp_path / "p.html").read_text("utf-8")
    assert "1 of 2 fits did not converge" in text
    assert "<li>b&lt;a&gt;d</li>" in text


def test_table_without_a_file_gives_no_title(scores, tmp_path):
    named = scores.assign_attrs(source="the DataFrame")
    fit = lb.fit(named, sampler="laplace", seed=1)
    text = lb.report.html(fit, tmp_path / "page.html").read_text("utf-8")
    assert "<h1>Leaderboard</h1>" in text


def test_a_packed_file_names_the_page_as_the_table_in_it():
    described = [{"data": [("Source", "results/board.v2.csv.gz")]}]
    assert _title(described) == "Leaderboard: board.v2"


def test_the_tournament_names_the_page(tmp_path):
    fit = lb.fit(lb.datasets.load("classifiers", "iris"), sampler="laplace", seed=1)
    text = lb.report.html(fit, tmp_path / "page.html").read_text("utf-8")
    assert "<h1>Leaderboard: iris</h1>" in text
    assert "leads; it is the best" in text
    fit.attrs["converged"] = 0
    text = lb.report.html(fit, tmp_path / "page.html").read_text("utf-8")
    assert "Not converged" in text
    assert "leads; it is the best" not in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prob": 1.0}, "prob=1.0"),
        ({"top": 1}, "top=1"),
        ({"dt": "posterior.nc"}, "what leaderbayes.fit returns, not str"),
        ({"dt": xr.DataTree()}, "has no tournament"),
        ({"dt": xr.DataTree(children={"posterior": xr.DataTree()})}, "has no epp"),
        ({"sota": "posterior.nc"}, "what leaderbayes.sota.posterior returns"),
        ({"path": "p.tex"}, "p.tex: give a file that ends with .html or .htm."),
        ({"path": "."}, ".: give a file that ends with .html or .htm."),
        ({"path": "/proc/absent/page.html"}, "/proc/absent/page.html: cannot be written ("),
    ],
)
def test_errors_say_what_to_do(options, message, laplace, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = {"dt": laplace, "path": "page.html"} | options
    with pytest.raises(lb.LeaderbayesError, match=re.escape(message)):
        lb.report.html(given.pop("dt"), given.pop("path"), **given)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_fit_of_many_tournaments(tmp_path, numbers):
    scores = lb.datasets.load("classifiers").isel(player=slice(0, 4), tournament=slice(0, 3))
    with pytest.warns(lb.LeaderbayesWarning):
        fit = lb.fit(
            scores, "tournaments", draws=200, tune=300, chains=2, seed=1, progressbar=False
        )
    read = numbers(lb.report.html(fit, tmp_path / "p.html"))
    over_all, *each = read["boards"]
    assert [board["name"] for board in each] == list(scores["tournament"].to_numpy())
    a, b = over_all["players"][:2]
    told = lb.compare(fit, a, b)
    win = float(told["win_probability"])
    assert over_all["win"][0] / read["scale"] == pytest.approx(win, abs=1e-3)
    one = lb.study.select(fit, each[0]["name"])
    assert each[0]["players"] == list(lb.leaderboard(one)["player"])


@pytest.mark.slow
@pytest.mark.parametrize("model", ["davidson", "plackett_luce", "round_intercept"])
def test_every_model_has_its_page(model, tied_scores, tmp_path, numbers):
    with warnings.catch_warnings():
        # So few draws converge or do not: the page is the same.
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        fit = lb.fit(tied_scores, model, draws=200, tune=300, chains=2, seed=1, progressbar=False)
    path = lb.report.html(fit, tmp_path / "p.html")
    (board,) = numbers(path)["boards"]
    assert board["players"] == list(lb.leaderboard(fit)["player"])
    assert card_of(model).title in path.read_text("utf-8")


@pytest.mark.filterwarnings("ignore::leaderbayes.LeaderbayesWarning")
def test_a_study_of_votes(tmp_path):
    """Tournaments of votes have votes in place of rounds."""
    rng = np.random.default_rng(1)
    first = rng.integers(3, size=300)
    second = (first + rng.integers(1, 3, size=300)) % 3
    table = pd.DataFrame(
        {
            "model_a": [f"m{k}" for k in first],
            "model_b": [f"m{k}" for k in second],
            "winner": rng.choice(["model_a", "model_b"], 300),
            "language": rng.choice(["en", "de"], 300),
        }
    )
    votes = lb.read_votes(table, tournament="language")
    study = lb.study.fit(votes, store=tmp_path / "study", seed=1, progressbar=False)
    lb.report.html(study, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert re.search(r"3 players, 1\d\d votes", page)


def test_a_study_of_mean_scores(study_of_scores, tmp_path, numbers):
    """Who leads by how much in each tournament, and no check of matches that there are not."""
    path = lb.report.html(study_of_scores, tmp_path / "page.html")
    page = path.read_text(encoding="utf-8")
    across = page[page.index('id="across"') : page.index('id="leaderboard"')]
    table = lb.study.compare(study_of_scores)
    rows = across.split("<tbody>")[1].split("</tr>")[:-1]
    assert len(rows) == 3
    for row, said in zip(rows, table.itertuples(), strict=True):
        assert f">{said.leader}<" in row.replace("<bdi>", ">").replace("</bdi>", "<")
        assert f">{number(said.lead, 2)}<" in row
        assert f'data-value="{said.second}"' in row
    assert "Lead: by how much the leader is better" in across
    assert "Odd" not in across
    assert "Fit" not in across
    assert [board["name"] for board in numbers(path)["boards"]] == list(table["tournament"])


def test_score_tournaments_beside_each_other(tmp_path):
    scores = lb.datasets.load("classifiers").isel(player=slice(0, 4), tournament=slice(0, 3))
    fit = lb.fit(scores, "score_tournaments", test_fraction=0.2, seed=1)
    page = lb.report.html(fit, tmp_path / "page.html").read_text(encoding="utf-8")
    across = page[page.index('id="across"') : page.index('id="leaderboard"')]
    for said in lb.study.compare(fit).itertuples():
        assert said.tournament in across
        assert said.second in across
