"""Sample a board with bayes-testkit (PyMC 5, an environment of its own); prints one JSON object.

Called by ../posterior.py. Its model counts every match as independent, without ties.
"""

import json
import resource
import sys
import time

import arviz as az
import numpy as np
import pandas as pd
from btk import BBTTest


def main(path: str, draws: int, tune: int, chains: int) -> None:
    scores = np.load(path)
    table = pd.DataFrame(scores.T, columns=[f"p{i}" for i in range(len(scores))])
    table.insert(0, "dataset", [f"d{k}" for k in range(len(table))])
    seconds = []
    # The first fit also compiles; PyTensor caches that on disk, so the second is sampling alone.
    for length in ({"draws": 5, "tune": 5}, {"draws": draws, "tune": tune}):
        begin = time.perf_counter()
        test = BBTTest().fit(
            table, chains=chains, cores=2, random_seed=1, progressbar=False, **length
        )
        seconds.append(time.perf_counter() - begin)
    posterior = test._fit_posterior.posterior[["beta"]]
    ess = min(float(az.ess(posterior, method=method)["beta"].min()) for method in ("bulk", "tail"))
    result = {
        "compile_s": seconds[0],
        "sample_s": seconds[1],
        "min_ess": ess,
        "max_rhat": float(az.rhat(posterior)["beta"].max()),
        "divergences": int(test._fit_posterior.sample_stats["diverging"].sum()),
        "peak_GB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
