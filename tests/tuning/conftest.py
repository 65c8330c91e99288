"""Scores of candidates."""

import numpy as np
import pytest


def draw_scores(seed, m=8, rounds=8, spread=1.0):
    """Strengths (candidate,), and scores (candidate, round) with standard normal noise."""
    rng = np.random.default_rng(seed)
    truth = spread * rng.normal(size=m)
    return truth, truth[:, None] + rng.normal(size=(m, rounds))


@pytest.fixture(scope="session")
def simulated():
    """Draw scores, as `draw_scores` does."""
    return draw_scores
