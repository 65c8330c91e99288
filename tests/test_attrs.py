"""Attributes of what public functions return: of one kind, and such that netCDF takes them."""

import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb
from conftest import simulate, study_of
from votes import draw

RNG = np.random.default_rng(2)
SCORES = simulate([1.0, 0.3, 0.0, -1.0], 12, RNG)
MATCHES = lb.matches(SCORES)
FIT = lb.fit(SCORES[:3], sampler="laplace", draws=40, seed=1)
ESTIMATE = lb.likelihood.bradley_terry(MATCHES)
RESTRICTED = lb.likelihood.bradley_terry(MATCHES, hypothesis=[("p0", "p1")])
STUDY = study_of(
    pd.DataFrame(RNG.normal(size=(3, 5)), index=list("abc"), columns=list("vwxyz")), RNG, draws=40
)
GROUPS = {"v": "one", "w": "one", "x": "two", "y": "two", "z": "two"}
BOARD = lb.sota.read_board([0.9, 0.85, 0.83, 0.8, 0.7, 0.6], n=200)
MANY = lb.sota.read_board(pd.Series(0.9 - 0.01 * np.arange(12), list("abcdefghijkl")), n=100)
VOTES = draw(np.array([0.8, 0.2, -1.0]), 200, RNG, judges=12)
OF_VOTES = lb.fit(VOTES, draws=100, replicates=52, seed=1, order_effect=True)
VOTES_ESTIMATE = lb.likelihood.bradley_terry(VOTES)
SMALL = {"replicates": 10, "seed": 1}

