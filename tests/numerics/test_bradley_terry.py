"""Newton's estimate and its Hessian."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from leaderbayes._errors import NotConvergedError
from leaderbayes._numerics.bradley_terry import (
    davidson_probability,
    deviance,
    deviances,
    estimates_near,
    log_likelihood,
    log_normaliser,
    newton,
    probability,
    x_log_x,
)
from leaderbayes._numerics.places import count_matches, draw_places


def counts(seed=0, players=7, rounds=40, nu=-np.inf):
    rng = np.random.default_rng(seed)
    b = rng.normal(size=players)
    place = draw_places(b - b.mean(), np.ones((rounds, players), bool), rng, tie=nu)
    strict, n = count_matches(place, within_round=True)
    tied = n - strict - strict.T
    return place, strict + tied / 2.0, n.astype(float), tied.astype(float)


def test_gradient_vanishes_and_hessian_is_the_information():
    _, wins, n, _ = counts()
    epp, nu, hessian = newton(wins.sum(1), n)
    assert nu == -np.inf
    assert abs(epp.sum()) < 1e-12
    np.testing.assert_allclose(wins.sum(1), (n * probability(epp)).sum(1), atol=1e-6)

    def slope(b):
        return wins.sum(1) - (n * (probability(b) - np.eye(len(b)) / 2)).sum(1)

    numeric = -np.array([approx_fprime(epp, lambda b, i=i: slope(b)[i], 1e-6) for i in range(7)])
    np.testing.assert_allclose(hessian, numeric, atol=1e-3)


def test_davidson_matches_observed_points_and_ties():
    _, wins, n, tied = counts(nu=0.0)
    epp, nu, hessian = newton(wins.sum(1), n, tied.sum() / 2)
    p, t = davidson_probability(epp, nu)
    np.testing.assert_allclose((n * (p + t / 2)).sum(1), wins.sum(1), atol=1e-6)
    assert (n * t).sum() == pytest.approx(tied.sum(), abs=1e-6)
    np.testing.assert_allclose(p + p.T + t, 1.0)
    assert hessian.shape == (8, 8)
    assert np.linalg.eigvalsh(hessian).min() > -1e-9


def test_davidson_without_ties_has_no_estimate():
    _, wins, n, tied = counts()
    with pytest.raises(NotConvergedError, match="LB002"):
        newton(wins.sum(1), n, tied.sum() / 2)


def test_deviance_is_zero_for_two_players_and_never_negative():
    wins, n = np.array([[0.0, 7.0], [3.0, 0.0]]), np.array([[0.0, 10.0], [10.0, 0.0]])
    epp, _, _ = newton(wins.sum(1), n)
    assert epp[0] - epp[1] == pytest.approx(np.log(7 / 3))
    assert deviance(epp, -np.inf, wins, np.zeros_like(wins), n) == pytest.approx(0.0, abs=1e-9)
    assert log_likelihood(epp, wins.sum(1), n) == pytest.approx(7 * np.log(0.7) + 3 * np.log(0.3))


def test_deviance_is_that_of_davidson_by_definition():
    rng = np.random.default_rng(4)
    m, nu, epp = 4, -0.3, rng.normal(size=4)
    won, tied = rng.integers(0, 5, (m, m)).astype(float), rng.integers(0, 4, (m, m)).astype(float)
    np.fill_diagonal(won, 0.0)
    tied = np.triu(tied, 1) + np.triu(tied, 1).T
    n = won + won.T + tied
    p, t = davidson_probability(epp, nu)

    def gained(count, probability):
        here = count > 0
        share = count[here] / n[here]
        return (count[here] * (np.log(share) - np.log(probability[here]))).sum()

    upper = np.triu(np.ones((m, m)), 1)
    expected = 2.0 * (gained(won, p) + gained(tied * upper, t))
    assert deviance(epp, nu, won, tied, n) == pytest.approx(expected)
    halves = won + tied / 2.0
    p = 1.0 / (1.0 + np.exp(epp - epp[:, None]))
    assert deviance(epp, -np.inf, won, tied, n) == pytest.approx(2.0 * gained(halves, p))


def test_deviance_of_many_boards_is_that_of_each():
    """Also where players are so far apart that no power of e holds them."""
    rng = np.random.default_rng(8)
    n = np.triu(rng.integers(0, 9, (7, 7)), 1).astype(float)
    n += n.T
    won = np.triu(rng.binomial(n.astype(int), 0.5, (6, 7, 7)), 1).astype(float)
    won += np.tril(n - won.swapaxes(1, 2), -1)
    epp = rng.normal(size=(6, 7)) * np.array([0.0, 0.1, 1.0, 10.0, 100.0, 1000.0])[:, None]
    nothing = np.zeros((7, 7))
    each = [deviance(b, -np.inf, w, nothing, n) for b, w in zip(epp, won, strict=True)]
    together = deviances(epp, won.sum(axis=2), x_log_x(won), n)
    np.testing.assert_allclose(together, each, rtol=1e-12, atol=1e-9)
    of_one = [deviance(b, -np.inf, won[0], nothing, n) for b in epp]
    together = deviances(epp, won[0].sum(axis=1), x_log_x(won[0]), n)
    np.testing.assert_allclose(together, of_one, rtol=1e-12, atol=1e-9)


def test_estimates_of_many_boards_are_those_of_each():
    rng = np.random.default_rng(9)
    n = np.triu(rng.integers(0, 9, (4, 7, 7)), 1).astype(float)
    n += n.swapaxes(1, 2)
    start = rng.normal(size=(4, 7))
    for matches in (n, n[:1]):
        of_each = np.broadcast_to(matches, n.shape)
        won = np.triu(rng.binomial(of_each.astype(int), 0.5), 1)
        points = (won + np.tril(of_each - won.swapaxes(1, 2), -1)).sum(axis=2)
        every = estimates_near(start, points, matches)
        for k in range(4):
            own = matches[min(k, len(matches) - 1)][None]
            one = estimates_near(start[k : k + 1], points[k : k + 1], own)
            np.testing.assert_allclose(every[k], one[0], atol=1e-3)


@pytest.mark.parametrize(
    ("pseudo_rounds", "enough", "atol"), [(1.0, 1e-4, 1e-3), (0.3, 1e-6, 1e-5), (1e-6, 1e-6, 1e-5)]
)
def test_an_estimate_from_nearby_is_the_maximum_from_anywhere(pseudo_rounds, enough, atol):
    """Also on a board where every match goes one way, and from a start that is far."""
    rng = np.random.default_rng(5)
    n = np.triu(rng.integers(0, 9, (7, 7)), 1).astype(float)
    n += n.T
    for upper in (np.triu(rng.binomial(n.astype(int), 0.7), 1), np.triu(n, 1)):
        points = (upper + np.tril(n - upper.T, -1)).sum(axis=1)
        for start in (np.zeros(7), 5.0 * rng.normal(size=7), 50.0 * rng.normal(size=7)):
            epp = estimates_near(start[None], points[None], n[None], pseudo_rounds, enough)[0]
            # Pseudo-rounds: matches against a player at 0, half won.
            against = probability(np.append(epp, 0.0))[:-1, -1]
            expected = (n * probability(epp)).sum(axis=1) + pseudo_rounds * against
            np.testing.assert_allclose(points + pseudo_rounds / 2.0, expected, atol=atol)


@pytest.mark.parametrize("met", ["all", "neighbours"])
def test_nearby_estimate_is_that_of_newtons_steps_solved_directly(met):
    """Conjugate gradients do for all pairs; of a long chain of players they would not."""
    rng = np.random.default_rng(6)
    m = 60
    n = np.full((m, m), 20.0) if met == "all" else 20.0 * np.eye(m, k=1)
    n = np.triu(n, 1) + np.triu(n, 1).T
    start = rng.normal(size=m)
    points = (n * probability(start + 0.2 * rng.normal(size=m))).sum(axis=1)
    epp, decrement, sizes = start.copy(), 1.0, []
    while decrement >= 1e-4:
        p, q = probability(epp), probability(np.append(epp, 0.0))[:-1, -1]
        information = np.diag((n * p * (1.0 - p)).sum(axis=1) + q * (1.0 - q)) - n * p * (1.0 - p)
        gradient = points + 0.5 - (n * p).sum(axis=1) - q
        step = np.linalg.solve(information, gradient)
        epp, decrement = epp + step / max(np.ptp(np.append(step, 0.0)), 1.0), gradient @ step
        sizes.append(abs(step).max())
    # Each step is solved to four digits, and what is left of it is part of the next.
    left = 1e-4 * (sizes[-1] + 1e-4 * sizes[-2])
    found = estimates_near(start[None], points[None], n[None])[0]
    np.testing.assert_allclose(found - found.mean(), epp - epp.mean(), rtol=0.0, atol=left)
    # Of the mean there is no match but the pseudo-round, and fewer digits: here 2 of the last step.
    assert abs(found.mean() - epp.mean()) < 1e-2 * (sizes[-1] + 1e-4 * sizes[-2])


@pytest.mark.parametrize("spread", [0.0, 1.0, 300.0, 1e5])
@pytest.mark.parametrize("met", ["all", "some"])
def test_normaliser_is_a_sum_over_pairs(met, spread):
    """Also of players so far apart that no power of e holds them, and of many."""
    rng = np.random.default_rng(3)
    m = 40
    n = np.full((m, m), 2.5) if met == "all" else rng.integers(0, 3, (m, m)) * 0.75
    n = np.triu(n, 1) + np.triu(n, 1).T
    a = spread * rng.normal(size=(5, m))
    expected = 0.5 * (n * np.logaddexp(a[:, :, None], a[:, None])).sum(axis=(1, 2))
    np.testing.assert_allclose(log_normaliser(a, n).value, expected, rtol=1e-10, atol=1e-8)
