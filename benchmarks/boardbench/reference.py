"""Reference posteriors by long NUTS: writes reference.json, some minutes of CPU.

    uv run --extra data python benchmarks/boardbench/reference.py

Bradley-Terry of the first board of some kinds and of a real one: P(better) of every pair, and 95 %
intervals of the differences. run.py compares what is of the same model with it.
"""

import json
import sys
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "tools"))

import boards
from _serve import from_draws
from ours import board_of

import leaderbayes as lb

FILE = Path(__file__).parent / "reference.json"
NAMES = ("gumbel", "own scales", "ties", "folds", "breast_cancer")
LENGTH = {"draws": 5000, "chains": 4, "seed": 20261125, "sampler": "nutpie"}


def board(name):
    """Give the first board of a kind, or a real one."""
    return boards.simulated(name, 0) if name in boards.SIMULATED else boards.real(name)


def posterior(name):
    """What long NUTS says of a board."""
    given = board(name)
    scores, fraction = board_of(given.scores, given.facts), given.facts["test_fraction"] or None
    dt = lb.fit(scores, "bradley_terry", test_fraction=fraction, progressbar=False, **LENGTH)
    draws = dt["posterior"]["epp"].sel(player=list(given.scores.columns))
    said = from_draws(
        draws.transpose(..., "player").to_numpy().reshape(-1, given.scores.shape[1]), "log_odds"
    )
    return {
        "board": name, "model": "bradley_terry", "digest": boards.digest(given.scores),
        "unit": "log_odds",
        "max_rhat": round(float(dt.attrs["max_rhat"]), 5),
        "min_ess": round(float(dt.attrs["min_ess"])),
        "divergences": int(dt.attrs["divergences"]),
    } | {
        key: said[key].round(5).tolist()
        for key in ("p_better", "difference_lower", "difference_upper")
    }  # fmt: skip


if __name__ == "__main__":
    warnings.simplefilter("ignore", lb.LeaderbayesWarning)
    found, start = [], time.process_time()
    for name in NAMES:
        found.append(posterior(name))
        seen = [found[-1][key] for key in ("max_rhat", "min_ess", "divergences")]
        print(name, *seen, f"{time.process_time() - start:.0f} s", flush=True)
    lines = ",\n".join(json.dumps(one) for one in found)
    FILE.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
