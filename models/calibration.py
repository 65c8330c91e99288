"""Simulation-based calibration of a model on small boards: compile once, exchange the data.

Ranks of prior draws among posterior draws are uniform where the likelihood is the law that the
data are drawn from: weight 1, and for pairwise models one match a round. A board whose best score
was chosen ("sota") has no matches and is not sampled by NUTS: its data come from its executable
specification, and its posterior from `sota.posterior`. PMRA's posterior and that of tournaments are
those of `lb.fit`, of data that PyMC's model draws. See make.py.
"""

import json
import runpy
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import xarray as xr

from tables import read, write

THIN, KEPT = 10, 99  # posterior draws between those that count, and how many do
PLAYERS = 5


@dataclass(frozen=True)
class Setting:
    """Board and options on which a model is calibrated."""

    rounds: int
    pairs: bool = False  # two players a round: one match
    tournaments: int = 0
    options: tuple[tuple[str, object], ...] = (("weight", 1.0), ("prior_scale", 1.0))


@dataclass(frozen=True)
class BoardSetting:
    """Board of counts, and what is known of it."""

    n: int
    teams: int
    options: tuple[tuple[str, object], ...]


@dataclass(frozen=True)
class ScoreSetting:
    """Board of scores, two of which are missing, and what is known of it."""

    players: int
    rounds: int
    luck: float  # that rounds share, in variances of one
    options: tuple[tuple[str, object], ...] = ()


@dataclass(frozen=True)
class ScoresSetting:
    """Boards of scores, from one of which a player is absent, and what is known of them."""

    tournaments: int
    players: int
    rounds: int
    luck: float  # that rounds share, in variances of one
    options: tuple[tuple[str, object], ...] = ()


SETTINGS = {
    "bradley_terry": Setting(rounds=20, pairs=True),
    "davidson": Setting(
        rounds=20, pairs=True, options=(("weight", 1.0), ("prior_scale", 1.0), ("tie_scale", 1.0))
    ),
    "mean_score": ScoreSetting(players=5, rounds=8, luck=0.25),
    # Without ties, which are no part of its law: see rounded.py.
    "plackett_luce": Setting(rounds=8, options=(("prior_scale", 1.0),)),
    "round_intercept": Setting(rounds=6),
    "score_tournaments": ScoresSetting(tournaments=4, players=3, rounds=4, luck=0.25),
    "sota": BoardSetting(n=200, teams=20, options=(("rho", 0.5), ("theta_0", 0.8))),
    "tournaments": Setting(
        rounds=12,
        pairs=True,
        tournaments=4,
        options=(("weight", 1.0), ("prior_scale", 1.0), ("spread_scale", 1.0)),
    ),
}


def specification(name, **given):
    """Executable specification of a board's model."""
    setting = SETTINGS[name]
    path = Path(__file__).parent / name / "model.py"
    given = {"teams": setting.teams} | given
    return runpy.run_path(str(path))["model"](n=setting.n, **dict(setting.options), **given)


def template(setting):
    """Scores whose missing cells say who plays when; their values do not matter."""
    rng = np.random.default_rng(0)
    shape = (max(setting.tournaments, 1), PLAYERS, setting.rounds)
    scores = rng.normal(size=shape)
    if setting.pairs:
        for board in scores:
            for k in range(setting.rounds):
                # All pairs in turn, so that everybody is present.
                first, second = np.triu_indices(PLAYERS, 1)
                pair = (k * 3) % len(first)
                board[np.delete(np.arange(PLAYERS), [first[pair], second[pair]]), k] = np.nan
    coords = {
        "tournament": [f"t{t}" for t in range(len(scores))],
        "player": [f"p{i}" for i in range(PLAYERS)],
        "round": [str(k) for k in range(setting.rounds)],
    }
    table = xr.DataArray(scores, coords, ("tournament", "player", "round"))
    table.attrs["higher_is_better"] = 1
    return table if setting.tournaments else table.isel(tournament=0, drop=True)


def build(name):
    """Model of a setting."""
    return WAYS[name].build(name)


def board_model(name):
    """Model of a board, from its specification."""
    return specification(name, counts=np.zeros(SETTINGS[name].teams, int))


def match_model(name):
    """Model of a leaderboard, without warnings about its board."""
    import warnings

    import leaderbayes as lb

    setting = SETTINGS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        matches = lb.matches(template(setting))
        return getattr(lb.models, name)(matches, **dict(setting.options))


def pair_statistics(observed, setting):
    """What pairwise likelihoods need of places, under the names of their shared variables."""
    from leaderbayes._numerics.pairs_by_round import round_statistics

    return named(round_statistics(observed, within_round=True, ties="half"))


