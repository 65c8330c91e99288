"""Simulation-based calibration: ranks of true values among posterior draws are uniform.

Parameters are drawn from the prior of a model's specification (NAME/model.py), and boards from its
likelihood in a few lines of NumPy; posterior draws are those of `leaderbayes.fit`, at weight 1.
The items of Rasch's model have one pattern of who was asked.
Only rankings are scores: so a round has one match. Of PMRA it has three players, and boards whose
matches are no rankings are drawn again: given any board ranks are uniform, so it does not matter
which ones are taken. The board of one test set ("sota") goes through `leaderbayes.sota.posterior`.

Mean scores are drawn with noise of known covariances. Their posterior estimates these, and is cut,
so that ranks need not be uniform: of players against their mean they are, of scales they are not.
"""

import itertools
import runpy
from collections.abc import Callable
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from best import conditionals
from tables import draws_of, fit, scores, silence

HERE = Path(__file__).parent
KEPT = 99  # posterior draws among which true values are ranked
PLAYERS = 5


class Setting(NamedTuple):
    """Boards on which a model is calibrated."""

    shape: tuple[int, ...]  # rounds, or tournaments and rounds
    present: int  # players a round
    draw: Callable  # parameters, which round, who is present, generator -> their scores
    options: dict  # of the specification, and of `leaderbayes.fit`
    tries: int = 1  # parameters that are drawn until matches are rankings


def winners(epp, rng):
    """One match: 1 for who wins, and 0."""
    first = rng.random() < 1.0 / (1.0 + np.exp(epp[1] - epp[0]))
    return [float(first), float(not first)]


def davidson(true, where, who, rng):
    """One match, which may be a tie."""
    one, other = true["epp"][who]
    odds = np.exp([one, true["tie"] + (one + other) / 2.0, other])
    return [(1.0, 0.0), (0.0, 0.0), (0.0, 1.0)][rng.choice(3, p=odds / odds.sum())]


def round_intercept(true, where, who, rng):
    """Matches of three, the listed first against the second and so on; none if no ranking."""
    lift = true["intercept"] + true["intercept_round"][where[-1]]
    wins = np.zeros(len(who))
    for i in range(len(who)):
        for j in range(i + 1, len(who)):
            p = 1.0 / (1.0 + np.exp(-(lift + true["epp"][who[i]] - true["epp"][who[j]])))
            wins[i if rng.random() < p else j] += 1.0
    return wins if len(set(wins)) == len(wins) else None


PERIODS = np.repeat(range(3), 20)  # of rounds
ONE = {"weight": 1.0, "prior_scale": 1.0}
SETTINGS = {
    "bradley_terry": Setting((20,), 2, lambda true, _, who, rng: winners(true["epp"][who], rng),
                             ONE),
    "davidson": Setting((20,), 2, davidson, ONE),
    "plackett_luce": Setting(  # a ranking: strengths plus Gumbel noise
        (8,), PLAYERS, lambda true, _, who, rng: true["epp"][who] + rng.gumbel(size=len(who)),
        {"prior_scale": 1.0},
    ),
    "dynamic": Setting(
        (len(PERIODS),), 2,
        lambda true, at, who, rng: winners(true["epp_period"][PERIODS[at[-1]], who], rng),
        ONE | {"period": PERIODS},
    ),
    "round_intercept": Setting((8,), 3, round_intercept, ONE, tries=40),
    "tournaments": Setting(
        (4, 12), 2, lambda true, at, who, rng: winners(true["strength"][at[0], who], rng), ONE
    ),
}  # fmt: skip
SOTA = {"n": 200, "rho": 0.5, "theta_0": 0.8}
TEAMS = 20
MEANS = {"mean_score": (10,), "score_tournaments": (5, 6)}  # rounds, or data sets and rounds
ASKED = (np.arange(PLAYERS)[:, None] + np.arange(20)) % 5 < 3  # of Rasch: (player, item)
NAMES = (*SETTINGS, *MEANS, "rasch", "sota")


def prior(name, draws, seed):
    """Draws (draw, ...) of the specification's parameters, by name."""
    import pymc as pm

    specification = runpy.run_path(str(HERE / name / "model.py"))["model"]
    if name == "sota":
        model = specification(teams=1, **SOTA)
    elif name == "rasch":
        model = specification(np.where(ASKED, 1.0, np.nan))
    else:
        setting = SETTINGS[name]
        # Scores that do not matter: drawn are parameters alone.
        shape = (*setting.shape[:-1], PLAYERS, setting.shape[-1])
        values, weight = np.random.default_rng(0).normal(size=shape), np.ones(setting.shape)
        model = specification(values, **setting.options | {"weight": weight})
    names = [v.name for v in (*model.free_RVs, *model.deterministics)]
    names = ["mean", "concentration", "ease"] if name == "sota" else names
    drawn = pm.draw([model[v] for v in names], draws, random_seed=seed)
    return dict(zip(names, drawn, strict=True))


