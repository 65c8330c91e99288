"""What the models share: weight, prior on players; and the board of Bradley-Terry and Davidson."""

import warnings
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pymc as pm
import xarray as xr
from numpy.typing import NDArray
from pytensor.tensor.variable import TensorVariable

from leaderbayes._errors import DisconnectedWarning, LeaderbayesError, WeightWarning
from leaderbayes._matches import components, name_groups
from leaderbayes.models._ops import known, pairs_log_likelihood
from leaderbayes.numerics.bradley_terry import newton
from leaderbayes.numerics.composite_weight import composite_weight, exchangeable_weight
from leaderbayes.numerics.newton import inverse
from leaderbayes.numerics.places import draw_places
from leaderbayes.numerics.rounds import round_statistics

Weight = float | Literal["composite"]


def board_model(
    matches: xr.Dataset,
    *,
    weight: Weight,
    test_fraction: float | None,
    prior_scale: float,
    centring: float | None,
    tie_prior: Callable[[], TensorVariable] | None = None,
) -> pm.Model:
    """Build Bradley-Terry's model of one board; ``tie_prior`` makes Davidson's nu inside it."""
    check_board(matches)
    check_pairs(matches)
    eta = resolve_weight(matches, weight, test_fraction, with_ties=tie_prior is not None)
    within, ties = bool(matches.attrs["within_round"]), str(matches.attrs["ties"])
    place = matches["place"].to_numpy()

    def logp(value: Any, epp: Any, present: Any, weight: Any, *tie: Any) -> Any:
        # PyMC gives parameters the batch dimension of the rounds; all rounds share them.
        nu = tie[0].flatten()[:1] if tie else None
        statistics = round_statistics(known(value), within_round=within, ties=ties)
        return weight * pairs_log_likelihood(statistics, epp.reshape((1, epp.shape[-1])), nu)

    def random(
        epp: Any, present: Any, weight: Any, *tie: Any, rng: np.random.Generator, size: Any
    ) -> Any:
        nu = float(np.ravel(tie[0])[0]) if tie else -np.inf
        return draw_places(epp, present.astype(bool), rng, within_round=within, tie=nu)

    with pm.Model(coords=coords_of(matches)) as model:
        power = pm.Data("weight", eta)
        epp = strengths(prior_scale, reliability(matches, eta) if centring is None else centring)
        tie = [] if tie_prior is None else [tie_prior()]
        scalars = ",()" * (1 + len(tie))
        pm.CustomDist(
            "place",
            epp,
            (place > 0).astype("int8"),
            power,
            *tie,
            logp=logp,
            random=random,
            signature=f"(p),(p){scalars}->(p)",
            dtype="int32",
            observed=place,
            dims=("round", "player"),
        )
    return model


def coords_of(matches: xr.Dataset) -> dict[str, Any]:
    """Players and rounds."""
    return {dim: matches[dim].to_numpy() for dim in ("player", "round")}


def strengths(prior_scale: float, centring: float) -> TensorVariable:
    """Players' strengths ``epp``, sum to zero, around a half-normal scale, in the open model.

    Centred (1), a board of nearly equal players is a funnel; not centred (0), a board that
    decides everything is a ridge. In between, both sample well.
    """
    scale = pm.HalfNormal("epp_scale", prior_scale)
    unit = pm.ZeroSumNormal("epp_unit", sigma=scale**centring, dims="player")
    return pm.Deterministic("epp", scale ** (1.0 - centring) * unit, dims="player")


def reliability(matches: xr.Dataset, eta: float) -> float:
    """Share of the estimates' variance that is not their error: 0 for equal players, at most 1."""
    epp, error = estimates(matches, eta)
    variance = float((epp**2).sum()) / (len(epp) - 1)
    return float(np.clip(1.0 - error / variance, 0.0, 1.0)) if variance > 0 else 0.0


def estimates(matches: xr.Dataset, eta: float) -> tuple[NDArray[np.float64], float]:
    """Estimate strengths, drawn to 0 by a pseudo-round, and the mean variance of their error."""
    points = matches["wins"].sum("opponent").to_numpy()
    epp, _, hessian = newton(points, matches["n"].to_numpy(), pseudo_rounds=1.0)
    m = len(epp)
    return epp, float(np.trace(inverse(eta * hessian, m)) / (m - 1))