def ranking_statistics(observed, setting):
    """The same of Plackett-Luce's."""
    from leaderbayes._numerics.plackett_luce import rankings

    return named(rankings(observed))


def named(statistics):
    """Fields of a named tuple."""
    kind = type(statistics).__name__
    return {f"{kind}.{field}": value for field, value in statistics._asdict().items()}


def davidson_places(epp, nu, present, rng):
    """Exact draws of one match a round; the package's whole rankings are exact for equals only."""
    from leaderbayes._numerics.bradley_terry import davidson_probability

    win, tie = davidson_probability(epp, nu)
    place = np.zeros(present.shape, np.int32)
    for row, here in zip(place, present, strict=True):
        i, j = np.flatnonzero(here)
        u = rng.random()
        row[i] = 1 if u < win[i, j] + tie[i, j] else 2
        row[j] = 1 if u >= win[i, j] else 2
    return place


def simulate(name, count, seed):
    """Draw parameters from the prior, and data from the model: two Datasets along sample."""
    import pymc as pm

    model = build(name)
    with model:
        drawn = pm.sample_prior_predictive(count, random_seed=seed)
    prior = drawn["prior"].to_dataset().isel(chain=0)
    data = drawn["prior_predictive"].to_dataset().isel(chain=0)
    observed = next(iter(data.values())).to_numpy()
    return prior, WAYS[name].observed(observed, prior, seed)


def as_drawn(observed, prior, seed):
    """Data that the model draws exactly."""
    return observed


def davidson_boards(observed, prior, seed):
    """Boards of `davidson_places`, in place of the model's."""
    rng = np.random.default_rng(seed)
    present = observed[0] > 0
    parameters = zip(prior["epp"].to_numpy(), prior["tie"].to_numpy(), strict=True)
    return np.stack([davidson_places(e, v, present, rng) for e, v in parameters])


def quantities(posterior):
    """What is ranked: every parameter with a meaning of its own."""
    names = [v for v in posterior.data_vars if not str(v).endswith("_unit")]
    return {str(v): posterior[v] for v in sorted(names)}


def board_ranks(name, count, seed, only):
    """`ranks` of a board: parameters from the prior, thetas and counts given them.

    The posterior knows that teams at or below chance were left out, which are those that are never
    right where there are so many classes; teams are drawn until the board is full.
    """
    import warnings

    import pymc as pm
    from pymc.pytensorf import reseed_rngs

    import leaderbayes as lb

    setting = SETTINGS[name]
    model = specification(name, teams=500)
    given = [model["mean"], model["concentration"], model["ease"]]
    prior = np.transpose(pm.draw(given, count, random_seed=seed))
    teams = pm.compile(given, [model["theta"], model["count"]])
    rngs = [v for v in teams.get_shared() if isinstance(v.get_value(), np.random.Generator)]
    rows = []
    for s in only:
        sequence = np.random.SeedSequence([seed, s])
        reseed_rngs(rngs, int(sequence.generate_state(1)[0]))
        drawn = np.zeros((2, 0))
        while drawn.shape[1] < setting.teams:
            more = np.array(teams(*prior[s]))
            drawn = np.hstack([drawn, more[:, more[1] > 0]])
        theta, right = drawn[:, : setting.teams]
        board = xr.DataArray(
            right / setting.n,
            {"team": [f"t{i}" for i in range(setting.teams)]},
            attrs={"n": setting.n, "metric": "accuracy", "classes": 10**6},
        )
        with warnings.catch_warnings():
            # One board in many is unlike the others.
            warnings.simplefilter("ignore", lb.LeaderbayesWarning)
            fitted = lb.sota.posterior(
                board,
                law="beta",
                draws=THIN * KEPT,
                chains=1,
                seed=int(sequence.generate_state(2)[1]),
                **dict(setting.options),
            )
        if not fitted.attrs["converged"]:
            print(f"{name} {s}: not converged, {prior[s]}, {right}", flush=True)
        posterior = fitted["posterior"].to_dataset().isel(chain=0, draw=slice(None, None, THIN))
        true = dict(zip(("mean", "concentration", "ease"), prior[s], strict=True))
        true |= {"theta[0]": theta[0], "theta_sota": theta.max()}
        rng = np.random.default_rng(sequence)
        row = {"simulation": s}
        for quantity, value in true.items():
            draws = posterior[quantity.removesuffix("[0]")].to_numpy().reshape(KEPT, -1)[:, 0]
            # Thetas this close to 1 are equal: the posterior's log-odds end at log 1e12.
            equal = np.abs(draws - value) < 2e-12
            row[quantity] = int((~equal & (draws < value)).sum() + rng.integers(equal.sum() + 1))
        rows.append(row)
    return rows


