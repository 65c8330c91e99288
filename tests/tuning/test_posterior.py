"""The posterior of a look: against `lb.fit`, and its probabilities against each other."""

import numpy as np
import pytest
from scipy.special import expit

import leaderbayes as lb
from conftest import board
from leaderbayes.tuning._posterior import gains, standing


def test_posterior_is_that_of_fit(simulated):
    _, scores = simulated(2)
    for fraction in (None, 0.1):
        dt = lb.fit(
            board(scores), "bradley_terry", seed=1, replicates=1, test_fraction=fraction,
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


def search(rng, law, n, rounds=10):
    """Mean scores of n candidates, and scores with noise and levels of rounds."""
    mu = law(rng, n)
    return mu, mu[:, None] + rng.normal(size=rounds) + 0.3 * rng.normal(size=(n, rounds))


def test_gains_follow_the_scores():
    _, y = search(np.random.default_rng(3), lambda rng, n: -rng.gamma(1.5, size=n), 20)
    few, many = (gains(y, k, np.random.default_rng(1)).mean() for k in (2, 50))
    assert 0.0 < few < many
    moved = gains(5.0 + 100.0 * y, 50, np.random.default_rng(1)).mean()
    assert moved == pytest.approx(100.0 * many)
    shared = (gains(y, 10, np.random.default_rng(1), test_fraction=f) for f in (None, 0.2))
    assert len({round(float(one.mean()), 9) for one in shared}) == 2
    assert (gains(np.ones((4, 3)), 10, np.random.default_rng(1)) < 1e-9).all()
    y[5:, 4:] = np.nan  # dropped after four rounds
    assert np.isfinite(gains(y, 10, np.random.default_rng(1))).all()


@pytest.mark.slow
def test_gains_are_those_that_happen():
    laws = {
        "normal": lambda rng, n: rng.normal(size=n),
        "long left tail": lambda rng, n: -rng.gamma(2.0, size=n),
        "two groups": lambda rng, n: np.where(rng.random(n) < 0.3, -5.0, 0.0) + rng.normal(size=n),
    }
    rng = np.random.default_rng(20)
    said, happened = [], []
    for law in laws.values():
        for _ in range(100):
            mu, y = search(rng, law, 20)
            gained = gains(y, 10, rng)
            true = law(rng, 10).max() - mu[y.mean(axis=1).argmax()]
            said.append([(gained > t).mean() for t in (0.0, 0.3)] + [gained.mean()])
            happened.append([true > 0.0, true > 0.3, max(true, 0.0)])
    off = np.subtract(said, happened)
    assert (np.abs(off.mean(axis=0)) < 3.0 * off.std(axis=0) / np.sqrt(len(off))).all()
