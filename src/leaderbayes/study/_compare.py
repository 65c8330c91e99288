"""Leaderboards of many tournaments side by side: fit, leader, odd player."""

from collections.abc import Iterator
from functools import singledispatch
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.check import checked
from leaderbayes._answers.deviance import Convention, deviance_of
from leaderbayes._answers.groups import tied_of
from leaderbayes._arguments import share, whole
from leaderbayes._fits.posterior import MeanScores, Posterior
from leaderbayes._numerics.intervals import with_ends
from leaderbayes.study._strengths import strengths_of, with_winning
from leaderbayes.study._tournaments import Study, read_study
from leaderbayes.study._unusual import surprise

_DRAWS = 50  # of the check of a fit that has no p-value of its own


def compare(
    study: xr.DataTree,
    *,
    prob: float = 0.95,
    convention: Convention = "correct",
    draws: int | None = None,
) -> pd.DataFrame:
    """Return a row per tournament: fit of the model, leader, and most unusual player.

    Lower deviances mean a better fit. They compare leaderboards of the same players, and
    standardised deviances any leaderboards. They assume independent matches; ``p_check`` does not.

    Parameters
    ----------
    study : DataTree
        From `study.fit`, or a fit of several tournaments.
    prob : float
        Posterior probability at which two players are distinguishable, and of the intervals.
    convention : {"correct", "published"}
        As for `deviance`.
    draws : int, optional
        Draws of each tournament's `check`; 0 leaves ``p_check`` out. By default ``p_check`` is the
        fit's own.

    Returns
    -------
    DataFrame
        ``tournament``, ``players``, ``rounds`` (or ``votes``); ``deviance``, ``df``,
        ``standardised``, ``p_value`` (chi-square), ``p_value_normal``, ``p_check``, ``weight`` of
        a match; ``leader``, ``p_best`` that it is the best, ``tied_for_top``, how many players
        are indistinguishable from it; ``odd_player`` and ``odd_z``, whose win probability differs
        most from the other tournaments, as `unusual` finds; ``converged``. For mean scores, in
        place of the deviances and the odd player: ``score`` of the leader, ``second`` and
        ``lead``, in the tournament's unit with ``_lower`` and ``_upper``. attrs: ``converged``,
        ``warnings``.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, section
    3.3.6, properties 3.8 to 3.10.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers").sel(tournament=["iris", "wine"])
    >>> study = lb.study.fit(scores, store="study", seed=1, progressbar=False)
    >>> lb.study.compare(study)[["tournament", "players", "rounds", "leader"]]
      tournament  players  rounds            leader
    0       iris       15      25    logistic C=100
    1       wine       15      25  forest trees=100
    """
    prob = share("prob", prob)
    draws = None if draws is None else whole("draws", draws, at_least=0)
    every = read_study(study)
    table = pd.DataFrame(compared(every, prob, convention, draws))
    table["converged"] = table.pop("converged")  # the last column
    table.attrs.update(every.trust)
    return table


def compared(
    study: Study, prob: float, convention: Convention = "correct", draws: int | None = None
) -> list[dict[str, Any]]:
    """Return the rows of `compare`."""
    rows = [_row(name, fit, prob, convention, draws) for name, fit in study.fits.items()]
    # Mean scores of different units have no odd one.
    if not any("lead" in row for row in rows):
        odd = _odd_players(with_winning(strengths_of(study), study))
        rows = [row | other for row, other in zip(rows, odd, strict=True)]
    return rows


def _row(
    name: str, fit: Posterior, prob: float, convention: Convention, draws: int | None
) -> dict[str, Any]:
    """Return what a row shows of one tournament."""
    return {
        "tournament": name,
        "players": len(fit.players),
        **_size(fit),
        **_about(fit, prob, convention, draws),
        "p_best": float((fit.standing.argmax(axis=1) == fit.order[0]).mean()),
        "tied_for_top": len(tied_of(fit, prob)),
        "converged": bool(fit.trust["converged"]),
    }


@singledispatch
def _about(
    fit: Posterior, prob: float, convention: Convention, draws: int | None
) -> dict[str, Any]:
    """Return how well a model of matches fits, and the leader."""
    tested = deviance_of(fit, convention)
    p_check = float(fit.tree.attrs.get("p_check", np.nan)) if draws is None else np.nan
    if np.isnan(p_check) and draws != 0:
        p_check = float(checked(fit, draws or _DRAWS, np.random.default_rng(fit.seed))["p_value"])
    return {
        "deviance": float(tested["value"]),
        "df": int(tested["df"]),
        **{k: float(tested[k]) for k in ("standardised", "p_value", "p_value_normal")},
        "p_check": p_check,
        "weight": float(fit.constant["weight"].mean()),
        "leader": str(fit.players[fit.order[0]]),
    }


@_about.register
def _lead(fit: MeanScores, prob: float, *_: Any) -> dict[str, Any]:
    """Return the leader, and by how much it leads, in the metric's unit."""
    first, second = fit.order[:2]
    ahead = fit.standing[:, first] - fit.standing[:, second]
    return {
        "leader": str(fit.players[first]),
        **with_ends({"score": fit.draws[:, first]}, prob),
        "second": str(fit.players[second]),
        **with_ends({"lead": ahead}, prob),
    }


def _odd_players(strengths: xr.Dataset) -> Iterator[dict[str, Any]]:
    """Yield whose strength is least like elsewhere, a tournament after the other; "" is nobody."""
    players = strengths["player"].to_numpy()
    for z in surprise(strengths):
        others = not np.isnan(z).all()
        odd = int(np.nanargmax(np.abs(z))) if others else 0
        yield {"odd_player": str(players[odd]) if others else "", "odd_z": float(z[odd])}


def _size(fit: Posterior) -> dict[str, int]:
    """Count a fit's rounds, or its votes."""
    sizes = fit.group("observed_data").sizes
    return {f"{dim}s": sizes[dim] for dim in ("round", "vote") if dim in sizes}