def ranks(name, count, seed, only):
    """Rank of each prior draw among KEPT posterior draws, a row for each simulation in ``only``."""
    return WAYS[name].ranks(name, count, seed, only)


def row_of(simulation, true, draws):
    """Rank true values among draws (draw, ...), by name and position."""
    row = {"simulation": simulation}
    for quantity, value in sorted(true.items()):
        below = (draws[quantity] < value).sum(axis=0)
        for position, rank in np.ndenumerate(below):
            row[f"{quantity}{list(position)}" if position else quantity] = int(rank)
    return row


def evenly(draws):
    """KEPT of draws (chain, draw, ...), evenly spread."""
    every = np.reshape(draws, (-1, *np.shape(draws)[2:]))
    return every[:: len(every) // KEPT][:KEPT]


def outcome_ranks(name, count, seed, only):
    """`ranks` of PMRA, by the draws of `lb.fit`: outcomes of its matches are no rankings."""
    import warnings

    import leaderbayes as lb
    from leaderbayes._inference.round_intercept import draw_of_rounds

    scales = dict(SETTINGS[name].options)["prior_scale"], 1.0
    prior, observed = simulate(name, count, seed)
    listed, eta = np.arange(PLAYERS), np.ones(SETTINGS[name].rounds)
    sampling = {"sampler": "auto", "draws": 1000, "chains": 4, "tune": None, "target_accept": None}
    rows = []
    for s in only:
        own = int(np.random.SeedSequence([seed, s]).generate_state(1)[0])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lb.ConvergenceWarning)
            drawn, _, _, found = draw_of_rounds(
                observed[s], listed, eta, scales, sampling, own, progressbar=False
            )
        if not found["converged"]:
            print(f"{name} {s}: not converged", flush=True)
        draws = {quantity: evenly(values) for quantity, values in drawn.items()}
        rows.append(row_of(s, {name: prior[name].to_numpy()[s] for name in draws}, draws))
    return rows


def tournament_ranks(name, count, seed, only):
    """`ranks` of several tournaments, by `lb.fit`."""
    import warnings

    import leaderbayes as lb

    setting = SETTINGS[name]
    prior, observed = simulate(name, count, seed)
    scores = template(setting)
    rows = []
    for s in only:
        # Rounds of one tournament after those of another.
        place = observed[s].reshape(setting.tournaments, setting.rounds, PLAYERS)
        board = scores.copy(data=np.where(place > 0, -place, np.nan).swapaxes(1, 2))
        own = int(np.random.SeedSequence([seed, s]).generate_state(1)[0])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lb.LeaderbayesWarning)
            fitted = lb.fit(
                board, name, seed=own, replicates=1, progressbar=False, **dict(setting.options)
            )
        if not fitted.attrs["converged"]:
            print(f"{name} {s}: not converged", flush=True)
        posterior = fitted["posterior"].to_dataset()
        draws = {str(quantity): evenly(values.to_numpy()) for quantity, values in posterior.items()}
        rows.append(row_of(s, {name: prior[name].to_numpy()[s] for name in draws}, draws))
    return rows


def score_board(name, rng):
    """Draw parameters of mean scores from the prior, in the unit 1, and scores given them."""
    from leaderbayes._numerics.mean_score import FLOOR, LEVEL, OWN, WIDE, Board

    setting = SETTINGS[name]
    m, spread, df = setting.players, 2.0, 4.0
    centre = np.exp(WIDE * rng.normal())
    tau, omega = np.hypot(rng.normal(), FLOOR), spread * abs(rng.normal())
    b = tau * rng.standard_t(df, m)
    noise = centre * np.exp(OWN * rng.normal(size=m))
    level = LEVEL * spread * rng.normal()
    here = b - b.mean() + np.sqrt(setting.luck) * noise * rng.normal(size=m)
    scores = level + here + omega * rng.normal(size=(setting.rounds, 1))
    scores = scores + noise * rng.normal(size=scores.shape)
    present = np.ones(scores.shape, dtype=bool)
    present[0, 0] = present[1, 2] = False
    board = Board(np.where(present, scores, 0.0), present, setting.luck, 1.0, df, 1.0, 0.0, spread)
    true = {"effect": b - b.mean(), "noise": noise, "noise_centre": centre, "level": level}
    return board, true | {"score_scale": tau, "round_scale": omega}


