"""Tournaments: strengths that vary between data sets around each player's mean."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pymc as pm
import pytensor.tensor as pt
import xarray as xr
from pytensor.tensor.variable import TensorVariable

from leaderbayes._numerics.pairs_by_round import round_statistics
from leaderbayes._numerics.places import draw_places
from leaderbayes._types import Floats
from leaderbayes.models._board import check_options, estimates
from leaderbayes.models._ops import known, pairs_log_likelihood
from leaderbayes.models._tournament_boards import SPREAD_SCALE, boards_of_matches
from leaderbayes.models._weight import PRIOR_SCALE, Weight


def tournaments(
    matches: xr.Dataset,
    *,
    groups: Mapping[str, str] | None = None,
    weight: Weight = "composite",
    test_fraction: float | None = None,
    prior_scale: float = PRIOR_SCALE,
    spread_scale: float = SPREAD_SCALE,
    centring: float | None = None,
) -> pm.Model:
    r"""Many tournaments at once: each player has a mean strength, and one in each tournament.

    .. math::

        \sigma &\sim \mathrm{HalfNormal}(prior\_scale), \quad
        \mu \sim \mathrm{ZeroSumNormal}(\sigma) \\
        b_{ti} &\sim N(\mu_i, \tau^2), \quad \tau \sim \mathrm{HalfNormal}(spread\_scale) \\
        \mathrm{logit}\,P(i\ \mathrm{beats}\ j\ \mathrm{in}\ t) &= b_{ti} - b_{tj}

    and the likelihood of all matches of a round is raised to its tournament's weight. With
    ``groups`` the mean is that of the player's group and its own deviation from it.

    Parameters
    ----------
    matches : Dataset
        Of several tournaments, from `leaderbayes.matches`, within rounds, ties "half" or "drop".
        A player may be missing from tournaments.
    groups : mapping, optional
        Group of each player, such as the algorithm of which a player is one setting.
    weight : "composite" or float
        As for `bradley_terry`; estimated in each tournament by itself.
    test_fraction : float, optional
        As for `bradley_terry`.
    prior_scale : float
        Scale of the half-normal prior on the standard deviation of mean strengths (of groups'
        means and of players within groups), log-odds.
    spread_scale : float
        Scale of the half-normal prior on the spread between tournaments, log-odds.
    centring : float, optional
        How strengths by tournament are sampled, from 0 (as deviations from the mean) to 1
        (around it), and the means likewise: the model is the same. Chosen from the boards by
        default; `fit` without PyMC has coordinates of its own.

    Returns
    -------
    pymc.Model
        Variables ``epp`` (player), mean strength over tournaments, sum to zero; ``epp_scale`` ();
        ``epp_spread`` (), standard deviation between tournaments; ``epp_tournament``
        (tournament, player), log-odds of beating the average player of the tournament, sums to
        zero over those present; for an absent player, its expectation there;
        ``epp_group`` (group) and ``group_scale`` () with groups; units that are sampled for
        them; observed ``place`` (tournament_round, player); data ``weight`` (tournament).
        Log-likelihood and replicates come by round of a tournament.

    Raises
    ------
    LeaderbayesError
        If these are no matches of several tournaments, a tournament has one player, an option
        has no meaning, or a player has no group.

    Warns
    -----
    WeightWarning
        If fewer than 3 rounds leave a tournament's weight to a formula.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, section
    3.3.6 compares leaderboards of many data sets; Gelfand, Sahu, Carlin (1995), Efficient
    parametrisations for normal linear mixed models, Biometrika 82, on centring.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> model = lb.models.tournaments(lb.matches(lb.datasets.load("classifiers")))
    >>> [variable.name for variable in model.free_RVs]
    ['epp_scale', 'epp_unit', 'epp_spread', 'spread_unit']
    >>> [variable.name for variable in model.deterministics]
    ['epp', 'epp_tournament']
    """
    check_options(centring, prior_scale=prior_scale, spread_scale=spread_scale)
    boards = boards_of_matches(matches, groups, weight, test_fraction)
    tournament, rows, present, eta = boards.tournament, boards.rows, boards.present, boards.weight
    cells = np.nonzero(present)
    centring, mean_centring = (
        _reliabilities(boards.alone, eta, matches["player"].to_numpy())
        if centring is None
        else (centring, centring)
    )

    def logp(value: Any, b: Any, present: Any, weight: Any) -> Any:
        statistics = round_statistics(
            known(value), within_round=True, ties=boards.ties, tournament=tournament
        )
        return weight * pairs_log_likelihood(statistics, b)

    def random(b: Any, present: Any, weight: Any, rng: np.random.Generator, size: Any) -> Any:
        return draw_places(b, present.astype(bool), rng)

    with pm.Model(coords=boards.coords) as model:
        power = pm.Data("weight", np.concatenate(eta), dims="tournament_round")
        if boards.group is None:
            scale = pm.HalfNormal("epp_scale", prior_scale)
            unit = pm.ZeroSumNormal("epp_unit", sigma=scale**mean_centring, dims="player")
            mean = pm.Deterministic("epp", scale ** (1.0 - mean_centring) * unit, dims="player")
        else:
            # A group has few players: its mean is never well known.
            group_scale = pm.HalfNormal("group_scale", prior_scale)
            group_unit = pm.ZeroSumNormal("group_unit", dims="group")
            group_mean = pm.Deterministic("epp_group", group_scale * group_unit, dims="group")
            scale = pm.HalfNormal("epp_scale", prior_scale)
            unit = pm.Normal("epp_unit", 0.0, scale**mean_centring, dims="player")
            own = group_mean[boards.group] + scale ** (1.0 - mean_centring) * unit
            mean = pm.Deterministic("epp", own - pt.mean(own), dims="player")
        spread = pm.HalfNormal("epp_spread", spread_scale)
        # Strengths relative to the average of those present, whose level no match knows.
        share = present / present.sum(axis=1, keepdims=True)
        expected = mean - pt.dot(share, mean)[:, None]
        centred = centring * expected[cells]
        spread_unit = pm.Normal("spread_unit", _reduce(centred, cells[0]), spread**centring)
        deviation = spread ** (1.0 - centring) * (_extend(spread_unit, cells[0]) - centred)
        b = pm.Deterministic(
            "epp_tournament",
            pt.inc_subtensor(expected[cells], deviation),
            dims=("tournament", "player"),
        )
        pm.CustomDist(
            "place",
            b[tournament],
            (rows > 0).astype("int8"),
            power,
            logp=logp,
            random=random,
            signature="(p),(p),()->(p)",
            dtype="int32",
            observed=rows,
            dims=("tournament_round", "player"),
        )
    return model


def _extend(reduced: TensorVariable, row: np.ndarray) -> TensorVariable:
    """Zero-sum values of each row from one fewer free ones, by an orthonormal map.

    ``row`` (cell,) is sorted; the last cell of each row has no free value of its own. For a row of
    n cells, PyMC's zero-sum transform.
    """
    n = np.bincount(row).astype(float)
    last = np.append(np.diff(row) != 0, True)
    total = pt.inc_subtensor(pt.zeros(n.size)[row[~last]], reduced)
    norm = total / (np.sqrt(n) + n)
    values = pt.zeros(row.size)
    values = pt.set_subtensor(values[np.flatnonzero(~last)], reduced)
    values = pt.set_subtensor(values[np.flatnonzero(last)], norm - total / np.sqrt(n))
    return values - norm[row]


def _reduce(values: TensorVariable, row: np.ndarray) -> TensorVariable:
    """Free values of zero-sum ones: the inverse of `_extend`."""
    n = np.bincount(row).astype(float)
    last = np.append(np.diff(row) != 0, True)
    norm = -values[np.flatnonzero(last)] * np.sqrt(n) / (np.sqrt(n) + n)
    return values[np.flatnonzero(~last)] + norm[row[~last]]


def _reliabilities(
    boards: list[xr.Dataset], eta: list[Floats], players: np.ndarray
) -> tuple[float, float]:
    """Shares of the variance between tournaments, and between means, that are not error."""
    found = [estimates(board, weight) for board, weight in zip(boards, eta, strict=True)]
    table = pd.DataFrame(
        [
            pd.Series(epp, index=board["player"].to_numpy())
            for board, (epp, _) in zip(boards, found, strict=True)
        ]
    ).reindex(columns=players)
    spread = float(np.nanmean(table.var().to_numpy()))
    between = float(table.mean().var())
    errors = (float(np.mean([error for _, error in found])), spread / len(boards))
    within, among = (
        float(np.clip(1.0 - error / variance, 0.0, 1.0)) if variance > 0 else 0.0
        for error, variance in zip(errors, (spread, between), strict=True)
    )
    return within, among
