"""Posteriors that many answers are asked of."""

import warnings

import numpy as np
import pytest

import leaderbayes as lb
from conftest import cycle, often_by_little, simulate, tree


def fit(data, model="bradley_terry", **options):
    """A fit without its warnings, quickly."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        return lb.fit(
            data, model, **({"seed": 1, "replicates": 20, "progressbar": False} | options)
        )


@pytest.fixture(scope="session")
def dt():
    """Draws that are given, and nothing else."""
    rng = np.random.default_rng(0)
    return tree(rng.normal(size=(2, 400, 5)) * 0.5 + [1.0, 0.8, 0.0, -0.1, -1.7])


@pytest.fixture(scope="session")
def classifiers():
    return lb.datasets.load("classifiers", "breast_cancer")


@pytest.fixture(scope="session")
def of_classifiers(classifiers):
    return fit(classifiers)


@pytest.fixture(scope="session")
def clear():
    """Players four log-odds apart: all is decided, whatever is asked."""
    return fit(simulate([12.0, 8.0, 4.0, 0.0], 60, np.random.default_rng(1)))


@pytest.fixture(scope="session")
def noise():
    """Six equal players."""
    return fit(simulate(np.zeros(6), 12, np.random.default_rng(2)))


@pytest.fixture(scope="session")
def circle():
    """Three players that beat each other in a circle."""
    return fit(cycle())


@pytest.fixture(scope="session")
def two_leaders():
    """One leads by matches, another by its mean score."""
    return fit(often_by_little())
