"""Draw the posterior of mean scores: by NUTS from a compiled density, or without where it can."""

from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._errors import LeaderbayesError
from leaderbayes._inference import mean_of_rounds
from leaderbayes._inference.log_prior import normal
from leaderbayes._inference.mean_of_rounds import CELLS, observed
from leaderbayes._inference.nuts import adaptation, sample_density
from leaderbayes._inference.replicates import step_of
from leaderbayes._numerics.mean_score import (
    Board,
    coordinates,
    log_density,
    luck_is_integrated_out,
    parameters,
    round_log_likelihood,
    with_luck,
)
from leaderbayes._numerics.rounds import Statistic
from leaderbayes._types import Floats
from leaderbayes.models._scores import (
    PRIOR_DF,
    PRIOR_SCALE,
    Likelihood,
    Of,
    board_of,
    is_noiseless,
)

# What is drawn beside the mean score, and of what.
_SHARED = ("score_scale_raw", "score_scale", "round_scale", "level", "noise_centre")
_OF_PLAYERS = ("theta", "effect", "noise")
_FARTHEST = 1e6  # of scores from 0, in standard deviations within rounds
_SMALLEST = 1e-9  # standard deviation within rounds, from which NUTS finds its steps


def draw_mean_score(
    scores: xr.DataArray,
    sampling: dict[str, Any],
    seed: int,
    prior: bool = False,
    progressbar: bool = False,
    *,
    test_fraction: float | None = None,
    prior_scale: float = PRIOR_SCALE,
    prior_df: float = PRIOR_DF,
    likelihood: Likelihood = "auto",
    of: Of = "raw",
    statistic: Statistic = "mean",
) -> tuple[xr.DataTree, dict[str, Any]]:
    """Draw the groups of `fit` for ``models.mean_score``, or of items, and diagnose.

    Parameters
    ----------
    scores : DataArray (player, round)
        Of one tournament, checked.
    sampling : dict
        Arguments of `fit`.
    likelihood : {"normal", "dirichlet"}
        As it was chosen for these scores.
    of : str
        What the scores are by now.
    """
    flat_prior = bool(np.all(prior_scale == np.inf))
    by_items = likelihood == "dirichlet"
    if prior and (flat_prior or by_items or of != "raw"):
        raise LeaderbayesError(
            "prior=True is for likelihood='normal', of='raw' and a finite prior_scale: else there "
            "is no prior that could be drawn from."
        )
    scale = None if flat_prior else prior_scale
    if by_items and statistic == "mean":
        if test_fraction is not None:
            raise LeaderbayesError(
                "likelihood='dirichlet' is of items, which share no training rows, and has no "
                "test_fraction: leave it out, or take likelihood='normal'."
            )
        return mean_of_rounds.of_items(scores, scale, prior_df, sampling, seed)
    if "cluster" in scores.coords:
        raise LeaderbayesError(
            "The rounds have clusters, which only the mean by likelihood='dirichlet' knows: give "
            "the means of clusters as rounds, drop the coordinate 'cluster', or take that."
        )
    board = board_of(scores, test_fraction, 1.0 if scale is None else scale, prior_df)
    if scale is None or of != "raw" or statistic != "mean":
        return mean_of_rounds.of_rounds(
            scores, board, sampling, seed, statistic=statistic, shrink=scale is not None
        )
    # The density sums squares of scores: where all are nearly the same their digits are lost.
    if abs(board.centre) > _FARTHEST * board.unit:
        raise LeaderbayesError(
            f"Scores are around {board.centre:.4g} and differ by some {board.unit:.2g} within "
            "rounds, too little beside their size for the sampler's digits. Subtract the same "
            f"number from all of them ({board.centre:.4g}, say)."
        )
    if board.unit < _SMALLEST:
        raise LeaderbayesError(
            f"Scores differ by some {board.unit:.2g} within rounds, steps too small for the "
            "sampler. Give them in another unit: multiply all of them by the same number."
        )
    if is_noiseless(np.where(board.present, board.scores, np.nan).T, board.unit):
        raise LeaderbayesError(
            "Players differ by the same in every round: nothing says how much scores vary. Give "
            "more rounds, or scores with more decimals; prior_scale=numpy.inf takes the "
            "differences as they are."
        )
    # One stream for replicates, one for the level's luck, two for NUTS, as others may be drawn, and
    # one for players' luck.
    streams = np.random.SeedSequence(seed).spawn(5)
    first, again = (int(s) for s in streams[3].generate_state(2))
    drawn, found = draw_of_board(board, sampling, (first, again), progressbar=progressbar)
    posterior = {name: values.to_numpy() for name, values in drawn["posterior"].data_vars.items()}
    shape = posterior["level"].shape
    luck = np.random.default_rng(streams[1]).standard_normal(shape)
    fresh = posterior["level"] + np.sqrt(board.luck) * posterior["round_scale"] * luck
    posterior["score"] = fresh[..., None] + posterior.pop("effect")
    theta = posterior.pop("theta")
    m = theta.shape[-1]
    of_rounds = (
        posterior["noise"].reshape(-1, m), posterior["round_scale"].reshape(-1),
        posterior["level"].reshape(-1), board,
    )  # fmt: skip
    if luck_is_integrated_out(board):
        rng = np.random.default_rng(streams[4])
        theta = with_luck(theta.reshape(-1, m), *of_rounds, rng).reshape(theta.shape)
    by_round = round_log_likelihood(theta.reshape(-1, m), *of_rounds).reshape(*shape, -1)
    step = step_of(shape, board.scores.size, sampling["replicates"])
    kept = {name: posterior[name][:, ::step] for name in ("noise", "level", "round_scale")}
    again_drawn = _replicate(
        theta[:, ::step], **kept, present=board.present, rng=np.random.default_rng(streams[0])
    )
    log_prior = normal(posterior["score_scale_raw"], 1.0)
    names = {dim: scores[dim].to_numpy() for dim in ("player", "round")}
    counted = {"chain": np.arange(shape[0]), "draw": np.arange(shape[1])}
    tree = xr.DataTree.from_dict(
        {
            "posterior": xr.Dataset(
                {
                    name: ((*CELLS, "player") if values.ndim == 3 else CELLS, values)
                    for name, values in sorted(posterior.items())
                },
                counted | {"player": names["player"]},
            ),
            "sample_stats": drawn["sample_stats"].to_dataset().assign_coords(counted),
            "posterior_predictive": xr.Dataset(
                {"round_score": ((*CELLS, "round", "player"), again_drawn)},
                counted | {"draw": counted["draw"][::step]} | names,
            ),
            "log_likelihood": xr.Dataset(
                {"round_score": ((*CELLS, "round"), by_round)}, counted | {"round": names["round"]}
            ),
            "log_prior": xr.Dataset({"score_scale_raw": (CELLS, log_prior)}, counted),
            "observed_data": observed(scores),
            "constant_data": xr.Dataset(),
        }
    )
    if prior:
        tree.update(_prior(scores, test_fraction, prior_scale, prior_df, shape[1], streams[2]))
    return tree, found


