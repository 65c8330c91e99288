"""A board of any metric, and its errors' covariance, from the losses of all teams by instance."""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._errors import LeaderbayesError, ScoresError
from leaderbayes._files.read import MAX_MB
from leaderbayes._scores.matches import one_tournament
from leaderbayes._scores.read import read_scores
from leaderbayes._scores.tables import Source, listed, shown
from leaderbayes._types import Floats, Longs

_REPLICATES = 400  # of the instances, for the interval of rho


def read_losses(
    source: Source | xr.DataArray,
    *,
    root: bool = False,
    chance: float | None = None,
    player: str | None = None,
    round: str | None = None,
    score: str | None = None,
    cluster: str | None = None,
    higher_is_better: bool = False,
    max_mb: float = MAX_MB,
) -> xr.DataArray:
    r"""Read what every team lost on every instance: a board of any metric that knows its errors.

    Of m teams on n instances, with :math:`\ell_{ji}` the loss of team j on instance i, the scores
    are :math:`-\bar\ell_j`, so that more is better (or, with ``root``, :math:`-\sqrt{\bar\ell_j}`:
    of squared errors the root mean squared error), with standard errors by instance, or by cluster.
    All teams have the luck of the same instances: :math:`\rho^2` is the mean correlation of two
    teams' losses.

    Parameters
    ----------
    source : path, DataFrame, dict or DataArray (player, round) or (classifier, instance)
        What `leaderbayes.read_scores` reads, a row or column an instance; or an array.
    root : bool
        Scores are roots of the means.
    chance : float, optional
        What a random classifier loses (of the root's, too), which `shrink` needs.
    player, round, score, cluster : str, optional
        Names of columns, of a table: of the teams, the instances, the losses, and of what instances
        share. An array may have a coordinate ``cluster`` (round).
    higher_is_better : bool
        True of gains: scores are their means.
    max_mb : float
        The most that a file may hold, unpacked, in megabytes.

    Returns
    -------
    DataArray (team)
        A board of estimates, as of `read_board` with ``se``; attrs also ``instances``, and ``rho``,
        ``rho_lower``, ``rho_upper`` (95 %, bootstrap of the instances or clusters), which functions
        on boards take where they are given no other.

    Raises
    ------
    ScoresError
        If the table cannot be read, a team lacks an instance, or there are several tournaments.
    LeaderbayesError
        If a team loses the same on all instances, or ``root`` is given and losses are negative.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> import numpy as np
    >>> import xarray as xr
    >>> rng = np.random.default_rng(1)
    >>> error = rng.normal(size=500) + rng.normal(size=(8, 500))
    >>> squared = xr.DataArray(error**2, dims=("player", "round"))
    >>> board = lb.sota.read_losses(squared, root=True)
    >>> round(float(board.max()), 2), round(float(board["se"][0]), 2), board.attrs["rho"] > 0.3
    (-1.27, 0.04, True)
    >>> lb.sota.winner(board, covariance=lb.sota.covariance(squared, root=True)).sizes
    Frozen({})
    """
    columns = {"player": player, "round": round, "score": score, "cluster": cluster}
    if isinstance(source, xr.DataArray):
        given = [name for name, value in columns.items() if value is not None]
        if given:
            raise LeaderbayesError(f"{listed(given)}: of a table, not of an array; leave it out.")
        losses = source
    else:
        losses = read_scores(
            source, **columns, higher_is_better=higher_is_better, max_mb=max_mb
        )  # fmt: skip
    losses, codes = _checked(losses, root)
    values = losses.to_numpy()
    influence = _influence(values, root)
    estimate = np.sqrt(values.mean(axis=1)) if root else values.mean(axis=1)
    sign = 1.0 if higher_is_better else -1.0
    variance = np.diag(_covariance(influence, codes))
    names = np.array([str(name) for name in losses["player"].to_numpy()], dtype=object)
    board = xr.DataArray(
        sign * estimate,
        dims="team",
        coords={"team": names, "se": ("team", np.sqrt(variance))},
        name="score",
        attrs={
            "metric": "estimate",
            "se": "by cluster" if codes is not None else "by instance",
            "source": str(losses.attrs.get("source", "array")),
            "higher_is_better": int(higher_is_better),
            "instances": values.shape[1],
            **_dependence(influence, codes),
        },
    )
    if chance is not None:
        board.attrs["chance"] = sign * float(chance)
    return board