def board_of(setting, true, rng):
    """Scores of a board, NaN where a player is absent; None if its matches are no rankings."""
    groups = list(itertools.combinations(range(PLAYERS), setting.present))
    values = np.full((*setting.shape, PLAYERS), np.nan)
    for where in np.ndindex(*setting.shape):
        # All groups in turn, so that everybody is present.
        who = np.array(groups[3 * where[-1] % len(groups)])
        drawn = setting.draw(true, where, who, rng)
        if drawn is None:
            return None
        values[where][who] = drawn
    return np.swapaxes(values, -1, -2)


def of_matches(name, truths, seed):
    """True values and posterior of the first board that is one of rankings."""
    setting, rng = SETTINGS[name], np.random.default_rng(seed)
    for true in truths:
        if (values := board_of(setting, true, rng)) is not None:
            break
    else:
        return None
    if "strength" in true:
        true["epp_tournament"] = true["strength"] - true["strength"].mean(axis=-1, keepdims=True)
    own = int(rng.integers(2**32))
    if name == "dynamic":
        return true, of_walks(scores(values), own)
    return true, fit(scores(values), name, seed=own, replicates=1, **setting.options)


def of_answers(name, truths, seed):
    """The same of right-or-wrong answers; not all are right, nor wrong."""
    (true,), rng = truths, np.random.default_rng(seed)
    p = 1.0 / (1.0 + np.exp(true["difficulty"] - true["ability"][:, None]))
    values = np.where(ASKED, rng.random(p.shape) < p, np.nan)
    if np.nanstd(values) == 0.0:
        return None
    return true, fit(scores(values), name, seed=int(rng.integers(2**32)), replicates=1)


COMPILED = []  # the model of strengths over time, which is the same for all boards but for data


def of_walks(board, seed):
    """Posterior by NUTS of the pm.Model that `leaderbayes.fit` samples, compiled once."""
    import arviz as az
    import nutpie

    import leaderbayes as lb

    period = dict(zip(board["round"].to_numpy(), PERIODS, strict=True))
    model = lb.models.dynamic(lb.matches(board), period=period, **ONE)
    COMPILED[:] = COMPILED or [nutpie.compile_pymc_model(model)]
    used = {variable.name for variable in COMPILED[0].shared_var_keys}
    own = {v.name: v.get_value() for v in model.data_vars if v.name in used}
    compiled = COMPILED[0].with_data(**own)
    dt = nutpie.sample(compiled, draws=500, seed=seed, target_accept=0.97, progress_bar=False)
    worst = max(float(v.max()) for v in az.rhat(dt).values())
    dt.attrs["converged"] = int(worst < 1.02)
    return dt


def of_sota(name, truths, seed):
    """The same of a board of one test set, whose teams are all right at least once."""
    import leaderbayes as lb

    (true,), rng = truths, np.random.default_rng(seed)
    shape = true["mean"] * true["concentration"], (1.0 - true["mean"]) * true["concentration"]
    n, rho, theta_0 = SOTA.values()
    s = n * theta_0 + true["ease"] * np.sqrt(n * theta_0 * (1.0 - theta_0))
    s = int(np.clip(round(s), 0, n))
    theta, right = np.zeros(0), np.zeros(0)
    # The posterior knows that teams at or below chance were left out.
    while len(theta) < TEAMS:
        more = rng.beta(*shape, 500)
        up, down = conditionals(more, rho, theta_0)
        count = rng.binomial(s, up) + rng.binomial(n - s, down)
        theta = np.concatenate([theta, more[count > 0]])
        right = np.concatenate([right, count[count > 0]])
    theta, right = theta[:TEAMS], right[:TEAMS]
    names = {"team": [f"t{i}" for i in range(TEAMS)]}
    board = xr.DataArray(right / n, names, attrs={"n": n, "metric": "accuracy", "classes": 10**6})
    dt = lb.sota.posterior(
        board, law="beta", rho=rho, theta_0=theta_0, seed=int(rng.integers(2**32)),
        progressbar=False,
    )  # fmt: skip
    return true | {"theta_sota": theta.max()}, dt


