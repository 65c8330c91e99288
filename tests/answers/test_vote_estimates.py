"""Estimates of a fit's votes by its own model: parts are taken for what they are."""

import numpy as np
import pytest

from leaderbayes._answers.vote_estimates import parted
from votes import draw, fit


@pytest.fixture(scope="module")
def votes():
    rng = np.random.default_rng(6)
    return draw(np.array([0.5, 0.0, -0.5]), 900, rng, judges=6, spread=0.3, ties=0.2)


@pytest.mark.parametrize(
    ("model", "ties"),
    [("bradley_terry", "half"), ("davidson", "half"), ("round_intercept", "drop")],
)
def test_parts_do_not_change_the_estimate(votes, model, ties):
    """However votes are parted and put together, all of them have one estimate, near the fit's."""
    dt = fit(votes, model=model, ties=ties)
    count = dt["constant_data"].sizes["vote"]
    whole = parted(dt, np.arange(count))
    at = whole.model.maximum(whole.votes, whole.penalty)
    judge = np.unique(dt["constant_data"]["judge"].to_numpy(), return_inverse=True)[1]
    for part in (None, judge, np.zeros(count, dtype=np.int64)):
        own = parted(dt, part)
        assert own.votes.n.sum() == count
        assert len(own.votes.n) < count
        again = own.model.maximum(own.votes, own.penalty)
        np.testing.assert_allclose(again.epp, at.epp, atol=1e-6)
    mean = dt["posterior"]["epp"].mean(("chain", "draw")).to_numpy()
    np.testing.assert_allclose(at.epp, mean, atol=0.05)


def test_judges_with_a_favour_of_their_own_are_not_put_together(votes):
    one = np.zeros(900, dtype=np.int64)
    pairs = len(parted(fit(votes), one).votes.n)
    dt = fit(votes, model="round_intercept", ties="drop")
    judges = len(parted(dt, one[: dt["constant_data"].sizes["vote"]]).votes.n)
    assert pairs == 6
    assert 30 < judges <= 36
