"""What the page says of each board: its numbers are those of the functions."""

import re
import warnings
from html import unescape
from itertools import pairwise

import numpy as np
import pytest

import leaderbayes as lb
from conftest import often_by_little
from leaderbayes.report._boards import Axis, widest


def rows_of(text):
    """Sort keys of the rows of the first leaderboard."""
    section = text.split('<section id="leaderboard"')[1].split("</tbody>")[0].split("<tbody>")[1]
    rows = section.split("<tr")[1:]
    return [[unescape(v) for v in re.findall(r'data-value="([^"]*)"', row)] for row in rows]


def test_table_is_the_leaderboard(page, laplace):
    table = lb.leaderboard(laplace)
    columns = ["rank", "player", "epp", "groups", "score", "won", "p_best", "ranks", "p_average"]
    # Equal first ranks are sorted by the last.
    ends = zip(table["rank_lower"], table["rank_upper"], strict=True)
    table["ranks"] = [f"{low}.{high:06d}" for low, high in ends]
    group = lb.groups(laplace).groupby("player")["group"]
    ends = zip(group.min()[table["player"]], group.max()[table["player"]], strict=True)
    table["groups"] = [f"{first}.{last:06d}" for first, last in ends]
    record = lb.win_probability(laplace, by="record")
    won = (record["won"].sum("opponent") / record["played"].sum("opponent")).to_series()
    table["won"] = won[table["player"]].to_numpy()
    rows = rows_of(page.read_text("utf-8"))
    assert rows == [[str(v) for v in row] for row in table[columns].to_numpy()]


def test_thick_intervals_hold_half(page, laplace):
    inner = lb.leaderboard(laplace, prob=0.475)
    outer = lb.leaderboard(laplace)
    axis = Axis(float(outer["epp_lower"].min()), float(outer["epp_upper"].max()))
    drawn = re.findall(r'class="inner" d="M([\d.]+) 5H([\d.]+)"', page.read_text("utf-8"))
    ends = [(axis(low), axis(high)) for low, high in inner[["epp_lower", "epp_upper"]].to_numpy()]
    assert [(float(low), float(high)) for low, high in drawn] == ends


def test_pairs_are_those_of_compare(page, laplace, numbers):
    read = numbers(page)
    (board,) = read["boards"]
    at = 0
    for i, a in enumerate(board["players"]):
        for b in board["players"][i + 1 :]:
            told = lb.compare(laplace, a, b)
            for name, expected in {
                "win": "win_probability",
                "lower": "win_lower",
                "upper": "win_upper",
                "better": "p_better",
            }.items():
                assert board[name][at] / read["scale"] == pytest.approx(
                    float(told[expected]), abs=1e-5
                )
            at += 1
    assert at == len(board["win"])


def test_ranks_are_those_of_rank_probability(page, laplace, numbers):
    read = numbers(page)
    (board,) = read["boards"]
    share = lb.rank_probability(laplace).sel(player=board["players"])
    np.testing.assert_allclose(np.array(board["rank"]) / read["scale"], share, atol=1e-5)
    top = [lb.p_top(laplace, k)[board["players"]] for k in share["rank"].to_numpy()]
    np.testing.assert_allclose(np.array(board["top"]).T / read["scale"], top, atol=1e-5)


def test_labels_of_alike_names_differ(scores, numbers, tmp_path):
    names = [f"a very long name {k} that ends alike" for k in range(6)]
    made = lb.fit(scores.assign_coords(player=names), sampler="laplace", seed=1)
    (board,) = numbers(lb.report.html(made, tmp_path / "p.html"))["boards"]
    assert len(set(board["labels"])) == 6
    assert max(map(len, board["labels"])) < 30


def test_top_bounds_charts_and_not_the_table(laplace, numbers, tmp_path):
    made = lb.report.html(laplace, tmp_path / "p.html", top=3)
    (board,) = numbers(made)["boards"]
    assert board["players"] == list(lb.leaderboard(laplace)["player"][:3])
    assert [len(board[name]) for name in ("win", "lower", "upper", "better", "rank")] == [3] * 5
    assert len(rows_of(made.read_text("utf-8"))) == 6


