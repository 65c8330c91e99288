"""Fits for papers, whose draws are written here: their texts are the same on every machine.

And pages, with a browser that opens them.
"""

import json
import os
import re
import shutil
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.stats import rankdata

import leaderbayes as lb
from conftest import board, simulate
from leaderbayes._inference.fit import _model_options, written
from votes import votes_of

VERSIONS = {
    "leaderbayes": "0.1.0", "pymc": "6.4.0", "arviz": "1.3.0", "nutpie": "0.16.11",
    "numpy": "2.5.5", "xarray": "2026.9.0",
}  # fmt: skip


HOSTILE = [
    r"a_b%$#{}~^\&<x>|\"q\"", "a_b" * 40, "new\nline\tÅngström ü", "--dash `` '' ?`x ,,",
    r"[brackets] \\ \input{/etc/passwd}", "$x^2$", "\u202eRTL\u0007 zero", "  ", "a_b" * 41,
]  # fmt: skip


PRIMES = (7919, 104729, 1299709, 15485863)


CHAINS = 4


# Quantiles of the standard Gumbel law, in hundredths.
GUMBEL = np.round(-100 * np.log(-np.log((np.arange(97) + 0.5) / 97))).astype(int)


GOLDEN = Path(__file__).parent / "golden"


KINDS = [
    "bradley_terry", "bradley_terry_nuts", "across_rounds", "two_rounds", "not_converged",
    "davidson", "plackett_luce", "round_intercept", "tournaments", "one_of_tournaments",
    "estimate", "estimate_plackett_luce", "estimate_round_intercept",
    "sota", "sota_known_law",
    "votes", "votes_davidson", "votes_round_intercept",
    "mean_score", "mean_score_folds", "mean_score_flat", "mean_score_items",
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


def scattered(size, *index):
    """Whole numbers 0 to size - 1 that look drawn: no generator, and no floating point."""
    mixed = sum(np.asarray(k, np.int64) * prime for k, prime in zip(index, PRIMES, strict=False))
    return mixed**2 // 1000 % size


def drawn(scores, strengths, *, eta=0.35, within_round=True, **options):
    """What `lb.fit` returns of Laplace's approximation, with draws about these strengths.

    Strengths of all draws are hundredths that sum to zero, and players' luck in a replicated round
    is a whole number of them, so that no rounding error changes an order.
    """
    chains, draws = CHAINS, 500
    matches = lb.matches(scores, within_round=within_round)
    place = matches["place"].to_numpy()
    strengths = np.asarray(strengths)[scores["player"].isin(matches["player"]).to_numpy()]
    k, i = np.arange(chains * draws)[:, None], np.arange(len(strengths))
    about = sum(scattered(41, k + 1, i + 1, part) for part in range(1, 5))
    epp = np.round(100 * strengths).astype(int) + about - np.roll(about, 1, axis=1)
    r = np.arange(len(place))[:, None]
    luck = GUMBEL[scattered(len(GUMBEL), k[..., None] + 1, i + 1, r + 5)]
    utility = np.where(place > 0, epp[:, None] + luck, -(10**6))
    axis = -1 if within_round else (1, 2)
    again = np.where(place > 0, ranked(-utility, axis), 0).astype(np.int32)
    names = {dim: matches[dim].to_numpy() for dim in ("player", "round")}
    numbered = {"chain": np.arange(chains), "draw": np.arange(draws)}
    shape = chains, draws
    dims = ("chain", "draw")
    dt = xr.DataTree.from_dict(
        {
            "posterior": xr.Dataset(
                {
                    "epp": ((*dims, "player"), epp.reshape(*shape, -1) / 100),
                    "epp_scale": (dims, np.full(shape, 1.5)),
                },
                numbered | {"player": names["player"]},
            ),
            "posterior_predictive": xr.Dataset(
                {"place": ((*dims, "round", "player"), again.reshape(*shape, *place.shape))},
                numbered | names,
            ),
            "observed_data": xr.Dataset({"place": (("round", "player"), place)}, names),
            "constant_data": xr.Dataset(
                {"scores": scores, "weight": ("round", np.full(len(place), eta))}, names
            ),
        }
    )
    kept = {"within_round": within_round, "ties": "half", "tune": None, "sampler": "laplace"}
    given = kept | {"draws": draws, "chains": chains, "replicates": None}
    dt.attrs = {
        "model": "bradley_terry",
        "arguments": written(given | chosen("bradley_terry", options)),
        "versions": json.dumps(VERSIONS),
        "seed": 1,
        "weight": eta,
        "converged": 1,
        "sampler": "laplace",
        "max_rhat": 1.0012,
        "min_ess": 1790.4,
        "divergences": 0,
        "pareto_k": 0.12,
        "warnings": "[]",
    }
    return dt


def drawn_votes(model, **options):
    """What `lb.fit` returns of votes, with draws that are written here."""
    strengths = np.array([160, 60, 10, -70, -160])
    k = np.arange(900) + 1
    first, judge, prompt = scattered(5, k, 1), scattered(14, k, 3), scattered(60, k, 4)
    second = (first + 1 + scattered(4, k, 2)) % 5
    luck = GUMBEL[scattered(97, k, 5)] - GUMBEL[scattered(97, k, 6)]
    won = np.where(strengths[first] - strengths[second] + luck + 30 > 0, 1.0, 0.0)
    votes = votes_of(
        first, second, np.where(scattered(6, k, 7) == 0, 0.5, won), 5,
        judge=[f"j{g}" for g in judge], prompt=prompt,
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        dt = lb.fit(votes, model, seed=1, draws=500, replicates=4, progressbar=False, **options)
    shape = CHAINS, 500
    own = np.arange(CHAINS * 500)[:, None]
    about = sum(scattered(41, own + 1, np.arange(5) + 1, part) for part in range(1, 5))
    names = [int(str(name)[1:]) for name in dt["posterior"]["player"].to_numpy()]
    epp = strengths[names] + about - np.roll(about, 1, axis=1)
    dims = ("chain", "draw")
    made = {"epp": ((*dims, "player"), epp.reshape(*shape, 5) / 100)}
    spread = np.round(scattered(41, own[:, 0] + 1, 9).reshape(shape) - 20) / 100
    if "effect_size" in dt["posterior"]:
        made["effect_size"] = (*dims, "effect"), 0.3 + spread[..., None]
    for name, middle in (("tie", -0.7), ("intercept_scale", 0.4)):
        if name in dt["posterior"]:
            made[name] = dims, middle + spread
    dt["posterior"] = xr.DataTree(dt["posterior"].to_dataset().assign(made))
    dt.attrs |= {
        "versions": json.dumps(VERSIONS), "max_rhat": 1.0012, "min_ess": 1790.4, "pareto_k": 0.12,
        "p_check": 0.41, "converged": 1, "sampler": "laplace", "warnings": "[]", "divergences": 0,
    }  # fmt: skip
    return dt


def chosen(model, given):
    """Options of a model, as a fit of few players records them."""
    options = _model_options(model, given, of_votes=False)
    return options | ({"prior_df": 4.0} if "prior_df" in options else {})


def ranked(values, axis):
    """Places along an axis, or along two of them together."""
    if isinstance(axis, int):
        return rankdata(values, "min", axis=axis)
    return rankdata(values.reshape(len(values), -1), "min", axis=1).reshape(values.shape)


def sampled(dt, model, given, ties="half", **variables):
    """Make Bradley-Terry's draws look like those that NUTS gave of another model."""
    dt = dt.copy()
    kept = {"within_round": True, "ties": ties, "tune": None, "sampler": "nutpie"}
    arguments = kept | {"draws": 500, "chains": 4} | chosen(model, given)
    dt["posterior"] = xr.DataTree(dt["posterior"].to_dataset().assign(**variables))
    dt.attrs |= {
        "model": model,
        "arguments": written(arguments),
        "max_rhat": 1.0031,
        "min_ess": 1234.4,
        "divergences": 0,
        "sampler": "nutpie",
    }
    del dt.attrs["pareto_k"]
    return dt


def constant(dt, value):
    return xr.full_like(dt["posterior"]["epp_scale"], value)


@pytest.fixture(scope="session")
def classifiers():
    # "svm C=1" first, "logistic C=1" and "svm C=10" close behind, the trees far away.
    strengths = [2.1, 3.0, 1.3, 0.8, 3.5, 2.7, -3.6, 0.4, 1.4, -0.4, 1.2, 1.5, -4.2, -5.0, -4.7]
    return drawn(lb.datasets.load("classifiers", "breast_cancer"), strengths)


@pytest.fixture(scope="session")
def hostile():
    strengths = np.linspace(1.0, -1.0, len(HOSTILE))
    board = simulate(strengths, 12, np.random.default_rng(1))
    return drawn(board.assign_coords(player=HOSTILE), strengths)


@pytest.fixture(scope="session")
def large():
    """Above 40 players the table is a longtable."""
    strengths = np.linspace(2.0, -2.0, 45)
    board = simulate(strengths, 6, np.random.default_rng(1))
    names = [f"model_{k:03d}/lr=0.001,a_very_long_setting={k}" for k in range(45)]
    return drawn(board.assign_coords(player=names), strengths)


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
    strengths = [t * np.array([3.0, 0.0, -0.5, -2.5]) for t in (1.0, 0.5, 0.2)]
    boards = [simulate(b, 8, rng) for b in strengths]
    boards[1][3] = np.nan
    boards[0][0, 3] = np.nan
    names = pd.Index(["one", "two", "three_3"], name="tournament")
    fits = [
        drawn(board, b, eta=eta)
        for board, b, eta in zip(boards, strengths, (0.44, 0.57, 0.63), strict=True)
    ]
    players = fits[0]["posterior"]["player"].to_numpy()
    each = xr.concat([f["posterior"]["epp"].reindex(player=players) for f in fits], names)
    each = each.fillna(0.0)

    def rounds_of(group):
        every = [f[group].to_dataset().drop_vars("scores", errors="ignore") for f in fits]
        every = [each.reindex(player=players, fill_value=0) for each in every]
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
                    "weight": rounds_of("constant_data")["weight"],
                }
            ),
        }
    )
    dt.attrs = dict(fits[0].attrs)
    return sampled(dt, "tournaments", {"groups": {p: p in "p0p1" for p in players}})


