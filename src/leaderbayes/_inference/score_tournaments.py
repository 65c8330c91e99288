"""Draw the posterior of mean scores over several data sets, by NUTS from a compiled density."""

from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._errors import LeaderbayesError
from leaderbayes._inference.log_prior import half_normal, normal
from leaderbayes._inference.nuts import sample_density
from leaderbayes._inference.replicates import step_of
from leaderbayes._numerics.score_tournaments import (
    Boards,
    boards,
    coordinates,
    draw_means,
    log_density,
    parameters,
    round_log_likelihood,
)
from leaderbayes._types import Floats
from leaderbayes.models._score_boards import SPREAD_SCALE, ScoreBoards, boards_of_scores
from leaderbayes.models._scores import PRIOR_DF, PRIOR_SCALE, is_noiseless, name_at

# What is drawn, of what it is, and which of it is in the metric's unit.
_DIMS: dict[str, tuple[str, ...]] = {
    "effect": ("player",),
    "score_scale_raw": (),
    "score_scale": (),
    "score_spread": (),
    "spread_df": (),
    "level": (),
    "level_scale": (),
    "noise_centre": ("tournament",),
    "noise": ("tournament", "player"),
    "round_scale": ("tournament",),
    "spread_factor": ("tournament",),
}
_PLAIN = ("score_scale_raw", "spread_df", "spread_factor")
_CELLS = ("chain", "draw")


def _noiseless(own: ScoreBoards) -> int | None:
    """Find a tournament whose rounds move all players alike, but for none that moves nobody.

    There the density has no end towards noise of 0; of players whose scores are all the same in
    all rounds NUTS finds it.
    """
    for t, y in enumerate(own.scores):
        here = np.isfinite(y)
        table = y[np.ix_(here.any(axis=1), here.any(axis=0))]
        moves = np.ptp(np.nanmean(table, axis=0)) > 0.0
        if moves and is_noiseless(table, own.unit):
            return t
    return None


def _check_rounds(scores: xr.DataArray) -> None:
    """Raise if a player has some of a tournament's rounds, and not all.

    Then its mean scores and their scatter do not say all.
    """
    if "tournament" not in scores.dims:
        return
    scores = scores.transpose("tournament", "player", "round")
    there = scores.notnull().to_numpy()
    of_round, of_player = there.any(axis=1, keepdims=True), there.any(axis=2, keepdims=True)
    holes = np.argwhere(of_round & of_player & ~there)
    if len(holes):
        t, i, k = holes[0]
        raise LeaderbayesError(
            f"Player {name_at(scores, 'player', i)} has no score in round "
            f"{name_at(scores, 'round', k)} of tournament {name_at(scores, 'tournament', t)}, and "
            "has others there. Leave such rounds out, or all of the player's there, or try "
            "sampler='pymc', which is slow and may not converge."
        )


def draw_score_tournaments(
    scores: xr.DataArray,
    sampling: dict[str, Any],
    seed: int,
    prior: bool = False,
    progressbar: bool = False,
    *,
    test_fraction: float | None = None,
    prior_scale: float = PRIOR_SCALE,
    prior_df: float = PRIOR_DF,
    spread_scale: float = SPREAD_SCALE,
) -> tuple[xr.DataTree, dict[str, Any]]:
    """Draw the groups of `fit` for ``models.score_tournaments``, and diagnose.

    Parameters
    ----------
    scores : DataArray (tournament, player, round)
        Checked.
    sampling : dict
        Arguments of `fit`.
    """
    own = boards_of_scores(scores, test_fraction, prior_scale, prior_df, spread_scale)
    _check_rounds(scores)
    if (exact := _noiseless(own)) is not None:
        raise LeaderbayesError(
            f"In tournament {name_at(scores, 'tournament', exact)} players differ by the same in "
            "every round: nothing says how much scores vary there. Give it more rounds, or scores "
            "with more decimals, or leave it out."
        )
    given = given_of(own)
    # One stream for what is integrated out, one for replicates, one for the prior, one for NUTS.
    streams = np.random.SeedSequence(seed).spawn(4)
    first, again = (int(s) for s in streams[3].generate_state(2))
    drawn, found = draw_of_boards(given, sampling, (first, again), progressbar=progressbar)
    posterior = {name: drawn["posterior"][name].to_numpy() for name in _DIMS}
    shape = posterior["level"].shape
    flat = {name: values.reshape(-1, *values.shape[2:]) for name, values in posterior.items()}
    mean, here = draw_means(flat, given, np.random.default_rng(streams[0]))
    rows = rows_of(own.scores)
    by_round = round_log_likelihood(here, flat["noise"], flat["round_scale"], *_rounds(own, rows))
    count = rows[0].size * scores.sizes["player"]
    step = step_of(shape, count, sampling["replicates"])
    around = here.reshape(*shape, *here.shape[1:])[:, ::step]
    noise, round_scale = (posterior[name][:, ::step] for name in ("noise", "round_scale"))
    present = np.isfinite(_rounds(own, rows)[0])
    replicates = _replicate(
        around, noise, round_scale, rows[0], present, np.random.default_rng(streams[1])
    )
    posterior["score"] = posterior["level"][..., None] + posterior.pop("effect")
    posterior["score_tournament"] = mean.reshape(*shape, *mean.shape[1:])
    for name, values in posterior.items():
        if name not in _PLAIN:
            values *= own.unit
    for name in ("level", "score", "score_tournament"):
        posterior[name] += own.centre
    log_prior = {
        "score_scale_raw": normal(posterior["score_scale_raw"], 1.0),
        "score_spread": half_normal(posterior["score_spread"], own.spread_scale * own.unit),
    }
    dims = _DIMS | {"score": ("player",), "score_tournament": ("tournament", "player")}
    names = {dim: scores[dim].to_numpy() for dim in ("tournament", "player")}
    labels = {"tournament_round": names_of_rounds(scores, rows)}
    counted = {"chain": np.arange(shape[0]), "draw": np.arange(shape[1])}
    observed = (own.scores.transpose(0, 2, 1)[rows], ("tournament_round", "player"))
    tree = xr.DataTree.from_dict(
        {
            "posterior": xr.Dataset(
                {n: ((*_CELLS, *dims[n]), values) for n, values in sorted(posterior.items())},
                counted | names,
            ),
            "sample_stats": drawn["sample_stats"].to_dataset().assign_coords(counted),
            "posterior_predictive": xr.Dataset(
                {
                    "round_score": (
                        (*_CELLS, "tournament_round", "player"),
                        own.centre + own.unit * replicates,
                    )
                },
                counted | {"draw": counted["draw"][::step], "player": names["player"]} | labels,
            ),
            "log_likelihood": xr.Dataset(
                {
                    "round_score": (
                        (*_CELLS, "tournament_round"),
                        by_round.reshape(*shape, -1) - present.sum(axis=1) * np.log(own.unit),
                    )
                },
                counted | labels,
            ),
            "log_prior": xr.Dataset({n: (_CELLS, v) for n, v in log_prior.items()}, counted),
            "observed_data": xr.Dataset(
                {"round_score": observed[::-1]}, {"player": names["player"]} | labels
            ),
            "constant_data": xr.Dataset(),
        }
    )
    if prior:
        options = {
            "test_fraction": test_fraction, "prior_scale": prior_scale, "prior_df": prior_df,
            "spread_scale": spread_scale,
        }  # fmt: skip
        tree.update(_prior(scores, options, shape[1], streams[2]))
    return tree, found


