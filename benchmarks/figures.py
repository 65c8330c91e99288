"""Draw every figure of three boards, at a screen's and a journal's sizes.

    uv run python benchmarks/figures.py FOLDER [--players 40] [--of fit]

Look at the sheets in FOLDER: nothing may be clipped, and no letters lie on each other.
"""

import argparse
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import xarray as xr
from matplotlib import pyplot as plt
from PIL import Image, ImageDraw

import leaderbayes as lb

PLAYERS = (5, 40, 179)
TOURNAMENTS = {5: 3, 40: 20, 179: 63}  # of a study, by its players
SIZES = ("screen", "column", "page")
DPI = 110
WIDE = 620  # pixels of a figure on a sheet


def board(players: int) -> xr.DataArray:
    """Make scores whose players have names of all lengths, some tied."""
    rng = np.random.default_rng(players)
    strengths = np.sort(rng.normal(size=players))[::-1] * 1.2
    values = rng.gumbel(size=(players, 20)) + strengths[:, None]
    kinds = ("forest", "gradient-boosting", "svm", "net-large-instruct-v2", "knn")
    names = [f"{kinds[i % 5]} {i + 1:03d}" for i in range(players)]
    coords = {"player": names, "round": [f"task {k}" for k in range(20)]}
    return xr.DataArray(values.round(1), coords, attrs={"higher_is_better": 1})


Figures = Iterator[tuple[str, Callable[..., Any]]]


def figures_of_fit(players: int) -> Figures:
    """Give the figures of a board by their names."""
    plots, scores = lb.plots, board(players)
    dt = lb.fit(scores, draws=500, replicates=400, seed=1)
    means = lb.fit(scores, "mean_score", prior_scale=np.inf, seed=1)
    table = lb.leaderboard(dt)
    pair = tuple(table["player"].iloc[:2])
    planned = lb.plan(dt, pair, rounds=(10, 40), seed=1)
    asked = {"models": ("bradley_terry",), "priors": (1.0, 2.0), "rounds": players < 100}
    moved = lb.sensitivity(scores, **asked, seed=1)
    yield "leaderboard", lambda **o: plots.leaderboard(dt, **o)
    yield "leaderboard_scores", lambda **o: plots.leaderboard(means, **o)
    yield "groups", lambda **o: plots.groups(dt, **o)
    price = {name: 1.3 ** (k % 40) for k, name in enumerate(scores["player"].to_numpy())}
    yield "frontier", lambda **o: plots.frontier(dt, price, **o)
    yield "groups_demsar", lambda **o: plots.groups(dt, style="demsar", control="joint", **o)
    yield "compare", lambda **o: plots.compare(dt, *pair, **o)
    yield "win_probability", lambda **o: plots.win_probability(dt, **o)
    yield "rank_distribution", lambda **o: plots.rank_distribution(dt, **o)
    yield "record", lambda **o: plots.record(dt, **o)
    yield "deviance", lambda **o: plots.deviance(dt, seed=1, **o)
    yield "plan", lambda **o: plots.plan(planned, **o)
    yield "sensitivity", lambda **o: plots.sensitivity(moved, **o)
    yield "sensitivity_pairs", lambda **o: plots.sensitivity(moved, what="pairs", **o)


def figures_of_study(players: int) -> Figures:
    """Give the figures of many tournaments by their names; some players are not in all of them."""
    plots, rng = lb.plots, np.random.default_rng(players)
    boards = []
    for k in range(TOURNAMENTS.get(players, 20)):
        one = board(players)
        kind = rng.normal(size=5)[np.arange(players) % 5]
        one = one + (2.0 * kind + rng.normal(size=players))[:, None]
        if players > 5:
            one[rng.integers(players)] = np.nan
        boards.append(one.assign_coords(tournament=f"data set {'x' * (k % 7)} {k + 1}"))
    scores = xr.concat(boards, "tournament", coords="different", compat="equals")
    scores.attrs["higher_is_better"] = 1
    with tempfile.TemporaryDirectory() as folder:
        small = {"draws": 100, "replicates": 50, "seed": 1, "progressbar": False}
        study = lb.study.fit(scores, store=f"{folder}/study", **small)
        groups = {name: name.rsplit(" ", 1)[0] for name in scores["player"].to_numpy().tolist()}
        embedded, tuned = lb.study.embedding(study), lb.study.tunability(study, groups)
        average = lb.study.average(study)
    yield "embedding", lambda **o: plots.embedding(embedded, **o)
    yield "tunability", lambda **o: plots.tunability(tuned, **o)
    yield "average", lambda **o: plots.average(average, **o)


