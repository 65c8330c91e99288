"""Coverage of mean scores as users get them: boards simulated, fitted by `leaderbayes.fit`.

What is true of a player is its mean score in the population that rounds or items are drawn from.
Rounds are scores with noise; items are right or wrong. Each board is fitted twice: with the prior
that draws players together, and flat. See make.py.
"""

import itertools
import json
import warnings
from concurrent.futures import Executor
from pathlib import Path
from types import MappingProxyType

import numpy as np
from scipy.special import expit
from scipy.stats import norm

from fits import CLASSES, FAMILIES, NOISE, SD, WIDE
from tables import complete, error, mean, read

BOARDS = {  # of a cell, by players
    "scores": {2: 10, 8: 6, 20: 4, 150: 1},
    "items": {2: 40, 8: 20, 20: 10, 50: 6, 150: 2},
    "medians": {8: 6, 20: 4},
    "interquartile means": {8: 6, 20: 4},
    "standardised": {8: 6, 20: 4},
}
OF_ROUNDS = (
    "normal", "heavy tails", "skewed", "own scales", "families", "equal", "one far above",
    "30 % missing",
)  # fmt: skip
OF_ITEMS = (
    "right or wrong", "near the ceiling", "most alike", "families", "equal", "clusters of 10",
    "trained classifiers", "99 % ties", "clusters of 50",
)  # fmt: skip
CORNERS = ("normal", "heavy tails", "own scales", "families")
# Beside mean scores: what they are of, and the options of `leaderbayes.fit`.
TAKEN = {
    "medians": {"statistic": "median"},
    "interquartile means": {"statistic": "iqm"},
    "standardised": {"of": "standardised"},
}
POPULATION = 20_000  # rounds, of which their truth is
EASE = 1.0  # log-odds of the mean player on the mean item
CEILING = 3.5  # the same near the ceiling
DIFFICULTY = 1.5  # standard deviation of items' log-odds
ALIKE = 8.0  # the same where nearly all items are right for all, or wrong
TIED = 80.0  # the same where 99 % of a pair's items are
PLAYERS = 0.5  # standard deviation of players' log-odds
SHARED = 1.5  # of log-odds that a family shares, or a player has in a cluster
CLUSTERS = {"clusters of 10": 10, "clusters of 50": 50}  # items
# Cells: what rounds are, noise, players, rounds.
KEYS = ("rounds are", "noise", "players", "rounds")
CELLS = (
    *(
        cell
        for cell in itertools.product(("items",), OF_ITEMS[:7], BOARDS["items"], (50, 500))
        if not (cell[1] == "clusters of 10" and cell[3] == 50)
        and not (cell[1] == "trained classifiers" and cell[2] > 100)
    ),
    *itertools.product(("scores",), OF_ROUNDS, (8, 20), (10,)),
    *itertools.product(TAKEN, OF_ROUNDS[:5], (8, 20), (10,)),
    # Corners.
    *itertools.product(("items",), OF_ITEMS[7:], (2, 8, 20, 150), (500, 2000)),
    *itertools.product(("items",), ("right or wrong", "families"), (2, 20, 150), (2000,)),
    *itertools.product(("scores",), CORNERS, (2, 20, 150), (3, 100)),
)
# Further boards, in blocks, by which more is known of P(best): of its classes those above have few.
# Where all are equal nobody is the best.
IN_BLOCK = {"items": 10, "scores": 15}
_AT_50 = (*OF_ITEMS[:4], "trained classifiers")
_AT_500 = (*_AT_50, "clusters of 10", "99 % ties", "clusters of 50")
_APART = tuple(kind for kind in OF_ROUNDS if kind != "equal")
MORE_KEYS = ("block", *KEYS)
MORE_CELLS = (
    *itertools.product(range(1, 9), ("items",), _AT_50, (2, 8, 20, 50), (50,)),
    *itertools.product(range(1, 9), ("items",), _AT_500, (8,), (500,)),
    *itertools.product(range(1, 5), ("scores",), _APART, (8, 20), (10,)),
    *itertools.product(range(1, 5), ("scores",), CORNERS, (20,), (3,)),
)
# Of further boards of scores, which NUTS draws: as many draws as P(best) needs (of eight first ones
# it differed from that of all draws by 0.014, root mean square), in a quarter of the time.
FEWER_DRAWS = {"draws": 500, "tune": 500, "chains": 2}
PRIORS = {"": {}, "flat ": {"prior_scale": np.inf}}
COVERAGES = ("pairs", "flat pairs", "each player", "best and next")
_POINTS = norm.ppf((np.arange(400) + 0.5) / 400.0)  # of a quadrature by quantiles


