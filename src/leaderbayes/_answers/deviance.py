"""Deviance of a leaderboard."""

from typing import Literal

import numpy as np
import xarray as xr
from scipy.sparse.csgraph import connected_components
from scipy.special import chdtrc, ndtr

from leaderbayes._arguments import one_of
from leaderbayes._errors import NotConvergedError
from leaderbayes._fits.matches import boards_of
from leaderbayes._fits.posterior import Posterior, Strengths
from leaderbayes._numerics import bradley_terry as bt
from leaderbayes._numerics.pairs import deviances, estimates
from leaderbayes._types import Floats

Convention = Literal["correct", "published"]
_SURE = 1e6  # times as many matches, beside which one pseudo-round is nothing


def deviance(dt: xr.DataTree | xr.Dataset, *, convention: Convention = "correct") -> xr.Dataset:
    r"""Compute the deviance of a leaderboard against the model that fits every pair exactly.

    .. math:: D = 2 (\ell_{saturated} - \ell_{fitted}), \quad \tilde D = (D - df) / \sqrt{2 df}

    Both p-values assume independent matches. Matches of a round are one ranking, so this published
    test hardly ever rejects on scores compared within rounds, and too often on sparse boards:
    report `check` beside it.

    Parameters
    ----------
    dt : DataTree or Dataset
        Posterior of matches or votes, evaluated at the maximum-likelihood estimate (at the
        posterior mean where that does not exist); or an estimate from `leaderbayes.likelihood`.
    convention : {"correct", "published"}
        "published" counts every match twice and takes m (m - 2) degrees of freedom, as EloML does.
        "correct": unordered pairs that met, less the free parameters.

    Returns
    -------
    Dataset
        Scalars ``value``, ``df``, ``p_value`` (chi-square), ``standardised``, ``p_value_normal``;
        p-values are NaN of rankings and single matches, which no model fits exactly. attrs: ``at``,
        where it was evaluated; ``converged`` (0 or 1), ``warnings`` (JSON list).

    Raises
    ------
    LeaderbayesError
        If it is of no matches, or the convention is unknown.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance,
    properties 3.8 to 3.10.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "breast_cancer"), seed=1)
    >>> test = lb.deviance(dt)
    >>> int(test["df"]), round(float(test["standardised"]), 1)
    (91, -3.0)
    """
    one_of("convention", convention, "correct", "published")
    if not isinstance(dt, xr.Dataset) or "deviance" not in dt:
        return deviance_of(Posterior(dt), convention)
    value, df, m = float(dt["deviance"]), int(dt.attrs["df"]), dt.sizes["player"]
    # Without a saturated model, or with one of single matches, there is no reference.
    tested = dt.attrs.get("cells") != "votes"
    tested &= not np.isclose(value, -2.0 * float(dt["loglik"]), rtol=1e-9)
    attrs = {"at": "maximum likelihood", **{k: dt.attrs[k] for k in ("converged", "warnings")}}
    return _tested(value, df, m, convention, tested=tested).assign_attrs(attrs)


def deviance_of(given: Posterior, convention: Convention) -> xr.Dataset:
    """Compute `deviance` of a posterior."""
    needed = (
        "deviance needs matches, and this posterior has {parameter}: use leaderbayes.check, "
        "or fit model='bradley_terry'."
    )
    post = Strengths.of(given, needed)
    nu = float(post.read("tie").mean()) if post.has("tie") else None
    each = [_of_board(board, draws.mean(axis=0), nu) for board, draws in boards_of(post)]
    value, df = sum(one[0] for one in each), sum(one[1] for one in each)
    where = {one[2] for one in each}
    at = where.pop() if len(where) == 1 else "maximum likelihood or mean"
    found = _tested(value, df, len(post.players), convention)
    return found.assign_attrs(at=at, **post.trust)


def _tested(
    value: float, df: int, players: int, convention: Convention, *, tested: bool = True
) -> xr.Dataset:
    """Compare a deviance with its distribution."""
    if convention == "published":
        value, df = 2.0 * value, players * (players - 2)
    # Two players leave no degree of freedom: any board of theirs fits exactly.
    tested = tested and df > 0
    standardised = (value - df) / np.sqrt(2.0 * df) if tested else np.nan
    return xr.Dataset(
        {
            "value": value,
            "df": df,
            "p_value": float(chdtrc(df, value)) if tested else np.nan,
            "standardised": float(standardised),
            "p_value_normal": float(ndtr(-standardised)),
        }
    )


def _of_board(board: xr.Dataset, epp: Floats, nu: float | None) -> tuple[float, int, str]:
    """Return the deviance of a board, its df, the strengths used, and Davidson's nu (or None)."""
    wins, n, tied = (board[name].to_numpy().astype(float) for name in ("wins", "n", "tied"))
    pairs = int((n > 0).sum() // 2)
    # Where everybody has, through others, both won and lost against everybody else.
    exists = connected_components(wins > 0.0, connection="strong", return_labels=False) == 1
    at = "maximum likelihood" if exists else "posterior mean"
    if nu is None:
        if exists:
            epp = estimates(_SURE * wins.sum(axis=1)[None], _SURE * n[None])[0]
        return float(deviances(epp[None], wins[None], n[None])[0]), pairs - len(epp) + 1, at
    if exists:
        try:
            epp, nu, _ = bt.newton(wins.sum(axis=1), n, tied.sum() / 2.0)
        except NotConvergedError:  # without ties, or with nothing else, nu has no estimate
            at = "posterior mean"
    return bt.deviance(epp, nu, wins - tied / 2.0, tied, n), 2 * pairs - len(epp), at
