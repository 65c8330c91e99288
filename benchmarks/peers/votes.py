"""What other tools say of votes: run by benchmarks/votes.py, in an environment of theirs.

    python votes.py VOTES.npz OUT.json CASE

VOTES.npz: first, second (vote,), places of players; outcome (vote,), 1, 1/2 or 0; feature (vote,).
Of CASE "cover" also board (vote,): which simulation a vote is of.
"""

import json
import sys

import choix
import evalica
import numpy as np
import pandas as pd
from arena_rank.models.bradley_terry import BradleyTerry
from arena_rank.models.contextual_bradley_terry import ContextualBradleyTerry
from arena_rank.utils.data_utils import ContextualPairDataset, PairDataset
from sklearn.linear_model import LogisticRegression

ALPHA = 400.0 / np.log(10.0)
NEAR = {"ftol": 1e-15, "gtol": 1e-10}


def table(votes):
    """The table that a user has."""
    names = np.array(
        [f"p{k:04d}" for k in range(1 + max(votes["first"].max(), votes["second"].max()))]
    )
    said = np.array(["model_b", "tie", "model_a"])[(2 * votes["outcome"]).astype(int)]
    return pd.DataFrame(
        {
            "model_a": names[votes["first"]],
            "model_b": names[votes["second"]],
            "winner": said,
            "feature": votes["feature"],
        }
    )


def centred(strengths):
    return (np.asarray(strengths) - np.mean(strengths)).tolist()


def arena_rank(frame, **options):
    """Ratings and 95 % intervals, as log-odds, in alphabetical order."""
    data = PairDataset.from_pandas(frame)
    model = BradleyTerry(len(data.competitors), **options)
    found = model.compute_ratings_and_cis(data)
    return [
        (np.asarray(found[k]) - 1000.0) / ALPHA for k in ("ratings", "rating_lower", "rating_upper")
    ]


def arena_rank_style(frame):
    data = ContextualPairDataset.from_pandas(
        frame, ["feature"], reweighted=False, normalize_features=False
    )
    model = ContextualBradleyTerry(len(data.competitors), 1, reg=0.0, **NEAR)
    found = model.compute_ratings_and_cis(data)
    return np.asarray(found["ratings"]) / ALPHA, np.asarray(found["coeffs"])


def evalica_scores(frame, **options):
    winner = {"model_a": evalica.Winner.X, "model_b": evalica.Winner.Y, "tie": evalica.Winner.Draw}
    found = evalica.bradley_terry(
        frame["model_a"], frame["model_b"], frame["winner"].map(winner), **options
    )
    return np.log(found.scores.sort_index().to_numpy())


def wins_of(frame):
    both = pd.concat([frame["model_a"], frame["model_b"]])
    code, names = pd.factorize(both, sort=True)
    first, second = code.reshape(2, -1)
    points = frame["winner"].map({"model_a": 1.0, "tie": 0.5, "model_b": 0.0}).to_numpy()
    m = len(names)
    won, lost = (
        np.bincount(first * m + second, each, m * m).reshape(m, m)
        for each in (points, 1.0 - points)
    )
    return won + lost.T


def fastchat(wins, **options):
    """The notebook's logistic regression on pairs that are weighted by how often they occurred."""
    m = len(wins)
    one, other = np.triu_indices(m, 1)
    rows = np.zeros((len(one), m))
    rows[np.arange(len(one)), one], rows[np.arange(len(one)), other] = 1.0, -1.0
    x, y = np.vstack([rows, rows]), np.repeat([1, 0], len(one))
    weight = np.concatenate([wins[one, other], wins[other, one]])
    kept = weight > 0
    model = LogisticRegression(fit_intercept=False, penalty=None, **{"tol": 1e-6, **options})
    return model.fit(x[kept], y[kept], sample_weight=weight[kept]).coef_[0]


def fastchat_style(frame):
    """Two rows a vote, of which a tie has one of each outcome."""
    _, code = np.unique(frame[["model_a", "model_b"]], return_inverse=True)
    first, second = code.reshape(-1, 2).T
    x = np.zeros((len(frame), code.max() + 2))
    x[np.arange(len(x)), first], x[np.arange(len(x)), second] = 1.0, -1.0
    x[:, -1] = frame["feature"]
    points = frame["winner"].map({"model_a": 1.0, "tie": 0.5, "model_b": 0.0}).to_numpy()
    weight = np.concatenate([points, 1.0 - points])
    model = LogisticRegression(
        fit_intercept=False, penalty=None, tol=1e-10, solver="newton-cg", max_iter=1000
    )
    found = model.fit(np.vstack([x, x]), np.repeat([1, 0], len(x)), sample_weight=weight).coef_[0]
    return found[:-1], found[-1:]


def bootstrap(frame, samples=100):
    """FastChat's intervals: single votes drawn again."""
    rng = np.random.default_rng(0)
    drawn = [
        fastchat(wins_of(frame.iloc[rng.integers(len(frame), size=len(frame))]))
        for _ in range(samples)
    ]
    return np.quantile(np.array(drawn), [0.025, 0.975], axis=0)


def agree(votes):
    frame = table(votes)
    wins = wins_of(frame)
    plain = {
        "arena-rank": arena_rank(frame, **NEAR)[0],
        "evalica": evalica_scores(frame, tolerance=1e-14, limit=100_000),
        "choix": choix.ilsr_pairwise_dense(wins, tol=1e-12, max_iter=1000),
        "FastChat's": fastchat(wins, tol=1e-12, solver="newton-cg", max_iter=1000),
    }
    style = {"arena-rank": arena_rank_style(frame), "FastChat's": fastchat_style(frame)}
    return {
        "plain": {name: centred(found) for name, found in plain.items()},
        "default": {
            "arena-rank": centred(arena_rank(frame)[0]),
            "evalica": centred(evalica_scores(frame)),
            "choix": centred(choix.ilsr_pairwise_dense(wins)),
            "FastChat's": centred(fastchat(wins)),
        },
        "style": {name: [centred(b), float(c[0])] for name, (b, c) in style.items()},
    }


def cover(votes):
    found = {"arena-rank, sandwich": [], "FastChat's, bootstrap of votes": []}
    for k in np.unique(votes["board"]):
        frame = table(
            {
                name: votes[name][votes["board"] == k]
                for name in ("first", "second", "outcome", "feature")
            }
        )
        found["arena-rank, sandwich"].append([each.tolist() for each in arena_rank(frame)[1:]])
        found["FastChat's, bootstrap of votes"].append(bootstrap(frame).tolist())
    return found


if __name__ == "__main__":
    given = dict(np.load(sys.argv[1]))
    result = {"agree": agree, "cover": cover}[sys.argv[3]](given)
    with open(sys.argv[2], "w") as file:
        json.dump(result, file)
