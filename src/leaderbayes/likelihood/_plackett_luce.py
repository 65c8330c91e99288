"""Plackett-Luce, with Davidson-Luce's ties, by maximum likelihood."""

from collections.abc import Sequence
from typing import Literal

import xarray as xr

from leaderbayes._errors import LeaderbayesError
from leaderbayes.likelihood._bootstrap import bootstrap_covariance
from leaderbayes.likelihood._estimate import estimate, require_estimate, restriction
from leaderbayes.likelihood._hypothesis import Hypothesis
from leaderbayes.numerics.composite_weight import meat
from leaderbayes.numerics.newton import inverse
from leaderbayes.numerics.plackett_luce_fit import fit_rankings


def plackett_luce(
    matches: xr.Dataset,
    *,
    covariance: Literal["model", "clustered", "bootstrap"] = "model",
    pseudo_rounds: float = 0.0,
    firth: bool = False,
    hypothesis: Hypothesis | None = None,
    value: float | Sequence[float] = 0.0,
) -> xr.Dataset:
    """Estimate epp from each round's ranking by maximum likelihood.

    The model is that of `leaderbayes.models.plackett_luce`.

    Parameters
    ----------
    matches : Dataset
        From `leaderbayes.matches` or `leaderbayes.rankings`, within rounds, ties "half".
    covariance : {"model", "clustered", "bootstrap"}
        The inverse Hessian, right where noise is Gumbel's; the sandwich over rounds, right for
        any noise in large samples; or that of 1000 bootstrap samples of rounds.
    pseudo_rounds : float
        As for `bradley_terry`.
    firth : bool
        Jeffreys' prior as a penalty, half the log determinant of the observed information, tie
        parameters included: the estimate exists wherever players have met, with less bias. Some
        first-order bias stays, unlike Bradley-Terry's: chance decides who is left at each stage.
    hypothesis, value
        As for `bradley_terry`.

    Returns
    -------
    Dataset
        ``epp`` (player); ``covariance`` and ``covariance_model`` (player, ``player_``); ``tie``
        (tie_size), log delta, if players tie; scalars ``loglik`` and ``deviance`` (-2 loglik),
        without penalties.
        attrs as for `bradley_terry`; ``df`` counts the places given, less the parameters.

    Raises
    ------
    DisconnectedError
        If the win graph is not strongly connected: the estimate does not exist. With ``firth``,
        if some players never met, directly or through others.
    NotConvergedError
        If it does not exist for another reason, such as every round tied from top to bottom.
    LeaderbayesError
        If an option has no meaning for these matches.

    References
    ----------
    Turner, van Etten, Firth, Kosmidis (2020), Modelling rankings in R: the PlackettLuce package,
    Computational Statistics 35.
    Firth (1993), Bias reduction of maximum likelihood estimates, Biometrika 80.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> ranked = lb.rankings(lb.datasets.load_classifiers("breast_cancer"))
    >>> fit = lb.likelihood.plackett_luce(ranked)
    >>> fit["epp"].to_series().nlargest(3).round(2)
    player
    svm C=1         4.03
    svm C=10        3.38
    logistic C=1    3.34
    Name: epp, dtype: float64
    """
    if covariance not in ("model", "clustered", "bootstrap"):
        raise LeaderbayesError(
            f"covariance={covariance!r}: choose 'model', 'clustered' or 'bootstrap'."
        )
    if not matches.attrs["within_round"] or matches.attrs["ties"] != "half":
        raise LeaderbayesError(
            "Plackett-Luce ranks the players of each round, ties included: give matches with "
            "within_round=True and ties='half'."
        )
    require_estimate(matches, pseudo_rounds=pseudo_rounds, firth=firth)
    place = matches["place"].to_numpy()
    rounds, m = place.shape
    linear = restriction(matches, hypothesis, value, m)
    best = fit_rankings(place, pseudo_rounds=pseudo_rounds, firth=firth, linear=linear)
    model = inverse(best.information, m, linear)
    spread = model
    if covariance == "clustered":
        if rounds < 2:
            raise LeaderbayesError(
                "One round says nothing about variation between rounds; give more rounds or "
                "covariance='model'."
            )
        spread = model @ meat(best.scores) @ model
    elif covariance == "bootstrap":
        spread = bootstrap_covariance(
            matches, linear, model="plackett_luce", pseudo_rounds=pseudo_rounds, firth=firth
        )
    variables = {
        "epp": ("player", best.x[:m]),
        "covariance": (("player", "player_"), spread[:m, :m]),
        "covariance_model": (("player", "player_"), model[:m, :m]),
        "loglik": best.loglik,
        "deviance": -2.0 * best.loglik,
    }
    tied = best.sizes[1:]
    if tied.size:
        variables["tie"] = ("tie_size", best.x[m:])
    free = len(best.x) - 1 - (0 if linear is None else len(linear.matrix))
    attrs = {
        "model": "plackett_luce",
        "covariance": covariance,
        "df": best.choices - rounds - free,
        "pseudo_rounds": float(pseudo_rounds),
        "firth": int(firth),
    }
    made = estimate(matches["player"].to_numpy(), variables, attrs, linear)
    return made.assign_coords(tie_size=tied) if tied.size else made
