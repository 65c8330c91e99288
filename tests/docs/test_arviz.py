"""The table of docs/arviz.md: calls do what it says, on a fit of NUTS and on one of Laplace."""

import re
from pathlib import Path

import arviz as az
import pytest

import leaderbayes as lb

PAGE = Path(__file__).parents[2] / "docs" / "arviz.md"
ROW = re.compile(r"^\| `(az\..+?)` \| (yes|no) \| (yes|no) \| ", flags=re.MULTILINE)
TABLE = [
    pytest.param(call, sampler, works == "yes", id=f"{sampler}: {call}")
    for call, *columns in ROW.findall(PAGE.read_text(encoding="utf-8"))
    for sampler, works in zip(("NUTS", "Laplace"), columns, strict=True)
]


@pytest.fixture(scope="module")
def with_prior(scores):
    return lb.fit(scores, sampler="laplace", prior=True, seed=1)


def test_no_row_is_passed_over():
    # Of other tables' rows none begins with a call.
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    assert 2 * sum(line.startswith("| `az.") for line in lines) == len(TABLE) > 40


# What ArviZ warns of before it finds no energy.
@pytest.mark.filterwarnings("ignore:Computing filter_vars on DataTree")
@pytest.mark.parametrize(("call", "sampler", "works"), TABLE)
def test_table(call, sampler, works, fitted, with_prior, monkeypatch):
    monkeypatch.setitem(az.rcParams, "plot.backend", "none")
    names = {"az": az, "lb": lb, "dt": fitted if sampler == "NUTS" else with_prior, "player": "p0"}
    if works:
        assert eval(call, names) is not None
    else:
        with pytest.raises(
            (TypeError, ValueError, KeyError, IndexError, AttributeError)
        ):  # no slip of the page
            eval(call, names)
