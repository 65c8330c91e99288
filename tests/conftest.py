"""Fixtures shared by all tests: boards, references, and fits that are sampled once."""

import gc
import json
import os
import sys
import warnings
from pathlib import Path

# Read when numpy loads: tests run on all cores already, and BLAS's threads would wait for others.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
if os.environ.get("NUMBA_DISABLE_JIT") == "1":  # PyTensor's graphs for Numba fail then
    os.environ.setdefault("PYTENSOR_FLAGS", "linker=cvm")

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import find, settings, strategies

import leaderbayes as lb
from served import server as server

# Many tests start processes: byte code is compiled once, and not by each of them.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# On a busy machine an example takes long for no reason of ours.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

REFERENCE = Path(__file__).parents[2] / "shared" / "reference"


def uncounted():
    """Environment of a command that has a full disk, and writes no file that we do not ask for.

    Counts of its lines would be one; byte code would be cut, and break every later import.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    return kept | {"PYTHONDONTWRITEBYTECODE": "1"}


def sum_of_binomials(n, theta, rho, theta_0, s):
    """P(count), (n + 1,), of a classifier by itself; its reference is right on s instances."""
    from scipy.stats import binom

    from leaderbayes._numerics.counts import allowed
    from leaderbayes._numerics.maximum import conditionals

    up, down = conditionals(np.array([theta]), allowed(theta, rho, theta_0), theta_0)
    right, wrong = np.arange(s + 1), np.arange(n - s + 1)
    first = binom(s, np.clip(up[0], 0.0, 1.0)).pmf(right)
    return np.convolve(first, binom(n - s, np.clip(down[0], 0.0, 1.0)).pmf(wrong))


def board(values, *, higher_is_better=True):
    """Scores (player, round) from an array."""
    values = np.asarray(values, dtype=float)
    return xr.DataArray(
        values,
        dims=("player", "round"),
        coords={
            "player": [f"p{i}" for i in range(values.shape[0])],
            "round": [str(k) for k in range(values.shape[1])],
        },
        name="score",
        attrs={"higher_is_better": int(higher_is_better), "source": "test"},
    )


def warned(call, *given, **options):
    """Return what a call warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(*given, **options)
    return [str(each.message) for each in caught]


def cycle():
    """Rock, paper, scissors: every player beats the next, and no strengths say so."""
    return board(np.array([[3.0, 1, np.nan], [1, np.nan, 3], [np.nan, 3, 1]]).repeat(15, axis=1))


def often_by_little(*, higher_is_better=True):
    """Of 25 rounds p0 wins 18 against p1, by 0.004, and loses 7, by 0.03; p2 has one good round."""
    rounds = np.arange(25)
    level = 0.8 + 0.01 * (rounds % 5)
    others = np.where(rounds < 7, 0.03, -0.004), np.where(rounds == 24, 0.05, -0.06)
    values = np.stack([level, *(level + other for other in others)])
    sign = 1.0 if higher_is_better else -1.0
    made = board(sign * values, higher_is_better=higher_is_better)
    return made.assign_coords(round=[f"task {name}" for name in "abcdefghijklmnopqrstuvwxy"])


def simulate(epp, rounds, rng, noise="gumbel"):
    """Scores of players with these strengths: epp plus noise of logistic differences' scale."""
    shape = (len(epp), rounds)
    draws = {
        "gumbel": rng.gumbel(size=shape),
        # A difference of two has the logistic's standard deviation pi / sqrt(3).
        "normal": rng.normal(scale=np.pi / np.sqrt(6.0), size=shape),
    }[noise]
    return board(np.asarray(epp)[:, None] + draws)


def tree(epp, converged=1):
    """A fit with these draws (chain, draw, player)."""
    epp = np.asarray(epp, dtype=float)
    players = [f"p{i}" for i in range(epp.shape[2])]
    posterior = xr.Dataset({"epp": (("chain", "draw", "player"), epp)}, {"player": players})
    made = xr.DataTree.from_dict({"posterior": posterior})
    made.attrs = {"converged": converged, "warnings": json.dumps(["w"]), "model": "bradley_terry"}
    return made


def flat(dt):
    """Draws of epp (sample, player)."""
    return dt["posterior"]["epp"].to_numpy().reshape(-1, dt["posterior"].sizes["player"])


def study_of(strengths, rng, *, sd=0.3, draws=400, rounds=12):
    """A study with normal posteriors around these strengths (tournament, player), NaN: absent."""
    return xr.DataTree.from_dict(
        {
            name.replace("/", " "): _normal_fit(name, row.dropna(), rng, sd, draws, rounds)
            for name, row in strengths.iterrows()
        }
    )


