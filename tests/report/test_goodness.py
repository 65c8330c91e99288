"""How a board fits, on the page: the numbers of `check`, and what to do."""

import numpy as np
import pytest

import leaderbayes as lb
from leaderbayes.report._goodness import bars, checked_fit, goodness
from votes import fit, votes_of


def test_numbers_are_those_of_check(laplace):
    own = checked_fit(laplace, 200, many=False)
    told = lb.check(laplace, seed=int(laplace.attrs["seed"]))
    for name in ("observed", "replicated_round", "p_round", "p_naive"):
        np.testing.assert_array_equal(own[name], told[name])


def test_of_many_boards_the_number_is_the_fits_own(laplace):
    own = checked_fit(laplace, 200, many=True)
    assert own.sizes["draw"] == 30
    assert float(own["p_round"]) == laplace.attrs["p_check"]
    alone = checked_fit(laplace, 200, many=False)
    assert float(alone["p_round"]) == laplace.attrs["p_check"]
    said = goodness(laplace, own)
    assert said["p_naive"] == ""
    assert said["draws"] == goodness(laplace, alone)["draws"] == 200


def test_of_many_boards_without_one_it_is_computed(laplace):
    bare = laplace.copy()
    bare.attrs = {k: v for k, v in laplace.attrs.items() if k != "p_check"}
    own = checked_fit(bare, 200, many=True)
    assert own.sizes["draw"] == 200
    assert float(own["p_round"]) == laplace.attrs["p_check"]


def test_what_to_do_stands_where_it_does_not_fit(laplace, misfit):
    said = goodness(misfit, checked_fit(misfit, 200, many=False))
    assert said["kind"] == "bad"
    assert any("plots.record" in line for line in said["advice"])
    assert any('by="record"' in line for line in said["advice"])
    assert goodness(laplace, checked_fit(laplace, 200, many=False))["advice"] == []


def test_of_many_tournaments_there_is_no_record(together):
    from leaderbayes.report._goodness import _advice

    assert not any("record" in line for line in _advice(together))


def test_votes_without_a_check_have_no_points():
    """NaN is no JSON: pages of votes of two players were not written."""
    dt = fit(votes_of([0, 1, 0, 1], [1, 0, 1, 0], [1.0, 1.0, 0.0, 0.5], 2), sampler="laplace")
    assert bars(checked_fit(dt, 100, many=False))["bars"] == []


def test_bars_are_all_replicates_about_the_board(laplace):
    checked = checked_fit(laplace, 200, many=False)
    made = bars(checked)
    assert sum(made["bars"]) == 200
    assert not made["less"]
    assert made["line"] == pytest.approx(float(checked["observed"][0]), rel=1e-3)
    beyond = sum(
        n for n, edge in zip(made["bars"], made["edges"], strict=False) if edge > made["line"]
    )
    assert beyond / 200 <= float(checked["p_round"])
    far = bars(checked.assign(observed=checked["observed"] + 1e6))
    assert len(far["bars"]) == len(made["bars"])
    # Davidson's goes with each draw.
    varied = bars(checked.assign(observed=checked["observed"] + np.arange(200.0)))
    assert varied["less"]
    assert varied["line"] == 0.0
