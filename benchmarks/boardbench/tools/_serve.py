"""What runs tools in an environment of their own: NumPy and pandas only."""

import contextlib
import io
import json
import resource
import sys
import time
import warnings

import numpy as np
import pandas as pd


def from_draws(draws, unit):
    """Answer by draws (draw, player) of what is more where it is better.

    Of a posterior or of a bootstrap: P(better), 95 % intervals of ranks and of differences.
    """
    gap = draws[:, :, None] - draws[:, None, :]
    above = (gap < 0).mean(axis=0), (gap == 0).mean(axis=0)
    rank = 1.0 + (gap < 0).sum(axis=2) + 0.5 * ((gap == 0).sum(axis=2) - 1)
    lower, upper = np.quantile(rank, [0.025, 0.975], axis=0)
    low, high = np.quantile(gap, [0.025, 0.975], axis=0)
    return {
        "p_better": 1.0 - above[0] - above[1] / 2.0,
        "rank_lower": np.floor(lower),
        "rank_upper": np.ceil(upper),
        "difference_lower": low,
        "difference_upper": high,
        "unit": unit,
    }


def _seconds():
    """CPU seconds of this process and of those that it has started."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _listed(value):
    return value if isinstance(value, str) else np.asarray(value, float).tolist()


def serve(tools):
    """Run `python FILE TOOL JOBS ANSWERS LIMIT`, or `python FILE --list` to print their names.

    Each line of JOBS is a board, each of ANSWERS what is said of one. A tool that raises refuses;
    after LIMIT seconds of CPU no further board is begun. The first board is given twice, and the
    second call is timed.
    """
    if sys.argv[1:] == ["--list"]:
        print(json.dumps(list(tools)))
        return
    name, jobs, answers, limit = sys.argv[1:]
    tool, used = tools[name], 0.0
    warnings.simplefilter("ignore")
    with open(jobs, encoding="utf-8") as file, open(answers, "w", encoding="utf-8") as out:
        for number, line in enumerate(file):
            job = json.loads(line)
            scores = pd.DataFrame(job["scores"], job["rounds"], job["players"], dtype=float)
            for _ in range(1 + (number == 0)):
                start, wall = _seconds(), time.perf_counter()
                try:
                    with contextlib.redirect_stdout(io.StringIO()):
                        said = tool(scores.copy(), dict(job["facts"]), job["seed"])
                    result = {"answer": {key: _listed(value) for key, value in said.items()}}
                except Exception as error:
                    text = f"{type(error).__name__}: {error}".splitlines()[0]
                    result = {"refused": text[:200]}
                taken, waited = _seconds() - start, time.perf_counter() - wall
            result |= {"id": job["id"], "cpu": taken, "wall": waited}
            out.write(json.dumps(result) + "\n")
            out.flush()
            used += taken
            if used > float(limit):
                break
