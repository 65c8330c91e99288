"""The figure of tournaments as points."""

import numpy as np
import pytest

import leaderbayes as lb
from figures import drawn


def test_embedding_ellipses_hold_their_share(across):
    collection = lb.plots.embedding(across["embedding"], backend="none")
    points, tips = drawn(collection, "board", "scatter")
    score = across["embedding"]["score"].to_numpy()
    np.testing.assert_array_equal(points["x"], score[:, 0])
    assert len(tips["x"]) == 6
    names = {e["string"] for e in drawn(collection, "board", "text")}
    assert "reversed" in names
    outline = drawn(collection, "board", "line")[0]
    first = np.column_stack([outline["x"], outline["y"]])[:61] - score[0]
    draws = across["embedding"]["score_draws"].to_numpy()[:, 0]
    covariance = np.cov(draws.T, bias=True)
    radius = np.einsum("ki,ij,kj->k", first, np.linalg.inv(covariance), first)
    # The 95 % point of chi-square with 2 degrees of freedom.
    np.testing.assert_allclose(radius, 5.991, rtol=1e-3)


def test_embedding_of_one_dimension(study):
    with pytest.raises(lb.LeaderbayesError, match="embed in two"):
        lb.plots.embedding(lb.study.embedding(study, dimensions=1), backend="none")


def test_names_do_not_overlap_or_leave_the_plot():
    from leaderbayes.plots._embedding import _named

    # Five on one spot, of which four have room, each in its own direction; one at the border.
    points = np.array([[1.0, 1.0]] * 5 + [[1.99, -1.0]])
    limits = np.array([-2.0, -2.0]), np.array([2.0, 2.0])
    named = dict(_named(points, ["abc"] * 6, limits, 2))
    assert len({tuple(away) for k, away in named.items() if k < 5}) == 4
    np.testing.assert_array_equal(named[5], [-1, -1])
    # Tournaments, from position 2 on, come first.
    assert set(named) == {0, 2, 3, 4, 5}
    # Of many none is named across the lines of players, which come from the middle.
    many = np.concatenate([points[:2], np.tile(points[2:], (10, 1))])
    across = _named(many, ["abc"] * len(many), limits, 2)
    assert {tuple(away) for k, away in across if many[k][1] > 0} == {(1, 1), (1, -1), (-1, 1)}
    # No name lies on another point, and larger letters take more room.
    on = np.array([[1.0, 0.0], [1.06, 0.02]])
    assert all(
        away[0] < 0 or away[1] < 0 for k, away in _named(on, ["abc"] * 2, limits, 1) if not k
    )
    assert len(_named(points, ["abcdefgh"] * 6, limits, 2, 20.0)) < 5
