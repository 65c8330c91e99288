"""The best of variants that were tried, on a board."""

import numpy as np
import pytest
from scipy import stats

import leaderbayes as lb
from leaderbayes._numerics.counts import counts, counts_above
from leaderbayes.sota._model_of_counts import CountBoard
from leaderbayes.sota._scale import CountScale
from leaderbayes.sota._variants import variants_of

N = 60
SCORES = np.array([45, 48, 48, 52, 53]) / N
LAW = stats.randint(1, 6)


def test_the_likelihood_is_that_of_the_best():
    """F(x)^k - F(x - 1)^k, over k, of those above the floor."""
    tried = variants_of("variants", LAW, 100)
    board = counts_above(SCORES, N, 0.7, None)
    scale = CountScale(board, 0.0, 0.9, tried)
    value, factor = scale.likelihood(0.0, 0.0)
    given = scale.cells
    theta = np.sin(0.5 * (given.edge[1:] + given.edge[:-1])) ** 2

    def below(x):
        return np.mean([stats.binom.cdf(x, N, theta) ** k for k in range(1, 6)], axis=0)

    for u, x in enumerate(board.x):
        near = slice(given.row[u], given.row[u + 1])
        cell = slice(given.first[u], given.first[u] + given.row[u + 1] - given.row[u])
        exact = (below(x) - below(x - 1)) / (1.0 - below(board.floor))
        found = value[near] * np.exp(factor[u])
        likely = exact[cell] > 1e-6
        np.testing.assert_allclose(found[likely], exact[cell][likely], rtol=1e-7)


@pytest.mark.parametrize("rho", [0.0, 0.5])
def test_boards_are_of_the_best(rho):
    """Drawn as the largest of so many draws of one team's."""
    rng = np.random.default_rng(0)
    tried = variants_of("variants", 4, 100)
    model = CountBoard(counts(SCORES, N), "flexible", 2, 0.5, rho, 0.9, "board", variants=tried)
    theta, each = np.full((4000, 2), 0.8), np.full(4000, rho)
    right = np.full((4000, 1), 54)
    score = model.shown(theta, each, rng, right)
    alone = [model.replicate(theta, each, rng, right) for _ in range(4)]
    np.testing.assert_allclose(score.mean(axis=0), np.max(alone, axis=0).mean(axis=0), atol=0.003)
    where = np.zeros((4000, 2), bool)
    where[:, 1] = True
    some = model.shown(theta, each, rng, right, where)
    assert some.shape == (4000,)
    assert some.mean() == pytest.approx(score.mean(), abs=0.003)


def test_who_tried_more_is_worth_less():
    board = lb.sota.read_board(np.repeat(SCORES, 2), n=N)
    given = {"draws": 100, "chains": 2, "seed": 1, "workers": 1}
    best = {}
    for name, k in {"one": 1, "many": 20}.items():
        dt = lb.sota.posterior(board, variants=k, **given)
        best[name] = lb.sota.summary(dt)
        assert dt.attrs.get("variants", 1) == k
    assert best["one"]["theta_sota"] > best["many"]["theta_sota"] + 0.02
    free = lb.sota.winner(board, variants=20)
    assert float(best["many"]["law_free_lower"]) == float(free["theta_sota_lower"])
    assert "to have tried 20 variants" in lb.report.text(dt)


def test_refused():
    board = lb.sota.read_board(SCORES, n=N)
    for given, message in (
        ({"variants": 0}, "variants=0"),
        ({"variants": stats.norm(3, 1)}, "variants: its prior is of whole numbers"),
        ({"variants": stats.randint(1, 5000)}, "variants: its prior must lie from 1 to 1000"),
        ({"variants": 3, "law": "beta"}, "law='flexible'"),
    ):
        with pytest.raises(lb.LeaderbayesError, match=message):
            lb.sota.posterior(board, draws=10, seed=1, **given)
    with pytest.raises(lb.LeaderbayesError, match="of accuracies"):
        lb.sota.posterior(lb.sota.read_board([0.5, 0.6], se=0.1), variants=3, seed=1)
