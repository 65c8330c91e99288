"""What holds for every figure: backends, doubt, names, and what has no width."""

import itertools
import json
import shutil
from typing import get_args

import pytest

import leaderbayes as lb
from figures import drawn
from leaderbayes.plots._canvas import BLUE, GREY, Backend, Mark, Plot, panels, rows_height, thinned

BACKENDS = get_args(Backend)
# Every figure, of results that `get` gives by the names of their fixtures.
FIGURES = {
    "leaderboard": lambda get, **kind: lb.plots.leaderboard(get("fitted"), **kind),
    "win_probability": lambda get, **kind: lb.plots.win_probability(get("fitted"), **kind),
    "rank_distribution": lambda get, **kind: lb.plots.rank_distribution(get("fitted"), **kind),
    "groups": lambda get, **kind: lb.plots.groups(get("fitted"), **kind),
    "groups as Demsar": lambda get, **kind: lb.plots.groups(get("fitted"), style="demsar", **kind),
    "compare": lambda get, **kind: lb.plots.compare(get("fitted"), "p0", "p3", rope=0.1, **kind),
    "record": lambda get, **kind: lb.plots.record(get("fitted"), **kind),
    "sensitivity": lambda get, **kind: lb.plots.sensitivity(get("moved"), **kind),
    "win_rate": lambda get, **kind: lb.plots.win_rate(get("fitted"), **kind),
    "deviance": lambda get, **kind: lb.plots.deviance(get("fitted"), **kind),
    "plan": lambda get, **kind: lb.plots.plan(get("planned"), **kind),
    "average_player": lambda get, **kind: lb.plots.average_player(
        get("across")["average_player"], **kind
    ),
    "average_rank": lambda get, **kind: lb.plots.average_rank(
        get("across")["average_rank"], **kind
    ),
    "embedding": lambda get, **kind: lb.plots.embedding(get("across")["embedding"], **kind),
    "leaderboard of a study": lambda get, **kind: lb.plots.leaderboard(
        get("across")["leaderboards"], **kind
    ),
    "tunability": lambda get, **kind: lb.plots.tunability(get("across")["tunability"], **kind),
    "search": lambda get, **kind: lb.plots.search(get("search"), "ccp_alpha", "criterion", **kind),
    "race": lambda get, **kind: lb.plots.race(get("search").decisions_, **kind),
    "maximum": lambda get, **kind: lb.plots.maximum(get("law"), **kind),
    "maximum with theta": lambda get, **kind: lb.plots.maximum(get("law"), theta=0.9, **kind),
    "board": lambda get, **kind: lb.plots.board(get("board"), **kind),
    "board with estimate": lambda get, **kind: lb.plots.board(
        get("board"), get("estimate"), lowest=0.7, **kind
    ),
    "board with realisation": lambda get, **kind: lb.plots.board(
        get("board"), get("estimate"), realisation=get("realisation"), **kind
    ),
}
# Of laws and searches there is nothing to converge.
OF_DRAWS = [*list(FIGURES)[:15], "board with estimate"]


def test_every_figure_is_here():
    assert {name.split()[0] for name in FIGURES} == set(lb.plots.__all__)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", FIGURES)
def test_every_backend_draws(request, name, backend):
    collection = FIGURES[name](request.getfixturevalue, backend=backend)
    assert collection.backend == backend


