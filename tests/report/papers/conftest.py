"""Fits for reports, without sampling: what is written follows from what a fit records."""

import json
import os
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats

import leaderbayes as lb
from conftest import simulate
from leaderbayes._fit import _model_options, written

VERSIONS = {
    "leaderbayes": "0.1.0", "pymc": "6.4.0", "arviz": "1.3.0", "nutpie": "0.16.11",
    "numpy": "2.5.5", "xarray": "2026.9.0",
}  # fmt: skip
HOSTILE = [
    r"a_b%$#{}~^\&<x>|\"q\"", "a_b" * 40, "new\nline\tÅngström ü", "--dash `` '' ?`x ,,",
    r"[brackets] \\ \input{/etc/passwd}", "$x^2$", "\u202eRTL\u0007 zero", "  ", "a_b" * 41,
]  # fmt: skip


GOLDEN = Path(__file__).parent / "golden"
KINDS = [
    "bradley_terry", "bradley_terry_nuts", "across_rounds", "two_rounds", "not_converged",
    "davidson", "plackett_luce", "round_intercept", "tournaments", "one_of_tournaments",
    "estimate", "estimate_plackett_luce", "estimate_round_intercept",
    "sota", "sota_known_law",
]  # fmt: skip


@pytest.fixture(params=KINDS)
def kind(request):
    """Name of a fit in `fits`."""
    return request.param


@pytest.fixture
def golden():
    """Compare with a committed file; UPDATE_GOLDEN=1 in the environment writes it."""

    def compare(name, made):
        path = GOLDEN / name
        if os.environ.get("UPDATE_GOLDEN"):
            path.write_text(made, encoding="utf-8")
        assert made == path.read_text(encoding="utf-8")

    return compare


@pytest.fixture(scope="session", autouse=True)
def same_version():
    """Estimates name the version that is installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("leaderbayes.report._facts.version", lambda package: "0.1.0")
        yield


def laplace(scores, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        dt = lb.fit(scores, sampler="laplace", draws=500, seed=1, **options)
    dt.attrs["versions"] = json.dumps(VERSIONS)
    return dt


def sampled(dt, model, given, **variables):
    """Make Bradley-Terry's draws look like those that NUTS gave of another model."""
    dt = dt.copy()
    kept = {"within_round": True, "ties": "half", "tune": None, "sampler": "nutpie"}
    arguments = kept | {"draws": 500, "chains": 4} | _model_options(model, "nutpie", given)
    dt["posterior"] = xr.DataTree(dt["posterior"].to_dataset().assign(**variables))
    dt.attrs |= {
        "model": model,
        "arguments": written(arguments),
        "max_rhat": 1.0031,
        "min_ess": 1234.4,
        "divergences": 0,
    }
    return dt


def constant(dt, value):
    return xr.full_like(dt["posterior"]["epp_scale"], value)


@pytest.fixture(scope="session")
def classifiers():
    return laplace(lb.datasets.load_classifiers("breast_cancer"))


@pytest.fixture(scope="session")
def hostile():
    board = simulate(np.linspace(1.0, -1.0, len(HOSTILE)), 12, np.random.default_rng(1))
    return laplace(board.assign_coords(player=HOSTILE))


@pytest.fixture(scope="session")
def large():
    """Above 40 players the table is a longtable."""
    board = simulate(np.linspace(2.0, -2.0, 45), 6, np.random.default_rng(1))
    names = [f"model_{k:03d}/lr=0.001,a_very_long_setting={k}" for k in range(45)]
    return laplace(board.assign_coords(player=names))


@pytest.fixture(scope="session")
def unconverged(classifiers):
    dt = sampled(classifiers, "bradley_terry", {})
    message = "LB001 not converged: max R-hat 1.120, take more draws."
    dt.attrs |= {"converged": 0, "max_rhat": 1.12, "warnings": json.dumps([message])}
    return dt


