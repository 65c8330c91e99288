"""Plackett-Luce, ties half, by maximum likelihood."""

from collections.abc import Sequence
from typing import Any, Literal

import xarray as xr

from leaderbayes._arguments import one_of
from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.newton import inverse
from leaderbayes._numerics.plackett_luce_fit import LARGEST_MATRIX, fit_rankings
from leaderbayes._scores.matches import require_matches
from leaderbayes.likelihood._estimate import (
    covariances,
    estimate,
    require_estimate,
    require_rounds,
    restriction,
)
from leaderbayes.likelihood._hypothesis import Hypothesis


def plackett_luce(
    matches: xr.Dataset,
    *,
    covariance: Literal["model", "clustered", "none"] = "model",
    pseudo_rounds: float = 0.0,
    hypothesis: Hypothesis | None = None,
    value: float | Sequence[float] = 0.0,
) -> xr.Dataset:
    """Estimate epp from each round's ranking by maximum likelihood.

    The model is that of `leaderbayes.models.plackett_luce`: where players tie, the mean of the
    log-likelihoods of all orders of each tied set. Differences are slightly too small where very
    many players tie.

    Parameters
    ----------
    matches : Dataset
        From `leaderbayes.matches`, within rounds, ties "half"; ``pairs=False`` will do.
    covariance : {"model", "clustered", "none"}
        The inverse Hessian, right for Gumbel noise; the sandwich over rounds, right for any noise
        in large samples; or the estimate alone, for any number of players.
    pseudo_rounds : float
        As for `bradley_terry`.
    hypothesis, value
        As for `bradley_terry`.

    Returns
    -------
    Dataset
        ``epp``, ``covariance`` and ``covariance_model`` as for `bradley_terry`; ``loglik`` and
        ``deviance`` (-2 loglik), without penalties. attrs as for `bradley_terry`; ``df`` is the
        number of choices that make the rankings, less the parameters.

    Raises
    ------
    NotConvergedError
        If the win graph is not strongly connected, a tie counting for both: the estimate does not
        exist.
    LeaderbayesError
        If an option has no meaning for these matches, or there are more than 5000 players and a
        covariance is wanted.

    References
    ----------
    Luce (1959), Individual choice behavior. Plackett (1975), The analysis of permutations, Applied
    Statistics 24.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> board = lb.matches(lb.datasets.load("classifiers", "breast_cancer"), pairs=False)
    >>> fit = lb.likelihood.plackett_luce(board)
    >>> fit["epp"].to_series().nlargest(3).round(2)
    player
    svm C=1         3.60
    svm C=10        3.09
    logistic C=1    3.08
    Name: epp, dtype: float64
    """
    one_of("covariance", covariance, "model", "clustered", "none")
    require_matches(matches, "likelihood.plackett_luce", ties=("half",), across=False)
    m = matches.sizes["player"]
    if covariance != "none" and m > LARGEST_MATRIX:
        raise LeaderbayesError(
            f"covariance={covariance!r} of {m} players is a matrix of {8e-9 * m * m:.1f} GB, and "
            f"the limit is {LARGEST_MATRIX} players: use covariance='none', or the posterior "
            "(leaderbayes.fit, or rank without --ml)."
        )
    require_estimate(matches, pseudo_rounds=pseudo_rounds)
    place = matches["place"].to_numpy()
    if covariance == "clustered":
        require_rounds(matches)
    linear = restriction(matches, hypothesis, value, m)
    best = fit_rankings(
        place, pseudo_rounds=pseudo_rounds, linear=linear, matrix=covariance != "none"
    )
    variables: dict[str, Any] = {
        "epp": ("player", best.epp),
        "loglik": best.loglik,
        "deviance": -2.0 * best.loglik,
    }
    variables |= covariances(
        covariance, lambda: inverse(best.information, m, linear), lambda: best.scores
    )
    attrs = {
        "model": "plackett_luce", "covariance": covariance,
        "df": int((place > 0).sum()) - len(place) - (m - 1),
        "pseudo_rounds": float(pseudo_rounds), "firth": 0,
    }  # fmt: skip
    return estimate(matches, variables, attrs, linear)
