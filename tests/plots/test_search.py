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


def test_panels_beside_each_other_share_the_name_of_their_axis(search):
    for figsize, named in ((None, 1), ("column", search.n_iterations_)):
        made = lb.plots.race(search.decisions_, figsize=figsize, backend="matplotlib")
        axes = [made.get_viz("plot", f"iteration {k + 1}") for k in range(search.n_iterations_)]
        assert sum(bool(axis.get_ylabel()) for axis in axes) == named


def test_what_is_not_there_is_an_error(search):
    with pytest.raises(lb.LeaderbayesError, match="no parameter 'depth'"):
        lb.plots.search(search, "depth", "criterion")
    with pytest.raises(lb.LeaderbayesError, match="iteration=9"):
        lb.plots.search(search, "ccp_alpha", "criterion", iteration=9)
    with pytest.raises(lb.LeaderbayesError, match="Nobody was compared"):
        lb.plots.race(search.decisions_.iloc[:0])
