"""What holds for every figure: sizes, letters, caveats, files."""

import numpy as np
import pytest

import leaderbayes as lb
from figures import axes, figure, key, titles
from leaderbayes.plots._canvas import distinct, fitting, labels, panels
from leaderbayes.plots._colors import SHARES, WINS, ink

# Every figure, of results that `get` returns by the names of their fixtures.
FIGURES = {
    "leaderboard": lambda get, **more: lb.plots.leaderboard(get("fit"), **more),
    "leaderboard of teams": lambda get, **more: lb.plots.leaderboard(get("teams"), **more),
    "leaderboard of a study": lambda get, **more: lb.plots.leaderboard(
        get("across")["average"], **more
    ),
    "win_probability": lambda get, **more: lb.plots.win_probability(get("fit"), **more),
    "rank_distribution": lambda get, **more: lb.plots.rank_distribution(get("fit"), **more),
    "groups": lambda get, **more: lb.plots.groups(get("wide"), **more),
    "groups as Demsar": lambda get, **more: lb.plots.groups(get("wide"), style="demsar", **more),
    "frontier": lambda get, **more: lb.plots.frontier(
        get("fit"), {f"p{k}": 2.0**k for k in range(6)}, **more
    ),
    "compare": lambda get, **more: lb.plots.compare(get("fit"), "p0", "p3", rope=0.1, **more),
    "record": lambda get, **more: lb.plots.record(get("fit"), **more),
    "sensitivity": lambda get, **more: lb.plots.sensitivity(get("moved"), **more),
    "sensitivity of pairs": lambda get, **more: lb.plots.sensitivity(
        get("moved"), what="pairs", **more
    ),
    "deviance": lambda get, **more: lb.plots.deviance(get("fit"), seed=1, draws=40, **more),
    "plan": lambda get, **more: lb.plots.plan(get("planned"), **more),
    "plan of a design": lambda get, **more: lb.plots.plan(get("designed"), **more),
    "trajectories": lambda get, **more: lb.plots.trajectories(get("walked"), **more),
    "average": lambda get, **more: lb.plots.average(get("across")["average"], **more),
    "average of ranks": lambda get, **more: lb.plots.average(get("across")["average_rank"], **more),
    "embedding": lambda get, **more: lb.plots.embedding(get("across")["embedding"], **more),
    "tunability": lambda get, **more: lb.plots.tunability(get("across")["tunability"], **more),
    "search": lambda get, **more: lb.plots.search(get("search"), "ccp_alpha", "criterion", **more),
    "search as a race": lambda get, **more: lb.plots.search(get("search"), **more),
    "board": lambda get, **more: lb.plots.board(get("board"), get("estimate"), **more),
}
# Of distributions and searches there is nothing to converge.
OF_DRAWS = [name for name in FIGURES if not name.startswith("search")]


def test_every_figure_is_here():
    assert {name.split()[0] for name in FIGURES} == set(lb.plots.__all__)


@pytest.mark.parametrize(
    ("name", "figsize", "width", "letters"),
    [
        # Of a kind of figure the first, in the narrower size; the others are slow tests.
        pytest.param(name, *size, marks=[pytest.mark.slow] * (size[1] == 7.0 or " " in name))
        for name in FIGURES
        for size in (("column", 3.4, 7), ("page", 7.0, 8))
    ],
)
def test_sizes_of_journals(request, name, figsize, width, letters):
    drawn = figure(FIGURES[name](request.getfixturevalue, figsize=figsize))
    assert drawn.get_size_inches()[0] == pytest.approx(width)
    assert 1.0 < drawn.get_size_inches()[1] < 8.0
    drawn.draw_without_rendering()
    edge = drawn.bbox
    for ax in drawn.axes:
        texts = [ax.xaxis.label, ax.yaxis.label, *ax.texts, *ax.get_xticklabels()]
        assert all(text.get_fontsize() <= letters for text in texts)
        assert ax.title.get_fontsize() <= 1.2 * letters
        names = [text for text in ax.get_yticklabels() if ax.yaxis.get_visible()]
        assert all(text.get_window_extent().x0 >= edge.x0 - 1.0 for text in names)
        assert ax.title.get_window_extent().width <= edge.width


