"""An anchor, and Elo points."""

import json
import re

import numpy as np
import pytest

import leaderbayes as lb
import posteriors
from conftest import tree
from figures import axes, segments

ELO = 400.0 / np.log(10.0)


@pytest.fixture(scope="module")
def fit():
    rng = np.random.default_rng(1)
    return tree(np.array([1.0, 0.3, -1.3]) + 0.3 * rng.normal(size=(2, 200, 3)))


def at_a_cost(function):
    """Call a function of a posterior and costs."""

    def called(dt, **asked):
        names = dt["posterior"]["player"].to_numpy()
        return function(dt, {name: k + 1.0 for k, name in enumerate(names)}, **asked)

    return called


@pytest.fixture(scope="module")
def means():
    return posteriors.means(posteriors.losses())


def test_draws_are_transformed(fit):
    draws = fit["posterior"]["epp"].to_numpy().reshape(-1, 3)
    table = lb.leaderboard(fit, anchor="p1", scale="elo", anchor_at=1200, prob=0.9)
    elo = 1200.0 + ELO * (draws - draws[:, [1]])
    np.testing.assert_allclose(table["elo"], elo.mean(axis=0))
    np.testing.assert_allclose(table["elo_lower"], np.quantile(elo, 0.05, axis=0))
    np.testing.assert_allclose(table["elo_upper"], np.quantile(elo, 0.95, axis=0))
    assert table.loc[1, ["elo_lower", "elo", "elo_upper"]].tolist() == [1200.0] * 3
    assert table.attrs["anchor"] == "p1"
    # All that is no strength stays.
    rest = lb.leaderboard(fit, prob=0.9).drop(columns=["epp", "epp_lower", "epp_upper"])
    assert table[list(rest)].equals(rest)


def test_400_points_are_a_factor_of_ten(fit):
    table = lb.leaderboard(fit, scale="elo").set_index("player")["elo"]
    odds = np.exp(lb.leaderboard(fit).set_index("player")["epp"])
    assert 10.0 ** ((table["p0"] - table["p2"]) / 400.0) == pytest.approx(odds["p0"] / odds["p2"])
    # Without an anchor the average player is.
    average = fit["posterior"]["epp"].mean().item()
    assert table.mean() == pytest.approx(1000.0 + ELO * average)


def test_an_anchor_alone(fit):
    pair = lb.compare(fit, "p0", "p2")
    table = lb.leaderboard(fit, anchor="p2").set_index("player")
    own = table.loc["p0", ["epp", "epp_lower", "epp_upper"]]
    expected = [pair["epp_difference"], pair["epp_lower"], pair["epp_upper"]]
    np.testing.assert_allclose(own.astype(float), [float(e) for e in expected])


def test_scores_and_theta_have_differences(means):
    for dt in (means, posteriors.teams()):
        plain = lb.leaderboard(dt)
        who = plain.columns[0]
        table = lb.leaderboard(dt, anchor=plain[who][2])
        assert table["difference"][2] == table["difference_upper"][2] == 0.0
        pair = lb.compare(dt, plain[who][0], plain[who][2])
        assert table["difference_lower"][0] == pytest.approx(float(pair["difference_lower"]))
        same = plain.drop(columns=[c for c in plain if c.startswith("difference")])
        assert table[list(same)].equals(same)


@pytest.mark.parametrize(
    ("of", "asked", "words"),
    [
        ("means", {"scale": "elo"}, "scale='elo' is for log-odds, and score is in the metric's"),
        ("means", {"anchor": "nobody"}, "no player 'nobody'"),
        ("fit", {"anchor_at": 1200}, "add scale='elo'"),
        ("fit", {"scale": "elo", "anchor_at": np.inf}, "anchor_at=inf"),
        ("fit", {"scale": "glicko"}, "scale='glicko'"),
    ],
)
def test_refused(request, tmp_path, of, asked, words):
    dt = request.getfixturevalue(of)
    plots = lb.plots.leaderboard, lb.plots.groups
    for function in (lb.leaderboard, *plots, lb.report.text, at_a_cost(lb.frontier)):
        with pytest.raises(lb.LeaderbayesError, match=words):
            function(dt, **asked)
    with pytest.raises(lb.LeaderbayesError, match=f"Board 'A': .*{words}"):
        lb.report.site({"A": dt}, tmp_path, **asked)


