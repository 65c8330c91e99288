"""When particles have moved enough, and when they cannot."""

import numpy as np
import pytest
from pymc.smc.kernels import IMH
from scipy.stats import beta, wasserstein_distance

import leaderbayes as lb
from leaderbayes.sota._abc_kernel import Nearing


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
