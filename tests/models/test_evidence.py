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
