"""Coverage of nominal 95 % intervals of win-probability logits, over simulated tournaments.

All pairs of players; intervals from the normal approximation at the posterior's mode, strengths
N(0, 2^2) a priori, so that thousands of tournaments take minutes. See make.py.
"""

import itertools
import json
from concurrent.futures import Executor
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.special import logit
from scipy.stats import norm, t

from tables import complete, error, mean, read

PRIOR_SD = 2.0
SD = np.pi / np.sqrt(6.0)  # of a Gumbel variable: differences of two have the logistic's sd
TRUE_SD = 1.0  # of the players
TEST_FRACTION = 0.1
SCENARIOS = ("gumbel", "normal", "own scale", "heavy tails", "ties", "missing", "repeated CV")
GRID = tuple(itertools.product((4, 8, 20), (10, 20, 50), SCENARIOS))
TOURNAMENTS, SEED = 200, 1  # of each cell
SLOW_TOURNAMENTS = 10
METHODS = (
    "EloML", "weight 1", "composite", "composite, test_fraction", "round intercept",
    "Plackett-Luce",
)  # fmt: skip


def simulate(scenario, players, rounds, rng):
    """Scores (player, round), and the true log-odds that row beats column."""
    truth = rng.normal(scale=TRUE_SD, size=players)
    truth -= truth.mean()
    gap = truth[:, None] - truth
    shape = (players, rounds)
    if scenario in ("gumbel", "ties", "missing"):
        scores, true = truth[:, None] + rng.gumbel(size=shape), gap
        if scenario == "missing":
            scores[rng.random(shape) < 0.2] = np.nan
        if scenario == "ties":
            # About a tenth of the matches tie; half a tie for both keeps the log-odds near the gap.
            scores = np.round(scores / 0.35 + rng.random(rounds))
        return scores, true
    scale = np.full(players, SD)
    if scenario == "own scale":
        scale = SD * np.exp(rng.normal(scale=0.4, size=players))
    noise = rng.normal(size=shape)
    if scenario == "heavy tails":
        noise = rng.standard_t(3, size=shape) / np.sqrt(3.0)
    if scenario == "repeated CV":
        # Rounds share training data: part of each player's luck is the same in all of them.
        shared = rng.normal(size=(players, 1))
        noise = np.sqrt(1 - TEST_FRACTION) * noise + np.sqrt(TEST_FRACTION) * shared
    scores = truth[:, None] + scale[:, None] * noise
    if scenario == "heavy tails":
        return scores, logit(_heavy(gap / SD))
    return scores, logit(norm.cdf(gap / np.hypot(scale[:, None], scale)))


def _heavy(gap):
    """P(difference of two t(3) / sqrt(3) variables < gap), by quadrature over one of them."""
    q = (np.arange(2000) + 0.5) / 2000
    return t.cdf((gap[..., None] * np.sqrt(3.0)) + t.ppf(q, 3), 3).mean(axis=-1)


def laplace(gradient, start, players):
    """Mode and covariance of the first ``players`` coordinates, from value and gradient."""
    found = minimize(gradient, start, jac=True, method="L-BFGS-B", options={"maxiter": 500})
    x, step = found.x, 1e-4
    columns = [
        (gradient(x + step * e)[1] - gradient(x - step * e)[1]) / (2 * step) for e in np.eye(len(x))
    ]
    hessian = (np.array(columns) + np.array(columns).T) / 2
    covariance = np.linalg.inv(hessian)[:players, :players]
    return x[:players], covariance


def with_prior(value, slope, b):
    """Negative log posterior of strengths N(0, 2^2)."""
    return -value + b @ b / (2 * PRIOR_SD**2), -slope + b / PRIOR_SD**2


def bradley_terry(matches, weight):
    """Bradley-Terry, its rounds weighted."""
    from leaderbayes._numerics.composite_weight import weighted_counts

    place = matches["place"].to_numpy()
    wins, n, _ = weighted_counts(
        place, np.broadcast_to(weight, len(place)), within_round=True, ties="half"
    )

    def gradient(b):
        p = 1 / (1 + np.exp(b - b[:, None]))
        value = (wins * -np.logaddexp(0, b - b[:, None])).sum()
        return with_prior(value, (wins - n * p).sum(axis=1), b)

    return laplace(gradient, np.zeros(len(wins)), len(wins))


def plackett_luce(matches):
    """Plackett-Luce."""
    from leaderbayes._numerics.plackett_luce import (
        log_likelihood,
        log_likelihood_pullback,
        rankings,
    )

    place = matches["place"].to_numpy()
    data, each = rankings(place), np.ones(len(place))

    def gradient(b):
        value = log_likelihood(b[None], *data).sum()
        slope = log_likelihood_pullback(b[None], *data, each)
        return with_prior(value, slope[0], b)

    return laplace(gradient, np.zeros(place.shape[1]), place.shape[1])