def covariance(losses: xr.DataArray, *, root: bool = False) -> xr.DataArray:
    """Covariance of the mean losses (or answers, or gains) of teams on the same instances.

    It is that of the bootstrap of the instances, without its noise; with a coordinate ``cluster``
    (round), that of the clusters.

    Parameters
    ----------
    losses : DataArray (player, round) or (classifier, instance)
        What `read_losses` takes, or right and wrong answers; without gaps.
    root : bool
        Of the roots of the means, by the delta method.

    Returns
    -------
    DataArray (``team``, ``team_``)
        As `winner` takes it.

    Raises
    ------
    ScoresError
        If a team lacks an instance.
    LeaderbayesError
        If it is no such array, or a team loses the same on all instances.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> right = lb.datasets.load("answers")
    >>> found = lb.sota.covariance(right)
    >>> found.sizes["team"], round(float(found[0, 0]) ** 0.5, 3)
    (115, 0.02)
    """
    losses, codes = _checked(losses, root)
    names = np.array([str(name) for name in losses["player"].to_numpy()], dtype=object)
    return xr.DataArray(
        _covariance(_influence(losses.to_numpy(), root), codes),
        dims=("team", "team_"),
        coords={"team": names, "team_": names},
        name="covariance",
        attrs={"instances": losses.sizes["round"]},
    )


def _checked(losses: Any, root: bool) -> tuple[xr.DataArray, Longs | None]:
    """Give losses (player, round) of one tournament, without gaps, and codes of the clusters."""
    if not isinstance(losses, xr.DataArray):
        raise LeaderbayesError("Losses come as a DataArray (player, round), of lb.read_scores.")
    if {*losses.dims} == {"classifier", "instance"}:
        losses = losses.rename(classifier="player", instance="round")
    if losses.sizes.get("tournament", 1) > 1:
        raise ScoresError("The losses are on several test sets, and a board is of one: select one.")
    _check_whole(losses)
    losses = one_tournament(losses).transpose("player", "round")
    values = losses.to_numpy()
    if values.shape[1] < 2:
        raise LeaderbayesError("Losses on one instance have no spread: give more.")
    if root and (values < 0.0).any():
        raise LeaderbayesError("root=True: roots are of means that are not negative.")
    same = np.ptp(values, axis=1) == 0.0
    if same.any():
        who = str(losses["player"].to_numpy()[same.argmax()])
        raise LeaderbayesError(
            f"{shown(who)} loses the same on all instances, so that nothing is known of its luck: "
            "leave it out."
        )
    codes = None
    if "cluster" in losses.coords:
        found, kinds = pd.factorize(losses["cluster"].to_numpy())
        codes = found if 1 < len(kinds) < len(found) else None
    return losses, codes


def _check_whole(losses: xr.DataArray) -> None:
    """Refuse gaps, which would be dropped in silence with all of an instance."""
    if losses.dtype.kind not in "biuf":
        return
    wrong = np.argwhere(~np.isfinite(losses.to_numpy().astype(float)))
    if not len(wrong):
        return
    at = dict(zip(losses.dims, wrong[0], strict=True))
    who, where = (
        shown(str(losses[d].to_numpy()[at[d]]) if d in at else d) for d in ("player", "round")
    )
    raise ScoresError(
        f"{losses.attrs.get('source', 'array')}: {who} has no finite loss on {where}, and "
        f"{len(wrong) - 1} more are missing: leave the instance or the team out."
    )


def _influence(values: Floats, root: bool) -> Floats:
    """Give what each instance adds to a team's error, times n, (team, instance)."""
    error = values - values.mean(axis=1, keepdims=True)
    return error / (2.0 * np.sqrt(values.mean(axis=1, keepdims=True))) if root else error


def _summed(influence: Floats, codes: Longs | None) -> Floats:
    """By cluster (team, cluster), or as they are."""
    if codes is None:
        return influence
    return np.array([np.bincount(codes, weights=row) for row in influence])


def _covariance(influence: Floats, codes: Longs | None) -> Floats:
    """Of the means, (team, team)."""
    sums = _summed(influence, codes)
    units = sums.shape[1]
    return np.asarray(sums @ sums.T / influence.shape[1] ** 2 * (units / (units - 1.0)))


def _dependence(influence: Floats, codes: Longs | None) -> dict[str, float]:
    """Root of the mean correlation of two teams' errors, with its 95 % interval."""
    sums = _summed(influence, codes)
    m, units = sums.shape
    rng = np.random.default_rng(0)

    def rho(weight: Longs) -> float:
        drawn = sums * np.sqrt(weight)
        norm = np.sqrt((drawn**2).sum(axis=1, keepdims=True))
        unit = drawn / np.maximum(norm, 1e-300)
        mean = (float((unit.sum(axis=0) ** 2).sum()) - m) / (m * (m - 1))
        return float(np.sqrt(max(mean, 0.0)))

    drawn = [rho(w) for w in rng.multinomial(units, np.full(units, 1.0 / units), _REPLICATES)]
    low, high = np.quantile(drawn, [0.025, 0.975])
    return {
        "rho": min(rho(np.ones(units, dtype=int)), 1.0),
        "rho_lower": float(low),
        "rho_upper": float(min(high, 1.0)),
    }
