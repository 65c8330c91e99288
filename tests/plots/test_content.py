"""Figures of posteriors: what is drawn is what the functions of the same names return."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import leaderbayes as lb
import posteriors
from conftest import cycle, simulate
from figures import axes, cells, heat, key, points, rows, segments, titles
from leaderbayes.plots._groups import bars_of

ALL = ["fit", "several", "means", "teams"]


@pytest.fixture(params=ALL)
def any_posterior(request):
    """A posterior of each parameter, as `pm.sample` gives it."""
    return posteriors.of_posteriors_own(request.getfixturevalue(request.param))


def test_leaderboard(any_posterior):
    ax = axes(lb.plots.leaderboard(any_posterior, prob=0.8))
    table, inner = lb.leaderboard(any_posterior, prob=0.8), lb.leaderboard(any_posterior, prob=0.4)
    name = next(name for name in ("epp", "theta", "score") if f"{name}_lower" in table)
    assert rows(ax) == list(table.iloc[:, 0])
    ends, at = segments(ax)
    m = len(table)
    np.testing.assert_array_equal(at, np.tile(np.arange(m)[::-1], 2))
    for part, shown in ((slice(m), table), (slice(m, None), inner)):
        np.testing.assert_allclose(ends[part, 0], shown[f"{name}_lower"])
        np.testing.assert_allclose(ends[part, 1], shown[f"{name}_upper"])
    np.testing.assert_allclose(points(ax)[:m, 0], table[name])
    assert ax.get_xlabel().startswith(f"{name} (")
    if name == "theta":
        np.testing.assert_allclose(points(ax)[m:, 0], table["score"])


def test_the_first_of_many(wide):
    for draw in (lb.plots.leaderboard, lb.plots.groups, lb.plots.win_probability):
        shown = draw(wide, top=3)
        assert titles(shown)[0].endswith(": the best 3 of 20")
        assert rows(axes(shown)) == list(lb.leaderboard(wide)["player"][:3])


def test_leaderboards_of_a_study(across, study):
    overall = across["average"]["overall"].to_series().sort_values(ascending=False)
    ax = axes(lb.plots.leaderboard(study))
    assert rows(ax) == list(overall.index)
    np.testing.assert_allclose(ax.collections[-1].get_offsets()[:, 0], overall)
    ranked = across["average_rank"]["average_rank"].to_series().sort_values(kind="stable")
    assert rows(axes(lb.plots.leaderboard(across["average_rank"], top=2))) == list(ranked.index[:2])
    with pytest.raises(lb.LeaderbayesError, match="posterior, a study"):
        lb.plots.leaderboard(across["embedding"])


def test_win_probabilities(fit, several, means, teams):
    for dt in (fit, several, means):
        names = list(lb.leaderboard(dt)["player"])
        ax = axes(lb.plots.win_probability(dt))
        expected = lb.win_probability(dt)["mean"].sel(player=names, opponent=names)
        np.testing.assert_allclose(heat(ax), expected)
        assert rows(ax) == names
        shown = cells(ax)
        assert shown[0, 1] == f"{float(expected[0, 1]):.2f}"
        assert (1, 1) not in shown
    own = lb.win_probability(fit, by="record")["mean"].sel(player="p0", opponent="p1")
    assert heat(axes(lb.plots.win_probability(fit, by="record", top=2)))[0, 1] == float(own)
    names = list(lb.leaderboard(teams)["team"])
    better = heat(axes(lb.plots.win_probability(teams)))
    assert better[0, 3] == float(lb.compare(teams, names[0], names[3])["p_better"])


def test_rank_distribution(any_posterior):
    ax = axes(lb.plots.rank_distribution(any_posterior))
    names = list(lb.leaderboard(any_posterior).iloc[:, 0])
    share = lb.rank_probability(any_posterior)
    share = share.sel({share.dims[0]: names}).to_numpy()
    np.testing.assert_array_equal(heat(ax), share)
    shown = cells(ax)
    assert set(shown) == set(map(tuple, np.argwhere(share >= 0.005)))


@pytest.mark.parametrize("name", ["fit", "several", "means"])
def test_check_of_fit(request, name):
    dt = request.getfixturevalue(name)
    collection, found = lb.plots.deviance(dt, draws=60, seed=3), lb.check(dt, draws=60, seed=3)
    ax = axes(collection)
    assert sum(bar.get_height() for bar in ax.patches) == found["replicated"].size
    np.testing.assert_allclose(ax.lines[0].get_xdata(), float(found["observed"]))
    assert titles(collection)[0] == f"Check of fit: p = {float(found['p_value']):.2f}"


def test_check_of_teams(teams):
    ax, found = axes(lb.plots.deviance(teams)), lb.check(teams)
    assert rows(ax) == list(found["statistic"].to_numpy())
    ends, _ = segments(ax)
    np.testing.assert_allclose(ends, found[["lower", "upper"]].to_dataframe())
    np.testing.assert_allclose(points(ax)[:, 0], found["observed"])


@pytest.mark.parametrize("name", ALL)
def test_parts_of_two_players_are_their_probabilities(request, name):
    dt = request.getfixturevalue(name)
    a, b = lb.leaderboard(dt).iloc[:2, 0]
    rope = 0.004 if name == "teams" else 0.1
    answer, ax = lb.compare(dt, a, b, rope=rope), axes(lb.plots.compare(dt, a, b, rope=rope))
    # Bars in their order: better, equivalent, worse.
    mass = [sum(bar.get_width() * bar.get_height() for bar in part) for part in ax.containers]
    expected = [float(answer[p]) for p in ("p_better", "p_equivalent", "p_worse")]
    np.testing.assert_allclose(mass, expected, atol=0.02)
    (ends,), _ = segments(ax)
    end = next(e for e in ("win", "new", "difference") if f"{e}_lower" in answer)
    np.testing.assert_allclose(ends, [float(answer[f"{end}_{s}"]) for s in ("lower", "upper")])
    assert f"{a} is better" in key(lb.plots.compare(dt, a, b))[1]


def test_lower_scores_may_be_better(means):
    a, b = lb.leaderboard(means).iloc[:2, 0]
    ax = axes(lb.plots.compare(means, a, b))
    better = ax.containers[0]
    assert max(bar.get_x() for bar in better) < 0.0
    flipped = axes(lb.plots.groups(means, style="demsar"))
    assert flipped.xaxis_inverted()


def test_record(fit):
    collection, pairs = lb.plots.record(fit), lb.win_probability(fit, by="record")
    names, ax = list(lb.leaderboard(fit)["player"]), axes(collection)
    met = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    model = lb.win_probability(fit, by="model")["mean"]
    expected = sorted(
        (float(model.sel(player=a, opponent=b)), float(pairs["mean"].sel(player=a, opponent=b)))
        for a, b in met
    )
    np.testing.assert_allclose(sorted(map(tuple, points(ax)[: len(met)])), expected)
    ends, at = segments(ax, horizontal=False)
    missed = ((at < ends[:, 0]) | (at > ends[:, 1])).sum()
    assert key(collection)[1].endswith(f": {missed}")
    assert len(met) - missed == int(key(collection)[0].rpartition(" ")[2])


def test_results_that_differ_are_named():
    dt = posteriors.strengths(cycle(), [0.0, 0.0, 0.0], weight=1.0)
    shown = key(lb.plots.record(dt))
    assert len(shown) == 2 + 3
    assert any("model 0.50" in line for line in shown)


@pytest.mark.parametrize("name", ["means", "teams", "several"])
def test_no_record(request, name):
    with pytest.raises(lb.LeaderbayesError, match=r"fit model=|one tournament"):
        lb.plots.record(request.getfixturevalue(name))


# Groups


def runs_of(dt, **options):
    """First and last row of groups of two or more."""
    rank = {name: k for k, name in enumerate(lb.leaderboard(dt).iloc[:, 0])}
    members = lb.groups(dt, **options)
    runs = [
        sorted(members.iloc[each, 1].map(rank))
        for each in members.groupby("group").indices.values()
    ]
    return sorted((run[0], run[-1]) for run in runs if len(run) > 1)


def bars(ax, m):
    """First and last row of upright bars beside the rows, by lane."""
    found = {}
    for line in ax.lines:
        if line.get_color() == "#000000":
            lane = round(line.get_window_extent().x0)
            low, high = sorted(line.get_ydata())
            found.setdefault(lane, []).append(
                (round(m - 1 - high + 0.25), round(m - 1 - low - 0.25))
            )
    return found


@pytest.mark.parametrize("options", [{}, {"control": "joint"}, {"prob": 0.8}])
def test_bars_are_the_groups(wide, options):
    collection = lb.plots.groups(wide, **options)
    found = bars(axes(collection), 20)
    assert len(found) > 1
    assert sorted(bar for lane in found.values() for bar in lane) == runs_of(wide, **options)
    for lane in found.values():
        assert all(a[1] < b[0] for a, b in pairwise(sorted(lane)))
    assert f"{options.get('prob', 0.95):.0%}" in titles(collection)[0]
    assert ("all claims together" in titles(collection)[0]) == (options.get("control") == "joint")


def test_demsar_has_the_same_bars(wide):
    ax, epp = axes(lb.plots.groups(wide, style="demsar")), lb.leaderboard(wide)["epp"].to_numpy()
    found = sorted(
        tuple(int(np.abs(epp - x).argmin()) for x in line.get_xdata())
        for line in ax.lines
        if line.get_color() == "#000000"
    )
    assert found == runs_of(wide)
    assert {text.get_text() for text in ax.texts} == set(lb.leaderboard(wide)["player"])
    np.testing.assert_allclose(points(ax)[:, 0], epp)


def test_nobody_is_tied():
    dt = posteriors.strengths(simulate([3.5, 0.0, -3.5], 9, np.random.default_rng(0)), [9, 0, -9])
    assert bars(axes(lb.plots.groups(dt)), 3) == {}
    assert lb.plots.groups(dt, style="demsar")
    with pytest.raises(lb.LeaderbayesError, match="style"):
        lb.plots.groups(dt, style="forest")


def test_bars_of_a_lane_are_apart_where_neighbours_are_close():
    """Strengths next to each other are no gap that an eye sees."""
    table = pd.DataFrame({"player": list("abcd")})
    group = pd.DataFrame({"group": [1, 1, 2, 2], "player": list("abcd")})
    along = np.array([3.0, 2.0, 1.9, 0.0])
    assert bars_of(group, table, 4) == [(0, 0, 1), (0, 2, 3)]
    assert bars_of(group, table, 4, along, 0.2) == [(0, 0, 1), (1, 2, 3)]
    assert bars_of(group, table, 4, along, 0.09) == [(0, 0, 1), (0, 2, 3)]
    assert bars_of(group, table, 3) == [(0, 0, 1)]


@pytest.mark.parametrize("draw", [lb.plots.leaderboard, lb.plots.groups])
def test_families_and_a_highlighted_player(fit, draw):
    from matplotlib.colors import to_hex

    family = pd.Series({"p0": "$a", "p3": "b", "p1": "$a"})
    collection = draw(fit, highlight="p3", family=family)
    ax = axes(collection)
    assert key(collection) == [r"\$a", "b", "others"]
    names = [str(name) for name in lb.leaderboard(fit)["player"]]
    bold = [label.get_fontweight() == "bold" for label in ax.get_yticklabels()]
    assert [name for name, is_bold in zip(names, bold, strict=True) if is_bold] == ["p3"]
    marks = next(c for c in ax.collections if type(c).__name__ == "PathCollection")
    colors = dict(zip(names, map(to_hex, marks.get_edgecolors()), strict=True))
    assert colors["p0"] == colors["p1"] == "#0072b2"
    assert colors["p3"] == "#d55e00"
    assert {colors[name] for name in ("p2", "p4", "p5")} == {"#8a8a8a"}
    # Colours do not depend on how many are drawn, and the key has those that are.
    few = draw(fit, top=2, family=family)
    assert key(few) == [r"\$a"]


def test_a_highlighted_name_among_names_at_the_sides(wide):
    ax = axes(lb.plots.groups(wide, style="demsar", highlight=["p3", "p7"]))
    assert {t.get_text() for t in ax.texts if t.get_fontweight() == "bold"} == {"p3", "p7"}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"highlight": ["p0", "x", "y"]}, "highlight: no player 'x', 'y'"),
        ({"family": {"x": "a"}}, "family: no player 'x'"),
    ],
)
def test_marks_of_nobody(fit, given, words):
    with pytest.raises(lb.LeaderbayesError, match=words):
        lb.plots.groups(fit, **given)
