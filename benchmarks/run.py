"""Time commands cold and warm, as ratios to importing their libraries in the same run.

    uv run --all-extras python benchmarks/run.py [--peers PYTHON] [--only NAME] [--docs]

Cold is a process with empty caches, as in a container; warm is the next one. CPU seconds of a
whole process, user time. PYTHON is that of an environment with arena-rank, evalica, choix, autorank
and baycomp, whose processes do the same work. lme4 is in likelihood.py, and bayes-testkit, which
compiles, in boardbench. With --docs the table replaces that in benchmarks/README.md.
"""

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).parents[1]
BOARD = str(ROOT / "src" / "leaderbayes" / "data" / "classifiers.csv")
ONE = [BOARD, "--only", "breast_cancer", "--test-fraction", "0.2", "--seed", "1"]
IMPORTS = "import numpy, pandas, xarray, scipy.linalg, scipy.special, arviz_stats"
CACHES = ("HOME", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "MPLCONFIGDIR")
BEGIN, END = "<!-- benchmarks/run.py -->", "<!-- end -->"


def rows(folder):
    """Commands by what they are called in the table."""
    return {
        "rank": ["rank", *ONE],
        "rank, with figures": ["rank", *ONE, "--out", f"{folder}/fit"],
        "compare": ["compare", BOARD, "svm C=1", "svm C=10", *ONE[1:]],
        "audit": ["audit", *ONE],
        "report": ["report", f"{folder}/fit", "--out", f"{folder}/page.html"],
        "rank, PMRA": ["rank", *ONE, "--model", "round_intercept"],
        "rank, Plackett-Luce": ["rank", *ONE, "--model", "plackett_luce"],
        "rank, Davidson": ["rank", *ONE, "--model", "davidson"],
        "sota, 400 teams": ["sota", f"{folder}/teams.csv", *"--n 1000 --sampler exact".split()],
        "sota, 400 teams, ABC-SMC": [
            "sota", f"{folder}/teams.csv", *"--n 1000 --sampler abc-smc --seed 1".split()
        ],
    }  # fmt: skip


VOTES = "import pandas as pd; v = pd.read_csv({votes!r}); "
WINNERS = "v['winner'] = v.outcome.map({{1.0: 'model_a', 0.5: 'tie', 0.0: 'model_b'}}); "
MADE = (
    "import leaderbayes as lb, numpy as np, pandas as pd, tempfile, xarray as xr; "
    "rng = np.random.default_rng(1); named = lambda y: dict(zip(('player', 'round'), "
    "([f'p{{k}}' for k in range(len(y))], range(y.shape[1])))); "
    "of = lambda y: xr.DataArray(y, named(y), ('player', 'round'), attrs={{'metric': 'score'}}); "
    "board = lambda m, r: of(rng.normal(size=(m, r)) + np.linspace(0, 3, m)[:, None]); "
)
# The same table read and fitted: what leaderbayes does, and what its peers do.
LARGE = {
    "10^6 votes of 200 players, estimate": (
        VOTES + "import leaderbayes as lb; lb.likelihood.bradley_terry(lb.read_votes(v))"
    ),
    "10^6 votes, posterior and check of fit": (
        VOTES + "import leaderbayes as lb; lb.fit(lb.read_votes(v), seed=1)"
    ),
    "a season of 3076 matches, 443 players": (
        "import leaderbayes as lb, numpy as np, pandas as pd; rng = np.random.default_rng(1); "
        "at = lambda: np.minimum(rng.exponential(90, 4000), 442).astype(int); a, b = at(), at(); "
        "won = rng.random(4000) < 1 / (1 + np.exp((a - b) / 90)); "
        "v = pd.DataFrame(dict(player_a=a, player_b=b, winner=np.where(won, 'a', 'b'))); "
        "v = v[a != b][:3076].astype(str); "
        "dt = lb.fit(lb.read_votes(v), seed=1); assert dt.attrs['converged']"
    ),
    "500 players x 20 rounds": MADE + "lb.fit(board(500, 20), seed=1)",
    "plan, 12 x 15": MADE + "lb.plan(lb.fit(board(12, 15), seed=1), seed=1)",
    "plan, 80 x 20": MADE + "lb.plan(lb.fit(board(80, 20), seed=1), seed=1)",
    "audit, 179 x 121, a fifth missing": (
        MADE + "y = board(179, 121); y = y.where(rng.random(y.shape) < 0.8); "
        "lb.audit(lb.fit(y, seed=1), seed=1)"
    ),
    "audit, 20 x 14000 answers": (
        MADE + "y = (board(20, 14000) > 1.5).astype(float); lb.audit(lb.fit(y, seed=1), seed=1)"
    ),
    "718 rankings of 4, Plackett-Luce": (
        MADE + "y = board(10, 718); y = y.where(rng.random(y.shape).argsort(0).argsort(0) < 4); "
        "lb.fit(y, 'plackett_luce', seed=1)"
    ),
    "3000 x 10, Plackett-Luce by maximum likelihood": (
        MADE + "lb.likelihood.plackett_luce(lb.matches(board(3000, 10)))"
    ),
    "a fit of 80 x 20, written": (
        MADE + "lb.write_fit(lb.fit(board(80, 20), seed=1), '{folder}/fit.nc')"
    ),
    "a study of 12 boards of 40 x 30, and its page": (
        MADE + "y = xr.concat([board(40, 30) for k in range(12)], pd.Index([*'abcdefghijkl'], "
        "name='tournament')); s = lb.study.fit(y, store=tempfile.mkdtemp() + '/s', seed=1); "
        "lb.report.html(s, '{folder}/study.html')"
    ),
}
PEERS = {
    "arena-rank, 10^6 votes": VOTES + WINNERS + (
        "from arena_rank.utils.data_utils import PairDataset; "
        "from arena_rank.models.bradley_terry import BradleyTerry; d = PairDataset.from_pandas(v); "
        "BradleyTerry(len(d.competitors)).compute_ratings_and_cis(d)"
    ),
    "evalica, 10^6 votes, no intervals": VOTES + (
        "import evalica as e; w = v.outcome.map({{1.0: e.Winner.X, 0.5: e.Winner.Draw, "
        "0.0: e.Winner.Y}}); e.bradley_terry(v.model_a, v.model_b, w)"
    ),
    "choix, 10^6 votes, no intervals": VOTES + (
        "import choix, numpy as np; c, n = pd.factorize(pd.concat([v.model_a, v.model_b])); "
        "a, b = c.reshape(2, -1); m = len(n); w = np.zeros((m, m)); "
        "np.add.at(w, (a, b), v.outcome); np.add.at(w, (b, a), 1 - v.outcome); "
        "choix.ilsr_pairwise_dense(w)"
    ),
    "autorank, README's board": (
        "import autorank; autorank.autorank({board}, approach='bayesian')"
    ),
    "baycomp, two of README's board": (
        "import baycomp; t = {board}.values; baycomp.two_on_single(t[:, 0], t[:, 1])"
    ),
}  # fmt: skip
TABLE = (
    f"__import__('pandas').read_csv({BOARD!r}).query(\"tournament == 'breast_cancer'\")"
    ".pivot(index='round', columns='player', values='score')"
)


