"""The pm.Model of a board under a law that is learnt: the density that `sota.posterior` draws."""

import numpy as np
import pymc as pm
import pytest
from scipy import stats

import leaderbayes as lb
from leaderbayes._numerics import flexible_law
from leaderbayes.sota._model import model_of
from leaderbayes.sota._scale import scale_of

SCORES = np.array([41, 55, 60, 60, 66, 71, 88, 88, 90, 90]) / 100


def board_of(n, floor, rho):
    board = lb.sota.read_board(SCORES, n=n, classes=5)
    model = lb.models.sota(board, law="flexible", rho=rho, floor=floor, theta_0=0.85)
    kept, given = model_of(
        board, law="flexible", components=2, floor=floor, rho=rho, theta_0=0.85,
        statistic="board", workers=1,
    )  # fmt: skip
    return model, kept, scale_of(given)


@pytest.mark.parametrize(
    ("n", "rho", "floor"), [(100, 0.0, None), (100, 0.6, 0.5), (1000, stats.beta(6, 4), None)]
)
def test_density_of_counts_is_that_of_the_sampler(n, rho, floor):
    model, kept, scale = board_of(n, floor, rho)
    np.testing.assert_array_equal(model.coords["team"], kept["team"])
    size = len(model.coords["cell"])
    weight = np.random.default_rng(0).dirichlet(np.full(size, 0.5))
    density = model.compile_fn(model.logp([model["count"]], sum=False), mode="FAST_COMPILE")
    names = {"weight_simplex__", "ease", "rho_logodds__", "shift_interval__"}
    known = names & {v.name for v in model.value_vars}
    assert ("shift_interval__" in known) == (rho == 0.0)
    common = 0.55 if hasattr(rho, "ppf") else rho
    for ease in (-1.3, 0.8) if "ease" in known else (0.0,):
        shift = 0.3 * scale.cells.furthest * (rho == 0.0)
        point = {
            "weight_simplex__": np.log(weight[:-1]) - np.log(weight).mean(),
            "ease": ease,
            "shift_interval__": np.log(1.3 / 0.7),
            "rho_logodds__": np.log(common / (1.0 - common)) if common else None,
        }
        found = density({name: point[name] for name in known})[0]
        value, factor = scale.likelihood(common, ease, shift)
        fast = flexible_law.log_sums(scale.cells, value, weight) + factor
        np.testing.assert_allclose(found, fast[scale.of], rtol=0.0, atol=1e-7)


def test_priors_are_those_of_the_sampler():
    model, _, scale = board_of(100, None, 0.6)
    assert [v.name for v in model.free_RVs] == ["ease", "which", "weight"]
    width = np.diff(scale.cells.edge)
    share = width / width.sum()
    weight = np.random.default_rng(1).dirichlet(np.full(share.size, 2.0))
    at = {"weight_simplex__": np.log(weight[:-1]) - np.log(weight).mean()}
    prior = model.compile_fn(
        model.logp([model["weight"]], sum=False, jacobian=False), mode="FAST_COMPILE"
    )
    for which, alpha in enumerate(flexible_law.ALPHAS):
        found = prior({"which": np.array(which), **at})[0]
        np.testing.assert_allclose(found, stats.dirichlet(alpha * share).logpdf(weight), rtol=1e-9)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Numba will use object mode")
def test_boards_of_the_prior_share_their_luck_and_are_above_the_floor():
    model, _, _ = board_of(100, 0.5, 0.6)
    right = pm.draw(model["count"], draws=50, random_seed=1)
    assert right.shape == (50, 9)
    assert (right > 50).mean() > 0.99


def test_the_best_score_alone_has_no_such_model():
    board = lb.sota.read_board(SCORES, n=100)
    with pytest.raises(lb.LeaderbayesError, match="statistic='board'"):
        lb.models.sota(board, law="flexible", statistic="maximum")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("rho", [0.0, 0.6])
def test_atoms_are_of_the_same_law(rho):
    """The prior of the best, simulated by atoms and drawn on cells."""
    board = lb.sota.read_board(SCORES, n=100)
    model = lb.models.sota(board, law="flexible", rho=rho, theta_0=0.85, epsilon=0.5)
    draws = 1000
    best, alpha = pm.draw([model["theta_sota"], model["concentration"]], draws, random_seed=1)
    dt = lb.sota.posterior(board, rho=rho, theta_0=0.85, draws=draws, chains=1, prior=True, seed=1)
    prior = dt["prior"].to_dataset().isel(chain=0)
    assert stats.ks_2samp(best, prior["theta_sota"].to_numpy()).pvalue > 0.001
    share = [(alpha == one).mean() for one in flexible_law.ALPHAS]
    error = np.sqrt(flexible_law.ALPHAS_PRIOR * (1.0 - flexible_law.ALPHAS_PRIOR) / draws)
    np.testing.assert_array_less(np.abs(share - flexible_law.ALPHAS_PRIOR), 4.0 * error)
    # And teams up to the best, of which that is one by its rank: the largest of as many.
    weight = pm.draw(model["weight"], 20, random_seed=1)
    np.testing.assert_allclose(weight.sum(axis=1), 1.0)
