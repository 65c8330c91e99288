"""Test sets whose size is not known."""

import numpy as np
import pytest
from scipy import stats

import leaderbayes as lb
from leaderbayes.sota._sizes import Sizes, sizes_of, with_sizes

COARSE = np.round(np.linspace(0.6, 0.9, 12), 2)  # of which any n above 100 may be


def printed(n, digits, m=60):
    rng = np.random.default_rng(n)
    return np.round(rng.binomial(n, rng.beta(50, 10, m)) / n, digits)


def test_digits_that_say_nothing_leave_the_prior():
    """Of n that all scores are shares of equally often; a range is log-uniform."""
    some = stats.rv_discrete(values=([1000, 2000, 4000], [0.2, 0.3, 0.5]))
    found = sizes_of(COARSE, some, "accuracy")
    assert list(found.n) == [1000, 2000, 4000]
    np.testing.assert_allclose(found.weight, [0.2, 0.3, 0.5])
    between = sizes_of(COARSE, (1000, 4000), "auc")
    assert between.weight[between.n < 2000].sum() == pytest.approx(0.5, abs=0.001)
    assert between.middle == pytest.approx(2000, abs=2)
    law = sizes_of(COARSE, stats.loguniform(1000, 4000), "auc")
    assert law.middle == pytest.approx(2000, abs=2)


@pytest.mark.parametrize(("n", "digits"), [(799, 4), (2500, 5)])
def test_digits_tell_n(n, digits):
    """Of n and its multiples the first, as half of the others' shares would be odd ones."""
    scores = printed(n, digits)
    assert sizes_of(scores, (500, 10_000), "accuracy").sure == n
    board = lb.sota.read_board(scores, n=(500, 10_000))
    assert board.attrs["n"] == n
    assert board.attrs["n_from"] == "lattice"
    assert "n_lower" not in board.attrs


def test_weights_are_probabilities_of_the_printed_scores():
    """By simulation: of boards of either n, those that are printed so."""
    rng, digits = np.random.default_rng(0), 2
    boards = {n: np.round(rng.integers(0, n, (200_000, 2)) / n, digits) for n in (60, 90)}
    seen = np.array([0.55, 0.8])
    found = sizes_of(seen, stats.rv_discrete(values=([60, 90], [0.5, 0.5])), "accuracy")
    # As often rounded as truncated: both here are of few counts, so that they differ.
    cut = {n: np.floor(rng.integers(0, n, (200_000, 2)) / n * 100 + 1e-9) / 100 for n in (60, 90)}
    times = [
        sum(float((np.isclose(made[n], seen)).all(axis=1).mean()) for made in (boards, cut))
        for n in (60, 90)
    ]
    np.testing.assert_allclose(found.weight, np.array(times) / sum(times), atol=0.06)


def test_draws_are_shared_out():
    few = Sizes(np.array([100, 300]), np.array([0.25, 0.75]))
    assert few.nodes(40) == [(100, 10), (300, 30)]
    many = Sizes(np.arange(1000, 2000), np.full(1000, 1e-3))
    nodes = many.nodes(250)
    assert [n for n, _ in nodes] == pytest.approx(list(range(1062, 2000, 125)), abs=8)
    assert sum(draws for _, draws in nodes) == 250
    assert len(many.nodes(3)) == 3


def test_a_board_between_two_numbers():
    board = lb.sota.read_board(COARSE, n=(400, 1600))
    assert [board.attrs[name] for name in ("n_lower", "n_upper")] == [400, 1600]
    assert board.attrs["n"] == pytest.approx(800, abs=20)
    for refused in (
        lambda: lb.sota.shrink(board),
        lambda: lb.sota.two_looks(board, board),
    ):
        with pytest.raises(lb.LeaderbayesError, match="between 400 and 1600"):
            refused()
    # Without a law the smallest test set, whose luck is the most.
    free, alone = (lb.sota.winner(each) for each in (board, lb.sota.read_board(COARSE, n=400)))
    assert float(free["theta_sota_upper"]) == float(alone["theta_sota_upper"])
    known, nodes = with_sizes(board, 500, 10)
    assert (known.attrs["n"], nodes) == (500, [])
    assert "n_lower" not in known.attrs
    assert board.attrs["n_lower"] == 400


