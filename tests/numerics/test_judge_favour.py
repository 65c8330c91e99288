"""Judges who choose by place: the sums by brute force, who is found, and what is none."""

import numpy as np
import pytest
from scipy.special import expit

import leaderbayes as lb
from leaderbayes._numerics.judge_favour import favour_of_judges
from leaderbayes._numerics.votes import Dependence, Estimate, Moments, Votes
from leaderbayes.likelihood._votes import weigh
from votes import votes_of

pytestmark = pytest.mark.filterwarnings("ignore:LB04")


def board(rng, *, always=0, stronger=0.8, judges=10, n=300, m=6, spread=0.3, sharp=0.0, own=0.0):
    """Votes of judges, of whom some always choose the first; the stronger is mostly first."""
    epp = np.sort(rng.normal(0.0, 0.6, m))[::-1]
    i = rng.integers(0, m, n)
    j = (i + rng.integers(1, m, n)) % m
    swap = (i > j) == (rng.random(n) < stronger)
    i, j = np.where(swap, j, i), np.where(swap, i, j)
    judge = rng.integers(0, judges, n)
    opinion = rng.normal(0.0, spread, (judges, m))
    sharpness = np.exp(rng.normal(0.0, sharp, judges))
    part = np.triu(rng.normal(0.0, own, (m, m)), 1)
    eta = sharpness[judge] * (epp[i] - epp[j]) + opinion[judge, i] - opinion[judge, j]
    p = np.where(judge < always, 1.0, expit(eta + (part - part.T)[i, j]))
    return votes_of(i, j, (rng.random(n) < p).astype(float), m, judge=[f"j{g}" for g in judge])


def favour_of(votes):
    weighed = weigh(votes)
    of, at = weighed.votes, weighed.at
    p = expit(at.epp[of.first] - at.epp[of.second])
    judge = weighed.clusters["judge"]
    return favour_of_judges(of, at, Moments(p, p * (1.0 - p)), judge, (judge,), weighed.together)


def test_as_written_out():
    """Of judges and prompts, vote by vote; residuals of pairs that add up are as they are."""
    rng = np.random.default_rng(1)
    n, m, tau2, phi = 40, 6, np.array([0.3, 0.2, 0.1]), 0.9
    first = rng.integers(0, m, n).astype(np.int32)
    second = ((first + rng.integers(1, m, n)) % m).astype(np.int32)
    judge, prompt = rng.integers(0, 3, n), rng.integers(0, 8, n)
    gap = rng.normal(size=m)
    at = Estimate(gap, np.empty(0), np.eye(m), np.zeros(m))
    d = gap[first] - gap[second]
    p = expit(d)
    won = p + 0.1 * rng.normal(size=n)  # so near that pairs differ by less than chance
    votes = Votes(m, first, second, won, np.ones(n), won**2, np.empty((n, 0)))
    together = Dependence(phi, tau2, np.full(3, 1e9), np.eye(m))
    found = favour_of_judges(votes, at, Moments(p, p * (1.0 - p)), judge, (judge, prompt), together)
    w = p * (1.0 - p)
    for g in range(3):
        own = np.flatnonzero(judge == g)
        left = 1.0 - (w * d)[own].sum() / (w * d**2)[own].sum() * d[own]
        noise = phi * (w[own] * left**2).sum()
        for variance, group in zip(tau2, (judge, prompt, judge * 100 + prompt), strict=True):
            excess = 0.0
            for a, u in enumerate(own):
                for b, v in enumerate(own):
                    if u != v and group[u] == group[v]:
                        alike = (first[u] == first[v]) * 1.0 + (second[u] == second[v])
                        alike -= (first[u] == second[v]) * 1.0 + (second[u] == first[v])
                        excess += alike * w[u] * left[a] * w[v] * left[b]
            noise += variance * max(excess, 0.0)  # no votes are taken for surer than independent
        score = (left * (won - p)[own]).sum()
        assert found.z[g] == pytest.approx(score / np.sqrt(noise))
    assert found.p_value > 0.5


def test_the_few_who_always_choose_the_first_are_found():
    """One of ten judges, whose part in the average effect of the order is not seen in most."""
    rng = np.random.default_rng(2)
    boards = [board(rng, always=1, n=600) for _ in range(4)]
    found = [favour_of(each) for each in boards]
    assert all(each.p_value < 0.0027 for each in found)
    for each, votes in zip(found, boards, strict=True):
        names = list(dict.fromkeys(votes["judge"].values))
        assert names[int(np.argmax(each.z))] == "j0"


@pytest.mark.parametrize(
    "other",
    [
        {"spread": 0.8},
        {"sharp": 0.7},
        {"own": 0.8, "stronger": 1.0, "n": 3000},
        {"judges": 150},
        {"judges": 2},
    ],
)
def test_other_ways_to_differ_are_no_favour(other):
    rng = np.random.default_rng(3)
    p = np.array([favour_of(board(rng, **other)).p_value for _ in range(12)])
    assert p.min() > 0.0027


def test_they_are_named():
    with pytest.warns(
        lb.HintWarning, match=r"LB045 some judges .*\('j0' chose the first in (\d+) of \1 "
    ):
        weigh(board(np.random.default_rng(4), always=1))
    turned = board(np.random.default_rng(4), always=1)
    turned = turned.assign(first=turned["second"], second=turned["first"])
    turned = turned.assign(outcome=1.0 - turned["outcome"])
    with pytest.warns(lb.HintWarning, match=r"'j0' chose the second in (\d+) of \1 votes"):
        weigh(turned)
