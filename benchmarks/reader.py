"""Errors of `read_scores`: honest tables that it refuses, foreign columns that it does not notice.

    python benchmarks/reader.py [--half develop|aside|fresh] [--list]

Tables are made by code, one kind a function, with names as people give them; kinds are split into
those that the rules were developed on and those that were set aside (by a checksum of their names).
"""

import argparse
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple
from zlib import crc32

import numpy as np
import pandas as pd

import leaderbayes as lb

Rng = np.random.Generator
Column = Callable[[Rng, np.ndarray], np.ndarray]  # of scores (row, column)
LEARNERS = "svm rf knn gbm mlp lda nb tree lasso bagging ada logit qda xgb catboost".split()
MODELS = [f"{org}-{size}" for size in ("7B", "13B", "70B") for org in
          ("llama", "falcon", "mistral", "qwen", "gemma", "yi", "opt")]  # fmt: skip
TASKS = ("arc hellaswag mmlu truthfulqa winogrande gsm8k piqa boolq drop squad copa rte wic cola "
         "sst2 mrpc qqp mnli qnli stsb").split()  # fmt: skip
DATA = ("iris wine glass sonar vowel yeast ecoli heart credit adult bank letter segment vehicle "
        "splice mushroom spambase digits satimage abalone").split()  # fmt: skip


class Grid(NamedTuple):
    """Additive effects (task, player) of a table of n tasks and m players."""

    rng: np.random.Generator
    n: int
    m: int

    def __call__(self, task: float = 1.0, player: float = 0.5, noise: float = 0.25) -> np.ndarray:
        of_tasks, of_players = self.rng.normal(size=(self.n, 1)), self.rng.normal(size=self.m)
        own = self.rng.normal(size=(self.n, self.m))
        return task * of_tasks + player * of_players + noise * own

    def random(self) -> np.ndarray:
        return self.rng.random((self.n, self.m))


Formula = Callable[[Grid], np.ndarray]


def share(z: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-z))


def _items(g: Grid) -> np.ndarray:
    return (g.random() < share(g(1.5, 1.0))).astype(float)


def _weak(g: Grid) -> np.ndarray:
    x = 100 * share(1.2 + g())
    x[:, 0] *= 0.55
    return x


def _chance(g: Grid) -> np.ndarray:
    x = share(1.0 + g())
    x[:, -1] = g.rng.choice([0.5, 0.25, 0.1], g.n) if g.n > 2 else 0.5
    return x


def _holes(g: Grid) -> np.ndarray:
    x = 100 * share(0.5 + g())
    x[g.random() < 0.15] = np.nan
    x[:, 0] = np.nan_to_num(x[:, 0], nan=50.0)
    return x


def _vtab(g: Grid) -> np.ndarray:
    x = 100 * share(1.0 + g(0.8, 0.3))
    x[g.rng.integers(g.n), g.rng.integers(g.m)] = 0.148
    return x


def _ranks(g: Grid) -> np.ndarray:
    return np.argsort(np.argsort(-g(0, 1, 0.7), axis=1), axis=1) + 1.0