@pytest.fixture(scope="session")
def best():
    """Posteriors of the best of twenty teams, where the law is estimated and where it is known."""
    importance = {"pareto_k": -0.29, "ess": 1662.0}
    return {
        "sota": best_of({"law": "beta", "rho": 0.5, "floor": 0.6}, importance),
        "sota_known_law": best_of({"law": "beta(85, 15)"}, {"pareto_k": 0.0, "ess": 1000.0}),
    }


def best_of(options, importance):
    """What `lb.sota.posterior` returns, with thetas about the scores in steps of 0.0001."""
    shape, n = (CHAINS, 250), 500
    facts = {"metric": "accuracy", "n": n, "classes": 2}
    right = np.array([
        400, 413, 403, 397, 423, 414, 411, 417, 415, 415,
        422, 409, 437, 437, 442, 438, 423, 441, 444, 445,
    ])  # fmt: skip
    k, j = np.arange(1000)[:, None], np.arange(len(right))

    def near(centre, part, size):
        """Whole numbers within two sizes of a centre."""
        steps = sum(scattered(size, k + 1, j + 1, part + turn) for turn in range(4))
        return (centre + steps - 2 * (size - 1)).reshape(*shape, -1)

    theta = near(right * 16 + 420 * 4, 1, 150) / 10_000
    dims = ("chain", "draw", "team")
    coords = {"team": [f"team_{t}" for t in j]}
    made = xr.DataTree.from_dict(
        {
            "posterior": xr.Dataset(
                {"theta": (dims, theta), "theta_sota": (dims[:2], theta.max(axis=-1))}, coords
            ),
            "posterior_predictive": xr.Dataset(
                {
                    "score": (dims, near(right, 11, 12) / n),
                    "new_score": (dims, near(np.sort(right), 21, 12) / n),
                },
                coords,
            ),
            "observed_data": xr.Dataset({"score": ("team", right / n, facts)}, coords),
            "constant_data": xr.Dataset({"n": n}),
        }
    )
    arguments = {
        "components": 2, "floor": None, "rho": 0.0, "theta_0": None, "statistic": "board",
        "epsilon": 0.5, "draws": 250, "chains": CHAINS,
    }  # fmt: skip
    made.attrs = {
        "model": "sota",
        "sampler": "exact",
        "arguments": json.dumps(arguments | options),
        "versions": json.dumps(VERSIONS),
        "seed": 1,
        "converged": 1,
        "warnings": "[]",
        **importance,
    }
    return made


