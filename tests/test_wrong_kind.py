"""Whatever a public function gets for its first argument, its error is ours."""

import inspect
from contextlib import suppress
from functools import partial

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb
from leaderbayes._adapters.read import PROGRAMS
from votes import draw, fit

VOTES = draw(np.array([0.8, -0.8, 0.0]), 100, np.random.default_rng(1), judges=12)
TIED = draw(np.array([0.8, -0.8, 0.0]), 200, np.random.default_rng(1), ties=0.3)
OF_VOTES = fit(VOTES, draws=50)
WRONG = {
    "a number": 3,
    "a list": [0.9, 0.8],
    "None": None,
    "a string": "x",
    "a table": pd.DataFrame({"a": [1.0]}),
    "a Dataset": xr.Dataset({"a": 1.0}),
    "an array": xr.DataArray([0.9, 0.8], dims="team"),
    "scores": xr.DataArray(np.eye(3), dims=("player", "round")),
    "votes": VOTES,
    "a fit of votes": OF_VOTES,
    "a fit of votes with ties": lb.fit(TIED, "davidson", draws=50, replicates=4, seed=1),
}
# What else they need, and would check before or after; and what makes right ones quick.
FURTHER = {
    "sensitivity": ((), {"models": ("bradley_terry",), "priors": (1.0,), "rounds": False}),
    "compare": (("a", "b"), {}), "plots.compare": (("a", "b"), {}),
    "frontier": (({"a": 1.0},), {}), "plots.frontier": (({"a": 1.0},), {}),
    "likelihood.hypothesis_test": (("a", "b"), {}), "plots.search": (("a", "b"), {}),
    "new_player": ((xr.DataArray([1.0], dims="round"),), {}), "sota.certify": (("a",), {}),
    "sota.two_looks": ((xr.DataArray([0.9], dims="team"),), {}),
    "fit": ((), {"sampler": "metropolis"}), "study.fit": ((), {"store": "study"}),
    "study.select": (("iris",), {}), "study.tunability": (({"a": "b"},), {}),
    "report.html": (("page.html",), {}), "report.site": (("site",), {}),
    "write_fit": (("fit.nc",), {}),
}  # fmt: skip
# They take numbers, or arrays of them: what is none is NumPy's to refuse.
NUMBERS = {"sota.maximum"}
# A list, a table or an array is what they take, or a string a path.
RIGHT = {"sota.read_board"}


def functions():
    places = {"": lb} | {name: getattr(lb, name) for name in lb.__all__}
    return {
        f"{place}.{name}".lstrip("."): function
        for place, module in places.items()
        if hasattr(module, "__all__")
        for name in module.__all__
        if inspect.isfunction(function := getattr(module, name)) and name != "read_results"
    } | {f"results of {each}": partial(lb.read_results, program=each) for each in PROGRAMS}


@pytest.mark.parametrize("name", sorted(set(functions()) - NUMBERS - RIGHT))
def test_an_error_of_ours(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    positional, by_name = FURTHER.get(name, ((), {}))
    for wrong in WRONG.values():
        with suppress(lb.LeaderbayesError):
            functions()[name](wrong, *positional, **by_name)
