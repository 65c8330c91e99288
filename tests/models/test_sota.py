"""The model of a board: its densities, what it simulates, and what it refuses."""

import numpy as np
import pandas as pd
import pymc as pm
import pytest
from scipy import stats

import leaderbayes as lb
from conftest import sum_of_binomials
from leaderbayes._numerics import flexible_law
from leaderbayes.models._sota_simulated import _betas
from leaderbayes.models._theta import scale_of

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
SCORES = np.array([41, 55, 60, 60, 66, 71, 88, 88, 90, 90]) / 100


def densities(model, *names):
    """Of a point, by name; and the values of named variables there."""
    rvs = [model[name] for name in names]
    return model.compile_fn(
        model.logp(rvs, sum=False, jacobian=False), mode="FAST_COMPILE", on_unused_input="ignore"
    )


def at(model, *names):
    return model.compile_fn(
        model.replace_rvs_by_values([model[name] for name in names]),
        mode="FAST_COMPILE", on_unused_input="ignore",
    )  # fmt: skip


@pytest.mark.parametrize(("n", "rho"), [(50, 0.0), (50, 0.6), (200, 0.6)])
def test_density_of_counts(n, rho):
    """Binomial, and with dependence nearly the sum of two; thetas are beta."""
    board = lb.sota.read_board(np.round(SCORES * n) / n, n=n, chance=0.1)
    model = lb.models.sota(board, rho=rho, theta_0=0.8)
    rng = np.random.default_rng(1)
    sd = np.sqrt(n * 0.8 * 0.2)
    s = round(0.84 * n)
    point = {
        "mean_unit": 1.1,
        "concentration_log__": np.log(20.0),
        "theta_unit": rng.normal(size=10),
    }
    point |= {"ease": (s - 0.8 * n) / sd} if rho else {}
    mean, theta = at(model, "mean", "theta")(point)
    of_offset, of_count = densities(model, "theta_unit", "count")(point)
    moved = point | {"theta_unit": point["theta_unit"] + 1e-6}
    slope = (at(model, "theta")(moved)[0] - theta) / 1e-6
    exact = stats.beta(20.0 * mean, 20.0 * (1.0 - mean)).logpdf(theta) + np.log(slope)
    np.testing.assert_allclose(of_offset, exact, atol=1e-5)
    x = np.round(SCORES * n).astype(int)
    exact = np.array(
        [sum_of_binomials(n, t, rho, 0.8, s)[k] for t, k in zip(theta, x, strict=True)]
    )
    np.testing.assert_allclose(
        np.exp(of_count), exact, rtol=1e-6, atol=0.0 if rho == 0.0 else 2.0 / n
    )


def test_uniform_means_whatever_the_luck():
    """The level of the scores moves with the luck, and the mean's prior does not."""
    board = lb.sota.read_board(SCORES, n=100, chance=0.1)
    model = lb.models.sota(board, rho=0.6, theta_0=0.8)
    points = [{"mean_unit": 1.1, "ease": ease} for ease in (-2.0, 0.0, 2.0)]
    means = [float(at(model, "mean")(point)[0]) for point in points]
    found = [float(densities(model, "mean_unit")(point)[0]) for point in points]
    np.testing.assert_allclose(found, np.log(np.multiply(means, np.subtract(1.0, means))))
    assert means == sorted(means, reverse=True)


def test_counts_near_the_floor_are_above_it():
    board = lb.sota.read_board([0.6, 0.55, 0.52], n=100)
    model = lb.models.sota(board)
    point = {"mean_unit": 0.1, "concentration_log__": 3.0, "theta_unit": np.zeros(3)}
    theta, found = at(model, "theta")(point)[0], densities(model, "count")(point)[0]
    exact = stats.binom.logpmf([60, 55, 52], 100, theta) - stats.binom.logsf(50, 100, theta)
    np.testing.assert_allclose(found, exact, atol=1e-10)


def test_density_of_estimates():
    se = np.linspace(0.04, 0.06, 10)
    board = lb.sota.read_board(pd.DataFrame({"score": SCORES, "se": se}), se="se")
    model = lb.models.sota(board, rho=0.6)
    point = {"location_unit": 0.7, "scale_log__": np.log(0.2), "ease": 1.3}
    point["theta_unit"] = np.linspace(-1, 1, 10)
    location, theta = at(model, "location", "theta")(point)
    of_offset, of_score = densities(model, "theta_unit", "estimate")(point)
    assert location == pytest.approx(0.7 - 0.6 * 1.3 * 0.05)
    slope = np.diff(theta) / np.diff(point["theta_unit"])
    exact = stats.norm(location, 0.2).logpdf(theta) + np.log(slope[0])
    np.testing.assert_allclose(of_offset, exact, atol=1e-9)
    seen = stats.norm(theta + 0.6 * 1.3 * se, 0.8 * se).logpdf(SCORES)
    np.testing.assert_allclose(of_score, seen, atol=1e-9)