# Each kind of honest table: decimals of its scores (task, player), and how they are made.
GAINS: dict[str, tuple[int, Formula]] = {
    "accuracy": (3, lambda g: share(1.5 + g())),
    "accuracy, 4 digits": (4, lambda g: share(1.5 + g(0.7, 0.2, 0.1))),
    "percent": (1, lambda g: 100 * share(1 + g())),
    "percent, 2 digits": (2, lambda g: 100 * share(g(0.8, 0.6))),
    "whole percent": (0, lambda g: 100 * share(1 + g())),
    "AUC": (4, lambda g: 0.5 + 0.5 * share(1 + g())),
    "full floats": (15, lambda g: share(1 + g())),
    "near the ceiling": (3, lambda g: np.minimum(1.0, share(2.5 + g(1.5)) + 0.01 * g.random())),
    "a weak player": (1, _weak),
    "a chance predictor": (3, _chance),
    "missing scores": (1, _holes),
    "one low score": (1, _vtab),
    "very different tasks": (1, lambda g: 100 * share(g(2.5, 0.5))),
    "right or wrong": (0, lambda g: _items(g._replace(n=3 * g.n))),
    "folds": (3, lambda g: 0.8 + 0.02 * g(1, 1, 1)),
    "seeds": (2, lambda g: 100 * share(1 + g(0.02, 0.5, 0.05))),
    "F1 from 0": (3, lambda g: np.clip(share(g(2, 1)) - 0.1, 0, 1)),
    "kappa, some negative": (3, lambda g: np.clip(0.5 + 0.3 * g(), -0.2, 1)),
    "Spearman, percent": (2, lambda g: 100 * np.tanh(0.7 + 0.4 * g())),
    "R2, some very negative": (3, lambda g: 1 - np.exp(g(1, 0.5) - 0.7)),
    "BLEU": (1, lambda g: 100 * share(-0.8 + g(0.6, 0.3))),
    "mIoU": (2, lambda g: 100 * share(0.2 + g(0.5, 0.4, 0.1))),
    "PSNR": (2, lambda g: 28 + 3 * g(1, 0.3, 0.1)),
    "NDCG": (3, lambda g: share(-0.3 + g(0.9, 0.4))),
    "log likelihood": (2, lambda g: -np.exp(3 + g(1.5, 0.1, 0.05))),
    "negative log loss": (4, lambda g: -np.exp(-1 + g(0.8, 0.4))),
    "returns of agents": (0, lambda g: np.exp(6 + g(2.0, 0.6, 0.6))),
    "human-normalised": (1, lambda g: 150 * g(1, 0.6, 0.5)),
    "opinions from 1 to 5": (2, lambda g: 3.5 + 0.5 * g(0.4, 1)),
    "solved instances": (0, lambda g: 200 * share(g(1, 0.7))),
}
LOSSES: dict[str, tuple[int, Formula]] = {
    "WER": (2, lambda g: np.exp(2.3 + g(0.6, 0.3, 0.1))),
    "perplexity": (2, lambda g: np.exp(3 + g(1.5, 0.3, 0.1))),
    "RMSE over decades": (4, lambda g: np.exp(1 + g(3, 0.2, 0.1))),
    "MASE": (3, lambda g: np.exp(g(0.5, 0.2, 0.1))),
    "log loss": (4, lambda g: np.exp(-1 + g(0.8, 0.4))),
    "error rates": (4, lambda g: share(-2 + g())),
    "FID": (2, lambda g: np.exp(2.5 + g(0.7, 0.6, 0.2))),
    "run times": (1, lambda g: np.exp(2 + g(2, 0.8, 0.3))),
    "ranks": (0, _ranks),
    "bits per byte": (4, lambda g: 0.9 + 0.1 * g(1, 0.5, 0.1)),
    "objective values": (6, lambda g: 10.0 ** (2 * g(2, 0.5, 0.5))),
}
SIZES = ((4, 4), (12, 5), (8, 12), (20, 9), (30, 20))


def each(make: Callable[..., Column], given: dict[str, tuple]) -> dict[str, Column]:
    return {name: make(*arguments) for name, arguments in given.items()}


def summary(function: Callable[..., np.ndarray], decimals: int) -> Column:
    return lambda r, x: function(x, axis=1).round(decimals)


def normal(mean: float, sd: float, decimals: int) -> Column:
    return lambda r, x: r.normal(mean, sd, len(x)).round(decimals)


def decades(mean: float, sd: float, decimals: int) -> Column:
    """Numbers whose natural logarithms have this mean and spread."""
    return lambda r, x: np.exp(r.normal(mean, sd, len(x))).round(decimals)


def of(*values: float) -> Column:
    return lambda r, x: r.choice(values, len(x)).astype(float)


def some(function: Column) -> Column:
    """The same, with -1 for unknown in a quarter of the rows."""
    return lambda r, x: np.where(r.random(len(x)) < 0.25, -1.0, function(r, x))