def draw_of_board(
    board: Board, sampling: dict[str, Any], seeds: tuple[int, int], *, progressbar: bool
) -> tuple[xr.DataTree, dict[str, Any]]:
    """Draw by NUTS from the density's function."""
    at = coordinates(board)
    # Of many players the mass matrix is diagonal: correlations that it cannot learn must be gone.
    if adaptation(at.start.size, "nutpie")["adaptation"] == "diag":
        at = coordinates(board, independent=True)
    m = board.scores.shape[1]
    return sample_density(
        lambda x: log_density(x, board, at),
        lambda x: parameters(x, board, at),
        at.start,
        dict.fromkeys(_SHARED, ()) | dict.fromkeys(_OF_PLAYERS, (m,)),
        sampling,
        seeds,
        progressbar=progressbar,
    )


def _replicate(
    theta: Floats, noise: Floats, level: Floats, round_scale: Floats, present: Any,
    rng: np.random.Generator,
) -> Floats:  # fmt: skip
    """Draw boards (chain, draw, round, player); NaN where a player has no score."""
    shape = (*level.shape, len(present))
    effect = level[..., None] + round_scale[..., None] * rng.standard_normal(shape)
    drawn = effect[..., None] + theta[..., None, :]
    drawn = drawn + noise[..., None, :] * rng.standard_normal(drawn.shape)
    return np.where(present, drawn, np.nan)


def _prior(
    scores: xr.DataArray, test_fraction: float | None, prior_scale: float, prior_df: float,
    draws: int, stream: np.random.SeedSequence,
) -> xr.DataTree:  # fmt: skip
    """Draw the prior's groups, by the model itself."""
    import pymc as pm

    from leaderbayes.models._mean_score import mean_score

    with mean_score(
        scores, test_fraction=test_fraction, prior_scale=prior_scale, prior_df=prior_df
    ):
        groups: xr.DataTree = pm.sample_prior_predictive(
            draws, random_seed=int(stream.generate_state(1)[0]),
            compile_kwargs={"mode": "FAST_COMPILE"},
        )  # fmt: skip
    # Its observed data lack what is missing.
    return xr.DataTree.from_dict({name: groups[name] for name in ("prior", "prior_predictive")})
