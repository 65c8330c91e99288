"""Plackett-Luce, with Davidson-Luce's ties, by maximum likelihood."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.special import comb

from leaderbayes._errors import LeaderbayesError, NotConvergedError
from leaderbayes.likelihood._estimate import estimate, require_estimate, restriction
from leaderbayes.likelihood._hypothesis import Hypothesis
from leaderbayes.numerics.composite_weight import meat
from leaderbayes.numerics.newton import inverse, maximise
from leaderbayes.numerics.plackett_luce import (
    Rankings,
    log_likelihood,
    log_likelihood_pullback,
    rankings,
    tie_sizes,
)

Floats = NDArray[np.float64]

_STEP = 1e-5  # of central differences of the gradient, log-odds: an error of some 1e-10


def plackett_luce(
    matches: xr.Dataset,
    *,
    covariance: Literal["model", "clustered"] = "model",
    hypothesis: Hypothesis | None = None,
    value: float | Sequence[float] = 0.0,
) -> xr.Dataset:
    """Estimate epp from each round's ranking by maximum likelihood.

    The model is that of `leaderbayes.models.plackett_luce`.

    Parameters
    ----------
    matches : Dataset
        From `leaderbayes.matches` or `leaderbayes.rankings`, within rounds, ties "half".
    covariance : {"model", "clustered"}
        The inverse Hessian, right where noise is Gumbel's; or the sandwich over rounds, right
        for any noise in large samples.
    hypothesis, value
        As for `bradley_terry`.

    Returns
    -------
    Dataset
        ``epp`` (player); ``covariance`` and ``covariance_model`` (player, ``player_``); ``tie``
        (tie_size), log delta, if players tie; scalars ``loglik`` and ``deviance`` (-2 loglik).
        attrs as for `bradley_terry`; ``df`` counts the places given, less the parameters.

    Raises
    ------
    DisconnectedError
        If the win graph is not strongly connected: the estimate does not exist.
    NotConvergedError
        If it does not exist for another reason, such as every round tied from top to bottom.
    LeaderbayesError
        If an option has no meaning for these matches.

    References
    ----------
    Turner, van Etten, Firth, Kosmidis (2020), Modelling rankings in R: the PlackettLuce package,
    Computational Statistics 35.
    """
    if covariance not in ("model", "clustered"):
        raise LeaderbayesError(f"covariance={covariance!r}: choose 'model' or 'clustered'.")
    if not matches.attrs["within_round"] or matches.attrs["ties"] != "half":
        raise LeaderbayesError(
            "Plackett-Luce ranks the players of each round, ties included: give matches with "
            "within_round=True and ties='half'."
        )
    require_estimate(matches)
    place = matches["place"].to_numpy()
    rounds, m = place.shape
    sizes = tie_sizes(place)
    data = rankings(place)
    _require_ties(data, sizes)
    parameters = m + len(sizes) - 1
    linear = restriction(matches, hypothesis, value, known=m, parameters=parameters)

    def gradient(x: Floats, cotangent: Floats) -> Floats:
        log_delta = np.append(0.0, x[m:])
        epp, tie = log_likelihood_pullback(x[None, :m], log_delta, sizes, *data, cotangent)
        return np.append(epp[0], tie[1:])

    def parts(x: Floats) -> tuple[float, Floats, Floats]:
        every = np.ones(rounds)
        value = log_likelihood(x[None, :m], np.append(0.0, x[m:]), sizes, *data).sum()
        steps = _STEP * np.eye(parameters)
        curve = [gradient(x - h, every) - gradient(x + h, every) for h in steps]
        information = np.array(curve) / (2.0 * _STEP)
        return float(value), gradient(x, every), (information + information.T) / 2.0

    # Each size about as often as it is seen: at 0 the largest sets would crowd out the others.
    seen = np.bincount(data.block)[sizes[1:]] / (data.block > 0).sum()
    start = np.append(np.zeros(m), np.log(seen * m / comb(m, sizes[1:])))
    best = maximise(parts, start, m, linear=linear, tolerance=1e-8)
    model = inverse(best.information, m, linear)
    spread = model
    if covariance == "clustered":
        if rounds < 2:
            raise LeaderbayesError(
                "One round says nothing about variation between rounds; give more rounds or "
                "covariance='model'."
            )
        by_round = np.array([gradient(best.x, one) for one in np.eye(rounds)])
        spread = model @ meat(by_round) @ model
    variables = {
        "epp": ("player", best.x[:m]),
        "covariance": (("player", "player_"), spread[:m, :m]),
        "covariance_model": (("player", "player_"), model[:m, :m]),
        "loglik": best.value,
        "deviance": -2.0 * best.value,
    }
    if len(sizes) > 1:
        variables["tie"] = ("tie_size", best.x[m:])
    free = parameters - 1 - (0 if linear is None else len(linear.matrix))
    attrs = {
        "model": "plackett_luce",
        "covariance": covariance,
        "df": int((data.block > 0).sum()) - rounds - free,
    }
    made = estimate(matches["player"].to_numpy(), variables, attrs, linear, m)
    return made.assign_coords(tie_size=sizes[1:]) if len(sizes) > 1 else made


def _require_ties(data: Rankings, sizes: NDArray[np.int64]) -> None:
    """Raise where a tie parameter could grow without bound.

    Sizes of tied sets meet as players do: the chosen one beats all others that were possible.
    """
    left = np.concatenate([np.arange(1, n + 1) for n in np.diff(data.start)])[data.block > 0]
    chosen = np.searchsorted(sizes, data.block[data.block > 0])
    beaten = np.zeros((len(sizes), len(sizes)), dtype=bool)
    for size, most in {(int(c), int(n)) for c, n in zip(chosen, left, strict=True)}:
        beaten[size] |= sizes <= most
    count, _ = connected_components(beaten, directed=True, connection="strong")
    if count > 1:
        raise NotConvergedError(
            "LB002 Davidson-Luce's tie parameters have no finite estimate: some number of players "
            f"(of {', '.join(map(str, sizes))}) ties always, or never, where it could. Use the "
            "posterior (model='plackett_luce'), or likelihood.bradley_terry."
        )