def rank_reliability(place: NDArray[np.int32]) -> float:
    """Share of the variance of players' mean log ranks that is not noise, from 0 to 1.

    A cheap stand-in for `reliability` on boards too large for tables of pairs.
    """
    present = place > 0
    size = present.sum(axis=1, keepdims=True)
    # Log-odds of the place: about linear in strengths plus logistic-like noise.
    share = (np.where(present, place, 1) - 0.5) / np.maximum(size, 1)
    level = np.where(present, np.log1p(-share) - np.log(share), 0.0)
    rounds = present.sum(axis=0)
    mean = level.sum(axis=0) / np.maximum(rounds, 1)
    within = (np.where(present, level - mean, 0.0) ** 2).sum()
    freedom = np.maximum(rounds - 1, 0).sum()
    between = float(np.var(mean[rounds > 0]))
    if freedom == 0 or between == 0.0:
        return 0.0
    noise = float(within / freedom * np.mean(1.0 / rounds[rounds > 0]))
    return float(np.clip(1.0 - noise / between, 0.0, 1.0))


def check_board(matches: xr.Dataset) -> None:
    """Raise unless it is one tournament's; warn where differences rest on the prior alone."""
    if "tournament" in matches["place"].dims:
        raise LeaderbayesError(
            "These matches are of several tournaments: pick one, or use models.tournaments."
        )
    groups = components(matches)
    if groups.nunique() > 1:
        never_met = "" if groups.attrs["weakly_connected"] else " Some groups never met at all."
        warnings.warn(
            f"LB010 the win graph has {groups.nunique()} strong components, "
            f"{name_groups(groups)}. How far they are apart rests on the prior.{never_met} See "
            "leaderbayes.components.",
            DisconnectedWarning,
            stacklevel=4,
        )


def check_options(centring: float | None, **scales: float) -> None:
    """Raise unless centring is from 0 to 1, and the scales of priors are above 0."""
    if centring is not None and not 0.0 <= centring <= 1.0:
        raise LeaderbayesError(f"centring={centring}: give a number from 0 to 1.")
    for name, scale in scales.items():
        if not (np.isfinite(scale) and scale > 0):
            raise LeaderbayesError(f"{name}={scale}: give a number above 0 (log-odds).")


def check_pairs(matches: xr.Dataset) -> None:
    """Raise where ties have no pairwise likelihood by round."""
    ties, within = matches.attrs["ties"], bool(matches.attrs["within_round"])
    if ties == "floor" or (ties == "drop" and not within):
        raise LeaderbayesError(
            f"ties={ties!r}{'' if within else ' across rounds'} has no likelihood by round; use "
            "ties='half' here, or leaderbayes.likelihood.bradley_terry for the point estimate."
        )


def resolve_weight(
    matches: xr.Dataset, weight: Weight, test_fraction: float | None, *, with_ties: bool
) -> float:
    """Give the power of the likelihood of one tournament as a number."""
    if not isinstance(weight, str):
        if not 0.0 < weight <= 1.0:
            raise LeaderbayesError(
                f"weight={weight}: the power of the likelihood lies above 0 and at most at 1."
            )
        eta = float(weight)
    elif weight == "composite":
        eta = _composite_weight(matches, with_ties=with_ties)
    else:
        raise LeaderbayesError(f"weight={weight!r}: give 'composite' or a number above 0.")
    return eta * dependence(matches.sizes["round"], test_fraction)


def dependence(rounds: int, test_fraction: float | None) -> float:
    """Factor for rounds that share training data: 1 / (1 + r f / (1 - f)).

    The variance of a mean over r splits with test fraction f is (1/r + f/(1-f)) / (1/r) times
    that over independent rounds (Nadeau and Bengio 2003).
    """
    if test_fraction is None:
        return 1.0
    if not 0.0 < test_fraction < 1.0:
        raise LeaderbayesError(
            f"test_fraction={test_fraction}: give the share of the data that each round tests on, "
            "such as 0.1 for 10-fold cross-validation."
        )
    return 1.0 / (1.0 + rounds * test_fraction / (1.0 - test_fraction))


def _composite_weight(matches: xr.Dataset, *, with_ties: bool) -> float:
    """Estimate the composite weight (methods: `numerics.composite_weight`)."""
    within = bool(matches.attrs["within_round"])
    place = matches["place"].to_numpy()
    if matches.sizes["round"] < 3:
        eta = exchangeable_weight(place, within_round=within)
        warnings.warn(
            f"LB011 {matches.sizes['round']} rounds are too few to estimate the composite weight; "
            f"{eta:.3f}, that of equal players, is used, and the posterior leans on its prior.",
            WeightWarning,
            stacklevel=5,
        )
        return eta
    wins, n = matches["wins"].to_numpy(), matches["n"].to_numpy()
    return composite_weight(
        wins,
        n,
        # Without a single tie nu has no estimate, and says nothing about the players.
        matches["tied"].to_numpy() if with_ties and matches["tied"].any() else None,
        round_statistics(place, within_round=within, ties=str(matches.attrs["ties"])),
        within_round=within,
        # Where no estimate exists, a drawn match against an average player makes one.
        pseudo_rounds=0.0 if components(matches).nunique() == 1 else 1.0,
    )
