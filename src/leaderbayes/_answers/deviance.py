"""How far a leaderboard is from the model that fits every pair exactly."""

from typing import Literal

import numpy as np
import xarray as xr
from scipy.sparse.csgraph import connected_components
from scipy.special import chdtrc, ndtr

from leaderbayes._arguments import one_of
from leaderbayes._errors import NotConvergedError
from leaderbayes._fits.posterior import drawn
from leaderbayes._fits.require import no_fit
from leaderbayes._fits.trust import trust
from leaderbayes._fits.unchanged import once
from leaderbayes._inference.boards import boards_of
from leaderbayes._numerics import bradley_terry as bt


def deviance(
    dt: xr.DataTree | xr.Dataset, *, convention: Literal["correct", "published"] = "correct"
) -> xr.Dataset:
    r"""Compute the deviance of a leaderboard against the model that fits every pair exactly.

    .. math:: D = 2 (\ell_{saturated} - \ell_{fitted}), \quad \tilde D = (D - df) / \sqrt{2 df}

    Both p-values assume independent matches. Matches of a round are one ranking, so this test
    hardly ever rejects on scores compared within rounds, and rejects too often on sparse boards:
    report `check` beside it.

    Parameters
    ----------
    dt : DataTree or Dataset
        From `leaderbayes.fit`, evaluated at the maximum-likelihood estimate (at the posterior mean
        where that does not exist); or from `leaderbayes.likelihood`. Of its estimates only
        Bradley-Terry's counts have a reference law: others, and that of votes with covariates, have
        no p-values.
    convention : {"correct", "published"}
        "published" counts every match twice and takes m (m - 2) degrees of freedom, as EloML and
        its paper do. "correct": unordered pairs that met, less the free parameters.

    Returns
    -------
    Dataset
        Scalars: ``value``, ``df``, ``p_value`` (chi-square), ``standardised``, ``p_value_normal``.
        attrs: ``at``, where it was evaluated; ``converged`` (0 or 1), ``warnings`` (JSON list).

    Raises
    ------
    LeaderbayesError
        If the convention is not known.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance,
    properties 3.8 to 3.10.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "breast_cancer"), sampler="laplace", seed=1)
    >>> test = lb.deviance(dt)
    >>> int(test["df"]), round(float(test["standardised"]), 1)
    (91, -3.0)
    """
    one_of("convention", convention, "correct", "published")
    if isinstance(dt, xr.DataTree):
        parts = once(
            dt,
            ("deviance",),
            lambda: [_deviance_of_board(board, dt, epp) for board, epp in boards_of(dt)],
        )
        # Of many tournaments: all pairs of all of them.
        values, dfs, where = zip(*parts, strict=True)
        value, df = sum(values), sum(dfs)
        at = where[0] if len(set(where)) == 1 else "maximum likelihood or mean"
        players = dt["posterior"].sizes["player"]
    elif "deviance" not in getattr(dt, "data_vars", ()):
        raise no_fit(dt)
    else:
        value, df, at = float(dt["deviance"]), int(dt.attrs["df"]), "maximum likelihood"
        players = dt.sizes["player"]
    if convention == "published":
        value, df = 2.0 * value, players * (players - 2)
    # Votes with covariates are each a cell, of one match.
    pairs = isinstance(dt, xr.DataTree) or (
        dt.attrs["model"] == "bradley_terry" and dt.attrs.get("cells") != "votes"
    )
    # Two players leave no degree of freedom: any board of theirs fits exactly.
    tested = df > 0 and pairs
    standardised = (value - df) / np.sqrt(2.0 * df) if tested else np.nan
    return xr.Dataset(
        {
            "value": value,
            "df": df,
            "p_value": float(chdtrc(df, value)) if tested else np.nan,
            "standardised": float(standardised),
            "p_value_normal": float(ndtr(-standardised)),
        },
        attrs={"at": at, **trust(dt)},
    )


def _deviance_of_board(
    board: xr.Dataset, dt: xr.DataTree, draws: xr.DataArray
) -> tuple[float, int, str]:
    """Give a board's deviance, its degrees of freedom, and where it was evaluated."""
    wins, n, tied = (board[name].to_numpy().astype(float) for name in ("wins", "n", "tied"))
    davidson = dt.attrs["model"] == "davidson"
    epp = draws.mean(("chain", "draw")).to_numpy()
    nu = float(drawn(dt, "tie").mean()) if davidson else -np.inf
    at = "posterior mean"
    # Where everybody has, through others, both won and lost against everybody else.
    if connected_components(wins > 0.0, connection="strong", return_labels=False) == 1:
        try:
            epp, nu, _ = bt.newton(wins.sum(axis=1), n, tied.sum() / 2.0 if davidson else None)
            at = "maximum likelihood"
        except NotConvergedError:
            # Davidson's nu has no finite estimate without ties (or with nothing else).
            pass
    pairs = int((n > 0).sum() // 2)
    df = 2 * pairs - len(epp) if davidson else pairs - (len(epp) - 1)
    return bt.deviance(epp, nu, wins - tied / 2.0, tied, n), df, at