def score_ranks(name, count, seed, only):
    """`ranks` of mean scores, in units that `lb.fit` takes from the board."""
    import warnings

    import leaderbayes as lb
    from leaderbayes._inference.mean_score import draw_of_board

    rows = []
    for s in only:
        sequence = np.random.SeedSequence([seed, s])
        board, true = score_board(name, np.random.default_rng(sequence))
        first, again = (int(k) for k in sequence.generate_state(2))
        sampling = {"draws": THIN * KEPT, "chains": 1, "tune": 1000, "target_accept": None}
        with warnings.catch_warnings():
            # One chain cannot agree with others.
            warnings.simplefilter("ignore", lb.ConvergenceWarning)
            drawn, _ = draw_of_board(board, sampling, (first, again), progressbar=False)
        posterior = drawn["posterior"].to_dataset().isel(chain=0, draw=slice(None, None, THIN))
        draws = {quantity: posterior[quantity].to_numpy() for quantity in true}
        rows.append(row_of(s, true, draws))
    return rows


def score_model(name):
    """Model of mean scores on some board."""
    import leaderbayes as lb

    setting = SETTINGS[name]
    scores = xr.DataArray(
        np.random.default_rng(0).normal(size=(setting.players, setting.rounds)),
        {
            "player": [f"p{i}" for i in range(setting.players)],
            "round": [str(k) for k in range(setting.rounds)],
        },
    )
    fraction = setting.luck / (1.0 + setting.luck)
    return lb.models.mean_score(scores, test_fraction=fraction)


def score_boards(name, rng):
    """`score_board` of several data sets."""
    from leaderbayes._numerics.mean_score import FLOOR, LEVEL, OWN, WIDE
    from leaderbayes._numerics.score_tournaments import HEAVY, boards

    setting = SETTINGS[name]
    q, m, spread, df = setting.tournaments, setting.players, 2.0, 4.0
    luck = np.sqrt(setting.luck)
    tau, sigma, nu = np.hypot(rng.normal(), FLOOR), abs(rng.normal()), 1.0 + rng.exponential(HEAVY)
    factor = 1.0 / np.sqrt(rng.gamma(nu / 2.0, 2.0 / nu, q))
    level, lam = LEVEL * spread * rng.normal(), spread * abs(rng.normal())
    b = tau * rng.standard_t(df, m)
    centre, omega = np.exp(WIDE * rng.normal(size=q)), spread * abs(rng.normal(size=q))
    noise = centre[:, None] * np.exp(OWN * rng.normal(size=(q, m)))
    mean = level + b - b.mean() + lam * rng.normal(size=(q, 1))
    mean = mean + sigma * factor[:, None] * rng.normal(size=(q, m))
    here = mean + luck * (noise * rng.normal(size=(q, m)) + (omega * rng.normal(size=q))[:, None])
    shape = (q, m, setting.rounds)
    scores = here[:, :, None] + omega[:, None, None] * rng.normal(size=(q, 1, setting.rounds))
    scores = scores + noise[:, :, None] * rng.normal(size=shape)
    scores[0, 0] = np.nan
    given = boards(scores, setting.luck, 1.0, df, 1.0)._replace(spread=spread)
    true = {
        "effect": b - b.mean(), "score_scale": tau, "score_spread": sigma, "spread_df": nu,
        "level": level, "level_scale": lam, "noise_centre": centre, "round_scale": omega,
        "spread_factor": factor, "score_tournament": mean,
    }  # fmt: skip
    return given, true


def scores_ranks(name, count, seed, only):
    """`ranks` of mean scores over data sets, in units that `lb.fit` takes from the scores."""
    import warnings

    import leaderbayes as lb
    from leaderbayes._inference.score_tournaments import draw_of_boards
    from leaderbayes._numerics.score_tournaments import draw_means

    rows = []
    for s in only:
        sequence = np.random.SeedSequence([seed, s])
        given, true = score_boards(name, np.random.default_rng(sequence))
        first, again, third = (int(k) for k in sequence.generate_state(3))
        sampling = {"draws": THIN * KEPT, "chains": 1, "tune": 1000, "target_accept": None}
        with warnings.catch_warnings():
            # One chain cannot agree with others.
            warnings.simplefilter("ignore", lb.ConvergenceWarning)
            drawn, _ = draw_of_boards(given, sampling, (first, again), progressbar=False)
        posterior = drawn["posterior"].to_dataset().isel(chain=0, draw=slice(None, None, THIN))
        draws = {str(quantity): each.to_numpy() for quantity, each in posterior.items()}
        draws["score_tournament"], _ = draw_means(draws, given, np.random.default_rng(third))
        rows.append(row_of(s, true, draws))
    return rows


