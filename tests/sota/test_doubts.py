"""What is said of a posterior that should not be believed."""

import warnings

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from leaderbayes.sota._doubts import _distinguished, question


def a_tree(theta, ease, best=None, draws=2):
    """Draws of a posterior of three teams that scored 0.9, 0.8 and 0.7."""
    theta = np.tile(theta, (1, draws, 1))
    best = theta.max(axis=2) if best is None else np.full((1, draws), best)
    coords = {"team": ["a", "b", "c"]}
    sample = (("chain", "draw", "team"), np.tile([0.9, 0.8, 0.7], (1, draws, 1)))
    tree = xr.DataTree.from_dict({
        "posterior": xr.Dataset({
            "theta": (("chain", "draw", "team"), theta), "theta_sota": (("chain", "draw"), best),
            "ease": (("chain", "draw"), np.full((1, draws), ease)),
        }, coords),
        "posterior_predictive": xr.Dataset({"score": sample, "new_score": sample}, coords),
        "constant_data": xr.Dataset({"score": ("team", [0.9, 0.8, 0.7]), "n": 100}, coords),
    })  # fmt: skip
    tree.attrs["model"] = "sota"
    return tree


@pytest.mark.parametrize(
    ("tree", "said"),
    [
        (a_tree([0.9, 0.8, 0.7], 1.0), []),
        (a_tree([0.79, 0.78, 0.7], 1.0), ["LB022 theta_SOTA is 0.79, below the board's median"]),
        (a_tree([0.8, 0.8, 0.9], 1.0), ["LB022 the best team, 'c', scored 0.7"]),
        (a_tree([0.9, 0.8, 0.7], -4.1), ["LB023 the teams' common luck"]),
        (a_tree([0.9, 0.8, 0.7], 0.0, 0.85), ["LB024 theta_sota, 0.8500"]),
    ],
)
def test_a_best_that_should_not_be_believed(tree, said):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        question(tree, flexible=False)
    found = [str(w.message) for w in caught]
    assert [w.category for w in caught] == [lb.BoardWarning] * len(said)
    assert all(one.startswith(start) for one, start in zip(found, said, strict=True))


def test_what_helps_against_a_best_below_the_median():
    """Nobody is told to lower a rho that is 0."""
    tree = a_tree([0.79, 0.78, 0.7], 1.0)
    without = a_tree([0.79, 0.78, 0.7], 1.0)
    without["posterior"] = xr.DataTree(without["posterior"].to_dataset().drop_vars("ease"))
    for dt, flexible, said in (
        (tree, False, "Take law='flexible', or a lower rho (see"),
        (tree, True, "Take a lower rho (see"),
        (without, False, "Take law='flexible' (see"),
        (without, True, "several times (clones='one'"),
    ):
        with pytest.warns(lb.BoardWarning, match="LB022") as caught:
            question(dt, flexible=flexible)
        assert said in str(caught[0].message)


def test_equal_teams_that_are_nearly_perfect_are_no_doubt():
    """Printed with five digits, most of them at the two highest scores, any of them the best."""
    rng = np.random.default_rng(1)
    score = np.round(rng.binomial(374, 0.9985, 300) / 374, 5)
    assert np.median(score) == 1.0
    board = lb.sota.read_board(score, n=374)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        dt = lb.sota.posterior(board, seed=1)
    assert not [w for w in caught if "LB021" in str(w.message) or "LB022" in str(w.message)]
    assert "below the median score, 1.000" in lb.sota.summary(dt).attrs["middle"]


@pytest.mark.parametrize(("draws", "said"), [(400, True), (399, False)])
def test_a_board_is_not_judged_by_fewer_than_400_of_its_like(draws, said):
    """Of R boards that are exchangeable with it none is beyond it in 2 / (R + 1) of all cases."""
    tree = a_tree([0.9, 0.8, 0.7], 0.0, draws=draws)
    tree["posterior_predictive"]["new_score"][:] -= 0.1
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        question(tree, flexible=False)
    found = [str(w.message) for w in caught]
    assert any(one.startswith("LB021") and "Take law='flexible'" in one for one in found) is said


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ((0.5, 0.1, 0.2), ("0.5", "0.1", "0.2")),
        ((0.99, 1.0, 1.0), ("0.99", "1", "1")),
        ((1.0, 0.99999901, 0.99999999), ("1", "0.99999901", "0.99999999")),
        ((2.0, 1.0000001, 1.0000004), ("2", "1.0000001", "1.0000004")),
    ],
)
def test_numbers_have_the_digits_that_distinguish_them(numbers, said):
    assert _distinguished(*numbers) == said