def drawn_scores(scores, means, *, sampler="exact", step=1000, **options):
    """What `lb.fit(scores, "mean_score")` returns, with draws about these means, in steps."""
    shape = CHAINS, 500
    k, i = np.arange(shape[0] * shape[1])[:, None], np.arange(len(means))
    about = sum(scattered(41, k + 1, i + 1, part) for part in range(1, 5)) - 80
    score = (np.round(np.asarray(means) * step).astype(int) + about) / step
    dims, names = ("chain", "draw"), {"player": scores["player"].to_numpy()}
    numbered = {"chain": np.arange(shape[0]), "draw": np.arange(shape[1])}
    dt = xr.DataTree.from_dict(
        {
            "posterior": xr.Dataset(
                {"score": ((*dims, "player"), score.reshape(*shape, -1))}, numbered | names
            ),
            "observed_data": xr.Dataset({"round_score": scores.transpose("round", "player")}),
            "constant_data": xr.Dataset({"scores": scores}),
        }
    )
    kept = {"within_round": True, "ties": "half", "tune": None, "sampler": "auto"}
    given = kept | {"draws": shape[1], "chains": CHAINS, "replicates": None}
    options = {"likelihood": "normal"} | options
    dt.attrs = {
        "model": "mean_score",
        "arguments": written(given | _model_options("mean_score", options, of_votes=False)),
        "versions": json.dumps(VERSIONS),
        "seed": 1,
        "converged": 1,
        "sampler": sampler,
        "max_rhat": 1.0021,
        "min_ess": 1683.2,
        "divergences": 0,
        "warnings": "[]",
        "p_check": float("nan"),
    }
    return dt