def test_study_switches_between_tournaments(study, numbers, tmp_path):
    made = lb.report.html(study, tmp_path / "p.html", prob=0.9)
    text = made.read_text("utf-8")
    boards = numbers(made)["boards"]
    assert [board["name"] for board in boards] == ["one", "two/2", "three", "reversed"]
    assert [len(board["players"]) for board in boards] == [6, 6, 5, 6]
    compared = lb.study.compare(study, prob=0.9)
    across = text.split('<section id="across"')[1].split("</section>")[0]
    for leader, tied in zip(compared["leader"], compared["tied_for_top"], strict=True):
        assert f'data-value="{leader}"' in across
        assert f'data-value="{tied}"' in across


@pytest.mark.parametrize(("low", "high"), [(-6.2, 4.1), (0.70, 0.91), (-0.001, 0.002), (3.0, 3.0)])
def test_axis(low, high):
    axis = Axis(low, high)
    assert 0.0 < axis(low) <= axis(high) < 100.0
    ticks = axis.ticks()
    assert 1 <= len(ticks) <= 7
    values = [float(label.replace("−", "-")) for _, label in ticks]
    np.testing.assert_allclose([axis(v) for v in values], [at for at, _ in ticks], atol=0.02)


@pytest.mark.parametrize(("low", "high"), [(-0.003114, -0.003097), (-12345.0, -12344.0)])
def test_wide_numbers_below_an_axis_do_not_touch(low, high):
    ticks = Axis(low, high).ticks()
    assert len(ticks) in (2, 3)
    for (at, label), (following, _) in pairwise(ticks):
        # Of the narrowest axis there is, 20 digits wide.
        assert following - at > 100.0 * (len(label) - 0.5) / 21.0


def test_there_is_room_for_what_is_widest():
    rows = [{"text": "0.9", "interval": "0.8 to 1.0"}, {"text": "0.987", "interval": "0.9 to 1.0"}]
    assert widest(rows) == pytest.approx(1.1 * 4.5 + 0.9 * 7.0)


@pytest.mark.filterwarnings("ignore::leaderbayes.LeaderbayesWarning")
def test_who_leads_by_score_stands_beside(tmp_path):
    scores = often_by_little().assign_coords(player=["<b>a", "b", "c"])
    fit = lb.fit(scores, sampler="laplace", seed=1)
    text = lb.report.html(fit, tmp_path / "p.html").read_text("utf-8")
    said = lb.leaderboard(fit).attrs["disagreement"]
    assert said.startswith("By mean score 'b' leads, by 0.0055 over '<b>a': ")
    assert f"<p>{said}</p>" in unescape(text)
    assert "<b>a" not in text
    means = scores.mean("round").to_series()
    for row in rows_of(text):
        assert float(row[4]) == pytest.approx(means[row[1]])
    fit.attrs["converged"] = 0
    text = lb.report.html(fit, tmp_path / "p.html").read_text("utf-8")
    assert "By mean score" not in text


def test_scores_sort_the_best_way_first(tmp_path):
    for higher_is_better, way in ((True, "desc"), (False, "asc")):
        scores = often_by_little(higher_is_better=higher_is_better)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lb.LeaderbayesWarning)
            fit = lb.fit(scores, sampler="laplace", seed=1)
        text = lb.report.html(fit, tmp_path / "p.html").read_text("utf-8")
        assert re.search(rf'data-first="{way}" title="Mean score[^"]*">Score<', text)


def test_tournaments_together_have_no_score_beside(together, tmp_path):
    text = lb.report.html(together, tmp_path / "p.html").read_text("utf-8")
    first, *each = text.split('id="caption-')[1:]
    assert ">Score<" not in first
    assert all(">Score<" in board.split("</table>")[0] for board in each)
