r"""Executable specification of the model of a board: slow and obviously right.

.. math:: \theta_j \sim \mathrm{Beta}(\mu c, (1 - \mu) c), \quad \theta_{SOTA} = \max_j \theta_j

.. math:: s = n \theta_0 + z \sqrt{n \theta_0 (1 - \theta_0)}, \quad
          X_j \sim \mathrm{Bin}(s, p_{1j}) + \mathrm{Bin}(n - s, p_{0j})

A reference is right on s of n instances; team j is right on those with p_1, on the others with p_0:

.. math:: p_{1j} = \theta_j + \rho_j \sqrt{\theta_j (1 - \theta_j) (1 - \theta_0) / \theta_0}, \quad
          p_{0j} = \theta_j - \rho_j \sqrt{\theta_j (1 - \theta_j) \theta_0 / (1 - \theta_0)}

with rho, or as much of it as keeps both between 0 and 1 (equation 8). Thetas stay in the model.
"""

import numpy as np
import pymc as pm
import pytensor.tensor as pt


def model(counts=None, *, n, teams, rho, theta_0):
    """Build the model of a board; without counts (team), of boards to be drawn.

    n: instances in the test set. rho, theta_0: correlation with the reference, and its P(right).
    """
    with pm.Model(coords={"team": range(teams)}) as specification:
        mean = pm.Uniform("mean", 0.0, 1.0)
        concentration = pm.LogNormal("concentration", 5.0, 2.5)
        shape = mean * concentration, (1.0 - mean) * concentration
        theta = pm.Beta("theta", *shape, dims="team")
        pm.Deterministic("theta_sota", theta.max())
        ease = pm.Normal("ease", 0.0, 1.0)
        observe(counts, theta, ease, n, rho, theta_0)
    return specification


def specification_of_cells(counts=None, *, n, teams, edges, rho=0.0, theta_0=0.5):
    """Build the model of a board under the flexible law, thetas in the middle of cells.

    edges (cell + 1,): of the cells of arcsin sqrt theta, which move along with the luck, or by half
    a cell at most where there is none that all share.
    """
    width, middle = np.diff(edges), 0.5 * (edges[1:] + edges[:-1])
    with pm.Model(coords={"team": range(teams), "cell": range(len(width))}) as specification:
        which = pm.Categorical("which", [0.04, 0.192, 0.192, 0.192, 0.192, 0.192])
        alphas = pt.as_tensor([0.02, 1.0, 1.5, 2.0, 3.0, 4.0])
        alpha = pm.Deterministic("concentration", alphas[which])
        weight = pm.Dirichlet("weight", alpha * width / width.sum(), dims="cell")
        cell = pm.Categorical("cell_of", weight, dims="team")
        ease = pm.Normal("ease", 0.0, 1.0)
        if rho == 0.0:
            middle = middle + np.median(width) * pm.Uniform("shift", -0.5, 0.5)
        luck = ease / (2.0 * np.sqrt(n)) * allowed(pt.sin(middle) ** 2, rho, theta_0)
        theta = pm.Deterministic("theta", pt.sin(middle - luck)[cell] ** 2, dims="team")
        pm.Deterministic("theta_sota", theta.max())
        observe(counts, theta, ease, n, rho, theta_0)
    return specification


def allowed(theta, rho, theta_0):
    """Give rho, or the largest that equation 8 allows."""
    odds = theta / (1.0 - theta) * (1.0 - theta_0) / theta_0
    return pt.minimum(rho, pt.sqrt(pt.minimum(odds, 1.0 / odds)))


def observe(counts, theta, ease, n, rho, theta_0):
    """Add the counts (team), given thetas and the test set's ease."""

    def draw(s, p_1, p_0, size):
        return pm.Binomial.dist(s, p_1, size=size) + pm.Binomial.dist(n - s, p_0, size=size)

    def logp(x, s, p_1, p_0):
        # All ways to be right k times where the reference is, and x - k times where it is not.
        k = np.arange(n + 1)[:, None]
        first = pm.logp(pm.Binomial.dist(s, p_1), k)
        second = pm.logp(pm.Binomial.dist(n - s, p_0), x - k)
        return pt.logsumexp(first + second, axis=0)

    s = n * theta_0 + ease * np.sqrt(n * theta_0 * (1.0 - theta_0))
    s = pt.clip(pt.round(s), 0, n).astype("int64")
    spread = allowed(theta, rho, theta_0) * pt.sqrt(theta * (1.0 - theta))
    p_1 = pt.clip(theta + spread * np.sqrt((1.0 - theta_0) / theta_0), 0.0, 1.0)
    p_0 = pt.clip(theta - spread * np.sqrt(theta_0 / (1.0 - theta_0)), 0.0, 1.0)
    pm.CustomDist("count", s, p_1, p_0, dist=draw, logp=logp, observed=counts, dims="team")
