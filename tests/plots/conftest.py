"""What is drawn: made once, in milliseconds."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

import leaderbayes as lb
from leaderbayes.tuning import LeaderboardSearchCV

GROUPS = {"p0": "a", "p1": "a", "p2": "a", "p3": "b", "p4": "b", "p5": "c"}


@pytest.fixture(scope="session")
def fitted(scores):
    """Draws; who drew them is of no account here."""
    return lb.fit(scores, sampler="laplace", draws=500, seed=1)


@pytest.fixture(scope="session")
def planned(fitted):
    return lb.plan(fitted, ("p0", "p1"), rounds=(5, 20), simulations=5, seed=1)


@pytest.fixture(scope="session")
def moved(scores):
    """What moves of it, by few choices."""
    return lb.sensitivity(scores, models=("bradley_terry",), priors=(1.0,), seed=1)


@pytest.fixture(scope="session")
def across(study):
    """What is drawn of a study, by the names of the figures."""
    return {
        "average_player": lb.study.average_player(study),
        "average_rank": lb.study.average_rank(study),
        "embedding": lb.study.embedding(study),
        "leaderboards": lb.study.compare(study, draws=10),
        "tunability": lb.study.tunability(study, GROUPS),
    }


@pytest.fixture(scope="session")
def search():
    space = {"ccp_alpha": [1e-4, 1e-2, 1.0], "criterion": ["gini", "entropy"]}
    model = DecisionTreeClassifier(random_state=0)
    made = LeaderboardSearchCV(model, space, strategy="iterated", cv=5, random_state=0)
    return made.fit(*load_iris(return_X_y=True))


@pytest.fixture(scope="session")
def law():
    return lb.sota.maximum(0.9, 100, n=300)


@pytest.fixture(scope="session")
def board():
    theta = np.linspace(0.6, 0.9, 60)
    return lb.sota.read_board(lb.paper.simulate(theta, n=400, seed=3)[0].to_numpy(), n=400)


@pytest.fixture(scope="session")
def estimate(board):
    return lb.sota.shrink(board)


@pytest.fixture(scope="session")
def realisation(board, estimate):
    return lb.paper.realisation(board, estimate, seed=1)