def test_estimates_have_none(scores):
    estimate = lb.likelihood.bradley_terry(lb.matches(scores))
    for function in (lb.leaderboard, lb.report.text):
        with pytest.raises(lb.LeaderbayesError, match="are for posteriors"):
            function(estimate, scale="elo")


def test_publish(fit, means):
    shown = lb.leaderboard(fit, anchor="p1", scale="elo", columns="publish")
    assert shown.loc[1, "elo"] == "1000 [1000, 1000]"
    assert shown.attrs["note"].endswith("of ten of the odds, p1 at 1000.")
    table = lb.leaderboard(means, anchor="p0", columns="publish")
    assert (table["difference"] == "").tolist() == (table["player"] == "p0").tolist()


def test_figures(fit, means):
    ax = axes(lb.plots.leaderboard(fit, anchor="p1", scale="elo"))
    assert ax.get_xlabel() == "Elo (p1 at 1000)"
    ends, _ = segments(ax)
    assert ends[1].tolist() == [1000.0, 1000.0]
    ax = axes(lb.plots.leaderboard(means, anchor="p0"))
    assert ax.get_xlabel() == "score less that of p0 (the metric's unit)"
    table = lb.leaderboard(means, anchor="p0")
    ends = table[["difference_lower", "difference_upper"]]
    np.testing.assert_allclose(segments(ax)[0][:5], ends)
    grouped = axes(lb.plots.groups(means, anchor="p0"))
    assert grouped.get_xlabel() == ax.get_xlabel()
    np.testing.assert_allclose(segments(grouped)[0][:5], ends)


def test_cost(fit, means):
    for dt, asked, column in (
        (fit, {"anchor": "p1", "scale": "elo"}, "elo"), (means, {"anchor": "p0"}, "difference"),
    ):  # fmt: skip
        table, plain = (at_a_cost(lb.frontier)(dt, **each) for each in (asked, {}))
        board = lb.leaderboard(dt, **asked).set_index("player").loc[table["player"]]
        for end in ("", "_lower", "_upper"):
            np.testing.assert_array_equal(table[column + end], board[column + end])
        assert table["p_frontier"].equals(plain["p_frontier"])
        ax = axes(at_a_cost(lb.plots.frontier)(dt, **asked))
        assert next(iter(asked.values())) in ax.get_ylabel()


def test_site(scores, tmp_path):
    dt = posteriors.strengths(scores, [1.5, 1.0, 0.1, 0.0, -0.5, -2.1])
    lb.report.site({"A": dt}, tmp_path, anchor="p3", scale="elo")
    rows = json.loads((tmp_path / "a.json").read_text())["boards"][0]["leaderboard"]
    assert [row["elo"] for row in rows if row["player"] == "p3"] == [1000.0]
    assert "vertical, p3" in (tmp_path / "a.html").read_text()


def test_reports(scores, tmp_path):
    dt = posteriors.strengths(scores, [1.5, 1.0, 0.1, 0.0, -0.5, -2.1])
    text = lb.report.text(dt, anchor="p3", scale="elo")
    table = lb.leaderboard(dt, anchor="p3", scale="elo")
    assert f"is p0 (Elo {table['elo'][0]:.0f}, 95%" in " ".join(text.split())
    assert "Elo: 400 points for each factor of ten of the odds, p3 at 1000" in " ".join(
        text.split()
    )
    gap = table["elo"][0] - table["elo"][1]
    assert f"The difference in Elo is {gap:.0f} (" in " ".join(text.split())
    assert re.search(r"p3 +1000 +1000 to 1000", text)
    assert "& Elo &" in lb.report.latex(dt, anchor="p3", scale="elo")
    page = lb.report.html(dt, tmp_path / "page.html", anchor="p3", scale="elo").read_text()
    assert "vertical, p3" in page
    assert f"<b>{table['elo'][0]:.0f}</b>" in page