def write_tables(folder, votes=10**6, players=200, judges=1000):
    """Write a table of votes, and one of a competition's teams."""
    rng = np.random.default_rng(2)
    strength, first = 0.7 * rng.standard_normal(players), rng.integers(players, size=votes)
    second = (first + rng.integers(1, players, size=votes)) % players
    won = rng.random(votes) < 1.0 / (1.0 + np.exp(strength[second] - strength[first]))
    outcome = np.where(rng.random(votes) < 0.15, 0.5, won)
    judge = rng.integers(judges, size=votes)
    named = {"model_a": first, "model_b": second, "outcome": outcome, "judge": judge}
    pd.DataFrame(named).to_csv(f"{folder}/votes.csv", index=False)
    score = rng.binomial(1000, rng.beta(40, 12, 400)) / 1000
    teams = {"team": [f"t{k}" for k in range(400)], "score": score}
    pd.DataFrame(teams).to_csv(f"{folder}/teams.csv", index=False)


def seconds(command, caches):
    """User seconds of a process."""
    own = {name: f"{caches}/{name}" for name in CACHES} | {"OPENBLAS_NUM_THREADS": "1"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, check=True, capture_output=True, env=os.environ | own)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def commands(folder, peers):
    """Whole command lines by what they are called."""
    own = [sys.executable, "-W", "ignore"]
    found = {name: [*own, "-m", "leaderbayes", *given] for name, given in rows(folder).items()}
    known = {"votes": f"{folder}/votes.csv", "board": TABLE, "folder": folder}
    found |= {name: [*own, "-c", code.format(**known)] for name, code in LARGE.items()}
    if peers:
        found |= {f"*{k}*": [peers, "-W", "ignore", "-c", code.format(**known)]
                  for k, code in PEERS.items()}  # fmt: skip
    return found


def table(peers, only):
    """Lines of the table."""
    yield "| command | cold, CPU s | warm, CPU s | cold / imports | warm / imports |"
    yield "|---|---|---|---|---|"
    with tempfile.TemporaryDirectory() as folder:
        write_tables(folder)
        imports = [seconds([sys.executable, "-c", IMPORTS], folder) for _ in range(3)]
        least = min(imports)
        for name, command in commands(folder, peers).items():
            if only and only not in name:
                continue
            caches = tempfile.mkdtemp(dir=folder)
            cold, warm = (seconds(command, caches) for _ in range(2))
            numbers = (f"{cold:.1f}", f"{warm:.1f}", f"{cold / least:.1f}", f"{warm / least:.1f}")
            yield f"| {' | '.join((name, *numbers))} |"
        yield f"| imports alone | {least:.1f} | {least:.1f} | 1 | 1 |"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers")
    parser.add_argument("--only")
    parser.add_argument("--docs", action="store_true")
    given, made = parser.parse_args(), []
    for line in table(given.peers, given.only):
        print(line, flush=True)
        made.append(line)
    if given.docs:
        page = Path(__file__).with_name("README.md")
        text = "\n".join([BEGIN, "", *made, "", END])
        old = page.read_text("utf-8")
        page.write_text(re.sub(f"{BEGIN}.*?{END}", text, old, flags=re.DOTALL), "utf-8")


if __name__ == "__main__":
    main()
