"""What runs tools in an environment of their own: NumPy and pandas only."""

import contextlib
import io
import json
import resource
import sys
import time
import warnings
from collections import Counter

import numpy as np
import pandas as pd

LEVELS = np.array([0.025, 0.1, 0.3, 0.5, 0.7, 0.9, 0.975])  # of quantiles


def from_draws(draws, unit, wins=None):
    """Make an answer from draws (draw, player) of a posterior or a bootstrap, higher is better.

    It has P(better), 95 % intervals of ranks and of differences, and P(leads) of as many further
    rounds, by draws that are wider by the root of two; of draws (draw, player, player) of win
    probabilities also their means and quantiles.
    """
    wider = draws.mean(axis=0) + np.sqrt(2.0) * (draws - draws.mean(axis=0))
    more = {"p_leads": np.bincount(wider.argmax(axis=1), minlength=draws.shape[1]) / len(draws)}
    if wins is not None:
        more["p_wins"] = wins.mean(axis=0)
        more["wins_quantiles"] = np.quantile(wins, LEVELS, axis=0)
    gap = draws[:, :, None] - draws[:, None, :]
    above = (gap < 0).mean(axis=0), (gap == 0).mean(axis=0)
    rank = 1.0 + (gap < 0).sum(axis=2) + 0.5 * ((gap == 0).sum(axis=2) - 1)
    lower, upper = np.quantile(rank, [0.025, 0.975], axis=0)
    low, high = np.quantile(gap, [0.025, 0.975], axis=0)
    return more | {
        "p_better": 1.0 - above[0] - above[1] / 2.0,
        "rank_lower": np.floor(lower), "rank_upper": np.ceil(upper),
        "difference_lower": low, "difference_upper": high, "unit": unit,
    }  # fmt: skip


def win_chances(draws):
    """Return win probabilities (draw, player, player) of strengths (draw, player) in logits."""
    gap = draws[:, :, None] - draws[:, None, :]
    return 1.0 / (1.0 + np.exp(np.clip(-gap, -50.0, 50.0)))


def _seconds():
    """CPU seconds of this process and of those that it has started."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _listed(value):
    return value if isinstance(value, str) else np.asarray(value, float).tolist()


def serve(tools):
    """Run `python FILE TOOL JOBS ANSWERS LIMIT`, or `python FILE --list` to print their names.

    Each line of JOBS is a board, each of ANSWERS a tool's answer. A tool that raises refuses; after
    LIMIT seconds of CPU on boards of a kind ("half", "simulated", "cell") no further one of them is
    begun. Cells are given to tools that have intervals of win probabilities. The first board is
    given twice, and the second call is timed.
    """
    if sys.argv[1:] == ["--list"]:
        print(json.dumps(list(tools)))
        return
    name, jobs, answers, limit = sys.argv[1:]
    tool, used, known = tools[name], Counter(), set()
    warnings.simplefilter("ignore")
    with open(jobs, encoding="utf-8") as file, open(answers, "w", encoding="utf-8") as out:
        for number, line in enumerate(file):
            job = json.loads(line)
            part = job["for"]
            if used[part] > float(limit) or (part == "cell" and "wins_quantiles" not in known):
                continue
            scores = pd.DataFrame(job["scores"], job["rounds"], job["players"], dtype=float)
            for _ in range(1 + (number == 0)):
                start, wall = _seconds(), time.perf_counter()
                try:
                    with contextlib.redirect_stdout(io.StringIO()):
                        said = tool(scores.copy(), dict(job["facts"]), job["seed"])
                    known |= set(said)
                    result = {"answer": {key: _listed(value) for key, value in said.items()}}
                except Exception as error:
                    text = f"{type(error).__name__}: {error}".splitlines()[0]
                    result = {"refused": text[:200]}
                taken, waited = _seconds() - start, time.perf_counter() - wall
            result |= {"id": job["id"], "cpu": taken, "wall": waited}
            out.write(json.dumps(result) + "\n")
            out.flush()
            used[part] += taken
