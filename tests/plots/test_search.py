"""Figures of a search and of its races."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

import leaderbayes as lb
from leaderbayes.tuning import LeaderboardSearchCV


def test_all_candidates_up_to_an_iteration_are_drawn(search):
    def points(iteration):
        made = lb.plots.search(
            search, "ccp_alpha", "criterion", iteration=iteration, backend="matplotlib"
        )
        target = made.get_viz("plot", "search")
        return sum(len(c.get_offsets()) for c in target.collections)

    tried = pd.Series(search.cv_results_["iteration"]).value_counts().sort_index().cumsum()
    # And the star.
    assert points(1) == tried[1] + 1
    assert points(None) == tried.iloc[-1] + 1


def test_of_several_grids_who_has_both_parameters_is_drawn():
    space = [
        {"criterion": ["gini"], "max_depth": [1, 2, 3]},
        {"criterion": ["entropy"], "ccp_alpha": [1e-3, 0.1]},
    ]
    model = DecisionTreeClassifier(random_state=0)
    made = LeaderboardSearchCV(model, space, cv=5, random_state=0)
    made.fit(*load_iris(return_X_y=True))
    drawn = lb.plots.search(made, "max_depth", "criterion", backend="matplotlib")
    points = np.concatenate([c.get_offsets() for c in drawn.get_viz("plot", "search").collections])
    assert set(points[:, 0]) == {1.0, 2.0, 3.0}
    with pytest.raises(lb.LeaderbayesError, match="one grid"):
        lb.plots.search(made, "max_depth", "ccp_alpha")


def test_a_race_is_a_plot_an_iteration(search):
    made = lb.plots.race(search.decisions_, backend="matplotlib")
    names = [f"iteration {k}" for k in range(1, search.n_iterations_ + 1)]
    axes = [made.get_viz("plot", name) for name in names]
    dropped = search.decisions_["decision"].eq("dropped").groupby(search.decisions_["iteration"])
    for axis, count in zip(axes, dropped.sum(), strict=True):
        assert sum(len(c.get_offsets()) for c in axis.collections) == count


def test_ticks_of_numbers_are_spaced_by_where_they_are():
    from leaderbayes.plots._search import _axis

    crowded = np.concatenate([[0.0, 1000.0], np.linspace(400.0, 420.0, 30)])
    _, at, texts = _axis(crowded, 4)
    assert at[0] == 0.0
    assert at[-1] == 1000.0
    assert np.diff(at).min() > 300.0
    assert texts == ["0", "400", "1000"]
    assert _axis(np.array([3.0, 3.0]), 4)[1] == [3.0]
    assert _axis(np.array(["b", "a", "c", "d", "e"]), 2)[2] == list("abcde")  # of names all


@pytest.mark.parametrize("figsize", [None, "column", "page"])
def test_points_of_a_grid_do_not_lie_on_each_other(search, figsize):
    made = lb.plots.search(search, "ccp_alpha", "criterion", figsize=figsize, backend="matplotlib")
    axis, figure = made.get_viz("plot", "search"), made.get_viz("figure")
    figure.draw_without_rendering()
    wide = max(c.get_sizes().max() for c in axis.collections) ** 0.5  # points
    cells = axis.get_window_extent().height / figure.dpi * 72.0 / 17.0  # thirteen rows, and a key
    assert wide < cells


def test_panels_beside_each_other_share_the_name_of_their_axis(search):
    for figsize, named in ((None, 1), ("column", search.n_iterations_)):
        made = lb.plots.race(search.decisions_, figsize=figsize, backend="matplotlib")
        axes = [made.get_viz("plot", f"iteration {k + 1}") for k in range(search.n_iterations_)]
        assert sum(bool(axis.get_ylabel()) for axis in axes) == named


@pytest.mark.parametrize("figsize", [None, "column", "page"])
def test_panels_of_a_race_are_high_enough_to_be_read(search, figsize):
    """On a page of a journal three beside each other were an inch high."""
    three = pd.concat([search.decisions_.assign(iteration=k) for k in (1, 2, 3)])
    made = lb.plots.race(three, figsize=figsize, backend="matplotlib")
    figure = made.get_viz("figure")
    figure.draw_without_rendering()
    for k in (1, 2, 3):
        axis = made.get_viz("plot", f"iteration {k}")
        box = axis.get_window_extent()
        assert box.height / figure.dpi > 1.4
        key = [text.get_window_extent() for text in axis.texts]
        assert len(key) == 2
        assert all(it.x1 <= box.x1 and it.y1 <= box.y1 for it in key)


def test_what_is_not_there_is_an_error(search):
    with pytest.raises(lb.LeaderbayesError, match="no parameter 'depth'"):
        lb.plots.search(search, "depth", "criterion")
    with pytest.raises(lb.LeaderbayesError, match="iteration=9"):
        lb.plots.search(search, "ccp_alpha", "criterion", iteration=9)
    with pytest.raises(lb.LeaderbayesError, match="Nobody was compared"):
        lb.plots.race(search.decisions_.iloc[:0])