def _normal_fit(name, strengths, rng, sd, draws, rounds):
    """What `lb.fit` returns, where the posterior of epp is normal and nothing was sampled."""
    m = len(strengths)
    epp = strengths.to_numpy() + sd * rng.normal(size=(2, draws // 2, m))
    epp -= epp.mean(axis=2, keepdims=True)
    scores = simulate(strengths, rounds, rng).assign_coords(player=list(strengths.index))
    utility = epp[:, :, None] + rng.gumbel(size=(2, draws // 2, rounds, m))
    place = 1 + np.argsort(np.argsort(-utility, axis=-1), axis=-1)
    dims = ("chain", "draw", "round", "player")
    names = {"player": scores["player"], "round": scores["round"]}
    fit = xr.DataTree.from_dict(
        {
            "posterior": xr.Dataset({"epp": (("chain", "draw", "player"), epp)}).assign_coords(
                player=scores["player"]
            ),
            "posterior_predictive": xr.Dataset({"place": (dims, place.astype(np.int32))}, names),
            "observed_data": lb.matches(scores, pairs=False)[["place"]],
            "constant_data": xr.Dataset(
                {"scores": scores, "weight": ("round", np.full(rounds, 0.4))}
            ),
        }
    )
    fit.attrs = {
        "model": "bradley_terry",
        "arguments": json.dumps({"within_round": True, "ties": "half"}),
        "weight": 0.4,
        "seed": 1,
        "converged": 1,
        "warnings": "[]",
        "tournament": name,
    }
    return fit


@pytest.fixture(scope="session")
def study():
    """Three usual tournaments, one without the last player, and one in reverse order."""
    usual = pd.Series([2.0, 1.0, 0.5, -0.5, -1.0, -2.0], index=[f"p{i}" for i in range(6)])
    table = pd.DataFrame({"one": usual, "two/2": usual, "three": usual, "reversed": -usual}).T
    table.loc["three", "p5"] = np.nan
    return study_of(table, np.random.default_rng(11))


@pytest.fixture(scope="session")
def mistakes():
    """Items that players get wrong (1) or right (0), of three tournaments, in clusters of two.

    The second lacks a player; in the third the order is reversed.
    """
    wrong = np.array([[0.1, 0.3, 0.5, 0.6], [0.2, 0.3, 0.6, np.nan], [0.7, 0.5, 0.3, 0.2]])
    drawn = np.random.default_rng(3).random((3, 4, 80)) < wrong[:, :, None]
    values = np.where(np.isnan(wrong)[:, :, None], np.nan, drawn)
    return xr.DataArray(
        values,
        dims=("tournament", "player", "round"),
        coords={
            "tournament": ["reading", "maths", "code/2"],
            "player": [f"p{i}" for i in range(4)],
            "round": [f"q{k:02d}" for k in range(80)],
            "cluster": ("round", [f"c{k // 2}" for k in range(80)]),
        },
        attrs={"higher_is_better": 0},
    )


@pytest.fixture(scope="session")
def study_of_scores(mistakes, tmp_path_factory):
    """Mean scores of it, of which less is better, as a store has them."""
    return lb.study.fit(
        mistakes, "mean_score", store=tmp_path_factory.mktemp("scores") / "study", draws=500,
        replicates=8, seed=1, progressbar=False,
    )  # fmt: skip


def pytest_collection_finish():
    """Leave what all tests have loaded out of garbage collections: each would look through it."""
    # Before its first example Hypothesis looks for who holds its random generator: among what is
    # frozen it would find nobody, and warn.
    find(strategies.none(), lambda _: True)
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def close_figures():
    """Close matplotlib's figures, of which it warns from 20 on."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def kolmogorov_bound(draws, level=0.001):
    """Distance of an empirical cdf to its law that is exceeded with probability level at most.

    The inequality of Dvoretzky, Kiefer and Wolfowitz with Massart's constant,
    P(distance > d) <= 2 exp(-2 draws d^2): it holds for any law, discrete ones too.
    """
    return np.sqrt(np.log(2.0 / level) / (2.0 * draws))


@pytest.fixture(scope="session")
def reference():
    """Read a reference table of scores, or skip where ../shared is absent."""

    def read(name):
        path = REFERENCE / name
        if not path.exists():
            pytest.skip(f"../shared/reference/{name} is not beside this checkout")
        if path.name.endswith("scores.csv"):
            with warnings.catch_warnings():  # of VTAB's 0.148 on Caltech101, of which a test is
                warnings.filterwarnings("ignore", "LB051")
                return lb.read_scores(path, player="player", round="round", score="score")
        return pd.read_csv(path, index_col=0)

    return read


@pytest.fixture(scope="session")
def published():
    """Tables 1 and 3 of the paper of the sample maximum."""
    path = REFERENCE / "sota" / "published.csv"
    if not path.exists():
        pytest.skip("../shared/reference/sota/published.csv is not beside this checkout")
    return pd.read_csv(path)


@pytest.fixture(scope="session")
def scores():
    """A board of six players, ten rounds, one missing score."""
    rng = np.random.default_rng(7)
    made = simulate([1.5, 1.0, 0.0, 0.0, -0.5, -2.0], 10, rng)
    made[2, 3] = np.nan
    return made


@pytest.fixture(scope="session")
def laplace(scores):
    """The posterior of it without PyMC: a fit in milliseconds."""
    return lb.fit(scores, sampler="laplace", seed=1)


@pytest.fixture(scope="session")
def misfit():
    """A fit that does not describe its board."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        return lb.fit(cycle(), sampler="laplace", seed=1)


@pytest.fixture(scope="session")
def tied_scores(scores):
    """The same board, rounded until players tie."""
    return (scores / 2.0).round().assign_attrs(scores.attrs)


# Strengths of the players of `tournaments`.
TRUTH = np.array([1.5, 0.5, 0.0, -0.5, -1.5])


@pytest.fixture(scope="session")
def tournaments():
    """Six boards; the last player misses the second, the first a round of the first."""
    rng = np.random.default_rng(5)
    boards = [simulate(TRUTH + 0.7 * rng.normal(size=5), 12, rng) for _ in range(6)]
    boards[1][4] = np.nan
    boards[0][0, 3] = np.nan
    names = pd.Index([f"data {t}" for t in range(6)], name="tournament")
    return xr.concat(boards, names).assign_attrs(boards[0].attrs)
