"""Coverage of nominal 95 % intervals of the best theta, over simulated boards of models/sota.

Thetas are drawn from a beta law that the posterior knows nothing of but its family, counts from
the paper's model: true binomials, and a whole number of instances on which the reference is right.
Beside it the exact binomial interval of the best score alone. See make.py.
"""

import json
import warnings
from concurrent.futures import Executor
from pathlib import Path

import numpy as np

from tables import complete

N = 1000  # instances
THETA_0 = 0.86  # of the reference
BOARDS = {  # a and b of the beta law, teams, how many boards
    "wide": (127.5, 22.5, 200, 150),
    "narrow": (1700.0, 300.0, 1000, 500),
    "alike": (17000.0, 3000.0, 1000, 150),
}
RHO = (0.0, 0.6)
DRAWS = 100  # in each of 4 chains
CHUNK = 20  # boards that go to a process at once


def board(law, rho, number):
    """Truth, posterior interval and naive interval of one board."""
    import xarray as xr
    from scipy.stats import binomtest

    import leaderbayes as lb
    from leaderbayes._numerics.counts import allowed
    from leaderbayes._numerics.maximum import conditionals

    a, b, teams, _ = BOARDS[law]
    seed = np.random.SeedSequence([list(BOARDS).index(law), round(10 * rho), number])
    rng = np.random.default_rng(seed)
    theta = rng.beta(a, b, size=teams)
    p_1, p_0 = conditionals(theta, allowed(theta, rho, THETA_0), THETA_0)
    s = rng.binomial(N, THETA_0)
    score = (rng.binomial(s, np.clip(p_1, 0, 1)) + rng.binomial(N - s, np.clip(p_0, 0, 1))) / N
    with warnings.catch_warnings():
        # One board in hundreds is unlike the others.
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        found = lb.sota.posterior(
            xr.DataArray(
                score,
                {"team": [f"t{i}" for i in range(teams)]},
                attrs={"n": N, "metric": "accuracy"},
            ),
            law="beta",
            rho=rho,
            theta_0=THETA_0,
            draws=DRAWS,
            seed=int(seed.generate_state(1)[0]),
        )
    best = lb.sota.summary(found)
    naive = binomtest(round(float(score.max()) * N), N).proportion_ci()
    ends = float(best["theta_sota_lower"]), float(best["theta_sota_upper"])
    row = {"law": law, "rho": rho, "board": number, "converged": found.attrs["converged"]}
    names = ("theta_sota", "lower", "upper", "naive_lower", "naive_upper")
    row |= dict(zip(names, np.round([theta.max(), *ends, *naive], 6), strict=True))
    return {"coverage": [row]}


def cover(folder: Path, executor: Executor):
    """Write folder/coverage.csv, going on from the boards that it has."""
    asked = [
        (law, rho, number)
        for number in range(max(count for *_, count in BOARDS.values()))
        for law, (*_, count) in BOARDS.items()
        for rho in RHO
        if number < count
    ]
    complete(folder, "coverage", ("law", "rho", "board"), asked, board, executor, CHUNK)
    record = {
        "command": "python models/make.py sota",
        "setting": {"n": N, "theta_0": THETA_0, "draws": 4 * DRAWS, "boards": BOARDS},
    }
    (folder / "coverage.json").write_text(json.dumps(record, indent=2) + "\n")
