"""Simulated votes, and fits of them."""

import warnings

import numpy as np
import xarray as xr

import leaderbayes as lb


def votes_of(first, second, outcome, players, **coords):
    """Votes as `read_votes` gives them."""
    return xr.Dataset(
        {
            "first": ("vote", np.asarray(first, dtype=np.int32)),
            "second": ("vote", np.asarray(second, dtype=np.int32)),
            "outcome": ("vote", np.asarray(outcome, dtype=float)),
        },
        {"player": [f"m{k}" for k in range(players)]}
        | {name: ("vote", np.asarray(values)) for name, values in coords.items()},
        {"kind": "votes", "ordered": 1, "read_as": "simulated", "both_bad": "tie"},
    )


def draw(epp, n, rng, *, judges=10, spread=0.0, opinions=None, ties=0.0, pairs=None, of=None):
    """Draw votes of judges, whose opinions (judge, player) of players are spread."""
    m = len(epp)
    if opinions is None:
        opinions = rng.normal(0.0, spread, (judges, m))
    if pairs is None:
        i = rng.integers(0, m, n)
        j = (i + rng.integers(1, m, n)) % m
    else:
        i, j = np.asarray(pairs)[rng.integers(0, len(pairs), n)].T
    g = rng.integers(0, len(opinions), n) if of is None else of
    eta = epp[i] - epp[j] + opinions[g, i] - opinions[g, j]
    y = (rng.random(n) < 1.0 / (1.0 + np.exp(-eta))).astype(float)
    y[rng.random(n) < ties] = 0.5
    return votes_of(i, j, y, m, judge=[f"j{x}" for x in g])


def fit(votes, **options):
    """A fit without its warnings, quickly."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        return lb.fit(votes, **({"seed": 1, "replicates": 4} | options))
