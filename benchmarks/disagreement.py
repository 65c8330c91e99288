"""Which methods disagree about a leaderboard, and who is right in the rounds that were kept back.

    uv run --extra data python benchmarks/disagreement.py; python docs/figures.py     # CPU: 20 min

Every real board of boardbench, with at most 60 players and 100 rounds, is cut into random halves.
Methods rank the players on one half, and the other half judges. Writes a row per board to
docs/_static/disagreement.csv; docs/figures.py draws the figures of docs/disagreement.md and prints
its numbers. A run that was stopped goes on where it was.
"""

import signal
import sys
import warnings
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr
from scipy.stats import rankdata

import leaderbayes as lb

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "boardbench"), str(HERE / "boardbench" / "tools")]
import boards  # noqa: E402
from ours import board_of  # noqa: E402

TABLE = HERE.parent / "docs" / "_static" / "disagreement.csv"
PLAYERS, ROUNDS = 60, 100  # at most
SPLITS, DRAWN = 8, 2  # halvings of a board, and those on which Bradley-Terry is sampled
LIMIT = 60  # seconds of a fit
ORDERS = ("mean", "epp", "pl", "pmra")
LEADERS = (*ORDERS, "best", "best_mean")


def estimate(method, scores):
    """Return strengths by maximum likelihood, with a tie of all players where it does not exist."""
    options = {}
    try:
        found = method(lb.matches(scores))
    except lb.NotConvergedError:
        if method is lb.likelihood.round_intercept:
            tied = 0.0 * scores.isel(round=[0]).assign_coords(round=["tied"])
            scores = xr.concat([scores, tied], "round", combine_attrs="override")
        else:
            options["pseudo_rounds"] = 1.0
        found = method(lb.matches(scores), **options)
    return found["epp"].sel(player=scores["player"]).to_numpy()


def sampled(scores, model, answer):
    """Return an answer to a posterior, or NaN where it took too long or failed."""
    signal.alarm(LIMIT)
    try:
        return answer(lb.fit(scores, model, draws=150, replicates=1, seed=1, progressbar=False))
    except (TimeoutError, np.linalg.LinAlgError, lb.LeaderbayesError) as error:
        print(f"{model}: {error!r:.80}", file=sys.stderr)
        return np.full(scores.sizes["player"], np.nan)
    finally:
        signal.alarm(0)


def best(dt):
    """Return how often each player is the best."""
    name = "score" if "score" in dt["posterior"] else "epp"
    draws = dt["posterior"][name].stack(s=("chain", "draw")).to_numpy()
    return np.bincount(draws.argmax(axis=0), minlength=len(draws)).astype(float)


def best_and_blend(dt):
    """Return how often each player is the best, and its mean win probability by the blend."""
    wins = lb.win_probability(dt)["mean"].mean("opponent").sel(player=dt["posterior"]["player"])
    return np.stack([best(dt), wins.to_numpy()])


def order(strength, mean):
    """Return ranks from 0; equal strengths are ordered by mean score."""
    return np.argsort(np.lexsort((-mean, -np.round(strength, 6))))


def compared(board, split):
    """Rank by one half and judge by the other: return numbers for each pair of methods."""
    half, kept = boards.halves(board, split)
    scores = board_of(half.scores, board.facts)
    y, z = half.scores.to_numpy().T, kept.to_numpy().T
    mean = y.mean(axis=1)
    by = {"mean": mean, "epp": -rankdata(-y, axis=0).mean(axis=1)}
    by["pl"] = estimate(lb.likelihood.plackett_luce, scores)
    by["pmra"] = estimate(lb.likelihood.round_intercept, scores)
    by["best_mean"] = sampled(scores, "mean_score", best)
    epp = order(estimate(lb.likelihood.bradley_terry, scores), mean)
    row = {"epp_same": (epp == order(by["epp"], mean)).all()}
    if split < DRAWN:
        by["best"], blend = sampled(scores, "bradley_terry", best_and_blend) * np.ones((2, 1))
        row["blend_same"] = blend.argmax() == order(by["epp"], mean).argmin()
    ranks = {name: order(value, mean) for name, value in by.items() if np.isfinite(value).all()}
    ahead = {  # 1 where the row is ahead of the column in the half that was kept back
        "mean": np.sign(z.mean(axis=1)[:, None] - z.mean(axis=1)) / 2 + 0.5,
        "wins": np.sign(np.sign(z[:, None] - z).sum(axis=-1)) / 2 + 0.5,
    }
    i, j = np.triu_indices(len(y), 1)
    for a, b in combinations([name for name in LEADERS if name in ranks], 2):
        first, second = ranks[a].argmin(), ranks[b].argmin()
        row[f"{a}-{b} leader"] = first != second
        both = {a, b} <= set(ORDERS)
        up = ranks[a][i] < ranks[a][j]
        turned = up != (ranks[b][i] < ranks[b][j])
        if both:
            row[f"{a}-{b} top"] = ((ranks[a] < 3) != (ranks[b] < 3)).any()
            row[f"{a}-{b} order"] = turned.mean()
        for judge, won in ahead.items():
            row[f"{a}-{b} leader {judge}"] = won[first, second] * (first != second)
            if both:
                right = np.where(up, won[i, j], won[j, i])
                row[f"{a}-{b} order {judge}"] = (turned * right).mean()
    return row


def facts(board):
    """Return what may make methods disagree: size, ties, own scales of players and of rounds."""
    y = board.scores.to_numpy().T
    left = y - y.mean(axis=0) - y.mean(axis=1, keepdims=True) + y.mean()
    i, j = np.triu_indices(len(y), 1)
    first, second = np.argsort(-y.mean(axis=1))[:2]
    ahead = y[first] - y[second]
    own, rounds = (np.log(left.std(axis=axis).clip(1e-9)).std() for axis in (1, 0))
    return {
        "players": y.shape[0], "rounds": y.shape[1], "ties": (y[i] == y[j]).mean(),
        "own_scales": own, "round_scales": rounds,
        "lead": ahead.mean() / max(ahead.std(ddof=1) / np.sqrt(len(ahead)), 1e-9),
    }  # fmt: skip


def late(*_):
    """End a fit that takes too long."""
    raise TimeoutError("too long")


def main():
    """Make the table."""
    boards._MOST = PLAYERS
    signal.signal(signal.SIGALRM, late)
    rows = pd.read_csv(TABLE).to_dict("records") if TABLE.exists() else []
    done = {row["board"] for row in rows}
    for source in boards.SOURCES:
        for name, board in (boards.real(source) or {}).items():
            if name in done:
                continue
            cut = np.sort(boards._Uniforms(7, 0).uniform(len(board.scores)).argsort()[:ROUNDS])
            board = board._replace(scores=board.scores.iloc[cut])
            each = pd.DataFrame([compared(board, split) for split in range(SPLITS)]).astype(float)
            rows.append({"board": name, "source": source} | facts(board) | dict(each.mean()))
            pd.DataFrame(rows).to_csv(TABLE, index=False, float_format="%.3g")
            print(name, flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
