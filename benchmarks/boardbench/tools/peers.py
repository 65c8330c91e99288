# /// script
# requires-python = ">=3.12"
# dependencies = [
#     "autorank==1.3.0", "baycomp==1.0.3", "evalica==0.4.2", "scikit-posthocs==0.17.1",
#     "pandas<3", "setuptools",
# ]
# ///
"""Other tools, as their documentation says to use them; one environment for all."""

from functools import partial

import matplotlib
import numpy as np
from _serve import from_draws, serve, win_chances

matplotlib.use("Agg")
RESAMPLES = 200  # of every bootstrap
SIGNED_RANK_DRAWS = 2000  # baycomp's and autorank's default, 50 000, takes minutes a board
Z = 1.959964


def _whole(scores):
    if scores.isna().to_numpy().any():
        raise ValueError("it takes no missing scores")


def autorank(scores, facts, seed):
    """autorank's choice: Nemenyi's critical distance, or intervals of Tukey's HSD."""
    from autorank import autorank as rank

    _whole(scores)
    found = rank(scores, alpha=0.05, verbose=False)
    table = found.rankdf.loc[scores.columns]
    if found.posthoc == "nemenyi":
        mean = -table["meanrank"].to_numpy(float)
        gap = mean[:, None] - mean
        return {
            "apart": gap > found.cd, "difference_lower": gap - found.cd,
            "difference_upper": gap + found.cd, "unit": "mean_rank",
        }  # fmt: skip
    if found.posthoc != "tukeyhsd":
        raise ValueError(f"no pairs from {found.omnibus}")
    low, high = table["ci_lower"].to_numpy(float), table["ci_upper"].to_numpy(float)
    return {"apart": low[:, None] > high}


def autorank_bayesian(scores, facts, seed):
    """autorank's Bayesian signed rank tests, without a region of equivalence."""
    from autorank import autorank as rank

    _whole(scores)
    found = rank(
        scores, alpha=0.05, verbose=False, approach="bayesian", rope=0.0,
        nsamples=SIGNED_RANK_DRAWS, random_state=seed,
    )  # fmt: skip
    order, names = found.posterior_matrix.index, list(scores.columns)
    p = np.full((len(names), len(names)), 0.5)
    for a, first in enumerate(order):
        for second in order[a + 1 :]:
            # "smaller": the row's scores are above the column's with the second probability.
            said = found.posterior_matrix.loc[first, second]
            i, j = names.index(first), names.index(second)
            p[i, j] = said[0] + said[1] / 2.0
            p[j, i] = 1.0 - p[i, j]
    return {"p_better": p}


def baycomp(scores, facts, seed):
    """baycomp of every pair: the correlated t-test on folds, else the signed rank test."""
    from baycomp import CorrelatedTTest, SignedRankTest
    from scipy.stats import t

    _whole(scores)
    values, m = scores.to_numpy().T, scores.shape[1]
    p, low, high = np.full((m, m), 0.5), np.zeros((m, m)), np.zeros((m, m))
    folds = facts["kind"] == "folds"
    for i, j in zip(*np.triu_indices(m, 1), strict=True):
        if folds:
            runs = round(scores.shape[0] * facts["test_fraction"])
            law = CorrelatedTTest(values[j], values[i], runs=runs)
            p[i, j] = law.probs()[1]
            low[i, j], high[i, j] = t.interval(0.95, law.df, law.mean, np.sqrt(law.var))
            low[j, i], high[j, i] = -high[i, j], -low[i, j]
        elif (values[i] == values[j]).all():
            continue
        else:
            p[i, j] = SignedRankTest.probs(
                values[j], values[i], nsamples=SIGNED_RANK_DRAWS, random_state=seed
            )[1]
        p[j, i] = 1.0 - p[i, j]
    if folds:
        return {"p_better": p, "difference_lower": low, "difference_upper": high, "unit": "score"}
    return {"p_better": p}