@pytest.mark.parametrize(
    "name", ["leaderboard", "average_player", "embedding", "leaderboard of a study"]
)
def test_figures_are_saved(request, name, tmp_path):
    FIGURES[name](request.getfixturevalue, backend="matplotlib").savefig(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 5000


@pytest.mark.parametrize("converged", [0, 1])
@pytest.mark.parametrize("name", OF_DRAWS)
def test_not_converged_shows(request, name, converged):
    def doubtful(made):
        if isinstance(made, dict):
            return {key: doubtful(one) for key, one in made.items()}
        made = made.copy()
        made.attrs = {**made.attrs, "converged": converged}
        return made

    collection = FIGURES[name](
        lambda fixture: doubtful(request.getfixturevalue(fixture)), backend="none"
    )
    titles = [drawn(collection, plot, "title")[0]["string"] for plot in collection.viz["plot"]]
    assert titles
    assert {title.startswith("NOT CONVERGED. ") for title in titles} == {not converged}


@pytest.mark.parametrize("count", [1, 59, 60, 61, 1000])
def test_labels_are_thinned_evenly(count):
    kept = range(count)[thinned(count)]
    assert kept[0] == 0
    assert len(kept) <= 60
    assert count <= 60 or len(kept) > 30


@pytest.mark.parametrize("count", [2, 63, 150])
def test_names_beside_rows_do_not_collide(count):
    """Each row is higher than a line of letters, as far as rows are named."""
    line = 1.2 * 0.95 * 10.0 / 72.0
    assert rows_height(count) >= line * len(range(count)[thinned(count, 150)])


def test_dollars_are_no_mathematics():
    assert Plot(None, "matplotlib").labels(["$x$"]) == [r"\$x\$"]
    assert Plot(None, "plotly").labels(["$x$"]) == ["$x$"]
    assert len(Plot(None, "plotly").labels(["n" * 10_000])[0]) <= 41
    assert Plot(None, "plotly").labels(["<b>&"]) == ["&lt;b&gt;&amp;"]
    _, plots = panels({"x": "$a$"}, width=3, height=3, columns=1, backend="matplotlib")
    assert plots["x"].target.get_title() == r"\$a\$"


@pytest.mark.parametrize("name", ["leaderboard", "win_probability", "rank_distribution", "groups"])
def test_bad_top_and_backend(fitted, name):
    with pytest.raises(lb.LeaderbayesError, match="top=0"):
        getattr(lb.plots, name)(fitted, top=0)
    with pytest.raises(lb.LeaderbayesError, match="backend='mpl'"):
        getattr(lb.plots, name)(fitted, backend="mpl")


def test_names_that_are_cut_still_differ():
    """In the middle, else at the front, else at the end."""
    plot, numbers = Plot(None, "none"), [f"{k:03d}" for k in range(3)]
    middle = plot.labels([f"{k} of caret's random forests" for k in numbers], 20)
    assert middle[1] == "001 of ca … m forests"
    front = plot.labels([f"classifier of many {k} rf-caret" for k in numbers], 20)
    assert front[1] == "…  many 001 rf-caret"
    back = plot.labels([f"classifier {k} of caret's random forests" for k in numbers], 20)
    assert back[1] == "classifier 001 of  …"
    hidden = plot.labels([f"classifier of many {k} rf-caret and more" for k in numbers], 20)
    assert hidden == [
        "classifie …  and more",
        "classifie …  and more (2)",
        "classifie …  and more (3)",
    ]
    for labels in (middle, front, back, hidden):
        assert len(set(labels)) == 3


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize(("figsize", "width", "letters"), [("column", 3.4, 7), ("page", 7.0, 8)])
def test_sizes_of_journals(request, name, figsize, width, letters):
    collection = FIGURES[name](request.getfixturevalue, backend="matplotlib", figsize=figsize)
    figure = collection.get_viz("figure")
    assert figure.get_size_inches()[0] == pytest.approx(width)
    assert 1.0 < figure.get_size_inches()[1] < 8.0
    for axes in figure.axes:
        assert not axes.get_xlabel() or axes.xaxis.label.get_fontsize() <= letters
        assert not axes.get_ylabel() or axes.yaxis.label.get_fontsize() <= letters
        assert not axes.get_title() or axes.title.get_fontsize() <= 1.2 * letters + 1e-9
        assert all(text.get_fontsize() <= letters for text in axes.texts)


@pytest.mark.parametrize("figsize", ["a4", (3.0,), (0.0, 2.0), 5.0])
def test_bad_sizes(laplace, figsize):
    with pytest.raises(lb.LeaderbayesError, match="figsize"):
        lb.plots.leaderboard(laplace, figsize=figsize, backend="none")


def test_a_size_of_ones_own(laplace):
    figure = lb.plots.leaderboard(laplace, figsize=(5, 3), backend="matplotlib").get_viz("figure")
    assert tuple(figure.get_size_inches()) == (5.0, 3.0)


def test_letters_stay_letters(laplace, tmp_path):
    """In vectors they are no outlines; what the user has set for other figures stays."""
    import matplotlib as mpl

    before = mpl.rcParams["pdf.fonttype"]
    collection = lb.plots.leaderboard(laplace, backend="matplotlib")
    collection.savefig(tmp_path / "figure.pdf")
    collection.savefig(tmp_path / "figure.svg")
    written = (tmp_path / "figure.pdf").read_bytes()
    assert b"/CIDFontType2" in written
    assert b"/Type3" not in written
    assert ">p0</text>" in (tmp_path / "figure.svg").read_text()
    assert mpl.rcParams["pdf.fonttype"] == before


@pytest.mark.parametrize("backend", ["plotly", "bokeh"])
def test_points_are_over_lines_and_as_large(laplace, backend):
    """Nothing is clipped, the line at zero is there, a point is some pixels wide."""
    plot = lb.plots.leaderboard(laplace, backend=backend).get_viz("plot", "board")
    if backend == "plotly":
        figure = plot.figure
        assert figure.data[-1].mode == "markers"
        assert 5.0 < figure.data[-1].marker.size < 9.0
        (zero,) = figure.layout.shapes
        assert (zero.x0, zero.line.color) == (0.0, GREY)
        # Below all else, and seen: through the plot, and in spite of the template's shapes.
        assert (zero.layer, figure.layout.plot_bgcolor) == ("below", "rgba(0, 0, 0, 0)")
        assert (zero.line.width, zero.opacity) == (1.0, 1.0)
        low, high = figure.layout.xaxis.range
        ends = [x for trace in figure.data for x in trace.x]
    else:
        assert type(plot.renderers[-1].glyph).__name__ == "Scatter"
        assert 5.0 < plot.renderers[-1].glyph.size < 9.0
        assert plot.renderers[-1].glyph.line_color == BLUE
        (zero,) = [one for one in plot.center if type(one).__name__ == "Span"]
        assert (zero.location, zero.level) == (0.0, "underlay")
        low, high = plot.x_range.start, plot.x_range.end
        ends = [x for drawn in plot.renderers for x in drawn.data_source.data["x"]]
    assert low < min(ends) < max(ends) < high


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_has_no_width(backend):
    certain = lb.sota.maximum(1.0, 5, n=10)
    lb.plots.maximum(certain, theta=1.0, backend=backend)
    lb.plots.board(lb.sota.read_board([1.0, 1.0], n=4), backend=backend)


@pytest.mark.parametrize(
    ("said", "title"), [("LB016 it does not fit.", "MISFIT. "), ("tournament 'a': LB016 it.", "")]
)
def test_misfit_is_of_the_board_that_is_drawn(laplace, said, title):
    made = laplace.copy()
    made.attrs["warnings"] = json.dumps([said])
    collection = lb.plots.leaderboard(made, backend="none")
    (written,) = drawn(collection, "board", "title")
    assert written["string"].startswith(title + "Leaderboard")


def test_one_column_breaks_titles_and_thins_names(fitted):
    table = lb.leaderboard(fitted)
    shown = lb.plots.groups(fitted, figsize="column", backend="none")
    (title,) = drawn(shown, "board", "title")
    assert max(map(len, title["string"].split("\n"))) < 36
    plain = lb.plots.groups(fitted, backend="none")
    (whole,) = drawn(plain, "board", "title")
    assert "\n" not in whole["string"]
    assert title["string"].replace("\n", " ") == whole["string"]
    assert len(table) == 6
    plot = Plot(None, "none", 7.0, 1.0, 3.4, 3.0)
    assert plot.narrow
    assert len(range(40)[plot.along(40, 50)]) <= 12
    assert plot.along(6, 50) == slice(None, None, 1)
    wide = Plot(None, "none", 8.0, 1.0, 7.0, 6.0)
    assert not wide.narrow
    assert len(range(40)[wide.along(40, 50)]) == 40


def test_one_column_stands_panels_below_each_other(planned):
    figure = lb.plots.plan(planned, figsize="column", backend="matplotlib")
    above, below = (figure.get_viz("plot", name) for name in ("p_decided", "width"))
    figure.get_viz("figure").draw_without_rendering()
    one, other = above.get_position(), below.get_position()
    assert one.y0 > other.y1
    assert one.x0 == pytest.approx(other.x0, abs=0.05)


def test_lines_of_a_key_do_not_touch_in_one_column(fitted):
    figure = lb.plots.record(fitted, figsize="column", backend="matplotlib")
    figure.get_viz("figure").draw_without_rendering()
    boxes = sorted(
        (text.get_window_extent() for text in figure.get_viz("plot", "board").texts),
        key=lambda box: box.y0,
    )
    edge = figure.get_viz("plot", "board").get_window_extent()
    for low, high in itertools.pairwise(boxes):
        assert low.y1 <= high.y0 + 1.5
    assert boxes[-1].y1 < edge.y1
    assert max(box.x1 for box in boxes) < edge.x1


def test_lines_of_a_key_that_are_too_wide_are_broken():
    words = "a label of many words that is wider than a plot of two or three inches can be"
    _, plots = panels({"x": "x", "y": "y"}, width=6, height=3, columns=2, backend="matplotlib")
    plots["x"].frame([Mark(None, words, BLUE)], across=(0.0, 1.0), top=1.0)
    texts = [text.get_text() for text in plots["x"].target.texts]
    assert len(texts) > 1
    assert " ".join(reversed(texts)) == words
    plots["x"].target.figure.draw_without_rendering()
    edge = plots["x"].target.get_window_extent()
    assert max(text.get_window_extent().x1 for text in plots["x"].target.texts) < edge.x1


def test_rows_are_named_as_far_as_there_is_room():
    _, plots = panels({"x": "x"}, width=3.4, height=2.0, columns=1, backend="none")
    plots["x"].label_rows([f"row {k}" for k in range(40)])
    (call,) = (each for each in plots["x"].target if each["function"] == "yticks")
    assert 3 < len(call["labels"]) < 2.0 * 72.0 / 10.0
    assert call["labels"][0] == "row 0"


def test_a_browser_draws_plotly_to_its_end(laplace, tmp_path):
    """An error of plotly.js leaves names clipped and lines out, and raises nothing in Python."""
    api = pytest.importorskip("playwright.sync_api")
    if (chromium := shutil.which("chromium")) is None:
        pytest.skip("there is no chromium: apt-get install chromium")
    figure = lb.plots.leaderboard(laplace, backend="plotly").get_viz("figure")
    figure.write_html(tmp_path / "page.html", include_plotlyjs=True)
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page, errors = browser.new_page(), []
        page.on("pageerror", lambda error: errors.append(error))
        page.goto((tmp_path / "page.html").as_uri())
        page.locator(".ytick text").first.wait_for()
        zero = page.locator(".layer-below .shapelayer path")
        assert zero.evaluate("line => getComputedStyle(line).strokeWidth") == "1px"
        box = page.locator(".main-svg").first.bounding_box()
        names = [name.bounding_box()["x"] for name in page.locator(".ytick text").all()]
        assert len(names) == laplace["posterior"].sizes["player"]
        assert min(names) > box["x"]
        browser.close()
    assert not errors