@pytest.fixture(scope="session")
def together():
    """What a fit of three tournaments records, from a fit of each."""
    rng = np.random.default_rng(5)
    boards = [simulate(t * np.array([1.5, 0.5, 0.0, -2.0]), 8, rng) for t in (1.0, 0.5, 0.2)]
    boards[1][3] = np.nan
    boards[0][0, 3] = np.nan
    names = pd.Index(["one", "two", "three_3"], name="tournament")
    fits = [laplace(board) for board in boards]
    players = fits[0]["posterior"]["player"].to_numpy()
    each = xr.concat([f["posterior"]["epp"].reindex(player=players) for f in fits], names)
    each = each.fillna(0.0)

    def rounds_of(group):
        every = [f[group].to_dataset().reindex(player=players, fill_value=0) for f in fits]
        return xr.concat(every, "round").rename(round="tournament_round")

    dt = xr.DataTree.from_dict(
        {
            "posterior": xr.Dataset(
                {
                    "epp": each.mean("tournament"),
                    "epp_tournament": each,
                    "epp_scale": fits[0]["posterior"]["epp_scale"],
                    "epp_spread": constant(fits[0], 0.71),
                }
            ),
            "posterior_predictive": rounds_of("posterior_predictive"),
            "observed_data": rounds_of("observed_data"),
            "constant_data": xr.Dataset(
                {
                    "scores": xr.concat(boards, names).assign_attrs(boards[0].attrs),
                    "weight": ("tournament", [f.attrs["weight"] for f in fits]),
                }
            ),
        }
    )
    dt.attrs = dict(fits[0].attrs)
    return sampled(dt, "tournaments", {"groups": {p: p in "p0p1" for p in players}})


@pytest.fixture(scope="session")
def best():
    """Posteriors of the best of twenty teams."""
    score = np.random.default_rng(1).binomial(500, np.linspace(0.8, 0.88, 20)) / 500
    board = lb.sota.read_board(pd.Series(score, index=[f"team_{k}" for k in range(20)]), n=500)
    made = {
        "sota": lb.sota.posterior(board, rho=0.5, floor=0.6, seed=1),
        "sota_known_law": lb.sota.posterior(board, law=stats.beta(85, 15), seed=1),
    }
    for dt in made.values():
        dt.attrs["versions"] = json.dumps(VERSIONS)
    return made


@pytest.fixture(scope="session")
def fits(classifiers, unconverged, together, tied_scores, scores, best):
    """A fit of every kind, by name."""
    tied = laplace(tied_scores)
    full = laplace(tied_scores, weight=1.0)
    nutpie = sampled(classifiers, "bradley_terry", {"test_fraction": 0.2})
    nutpie.attrs["arguments"] = nutpie.attrs["arguments"].replace("nutpie", "numpyro")
    matches = lb.matches(scores)
    return {
        "bradley_terry": classifiers,
        "bradley_terry_nuts": nutpie,
        "across_rounds": laplace(scores, within_round=False, weight=0.25),
        "two_rounds": laplace(scores.isel(round=slice(2))),
        "not_converged": unconverged,
        "davidson": sampled(tied, "davidson", {"tie_scale": 1.5}, tie=constant(tied, 0.1)),
        "plackett_luce": sampled(tied, "plackett_luce", {}),
        "round_intercept": sampled(full, "round_intercept", {"tie_as": "loss"}),
        "tournaments": together,
        "one_of_tournaments": lb.select_tournament(together, "three_3"),
        "estimate": lb.likelihood.bradley_terry(matches, pseudo_rounds=1.0),
        "estimate_plackett_luce": lb.likelihood.plackett_luce(matches, firth=True),
        "estimate_round_intercept": lb.likelihood.round_intercept(scores),
        **best,
    }


@pytest.fixture(scope="session")
def texts(fits):
    """Reports of all kinds of fits."""
    return {kind: lb.report.text(fit) for kind, fit in fits.items()}


@pytest.fixture(scope="session")
def fragments(fits):
    """The same in LaTeX."""
    return {kind: lb.report.latex(fit) for kind, fit in fits.items()}
