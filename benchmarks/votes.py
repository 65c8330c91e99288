"""Votes beside arena-rank, evalica, choix and FastChat's logistic regression, in one run.

    uv run python benchmarks/votes.py --peer PYTHON [--only agree|speed|cover]
    uv run python benchmarks/votes.py --only count [--votes 100000000]
    uv run python benchmarks/votes.py --only tournaments

PYTHON is that of an environment with arena-rank, evalica, choix and scikit-learn. Prints three
tables: how far estimates of the same convention are apart (ties half, nothing else), processor
seconds from a table of votes to estimates (a second call in the process), and how often intervals
of 95 % cover where judges have opinions of their own. The last is of votes in Parquet files, which
are counted without reading them all: seconds, and the most memory that the process took. And of
fits of several tournaments at once, of 20 judges who vote in all: processor seconds, by which
sampler, and whether it converged.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from scipy.special import expit

import leaderbayes as lb
from leaderbayes._numerics.bradley_terry import newton

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
    names = np.array(
        [f"p{k:04d}" for k in range(1 + max(votes["first"].max(), votes["second"].max()))]
    )
    return pd.DataFrame(
        {
            "model_a": names[votes["first"]],
            "model_b": names[votes["second"]],
            "outcome": votes["outcome"],
            "judge": votes["judge"],
            "feature": votes["feature"],
        }
    )


def ask(python, votes, case):
    """What the peers say of these votes."""
    with tempfile.TemporaryDirectory() as folder:
        given, out = Path(folder) / "votes.npz", Path(folder) / "out.json"
        np.savez(given, **votes)
        subprocess.run([python, PEER, given, out, case], check=True, stderr=subprocess.DEVNULL)
        return json.loads(out.read_text())


def strengths(estimate):
    """By name, about their mean."""
    return estimate["epp"].sortby("player").to_numpy()


def agreement(python):
    """Rows of the first table."""
    votes, _ = simulate(20_000, 30, 100, np.random.default_rng(1), slope=0.4)
    peers = ask(python, votes, "agree")
    plain = lb.likelihood.bradley_terry(lb.read_votes(table(votes)), covariance="model")
    given = lb.read_votes(table(votes), covariates=["feature"])
    style = lb.likelihood.bradley_terry(given, covariance="model")
    slope = float(style["effect_size"][0]) / votes["feature"].std()
    for name, theirs in peers["plain"].items():
        near, usual = (
            np.abs(np.array(each) - strengths(plain)).max()
            for each in (theirs, peers["default"][name])
        )
        apart = peers["style"].get(name)
        said = (
            [
                f"{np.abs(np.array(apart[0]) - strengths(style)).max():.1e}",
                f"{abs(apart[1] - slope):.1e}",
            ]
            if apart
            else ["", ""]
        )
        yield name, f"{near:.1e}", f"{usual:.1e}", *said


def seconds(work):
    """Processor seconds of a second call."""
    work()
    start = time.process_time()
    work()
    return time.process_time() - start


def speed(python, size):
    """Rows of the second table: from the table to estimates, with what width there is."""
    votes, _ = simulate(size, 200, size // 100, np.random.default_rng(2))
    frame = table(votes)
    ours = {
        "leaderbayes, the estimate and its Hessian": lambda: lb.likelihood.bradley_terry(
            lb.read_votes(frame), covariance="model", cluster="none"
        ),
        "leaderbayes, clustered by judge": lambda: lb.likelihood.bradley_terry(
            lb.read_votes(frame)
        ),
    }
    taken = {name: seconds(work) for name, work in ours.items()}
    peers = ask(python, votes, "speed")
    votes_read = lb.read_votes(frame)
    taken["... of which reading the table"] = seconds(lambda: lb.read_votes(frame))
    taken["leaderbayes, Elo in the order of rows, of votes read"] = seconds(
        lambda: lb.elo(votes_read)
    )
    least = taken["leaderbayes, the estimate and its Hessian"]
    for name, each in (taken | peers).items():
        yield name, f"{size:.0e}", f"{each:.2f}", f"{each / least:.2f}"


def limit(strength):
    """What Bradley-Terry says of infinitely many judges with opinions of their own."""
    node, weight = np.polynomial.hermite_e.hermegauss(60)
    gap = strength[:, None] - strength
    apart = np.sqrt(2.0) * OPINION * node
    p = (expit(gap[..., None] + apart) * weight).sum(axis=-1) / weight.sum()
    p = 0.85 * p + 0.15 * 0.5  # ties
    np.fill_diagonal(p, 0.0)
    return newton(p.sum(axis=1), 1.0 - np.eye(len(p)))[0]


def coverage(python, boards, each):
    """Rows of the third table: judges of so many votes each."""
    rng = np.random.default_rng(3)
    drawn = [simulate(JUDGES * each, PLAYERS, JUDGES, rng, opinion=OPINION) for _ in range(boards)]
    truth = np.array([limit(strength) for _, strength in drawn])
    every = {
        name: np.concatenate([votes[name] for votes, _ in drawn])
        for name in ("first", "second", "outcome", "feature")
    }
    every["board"] = np.repeat(np.arange(boards), JUDGES * each)
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


def write_files(size, folder, *, each=5_000_000, players=200, judges=50):
    """Votes of judges in Parquet files of so many."""
    rng = np.random.default_rng(4)
    strength = 0.7 * rng.standard_normal(players)
    names = pa.array([f"p{k:04d}" for k in range(players)])
    words = pa.array(["model_b", "tie", "model_a"])
    for k, start in enumerate(range(0, size, each)):
        n = min(each, size - start)
        first = rng.integers(players, size=n, dtype=np.int32)
        second = (first + rng.integers(1, players, size=n, dtype=np.int32)) % players
        won = 2 * (rng.random(n, dtype=np.float32) < expit(strength[first] - strength[second]))
        won[rng.random(n, dtype=np.float32) < 0.15] = 1
        columns = {
            "model_a": pa.DictionaryArray.from_arrays(pa.array(first), names),
            "model_b": pa.DictionaryArray.from_arrays(pa.array(second), names),
            "winner": pa.DictionaryArray.from_arrays(pa.array(won.astype(np.int8)), words),
            "judge": pa.array(rng.integers(judges, size=n, dtype=np.int16)),
        }
        pq.write_table(pa.table(columns), Path(folder) / f"part-{k:03d}.parquet")


def counted(folder):
    """Count votes alike in players, outcome and judge, which need not fit into memory."""
    import duckdb

    alike = "SELECT model_a, model_b, winner, judge, count(*) AS n_votes"
    return duckdb.sql(f"{alike} FROM '{folder}/*.parquet' GROUP BY ALL").df()


def count_files(folder):
    """Count, estimate and draw, and say seconds and the most memory so far, after each."""
    steps = {
        "counted": lambda: lb.read_votes(counted(folder)),
        "estimated, clustered by judge": lambda: lb.likelihood.bradley_terry(votes),
        "4000 draws of the posterior": lambda: lb.fit(votes, seed=1, progressbar=False),
    }
    votes = None
    for name, work in steps.items():
        start = time.perf_counter()
        done = work()
        votes = done if votes is None else votes
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        yield name, votes.sizes["vote"], f"{time.perf_counter() - start:.1f}", f"{most:.2f}"


def counting(size):
    """Rows of the fourth table, of a process that has done nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        write_files(size, folder)
        held = sum(file.stat().st_size for file in Path(folder).iterdir())
        print(f"\n{size:.0e} votes in {held / 2**20:.0f} MiB of Parquet", flush=True)
        command = [sys.executable, __file__, "--only", "counted", "--folder", folder]
        subprocess.run(command, check=True)


