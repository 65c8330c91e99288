"""Plackett-Luce, ties half, by maximum likelihood."""

from collections.abc import Sequence
from typing import Any, Literal

import xarray as xr

from leaderbayes._arguments import one_of
from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.composite_weight import meat
from leaderbayes._numerics.newton import inverse
from leaderbayes._numerics.plackett_luce_fit import LARGEST_MATRIX, fit_rankings
from leaderbayes._scores.matches import require_matches
from leaderbayes.likelihood._bootstrap import bootstrap_covariance
from leaderbayes.likelihood._estimate import (
    estimate,
    few_rounds,
    require_estimate,
    require_rounds,
    restriction,
)
from leaderbayes.likelihood._hypothesis import Hypothesis


def plackett_luce(
    matches: xr.Dataset,
    *,
    covariance: Literal["model", "clustered", "bootstrap", "none"] = "model",
    pseudo_rounds: float = 0.0,
    firth: bool = False,
    hypothesis: Hypothesis | None = None,
    value: float | Sequence[float] = 0.0,
) -> xr.Dataset:
    """Estimate epp from each round's ranking by maximum likelihood.

    The model is that of `leaderbayes.models.plackett_luce`: where players tie, the mean of the
    log-likelihoods of all orders of each tied set. For two players it is `bradley_terry`, ties
    "half". Its differences are a little too small where very many tie (0.97 of the true log-odds
    where 19 % of pairs do, 0.94 at 32 %).

    Parameters
    ----------
    matches : Dataset
        From `leaderbayes.matches`, within rounds, ties "half"; ``pairs=False`` will do.
    covariance : {"model", "clustered", "bootstrap", "none"}
        The inverse Hessian, right where noise is Gumbel's; the sandwich over rounds, right for
        any noise in large samples; that of 1000 bootstrap samples of rounds; or none, the estimate
        alone, which then needs no matrix of all pairs and has no limit of players.
    pseudo_rounds : float
        As for `bradley_terry`.
    firth : bool
        Jeffreys' prior as a penalty, half the log determinant of the observed information, which
        with ties is the mean of that of all orders: the estimate exists wherever players have met,
        with less bias. Some first-order bias stays, unlike Bradley-Terry's: chance decides who is
        left at each stage.
    hypothesis, value
        As for `bradley_terry`.

    Returns
    -------
    Dataset
        ``epp`` (player); ``covariance`` and ``covariance_model`` (player, ``player_``), unless it
        is "none"; scalars ``loglik`` and ``deviance`` (-2 loglik), without penalties.
        attrs as for `bradley_terry`; ``df`` counts the choices that make the rankings, one less
        a round than it has players, less the parameters.

    Raises
    ------
    DisconnectedError
        If the win graph is not strongly connected, a tie counting for both: the estimate does not
        exist. With ``firth``, if some players never met, directly or through others.
    NotConvergedError
        If Newton's method does not converge.
    LeaderbayesError
        If these are no matches, an option has no meaning for them, or there are more than 5000
        players and a covariance or ``firth`` is wanted.

    Warns
    -----
    HintWarning
        LB017 to LB019, as of `leaderbayes.fit`.

    References
    ----------
    Luce (1959), Individual choice behavior. Plackett (1975), The analysis of permutations, Applied
    Statistics 24. Firth (1993), Bias reduction of maximum likelihood estimates, Biometrika 80.

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
    one_of("covariance", covariance, "model", "clustered", "bootstrap", "none")
    require_matches(matches, "likelihood.plackett_luce", ties=("half",), across=False)
    m = matches.sizes["player"]
    if covariance != "none" and m > LARGEST_MATRIX:
        raise LeaderbayesError(
            f"covariance={covariance!r} of {m} players is a matrix of {8e-9 * m * m:.1f} GB, and "
            f"the limit is {LARGEST_MATRIX} players: give covariance='none' for the estimate "
            "alone, or take the posterior (leaderbayes.fit, or rank without --ml)."
        )
    require_estimate(matches, pseudo_rounds=pseudo_rounds, firth=firth)
    place = matches["place"].to_numpy()
    if covariance == "clustered":
        require_rounds(matches)
    linear = restriction(matches, hypothesis, value, m)
    best = fit_rankings(
        place, pseudo_rounds=pseudo_rounds, firth=firth, linear=linear, matrix=covariance != "none"
    )
    variables: dict[str, Any] = {
        "epp": ("player", best.epp),
        "loglik": best.loglik,
        "deviance": -2.0 * best.loglik,
    }
    if covariance != "none":
        model = inverse(best.information, m, linear)
        if covariance == "model":
            spread = model
        elif covariance == "clustered":
            spread = model @ meat(best.scores) @ model
        else:
            spread = bootstrap_covariance(
                matches, linear, model="plackett_luce", pseudo_rounds=pseudo_rounds, firth=firth
            )
        square = ("player", "player_")
        variables |= {"covariance": (square, spread), "covariance_model": (square, model)}
    attrs = {
        "model": "plackett_luce",
        "covariance": covariance,
        "df": int((place > 0).sum()) - len(place) - (m - 1),
        "pseudo_rounds": float(pseudo_rounds),
        "firth": int(firth),
    }
    said = few_rounds(matches) if covariance in ("clustered", "bootstrap") else []
    return estimate(matches, variables, attrs, linear, said)
