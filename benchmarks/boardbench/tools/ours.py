"""leaderbayes, in the environment of the project."""

import numpy as np
import xarray as xr
from _serve import from_draws, serve

import leaderbayes as lb


def board_of(scores, facts):
    """Scores as our functions take them."""
    names = {
        "player": scores.columns.to_numpy(object),
        "round": scores.index.astype(str).to_numpy(object),
    }
    board = xr.DataArray(
        scores.to_numpy().T, names, ("player", "round"), "score", {"higher_is_better": 1}
    )
    if facts["clusters"]:
        board = board.assign_coords(cluster=("round", np.array(facts["clusters"], object)))
    return board


def _fit(scores, facts, seed, model, **options):
    if facts["test_fraction"]:
        options["test_fraction"] = facts["test_fraction"]
    dt = lb.fit(board_of(scores, facts), model, seed=seed, progressbar=False, **options)
    unit, name = ("score", "score") if model == "mean_score" else ("log_odds", "epp")
    draws = dt["posterior"][name].sel(player=list(scores.columns)).transpose(..., "player")
    answer = from_draws(draws.to_numpy().reshape(-1, scores.shape[1]), unit)
    table = lb.leaderboard(dt).set_index("player").loc[list(scores.columns)]
    answer["rank_lower"] = table["rank_lower"].to_numpy(float)
    answer["rank_upper"] = table["rank_upper"].to_numpy(float)
    by = list(scores.columns)
    wins = lb.win_probability(dt)["mean"].sel(player=by, opponent=by).to_numpy()
    # A pair that never met has no record.
    answer["p_wins"] = np.where(np.isnan(wins), 0.5, wins)
    return answer


def mean_score(scores, facts, seed):
    """Mean scores drawn together by a hierarchical prior (the default)."""
    return _fit(scores, facts, seed, "mean_score")


def mean_score_flat(scores, facts, seed):
    """The same without a prior: every pair's Bayesian correlated t-test, jointly."""
    return _fit(scores, facts, seed, "mean_score", prior_scale=np.inf)


def bradley_terry(scores, facts, seed):
    """The default model: Bradley-Terry of rankings, with the composite weight."""
    return _fit(scores, facts, seed, "bradley_terry")


TOOLS = {
    "leaderbayes mean_score": mean_score,
    "leaderbayes mean_score, flat": mean_score_flat,
    "leaderbayes bradley_terry": bradley_terry,
}

if __name__ == "__main__":
    serve(TOOLS)
