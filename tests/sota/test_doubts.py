"""What is said of a posterior that should not be believed."""

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from conftest import warned
from leaderbayes.sota._posterior import question


def a_tree(theta, draws=2, new=(0.9, 0.8, 0.7)):
    """Draws of a posterior of three teams that scored 0.9, 0.8 and 0.7."""
    theta = np.tile(theta, (1, draws, 1))
    coords = {"team": ["a", "b", "c"]}
    sample = (("chain", "draw", "team"), np.tile(new, (1, draws, 1)))
    tree = xr.DataTree.from_dict({
        "posterior": xr.Dataset({
            "theta": (("chain", "draw", "team"), theta), "ease": (("chain", "draw"), theta[..., 0]),
            "theta_sota": (("chain", "draw"), theta.max(axis=2)),
        }, coords),
        "posterior_predictive": xr.Dataset({"score": sample, "new_score": sample}, coords),
        "constant_data": xr.Dataset({"score": ("team", [0.9, 0.8, 0.7]), "n": 100}, coords),
    })  # fmt: skip
    tree.attrs["model"] = "sota"
    return tree


def test_a_best_below_the_median():
    """Nobody is told to lower a rho that is 0."""
    assert warned(question, a_tree([0.9, 0.8, 0.7]), flexible=False) == []
    low = a_tree([0.79, 0.78, 0.7])
    without = low.copy()
    without["posterior"] = xr.DataTree(low["posterior"].to_dataset().drop_vars("ease"))
    for tree, flexible, remedy in (
        (low, False, "Fit law='flexible' or a lower rho (see"),
        (low, True, "Fit a lower rho (see"),
        (without, False, "Fit law='flexible' (see"),
        (without, True, "copies of one submission (see"),
    ):
        (said,) = warned(question, tree, flexible=flexible)
        assert "its best is 0.79, below the median score, 0.8" in said
        assert remedy in said


def test_equal_teams_that_are_nearly_perfect_are_no_doubt():
    """Printed with five digits, most of them at the two highest scores, any of them the best."""
    rng = np.random.default_rng(1)
    score = np.round(rng.binomial(374, 0.9985, 300) / 374, 5)
    assert np.median(score) == 1.0
    board = lb.sota.read_board(score, n=374)
    assert "LB016" not in "".join(warned(lb.sota.posterior, board, seed=1))


@pytest.mark.parametrize(("draws", "said"), [(400, True), (399, False)])
def test_a_board_is_not_judged_by_fewer_than_400_of_its_like(draws, said):
    """Of R boards that are exchangeable with it none is beyond it in 2 / (R + 1) of all cases."""
    tree = a_tree([0.9, 0.8, 0.7], draws, (0.8, 0.79999999, 0.6))
    found = warned(question, tree, flexible=False)
    assert bool(found) is said
    if said:
        assert "its maximum is 0.9, but on boards of the model nearly always 0.8" in found[0]
        assert "Fit law='flexible'" in found[0]
