r"""Tournaments: strengths that vary between data sets around each player's mean.

.. math::

    \sigma &\sim \mathrm{HalfNormal}(prior\_scale), \quad
    \mu \sim \mathrm{ZeroSumNormal}(\sigma) \\
    b_{ti} &\sim N(\mu_i, \tau^2), \quad \tau \sim \mathrm{HalfNormal}(spread\_scale) \\
    \mathrm{logit}\,P(i\ \mathrm{beats}\ j\ \mathrm{in}\ t) &= b_{ti} - b_{tj}

The likelihood of a round is raised to its tournament's weight.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._errors import LeaderbayesError, warn
from leaderbayes._scores.matches import require_matches
from leaderbayes._types import Bools, Floats, Longs
from leaderbayes.models._board import constants, declare, pairs_by_round
from leaderbayes.models._model import Model
from leaderbayes.models._places import observe_pairs
from leaderbayes.models._prior import PRIOR_SCALE, estimates
from leaderbayes.models._weight import Weight, check_scales, resolve_weight

if TYPE_CHECKING:
    import pymc as pm

_NAME = "tournaments"
_FEWEST = 5  # tournaments


def tournaments(
    matches: xr.Dataset,
    *,
    groups: Mapping[str, str] | None = None,
    weight: Weight = "composite",
    test_fraction: float | None = None,
    prior_scale: float = PRIOR_SCALE,
    spread_scale: float = 2.0,
) -> "pm.Model":
    """Return the model of strengths that vary between tournaments.

    Parameters
    ----------
    matches : Dataset
        For several tournaments, from `leaderbayes.matches`, within rounds, ties "half" or "drop". A
        player may be missing from tournaments.
    groups : mapping, optional
        Group of each player, such as the algorithm that a player is a setting of: means of players
        then vary around their group's.
    weight, test_fraction
        As for `bradley_terry`, of each tournament.
    prior_scale, spread_scale : float
        Scales of the half-normal priors on the standard deviations of mean strengths (of groups'
        means, too) and of strengths between tournaments, in log-odds.

    Returns
    -------
    pymc.Model
        ``epp`` (player), mean strength over tournaments; ``epp_scale``; ``epp_spread``, standard
        deviation between tournaments; ``epp_tournament`` (tournament, player), for an absent
        player its expectation; with groups ``epp_group`` (group) and ``group_scale``; observed
        ``place`` (tournament_round, player).

    Raises
    ------
    LeaderbayesError
        If these are no matches of several tournaments, a tournament has one player, an option is
        out of range, or a player has no group.

    Warns
    -----
    LeaderbayesWarning
        LB011, if a tournament has fewer than 3 rounds, or if there are fewer than 5 tournaments.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, section
    3.3.6; Gelfand, Sahu, Carlin (1995), Efficient parametrisations for normal linear mixed models,
    Biometrika 82, on centring.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> model = lb.models.tournaments(lb.matches(lb.datasets.load("classifiers")))
    >>> [variable.name for variable in model.free_RVs]
    ['epp_scale', 'epp_unit', 'epp_spread', 'spread_unit']
    """
    import pymc as pm
    import pytensor.tensor as pt

    check_scales(prior_scale=prior_scale, spread_scale=spread_scale)
    board = _boards(matches, weight, test_fraction)
    if (few := matches.sizes["tournament"]) < _FEWEST:
        warn(
            f"LB011 {few} tournaments hardly show how players vary between them: intervals on a "
            "new one may be too narrow. Add tournaments."
        )
    present, cells = board.present, np.nonzero(board.present)
    centring, mean_centring = _reliabilities(board, matches["player"].to_numpy())
    coords = {dim: board.rows[dim].to_numpy() for dim in ("round", "player")}
    coords = {"tournament_round": coords["round"], "player": coords["player"]}
    coords["tournament"] = matches["tournament"].to_numpy()
    options = {
        "test_fraction": test_fraction, "prior_scale": prior_scale, "spread_scale": spread_scale,
    }  # fmt: skip
    with pm.Model(coords=coords) as model:
        data = declare(
            constants(
                _NAME, matches, board.weight, options, dim="tournament_round",
                tournament_of_round=("tournament_round", board.tournament),
                tournament_number=("tournament", np.arange(len(coords["tournament"]))),
            ).assign_coords(tournament_round=coords["tournament_round"])
        )  # fmt: skip
        if groups is None:
            scale = pm.HalfNormal("epp_scale", data["prior_scale"])
            unit = pm.ZeroSumNormal("epp_unit", sigma=scale**mean_centring, dims="player")
            mean = pm.Deterministic("epp", scale ** (1.0 - mean_centring) * unit, dims="player")
        else:
            number, names = _numbered(groups, coords["player"])
            model.add_coord("group", names)
            # A group has few players, and its mean is never well known: not centred.
            group_scale = pm.HalfNormal("group_scale", data["prior_scale"])
            group_unit = pm.ZeroSumNormal("group_unit", dims="group")
            group_mean = pm.Deterministic("epp_group", group_scale * group_unit, dims="group")
            scale = pm.HalfNormal("epp_scale", data["prior_scale"])
            unit = pm.Normal("epp_unit", 0.0, scale**mean_centring, dims="player")
            own = group_mean[number] + scale ** (1.0 - mean_centring) * unit
            mean = pm.Deterministic("epp", own - pt.mean(own), dims="player")
        spread = pm.HalfNormal("epp_spread", data["spread_scale"])
        # Strengths relative to the average of those present, whose level no match knows.
        share = present / present.sum(axis=1, keepdims=True)
        expected = mean - pt.dot(share, mean)[:, None]
        centred = centring * expected[cells]
        unit = pm.Normal("spread_unit", centred, spread**centring, shape=len(cells[0]))
        apart = unit - centred
        level = pt.dot(_averages(cells[0]), apart)[cells[0]]
        deviation = spread ** (1.0 - centring) * (apart - level)
        b = pm.Deterministic(
            "epp_tournament",
            pt.inc_subtensor(expected[cells], deviation),
            dims=("tournament", "player"),
        )
        observe_pairs(
            b, data["weight"], board.rows, dim="tournament_round", tournament=board.tournament
        )
    return model


class _Boards(NamedTuple):
    """Matches of several tournaments, and settings derived from them."""

    alone: list[xr.Dataset]  # each without players and rounds that it does not have
    weights: list[Floats]  # (round,), of each tournament
    rows: xr.Dataset  # place (round, player) of all rounds, named by tournament and round
    tournament: Longs  # (round,): number of each one's tournament
    present: Bools  # (tournament, player)

    @property
    def weight(self) -> Floats:
        """Return weights of all rounds (round,)."""
        return np.concatenate(self.weights)


def _boards(matches: xr.Dataset, weight: Weight, test_fraction: float | None) -> _Boards:
    """Split matches by tournament."""
    require_matches(
        matches, "models.tournaments", ties=MODEL.ties, across=False, pairs=True, several=True
    )
    place = matches["place"].transpose("tournament", "round", "player").to_numpy()
    alone = [_alone(matches, t) for t in range(len(place))]
    names = [str(name) for name in matches["tournament"].to_numpy()]
    for name, board in zip(names, alone, strict=True):
        if board.sizes["player"] < 2:
            raise LeaderbayesError(
                f"Tournament {name[:60]!r} has scores of only one player; exclude it."
            )
    weights = [resolve_weight(board, weight, test_fraction, with_ties=False) for board in alone]
    played = (place > 0).any(axis=2)
    tournament, at = np.nonzero(played)
    rounds = matches["round"].to_numpy()
    named = [f"{names[t]}: {rounds[k]}" for t, k in zip(tournament, at, strict=True)]
    rows = xr.Dataset(
        {"place": (("round", "player"), place[played])},
        {"round": named, "player": matches["player"].to_numpy()},
        matches.attrs,
    )
    return _Boards(alone, weights, rows, tournament, (place > 0).any(axis=1))


def _alone(matches: xr.Dataset, t: int) -> xr.Dataset:
    """Return the matches of one tournament, with only its players and rounds."""
    board = matches.isel(tournament=t, drop=True)
    seen = board["place"] > 0
    who = np.flatnonzero(seen.any("round"))
    return board.isel(player=who, opponent=who, round=np.flatnonzero(seen.any("player")))


def _numbered(groups: Mapping[str, str], players: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Return the number of each player's group, and the groups' names."""
    absent = [str(p) for p in players if p not in groups]
    if absent:
        raise LeaderbayesError(f"groups: player {absent[0]!r} has none; name one for every player.")
    number, names = pd.factorize(np.array([str(groups[p]) for p in players], dtype=object))
    if len(names) < 2:
        raise LeaderbayesError(
            f"groups: all players are in {names[0]!r}; use two or more, or none."
        )
    return number, list(names)


