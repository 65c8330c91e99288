"""The posterior of a look: against `lb.fit`, and its probabilities against each other."""

import numpy as np
import pytest
import xarray as xr
from scipy.special import expit

import leaderbayes as lb
from leaderbayes.tuning._posterior import standing


def test_probabilities_are_those_of_the_draws(simulated):
    _, scores = simulated(0)
    now = standing(scores, np.random.default_rng(1))
    assert now.p_best().sum() == pytest.approx(1.0)
    p = now.p_beats(now.leader)
    assert p[now.leader] == 0.0
    assert (p >= now.p_best())[np.arange(len(p)) != now.leader].all()
    assert (now.p_beats(now.leader, 0.1) <= p).all()
    # Against each other: one of two is better.
    q = np.stack([now.p_beats(j) for j in range(len(p))])
    np.testing.assert_allclose((q + q.T)[~np.eye(len(p), dtype=bool)], 1.0)


def test_posterior_is_that_of_fit(simulated):
    _, scores = simulated(2)
    names = [str(i) for i in range(len(scores))]
    board = xr.DataArray(
        scores, {"player": names, "round": np.arange(scores.shape[1])}, ("player", "round"),
        attrs={"higher_is_better": 1},
    )  # fmt: skip
    for fraction in (None, 0.1):
        dt = lb.fit(
            board, "bradley_terry", seed=1, replicates=1, test_fraction=fraction,
            prior_scale=1.0, options={"prior_df": 4.0},
        )  # fmt: skip
        epp = dt["posterior"]["epp"].to_numpy().reshape(-1, len(scores))
        now = standing(scores, np.random.default_rng(1), test_fraction=fraction)
        ours = now.epp - now.epp.mean(axis=1, keepdims=True)
        mean = now.weight @ ours
        error = epp.std(axis=0) * np.sqrt(1 / len(epp) + (now.weight**2).sum())
        assert (abs(epp.mean(axis=0) - mean) < 5 * error).all()
        np.testing.assert_allclose(now.weight @ (ours - mean) ** 2, epp.var(axis=0), rtol=0.2)


@pytest.mark.parametrize("rope", [0.0, 0.05, 0.2])
def test_a_rope_is_on_the_win_probability(simulated, rope):
    _, scores = simulated(1, m=4)
    now = standing(scores, np.random.default_rng(1))
    win = expit(now.epp[:, :, None] - now.epp[:, None])
    for j in range(4):
        np.testing.assert_allclose(now.p_beats(j, rope), now.weight @ (win[:, :, j] > 0.5 + rope))
    ahead = win[:, :, now.leader] > 0.5 + rope
    ahead[:, now.leader] = True
    first = now.epp.argmax(axis=1)[:, None] == np.arange(4)
    np.testing.assert_allclose(now.p_best(rope), now.weight @ (first & ahead))


def test_of_equals_the_first_proposed_leads():
    assert standing(np.zeros((5, 4)), np.random.default_rng(0)).leader == 0
    scores = np.array([[1.0, 2.0], [2.0, 1.0], [0.0, 0.0]])
    assert standing(scores, np.random.default_rng(0)).leader == 0
    # Of equal points the better mean.
    scores[1, 0] = 2.5
    assert standing(scores, np.random.default_rng(0)).leader == 1
