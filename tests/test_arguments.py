"""Arguments of the wrong kind, for every public function that takes a number."""

import inspect

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb
from conftest import simulate, study_of
from leaderbayes import _arguments
from public_names import FUNCTIONS, look_up

# Parameters that are numbers, by their names, and those that are whole.
WHOLE = {
    "boards", "chains", "classes", "components", "dimensions", "draws", "iteration", "k", "m", "n",
    "min_rounds", "n_quadrature", "orders", "patience", "replicates", "seed", "simulations", "top",
    "tune", "variants",
}  # fmt: skip
NUMBERS = {
    "alpha", "auc", "ceiling", "centring", "confidence", "drop", "epsilon", "floor",
    "intercept_scale", "positive_rate", "prior_scale", "prob", "pseudo_rounds", "rho", "rope",
    "score", "spread", "spread_scale", "target", "test_fraction", "theta", "theta_0", "tie_scale",
    "value", "weight",
}  # fmt: skip
WRONG = ["1", True, np.True_, np.nan, np.inf, [1, 2], {}]


@pytest.fixture(scope="module")
def given():
    """What functions take besides numbers, by the names of their parameters."""
    rng = np.random.default_rng(0)
    scores = simulate([1.0, 0.3, 0.0, -1.0], 12, rng)
    truth = pd.DataFrame(rng.normal(size=(4, 5)), index=list("abcd"), columns=list("vwxyz"))
    fit = lb.fit(scores, sampler="laplace", draws=50, seed=1)
    study = study_of(truth, rng, draws=40)
    board = lb.sota.read_board([0.9, 0.85, 0.83, 0.8, 0.7, 0.6], n=200)
    many = pd.Series(0.9 - 0.02 * np.arange(12), list("abcdefghijkl"))
    answers = xr.DataArray(rng.integers(0, 2, (3, 40)), dims=("classifier", "instance"))
    return {
        "scores": scores, "matches": lb.matches(scores), "dt": fit, "study": study,
        "moved": lb.sensitivity(
            scores, models=("bradley_terry",), weights=(1.0,), priors=(1.0,), rounds=False, seed=1
        ),
        "fit": lb.likelihood.bradley_terry(lb.matches(scores)), "board": board, "right": answers,
        "teams": lb.sota.read_board(many, n=50), "estimate": lb.sota.shrink(board),
        "law": lb.sota.maximum(0.9, 10, n=200), "laws": lb.sota.maximum(0.9, 10, n=200),
        "best": lb.sota.shrink(board), "hypothesis": [("p0", "p1")], "a": "p0", "b": "p1",
        "pair": ("p0", "p1"), "path": "page.html", "tournament": "a", "ours": "a", "theta": 0.9,
        "groups": {name: "g" for name in truth.columns}, "n": 200, "m": 10, "score": 0.9,
        "auc": 0.9, "positive_rate": 0.3, "k": 2, "cost": {f"p{i}": 1.0 + i for i in range(4)},
    }  # fmt: skip


# Columns by name; and laws or arrays, which models of the best take too.
OTHERWISE = {
    ("read_scores", "score"), ("sota.read_board", "score"), ("sota.read_answers", "score"),
    ("read_votes", "weight"), ("read_scores", "drop"),
    ("sota.maximum", "theta"), ("sota.maximum", "theta_0"), ("sota.maximum", "n"),
}  # fmt: skip
# scikit-learn checks its estimator's in fit; the rest need a fit that takes long.
ELSEWHERE = {
    "tuning.LeaderboardSearchCV", "plots.search", "models.sota", "models.score_tournaments",
    "sota.summary", "plots.trajectories",
}  # fmt: skip


def takes(parameter):
    return parameter.name in WHOLE | NUMBERS


CASES = [
    (function, parameter.name)
    for function in FUNCTIONS
    for parameter in inspect.signature(look_up(function)).parameters.values()
    if takes(parameter)
    and (function, parameter.name) not in OTHERWISE
    and function not in ELSEWHERE
]


