"""A board of accuracies, and the dependence of classifiers, from their answers."""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._errors import LeaderbayesError, ScoresError, warn
from leaderbayes._files.read import MAX_MB
from leaderbayes._scores.matches import one_tournament
from leaderbayes._scores.read import read_scores
from leaderbayes._scores.tables import Source, listed, shown
from leaderbayes._types import Floats
from leaderbayes.sota._read_board import read_board

_REPLICATES = 400  # bootstrap samples of the items, for the interval of rho


def read_answers(
    source: Source | xr.DataArray,
    *,
    classes: int | None = None,
    chance: float | None = None,
    player: str | None = None,
    round: str | None = None,
    score: str | None = None,
    cluster: str | None = None,
    higher_is_better: bool | None = None,
    max_mb: float = MAX_MB,
) -> xr.DataArray:
    r"""Read right and wrong answers of all classifiers to all items, and estimate rho.

    Right answers of two classifiers correlate by :math:`\rho^2` in Boland's model (section 4.2):
    of m classifiers, with :math:`a_{ji}` 1 where classifier j is right on item i,
    :math:`\hat\rho^2 = \frac{2}{m (m - 1)} \sum_{j < k} \mathrm{corr}(a_j, a_k)`.

    Parameters
    ----------
    source : path, DataFrame, dict or DataArray (player, round) or (classifier, instance)
        What `leaderbayes.read_scores` reads; or the array that it, or an adapter, returns.
    classes, chance
        As for `read_board`.
    player, round, score, cluster : str, optional
        Columns of a table: classifiers, items, answers, and what items share.
    higher_is_better : bool, optional
        For a table: False where 1 is wrong.
    max_mb : float
        Largest size of a file, unpacked, in megabytes.

    Returns
    -------
    DataArray (team)
        The board, as of `read_board`, with ``n``, the number of items; ``rho``, ``rho_lower``,
        ``rho_upper`` (95 %, bootstrap of the items), which functions on boards take where they are
        given no other: `posterior` as a prior, `shrink` and `winner` the estimate.

    Raises
    ------
    ScoresError
        If the table cannot be read, an answer is missing or neither right nor wrong, or there are
        several tournaments.
    LeaderbayesError
        If fewer than two classifiers are right on some items and wrong on others.

    Warns
    -----
    LeaderbayesWarning
        LB027, if items come in clusters, which a board ignores.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> answers = lb.datasets.load("answers").attrs["source"]
    >>> board = lb.sota.read_answers(answers, classes=10, round="instance")
    >>> board.sizes["team"], board.attrs["n"], round(board.attrs["rho"], 2)
    (115, 600, 0.55)
    """
    columns: dict[str, Any] = {
        "player": player, "round": round, "score": score, "cluster": cluster,
        "higher_is_better": higher_is_better,
    }  # fmt: skip
    if isinstance(source, xr.DataArray):
        given = [name for name, value in columns.items() if value is not None]
        if given:
            raise LeaderbayesError(f"{listed(given)} is for tables, not arrays; omit it.")
        known = {"classifier": "player", "instance": "round"}
        answers = source.rename({old: new for old, new in known.items() if old in source.dims})
    else:
        answers = read_scores(source, **columns, max_mb=max_mb)
    if answers.sizes.get("tournament", 1) > 1:
        names = answers["tournament"].to_numpy()
        raise ScoresError(
            f"The answers are to {len(names)} test sets ({listed(names)}), but a board needs one: "
            f"use lb.read_scores(...).sel(tournament={str(names[0])!r:.60})."
        )
    right = _right(one_tournament(answers).transpose("player", "round"))
    values, rng = right.to_numpy(), np.random.default_rng(0)
    rho, n = _rho(values), values.shape[1]
    if np.isnan(rho):
        raise LeaderbayesError(
            "Fewer than two classifiers have both right and wrong answers, so their dependence "
            "is unknown; add classifiers."
        )
    again = [_rho(values[:, rng.integers(n, size=n)]) for _ in range(_REPLICATES)]
    lower, upper = np.nanquantile(again, [0.025, 0.975])
    teams = pd.Index([str(name) for name in right["player"].to_numpy()], dtype=object)
    scores = pd.Series(values.mean(axis=1), teams)
    board = read_board(scores, n=n, classes=classes, chance=chance)
    clusters = len(np.unique(right["cluster"])) if "cluster" in right.coords else n
    if 1 < clusters < n:
        warn(
            f"LB027 Items come in {clusters} clusters, which a board ignores: intervals are too "
            "narrow. Use one item per cluster, or read_board(scores, se=) with errors by cluster."
        )
    return board.assign_attrs(
        source=str(answers.attrs.get("source", "array")),
        higher_is_better=int(answers.attrs.get("higher_is_better", 1)),
        rho=rho,
        rho_lower=float(lower),
        rho_upper=float(upper),
    )


def _rho(answers: Floats) -> float:
    """Return the root of the mean correlation of pairs; constant classifiers have none."""
    sd = answers.std(axis=1)
    varies = answers[sd > 0.0]
    m, n = varies.shape
    if m < 2:
        return float("nan")
    unit = (varies - varies.mean(axis=1, keepdims=True)) / sd[sd > 0.0, None]
    # The sum over pairs is the square of the sum, less the diagonal.
    mean = (float((unit.sum(axis=0) ** 2).sum()) / n - m) / (m * (m - 1))
    return float(np.sqrt(max(mean, 0.0)))


def _right(answers: xr.DataArray) -> xr.DataArray:
    """Return 1 for right and 0 for wrong answers; raise for other values."""
    values = answers.to_numpy()
    bad = np.argwhere(~np.isin(values, (0.0, 1.0)))
    if len(bad):
        j, i = bad[0]
        who, item = (str(answers[d].to_numpy()[k]) for d, k in (("player", j), ("round", i)))
        where = f"{answers.attrs.get('source', 'array')}: {shown(who)}"
        if np.isnan(values[j, i]):
            raise ScoresError(
                f"{where} has no answer to {shown(item)}, and {len(bad) - 1} more are missing: "
                "score missing answers as wrong, or exclude the item or the player."
            )
        raise ScoresError(
            f"{where} has {values[j, i]:g} on {shown(item)}: answers are 1 (right) or 0 (wrong). "
            "Keep one run of several; for other scores use sota.read_board with means and "
            "standard errors (se=)."
        )
    right = answers if answers.attrs.get("higher_is_better", 1) else 1.0 - answers
    return right.astype(float)
