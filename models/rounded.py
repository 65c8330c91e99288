"""Plackett-Luce on rounded scores, whose truth is known: what its ties do to strengths and widths.

    uv run --group evidence python models/rounded.py

Eight players' strengths plus Gumbel noise, rounded to a grid with a random offset a round: a pair
gap apart, on a grid of width w, is won (a tie half) with probability E logistic(gap + U(-w, w)).
Prints, by the share of pairs that tie, the slope of fitted on true log-odds from 20 000 rounds of
equally spaced players, -1.5 to 1.5; and how often 95 % intervals of a pair's log-odds cover it on
boards of 25 rounds, strengths N(0, 1): of 200 boards by maximum likelihood ("model", and the
sandwich "clustered" by round), and of 60 of them by NUTS. Beside it Bradley-Terry's, ties half.
"""

import warnings

import numpy as np
import xarray as xr
from scipy.special import logit

import leaderbayes as lb
from leaderbayes._scores.matches import components

PLAYERS, ROUNDS, BOARDS, SAMPLED = 8, 25, 200, 60
WIDTHS = {0.22: False, 0.46: True, 1.15: True, 2.0: False, 3.2: False}  # True: coverage too
UPPER = np.triu_indices(PLAYERS, 1)


def log_odds(truth, width):
    """True log-odds of pairs (pair,), a tie half a win."""
    gap = (truth[:, None] - truth)[UPPER]
    return logit((np.logaddexp(0, gap + width) - np.logaddexp(0, gap - width)) / (2 * width))


def draw(truth, width, rounds, rng):
    """Rounded scores (player, round), and the share of pairs that tie."""
    noisy = truth[:, None] + rng.gumbel(size=(len(truth), rounds))
    scores = np.floor(noisy / width + rng.random(rounds))
    share = (scores[UPPER[0]] == scores[UPPER[1]]).mean()
    coords = {"player": [f"p{i}" for i in range(len(truth))], "round": np.arange(rounds)}
    return xr.DataArray(scores, coords, ("player", "round")), share


def gaps(epp):
    """Differences (..., pair)."""
    return (epp[..., :, None] - epp[..., None, :])[..., UPPER[0], UPPER[1]]


def slope(model, width, seed, rounds=20_000):
    """Slope of fitted on true log-odds, and the share of ties."""
    truth = np.linspace(-1.5, 1.5, PLAYERS)
    scores, share = draw(truth, width, rounds, np.random.default_rng(seed))
    fitted = gaps(model(lb.matches(scores))["epp"].to_numpy())
    true = log_odds(truth, width)
    return float(fitted @ true / (true @ true)), share


def intervals(fit):
    """Lower and upper end of 95 % intervals (pair,) of an estimate."""
    covariance = fit["covariance"].to_numpy()
    spread = np.diag(covariance)
    variance = (spread[:, None] + spread - 2.0 * covariance)[UPPER]
    middle, error = gaps(fit["epp"].to_numpy()), 1.96 * np.sqrt(variance)
    return middle - error, middle + error


def sampler():
    """Function of a board to intervals by NUTS, of a model compiled once."""
    import nutpie

    from leaderbayes._numerics.plackett_luce import rankings
    from leaderbayes.models._ops import exchangeable_data

    board, _ = draw(np.zeros(PLAYERS), 0.8, ROUNDS, np.random.default_rng(0))
    with exchangeable_data():
        # Not centred at all, whatever the board.
        compiled = nutpie.compile_pymc_model(
            lb.models.plackett_luce(lb.matches(board, pairs=False), centring=0.0)
        )
    own = {variable.name for variable in compiled.shared_var_keys}

    def sample(scores):
        tied = rankings(lb.matches(scores, pairs=False)["place"].to_numpy())
        data = {f"Rankings.{k}": v for k, v in tied._asdict().items()}
        fitted = nutpie.sample(
            compiled.with_data(**{k: v for k, v in data.items() if k in own}),
            draws=500, tune=500, chains=2, seed=1, target_accept=0.9, progress_bar=False,
        )  # fmt: skip
        epp = fitted["posterior"]["epp"].to_numpy().reshape(-1, PLAYERS)
        return np.quantile(gaps(epp), [0.025, 0.975], axis=0)

    return sample


def coverage(width, seed):
    """Share of pairs covered by each method, with its Monte Carlo error, and the share of ties."""
    rng, sample = np.random.default_rng(seed), sampler()
    ml, bt = lb.likelihood.plackett_luce, lb.likelihood.bradley_terry
    methods = {
        "model": lambda s: intervals(ml(lb.matches(s))),
        "clustered": lambda s: intervals(ml(lb.matches(s), covariance="clustered")),
        "Bradley-Terry, clustered": lambda s: intervals(bt(lb.matches(s))),
        "NUTS": sample,
    }
    covered, ties, boards = {name: [] for name in methods}, [], 0
    while boards < BOARDS:
        truth = rng.normal(size=PLAYERS)
        scores, share = draw(truth, width, ROUNDS, rng)
        if components(lb.matches(scores)).nunique() > 1:
            continue
        boards += 1
        ties.append(share)
        true = log_odds(truth, width)
        for name, method in methods.items():
            if name == "NUTS" and boards > SAMPLED:
                continue
            low, high = method(scores)
            covered[name].append(((low < true) & (true < high)).mean())
    shares = {
        name: (float(np.mean(c)), float(np.std(c) / np.sqrt(len(c)))) for name, c in covered.items()
    }
    return shares, float(np.mean(ties))


def main():
    """Print both."""
    warnings.simplefilter("ignore", lb.LeaderbayesWarning)
    for width in WIDTHS:
        luce, share = slope(lb.likelihood.plackett_luce, width, 1)
        bradley, _ = slope(lb.likelihood.bradley_terry, width, 1)
        print(f"{share:.0%} ties: slope {luce:.3f}, Bradley-Terry {bradley:.3f}", flush=True)
    for width in (w for w, covers in WIDTHS.items() if covers):
        shares, ties = coverage(width, 2)
        shown = "; ".join(f"{name} {c:.3f} ({e:.3f})" for name, (c, e) in shares.items())
        print(f"{ties:.0%} ties, coverage: {shown}", flush=True)


if __name__ == "__main__":
    main()
