# /// script
# requires-python = ">=3.12"
# dependencies = ["bayes-testkit==0.5.3", "numpy<2.3", "pandas<3"]
# ///
"""bayes-testkit (PyMC 5): an environment of its own."""

from _serve import from_draws, serve, win_chances


def bayes_testkit(scores, facts, seed):
    """Its Bayesian Bradley-Terry at its defaults, two chains of 500 + 1000."""
    from btk import BBTTest

    if scores.isna().to_numpy().any():
        raise ValueError("it takes no missing scores")
    table = scores.reset_index(drop=True)
    table.insert(0, "dataset", [f"d{k}" for k in range(len(table))])
    test = BBTTest().fit(
        table, chains=2, cores=1, random_seed=seed, progressbar=False, draws=1000, tune=500
    )
    beta = test._fit_posterior.posterior["beta"].to_numpy().reshape(-1, scores.shape[1])
    order = [list(test.algorithms).index(name) for name in scores.columns]
    return from_draws(beta[:, order], "log_odds", win_chances(beta[:, order]))


TOOLS = {"bayes-testkit": bayes_testkit}

if __name__ == "__main__":
    serve(TOOLS)