def scores_model(name):
    """Model of mean scores over some data sets."""
    import leaderbayes as lb

    setting = SETTINGS[name]
    scores = xr.DataArray(
        np.random.default_rng(0).normal(
            size=(setting.tournaments, setting.players, setting.rounds)
        ),
        {
            "tournament": [f"t{q}" for q in range(setting.tournaments)],
            "player": [f"p{i}" for i in range(setting.players)],
            "round": [str(k) for k in range(setting.rounds)],
        },
    )
    fraction = setting.luck / (1.0 + setting.luck)
    return lb.models.score_tournaments(scores, test_fraction=fraction)


def match_ranks(name, count, seed, only):
    """`ranks` of a leaderboard, by NUTS."""
    import nutpie

    from leaderbayes.models._ops import exchangeable_data

    prior, observed = simulate(name, count, seed)
    with exchangeable_data():
        compiled = nutpie.compile_pymc_model(build(name))
    own = {variable.name for variable in compiled.shared_var_keys}
    rows = []
    for s in only:
        data = WAYS[name].statistics(np.ascontiguousarray(observed[s]), SETTINGS[name])
        fitted = nutpie.sample(
            compiled.with_data(**{k: v for k, v in data.items() if k in own}),
            draws=THIN * KEPT,
            tune=1000,
            chains=1,
            seed=int(np.random.SeedSequence([seed, s]).generate_state(1)[0]),
            target_accept=0.95,
            progress_bar=False,
        )
        posterior = fitted["posterior"].to_dataset().isel(chain=0, draw=slice(None, None, THIN))
        draws = {name: value.to_numpy() for name, value in quantities(posterior).items()}
        rows.append(row_of(s, {name: prior[name].to_numpy()[s] for name in draws}, draws))
    return rows


class Way(NamedTuple):
    """How a model is calibrated."""

    ranks: Callable
    build: Callable
    statistics: Callable | None = None  # of a leaderboard's data
    observed: Callable | None = None


# Written out: a default would be code that every model's evidence depends on (see sources.py).
WAYS = {
    "bradley_terry": Way(match_ranks, match_model, pair_statistics, as_drawn),
    "davidson": Way(match_ranks, match_model, pair_statistics, davidson_boards),
    "mean_score": Way(score_ranks, score_model),
    "plackett_luce": Way(match_ranks, match_model, ranking_statistics, as_drawn),
    "round_intercept": Way(outcome_ranks, match_model, observed=as_drawn),
    "score_tournaments": Way(scores_ranks, scores_model),
    "sota": Way(board_ranks, board_model),
    "tournaments": Way(tournament_ranks, match_model, observed=as_drawn),
}


def calibrate(name, folder: Path, executor: Executor, *, count=1000, seed=1, parts=4):
    """Write folder/sbc_ranks.csv, going on from the simulations that it has, and the figure."""
    path = folder / "sbc_ranks.csv"
    done = {int(row["simulation"]): row for row in read(path)}
    left = [s for s in range(count) if s not in done]
    chunks = [left[part::parts] for part in range(parts) if left[part::parts]]
    for rows in (
        executor.map(ranks, *zip(*((name, count, seed, c) for c in chunks), strict=True))
        if chunks
        else ()
    ):
        done |= {row["simulation"]: row for row in rows}
        write(path, [done[s] for s in sorted(done)])
        print(f"{name}: {len(done)} of {count}", flush=True)
    draw(path, folder / "sbc.png")
    record = {
        "command": f"python models/make.py {name} --simulations {count}",
        "simulations": count,
        "seed": seed,
        "posterior_draws": KEPT,
        "setting": {**SETTINGS[name].__dict__, "options": dict(SETTINGS[name].options)},
    }
    (folder / "sbc.json").write_text(json.dumps(record, indent=2) + "\n")


def draw(path: Path, figure: Path):
    """Difference of the ECDF of each quantity's ranks from the uniform's."""
    import arviz_plots as azp
    import matplotlib
    import pandas as pd

    matplotlib.use("Agg")
    table = pd.read_csv(path).drop(columns="simulation")
    # Ranks from 0 to KEPT, at the middle of their cells.
    pit = {
        column: (("chain", "draw"), ((table[column] + 0.5) / (KEPT + 1)).to_numpy()[None])
        for column in table
    }
    collection = azp.plot_ecdf_pit(
        xr.DataTree.from_dict({"prior_sbc": xr.Dataset(pit)}),
        backend="matplotlib",
        figure_kwargs={"figsize": (1500, 420 * -(-len(pit) // 4)), "figsize_units": "dots"},
    )
    collection.savefig(figure, dpi=50, bbox_inches="tight")