def round_intercept(matches):
    """PMRA at weight 1; the rounds' variance by a few steps of expectation-maximisation."""
    from leaderbayes._numerics import round_intercept as pmra

    place = matches["place"].to_numpy()
    r, m = place.shape
    data = pmra.listed_statistics(pmra.outcomes(place, np.arange(m)), np.arange(m))
    pairs = (data.start[1:] - data.start[:-1]) * (data.start[1:] - data.start[:-1] - 1) / 2

    def gradient(x, variance):
        b, b0, u = x[:m], x[m], x[m + 1 :]
        c = b0 + u
        value = (data.points @ b + data.first * c).sum()
        value -= pmra.log_normalisers(b, c, data.start, data.member).sum()
        minus, level = pmra.log_normalisers_pullback(b, c, data.start, data.member, np.ones(r))
        by_b, by_c = data.points.sum(axis=0) - minus, data.first - level
        value -= (u @ u) / (2 * variance) + b0**2 / 2
        value, by_b = with_prior(value, by_b, b)
        return value, np.concatenate([by_b, [b0 - by_c.sum()], u / variance - by_c])

    x, variance = np.zeros(m + r + 1), 0.25
    for _ in range(6):
        x = minimize(gradient, x, (variance,), jac=True, method="L-BFGS-B").x
        u = x[m + 1 :]
        # A match informs about its round's intercept by p (1 - p), about 1/5 on such boards.
        variance = max(1e-4, float(np.mean(u**2 + 1.0 / (0.2 * pairs + 1.0 / variance))))
    return laplace(lambda y: gradient(y, variance), x, m)


def estimates(scores, *, slow):
    """Mode and covariance by each method, the slow one where it is asked for."""
    import warnings

    import xarray as xr

    import leaderbayes as lb
    from leaderbayes.models._weight import resolve_weight, shared_luck

    coords = {"player": np.arange(len(scores)), "round": np.arange(scores.shape[1])}
    matches = lb.matches(xr.DataArray(scores, coords, ("player", "round")))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        weight = resolve_weight(matches, "composite", None, with_ties=False)
    factor = 1.0 / (1.0 + scores.shape[1] * shared_luck(TEST_FRACTION))
    found = {
        # Every match counted from both sides.
        "EloML": bradley_terry(matches, 2.0),
        "weight 1": bradley_terry(matches, 1.0),
        "composite": bradley_terry(matches, weight),
        "composite, test_fraction": bradley_terry(matches, weight * factor),
        "Plackett-Luce": plackett_luce(matches),
    }
    return found | ({"round intercept": round_intercept(matches)} if slow else {})


def cell(players, rounds, scenario):
    """Mean coverage and its Monte Carlo error by method, in one cell of the grid."""
    rng = np.random.default_rng([SEED, players, rounds, SCENARIOS.index(scenario)])
    upper = np.triu_indices(players, 1)
    covered = {method: [] for method in METHODS}
    for number in range(TOURNAMENTS):
        scores, true = simulate(scenario, players, rounds, rng)
        found = estimates(scores, slow=number < SLOW_TOURNAMENTS)
        for method, (mode, covariance) in found.items():
            variance = np.diag(covariance)
            sd = np.sqrt(np.maximum(variance[:, None] + variance - 2 * covariance, 0.0))
            off = mode[:, None] - mode - true
            covered[method].append((np.abs(off) < 1.96 * sd)[upper].mean())
    row = {"players": players, "rounds": rounds, "scenario": scenario}
    for method, shares in covered.items():
        row[method] = mean(shares)
        row[f"{method}: error"] = error(shares)
    return {"coverage": [row]}


def cover(folder: Path, executor: Executor):
    """Write folder/coverage.csv, going on from the cells that it has."""
    complete(folder, "coverage", ("players", "rounds", "scenario"), GRID, cell, executor)
    record = {"command": "python models/make.py coverage", "tournaments": TOURNAMENTS, "seed": SEED}
    (folder / "coverage.json").write_text(json.dumps(record, indent=2) + "\n")


def shown(folder: Path):
    """Table of models/README.md by its mark."""
    import pandas as pd

    table = pd.DataFrame(read(folder / "coverage.csv")).set_index("scenario").astype(float)
    table = table[table["rounds"] == 20].astype({"players": int}).reset_index()
    table = table.sort_values(["scenario", "players"])
    return {"coverage": table[["scenario", "players", *METHODS]]}
