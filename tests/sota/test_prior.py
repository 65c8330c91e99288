"""What a board's model believes before it has seen the scores."""

import arviz as az
import numpy as np
import pytest
from scipy import stats

import leaderbayes as lb
from leaderbayes.sota._model import model_of
from leaderbayes.sota._prior import prior_groups

SCORES = [0.93, 0.92, 0.92, 0.91, 0.91, 0.9, 0.89, 0.89, 0.88, 0.88, 0.87, 0.85]
RHO = stats.beta(6, 4)


def boards():
    accuracies = lb.sota.read_board(SCORES, n=200)
    estimates = lb.sota.read_board(SCORES, se=0.02)
    aucs = lb.sota.read_board(SCORES, n=500, metric="auc", positive_rate=0.3)
    for law in ("flexible", "beta", "empirical", stats.beta(90, 10)):
        yield accuracies, {"law": law, "rho": RHO, "theta_0": 0.9}
    yield accuracies, {"law": "beta", "floor": 0.87}
    for board in (estimates, aucs):
        for law in ("flexible", "beta", "mixture"):
            yield board, {"law": law, "rho": 0.5}


@pytest.mark.parametrize(("board", "given"), list(boards()))
@pytest.mark.filterwarnings("ignore::leaderbayes.LeaderbayesWarning")
@pytest.mark.slow
def test_groups(board, given):
    """Of every law and metric: the same parameters as the posterior, boards like the board."""
    plain = lb.sota.posterior(board, draws=50, chains=2, seed=1, **given)
    dt = lb.sota.posterior(board, draws=50, chains=2, seed=1, prior=True, **given)
    assert "prior" not in plain
    np.testing.assert_array_equal(dt["posterior"]["theta"], plain["posterior"]["theta"])
    posterior, prior = dt["posterior"], dt["prior"]
    assert set(prior.data_vars) == set(posterior.data_vars) - {"theta"}
    for name, value in prior.data_vars.items():
        own = posterior[name]
        assert value.dims == own.dims
        assert value.shape == (1, 50, *own.shape[2:])
        assert np.isfinite(value).all()
    score = dt["prior_predictive"]["score"]
    assert score.dims == ("chain", "draw", "team")
    assert list(score["team"]) == list(posterior["team"])
    if "floor" not in given and board.attrs["metric"] != "estimate":
        assert ((score >= 0.0) & (score <= 1.0)).all()


def test_arviz_takes_them():
    board = lb.sota.read_board(SCORES, n=200)
    dt = lb.sota.posterior(board, law="beta", seed=1, prior=True)
    assert az.psense_summary(dt, var_names=["theta_sota"]).shape[0] == 1
    az.plot_prior_posterior(dt, var_names=["theta_sota", "mean"])


def groups(board, rng, law, rho):
    """Draw many of both groups, without a posterior."""
    how = {"components": 2, "floor": None, "theta_0": 0.9, "statistic": "board", "workers": 1}
    return prior_groups(*model_of(board, law=law, rho=rho, **how), 4000, rng).values()


def test_draws_have_the_priors_that_are_said():
    board = lb.sota.read_board(SCORES, n=200)
    rng = np.random.default_rng(2)
    drawn, _ = groups(board, rng, law="mixture", rho=RHO)
    prior = {name: value.to_numpy()[0] for name, value in drawn.data_vars.items()}
    laws = {
        "mean": stats.uniform(), "weight": stats.beta(1, 1), "ease": stats.norm(), "rho": RHO,
        "concentration": stats.lognorm(2.5, scale=np.exp(5.0)),
    }  # fmt: skip
    for name, law in laws.items():
        value = prior[name] if prior[name].ndim == 1 else prior[name][:, 0]
        assert stats.kstest(value, law.cdf).pvalue > 1e-4
    # Where the law is known the best theta has the law of a maximum.
    known = stats.beta(90, 10)
    drawn, boards = groups(board, rng, law=known, rho=0.0)
    best = drawn["theta_sota"].to_numpy().ravel()
    assert stats.kstest(best, lambda t: known.cdf(t) ** len(SCORES)).pvalue > 1e-4
    # And boards have the variance of thetas and of counts together.
    score = boards["score"].to_numpy().ravel()
    within = known.expect(lambda t: t * (1.0 - t)) / 200
    assert score.var() == pytest.approx(known.var() + within, rel=0.05)


def test_ease_moves_all_scores_together():
    board = lb.sota.read_board(SCORES * 5, n=200)
    drawn, again = groups(board, np.random.default_rng(4), law=stats.beta(900, 100), rho=0.7)
    ease = drawn["ease"].to_numpy()[0]
    mean = again["score"].mean("team").to_numpy()[0]
    assert np.corrcoef(ease, mean)[0, 1] > 0.9
    slope = np.polyfit(ease, mean, 1)[0]
    assert slope == pytest.approx(0.7 * np.sqrt(0.9 * 0.1 / 200), rel=0.1)