def of_means(name, truths, seed):
    """True means, less that of all players, and their posterior; ``truths`` is not used."""
    rng, (*sets, rounds) = np.random.default_rng(seed), MEANS[name]
    # Of a round's noise, and of what players' means differ by between data sets.
    noise, between = (
        np.linalg.cholesky(np.diag(np.exp(rng.normal(size=PLAYERS))) + 1.0) for _ in range(2)
    )
    table = np.linalg.cholesky(noise @ noise.T / rounds + between @ between.T) if sets else noise
    tau = np.hypot(3.0 * abs(rng.standard_cauchy()), 0.1)
    true = {"score": tau * (table @ rng.normal(size=PLAYERS))}
    here = true["score"]
    if sets:
        here = here + rng.normal(size=(*sets, PLAYERS)) @ between.T
        true["score_tournament"] = here
    values = here[..., None] + noise @ rng.normal(size=(*sets, PLAYERS, rounds))
    dt = fit(scores(values), name, seed=int(rng.integers(2**32)), replicates=1)
    drawn = dt["posterior"].dataset[[*true]]
    true = {key: value - value.mean(axis=-1, keepdims=True) for key, value in true.items()}
    dt["posterior"] = xr.DataTree(drawn - drawn.mean("player"))
    return true, dt


def rank(name, truths, number, seed):
    """Ranks of one board's true values among its posterior's draws, by name and position."""
    work = {"sota": of_sota, "rasch": of_answers, **dict.fromkeys(MEANS, of_means)}
    with silence():
        made = work.get(name, of_matches)(name, truths, [seed, number])
    if made is None:
        return None
    (true, dt), row = made, {"simulation": number, "converged": made[1].attrs["converged"]}
    rng = np.random.default_rng([seed, number, 1])
    # Units are what a sampler moves, by coordinates of its own.
    known = {name for name in true if not name.endswith("_unit")}
    for quantity in sorted(known & set(dt["posterior"].data_vars)):
        draws = draws_of(dt, quantity)
        draws, value = draws[:: len(draws) // KEPT][:KEPT], true[quantity]
        # Thetas this close to 1 are equal: the posterior's log-odds end at log 1e12.
        equal = np.abs(draws - value) < 2e-12
        below = (~equal & (draws < value)).sum(axis=0) + rng.integers(equal.sum(axis=0) + 1)
        for position, found in np.ndenumerate(below):
            row[f"{quantity}{list(position)}" if position else quantity] = int(found)
    return row


def ranks(name, count, executor: Executor, *, seed=1):
    """Ranks of so many simulations, a row each."""
    tries = SETTINGS[name].tries if name in SETTINGS else 1
    drawn = {} if name in MEANS else prior(name, count * tries, seed)
    each = [{key: values[k] for key, values in drawn.items()} for k in range(count * tries)]
    truths = [each[s * tries : (s + 1) * tries] for s in range(count)]
    rows = executor.map(partial(rank, name, seed=seed), truths, range(count), chunksize=10)
    return pd.DataFrame([row for row in rows if row is not None])


def uniform(table):
    """What is off by more than four standard errors: means of ranks, or their spread."""
    u = (table.drop(columns=["simulation", "converged"]) + 0.5) / (KEPT + 1)
    mean = (u.mean() - 0.5) * np.sqrt(12.0 * len(u))
    spread = ((u - 0.5) ** 2 - 1.0 / 12.0).mean() * np.sqrt(180.0 * len(u))
    return [
        f"{quantity}: {what} {z[quantity]:.1f} standard errors off"
        for what, z in (("mean rank", mean), ("spread of ranks", spread))
        for quantity in u
        if abs(z[quantity]) > 4.0
    ]


def make(name, count, folder: Path, executor: Executor):
    """Write the ranks and their figure."""
    table = ranks(name, count, executor)
    table.to_csv(folder / "sbc_ranks.csv", index=False)
    draw(table, folder / "sbc.png")


def plate(name, folder):
    """Draw a small board's model."""
    import pymc as pm

    import leaderbayes as lb

    rng = np.random.default_rng(0)
    if name == "sota":
        model = runpy.run_path(str(HERE / name / "model.py"))["model"](teams=TEAMS, **SOTA)
    else:
        several = (4,) if name.endswith("tournaments") else ()
        board = scores(rng.normal(size=(*several, PLAYERS, 8)))
        board = board > 0.0 if name == "rasch" else board
        with silence():
            model = getattr(lb.models, name)(lb.matches(board) if name in SETTINGS else board)
    pm.model_to_graphviz(model).render(folder / "plate", format="svg", cleanup=True)


def draw(table, figure: Path):
    """Difference of the ECDF of each quantity's ranks from the uniform's."""
    import arviz_plots as azp
    import matplotlib

    matplotlib.use("Agg")
    u = (table.drop(columns=["simulation", "converged"]) + 0.5) / (KEPT + 1)
    pit = {quantity: (("chain", "draw"), u[quantity].to_numpy()[None]) for quantity in u}
    collection = azp.plot_ecdf_pit(
        xr.DataTree.from_dict({"prior_sbc": xr.Dataset(pit)}),
        backend="matplotlib",
        figure_kwargs={"figsize": (1500, 420 * -(-len(pit) // 4)), "figsize_units": "dots"},
    )
    collection.savefig(figure, dpi=50, bbox_inches="tight")
