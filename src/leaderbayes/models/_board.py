"""What Bradley-Terry and Davidson share: weight, prior on players, the observed places."""

import warnings
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pymc as pm
import xarray as xr
from pytensor.tensor.variable import TensorVariable

from leaderbayes._errors import DisconnectedWarning, LeaderbayesError, WeightWarning
from leaderbayes._matches import components, name_groups
from leaderbayes.models._ops import log_likelihood_by_round
from leaderbayes.numerics.bradley_terry import newton, solve
from leaderbayes.numerics.composite_weight import composite_weight, exchangeable_weight
from leaderbayes.numerics.places import draw_places
from leaderbayes.numerics.rounds import round_statistics

Weight = float | Literal["composite"]


def board_model(
    matches: xr.Dataset,
    *,
    weight: Weight,
    prior_scale: float,
    centring: float | None,
    tie_prior: Callable[[], TensorVariable] | None = None,
) -> pm.Model:
    """Build the model; ``tie_prior`` makes Davidson's nu inside it."""
    check_options(matches, weight=weight, prior_scale=prior_scale)
    if centring is not None and not 0.0 <= centring <= 1.0:
        raise LeaderbayesError(f"centring={centring}: give a number from 0 to 1.")
    eta = resolve_weight(matches, weight, with_ties=tie_prior is not None)
    centring = reliability(matches, eta) if centring is None else centring
    within, ties = bool(matches.attrs["within_round"]), str(matches.attrs["ties"])
    place = matches["place"].to_numpy()

    def logp(value: Any, epp: Any, present: Any, weight: Any, *tie: Any) -> Any:
        # PyMC gives parameters the batch dimension of the rounds; all rounds share them.
        nu = tie[0].flatten()[0] if tie else None
        players = epp.reshape((-1, epp.shape[-1]))[0]
        return weight * log_likelihood_by_round(value, players, nu, within_round=within, ties=ties)

    def random(
        epp: Any, present: Any, weight: Any, *tie: Any, rng: np.random.Generator, size: Any
    ) -> Any:
        nu = float(np.ravel(tie[0])[0]) if tie else -np.inf
        return draw_places(epp, present.astype(bool), rng, within_round=within, tie=nu)

    coords = {"player": matches["player"].to_numpy(), "round": matches["round"].to_numpy()}
    with pm.Model(coords=coords) as model:
        power = pm.Data("weight", eta)
        scale = pm.HalfNormal("epp_scale", prior_scale)
        # Centred (1), a board of nearly equal players is a funnel; not centred (0), a board that
        # decides everything is a ridge. In between, both sample well.
        unit = pm.ZeroSumNormal("epp_unit", sigma=scale**centring, dims="player")
        epp = pm.Deterministic("epp", scale ** (1.0 - centring) * unit, dims="player")
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


def reliability(matches: xr.Dataset, eta: float) -> float:
    """Share of the estimates' variance that is not their error: 0 for equal players, at most 1."""
    epp, _, hessian = newton(matches["wins"].to_numpy(), matches["n"].to_numpy(), pseudo_rounds=1.0)
    m = len(epp)
    error = np.trace(solve(eta * hessian, np.eye(m) - 1.0 / m, m)) / (m - 1)
    variance = float((epp**2).sum()) / (m - 1)
    return float(np.clip(1.0 - error / variance, 0.0, 1.0)) if variance > 0 else 0.0


def check_options(matches: xr.Dataset, *, weight: Weight, prior_scale: float) -> None:
    """Raise on options without a meaning; warn where differences rest on the prior alone."""
    if isinstance(weight, str):
        if weight != "composite":
            raise LeaderbayesError(f"weight={weight!r}: give 'composite' or a number above 0.")
    elif not 0.0 < weight <= 1.0:
        raise LeaderbayesError(
            f"weight={weight}: the power of the likelihood lies above 0 and at most at 1."
        )
    if not (np.isfinite(prior_scale) and prior_scale > 0):
        raise LeaderbayesError(f"prior_scale={prior_scale}: give a number above 0 (log-odds).")
    ties, within = matches.attrs["ties"], bool(matches.attrs["within_round"])
    if ties == "floor" or (ties == "drop" and not within):
        raise LeaderbayesError(
            f"ties={ties!r}{'' if within else ' across rounds'} has no likelihood by round; use "
            "ties='half' here, or leaderbayes.likelihood.bradley_terry for the point estimate."
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


def resolve_weight(matches: xr.Dataset, weight: Weight, *, with_ties: bool) -> float:
    """Give the power of the likelihood as a number (methods: `numerics.composite_weight`)."""
    if not isinstance(weight, str):
        return float(weight)
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