def arguments_of(function, given):
    """What it must be given, by name, and what leads it to look at its numbers."""
    own = {
        "fit": {"data": given["scores"], "sampler": "metropolis"},
        "report.html": {"dt": given["study"]},
        "report.site": {"fits": {"one": given["study"]}, "folder": "site"},
        "models.tournaments": {
            "matches": lb.matches(given["scores"].expand_dims(tournament=["one", "two"]))
        },
        "study.fit": {
            "data": given["scores"].expand_dims(tournament=["one", "two"]),
            "store": "study",
        },
        "design": {"players": 4, "sd": 0.02, "rounds": 5, "difference": 0.01},
        "new_player": {"scores": given["scores"].isel(player=0).to_series()},
        "sota.maximum": {"n": 200, "m": 10},
        "likelihood.hypothesis_test": {"estimate": given["fit"], "a": "p0", "b": "p1"},
        "sota.two_looks": {"public": given["teams"], "private": given["teams"]},
        "sota.read_board": {"source": [0.9, 0.8], "n": 100},
        "sota.read_answers": {"source": given["right"]},
    }.get(function, {})
    made = dict(own)
    parameters = inspect.signature(look_up(function)).parameters
    if "hypothesis" in parameters and "a" not in own:
        made["hypothesis"] = given["hypothesis"]
    for parameter in parameters.values():
        if parameter.default is parameter.empty and parameter.name in given:
            made.setdefault(parameter.name, given[parameter.name])
    return made


@pytest.mark.parametrize(("function", "name"), CASES)
def test_a_number_of_the_wrong_kind_is_named(function, name, given, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = arguments_of(function, given)
    parameter = inspect.signature(look_up(function)).parameters[name]
    whole = name in WHOLE and (function, name) != ("elo", "k")
    wrong = [*WRONG, *([1.5] if whole else [])]
    if parameter.default is not None:
        wrong.append(None)
    for value in wrong:
        if name == "n" and function == "sota.read_board" and isinstance(value, str):
            continue  # the name of a column
        with pytest.raises(lb.LeaderbayesError, match=name):
            look_up(function)(**(made | {name: value}))
    assert not list(tmp_path.iterdir())


def test_numbers_pass_as_python_s_own():
    for value in (3, np.int8(3), np.uint64(3), 3.0, np.float32(3.0)):
        made = _arguments.whole("k", value)
        assert made == 3
        assert type(made) is int
        made = _arguments.number("k", value)
        assert made == 3.0
        assert type(made) is float
    assert _arguments.whole("k", 10**400) == 10**400


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda: _arguments.whole("draws", 1.5), r"draws=1\.5: give a whole number from 1 up\."),
        (lambda: _arguments.whole("k", 9, at_most=4), r"k=9: give a whole number from 1 up to 4\."),
        (lambda: _arguments.share("p", "0.9"), r"p='0\.9': give a number above 0 and below 1\."),
        (lambda: _arguments.positive("scale", np.float64(0)), r"scale=0\.0: give a number above 0"),
        (lambda: _arguments.seed(-1), r"seed=-1: give a whole number from 0 up to 4294967295\."),
        (lambda: _arguments.number("value", None), r"value=None: give a finite number\."),
        (lambda: _arguments.one_of("rule", "c", "a", "b"), r"rule='c': choose 'a' or 'b'\."),
        (lambda: _arguments.one_of("k", 1, "a", "b", None), r"k=1: choose 'a', 'b' or None\."),
    ],
)
def test_messages(check, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        check()


@pytest.mark.parametrize("wrong", [np.array(["a", "b"]), ["a"], {"a"}])
def test_arrays_and_lists_are_none_of_a_few(wrong):
    with pytest.raises(lb.LeaderbayesError, match=r"by=.*: give one of 'a', 'b'"):
        _arguments.one_of("by", wrong, "a", "b")