# Columns of a table with a row for each model: what is known of models beside scores.
OF_MODELS: dict[str, Column] = {
    **each(of, {
        "Params (B)": (0.5, 1.1, 2.7, 7, 13, 34, 70, 180),
        "$/1M tokens": (0.15, 0.25, 0.5, 1, 3, 10, 15, 60),
        "year": (2019, 2020, 2021, 2022, 2023, 2024),
        "context length": (2048, 4096, 8192, 32768, 131072), "layers": (12, 24, 32, 40, 80),
        "hidden": (768, 1024, 2048, 4096, 5120), "lr": (1e-5, 2e-5, 1e-4, 3e-4, 1e-3),
        "epochs": (1, 3, 5, 10, 50, 100), "batch": (16, 32, 64, 128, 256), "open": (0, 1),
        "version": (1, 1.5, 2, 2.1, 3), "seed": (0, 1, 42, 1234, 2023),
        "ram_gb": (4, 8, 16, 24, 48, 80), "training tokens": (3e11, 1e12, 1.4e12, 2e12, 1.5e13),
    }), **each(decades, {
        "params": (21, 1.2, 0), "tokens/s": (4.5, 0.8, 1), "RTFx": (5, 1.3, 2),
        "fps": (3.5, 0.7, 0), "latency_ms": (5, 0.8, 0), "USD": (0.5, 1.5, 2), "kWh": (2, 1.5, 1),
        "CO2 (kg)": (1, 1.5, 3), "MB": (7, 1.2, 0), "GFLOPs": (3, 1.2, 1), "GPU hours": (7, 2, 0),
        "votes": (8, 1, 0), "train_time": (3, 1.5, 1),
    }), "Elo": normal(1150, 70, 0), "rating": normal(25, 4, 2), **each(summary, {
        "Average": (np.nanmean, 2), "avg_of_all": (np.nanmean, 1),
        "Median score": (np.nanmedian, 3), "std": (np.nanstd, 3),
    }),
    "size, unknown -1": some(of(0.3, 0.6, 1.1, 1.5, 7)),
    "Rank": lambda r, x: np.argsort(np.argsort(-np.nanmean(x, axis=1))) + 1.0,
    "downloads": lambda r, x: (np.exp(r.normal(8, 3, len(x))) * (r.random(len(x)) > 0.2)).round(),
    "likes": lambda r, x: r.negative_binomial(0.5, 0.005, len(x)).astype(float),
    "submissions": lambda r, x: r.integers(1, 60, len(x)).astype(float),
    "shots": lambda r, x: np.full(len(x), 5.0),
    "tasks done": lambda r, x: np.full(len(x), float(x.shape[1])),
    "wins": lambda r, x: (x == x.max(axis=0)).sum(axis=1).astype(float),
    "gain over base": lambda r, x: (np.nanmean(x, axis=1) - np.nanmean(x)).round(2),
    "delta": lambda r, x: (x[:, 0] - x[:, 1]).round(3),
    "ci_lower": lambda r, x: (np.nanmean(x, axis=1) * 0.97).round(3),
    "ci_upper": lambda r, x: (np.nanmean(x, axis=1) * 1.03).round(3),
}  # fmt: skip
# Columns of a table with a row for each data set: what is known of data sets, or of the players.
OF_DATA: dict[str, Column] = {
    **each(of, {
        "classes": (2, 2, 2, 3, 5, 10), "published": (1988, 1995, 2001, 2010, 2017),
        "weight": (0.5, 1, 2, 3), "folds": (5, 10), "svm_epochs": (12, 20, 35, 50, 100),
        "lambda": (1e-4, 1e-3, 1e-2, 0.1, 1, 10), "significant": (0, 1),
    }), **each(decades, {
        "instances": (7, 1.5, 0), "features": (3, 1, 0), "imbalance": (0.7, 0.8, 2),
        "svm (s)": (1.2, 1, 1), "time svm": (0, 1.5, 2), "seconds": (3, 1.5, 2),
        "minutes": (1, 1, 1), "n": (6, 1.3, 0), "n_test": (5, 1, 0), "cost": (-1, 1.5, 2),
        "chi2": (1, 1, 2), "memory_kb": (11, 0.8, 0),
    }), **each(normal, {
        "t": (0.5, 2, 2), "effect size": (0.2, 0.5, 2), "skewness": (1, 3, 2),
        "statistic": (40, 25, 0),
    }), **each(summary, {
        "range": (np.ptp, 3), "mean": (np.nanmean, 3), "Mean of 5": (np.nanmean, 1),
        "median": (np.nanmedian, 3), "total": (np.nansum, 2), "best": (np.nanmax, 3),
        "max": (np.nanmax, 3), "worst": (np.nanmin, 3),
    }),
    "p-value": lambda r, x: r.uniform(0, 1, len(x)).round(4),
    "p": lambda r, x: (10.0 ** -r.exponential(1.5, len(x))).round(4),
    "gain": lambda r, x: (x[:, 0] - x[:, 1]).round(3),
    "gain %": lambda r, x: (100 * (x[:, 0] / x[:, 1] - 1)).round(1),
    "difference to best": lambda r, x: (x[:, 0] - x.max(axis=1)).round(3),
    "svm_std": lambda r, x: (np.abs(x[:, 0]) * r.uniform(0.002, 0.05, len(x))).round(3),
    "svm ±": lambda r, x: (np.abs(x[:, 0]) * r.uniform(0.002, 0.05, len(x))).round(2),
    "rf (s)": lambda r, x: np.resize([3.7, 1.2, 2.5, 8.1, 0.9], len(x)),
    "svm lower": lambda r, x: (x[:, 0] * 0.96).round(3),
    "svm upper": lambda r, x: (x[:, 0] * 1.04).round(3),
    "spread": lambda r, x: np.nanstd(x, axis=1, ddof=1).round(3),
    "rank of svm": lambda r, x: (x > x[:, :1]).sum(axis=1) + 1.0,
    "missing %": lambda r, x: np.maximum(0, r.normal(3, 6, len(x))).round(1),
    "OpenML id": lambda r, x: r.integers(3, 45000, len(x)).astype(float),
    "count": lambda r, x: r.integers(1, 400, len(x)).astype(float),
    "frequency": lambda r, x: r.integers(1, 60, len(x)).astype(float),
    "repeats": lambda r, x: np.full(len(x), 10.0),
    "entropy": lambda r, x: r.uniform(0.1, 3.3, len(x)).round(3),
    "log p": lambda r, x: -r.exponential(4, len(x)).round(2),
}  # fmt: skip
# Kinds that were written after the rules, and looked at once.
FRESH_GAINS: dict[str, tuple[int, Formula]] = {
    "opinions of speech": (2, lambda g: np.clip(3.9 + 0.3 * g(0.3, 1, 0.2), 1, 5)),
    "COMET": (4, lambda g: 0.82 + 0.03 * g(1, 0.8, 0.2)),
    "pass@1 of 164 items": (3, lambda g: np.round(164 * share(g(0.6, 1))) / 164),
    "F1 of names": (2, lambda g: 90 + 3 * g(1, 0.4, 0.1)),
    "Elo by category": (0, lambda g: 1200 + 80 * g(0.1, 1, 0.3)),
    "win rate, percent": (1, lambda g: 100 * share(g(0.1, 1.5, 0.3))),
    "Dice, some failed": (2, lambda g: np.where(g.random() < 0.05, 0.0, 100 * share(1.5 + g()))),
    "MCC": (3, lambda g: np.tanh(0.5 + 0.5 * g())),
    "normalised returns": (1, lambda g: 60 + 35 * g(0.8, 0.5, 0.3)),
    "AUROC of outliers": (3, lambda g: np.clip(0.75 + 0.15 * g(0.8, 0.3, 0.4), 0.2, 1)),
    "speedups": (2, lambda g: np.exp(0.7 + g(0.3, 0.5, 0.15))),
    "images a second": (0, lambda g: np.exp(6 + g(0.8, 0.9, 0.1))),
    "points of exams": (
        0,
        lambda g: g.rng.choice([15, 30, 60, 100], (g.n, 1)) * share(0.8 + g(0.4, 0.7)),
    ),
    "negative MAE": (3, lambda g: -np.exp(g(2, 0.3, 0.15))),
}
FRESH_LOSSES: dict[str, tuple[int, Formula]] = {
    "EER": (2, lambda g: np.exp(0.8 + g(0.6, 0.5, 0.2))),
    "perplexity, quantised": (
        2,
        lambda g: 5.5 + 0.2 * np.abs(g(2, 0.5, 0.1)) + np.where(np.arange(g.m) == 1, 40, 0),
    ),
    "RMSE in units": (
        3,
        lambda g: g.rng.choice([0.02, 0.7, 5, 300, 45000], (g.n, 1)) * np.exp(g(0, 0.2, 0.1)),
    ),
    "gaps to the optimum": (2, lambda g: np.maximum(0, 1.5 * g(0.8, 0.8) + 0.8)),
    "PAR2": (1, lambda g: np.minimum(10000, np.exp(7 + g(1, 0.8, 0.8)))),
    "CRPS": (4, lambda g: 0.04 * np.exp(g(1, 0.2, 0.1))),
    "sMAPE": (3, lambda g: 12 * np.exp(g(0.4, 0.2, 0.1))),
    "log10 error": (2, lambda g: -3 + g(1, 0.5)),
}
FRESH_OF_MODELS: dict[str, Column] = {
    **each(of, {
        "vocabulary": (32000, 50257, 100277, 128256, 256000), "temperature": (0, 0.6, 0.7, 1),
        "bits": (4, 8, 16), "heads": (12, 16, 32, 64), "GPUs": (1, 8, 64, 256, 1024),
        "active params": (0.5, 3, 3.6, 12.9, 17, 22, 37),
    }), **each(decades, {
        "stars": (6, 2, 0), "citations": (4, 2, 0), "images/s": (6, 1, 0),
        "age (days)": (5.5, 0.8, 0),
    }),
    "released": lambda r, x: 100.0 * r.integers(2021, 2026, len(x)) + r.integers(1, 13, len(x)),
    "contamination": lambda r, x: r.beta(1, 20, len(x)).round(3),
    "rank by humans": lambda r, x: r.permutation(len(x)) + 1.0,
}  # fmt: skip
FRESH_OF_DATA: dict[str, Column] = {
    **each(of, {
        "image size": (28, 32, 64, 224, 512), "best depth": (2, 3, 4, 6, 8, 10),
        "noise": (0, 0.05, 0.1, 0.2), "horizon": (6, 8, 13, 14, 18, 48),
        "trees": (50, 100, 200, 500, 1000),
    }),
    "sequence length": decades(5, 1, 0), "hours": decades(1, 1.2, 1),
    "Cohen's d": normal(0.3, 0.5, 2),
    "majority": lambda r, x: r.uniform(0.1, 0.9, len(x)).round(2),
    "outliers": lambda r, x: r.negative_binomial(1, 0.05, len(x)).astype(float),
    "W": lambda r, x: r.integers(0, 300, len(x)).astype(float),
    "CD": lambda r, x: np.full(len(x), 1.87),
    "correlation": lambda r, x: r.uniform(-0.2, 0.95, len(x)).round(2),
}  # fmt: skip
FRESH = {*FRESH_GAINS, *FRESH_LOSSES, *FRESH_OF_MODELS, *FRESH_OF_DATA}
PLAIN = ("accuracy", "percent", "percent, 2 digits", "AUC", "full floats", "missing scores",
         "BLEU", "WER", "error rates", "RMSE over decades", "ranks",
         "R2, some very negative")  # fmt: skip