@pytest.fixture(scope="session")
def of_scores(scores):
    """Fits of mean scores: of losses, of folds, of a flat prior, and of items in clusters."""
    folds = lb.datasets.load("classifiers", "breast_cancer")
    means = folds.mean("round").to_numpy()
    losses = (-scores).assign_attrs(
        higher_is_better=0, columns="player=model, round=task, score=log_loss"
    )
    scattered_items = np.add.outer(7 * np.arange(5), 3 * np.arange(40)) ** 2 % 11
    right = scattered_items > np.array([1, 0, 2, 3, 4])[:, None]
    items = board(right).assign_coords(cluster=("round", np.arange(40) // 4))
    return {
        "mean_score": drawn_scores(
            losses,
            [-0.2, 0.4, 1.1, 0.3, 1.4, 2.2],
            sampler="imputation",
            step=100,
            prior_scale=0.5,
        ),
        "mean_score_folds": drawn_scores(folds, means, step=10_000, test_fraction=0.2),
        "mean_score_flat": drawn_scores(folds, means, step=10_000, prior_scale=np.inf),
        "mean_score_items": drawn_scores(
            items, [0.74, 0.81, 0.72, 0.55, 0.38], likelihood="dirichlet"
        ),
    }


@pytest.fixture(scope="session")
def fits(classifiers, unconverged, together, tied_scores, scores, best, of_scores):
    """A fit of every kind, by name."""
    strengths = [1.4, 0.9, 0.2, 0.7, -1.0, -2.2]
    clear = [1.8, 0.7, 0.2, 0.5, -1.0, -2.2]
    tied = drawn(tied_scores, strengths)
    full = drawn(tied_scores, strengths, eta=1.0, weight=1.0)
    few = drawn(scores.isel(round=slice(2)), strengths, eta=0.43)
    few.attrs["warnings"] = json.dumps(["LB011 2 rounds are too few to estimate a weight."])
    nutpie = sampled(classifiers, "bradley_terry", {"test_fraction": 0.2})
    nutpie.attrs["arguments"] = nutpie.attrs["arguments"].replace("nutpie", "numpyro")
    matches = lb.matches(scores)
    return {
        "bradley_terry": classifiers,
        "bradley_terry_nuts": nutpie,
        "across_rounds": drawn(scores, clear, eta=0.25, within_round=False, weight=0.25),
        "two_rounds": few,
        "not_converged": unconverged,
        "davidson": sampled(tied, "davidson", {"tie_scale": 1.5}, tie=constant(tied, 0.1)),
        "plackett_luce": sampled(tied, "plackett_luce", {}),
        "round_intercept": sampled(full, "round_intercept", {}, ties="loss"),
        "tournaments": together,
        "one_of_tournaments": lb.study.select(together, "three_3"),
        "estimate": lb.likelihood.bradley_terry(matches, pseudo_rounds=1.0),
        "estimate_plackett_luce": lb.likelihood.plackett_luce(matches, firth=True),
        "estimate_round_intercept": lb.likelihood.round_intercept(lb.matches(scores, ties="loss")),
        "votes": drawn_votes("bradley_terry", order_effect=True),
        "votes_davidson": drawn_votes("davidson"),
        "votes_round_intercept": drawn_votes("round_intercept", ties="drop"),
        **best,
        **of_scores,
    }


@pytest.fixture(scope="session")
def texts(fits):
    """Reports of all kinds of fits."""
    return {kind: lb.report.text(fit) for kind, fit in fits.items()}


@pytest.fixture(scope="session")
def fragments(fits):
    """The same in LaTeX."""
    return {kind: lb.report.latex(fit) for kind, fit in fits.items()}


HARMFUL = [
    "<script>window.hacked = 1</script>",
    '"><img src=x onerror="window.hacked = 2">',
    "' onclick='window.hacked = 3",
    "</script><script>window.hacked = 4</script>",
    "$$\\alpha$$",
    "@win{safe}",
    "<!--",
    "{{ 7 * 7 }}",
    "right \u202e to left, line \u2028 end",
    "long " * 60,
]


@pytest.fixture(scope="session")
def harmful():
    """A fit of players whose names are meant to do harm."""
    rng = np.random.default_rng(3)
    made = simulate(np.linspace(1.0, -1.0, len(HARMFUL)), 12, rng)
    return lb.fit(made.assign_coords(player=HARMFUL), sampler="laplace", seed=1)


@pytest.fixture(scope="session")
def hundred(tmp_path_factory):
    """Page of 100 players."""
    rng = np.random.default_rng(4)
    made = simulate(rng.normal(size=100), 20, rng)
    names = [f"Some-Model-{k:03d}-instruct" for k in range(100)]
    fit = lb.fit(made.assign_coords(player=names), sampler="laplace", draws=250, seed=1)
    return lb.report.html(fit, tmp_path_factory.mktemp("hundred") / "page.html")


@pytest.fixture(scope="session")
def sota():
    """A posterior of the best of a board."""
    score = np.round(np.random.default_rng(5).beta(60, 20, size=30) * 500) / 500
    table = pd.DataFrame({"team": [f"<i>{k}" for k in range(30)], "score": score})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        return lb.sota.posterior(lb.sota.read_board(table, n=500), seed=1, progressbar=False)


@pytest.fixture(scope="session")
def numbers():
    """Read what a page's script reads."""

    def read(path):
        text = path.read_text("utf-8")
        (found,) = re.findall(r'<script type="application/json" id="numbers">(.*?)</script>', text)
        return json.loads(found)

    return read


@pytest.fixture(scope="session")
def browser():
    """Debian's Chromium, headless."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("there is no chromium: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def visit(browser):
    """Open a page; in the end, none of the browser's complaints, requests or dialogs."""
    contexts, complaints = [], []

    def open_page(path, *, width=1280, height=900, scheme="light"):
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, offline=True
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda m: m.type in ("error", "warning") and complaints.append(m.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda r: r.url.startswith("http") and complaints.append(r.url))
        page.goto(path.as_uri())
        if page.locator("#compare").count():
            page.wait_for_selector("html[data-drawn]", state="attached")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture(scope="session")
def page(laplace, tmp_path_factory):
    return lb.report.html(laplace, tmp_path_factory.mktemp("page") / "page.html")
