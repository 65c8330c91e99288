"""Leaderboards of many tournaments side by side: fit, leader, odd player."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.check import check
from leaderbayes._answers.deviance import deviance
from leaderbayes._answers.draws import by_mean, scores_of, seed_of, sign_of, standing_once
from leaderbayes._answers.groups import tied_for_top
from leaderbayes._answers.mean_score import with_ends
from leaderbayes._arguments import share, whole
from leaderbayes._fits.posterior import is_mean_score
from leaderbayes.likelihood._hypothesis import Convention
from leaderbayes.study._strengths import strengths_of
from leaderbayes.study._tournaments import fits_of, trust_of
from leaderbayes.study._unusual import surprise

_DRAWS = 50  # of the check of a fit that has no p-value of its own


def compare(
    study: xr.DataTree,
    *,
    prob: float = 0.95,
    convention: Convention = "correct",
    draws: int | None = None,
) -> pd.DataFrame:
    """Compare the leaderboards of many tournaments: how well each fits, and what it decides.

    Deviances compare leaderboards of the same players (property 3.8), standardised deviances any
    (property 3.10): the lower, the better the fit. They suppose independent matches, as
    `deviance` says; ``p_check`` does not. Mean scores have neither: of them there is by how much
    the leader leads, in the unit of each tournament's metric.

    Parameters
    ----------
    study : DataTree
        A fit for each tournament, or a fit of the model "tournaments" or "score_tournaments".
    prob : float
        Posterior probability at which two players are told apart, and of the (equal-tailed)
        intervals.
    convention : {"correct", "published"}
        As for `deviance`.
    draws : int, optional
        Posterior draws of each tournament's check, whose standard error is up to
        0.5 / sqrt(draws). By default ``p_check`` is the fit's own, ``attrs["p_check"]``, and of a
        fit that has none of 50 draws. With thousands of players a draw takes seconds: 0 leaves
        ``p_check`` out.

    Returns
    -------
    DataFrame
        A row a tournament, in the study's order: ``tournament``, ``players``, ``rounds`` (of
        votes ``votes``, those that count);
        ``deviance``, ``df``, ``standardised``, ``p_value`` (chi-square), ``p_value_normal``;
        ``p_check``, as ``p_round`` of `check`; ``weight`` of a match; ``leader`` (highest
        posterior mean), ``p_best`` that it is the best, ``tied_for_top``, how many players cannot
        be told apart from it, itself included; ``odd_player``, ``odd_z``: whose strength is least
        like in the other tournaments, as `unusual` finds ("" and NaN where there are none); it is
        the most extreme of all players, of whom the farthest of 40 is beyond 2.5 in two boards of
        five by chance; ``converged``. attrs: ``converged`` (all of them: 0 or 1),
        ``warnings`` (JSON list). Of mean scores, in place of the columns from ``deviance`` to
        ``weight`` and of the odd player: ``score`` of the leader; ``second``, who is next by
        posterior mean; and ``lead``, by how much the leader is better than the second, both in the
        tournament's own unit and with ``_lower`` and ``_upper``.

    Raises
    ------
    LeaderbayesError
        If there is no tournament, or an option is out of range.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, section
    3.3.6, properties 3.8 to 3.10.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers").sel(tournament=["iris", "wine"])
    >>> study = lb.study.fit(
    ...     scores, store="study", sampler="laplace", seed=1, progressbar=False
    ... )
    >>> boards = lb.study.compare(study)
    >>> boards[["tournament", "players", "rounds", "leader"]]
      tournament  players  rounds            leader
    0       iris       15      25    logistic C=100
    1       wine       15      25  forest trees=100
    """
    prob = share("prob", prob)
    draws = None if draws is None else whole("draws", draws, at_least=0)
    fits = dict(fits_of(study))
    rows = [
        compared(name, fit, prob=prob, convention=convention, draws=draws)
        for name, fit in fits.items()
    ]
    # Mean scores of different units have no odd one.
    if not any(map(is_mean_score, fits.values())):
        odd = odd_players(strengths_of(study))
        rows = [row | other for row, other in zip(rows, odd, strict=True)]
    table = pd.DataFrame(rows)
    table["converged"] = table.pop("converged")  # the last column
    table.attrs.update(trust_of(study))
    return table


def compared(
    name: str,
    fit: xr.DataTree,
    *,
    prob: float,
    convention: Convention = "correct",
    draws: int | None = 0,
) -> dict[str, Any]:
    """Give what a row of `compare` says of a tournament by itself."""
    standing, players = standing_once(fit)
    first, second = by_mean(standing)[:2]
    of_scores = is_mean_score(fit)
    return {
        "tournament": name,
        "players": len(players),
        **_size(fit),
        **({} if of_scores else _goodness(fit, convention, draws)),
        "leader": str(players[first]),
        **(_lead(fit, first, second, prob) if of_scores else {}),
        "p_best": float((standing.argmax(axis=1) == first).mean()),
        "tied_for_top": len(tied_for_top(fit, prob=prob)),
        "converged": bool(fit.attrs["converged"]),
    }


def _goodness(fit: xr.DataTree, convention: Convention, draws: int | None) -> dict[str, Any]:
    """Say how well a model of matches fits."""
    tested = deviance(fit, convention=convention)
    p_check = float(fit.attrs.get("p_check", np.nan)) if draws is None else np.nan
    if np.isnan(p_check) and draws != 0:
        p_check = float(check(fit, draws=draws or _DRAWS, seed=seed_of(fit))["p_round"])
    return {
        "deviance": float(tested["value"]),
        "df": int(tested["df"]),
        **{k: float(tested[k]) for k in ("standardised", "p_value", "p_value_normal")},
        "p_check": p_check,
        "weight": float(fit.attrs["weight"]),
    }


def _lead(fit: xr.DataTree, first: int, second: int, prob: float) -> dict[str, Any]:
    """Say by how much the first of the players leads, in the metric's unit."""
    score, players = scores_of(fit)
    return {
        **with_ends({"score": score[:, first]}, prob),
        "second": str(players[second]),
        **with_ends({"lead": sign_of(fit) * (score[:, first] - score[:, second])}, prob),
    }


def odd_players(strengths: xr.Dataset) -> Iterator[dict[str, Any]]:
    """Give whose strength is least like elsewhere, a tournament after the other; nobody's is ""."""
    players = strengths["player"].to_numpy()
    for z in surprise(strengths):
        others = not np.isnan(z).all()
        odd = int(np.nanargmax(np.abs(z))) if others else 0
        yield {"odd_player": str(players[odd]) if others else "", "odd_z": float(z[odd])}


def _size(fit: xr.DataTree) -> dict[str, int]:
    """Count a fit's rounds, or its votes."""
    sizes = fit["constant_data"].sizes
    return {f"{dim}s": sizes[dim] for dim in ("round", "vote") if dim in sizes}