def figures_of_best(teams: int) -> Figures:
    """Give the figures of a competition's board by their names."""
    plots, rng = lb.plots, np.random.default_rng(teams)
    thetas = 0.93 - 0.1 * rng.beta(1.0, 4.0, size=max(teams, 12))
    scores = lb.sota.read_board(rng.binomial(2000, thetas) / 2000, n=2000)
    best = lb.sota.shrink(scores)
    yield "board", lambda **o: plots.board(scores, best, **o)
    yield "board_alone", lambda **o: plots.board(scores, **o)


def figures_of_search(candidates: int) -> Figures:
    """Give the figures of a search of hyper-parameters by their names."""
    from sklearn.datasets import load_iris
    from sklearn.svm import SVC

    plots = lb.plots
    values = max(2, round(candidates**0.5))
    ends = {"C": (0.01, 1000.0), "gamma": (0.001, 10.0)}
    space = {name: np.geomspace(*each, values) for name, each in ends.items()}
    strategy = "iterated" if 3 < values < 10 else "grid"
    search = lb.tuning.LeaderboardSearchCV(SVC(), space, cv=10, random_state=1, strategy=strategy)
    found = search.fit(*load_iris(return_X_y=True))
    yield "search", lambda **o: plots.search(found, "C", "gamma", **o)
    yield "race", lambda **o: plots.search(found, **o)


OF = {
    "fit": figures_of_fit, "study": figures_of_study, "best": figures_of_best,
    "search": figures_of_search,
}  # fmt: skip


def sheet(paths: list[Path], to: Path) -> None:
    """Put pictures beside each other, with their names."""
    pictures = []
    for path in paths:
        picture = Image.open(path).convert("RGB")
        scale = min(1.0, WIDE / picture.width, 900 / picture.height)
        pictures.append(picture.resize((int(picture.width * scale), int(picture.height * scale))))
    rows = [pictures[k : k + 3] for k in range(0, len(pictures), 3)]
    high = sum(max(p.height for p in row) + 24 for row in rows)
    made = Image.new("RGB", (3 * (WIDE + 10), high), "#999999")
    pen, y, names = ImageDraw.Draw(made), 0, iter(paths)
    for row in rows:
        for k, picture in enumerate(row):
            pen.text((k * (WIDE + 10) + 4, y + 5), next(names).stem, fill="black")
            made.paste(picture, (k * (WIDE + 10), y + 22))
        y += max(p.height for p in row) + 24
    made.save(to)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--players", nargs="+", type=int, default=PLAYERS)
    parser.add_argument("--size", nargs="+", default=SIZES, choices=SIZES)
    parser.add_argument("--of", nargs="+", default=list(OF), choices=OF)
    parser.add_argument("--only", nargs="+")
    asked = parser.parse_args()
    mpl.use("Agg")
    warnings.simplefilter("ignore", lb.LeaderbayesWarning)
    asked.folder.mkdir(parents=True, exist_ok=True)
    made: dict[str, list[Path]] = {}
    for players in asked.players:
        for name, draw in chain.from_iterable(OF[what](players) for what in asked.of):
            if asked.only and name not in asked.only:
                continue
            for size in asked.size:
                start = time.perf_counter()
                path = asked.folder / f"{name}_{players}_{size}.png"
                draw(figsize=None if size == "screen" else size).savefig(path, dpi=DPI)
                plt.close("all")
                made.setdefault(name, []).append(path)
                print(f"{path.name:<50} {time.perf_counter() - start:5.1f} s", flush=True)
    for name, paths in made.items():
        sheet(paths, asked.folder / f"sheet_{name}.png")


if __name__ == "__main__":
    main()