def nemenyi(scores, facts, seed):
    """Nemenyi's test after Friedman's, of scikit-posthocs."""
    import scikit_posthocs as sp

    _whole(scores)
    p = sp.posthoc_nemenyi_friedman(scores).to_numpy(float)
    mean = scores.rank(axis=1).mean().to_numpy()
    return {"apart": (p < 0.05) & (mean[:, None] > mean)}


def _matches(scores):
    """Every pair of every round as a match."""
    import evalica

    i, j = np.triu_indices(scores.shape[1], 1)
    values = scores.to_numpy()
    gap = (values[:, i] - values[:, j]).ravel()
    met = ~np.isnan(gap)
    names = np.array(scores.columns, object)
    first, second = (np.tile(names[side], len(values))[met].tolist() for side in (i, j))
    won = {1.0: evalica.Winner.X, -1.0: evalica.Winner.Y, 0.0: evalica.Winner.Draw}
    return first, second, [won[s] for s in np.sign(gap[met])]


def bootstrap(scores, facts, seed, method, in_logits):
    """A method of evalica, at its defaults, with its bootstrap of single matches."""
    import evalica

    names = list(scores.columns)
    found = evalica.bootstrap(
        getattr(evalica, method), *_matches(scores), n_resamples=RESAMPLES,
        bootstrap_method="percentile", random_state=seed,
    )  # fmt: skip
    if getattr(found.result, "iterations", 0) >= getattr(found.result, "limit", np.inf):
        # Where somebody lost every match the estimate does not exist, and all scores are equal.
        raise ValueError(f"no estimate within {found.result.limit} iterations, its default")
    drawn = in_logits(found.distribution[names].to_numpy(float))
    middle = in_logits(found.result.scores[names].to_numpy(float))
    answer = from_draws(drawn, "log_odds", win_chances(drawn))
    return answer | {"p_wins": win_chances(middle[None])[0]}


def mean_rank(scores, facts, seed):
    """Mean ranks, with a bootstrap of whole rounds."""
    _whole(scores)
    rng = np.random.default_rng(seed)
    ranks = scores.rank(axis=1).to_numpy()
    values, picked = scores.to_numpy(), rng.integers(0, len(ranks), (1000, len(ranks)))
    won = (np.sign(values[:, :, None] - values[:, None, :]) + 1.0) / 2.0
    times = (picked[:, :, None] == np.arange(len(ranks))).sum(axis=1) / len(ranks)
    wins = np.tensordot(times, won, 1)
    answer = from_draws(times @ ranks, "mean_rank", wins)
    # How often each has beaten each, with half a win and half a loss added.
    return answer | {"p_wins": (won.sum(axis=0) + 0.5) / (len(values) + 1.0)}


def mean_score_t(scores, facts, seed):
    """What papers do: mean and standard error; told apart where Welch's 95 % intervals are."""
    mean, n = scores.mean().to_numpy(), scores.notna().sum().to_numpy()
    error = scores.std(ddof=1).to_numpy() / np.sqrt(n)
    gap, spread = mean[:, None] - mean, Z * np.hypot(error[:, None], error)
    return {
        "apart": gap > spread, "difference_lower": gap - spread,
        "difference_upper": gap + spread, "unit": "score",
    }  # fmt: skip


TOOLS = {
    "autorank": autorank,
    "autorank, Bayesian": autorank_bayesian,
    "baycomp": baycomp,
    "scikit-posthocs, Nemenyi": nemenyi,
    "evalica, Bradley-Terry": partial(
        bootstrap, method="bradley_terry", in_logits=lambda x: np.log(np.maximum(x, 1e-12))
    ),
    # Of matches in the order of rounds.
    "evalica, Elo": partial(bootstrap, method="elo", in_logits=lambda x: x * np.log(10.0) / 400.0),
    "mean rank, bootstrap": mean_rank,
    "mean ± standard error": mean_score_t,
}

if __name__ == "__main__":
    serve(TOOLS)
