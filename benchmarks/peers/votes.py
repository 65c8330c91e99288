"""What other tools say of votes: run by benchmarks/votes.py, in an environment of theirs.

    python votes.py VOTES.csv OUT.json CASE

Columns: model_a, model_b, outcome (1, 1/2 or 0), feature; of CASE "cover" also board, the number of
the simulation that a vote is of.
"""

import json
import sys
from functools import partial

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


def read(path):
    """The votes, with the winner in words."""
    votes = pd.read_csv(path, float_precision="round_trip")
    return votes.assign(winner=votes["outcome"].map({1.0: "model_a", 0.5: "tie", 0.0: "model_b"}))


def centred(strengths):
    return (np.asarray(strengths) - np.mean(strengths)).tolist()


def arena_rank(frame, **options):
    """Ratings and 95 % intervals, as log-odds, in alphabetical order."""
    data = PairDataset.from_pandas(frame)
    model = BradleyTerry(len(data.competitors), **options)
    found = model.compute_ratings_and_cis(data)
    columns = "ratings", "rating_lower", "rating_upper"
    return [(np.asarray(found[k]) - 1000.0) / ALPHA for k in columns]


def arena_rank_style(frame):
    plain = {"reweighted": False, "normalize_features": False}
    data = ContextualPairDataset.from_pandas(frame, ["feature"], **plain)
    model = ContextualBradleyTerry(len(data.competitors), 1, reg=0.0, **NEAR)
    found = model.compute_ratings_and_cis(data)
    return np.asarray(found["ratings"]) / ALPHA, np.asarray(found["coeffs"])


def evalica_scores(frame, **options):
    winner = {"model_a": evalica.Winner.X, "model_b": evalica.Winner.Y, "tie": evalica.Winner.Draw}
    votes = frame["model_a"], frame["model_b"], frame["winner"].map(winner)
    return np.log(evalica.bradley_terry(*votes, **options).scores.sort_index().to_numpy())


def wins_of(frame):
    both = pd.concat([frame["model_a"], frame["model_b"]])
    code, names = pd.factorize(both, sort=True)
    first, second = code.reshape(2, -1)
    points, won = frame["outcome"].to_numpy(), np.zeros((len(names), len(names)))
    np.add.at(won, (first, second), points)
    np.add.at(won, (second, first), 1.0 - points)
    return won


def logistic(first, second, won, lost, *more, **options):
    """Logistic regression on two rows each, one of either outcome, with weights."""
    x = np.eye(max(first.max(), second.max()) + 1)
    x = np.column_stack([x[first] - x[second], *more])
    y, weight = np.repeat([1, 0], len(x)), np.concatenate([won, lost])
    kept = weight > 0
    model = LogisticRegression(fit_intercept=False, penalty=None, **{"tol": 1e-6, **options})
    return model.fit(np.vstack([x, x])[kept], y[kept], sample_weight=weight[kept]).coef_[0]


def fastchat(wins, **options):
    """The notebook's logistic regression on pairs that are weighted by how often they occurred."""
    one, other = np.triu_indices(len(wins), 1)
    return logistic(one, other, wins[one, other], wins[other, one], **options)


def fastchat_style(frame):
    """Two rows a vote, of which a tie has one of each outcome."""
    _, code = np.unique(frame[["model_a", "model_b"]], return_inverse=True)
    first, second = code.reshape(-1, 2).T
    won, near = frame["outcome"].to_numpy(), {"tol": 1e-10, "solver": "newton-cg", "max_iter": 1000}
    found = logistic(first, second, won, 1.0 - won, frame["feature"], **near)
    return found[:-1], found[-1:]


def bootstrap(frame, samples=100):
    """FastChat's intervals: single votes drawn again."""
    rng = np.random.default_rng(0)
    picked = rng.integers(len(frame), size=(samples, len(frame)))
    drawn = [fastchat(wins_of(frame.iloc[rows])) for rows in picked]
    return np.quantile(drawn, [0.025, 0.975], axis=0)


def agree(frame):
    wins = wins_of(frame)
    near = {"tol": 1e-12, "max_iter": 1000}
    plain = {  # to the end, and by default
        "arena-rank": (lambda **o: arena_rank(frame, **o)[0], NEAR),
        "evalica": (partial(evalica_scores, frame), {"tolerance": 1e-14, "limit": 100_000}),
        "choix": (partial(choix.ilsr_pairwise_dense, wins), near),
        "FastChat's": (partial(fastchat, wins), near | {"solver": "newton-cg"}),
    }
    style = {"arena-rank": arena_rank_style(frame), "FastChat's": fastchat_style(frame)}
    return {
        "plain": {name: centred(of(**options)) for name, (of, options) in plain.items()},
        "default": {name: centred(of()) for name, (of, _) in plain.items()},
        "style": {name: [centred(b), float(c[0])] for name, (b, c) in style.items()},
    }


def cover(votes):
    found = {"arena-rank, sandwich": [], "FastChat's, bootstrap of votes": []}
    for _, frame in votes.groupby("board"):
        found["arena-rank, sandwich"].append([each.tolist() for each in arena_rank(frame)[1:]])
        found["FastChat's, bootstrap of votes"].append(bootstrap(frame).tolist())
    return found


if __name__ == "__main__":
    result = {"agree": agree, "cover": cover}[sys.argv[3]](read(sys.argv[1]))
    with open(sys.argv[2], "w") as file:
        json.dump(result, file)
