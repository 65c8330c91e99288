r"""Mean scores over several data sets, and on a new one.

The data sets are the rounds of `mean_score`: their tables of means are normal around the players'
means over data sets, :math:`\mu`, with a covariance T that goes together over players,

.. math:: \mu \mid \tau, c \sim N(g, \tau^2 c\,T), \quad \theta_q \mid \mu, c \sim
          N(\mu, c\,T - N), \quad y_{qk} \mid \theta_q, c_q \sim N(\theta_q, c_q\,\Sigma_q),
          \quad c_q \sim df_q / \chi^2_{df_q}

where N, the noise of a data set's mean, is pooled over data sets, and :math:`\Sigma_q` has its
shape and the data set's own scale. Each pair of players thus differs between data sets by a spread
of its own, and for two players this is the hierarchical model of Corani et al. (2017) with normal
data sets. As in `mean_score`, c goes by the scatter of the tables alone, tau by pairs, and
:math:`\mu` by the plain mean over data sets: the rest is cut from the likelihood.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.mean_score import draw_filled, noise_of, pairs_of_board
from leaderbayes._numerics.score_tournaments import (
    SHARE,
    axes_of,
    draw_means,
    draw_rounds,
    ratios_of,
    tables_of,
)
from leaderbayes._scores.matches import valid_scores
from leaderbayes._types import Floats, Longs
from leaderbayes.models._board import registered
from leaderbayes.models._mean_score import data_of, finite, observe, root_of, scale_of_players
from leaderbayes.models._model import Model
from leaderbayes.models._scores import (
    PRIOR_SCALE,
    WIDTH,
    check_connected,
    check_values,
    constant,
    drawn,
    every,
    luck_of,
    name_at,
    prior_of,
)

if TYPE_CHECKING:
    import pymc as pm


def score_tournaments(
    scores: xr.DataArray, *, test_fraction: float | None = None, prior_scale: float = PRIOR_SCALE
) -> "pm.Model":
    """Return the model of mean scores over several data sets.

    Parameters
    ----------
    scores : DataArray (tournament, player, round)
        Scores of several data sets in one metric, as for `leaderbayes.fit`; every player has all
        rounds of each.
    test_fraction : float, optional
        Share of the data that each round tests on, for rounds of a repeated cross-validation
        (Nadeau and Bengio 2003).
    prior_scale : float
        As for `mean_score`, in standard deviations between data sets.

    Returns
    -------
    pymc.Model
        With the variables

        - ``score`` (player): mean score over data sets such as these, in the metric's unit;
        - ``score_tournament`` (tournament, player): mean score on each data set;
        - ``score_spread`` (): standard deviation of a player's score between data sets; a
          difference has sqrt(2) times that, times ``spread`` (player, opponent) of constant data;
        - ``score_scale`` (): tau;
        - ``round_score`` (tournament_round, player): observed.

    Raises
    ------
    LeaderbayesError
        If scores are of one data set, one has one player or one round, or a score is missing.

    References
    ----------
    Corani, Benavoli, Demšar, Mangili, Zaffalon (2017), Statistical comparison of classifiers
    through Bayesian hierarchical modelling, Machine Learning 106.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> model = lb.models.score_tournaments(lb.datasets.load("classifiers"))
    >>> [variable.name for variable in model.deterministics]
    ['score_scale', 'score', 'score_spread', 'score_tournament']
    """
    import pymc as pm
    import pytensor.tensor as pt

    scores = valid_scores(scores)
    y, luck, prior = values_of(scores), luck_of(test_fraction), finite(prior_of(prior_scale))
    tables = tables_of(y, luck)
    if not np.isfinite(tables.mean).all():
        q, i = np.argwhere(np.isnan(tables.mean))[0]
        raise LeaderbayesError(
            "The PyMC model needs every player in every tournament, and player "
            f"{name_at(scores, 'player', i)} is not in tournament "
            f"{name_at(scores, 'tournament', q)}. Exclude it, or use leaderbayes.fit."
        )
    noise, n = noise_of(tables.mean), len(tables.mean)
    total, centre = noise.covariance, tables.mean.mean(axis=0)
    root_of(total)
    at, root, m = axes_of(total, tables.within), root_of(tables.within), len(centre)
    seen = at.inverse @ (centre - centre.mean())
    tournament, observed = rows_of(y)
    off = np.linalg.solve(root, (observed - tables.mean[tournament]).T)
    scatter = np.bincount(tournament, (off**2).sum(axis=0))
    ratio = tables.worth / tables.scale
    spread = ratios_of((at.v * np.maximum(1.0 - at.e, SHARE)) @ at.v.T)
    with pm.Model(coords=coords_of(scores, tournament)) as model:
        data = data_of(scores, test_fraction=test_fraction, prior_scale=prior_scale)
        registered("spread", spread, "player", "opponent")
        registered("tournament_of_round", tournament, "tournament_round")
        registered("tournament_number", np.arange(n), "tournament")
        prior = prior._replace(scale=WIDTH * data["prior_scale"])
        tau, cut = scale_of_players(prior, pairs_of_board(tables.mean, noise, n), n)
        c = pm.InverseGamma("noise_spread", noise.df / 2.0, noise.df / 2.0)
        unit = pm.Normal("score_unit", 0.0, tau * pt.sqrt(c), dims="axis")
        level = pm.StudentT("level_unit", noise.df, sigma=np.sqrt(total.mean() / n))
        level = centre.mean() + level / pt.sqrt(1.0 + n * tau**2)
        score = pm.Deterministic("score", level + pt.dot(at.v, unit), dims="player")
        omega = pt.maximum(c - at.e, SHARE * c)
        pm.Deterministic("score_spread", pt.sqrt(pt.dot(omega, at.own)))
        own = pm.InverseGamma("round_spread", tables.df / 2.0, tables.df / 2.0, dims="tournament")
        moved = pt.sqrt(omega) * pm.Normal("deviation_unit", dims=("tournament", "axis"))
        pm.Deterministic(
            "score_tournament", score + pt.dot(moved, at.v.T), dims=("tournament", "player")
        )
        of_mean = (own * tables.scale)[:, None] * at.e
        if luck > 0.0:
            share = np.sqrt(luck / tables.worth)[:, None]
            moved = moved + share * pt.sqrt(of_mean) * pm.Normal(
                "luck_unit", dims=("tournament", "axis")
            )
        # Only the means on data sets are kept for the likelihood of all rounds.
        variance = omega + of_mean
        away = pt.dot(tables.mean - score, at.inverse.T)
        marginal = -0.5 * (pt.log(variance) + away**2 / variance).sum()
        marginal -= 0.5 * ((tables.rounds - 1.0) * m * pt.log(own) + scatter * ratio / own).sum()
        gain = 1.0 + n * tau**2
        kept = m * pt.log(gain) - n * ((seen - unit) ** 2).sum() / c
        kept += n * (seen @ seen) / (gain * c)
        mean = (score + pt.dot(moved, at.v.T))[tournament]
        scale, more = pt.sqrt(own / ratio)[tournament], cut + 0.5 * kept - marginal
        observe(observed, mean, scale, root, more, "tournament_round")
    return model


def draw(
    scores: xr.DataArray, *, draws: int, chains: int, seed: int, step: int = 1,
    test_fraction: float | None = None, prior_scale: float = PRIOR_SCALE,
) -> dict[str, xr.Dataset]:  # fmt: skip
    """Draw independently from the posterior of mean scores; every ``step``-th has replicates."""
    scores = valid_scores(scores)
    y = values_of(scores)
    tables, prior = tables_of(y, luck_of(test_fraction)), prior_of(prior_scale)
    first, *others = map(np.random.default_rng, np.random.SeedSequence(seed).spawn(chains + 1))
    parts = [part for rng in others for part in draw_filled(tables.mean, draws, 0.0, prior, rng)]
    root_of(parts[0].noise.covariance)
    means = [draw_means(part, tables, first) for part in parts]
    tournament, observed = rows_of(y)
    again = [
        draw_rounds(each, some, tables, tournament, first)
        for each, some in zip(means, every([p.mean for p in parts], draws, step), strict=True)
    ]
    boards = np.where(np.isfinite(observed), np.concatenate(again), np.nan)
    posterior: dict[str, Any] = {
        "score": (("player",), np.concatenate([part.mean for part in parts])),
        "score_tournament": (
            ("tournament", "player"), np.concatenate([each.theta for each in means])
        ),
        "score_spread": ((), np.concatenate([each.spread for each in means])),
    }  # fmt: skip
    if prior is not None:
        posterior["score_scale"] = (), np.concatenate([part.tau for part in parts])
    shape, coords = (chains, draws), coords_of(scores, tournament)
    rows = {name: coords[name] for name in ("tournament_round", "player")}
    spread = ratios_of(np.mean([each.between for each in means], axis=0))
    return {
        "posterior": drawn(posterior, {d: coords[d] for d in ("tournament", "player")}, shape),
        "posterior_predictive": drawn({"round_score": (tuple(rows), boards)}, rows, shape, step),
        "observed_data": xr.Dataset({"round_score": (tuple(rows), observed)}, rows),
        "constant_data": constant(scores, "score_tournaments")
        .assign(
            spread=(("player", "opponent"), spread),
            tournament_of_round=("tournament_round", tournament),
            tournament_number=("tournament", np.arange(len(coords["tournament"]))),
        )
        .assign_coords(opponent=coords["player"], tournament_round=coords["tournament_round"]),
    }


def values_of(scores: xr.DataArray) -> Floats:
    """Return scores (tournament, player, round), NaN if missing; or raise."""
    if scores.sizes.get("tournament", 0) < 2:
        raise LeaderbayesError(
            "score_tournaments needs scores of several tournaments (tournament, player, round): "
            "for one, use model='mean_score'."
        )
    y = scores.transpose("tournament", "player", "round").to_numpy().astype(float)
    there = np.isfinite(y)
    for q, here in enumerate(there):
        few = None
        if here.any(axis=1).sum() < 2:
            few = "has scores of only one player; exclude it"
        elif here.any(axis=0).sum() < 2:
            few = (
                "has one score per player, which does not show how much rounds vary. Exclude it; "
                "if all have, use tournaments as rounds of model='mean_score'"
            )
        holes = np.argwhere(here.any(axis=0) & here.any(axis=1, keepdims=True) & ~here)
        if len(holes):
            i, k = holes[0]
            few = (
                f"lacks the score of player {name_at(scores, 'player', i)} in round "
                f"{name_at(scores, 'round', k)}, but has others. Exclude such rounds, or the "
                "player there"
            )
        if few:
            raise LeaderbayesError(f"Tournament {name_at(scores, 'tournament', q)} {few}.")
    present = there.any(axis=2)
    check_connected(scores, present)
    total, rounds = np.where(there, y, 0.0).sum(axis=2), there.any(axis=1).sum(axis=1)
    check_values(np.where(present, total / rounds[:, None], np.nan))
    return y


def rows_of(y: Floats) -> tuple[Longs, Floats]:
    """Return each round's tournament (row,), and its scores (row, player)."""
    tournament, round_ = np.nonzero(np.isfinite(y).any(axis=1))
    return tournament, y.transpose(0, 2, 1)[tournament, round_]


def coords_of(scores: xr.DataArray, tournament: Longs) -> dict[str, Any]:
    """Return coordinates of tournaments, players and rounds."""
    names = {dim: scores[dim].to_numpy() for dim in ("tournament", "player", "round")}
    played = scores.transpose("tournament", "round", "player").notnull().any("player").to_numpy()
    rows = zip(tournament, np.nonzero(played)[1], strict=True)
    return names | {
        "opponent": names["player"],
        "axis": range(len(names["player"])),
        "tournament_round": [f"{names['tournament'][q]}: {names['round'][k]}" for q, k in rows],
        "model": ["score_tournaments"],
    }


MODEL = Model(
    name="score_tournaments",
    label="Mean scores over tournaments",
    data=("scores",),
    parameter="score",
    unit="the metric's unit",
    build=score_tournaments,
    draw=draw,
    several=True,
    likelihood="normal",
)