def rounds_of(kind, players, rounds, rng):
    """Scores (player, round) and the true means (player,)."""
    mu = rng.normal(size=players)
    shape = (players, rounds)
    if kind == "equal":
        mu[:] = 0.0
    if kind == "one far above":
        mu = 0.5 * mu
        mu[0] = mu[1:].mean() + 5.0
    if kind == "own scales":
        noise = SD * np.exp(rng.normal(scale=WIDE, size=players))[:, None] * rng.normal(size=shape)
    elif kind == "families":
        family = np.arange(players) % min(FAMILIES, players - 1)
        shared = rng.normal(size=(family.max() + 1, rounds))[family]
        noise = SD * np.sqrt(0.5) * (shared + rng.normal(size=shape))
    else:
        law = NOISE.get(kind, NOISE["normal"])
        noise = law.rvs(shape, random_state=rng) - law.mean()
    scores = mu[:, None] + noise + 2.0 * rng.normal(size=rounds)
    if kind == "30 % missing":
        absent = rng.random(shape) < 0.3
        absent[:, 0] = False
        scores[absent] = np.nan
    return scores, mu


def items_of(kind, players, rounds, rng):
    """Answers (player, round), 1 or 0, and the true shares of right ones (player,)."""
    if kind == "trained classifiers":
        return shipped(players, rounds, rng)
    ability = (CEILING if kind == "near the ceiling" else EASE) + PLAYERS * rng.normal(size=players)
    if kind == "equal":
        ability[:] = EASE
    spread = {"most alike": ALIKE, "99 % ties": TIED}.get(kind, DIFFICULTY)
    odds = ability[:, None] + spread * rng.normal(size=rounds)
    shared = 0.0
    if kind == "families":
        family = np.arange(players) % min(FAMILIES, players - 1)
        odds = odds + SHARED * rng.normal(size=(family.max() + 1, rounds))[family]
        shared = SHARED
    if kind in CLUSTERS:
        own = SHARED * rng.normal(size=(players, rounds // CLUSTERS[kind]))
        odds, shared = odds + np.repeat(own, CLUSTERS[kind], axis=1), SHARED
    right = expit(ability[:, None] + np.hypot(spread, shared) * _POINTS).mean(axis=1)
    return (rng.random(odds.shape) < expit(odds)).astype(float), right


def shipped(players, rounds, rng):
    """Answers of some of the shipped classifiers to items drawn from the shipped 600."""
    import leaderbayes as lb

    answers = lb.datasets.load("answers").to_numpy().astype(float)
    some = answers[rng.choice(len(answers), players, replace=False)]
    return some[:, rng.integers(some.shape[1], size=rounds)], some.mean(axis=1)


def taken(what, kind, players, rounds, rng):
    """Scores (player, round), and what is asked for of very many further rounds (player,)."""
    values, _ = rounds_of(kind, players, rounds + POPULATION, rng)
    values, later = values[:, :rounds], values[:, rounds:]
    if what == "medians":
        return values, np.median(later, axis=1)
    if what == "standardised":
        return values, ((later - later.mean(axis=0)) / later.std(axis=0, ddof=1)).mean(axis=1)
    middle = np.sort(later, axis=1)[:, POPULATION // 4 : -POPULATION // 4]
    return values, middle.mean(axis=1)


def board(what, kind, players, rounds, number, draws=MappingProxyType({})):
    """What `leaderbayes.fit` says of one board, and whether it is so: coverages, P(best)."""
    import xarray as xr

    import leaderbayes as lb

    kinds = OF_ITEMS if what == "items" else OF_ROUNDS
    rng = np.random.default_rng([kinds.index(kind), players, rounds, number])
    if what in TAKEN:
        values, true = taken(what, kind, players, rounds, rng)
    else:
        made = items_of if what == "items" else rounds_of
        values, true = made(kind, players, rounds, rng)
    coords = {
        "player": [f"p{i}" for i in range(players)],
        "round": [f"r{k}" for k in range(rounds)],
    }
    scores = xr.DataArray(values, coords, ("player", "round"), attrs={"higher_is_better": 1})
    if kind in CLUSTERS:
        scores = scores.assign_coords(cluster=("round", np.arange(rounds) // CLUSTERS[kind]))
    if (values == values[0, 0]).all():
        # Refused: there is nothing to compare.
        return None
    seed = int(rng.integers(2**32))
    row, said = {}, {}
    gap = true[:, None] - true
    upper = np.triu_indices(players, 1)
    for prior, options in PRIORS.items():
        if prior and np.isnan(values).any():
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lb.LeaderbayesWarning)
            own = TAKEN.get(what, {}) | options | draws
            dt = lb.fit(scores, "mean_score", seed=seed, progressbar=False, **own)
        drawn = dt["posterior"]["score"].to_numpy().reshape(-1, players)
        apart = drawn[:, upper[0]] - drawn[:, upper[1]]
        low, high = np.quantile(apart, [0.025, 0.975], axis=0)
        row[f"{prior}pairs"] = ((low <= gap[upper]) & (gap[upper] <= high)).mean()
        row[f"{prior}width"] = (high - low).mean()
        table = lb.leaderboard(dt).set_index("player").loc[coords["player"]]
        said[prior] = table["p_best"].to_numpy()
        if prior:
            continue
        inside = (table["score_lower"] <= true) & (true <= table["score_upper"])
        row |= {"each player": inside.mean(), "converged": dt.attrs["converged"]}
        first, second = np.argsort(-table["score"].to_numpy())[:2]
        pair = lb.compare(dt, f"p{first}", f"p{second}")
        row["best and next"] = float(
            pair["difference_lower"] <= gap[first, second] <= pair["difference_upper"]
        )
        leads = np.arange(players) == first
    row["narrower"] = row["width"] / row.pop("flat width") if "flat width" in row else np.nan
    row.pop("width")
    # Some of the shipped classifiers have the same number right: who are best share it, as P(best).
    best = true == true.max()
    return row, {prior: (p, best / best.sum(), leads) for prior, p in said.items()}


def cell(what, kind, players, rounds):
    """Means over the boards of a cell, with Monte Carlo errors; and P(best) in classes."""
    boards = BOARDS[what][players]
    found = [board(what, kind, players, rounds, number) for number in range(boards)]
    row, rows = summed(dict(zip(KEYS, (what, kind, players, rounds), strict=True)), found)
    return {"sizes": [row], "sizes_best": rows}


def further(block, what, kind, players, rounds):
    """The same of one more block of boards."""
    # Beyond any number of `BOARDS`.
    first = 1000 * block
    numbers = range(first, first + IN_BLOCK[what])
    draws = FEWER_DRAWS if what == "scores" else {}
    found = [board(what, kind, players, rounds, number, draws) for number in numbers]
    key = dict(zip(MORE_KEYS, (block, what, kind, players, rounds), strict=True))
    row, rows = summed(key, found)
    return {"sizes_more": [row], "sizes_more_best": rows}


def summed(key, found):
    """Row of a table, and rows of P(best), of what was found of boards."""
    found = [one for one in found if one is not None]
    row = key | {"boards": len(found)}
    for name in ("pairs", "flat pairs", "narrower", "each player", "best and next", "converged"):
        values = [one.get(name, np.nan) for one, _ in found]
        row[name] = mean(values)
        if name in COVERAGES:
            row[f"{name}: error"] = error(values)
    rows = []
    # Where all are equal nobody is the best.
    for prior in PRIORS if key["noise"] != "equal" else ():
        parts = [of[prior] for _, of in found if prior in of]
        if not parts:
            continue
        said, best, first = (np.concatenate(part) for part in zip(*parts, strict=True))
        classes = np.minimum((said * CLASSES).astype(int), CLASSES - 1)
        for who, asked in ((f"{prior}first", first), (f"{prior}every player", ~np.isnan(said))):
            for k in range(CLASSES):
                of = asked & (classes == k)
                if of.any():
                    means = {"said": mean(said[of]), "happened": mean(best[of])}
                    rows.append(key | {"who": who, "class": k, "cases": int(of.sum())} | means)
    return row, rows


def cover(folder: Path, executor: Executor):
    """Write folder's tables, going on from the cells that are there."""
    complete(folder, "sizes", KEYS, CELLS, cell, executor)
    complete(folder, "sizes_more", MORE_KEYS, MORE_CELLS, further, executor)
    record = {
        "command": "python models/make.py sizes",
        "boards": BOARDS,
        "further boards in a block": IN_BLOCK,
        "draws of further boards of scores": FEWER_DRAWS,
    }
    (folder / "sizes.json").write_text(json.dumps(record, indent=2) + "\n")


def shown(folder: Path):
    """Tables of models/README.md by their marks."""
    import pandas as pd

    table = pd.DataFrame(read(folder / "sizes.csv"))
    names = ["pairs", "flat pairs", "narrower", "best and next", "converged"]
    numbers = table[names].astype(float).assign(least=table["pairs"].astype(float))
    columns = {name: (name, "mean") for name in names} | {"least pairs": ("least", "min")}
    by = [table["rounds are"], table["noise"]]
    corner = table["rounds"].isin(["3", "100", "2000"]) | table["noise"].isin(OF_ITEMS[7:])

    def means(of, by):
        return numbers[of].groupby([key[of] for key in by], sort=False).agg(**columns).reset_index()

    best = pd.DataFrame(read(folder / "sizes_best.csv") + read(folder / "sizes_more_best.csv"))
    best = best[best["who"].str.endswith("first")]
    of = best[["rounds are", "who"]].agg(": ".join, axis=1).rename("who")
    more = pd.DataFrame(read(folder / "sizes_more.csv"))
    return {
        "sizes": means(~corner, by),
        "sizes_corners": means(corner, [*by, table["rounds"]]),
        "sizes_more": pooled(more, ["rounds are", "noise", "players", "rounds"]),
        "sizes_best": happened(best, [of, best["class"].astype(int)]).drop(columns="class"),
        "sizes_best_kinds": happened(
            best[best["who"] == "first"], ["rounds are", "noise"], sort=False
        ),
    }


def pooled(table, by):
    """Coverage of all boards of several blocks, with its Monte Carlo error."""
    boards = table["boards"].astype(float)
    numbers = table[["pairs", "pairs: error", "flat pairs", "flat pairs: error", "narrower"]]
    numbers = numbers.replace("nan", np.nan).astype(float).mul(boards, axis=0)
    errors = [name for name in numbers if name.endswith("error")]
    numbers[errors] **= 2
    sums = numbers.groupby([table[key] for key in by], sort=False).sum(min_count=1)
    sums[errors] = np.sqrt(sums[errors])
    count = boards.groupby([table[key] for key in by], sort=False).sum()
    return sums.div(count, axis=0).assign(boards=count.astype(int)).reset_index()


def happened(best, by, sort=True):
    """P(best) as it was said and as it happened, with its Monte Carlo error, were it right."""
    sums = best[["cases", "said", "happened"]].astype(float)
    sums[["said", "happened"]] = sums[["said", "happened"]].mul(sums["cases"], axis=0)
    # Within a row all are said to be the mean: a little more than that varies.
    said = best["said"].astype(float)
    sums["error"] = sums["cases"] * said * (1.0 - said)
    sums = sums.groupby([best[key] if isinstance(key, str) else key for key in by], sort=sort).sum()
    sums["error"] = np.sqrt(sums["error"]) / sums["cases"]
    sums[["said", "happened"]] = sums[["said", "happened"]].div(sums["cases"], axis=0)
    return sums.astype({"cases": int}).reset_index()
