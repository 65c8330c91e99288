"""What is fitted to votes equals its executable specification."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

from graphs import AS_IT_STANDS
from leaderbayes._numerics import design
from leaderbayes._numerics.laplace import Board, Laplace, log_weight
from leaderbayes._numerics.vote_tournaments import (
    Cells,
    coordinates,
    expand,
    log_density,
    parts,
)
from leaderbayes._numerics.votes import Moments, Votes, dependence, effective, maximum
from leaderbayes.likelihood._vote_models import weigh_davidson, weigh_intercept
from votes import votes_of

SPECIFICATION = Path(__file__).parents[2] / "models" / "votes" / "model.py"


@pytest.fixture(scope="module")
def specification():
    return runpy.run_path(str(SPECIFICATION))


def simulate(seed=1, players=5, size=250, judges=6, prompts=30):
    rng = np.random.default_rng(seed)
    strength, opinion = rng.normal(size=players), rng.normal(0.0, 0.7, (judges, players))
    first = rng.integers(0, players, size).astype(np.int32)
    second = ((first + rng.integers(1, players, size)) % players).astype(np.int32)
    judge, prompt = rng.integers(0, judges, size), rng.integers(0, prompts, size)
    eta = strength[first] - strength[second] + opinion[judge, first] - opinion[judge, second]
    outcome = (rng.random(size) < expit(eta)).astype(float)
    outcome[rng.random(size) < 0.1] = 0.5
    return first, second, outcome, judge, prompt


@pytest.mark.parametrize("by", ["judge", "both"])
def test_matches_that_votes_are_worth_equal_the_specification(specification, by):
    first, second, outcome, judge, prompt = simulate()
    clusterings = {"judge": [judge], "both": [judge, prompt]}[by]
    b, v = specification["covariance"](first, second, outcome, clusterings, 5)
    points, n = specification["matches"](b, v)
    one = np.ones(len(first))
    votes = Votes(5, first, second, outcome, one, outcome**2, np.empty((len(first), 0)))
    at = maximum(votes)
    matched = effective(votes, at, dependence(votes, at, tuple(clusterings)))
    np.testing.assert_allclose(at.epp, b, atol=1e-8)
    np.testing.assert_allclose(matched.covariance, v, rtol=1e-4, atol=1e-8)
    np.testing.assert_allclose(matched.n, n, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(matched.points, points, rtol=1e-3, atol=1e-4)


def read(first, second, outcome, judge, prompt):
    return votes_of(first, second, outcome, 5, judge=judge, prompt=prompt)


@pytest.mark.parametrize("by", ["judge", "both"])
def test_davidsons_votes_equal_the_specification(specification, by):
    first, second, outcome, judge, prompt = simulate(seed=2)
    clusterings = {"judge": [judge], "both": [judge, prompt]}[by]
    at, v = specification["davidson"](first, second, outcome, clusterings, 5)
    found = weigh_davidson(
        read(first, second, outcome, judge, prompt), ties="half",
        cluster="judge" if by == "judge" else "auto", order_effect=False, covariates=None,
    ).weighed  # fmt: skip
    np.testing.assert_allclose(np.append(found.at.epp, found.at.beta), at, atol=1e-5)
    np.testing.assert_allclose(found.matched.covariance[:5, :5], v, rtol=1e-3, atol=1e-6)
    points, n = specification["matches"](at[:5], v)
    np.testing.assert_allclose(found.matched.n, n, rtol=1e-2, atol=1e-3)
    np.testing.assert_allclose(found.matched.points, points, rtol=1e-2, atol=1e-3)


@pytest.mark.parametrize("by", ["judge", "both"])
def test_votes_with_judges_advantages_equal_the_specification(specification, by):
    first, second, outcome, judge, prompt = simulate(seed=3)
    favour = np.random.default_rng(4).normal(0.4, 1.0, 6)
    outcome = (outcome + 0.3 * favour[judge] > 0.5).astype(float)
    judge = judge.astype(np.int64)
    clusterings = {"judge": [judge], "both": [judge, prompt]}[by]
    at, v = specification["round_intercept"](first, second, outcome, clusterings, 5)
    found = weigh_intercept(
        read(first, second, outcome, judge, prompt), ties="half",
        cluster="judge" if by == "judge" else "auto",
    ).weighed  # fmt: skip
    np.testing.assert_allclose(np.append(found.at.epp, found.at.beta), at[:-1], atol=2e-4)
    np.testing.assert_allclose(found.matched.covariance[:5, :5], v, rtol=0.01, atol=1e-3)


def test_density_that_is_sampled_is_the_specifications(specification):
    first, second, outcome, judge, _ = simulate()
    points, n = specification["matches"](
        *specification["covariance"](first, second, outcome, [judge], 5)
    )
    density = specification["model"](points, n).compile_logp(mode=AS_IT_STANDS)
    rng = np.random.default_rng(2)
    strength, log_scale = rng.normal(size=(4, 5)), rng.normal(size=4)
    theirs = [
        float(density({"epp_scale_log__": s, "strength": a}))
        for s, a in zip(log_scale, strength, strict=True)
    ]
    drawn = Laplace(strength, np.exp(log_scale), np.zeros(4))
    ours = log_weight(drawn, Board(points, n, 2.0, 4.0))
    np.testing.assert_allclose(np.diff(ours), np.diff(theirs), atol=1e-8)


def test_density_of_matched_pairs_is_the_specifications(specification):
    first, second, outcome, judge, _ = simulate()
    points, n = specification["matches"](
        *specification["covariance"](first, second, outcome, [judge], 5)
    )
    met = np.zeros((5, 5))
    np.add.at(met, ([0, 1, 2, 3], [1, 2, 3, 4]), [40.0, 25.0, 60.0, 31.0])
    met = met + met.T
    model = specification["matched"](points, n, met)
    density = model.compile_logp(mode=AS_IT_STANDS)
    board = Board(points, n, 2.0, 4.0)
    at = design.ways(met, board)
    rng = np.random.default_rng(3)
    ours, theirs = [], []
    for x in at.start + rng.normal(0.0, 0.5, (4, 7)):
        epp, scale, alpha = design.expand(x, at)
        log_scale = np.log(scale)
        unit = np.exp((1.0 - at.centring) * (log_scale - 0.5 * alpha * at.log_known))
        way, shrink = at.way, np.exp(0.5 * alpha * at.log_known)
        u = way @ (shrink * unit * x[2:])
        theirs.append(
            density({"epp_scale_log__": log_scale, "matching_interval__": x[1], "unit": u})
            # Of x, not of unit.
            + np.log(unit * shrink).sum()
        )
        ours.append(design.log_density(x, board, at)[0])
        strength = way @ (unit * x[2:])
        np.testing.assert_allclose(epp, strength - strength.mean(), atol=1e-12)
    np.testing.assert_allclose(np.diff(ours), np.diff(theirs), atol=1e-8)


def several(seed=0, players=4, tournaments=3, each=80, judges=5):
    """Votes of judges who take their opinions along; one tournament is without the last player."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(size=players) + rng.normal(0.0, 0.5, (tournaments, players))
    opinion = rng.normal(0.0, 0.8, (judges, players))
    of = np.repeat(np.arange(tournaments), each)
    there = np.where(of == 0, players - 1, players)
    first = rng.integers(0, there).astype(np.int32)
    second = ((first + rng.integers(1, there)) % there).astype(np.int32)
    judge = rng.integers(0, judges, len(of))
    here = strength[of] + opinion[judge]
    eta = here[np.arange(len(of)), first] - here[np.arange(len(of)), second]
    return first, second, (rng.random(len(of)) < expit(eta)).astype(float), of, judge


