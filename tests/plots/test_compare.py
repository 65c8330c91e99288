"""The figure of two players: parts, probabilities and interval are those of `compare`."""

import numpy as np
import pytest

import leaderbayes as lb
from conftest import board, tree
from figures import drawn, texts

PARTS = {"p_better": "#0072B2", "p_equivalent": "#8A8A8A", "p_worse": "#D55E00"}


def masses(collection):
    """What each colour holds."""
    return {
        e["facecolor"]: float((e["y"] * (e["r_e"] - e["l_e"])).sum())
        for e in drawn(collection, "board", "hist")
    }


def interval(collection):
    (bar,) = [e for e in drawn(collection, "board", "line") if e["y"][0] < 0.0]
    return bar["x"].tolist()


@pytest.fixture(scope="module")
def of_scores(scores):
    return lb.fit(scores, "mean_score", seed=1)


@pytest.fixture(scope="module")
def lower_is_better(scores):
    return lb.fit((-scores).assign_attrs(higher_is_better=0), "mean_score", seed=1)


@pytest.mark.parametrize("rope", [None, 0.12])
@pytest.mark.parametrize("kind", ["fitted", "of_scores", "lower_is_better"])
def test_parts_are_those_of_compare(request, kind, rope):
    dt = request.getfixturevalue(kind)
    rope = 0.4 if rope and kind != "fitted" else rope
    answer = lb.compare(dt, "p1", "p3", rope=rope)
    collection = lb.plots.compare(dt, "p1", "p3", rope=rope, backend="none")
    held = masses(collection)
    for name, color in PARTS.items():
        assert held.get(color, 0.0) == pytest.approx(float(answer[name]), abs=1.5e-3)
    kind = "win" if "win_lower" in answer else "difference"
    assert interval(collection) == [float(answer[f"{kind}_{end}"]) for end in ("lower", "upper")]
    said = texts(collection, "board")
    assert len(said) == (2 if rope is None else 3)
    assert said[-1].startswith("p1 is better: ")
    assert f"{float(answer['p_better']):.2f}" in said[-1] or float(answer["p_better"]) > 0.995
    shades = drawn(collection, "board", "fill_between_y")
    middle = 0.5 if kind == "win" else 0.0
    assert [list(e["x"]) for e in shades] == (
        [] if rope is None else [[middle - rope, middle + rope]]
    )


@pytest.mark.slow
def test_on_a_new_data_set(score_study):
    """Of several data sets the new one's difference is drawn, which varies more than the means."""
    answer = lb.compare(score_study, "p0", "p1", rope=0.3)
    collection = lb.plots.compare(score_study, "p0", "p1", rope=0.3, backend="none")
    held = masses(collection)
    for name, color in PARTS.items():
        assert held.get(color, 0.0) == pytest.approx(float(answer[name]), abs=0.02)
    assert interval(collection) == [float(answer["new_lower"]), float(answer["new_upper"])]
    assert drawn(collection, "board", "xlabel")[0]["string"].endswith("on a new data set")


@pytest.fixture(scope="module")
def score_study():
    import xarray as xr

    rng = np.random.default_rng(2)
    boards = [
        board(rng.normal([[1.0], [0.5], [0.0]], 1.0, size=(3, 1)) + rng.normal(0, 0.3, (3, 10)))
        for _ in range(6)
    ]
    made = xr.concat(boards, dim="tournament").assign_coords(tournament=list("abcdef"))
    made.attrs = boards[0].attrs
    return lb.fit(made, "score_tournaments", seed=1)


def test_what_is_certain_has_no_width():
    certain = tree(np.tile([1.0, -1.0], (2, 20, 1)))
    assert sum(masses(lb.plots.compare(certain, "p0", "p1", backend="none")).values()) > 0.99


def test_errors_are_those_of_compare(fitted):
    with pytest.raises(lb.LeaderbayesError, match="name two players"):
        lb.plots.compare(fitted, "p0", "p0", backend="none")
    with pytest.raises(lb.LeaderbayesError, match="There is no player 'q'"):
        lb.plots.compare(fitted, "p0", "q", backend="none")
