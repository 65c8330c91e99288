"""The evidence beside the models says what the cards claim."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kstest

import leaderbayes as lb

MODELS = Path(__file__).parents[2] / "models"
KEPT = 99


def ranks(name):
    return pd.read_csv(MODELS / name / "evidence" / "sbc_ranks.csv").drop(columns="simulation")


def test_ranks_are_uniform():
    """Over all quantities of all models, by Bonferroni's correction."""
    p = []
    for name in lb.models.__all__:
        table = ranks(name)
        assert len(table) >= 400
        assert table.min().min() >= 0
        assert table.max().max() <= KEPT
        p += [kstest((table[c] + 0.5) / (KEPT + 1), "uniform").pvalue for c in table]
    assert min(p) * len(p) > 0.01


@pytest.fixture(scope="module")
def coverage():
    return pd.read_csv(MODELS / "evidence" / "coverage.csv")


def test_coverage_of_the_models_on_their_own_noise(coverage):
    own = coverage[coverage["scenario"].isin(["gumbel", "missing"])]
    assert len(own) == 18
    for method in ("composite", "Plackett-Luce"):
        slack = 2 * own[f"{method}: error"]
        assert (own[method] > 0.93 - slack).all()
        assert (own[method] < 0.98 + slack).all()


def test_published_widths_do_not_cover(coverage):
    many = coverage[coverage["players"] == 20]
    for method in ("EloML", "weight 1", "round intercept"):
        assert (many[method] < 0.85).all()


def test_shared_training_data_need_the_test_fraction(coverage):
    shared = coverage[(coverage["scenario"] == "repeated CV") & (coverage["rounds"] == 50)]
    assert (shared["composite"] < 0.93).all()
    assert (shared["composite, test_fraction"] > 0.93).all()
    assert np.isfinite(coverage.select_dtypes("number")).all().all()


@pytest.fixture(scope="module")
def bests():
    """Boards of known best theta: whether the posterior's interval and the naive one hold it."""
    table = pd.read_csv(MODELS / "sota" / "evidence" / "coverage.csv")
    assert (table["converged"] == 1).all()
    best = table["theta_sota"]
    table["posterior"] = best.between(table["lower"], table["upper"])
    table["naive"] = best.between(table["naive_lower"], table["naive_upper"])
    return table.groupby(["law", "rho"])[["posterior", "naive"]].agg(["mean", "size"])


@pytest.mark.parametrize("law", ["narrow", "wide", "alike"])
@pytest.mark.parametrize("rho", [0.0, 0.6])
def test_coverage_of_the_best_theta(bests, law, rho):
    """0.93 to 0.97, within two Monte Carlo errors of the boards; at least that of near-equals."""
    found, boards = bests.loc[(law, rho), "posterior"]
    assert boards >= (500 if law == "narrow" else 150)
    slack = 2 * np.sqrt(0.95 * 0.05 / boards)
    assert found > 0.93 - (0 if law == "narrow" else slack)
    if law != "alike":
        assert found < 0.97 + (0 if law == "narrow" else slack)


def test_the_best_score_alone_misses_the_best_theta(bests):
    """The more the teams are alike, the more of the best score is luck."""
    naive = bests["naive"]["mean"]
    assert naive[("alike", 0.0)] < 0.1
    assert (naive["alike"] < naive["narrow"]).all()
    assert (naive["narrow"] < 0.9).all()
