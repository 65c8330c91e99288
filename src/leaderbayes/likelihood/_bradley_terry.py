"""Bradley-Terry by maximum likelihood."""

from typing import Literal

import numpy as np
import xarray as xr

from leaderbayes._errors import DisconnectedError, LeaderbayesError
from leaderbayes._matches import components, name_groups
from leaderbayes.numerics.bradley_terry import deviance, log_likelihood, newton, solve
from leaderbayes.numerics.composite_weight import clustered_scores, meat
from leaderbayes.numerics.rounds import round_statistics

Covariance = Literal["clustered", "model"]


def bradley_terry(matches: xr.Dataset, *, covariance: Covariance = "clustered") -> xr.Dataset:
    """Estimate epp by maximum likelihood.

    logit P(i beats j) = b_i - b_j, sum(b) = 0: b_i is the log-odds of beating the average player.

    Parameters
    ----------
    matches : Dataset
        From `leaderbayes.matches`.
    covariance : {"clustered", "model"}
        Sandwich clustered by round (matches of a round are one ranking), or the inverse
        Hessian, right only if matches were independent.

    Returns
    -------
    Dataset
        ``epp`` (player), ``covariance`` (player, ``player_``), scalars ``loglik`` and ``deviance``
        (unordered pairs, each match once). attrs: ``model``, ``covariance``, ``converged``,
        ``df`` (degrees of freedom of the deviance).

    Raises
    ------
    DisconnectedError
        If the win graph is not strongly connected: the estimate does not exist.
    LeaderbayesError
        If there are fewer than 2 rounds and the covariance is clustered, or ties are "drop" or
        "floor" in a combination without a form by round.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, section 3.
    """
    if covariance not in ("clustered", "model"):
        raise LeaderbayesError(f"covariance={covariance!r}: choose 'clustered' or 'model'.")
    groups = components(matches)
    if groups.nunique() > 1:
        raise DisconnectedError(
            "LB010 the maximum-likelihood estimate does not exist: the win graph has "
            f"{groups.nunique()} strong components, {name_groups(groups)}. Use the posterior "
            "(leaderbayes.fit, --method nuts), or rank a group on its own."
        )
    wins, n = matches["wins"].to_numpy(), matches["n"].to_numpy()
    epp, _, hessian = newton(wins, n)
    m = len(epp)
    inverse = solve(hessian, np.eye(m) - 1.0 / m, m)
    if covariance == "clustered":
        inverse = inverse @ meat(_scores_by_round(matches, epp)) @ inverse
    players = matches["player"].to_numpy()
    return xr.Dataset(
        {
            "epp": ("player", epp),
            "covariance": (("player", "player_"), inverse),
            "loglik": log_likelihood(epp, wins),
            "deviance": deviance(epp, wins, n),
        },
        coords={"player": players, "player_": players},
        attrs={
            "model": "bradley_terry",
            "covariance": covariance,
            "converged": 1,
            "df": int((n > 0).sum() // 2) - (m - 1),
        },
    )


def _scores_by_round(matches: xr.Dataset, epp: np.ndarray) -> np.ndarray:
    within, ties = bool(matches.attrs["within_round"]), matches.attrs["ties"]
    if matches.sizes["round"] < 2:
        raise LeaderbayesError(
            "One round says nothing about variation between rounds; give more rounds or "
            "covariance='model'."
        )
    if ties == "floor" or (ties == "drop" and not within):
        raise LeaderbayesError(
            f"ties={ties!r} has no form by round here; use ties='half' or covariance='model'."
        )
    statistics = round_statistics(matches["place"].to_numpy(), within_round=within, ties=ties)
    return clustered_scores(epp, -np.inf, statistics, within_round=within)
