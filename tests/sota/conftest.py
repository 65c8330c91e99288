"""A board, and its posterior."""

import numpy as np
import pytest

import leaderbayes as lb
from leaderbayes._numerics.board_scale import draw_counts
from leaderbayes._numerics.counts import reference_count


def draw_board(a, b, m, n, rho, theta_0, rng, theta=None):
    """Thetas from Beta(a, b), or those that are given, and a board of them."""
    theta = rng.beta(a, b, size=m) if theta is None else theta
    right = reference_count(n, theta_0, rng.standard_normal())
    count = draw_counts(theta, n, right, rho, theta_0, rng)
    return theta, lb.sota.read_board(count / n, n=n)


@pytest.fixture(scope="session")
def simulated():
    """Draw a board, as `draw_board` does."""
    return draw_board


@pytest.fixture(scope="session")
def fitted():
    _, board = draw_board(85.0, 15.0, 80, 500, 0.5, 0.9, np.random.default_rng(1))
    return board, lb.sota.posterior(board, rho=0.5, theta_0=0.9, draws=125, seed=3)