def half(name: str) -> str:
    """Say in which part of the test bed a kind is."""
    if name in FRESH:
        return "fresh"
    return "develop" if crc32(name.encode()) % 2 else "aside"


def scores_of(kind: str, g: Grid) -> tuple[np.ndarray, bool]:
    """Return scores (task, player) of a kind, and whether more is better."""
    losses = LOSSES | FRESH_LOSSES
    decimals, formula = (GAINS | FRESH_GAINS | losses)[kind]
    return formula(g).round(decimals), kind not in losses


def table(x: np.ndarray, *, rows: str) -> pd.DataFrame:
    """Make a wide table with a row for each data set, or for each model."""
    n, m = x.shape
    if rows == "model":
        tasks = [t if k < len(TASKS) else f"{t}-{k}" for k, t in enumerate(np.resize(TASKS, n))]
        frame = pd.DataFrame(x.T, columns=tasks)
        frame.insert(0, "model", np.resize(MODELS, m))
        return frame
    players = np.resize(LEARNERS, m)
    frame = pd.DataFrame(
        x, columns=[p if k < len(LEARNERS) else f"{p} C={k}" for k, p in enumerate(players)]
    )
    data = np.resize(DATA, n)
    frame.insert(0, "dataset", [d if k < len(DATA) else f"{d}{k}" for k, d in enumerate(data)])
    return frame


