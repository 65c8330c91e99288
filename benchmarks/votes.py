"""Votes beside arena-rank, evalica, choix and FastChat's logistic regression, in one run.

    uv run python benchmarks/votes.py --peer PYTHON [--only agree|cover]

PYTHON is that of an environment with arena-rank, evalica, choix and scikit-learn. Prints two
tables: how far estimates of the same convention are apart (ties half, nothing else), and how often
intervals of 95 % cover where judges have opinions of their own. run.py has the time they take.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import expit

import leaderbayes as lb

sys.path.insert(0, str(Path(__file__).parents[1] / "models"))
from matches import best_fitting

PEER = Path(__file__).parent / "peers" / "votes.py"
PLAYERS, JUDGES, OPINION = 10, 60, 0.5  # of a board whose intervals are looked at


def simulate(size, players, judges, rng, *, opinion=0.0, ties=0.15, slope=0.0, spread=0.7):
    """Votes, and the strengths: judges' opinions add to them."""
    strength = spread * rng.standard_normal(players)
    first = rng.integers(players, size=size)
    second = (first + rng.integers(1, players, size=size)) % players
    judge = rng.integers(judges, size=size)
    feature = rng.standard_normal(size)
    eta = strength[first] - strength[second] + slope * feature
    if opinion:
        own = opinion * rng.standard_normal((judges, players))
        eta = eta + own[judge, first] - own[judge, second]
    outcome = (rng.random(size) < expit(eta)).astype(float)
    outcome[rng.random(size) < ties] = 0.5
    votes = {"first": first, "second": second, "outcome": outcome, "feature": feature}
    return votes | {"judge": judge}, strength


def table(votes):
    """The table that a user has."""
    made = pd.DataFrame({name: votes[name] for name in ("outcome", "judge", "feature")})
    for column, side in {"model_b": "second", "model_a": "first"}.items():
        made.insert(0, column, [f"p{k:04d}" for k in votes[side]])
    return made


def ask(python, votes, case):
    """What the peers say of a table of votes."""
    with tempfile.TemporaryDirectory() as folder:
        given, out = Path(folder) / "votes.csv", Path(folder) / "out.json"
        votes.to_csv(given, index=False)
        subprocess.run([python, PEER, given, out, case], check=True, stderr=subprocess.DEVNULL)
        return json.loads(out.read_text())


def strengths(estimate):
    """By name, about their mean."""
    return estimate["epp"].sortby("player").to_numpy()


def agreement(python):
    """Rows of the first table."""
    votes, _ = simulate(20_000, 30, 100, np.random.default_rng(1), slope=0.4)
    peers = ask(python, table(votes), "agree")
    plain = lb.likelihood.bradley_terry(lb.read_votes(table(votes)), covariance="model")
    given = lb.read_votes(table(votes), covariates=["feature"])
    style = lb.likelihood.bradley_terry(given, covariance="model")
    slope = float(style["effect_size"][0]) / votes["feature"].std()
    for name, theirs in peers["plain"].items():
        both = theirs, peers["default"][name]
        near, usual = (np.abs(np.array(each) - strengths(plain)).max() for each in both)
        said = ["", ""]
        if apart := peers["style"].get(name):
            gaps = np.abs(np.array(apart[0]) - strengths(style)).max(), abs(apart[1] - slope)
            said = [f"{gap:.1e}" for gap in gaps]
        yield name, f"{near:.1e}", f"{usual:.1e}", *said


def limit(strength):
    """What Bradley-Terry says of infinitely many judges with opinions of their own."""
    node, weight = np.polynomial.hermite_e.hermegauss(60)
    gap = strength[:, None] - strength
    apart = np.sqrt(2.0) * OPINION * node
    p = (expit(gap[..., None] + apart) * weight).sum(axis=-1) / weight.sum()
    return best_fitting(0.85 * p + 0.15 * 0.5)  # ties


def coverage(python, boards, each):
    """Rows of the second table: judges of so many votes each."""
    rng = np.random.default_rng(3)
    drawn = [simulate(JUDGES * each, PLAYERS, JUDGES, rng, opinion=OPINION) for _ in range(boards)]
    truth = np.array([limit(strength) for _, strength in drawn])
    every = pd.concat([table(votes).assign(board=k) for k, (votes, _) in enumerate(drawn)])
    found = {name: np.array(ends) for name, ends in ask(python, every, "cover").items()}
    ours = {
        "leaderbayes, independent votes": lambda votes: lb.likelihood.bradley_terry(
            votes, covariance="model", cluster="none"
        ),
        "leaderbayes, clustered by judge": lb.likelihood.bradley_terry,
        "leaderbayes, posterior": lambda votes: lb.fit(votes, seed=1, draws=500),
    }
    read = [lb.read_votes(table(votes)) for votes, _ in drawn]
    for name, work in ours.items():
        boards_ = [lb.leaderboard(work(votes), prob=0.95).sort_values("player") for votes in read]
        found[name] = np.array([[b["epp_lower"], b["epp_upper"]] for b in boards_])
    for name, (lower, upper) in ((n, np.moveaxis(e, 1, 0)) for n, e in found.items()):
        inside = ((lower <= truth) & (truth <= upper)).mean(axis=1)
        error = inside.std(ddof=1) / np.sqrt(boards)
        yield name, each, f"{inside.mean():.3f}", f"{error:.3f}", f"{(upper - lower).mean():.3f}"


def show(title, header, rows):
    """Print a table in Markdown."""
    print(f"\n{title}\n\n| {' | '.join(header)} |\n|{'---|' * len(header)}", flush=True)
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", required=True)
    parser.add_argument("--boards", type=int, default=100)
    parser.add_argument("--only", choices=["agree", "cover"])
    given = parser.parse_args()
    warnings.simplefilter("ignore", lb.LeaderbayesWarning)
    if given.only in (None, "agree"):
        header = ["tool", "to the end", "by default", "strengths, one covariate", "its coefficient"]
        show("Apart from ours", header, agreement(given.peer))
    if given.only in (None, "cover"):
        header = ["intervals of 95 %", "votes a judge", "cover", "se", "width"]
        rows = (row for each in (50, 200) for row in coverage(given.peer, given.boards, each))
        show("Judges with opinions", header, rows)


if __name__ == "__main__":
    main()
