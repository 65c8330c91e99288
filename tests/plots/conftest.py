"""What is drawn: made once, in milliseconds."""

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

import leaderbayes as lb
import posteriors
from conftest import simulate
from leaderbayes.tuning import LeaderboardSearchCV

mpl.use("Agg")
EPP = [1.5, 1.0, 0.1, 0.0, -0.5, -2.1]
GROUPS = {"p0": "a", "p1": "a", "p2": "a", "p3": "b", "p4": "b", "p5": "c"}


@pytest.fixture(scope="session")
def fit(scores):
    return posteriors.strengths(scores, EPP)


@pytest.fixture(scope="session")
def several():
    return posteriors.several()


@pytest.fixture(scope="session")
def means():
    return posteriors.means(posteriors.losses())


@pytest.fixture(scope="session")
def teams():
    return posteriors.teams()


@pytest.fixture(scope="session")
def wide():
    """Twenty players, of whom many are indistinguishable; their groups overlap."""
    strengths = np.linspace(-1.5, 1.5, 20)
    return posteriors.strengths(simulate(strengths, 8, np.random.default_rng(5)), strengths)


@pytest.fixture(scope="session")
def planned(fit):
    return lb.plan(fit, ("p0", "p1"), rounds=(5, 20), seed=1)


@pytest.fixture(scope="session")
def designed():
    return lb.design(3, difference=0.5, sd=1.0, rounds=(5, 20), seed=1)


@pytest.fixture(scope="session")
def walked(scores):
    return posteriors.walks(scores, [EPP, EPP[::-1], EPP])


@pytest.fixture(scope="session")
def moved(scores):
    options = {"sampler": "metropolis", "draws": 200}
    return lb.sensitivity(scores, models=("bradley_terry",), priors=(1.0,), seed=1, **options)


@pytest.fixture(scope="session")
def across(study):
    """What is drawn of a study, by the names of the figures."""
    return {
        "average": lb.study.average(study),
        "average_rank": lb.study.average(study, of="rank"),
        "embedding": lb.study.embedding(study),
        "tunability": lb.study.tunability(study, GROUPS),
    }


@pytest.fixture(scope="session")
def search():
    space = {"ccp_alpha": [1e-4, 1e-2, 1.0], "criterion": ["gini", "entropy"]}
    model = DecisionTreeClassifier(random_state=0)
    made = LeaderboardSearchCV(model, space, strategy="iterated", cv=5, random_state=0)
    return made.fit(*load_iris(return_X_y=True))


@pytest.fixture(scope="session")
def board(teams):
    return teams["observed_data"]["score"]


@pytest.fixture(scope="session")
def estimate(board):
    return lb.sota.shrink(board)
