"""What draws of strengths say of a question, and boards that are played on."""

import numpy as np
import pytest

from leaderbayes._answers.plan_matches import of_matches, verdict
from leaderbayes._inference.laplace import fitted_arguments


def test_verdict_of_a_pair_is_of_the_better_one():
    epp = np.random.default_rng(1).normal([0.0, 1.0, 5.0], 1.0, (4000, 3))
    said = verdict(epp, [0, 1], 0.7)
    p = float((epp[:, 1] > epp[:, 0]).mean())
    assert (said.decided, said.better, said.p) == (True, 1, p)
    low, high = np.quantile(epp[:, 1] - epp[:, 0], [0.15, 0.85])
    assert said.width == pytest.approx(high - low)
    assert not verdict(epp, [0, 1], p + 0.001).decided


def test_verdict_of_a_leader_is_its_least_sure():
    epp = np.random.default_rng(1).normal([0.0, 1.0, 2.0], 1.0, (4000, 3))
    said = verdict(epp, None, 0.95)
    assert said.better == 2
    assert said.p == float((epp[:, 2] > epp[:, 1]).mean())


def test_boards_are_played_on(laplace):
    """A cell a plan, a number of rounds and a simulation; nobody is right who does not decide."""
    epp = laplace["posterior"]["epp"].to_numpy().reshape(-1, 6)
    plans, lengths = [np.arange(6), np.array([1, 2])], np.array([2, 30])
    found = of_matches(
        laplace, epp, plans, lengths, [1, 2], 0.95, fitted_arguments(laplace), 3,
        np.random.default_rng(1), progressbar=False,
    )  # fmt: skip
    assert found.decided.shape == found.correct.shape == (2, 2, 3)
    assert (found.correct <= found.decided).all()
    assert (found.width[:, 1] < found.width[:, 0]).all()
    assert (found.size, found.unit) == (1.0, "round")