def honest() -> Iterator[tuple[str, pd.DataFrame, bool]]:
    """Yield kind, table and direction of each honest table."""
    for kind in (*GAINS, *LOSSES, *FRESH_GAINS, *FRESH_LOSSES):
        for n, m in SIZES:
            rng = np.random.default_rng(crc32(f"{kind}{n}{m}".encode()))
            x, gains = scores_of(kind, Grid(rng, n, m))
            for rows in ("dataset", "model"):
                if rows == "model" and m > len(MODELS):
                    continue
                yield kind, table(x, rows=rows), gains


def foreign(*, plain: bool = False) -> Iterator[tuple[tuple[str, str], str, pd.DataFrame, bool]]:
    """Yield the kinds of a column and of its table, its name, the table and its direction.

    If ``plain`` the column has a name that says nothing.
    """
    of_models, of_data = OF_MODELS | FRESH_OF_MODELS, OF_DATA | FRESH_OF_DATA
    for kinds, rows in ((of_models, "model"), (of_data, "dataset")):
        for kind, make in kinds.items():
            for host in PLAIN:
                rng = np.random.default_rng(crc32(f"{kind}{host}".encode()))
                n, m = SIZES[rng.integers(1, 4)]
                n, m = (m, n) if rows == "model" else (n, m)
                scores, gains = scores_of(host, Grid(rng, n, max(m, 5)))
                frame = table(scores, rows=rows)
                x = frame.iloc[:, 1:].to_numpy()
                name = "zeta" if plain else kind
                frame.insert(int(rng.choice([1, len(frame.columns)])), name, make(rng, x))
                if np.nanmin(frame[name]) < np.nanmax(frame[name]) or len(frame) > 1:
                    yield (kind, host), name, frame, gains


