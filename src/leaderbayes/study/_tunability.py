"""How much an algorithm gains by its settings, data set by data set."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import expit

from leaderbayes._arguments import share
from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.intervals import ends
from leaderbayes._types import AnyFloats, Bools
from leaderbayes.study._strengths import strengths_of, winning, with_winning
from leaderbayes.study._tournaments import read_study

_NUMBERS = (
    "best_p_win", "best_lower", "best_upper", "p_best_in_class", "median_p_win", "spread",
    "gain", "gain_lower", "gain_upper", "gain_each_draw",
)  # fmt: skip


def tunability(
    study: xr.DataTree,
    groups: Mapping[str, str],
    *,
    default: Mapping[str, str] | None = None,
    prob: float = 0.95,
) -> xr.Dataset:
    """Compare each group's best player with its default, in each tournament.

    A group may be an algorithm, whose settings are players. The best player is chosen and evaluated
    on the same rounds, so its gain is optimistic, above all in large groups with few rounds.
    ``gain_each_draw`` chooses again in each draw; if it is far above ``gain``, the choice is
    uncertain.

    Parameters
    ----------
    study : DataTree
        From `study.fit`, or a fit of several tournaments, in log-odds.
    groups : mapping
        Group of each player.
    default : mapping, optional
        Default player of a group; otherwise its median player by mean win probability over the
        tournaments.
    prob : float
        Probability mass of the equal-tailed credible intervals.

    Returns
    -------
    Dataset
        ``p_win`` (tournament, player), probability of beating another player of the tournament who
        is drawn at random, with ``player_group`` (player); ``on_prior``, whether results leave its
        strength open at one end, as of who never won; ``default`` (group). By (tournament, group),
        NaN or "" where the group is absent: ``best``, the player; ``best_p_win``, ``best_lower``,
        ``best_upper``; ``p_best_in_class``, probability that it is the best of its group;
        ``median_p_win`` and ``spread`` (interquartile range) of the players; ``gain``,
        ``gain_lower``, ``gain_upper``, probability that it beats the default in a new round;
        ``gain_each_draw``. attrs: ``prob``, ``converged``, ``warnings`` (JSON).

    Raises
    ------
    LeaderbayesError
        If a player has no group, a default is none of its group's players, or ``prob`` is not
        between 0 and 1.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, section 4.1,
    Figure 4. Probst, Boulesteix, Bischl (2019), Tunability: importance of hyperparameters of
    machine learning algorithms, Journal of Machine Learning Research 20.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers").sel(tournament=["iris", "wine"])
    >>> study = lb.study.fit(scores, store="study", seed=1, progressbar=False)
    >>> groups = {name: name.split()[0] for name in scores["player"].values.tolist()}
    >>> gains = lb.study.tunability(study, groups)
    >>> gains["best"].sel(group="knn").to_series().to_dict()
    {'iris': 'knn k=5', 'wine': 'knn k=25'}
    """
    prob = share("prob", prob)
    every = read_study(study, in_log_odds=True)
    strengths = with_winning(strengths_of(every), every)
    group_of = _groups_of(strengths["player"].to_numpy(), groups)
    defaults = _defaults(strengths, group_of, default or {})
    table = []
    for t, fit in enumerate(every.fits.values()):
        own = group_of[fit.players].to_numpy(dtype=str)
        p_win = strengths["p_win"][t].sel(player=fit.players).to_numpy()
        cells = (
            _of_group(fit.draws, p_win, fit.players, own == group, player, prob)
            for group, player in defaults.items()
        )
        table.append(list(cells))
    numbers = {
        name: (("tournament", "group"), np.array([[cell[name] for cell in row] for row in table]))
        for name in table[0][0]
    }
    player_group = ("player", group_of.to_numpy().astype(str))
    return xr.Dataset(
        {
            **strengths[["p_win", "on_prior"]],
            "default": ("group", list(defaults.values())),
            **numbers,
        },
        coords={"player_group": player_group, "group": list(defaults)},
        attrs={"prob": prob, **strengths.attrs},
    )


def _groups_of(players: AnyFloats, groups: Mapping[str, str]) -> "pd.Series[str]":
    """Look up the group of each player, by player."""
    absent = [str(p) for p in players if p not in groups]
    if absent:
        raise LeaderbayesError(f"groups: player {absent[0]!r} has none; name one for every player.")
    return pd.Series([str(groups[p]) for p in players], index=players)


def _defaults(
    strengths: xr.Dataset, group_of: "pd.Series[str]", given: Mapping[str, str]
) -> dict[str, str]:
    """Choose the default player of each group, in the order in which groups come."""
    mean = (strengths["p_win"] + strengths["p_win_level"]).mean("tournament").to_series()
    names = list(group_of.unique())
    unknown = [g for g in given if g not in names]
    if unknown:
        raise LeaderbayesError(
            f"default: there is no group {unknown[0]!r}; there are {', '.join(names)}."
        )
    chosen = {}
    for name in names:
        players = mean[group_of == name].sort_values(ascending=False, kind="stable").index
        player = given.get(name, players[(len(players) - 1) // 2])
        if player not in players:
            raise LeaderbayesError(
                f"default: {player!r} is not in group {name!r}, which begins with {players[0]!r}."
            )
        chosen[name] = str(player)
    return chosen


def _of_group(
    epp: AnyFloats, p_win: AnyFloats, players: pd.Index, own: Bools, default: str, prob: float,
) -> dict[str, float | str]:  # fmt: skip
    """Return a group's numbers in one tournament, from draws (sample, player) and p_win."""
    if not own.any():
        return {"best": "", **dict.fromkeys(_NUMBERS, np.nan)}
    of_group = epp[:, own]
    best = int(of_group.mean(axis=0).argmax())
    first = of_group[:, best]
    beats = winning(first[:, None], epp)[:, 0]
    quarter, median, three_quarters = np.quantile(p_win[own], [0.25, 0.5, 0.75])
    base = epp[:, players.get_loc(default)] if default in players else np.full(len(epp), np.nan)
    win, each = expit(first - base), expit(of_group.max(axis=1) - base)
    values = (
        beats.mean(), *ends(beats, prob), (of_group.argmax(axis=1) == best).mean(),
        median, three_quarters - quarter,
        win.mean(), *ends(win, prob), each.mean(),
    )  # fmt: skip
    return {"best": str(players[own][best]), **dict(zip(_NUMBERS, values, strict=True))}
