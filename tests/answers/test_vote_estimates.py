"""Estimates of a fit's votes by its own model, however votes are parted."""

import numpy as np
import pytest

from leaderbayes._answers.vote_estimates import parted
from votes import draw, fit


@pytest.mark.parametrize("model", ["bradley_terry", "davidson"])
def test_parts_do_not_change_the_estimate(model):
    """However votes are put together, all of them have one estimate, near the fit's."""
    rng = np.random.default_rng(6)
    votes = draw(np.array([0.5, 0.0, -0.5]), 900, rng, judges=6, spread=0.3, ties=0.2)
    dt = fit(votes, model=model)
    count = dt["constant_data"].sizes["vote"]
    whole = parted(dt, np.arange(count))
    at = whole.estimate(whole.votes)
    judge = np.unique(dt["constant_data"]["judge"].to_numpy(), return_inverse=True)[1]
    for part in (None, judge, np.zeros(count, dtype=np.int64)):
        own = parted(dt, part)
        assert own.size.sum() == count
        assert len(own.size) < count
        np.testing.assert_allclose(own.estimate(own.votes).epp, at.epp, atol=1e-6)
    assert len(parted(dt, np.zeros(count, dtype=np.int64)).size) == 6
    mean = dt["posterior"]["epp"].mean(("chain", "draw")).to_numpy()
    np.testing.assert_allclose(at.epp, mean, atol=0.05)