def verdict(frame: pd.DataFrame, gains: bool) -> tuple[str, str]:
    """Read a table: "read", "named" or "refused", and what was said."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            lb.read_scores(frame, higher_is_better=gains)
        except lb.LeaderbayesError as problem:
            return "refused", str(problem)
    said = " ".join(str(w.message) for w in caught if "LB051" in str(w.message))
    return ("named", said) if said else ("read", "")


def errors(part: str, listing: bool) -> list[str]:
    """Return a row of the table: of one half of the kinds."""
    of_honest, wrong, rates, count = Counter[str](), Counter[str](), [], 0
    for kind, frame, gains in honest():
        if half(kind) == part:
            found, said = verdict(frame, gains)
            if kind == "one low score" and found == "named":  # as it should be
                found = "read"
            of_honest[found] += 1
            if found != "read":
                wrong[f"{kind}: {found}"] += 1
                if listing:
                    print(kind, frame.shape, found, re.sub(r"\s+", " ", said)[:300])
    for plain in (False, True):
        unnoticed, hosts, count = Counter[str](), Counter[str](), 0
        for (kind, host), name, frame, gains in foreign(plain=plain):
            if half(kind) == part:
                found, said = verdict(frame, gains)
                missed = found == "read" or repr(name) not in said
                count += 1
                unnoticed[kind] += missed
                hosts[host] += missed
        rates.append(f"{unnoticed.total() / count:.1%}")
        if listing:
            print({k: v for k, v in unnoticed.most_common() if v}, hosts)
    if listing:
        print(wrong)
    total = of_honest.total()
    shares = (f"{of_honest[found] / total:.1%}" for found in ("refused", "named"))
    return [part, str(total), *shares, str(count), *rates]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=["develop", "aside", "fresh"])
    parser.add_argument("--list", action="store_true", help="name what went wrong")
    given = parser.parse_args()
    print("| half | honest tables | refused | named for nothing | foreign columns | unnoticed | "
          "unnoticed by numbers alone |\n|---|---|---|---|---|---|---|")  # fmt: skip
    for part in [given.half] if given.half else ["develop", "aside", "fresh"]:
        print(f"| {' | '.join(errors(part, given.list))} |")


if __name__ == "__main__":
    main()
