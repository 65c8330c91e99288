"""Cost against quality: the Pareto frontier, and which players dominate others."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr
from scipy.stats import chi2

from leaderbayes._answers.leaderboard import shown_as, table_of
from leaderbayes._arguments import share, wrong
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import Posterior
from leaderbayes._numerics.intervals import ends
from leaderbayes._scores.tables import listed, text_of
from leaderbayes._types import Floats

Cost = Mapping[str, Any] | pd.Series | pd.DataFrame | xr.DataArray


def frontier(
    dt: xr.DataTree,
    cost: Cost,
    *,
    prob: float = 0.95,
    anchor: str | None = None,
    scale: Literal["elo"] | None = None,
    anchor_at: float | None = None,
) -> pd.DataFrame:
    """Return the probability that each player is on the Pareto frontier of cost and quality.

    In a draw, a player is dominated if another is at least as good, at least as cheap, and not
    equal in both. Higher quality and lower cost are better.

    Parameters
    ----------
    dt : DataTree
        Posterior of any model, from `fit` or ``pm.sample``.
    cost : mapping, Series, DataFrame or DataArray
        Price, latency or size of each player, by name. Several values of a player (a list, further
        columns, or rows of the same name) are repeated measurements of one cost, whose mean is
        drawn along with the quality; columns are the same runs or tasks of all players. A single
        value counts as exact.
    prob : float
        Probability of the intervals, and from which a verdict is given.
    anchor, scale, anchor_at
        As for `leaderboard`: the column of the quality is then ``elo`` or ``difference``, too.

    Returns
    -------
    DataFrame
        Cheapest first: ``player`` (or ``team``); ``cost``; ``epp``, ``score`` or ``theta``, with
        ``_lower`` and ``_upper``, as repeated costs have, too; ``p_frontier``; ``dominated_by``,
        who most probably dominates the player ("" if none does), and ``p_dominated``, how
        probably; ``verdict``: "frontier", "dominated" or "undecided". attrs: ``converged`` (0 or
        1), ``warnings`` (JSON list).

    Raises
    ------
    LeaderbayesError
        If a player has no cost, a cost no player, or a value is not a finite number of at least 0.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "breast_cancer"), seed=1)
    >>> seconds = dict.fromkeys(dt.posterior["player"].values, 2.0) | {"logistic C=1": 0.1}
    >>> table = lb.frontier(dt, seconds)
    >>> table.query("verdict == 'frontier'")["player"].to_list()
    ['logistic C=1']
    """
    prob, post = share("prob", prob), Posterior(dt)
    mean, drawn = costs_of(post, cost)
    free, by = dominance(post.standing, drawn)
    view = shown_as(post, anchor, scale, anchor_at)
    name, board = view.column, table_of(post, prob, view).set_index(post.who).loc[post.players]
    likeliest = by.argmax(axis=1)
    p_dominated = by[np.arange(len(by)), likeliest]
    columns: dict[str, Any] = {post.who: post.players, "cost": mean}
    if len(drawn) > 1:
        columns["cost_lower"], columns["cost_upper"] = ends(drawn, prob)
    columns |= {end: board[end].to_numpy() for end in (name, f"{name}_lower", f"{name}_upper")}
    table = pd.DataFrame(columns).assign(
        p_frontier=free,
        dominated_by=np.where(p_dominated > 0.0, post.players[likeliest], ""),
        p_dominated=p_dominated,
        verdict=np.select(
            [free >= prob, free <= 1.0 - prob], ["frontier", "dominated"], "undecided"
        ),
    )
    order = np.lexsort((-post.standing.mean(axis=0), mean))
    table = table.iloc[order].reset_index(drop=True)
    table.attrs.update(post.trust)
    return table


def dominance(quality: Floats, cost: Floats) -> tuple[Floats, Floats]:
    """Return P(no player dominates) (player,) and P(the column dominates the row), over draws."""
    m = quality.shape[1]
    free, by = np.ones(m), np.zeros((m, m))
    for i in range(m):
        own, price = quality[:, i : i + 1], cost[:, i : i + 1]
        better = (quality > own) | ((quality == own) & (cost < price))
        over = better & (cost <= price)
        by[i], free[i] = over.mean(axis=0), 1.0 - over.any(axis=1).mean()
    return free, by


def costs_of(post: Posterior, cost: Cost) -> tuple[Floats, Floats]:
    """Return mean costs (player,) and draws of them (sample, player), one if none is repeated."""
    values = _values(post, cost)
    mean, count = np.nanmean(values, axis=1), np.isfinite(values).sum(axis=1)
    if (count == 1).all():
        return mean, mean[None]
    # Student's t of the mean, on the scale of logarithms, as costs are positive. Columns are what
    # players share, and so is the luck of a column.
    rng, size = np.random.default_rng(post.seed), len(post.draws)
    off, free = np.nan_to_num(values - mean[:, None]), np.maximum(count - 1, 1)
    luck = rng.normal(size=(size, values.shape[1])) @ off.T / np.sqrt(count * free)
    kinds, of = np.unique(free, return_inverse=True)
    wide = np.sqrt(kinds / chi2.ppf(rng.random((size, 1)), kinds))[:, of]
    return mean, mean * np.exp(luck * wide / np.where(mean > 0.0, mean, 1.0))


def _values(post: Posterior, cost: Any) -> Floats:
    """Return values (player, repeat), padded with NaN; or raise, naming all players at fault."""
    given = _frame(post.who, cost)
    numbers = given.apply(pd.to_numeric, errors="coerce").astype(float)
    infinite = (numbers.isna() & given.notna()) | np.isinf(numbers)
    # Rows of the same player become further columns.
    again = numbers.groupby(level=0, sort=False).cumcount()
    wide = numbers.set_index(again, append=True).unstack().dropna(axis=1, how="all")
    known = given.index[given.notna().any(axis=1)]
    whose = {
        "no value for": post.players.difference(known, sort=False),
        f"no {post.who}": wide.index.difference(post.players, sort=False),
        "no finite number for": given.index[infinite.any(axis=1)].unique(),
        "below 0 for": given.index[(numbers < 0.0).any(axis=1)].unique(),
    }
    if said := [f"{what} {listed(names)}" for what, names in whose.items() if len(names)]:
        raise LeaderbayesError(
            f"cost: {'; '.join(said)}. Give each {post.who} of the posterior, and no other, a "
            "cost from 0 up."
        )
    return np.asarray(wide.loc[post.players])


def _frame(who: str, cost: Any) -> pd.DataFrame:
    """Convert costs to a table indexed by player."""
    if isinstance(cost, xr.DataArray) and who in cost.dims and cost.ndim <= 2:
        cost = cost.transpose(who, ...).to_pandas()
    if isinstance(cost, pd.Series):
        cost = cost.to_frame()
    elif isinstance(cost, Mapping) and not isinstance(cost, xr.Dataset | xr.DataTree):
        cost = pd.DataFrame({name: pd.Series(np.atleast_1d(v)) for name, v in cost.items()}).T
    if not isinstance(cost, pd.DataFrame):
        raise wrong("cost", cost, f"a cost for each {who}, as a mapping, Series or DataFrame")
    table = cost.set_index(who) if who in cost else cost
    return table.set_axis(pd.Index([text_of(name) for name in table.index], dtype=object))
