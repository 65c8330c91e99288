"""What `leaderbayes.plan` promises, against what further rounds decide.

    OPENBLAS_NUM_THREADS=1 uv run --group test python benchmarks/plan.py [--boards 500]

Prints two tables: over boards from the prior, continued with rounds from the true strengths; and
over the shipped classifiers, ten rounds drawn at random continued with the other fifteen, for pairs
that the ten leave open. A board from the prior takes some 2 s, four pairs of a shipped one 10 s.
"""

import argparse
import json
import warnings
from itertools import combinations

import numpy as np
import pandas as pd
import xarray as xr

import leaderbayes as lb

PLAYERS, PLAYED, LENGTHS = 5, 10, (10, 30)
PROB = 0.95


def simulate(epp, rounds, rng):
    """Scores (player, round): strengths and Gumbel noise."""
    values = np.asarray(epp)[:, None] + rng.gumbel(size=(len(epp), rounds))
    coords = {
        "player": [f"p{i}" for i in range(len(epp))],
        "round": np.arange(rounds).astype(str),
    }
    return xr.DataArray(values, coords, tuple(coords), "score", {"higher_is_better": 1})


def fit(scores, seed, prior_scale):
    return lb.fit(
        scores, sampler="laplace", draws=500, seed=seed, replicates=1, prior_scale=prior_scale
    )


def is_decided(dt, pair):
    """Whether a fit tells the pair apart, or its leader from everybody."""
    if pair is None:
        return len(lb.tied_for_top(dt, prob=PROB)) == 1
    compared = lb.compare(dt, *pair)
    return max(float(compared["p_better"]), float(compared["p_worse"])) >= PROB


def promises(scores, played, pair, lengths, simulations, seed, prior_scale):
    """Rows of promises and outcomes of one board."""
    now = fit(scores[:, :played], seed, prior_scale)
    planned = lb.plan(now, pair, rounds=lengths, prob=PROB, simulations=simulations, seed=seed)
    who = {"all": scores["player"].to_numpy(), "contested": json.loads(planned.attrs["contested"])}
    for way in planned["who"].to_numpy():
        for further in lengths:
            later = fit(scores.sel(player=who[way])[:, : played + further], seed, prior_scale)
            yield {
                "question": "leader" if pair is None else "pair",
                "who": str(way),
                "rounds": further,
                "promised": float(planned["p_decided"].sel(who=way, rounds=further)),
                "happened": float(is_decided(later, pair)),
            }


def of_the_prior(boards, simulations):
    """Strengths from the model's prior (scale 1)."""
    for seed in range(boards):
        rng = np.random.default_rng([seed, 10])
        epp = abs(rng.normal()) * rng.normal(size=PLAYERS)
        scores = simulate(epp - epp.mean(), PLAYED + LENGTHS[-1], rng)
        for pair in (("p0", "p1"), None):
            yield from promises(scores, PLAYED, pair, LENGTHS, simulations, seed, 1.0)


def of_the_shipped(splits, simulations):
    """Pairs of the shipped classifiers that some of the rounds leave open, four of each split."""
    for name in lb.datasets.load("classifiers")["tournament"].to_numpy():
        scores = lb.datasets.load("classifiers", str(name))
        for seed in range(splits):
            rng = np.random.default_rng([seed, 11])
            mixed = scores[:, rng.permutation(scores.sizes["round"])]
            now = fit(mixed[:, :PLAYED], seed, 2.0)
            pairs = list(combinations(map(str, scores["player"].to_numpy()), 2))
            undecided = [pair for pair in pairs if not is_decided(now, pair)]
            for k in rng.permutation(len(undecided))[:4]:
                for row in promises(mixed, PLAYED, undecided[k], (15,), simulations, seed, 2.0):
                    yield row | {"question": str(name)}


def show(rows, keys):
    """Print means, and the standard error of the difference."""
    table = pd.DataFrame(rows)
    table["gap"] = table["happened"] - table["promised"]
    means = table.groupby(keys)[["promised", "happened"]].mean()
    means["se"] = table.groupby(keys)["gap"].std() / np.sqrt(table.groupby(keys).size())
    means["boards"] = table.groupby(keys).size()
    print(means.round(3).to_string(), end="\n\n", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boards", type=int, default=500)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--simulations", type=int, default=20)
    given = parser.parse_args()
    warnings.simplefilter("ignore", lb.LeaderbayesWarning)
    show(of_the_prior(given.boards, given.simulations), ["question", "who", "rounds"])
    show(of_the_shipped(given.splits, given.simulations), ["question", "who"])


if __name__ == "__main__":
    main()