def together(sizes=((8, 3, 300), (20, 10, 1000), (20, 10, 200), (40, 20, 500))):
    """Fit votes of several tournaments at once, and say how long that takes."""
    for players, tournaments, each in sizes:
        rng = np.random.default_rng(1)
        mean = 0.8 * rng.standard_normal(players)
        opinion = OPINION * rng.standard_normal((20, players))
        of = np.repeat(np.arange(tournaments), each)
        here = mean + 0.4 * rng.standard_normal((tournaments, players))
        first = rng.integers(players, size=len(of))
        second = (first + rng.integers(1, players, size=len(of))) % players
        judge = rng.integers(20, size=len(of))
        eta = here[of, first] - here[of, second] + opinion[judge, first] - opinion[judge, second]
        outcome = (rng.random(len(of)) < expit(eta)).astype(float)
        kept = {"first": first, "second": second, "outcome": outcome, "judge": judge, "feature": 0}
        votes = lb.read_votes(
            table(kept).drop(columns="feature").assign(tournament=of), tournament="tournament"
        )
        start = time.process_time()
        dt = lb.fit(votes, "tournaments", seed=1, progressbar=False)
        took = time.process_time() - start
        yield players, tournaments, each, f"{took:.1f}", dt.attrs["sampler"], dt.attrs["converged"]


def show(title, header, rows):
    """Print a table in Markdown."""
    print(f"\n{title}\n\n| {' | '.join(header)} |\n|{'---|' * len(header)}", flush=True)
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer")
    parser.add_argument("--boards", type=int, default=100)
    parser.add_argument("--largest", type=int, default=10**6)
    parser.add_argument(
        "--only", choices=["agree", "speed", "cover", "count", "counted", "tournaments"]
    )
    parser.add_argument("--votes", type=int, default=10**8)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.peer is None and given.only not in ("count", "counted", "tournaments"):
        parser.error("--peer is the Python of an environment with the others")
    warnings.simplefilter("ignore", lb.LeaderbayesWarning)
    if given.only in (None, "agree"):
        header = ["tool", "to the end", "by default", "strengths, one covariate", "its coefficient"]
        show("Apart from ours", header, agreement(given.peer))
    if given.only in (None, "speed"):
        sizes = [size for size in (10**5, 10**6) if size <= given.largest]
        rows = (row for size in sizes for row in speed(given.peer, size))
        show("200 players", ["tool", "votes", "CPU s", "ratio"], rows)
    if given.only in (None, "cover"):
        header = ["intervals of 95 %", "votes a judge", "cover", "se", "width"]
        rows = (row for each in (50, 200) for row in coverage(given.peer, given.boards, each))
        show("Judges with opinions", header, rows)
    if given.only in (None, "count"):
        counting(given.votes)
    if given.only in (None, "tournaments"):
        header = ["players", "tournaments", "votes each", "CPU s", "sampler", "converged"]
        show("Several tournaments at once", header, together())
    if given.only == "counted":
        header = ["of 200 players, 50 judges", "rows", "s", "peak GiB"]
        show("Out of core", header, count_files(given.folder))


if __name__ == "__main__":
    main()