@pytest.mark.parametrize("converged", [0, 1])
@pytest.mark.parametrize("name", OF_DRAWS)
def test_a_caveat_is_a_subtitle(request, name, converged):
    def doubtful(made):
        if isinstance(made, dict):
            return {key: doubtful(one) for key, one in made.items()}
        made = made.copy()
        made.attrs = {**made.attrs, "converged": converged, "warnings": "[]", "solved": 1}
        return made

    shown = titles(FIGURES[name](lambda fixture: doubtful(request.getfixturevalue(fixture))))
    assert ("The chains did not converge" in shown) == (not converged)
    assert len(shown) > (not converged)


def test_letters_stay_letters(fit, tmp_path):
    """In vectors they are no outlines; what the user has set for other figures stays."""
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    collection = lb.plots.leaderboard(fit, figsize="column")
    for suffix in ("png", "pdf", "svg"):
        collection.savefig(tmp_path / f"figure.{suffix}")
    assert dict(mpl.rcParams) == before
    pdf = (tmp_path / "figure.pdf").read_bytes()
    assert b"/CIDFontType2" in pdf
    assert b"/Type3" not in pdf
    assert ">p0</text>" in (tmp_path / "figure.svg").read_text()
    assert (tmp_path / "figure.png").stat().st_size > 5000


def test_a_size_of_ones_own(fit):
    drawn = figure(lb.plots.leaderboard(fit, figsize=(5, 3)))
    assert tuple(drawn.get_size_inches()) == (5.0, 3.0)


@pytest.mark.parametrize("figsize", ["a4", (3.0,), (0.0, 2.0), 5.0])
def test_bad_sizes(fit, figsize):
    with pytest.raises(lb.LeaderbayesError, match="figsize"):
        lb.plots.leaderboard(fit, figsize=figsize)


@pytest.mark.parametrize("name", ["leaderboard", "win_probability", "rank_distribution", "groups"])
def test_bad_top(fit, name):
    with pytest.raises(lb.LeaderbayesError, match="top=0"):
        getattr(lb.plots, name)(fit, top=0)


def test_one_column_stands_panels_below_each_other(planned):
    collection = lb.plots.plan(planned, figsize="column")
    figure(collection).draw_without_rendering()
    one, other = (axes(collection, name).get_position() for name in ("p_decided", "width"))
    assert one.y0 > other.y1
    assert one.x0 == pytest.approx(other.x0, abs=0.05)
    edge = figure(collection).bbox
    (legend,) = figure(collection).legends
    box = legend.get_window_extent()
    assert box.x1 < edge.x1
    assert box.y1 < figure(collection).transFigure.transform((0.0, other.y0))[1]
    assert len(key(collection)) > 2


def test_labels_differ_and_are_no_mathematics():
    assert labels(["$x$", "a"]) == [r"\$x\$", "a"]
    assert labels(["n" * 10_000])[0] == "n" * 19 + "…" + "n" * 19
    alike = labels([f"classifier of many {k} rf-caret and more" for k in range(3)], 20)
    assert alike == ["classifie… and more", "classifie… and more (2)", "classifie… and more (3)"]
    assert distinct(["a", "a (2)", "a"]) == ["a", "a (2)", "a (3)"]


@pytest.mark.parametrize("count", [0, 1, 7, 300])
def test_names_are_thinned_evenly(count):
    with panels({"x": "x"}, {}, size=(3.4, 2.0)) as (_, (ax,)):
        kept = range(count)[fitting(ax, count, "y")]
    assert len(kept) <= 2.0 * 72.0 / 12.0
    assert list(kept)[:1] == [0] * (count > 0)


@pytest.mark.parametrize("palette", [WINS, SHARES])
def test_heat_maps_read_in_grey(palette):
    """Darker away from 1/2, or from 0, and numbers have a contrast of 4.5 on every cell."""
    rgb = [[int(color[k : k + 2], 16) / 255.0 for k in (1, 3, 5)] for color in palette]
    grey = np.array(rgb) @ [0.299, 0.587, 0.114]
    # Whole numbers of 255 round up now and then.
    halves = (grey,) if palette is SHARES else (grey[:128][::-1], grey[128:])
    for half in halves:
        assert (np.diff(half) < 0.002).all()
        assert (np.diff(half[::8]) < 0.0).all()
    assert halves[-1][0] > 0.95

    def luminance(channels):
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    for k, channels in enumerate(rgb):
        own = luminance(channels)
        other = 1.0 if ink(k / 255.0, palette) == "white" else 0.0
        high, low = max(own, other), min(own, other)
        assert (high + 0.05) / (low + 0.05) >= 4.5