def _averages(row: np.ndarray) -> Floats:
    """Return a matrix (row, cell) that averages cells by row."""
    table = (np.arange(row.max() + 1)[:, None] == row).astype(float)
    return np.asarray(table / table.sum(axis=1, keepdims=True))


def _reliabilities(board: _Boards, players: np.ndarray) -> tuple[float, float]:
    """Return the shares of variance between tournaments, and between means, that are not error."""
    found = [estimates(one, weight) for one, weight in zip(board.alone, board.weights, strict=True)]
    table = pd.DataFrame(
        [
            pd.Series(epp, index=one["player"].to_numpy())
            for one, (epp, _) in zip(board.alone, found, strict=True)
        ]
    ).reindex(columns=players)
    spread = float(np.nanmean(table.var().to_numpy()))
    between = float(table.mean().var())
    errors = (float(np.mean([error for _, error in found])), spread / len(found))
    within, among = (
        float(np.clip(1.0 - error / variance, 0.0, 1.0)) if variance > 0 else 0.0
        for error, variance in zip(errors, (spread, between), strict=True)
    )
    return within, among


MODEL = Model(
    name=_NAME,
    label="Bradley-Terry over tournaments",
    data=("matches",),
    parameter="epp",
    unit="log-odds",
    build=tournaments,
    log_likelihood=pairs_by_round,
    several=True,
    ties=("half", "drop"),
)
