"""What a posterior of `sota.posterior` says: the best theta, the teams, and whether it fits."""

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._arguments import share
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import drawn, fitted
from leaderbayes._numerics.counts import STATISTICS, statistics


def summary(dt: xr.DataTree, *, prob: float = 0.95) -> xr.Dataset:
    """Say how good the best really is.

    Parameters
    ----------
    dt : DataTree
        From `posterior`.
    prob : float
        Probability of the (equal-tailed) intervals.

    Returns
    -------
    Dataset
        Scalars as from `shrink`: ``theta_sota``, the posterior mean (the paper's definition 1),
        ``theta_sota_lower``, ``theta_sota_upper``; ``expected_max``, ``max_lower``, ``max_upper``
        of the same teams' best score on another test set; ``observed_max``, ``teams_above`` (teams
        that scored above ``theta_sota``), ``m``. attrs: ``converged``, ``warnings``, ``prob``.

    Raises
    ------
    LeaderbayesError
        If ``prob`` is not between 0 and 1, or the DataTree is another model's.

    References
    ----------
    Møllersen, Holsbø (2025), Accounting for multiplicity in machine learning benchmark performance,
    definition 1.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = [0.93, 0.92, 0.92, 0.91, 0.91, 0.9, 0.89, 0.89, 0.88, 0.88, 0.87, 0.85]
    >>> board = lb.sota.read_board(scores, n=200)
    >>> made = lb.sota.summary(lb.sota.posterior(board, seed=1))
    >>> float(made["observed_max"]), round(float(made["theta_sota"]), 2), int(made["teams_above"])
    (0.93, 0.91, 3)
    """
    _require(dt, prob)
    best = drawn(dt, "theta_sota")
    again = drawn(dt, "score", "posterior_predictive").max("team")
    score = drawn(dt, "score", "observed_data")
    tails = [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0]
    theta, highest = best.quantile(tails).to_numpy(), again.quantile(tails).to_numpy()
    expected = float(best.mean())
    return xr.Dataset(
        {
            "theta_sota": expected,
            "theta_sota_lower": theta[0],
            "theta_sota_upper": theta[1],
            "expected_max": float(again.mean()),
            "max_lower": highest[0],
            "max_upper": highest[1],
            "observed_max": float(score.max()),
            "teams_above": int((score > expected).sum()),
            "m": score.sizes["team"],
        },
        attrs={name: dt.attrs[name] for name in ("method", "converged", "warnings")}
        | {"prob": prob},
    )


def teams(dt: xr.DataTree, *, prob: float = 0.95) -> pd.DataFrame:
    """Say how good each team is, and whether it is as good as the best.

    Parameters
    ----------
    dt : DataTree
        From `posterior`.
    prob : float
        Probability of the (equal-tailed) intervals.

    Returns
    -------
    DataFrame
        A row a team, best posterior mean first: ``team``, ``score``, ``theta`` (posterior mean),
        ``lower``, ``upper``; ``p_sota``, the probability that its theta is at or above theta_SOTA
        (the posterior mean of the best theta); ``p_best``, that it is the best itself.

    Raises
    ------
    LeaderbayesError
        As for `summary`.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = [0.93, 0.92, 0.92, 0.91, 0.91, 0.9, 0.89, 0.89, 0.88, 0.88, 0.87, 0.85]
    >>> board = lb.sota.read_board(scores, n=200)
    >>> made = lb.sota.teams(lb.sota.posterior(board, seed=1))
    >>> made[["team", "score", "theta"]].round(2).head(1)
      team  score  theta
    0    0   0.93    0.9
    """
    _require(dt, prob)
    return placed(dt, prob)


def placed(dt: xr.DataTree, prob: float = 0.95) -> pd.DataFrame:
    """Place the teams as `teams` does, of a posterior that is not finished yet."""
    theta = drawn(dt, "theta").stack(sample=("chain", "draw")).transpose("team", "sample")
    values = theta.to_numpy()
    lower, upper = np.quantile(values, [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0], axis=1)
    best = values == values.max(axis=0)
    table = pd.DataFrame(
        {
            "team": theta["team"].to_numpy(),
            "score": drawn(dt, "score", "observed_data").sel(team=theta["team"]).to_numpy(),
            "theta": values.mean(axis=1),
            "lower": lower,
            "upper": upper,
            "p_sota": (values >= float(drawn(dt, "theta_sota").mean())).mean(axis=1),
            # Laws with atoms have several best.
            "p_best": (best / best.sum(axis=0)).mean(axis=1),
        }
    )
    return table.sort_values(["theta", "score"], ascending=False, ignore_index=True)


def check(dt: xr.DataTree) -> pd.DataFrame:
    """Compare the board with boards of other teams from the fitted P(theta).

    Parameters
    ----------
    dt : DataTree
        From `posterior`.

    Returns
    -------
    DataFrame
        A row a statistic of the board, its ``maximum``, ``quantile 0.9``, ``median`` and
        ``quantile 0.1``: ``observed``; ``lower`` and ``upper``, 95 % interval of the model's
        boards; ``p_value``, two-sided.

    Raises
    ------
    LeaderbayesError
        As for `summary`.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = [0.93, 0.92, 0.92, 0.91, 0.91, 0.9, 0.89, 0.89, 0.88, 0.88, 0.87, 0.85]
    >>> board = lb.sota.read_board(scores, n=200)
    >>> made = lb.sota.check(lb.sota.posterior(board, seed=1))
    >>> (made["p_value"] > 0.05).to_dict()
    {'maximum': True, 'quantile 0.9': True, 'median': True, 'quantile 0.1': True}
    """
    _require(dt)
    return compared(dt)


def compared(dt: xr.DataTree) -> pd.DataFrame:
    """Compare the board as `check` does, of a posterior that is not finished yet."""
    made = statistics(drawn(dt, "new_score", "posterior_predictive").to_numpy())
    made = made.reshape(-1, made.shape[-1])
    seen = statistics(drawn(dt, "score", "observed_data").to_numpy())
    # Ties count half: scores are multiples of 1 / n, and quantiles of them but for rounding errors.
    tied = np.isclose(made, seen, rtol=1e-12, atol=0.0)
    above = np.where(tied, 0.5, made > seen).mean(axis=0)
    lower, upper = np.quantile(made, [0.025, 0.975], axis=0)
    return pd.DataFrame(
        {
            "observed": seen,
            "lower": lower,
            "upper": upper,
            "p_value": np.minimum(2.0 * np.minimum(above, 1.0 - above), 1.0),
        },
        index=pd.Index(STATISTICS, name="statistic"),
    )


def _require(dt: xr.DataTree, prob: float = 0.5) -> None:
    if not isinstance(dt, xr.DataTree) or dt.attrs.get("model") != "sota":
        raise LeaderbayesError("This is no posterior of a board: give what sota.posterior returns.")
    fitted(dt, "observed_data", "posterior_predictive", of="team", attrs=("method",))
    share("prob", prob)
