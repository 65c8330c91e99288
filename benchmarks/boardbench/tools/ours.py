"""leaderbayes, in the environment of the project."""

from functools import partial

import numpy as np
import xarray as xr
from _serve import LEVELS, from_draws, serve

import leaderbayes as lb


def board_of(scores, facts):
    """Return scores as our functions take them."""
    rounds = scores.index.astype(str).to_numpy(object)
    names = {"player": scores.columns.to_numpy(object), "round": rounds}
    board = xr.DataArray(scores.to_numpy().T, names, [*names], "score", {"higher_is_better": 1})
    if facts["clusters"]:
        board = board.assign_coords(cluster=("round", np.array(facts["clusters"], object)))
    return board


def _fit(scores, facts, seed, model, by="auto", **options):
    if facts["test_fraction"]:
        options["test_fraction"] = facts["test_fraction"]
    dt = lb.fit(board_of(scores, facts), model, seed=seed, progressbar=False, **options)
    names, quantiles = list(scores.columns), {}
    for level in LEVELS[LEVELS <= 0.5]:
        wins = lb.win_probability(dt, prob=max(1.0 - 2.0 * level, 1e-6), by=by)
        wins = wins.sel(player=names, opponent=names)
        # A pair that never met has no record.
        quantiles[1.0 - level], quantiles[level] = wins["upper"], wins["lower"]
    each = np.stack([quantiles[level].fillna(level) for level in sorted(quantiles)])
    answer = {"wins_quantiles": each, "p_wins": wins["mean"].fillna(0.5)}
    if by != "auto":  # strengths and ranks are the same
        return answer
    unit, name = ("score", "score") if model == "mean_score" else ("log_odds", "epp")
    draws = dt["posterior"][name].sel(player=names).transpose(..., "player")
    table = lb.leaderboard(dt).set_index("player").loc[names]
    ranks = {end: table[end].to_numpy(float) for end in ("rank_lower", "rank_upper")}
    return answer | from_draws(draws.to_numpy().reshape(-1, len(names)), unit) | ranks


MODEL = {"model": "bradley_terry"}
TOOLS = {
    "leaderbayes bradley_terry": partial(_fit, **MODEL),  # win probabilities by the blend
    "leaderbayes bradley_terry, by model": partial(_fit, **MODEL, by="model"),
    "leaderbayes bradley_terry, by record": partial(_fit, **MODEL, by="record"),
    "leaderbayes mean_score": partial(_fit, model="mean_score"),
    # Every pair's Bayesian correlated t-test, jointly.
    "leaderbayes mean_score, flat": partial(_fit, model="mean_score", prior_scale=np.inf),
}

if __name__ == "__main__":
    serve(TOOLS)
