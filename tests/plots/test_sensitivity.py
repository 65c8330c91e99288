"""What moves, as a figure."""

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from figures import drawn, texts


@pytest.fixture(scope="module")
def moved():
    scores = lb.datasets.load("classifiers", "breast_cancer")[:6, :8]
    return lb.sensitivity(scores, models=("bradley_terry",), test_fraction=0.2, seed=1)


def spans(collection):
    """Ends of the ranges, by their colour."""
    return {
        call["color"]: (call["x"].reshape(-1, 3)[:, 0], call["x"].reshape(-1, 3)[:, 1])
        for call in drawn(collection, "board", "line")
        if len(call["x"]) > 2
    }


def test_ranges_are_those_of_ranks(moved):
    figure = lb.plots.sensitivity(moved, backend="none")
    rank = moved["rank"].to_numpy()
    without = moved["without"].to_numpy() != ""
    others = spans(figure)
    for some, color in ((~without, "#0072B2"), (without, "#D55E00")):
        some = some.copy()
        some[0] = True
        np.testing.assert_array_equal(others[color][0], rank[some].min(axis=0))
        np.testing.assert_array_equal(others[color][1], rank[some].max(axis=0))
    (dots,) = drawn(figure, "board", "scatter")
    np.testing.assert_array_equal(dots["x"], rank[0])
    said = texts(figure, "board")
    counts = moved[["fits", "other_leader", "other_top", "pairs_moved"]].sel(what="round")
    assert said[-1].startswith("others than in the base")
    assert (
        f"round out ({int(counts['fits'])}): leader {int(counts['other_leader'])}, top "
        f"{int(counts['other_top'])}, pairs {int(counts['pairs_moved'])}"
    ) in said
    (line,) = [c for c in drawn(figure, "board", "line") if len(c["x"]) == 2]
    assert line["x"].tolist() == [moved.attrs["top"] + 0.5] * 2


def test_what_did_not_converge_is_not_drawn(moved):
    rank = moved["rank"].copy()
    rank[3] = rank.sizes["player"] + 1 - rank[3]
    converged = moved["converged"].copy()
    converged[3] = 0
    figure = lb.plots.sensitivity(moved.assign(rank=rank, converged=converged), backend="none")
    plain = lb.plots.sensitivity(moved.isel(fit=np.arange(moved.sizes["fit"]) != 3), backend="none")
    for color, ends in spans(plain).items():
        np.testing.assert_array_equal(spans(figure)[color], ends)


def test_pairs_are_shares_of_fits(moved):
    moved = moved.copy(deep=True)
    moved["verdict"][:, 0, 5] = 1  # in every fit
    figure = lb.plots.sensitivity(moved, what="pairs", backend="none")
    share = (moved["verdict"] == 1).mean("fit").to_numpy()
    shown = {
        tuple(np.asarray(call[side]).item() for side in ("y", "x")): call["string"]
        for call in drawn(figure, "board", "text")
    }
    assert set(shown) == {(5 - i, j) for i, j in np.argwhere(share > 0)}
    # It is a share of a count: all of the fits are 1, and not "more than 0.99".
    assert all(text == f"{share[5 - y, x]:.2f}" for (y, x), text in shown.items())
    assert shown[5, 5] == "1.00"


@pytest.mark.parametrize("backend", ["matplotlib", "plotly", "bokeh"])
@pytest.mark.parametrize("what", ["rank", "pairs"])
def test_every_backend_draws(moved, backend, what):
    lb.plots.sensitivity(moved, what=what, top=5, figsize="column", backend=backend)


def test_what_cannot_be_drawn(moved):
    with pytest.raises(lb.LeaderbayesError, match=r"takes what leaderbayes\.sensitivity returns"):
        lb.plots.sensitivity(xr.Dataset())
    with pytest.raises(lb.LeaderbayesError, match="what='leader'"):
        lb.plots.sensitivity(moved, what="leader")
    with pytest.raises(lb.LeaderbayesError, match="top"):
        lb.plots.sensitivity(moved, top=0)