def test_what_answers_need_is_in_the_model():
    board = lb.sota.read_board(SCORES, n=100, classes=5)
    model = lb.models.sota(board, rho=0.4)
    assert model.coords["model"] == ("sota",)
    assert list(model.coords["team"]) == [str(k) for k in range(10)]
    data = {v.name: v.eval() for v in model.data_vars}
    np.testing.assert_array_equal(data["score"], SCORES)
    assert (data["n"], data["classes"], data["rho"]) == (100, 5, 0.4)
    assert {"se"} <= {v.name for v in lb.models.sota(lb.sota.read_board(SCORES, se=0.1)).data_vars}


@pytest.mark.parametrize(("low", "best"), [(0.0, 0.95), (0.0, 0.82)])
def test_simulated_thetas_are_from_the_law_below_the_best(low, best):
    rng, law = np.random.default_rng(0), stats.beta(170, 30)
    with pm.Model():
        _, draw = _betas(50)
    at_best, shape = np.full((10, 1), best), (np.full((10, 1), a) for a in (170.0, 30.0))
    ends = law.cdf([low, best])
    levels = ((law.cdf(draw(rng, at_best, 500, *shape)) - ends[0]) / np.diff(ends)).ravel()
    assert stats.kstest(levels[levels < 1.0], "uniform").pvalue > 1e-3
    assert (levels == 1.0).mean() < 0.01


@pytest.mark.parametrize("law", ["beta", "flexible"])
def test_many_boards_in_one_call(law):
    """The simulator's statistics, of a batch as one by one."""
    board = lb.sota.read_board(SCORES, n=100, chance=0.1)
    model = lb.models.sota(board, law=law, rho=0.3, epsilon=0.5)
    with model:
        drawn = pm.sample_prior_predictive(
            30, random_seed=1, compile_kwargs={"mode": "FAST_COMPILE"}
        )
    seen = drawn["prior_predictive"]["statistics"].to_numpy()
    assert seen.shape == (1, 30, 4)
    assert (np.diff(seen, axis=-1) <= 1e-12).all()
    assert ((seen >= 0.0) & (seen <= 1.0)).all()


@pytest.mark.slow
@pytest.mark.parametrize("rho", [0.0, 0.6])
def test_atoms_are_of_the_flexible_distribution(rho):
    """The prior of the best, by atoms and by cells, of as many teams."""
    rng, draws = np.random.default_rng(2), 1000
    board = lb.sota.read_board(SCORES, n=100, chance=0.1)
    model = lb.models.sota(board, law="flexible", rho=rho, theta_0=0.85, epsilon=0.5)
    best, alpha, weight = pm.draw(
        [model["theta_sota"], model["concentration"], model["weight"]], draws, random_seed=1
    )
    np.testing.assert_allclose(weight.sum(axis=1), 1.0)
    share = [(alpha == one).mean() for one in flexible_law.ALPHAS]
    error = np.sqrt(flexible_law.ALPHAS_PRIOR * (1.0 - flexible_law.ALPHAS_PRIOR) / draws)
    np.testing.assert_array_less(np.abs(share - flexible_law.ALPHAS_PRIOR), 4.0 * error)
    _, scale = scale_of(board, rho, 0.85)
    width, found = np.diff(scale.cells.edge), []
    for one in rng.choice(flexible_law.ALPHAS, draws, p=flexible_law.ALPHAS_PRIOR):
        law = rng.dirichlet(one * width / width.sum())
        at_ = flexible_law.draw(scale.cells, law, len(scale.of), rng)
        ease = rng.standard_normal() if rho else 0.0
        found.append(scale.theta(at_, rho, ease).max())
    assert stats.ks_2samp(best, found).pvalue > 0.001


@pytest.mark.parametrize(
    ("options", "message"),
    [({"law": "x"}, "law='x'"), ({"law": "flexible"}, "use epsilon=0.5"),
     ({"epsilon": 0.0}, "epsilon=0"), ({"statistic": "maximum"}, "for simulated boards"),
     ({"rho": 1.2}, "rho=1.2")],
)  # fmt: skip
def test_refused(options, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.models.sota(lb.sota.read_board([0.91, 0.9, 0.88], n=200), **options)


def test_refused_boards():
    aucs = lb.sota.read_board([0.9, 0.8], n=200, metric="auc", positive_rate=0.2)
    with pytest.raises(lb.LeaderbayesError, match="of accuracies"):
        lb.models.sota(aucs, epsilon=0.5)
    with pytest.raises(lb.LeaderbayesError, match="No team scores above chance"):
        lb.models.sota(lb.sota.read_board([0.4], n=200))