def parted():
    """Parts of the estimate of `several`, and their coordinates."""
    first, second, outcome, of, judge = several()
    seen, (i, j) = np.unique([of * 4 + first, of * 4 + second], return_inverse=True)
    one = np.ones(len(first))
    votes = Votes(len(seen), i, j, outcome, one, outcome**2, np.empty((len(first), 0)))
    at, cells = maximum(votes), Cells(seen % 4, seen // 4, 4)
    p = expit(at.epp[i] - at.epp[j])
    together = dependence(votes, at, (judge,))
    found = parts(votes, at, Moments(p, p * (1.0 - p)), together, (judge,), cells)
    return found, coordinates(found, at), together


def test_opinions_that_judges_take_along_equal_the_specification(specification):
    found, _, together = parted()
    own = specification["in_common"](*several(), 4)
    assert 0.1 < own < together.tau2[0]
    np.testing.assert_allclose(found.tau2, own, rtol=1e-6)


def test_density_of_several_tournaments_equals_the_specification(specification):
    found, at, _ = parted()
    cells, shared = found.cells, found.shared
    built = specification["tournaments"](
        found.matched.points, found.matched.n, cells.player, cells.tournament, shared
    )
    logp = built.compile_logp(mode=AS_IT_STANDS)
    rng = np.random.default_rng(2)
    apart = []
    for _ in range(5):
        x = at.start + 0.5 * rng.standard_normal(at.start.size)
        value, gradient = log_density(x, found.matched, at, (2.0, 2.0))
        f = x[2 : 2 + shared.shape[1]]
        epp, strength = expand(x, at)
        # The specification has levels too, of which votes know nothing; here at their modes.
        of, size = cells.tournament, np.bincount(cells.tournament)
        level = np.bincount(of, epp[cells.player] - strength) / size
        point = {
            "epp_scale_log__": x[0], "epp_spread_log__": x[1], "mean": epp,
            "strength": strength + level[of], "opinion": f,
        }  # fmt: skip
        of_levels = -x[0] - len(size) * x[1]
        sure = np.exp(-2.0 * x[0]) + at.times / (np.exp(2.0 * x[1]) + at.means.error)
        jacobian = -0.5 * np.log(sure).sum()
        jacobian -= 0.5 * np.log(np.exp(-2.0 * x[1]) + 1.0 / at.cells.error).sum()
        apart.append(float(logp(point)) - of_levels + jacobian - value)
        step = 1e-4 * rng.standard_normal(x.size)
        ahead, behind = (
            log_density(x + s * step, found.matched, at, (2.0, 2.0))[0] for s in (1, -1)
        )
        np.testing.assert_allclose(ahead - behind, 2.0 * gradient @ step, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(apart, apart[0], atol=1e-8)
