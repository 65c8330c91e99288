"""When particles have moved enough, and when they cannot."""

import numpy as np
import pymc as pm
import pytest
from pymc.smc.kernels import IMH
from scipy.stats import beta, wasserstein_distance

import leaderbayes as lb
from leaderbayes.sota._abc_kernel import Nearing, Walking


@pytest.mark.parametrize(("rate", "last"), [(0.1, False), (0.001, True)])
def test_particles_are_moved_until_most_have(monkeypatch, rate, last):
    """PyMC's moves, five at a time, of which few are accepted; where too few, it ends."""
    rng = np.random.default_rng(0)

    def mutate(self):
        moved = rng.random(len(self.tempered_posterior)) < 1.0 - (1.0 - rate) ** 5
        self.tempered_posterior[moved] += 1.0
        self.n_steps, self.acc_rate = 6, rate

    monkeypatch.setattr(IMH, "mutate", mutate)
    monkeypatch.setattr(IMH, "sample_stats", lambda self: {"beta": self.beta, "accept_rate": 0.0})
    kernel = Nearing.__new__(Nearing)
    kernel.tempered_posterior, kernel.beta = np.zeros((1000, 2)), 0.25
    kernel.mutate()
    moved = float((kernel.tempered_posterior[:, 0] > 0.0).mean())
    assert (moved < 0.7) is last
    assert (kernel.beta == 1.0) is last
    assert kernel.sample_stats()["beta"] == 0.25
    assert kernel.acc_rate == pytest.approx(rate)


@pytest.mark.slow
def test_by_itself_it_comes_near_the_exact_posterior():
    """Of the best score alone, under a law that is known, in which the statistic suffices."""
    rng, law = np.random.default_rng(1), beta(85.0, 15.0)
    board = lb.sota.read_board(rng.binomial(200, law.rvs(20, random_state=rng)) / 200, n=200)
    given = {"law": law, "statistic": "maximum", "chains": 2, "seed": 1, "progressbar": False}
    exact = lb.sota.posterior(board, draws=2000, **given)["posterior"]["theta_sota"]
    dt = lb.sota.posterior(board, sampler="abc-smc", epsilon="auto", draws=400, **given)
    near = dt["posterior"]["theta_sota"]
    apart = wasserstein_distance(near.to_numpy().ravel(), exact.to_numpy().ravel())
    assert apart < 0.15 * float(exact.std())
    assert dt.attrs["converged"] == 1


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # PyMC's, of simulations of few chains
def test_particles_walk_to_the_posterior():
    """Of normal numbers, some of which data tell of, and of one that has another prior."""
    seen, sd = 1.2, 0.5
    with pm.Model() as model:
        x = pm.Normal("x", shape=20)
        rate = pm.Exponential("rate", 1.0)
        pm.Normal("y", x[0] + rate, sd, observed=seen)
    dt = pm.sample_smc(
        1000, kernel=Walking, model=model, chains=2, cores=1, random_seed=1, progressbar=False,
        compute_convergence_checks=False,
    )["posterior"].to_dataset()  # fmt: skip
    # By quadrature: x and rate given their sum's error.
    at, of_rate = np.linspace(-5.0, 5.0, 801)[:, None], np.linspace(0.0, 10.0, 801)
    density = np.exp(-0.5 * at**2 - of_rate - 0.5 * ((seen - at - of_rate) / sd) ** 2)
    density /= density.sum()
    for drawn, value in ((dt["x"][..., 0], at), (dt["rate"], of_rate)):
        mean = float((value * density).sum())
        spread = float(np.sqrt(((value - mean) ** 2 * density).sum()))
        # Particles are copies of some that walked: as if a tenth of the 2000 were drawn.
        assert float(drawn.mean()) == pytest.approx(mean, abs=4.0 * spread / np.sqrt(200.0))
        assert float(drawn.std()) == pytest.approx(spread, abs=4.0 * spread / np.sqrt(400.0))
    others = dt["x"][..., 1:].to_numpy()
    assert others.mean() == pytest.approx(0.0, abs=4.0 / np.sqrt(19 * 200.0))
    assert others.std() == pytest.approx(1.0, abs=4.0 / np.sqrt(2.0 * 19 * 200.0))