def given_of(own: ScoreBoards) -> Boards:
    """Give what is sufficient, in units."""
    inside = (own.scores - own.centre) / own.unit
    given = boards(inside, own.luck, own.prior_scale, own.df, own.spread_scale)
    return given._replace(spread=own.spread / own.unit)


def draw_of_boards(
    given: Boards, sampling: dict[str, Any], seeds: tuple[int, int], *, progressbar: bool
) -> tuple[xr.DataTree, dict[str, Any]]:
    """Draw by NUTS from the density's function."""
    at = coordinates(given)
    sizes = dict(zip(("tournament", "player"), given.present.shape, strict=True))
    return sample_density(
        lambda x: log_density(x, given, at),
        lambda x: parameters(x, given, at),
        at.start,
        {name: tuple(sizes[dim] for dim in dims) for name, dims in _DIMS.items()},
        sampling,
        seeds,
        progressbar=progressbar,
    )


def rows_of(scores: Floats) -> tuple[Any, Any]:
    """Find the tournament and the round, (tournament_round,), of each row of scores."""
    tournament, round_ = np.nonzero(np.isfinite(scores).any(axis=1))
    return tournament, round_


def names_of_rounds(scores: xr.DataArray, rows: tuple[Any, Any]) -> list[str]:
    """Name each tournament's rounds."""
    tournaments, rounds = scores["tournament"].to_numpy(), scores["round"].to_numpy()
    return [f"{tournaments[t]}: {rounds[k]}" for t, k in zip(*rows, strict=True)]


def _rounds(own: ScoreBoards, rows: tuple[Any, Any]) -> tuple[Floats, Any]:
    """Give scores in units (tournament_round, player), and each row's tournament."""
    inside = (own.scores - own.centre) / own.unit
    return inside.transpose(0, 2, 1)[rows], rows[0]


def _replicate(
    here: Floats, noise: Floats, round_scale: Floats, tournament: Any, present: Any,
    rng: np.random.Generator,
) -> Floats:  # fmt: skip
    """Draw rounds (chain, draw, tournament_round, player); NaN where a player has no score."""
    drawn = here[:, :, tournament] + noise[:, :, tournament] * rng.standard_normal(
        (*here.shape[:2], *present.shape)
    )
    effect = round_scale[:, :, tournament] * rng.standard_normal(drawn.shape[:3])
    return np.where(present, drawn + effect[..., None], np.nan)


def _prior(
    scores: xr.DataArray, options: dict[str, Any], draws: int, stream: np.random.SeedSequence
) -> xr.DataTree:
    """Draw the prior's groups, by the model itself."""
    import pymc as pm

    from leaderbayes.models._score_tournaments import score_tournaments

    with score_tournaments(scores, **options):
        groups: xr.DataTree = pm.sample_prior_predictive(
            draws, random_seed=int(stream.generate_state(1)[0]),
            compile_kwargs={"mode": "FAST_COMPILE"},
        )  # fmt: skip
    return xr.DataTree.from_dict({name: groups[name] for name in ("prior", "prior_predictive")})