TWO = stats.rv_discrete(values=([400, 1600], [0.25, 0.75]))


def test_draws_of_each_n_are_behind_each_other():
    board = lb.sota.read_board(COARSE, n=1000)
    dt = lb.sota.posterior(board, n=TWO, prior=True, draws=100, chains=2, seed=1, workers=1)
    n = dt["posterior"]["n"].to_numpy()
    assert (n == [400.0] * 25 + [1600.0] * 75).all()
    assert dict(dt["posterior"].sizes) == {"chain": 2, "draw": 100, "team": 12}
    for group in ("posterior_predictive", "log_likelihood", "log_prior", "prior"):
        assert dt[group].sizes["draw"] == 100
        assert np.isfinite(dt[group].to_dataset().to_dataarray()).all()
    score = dt["posterior_predictive"]["score"].to_numpy() * n[..., None]
    np.testing.assert_allclose(score, np.round(score), atol=1e-8)
    best = lb.sota.summary(dt)
    assert [float(best[name]) for name in ("n", "n_lower", "n_upper")] == [1300.0, 400.0, 1600.0]
    assert "between 400 and 1600" in lb.report.text(dt)


def test_the_posterior_given_n_is_that_of_n():
    """Under a law that is known: beta laws with more counts, of each n."""
    board, a, b = lb.sota.read_board(COARSE, n=1000), 12, 4
    given = {"law": stats.beta(a, b), "chains": 2, "seed": 1}
    dt = lb.sota.posterior(board, n=TWO, draws=400, **given)
    for n in (400, 1600):
        theta = dt["posterior"]["theta"].where(dt["posterior"]["n"] == n)
        exact = stats.beta(a + COARSE * n, b + n - COARSE * n)
        np.testing.assert_allclose(theta.mean(("chain", "draw")), exact.mean(), atol=0.004)
        np.testing.assert_allclose(theta.std(("chain", "draw")), exact.std(), rtol=0.15)
    alone = lb.sota.posterior(board, n=1600, draws=50, **given)
    assert "n" not in alone["posterior"]
    assert int(alone["constant_data"]["n"]) == 1600


def test_refused():
    board = lb.sota.read_board(COARSE, n=(400, 1600))
    for n, message in (
        ((500, 400), "n=400"),
        ((1, 2, 3), "3 numbers"),
        ((1, 10**7), "say more of it"),
        (stats.norm(-9.0, 1.0), "from 1 up"),
        ("many", "n='many'"),
    ):
        with pytest.raises(lb.LeaderbayesError, match=message):
            lb.sota.posterior(board, n=n, draws=10, seed=1)
    with pytest.raises(lb.LeaderbayesError, match="standard errors, and no n"):
        lb.sota.posterior(lb.sota.read_board([0.5, 0.6], se=0.1), n=100, seed=1)
    with pytest.raises(lb.LeaderbayesError, match="boards of one n"):
        lb.sota.posterior(board, sampler="abc-smc", law="beta", draws=10, seed=1)
    with pytest.raises(lb.LeaderbayesError, match="n=0"):
        lb.sota.read_board(COARSE, n=(0, 50))
    with pytest.warns(lb.BoardWarning, match="LB020 the scores are not all multiples"):
        lb.sota.read_board([0.91234, 0.8, 0.7], n=(100, 103))


def test_chains_are_held_to_each_other_and_not_small_tests_to_large_ones():
    """Of few instances the best is less surely known, and draws of each n are side by side."""
    scores = [0.93, 0.92, 0.92, 0.91, 0.91, 0.9, 0.89, 0.89, 0.88, 0.87, 0.85, 0.8]
    dt = lb.sota.posterior(lb.sota.read_board(scores, n=(100, 2000)), seed=1)
    assert dt.attrs["converged"]
    best, n = (dt["posterior"][name].to_numpy() for name in ("theta_sota", "n"))
    assert best[n == n.min()].std() > 1.5 * best[n == n.max()].std()