# What says whether it can be trusted, being made of a fit or an estimate.
OF_A_FIT = {
    "fit": lambda: FIT,
    "new_player": lambda: lb.new_player(FIT, SCORES[3].rename("new"), seed=1),
    "leaderboard": lambda: lb.leaderboard(FIT),
    "leaderboard of an estimate": lambda: lb.leaderboard(ESTIMATE),
    "win_probability": lambda: lb.win_probability(FIT),
    "win_probability of an estimate": lambda: lb.win_probability(ESTIMATE),
    "rank_probability": lambda: lb.rank_probability(FIT),
    "groups": lambda: lb.groups(FIT),
    "compare": lambda: lb.compare(FIT, "p0", "p1", rope=0.1),
    "check": lambda: lb.check(FIT, draws=5, seed=1),
    "deviance": lambda: lb.deviance(FIT),
    "deviance of an estimate": lambda: lb.deviance(ESTIMATE),
    "plan": lambda: lb.plan(FIT, rounds=(5,), seed=1),
    "audit": lambda: lb.audit(FIT),
    "a question of an audit": lambda: lb.audit(FIT)["halves"],
    "columns to publish": lambda: lb.leaderboard(FIT, columns="publish"),
    "sensitivity": lambda: lb.sensitivity(
        SCORES, models=("bradley_terry",), priors=(1.0,), rounds=False, seed=1
    ),
    "influence": lambda: lb.influence(FIT, by="round"),
    "likelihood.bradley_terry": lambda: ESTIMATE,
    "likelihood.plackett_luce": lambda: lb.likelihood.plackett_luce(
        lb.matches(SCORES, pairs=False)
    ),
    "likelihood.round_intercept": lambda: lb.likelihood.round_intercept(lb.matches(SCORES)),
    "likelihood.eliminate": lambda: lb.likelihood.eliminate(lb.matches(SCORES)),
    "likelihood.hypothesis_test": lambda: lb.likelihood.hypothesis_test(ESTIMATE, "p0", "p1"),
    "likelihood.hypothesis_test restricted": lambda: lb.likelihood.hypothesis_test(
        ESTIMATE, restricted=RESTRICTED
    ),
    "likelihood.pairwise_tests": lambda: lb.likelihood.pairwise_tests(ESTIMATE),
    "fit of votes": lambda: OF_VOTES,
    "fit of votes, davidson": lambda: lb.fit(
        draw(np.array([0.8, 0.2, -1.0]), 300, np.random.default_rng(1), ties=0.3),
        "davidson",
        draws=100,
        replicates=4,
        seed=1,
    ),
    "leaderboard of votes": lambda: lb.leaderboard(OF_VOTES),
    "compare of votes": lambda: lb.compare(OF_VOTES, "m0", "m1"),
    "check of votes": lambda: lb.check(OF_VOTES),
    "deviance of votes": lambda: lb.deviance(OF_VOTES),
    "plan of votes": lambda: lb.plan(OF_VOTES, seed=1),
    "influence of votes": lambda: lb.influence(OF_VOTES),
    "win_probability of votes, estimated": lambda: lb.win_probability(VOTES_ESTIMATE),
    "likelihood.bradley_terry of votes": lambda: VOTES_ESTIMATE,
    "study.select": lambda: lb.study.select(STUDY, "a"),
    "study.compare": lambda: lb.study.compare(STUDY, draws=5),
    "study.unusual": lambda: lb.study.unusual(STUDY),
    "study.average": lambda: lb.study.average(STUDY),
    "study.average of ranks": lambda: lb.study.average(STUDY, of="rank"),
    "study.tunability": lambda: lb.study.tunability(STUDY, GROUPS),
    "study.embedding": lambda: lb.study.embedding(STUDY),
}
OTHERS = {
    "read_scores": lambda: lb.read_scores(lb.datasets.load("classifiers").attrs["source"]),
    "matches": lambda: MATCHES,
    "read_votes": lambda: lb.read_votes(pd.DataFrame({"winner": ["a"], "loser": ["b"]})),
    "matches of votes": lambda: lb.matches(VOTES),
    "elo of votes": lambda: lb.elo(VOTES),
    "elo": lambda: lb.elo(SCORES, orders=2, seed=1),
    "likelihood.bootstrap": lambda: lb.likelihood.bootstrap(MATCHES, **SMALL),
    "likelihood.ranking": lambda: lb.likelihood.ranking(ESTIMATE),
    "datasets.load": lambda: lb.datasets.load("classifiers"),
    "datasets.load of answers": lambda: lb.datasets.load("answers"),
    "sota.read_board": lambda: BOARD,
    "sota.winner": lambda: lb.sota.winner(BOARD),
    "sota.two_looks": lambda: lb.sota.two_looks(MANY, MANY[::-1], **SMALL),
    "sota.shrink": lambda: lb.sota.shrink(BOARD),
    "sota.shrink by crop": lambda: lb.sota.shrink(BOARD, rule="crop"),
}


def every_attrs(made):
    """Attributes of it and of all within it."""
    if isinstance(made, xr.DataTree):
        for node in made.subtree:
            yield from every_attrs(node.to_dataset(inherit=False))
        return
    yield made.attrs
    if isinstance(made, xr.Dataset):
        yield from (variable.attrs for variable in made.variables.values())


@pytest.mark.filterwarnings("ignore::leaderbayes.LeaderbayesWarning")
@pytest.mark.parametrize("name", [*OF_A_FIT, *OTHERS])
def test_numbers_and_strings_say_whether_it_can_be_trusted(name):
    made = (OF_A_FIT | OTHERS)[name]()
    for attrs in every_attrs(made):
        for key, value in attrs.items():
            assert isinstance(value, str | int | float | np.number), (key, value)
            assert not isinstance(value, bool), (key, value)
    if name in OF_A_FIT:
        assert made.attrs["converged"] == 1
        assert type(made.attrs["converged"]) is int
        assert isinstance(json.loads(made.attrs["warnings"]), list)


@pytest.mark.parametrize("name", ["compare", "deviance", "likelihood.hypothesis_test"])
def test_scalars_are_numbers(name):
    made = OF_A_FIT[name]()
    assert made.sizes == {}
    for variable in made.data_vars.values():
        assert isinstance(variable.item(), float | int)
        assert f"{variable:.2f}" == f"{float(variable):.2f}"
