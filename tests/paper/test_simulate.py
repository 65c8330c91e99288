"""Boards drawn, against the law of their best."""

import numpy as np
import pytest

import leaderbayes as lb


def test_simulated_boards():
    theta = np.linspace(0.8, 0.9, 40)
    boards = lb.paper.simulate(theta, n=300, boards=2000, rho=0.5, seed=1)
    assert boards.dims == ("board", "classifier")
    law = lb.sota.maximum(theta, n=300, rho=0.5)
    best = boards.max("classifier")
    error = float(law["sd"]) / np.sqrt(2000)
    assert float(best.mean()) == pytest.approx(float(law["mean"]), abs=4 * error)
    with pytest.raises(lb.LeaderbayesError, match="Equation 8"):
        lb.paper.simulate([0.2, 0.9], n=300, rho=0.6)
    with pytest.raises(lb.LeaderbayesError, match="boards=0"):
        lb.paper.simulate(theta, n=300, boards=0)


def test_simulated_aucs():
    """Boards of dependent classifiers, against the law of their best."""
    boards, options = 1500, {"positive_rate": 0.25, "rho": 0.7}
    theta = np.full(8, 0.88)
    drawn = lb.paper.simulate(theta, n=240, boards=boards, seed=1, **options)
    assert drawn.dims == ("board", "classifier")
    np.testing.assert_array_equal(
        drawn[:3], lb.paper.simulate(theta, n=240, boards=3, seed=1, **options)
    )
    error = drawn.std("board").to_numpy() / np.sqrt(boards)
    assert (abs(drawn.mean("board") - theta) < 4 * error).all()
    law = lb.sota.maximum(0.88, 8, n=240, **options)
    assert law.attrs["rho"] == 0.7
    sd = float(law["sd"])
    best = float(drawn.max("classifier").mean())
    # Four Monte Carlo errors, and the law's own of a few hundredths of sd.
    assert best == pytest.approx(float(law["mean"]), abs=(4 / np.sqrt(boards) + 0.03) * sd)
    independent = lb.sota.maximum(0.88, 8, n=240, positive_rate=0.25)
    assert float(law["mean"]) < float(independent["mean"]) - 0.1 * sd
    for wrong, message in (({"boards": 0}, "boards=0"), ({"rho": 2.0}, "rho=2.0")):
        with pytest.raises(lb.LeaderbayesError, match=message):
            lb.paper.simulate(theta, n=240, positive_rate=0.25, **wrong)


def test_a_seed_is_recorded():
    drawn = lb.paper.simulate([0.9, 0.8], n=50)
    again = lb.paper.simulate([0.9, 0.8], n=50, seed=drawn.attrs["seed"])
    np.testing.assert_array_equal(drawn, again)


def test_options_of_another_kind():
    with pytest.raises(lb.LeaderbayesError, match="theta_0 and dependence are for shares"):
        lb.paper.simulate([0.9], n=50, positive_rate=0.2, dependence="copula")
