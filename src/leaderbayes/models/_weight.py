"""What a model of a board asks of it, and how much its matches count."""

import warnings
from pathlib import Path
from typing import Literal

import numpy as np
import xarray as xr

from leaderbayes._arguments import number, positive, share
from leaderbayes._errors import DisconnectedWarning, LeaderbayesError, WeightWarning
from leaderbayes._numerics.composite_weight import FEWEST, board_weight
from leaderbayes._scores.matches import components, is_one_group, require_matches, say_apart
from leaderbayes._types import Floats
from leaderbayes.models._model import Model

Weight = float | Literal["composite"]

# Warnings point to the first line outside of it.
_PACKAGE = str(Path(__file__).parents[1])


def check_board(matches: xr.Dataset, model: Model) -> None:
    """Raise unless the model can be fitted to these matches of one tournament.

    Warns
    -----
    DisconnectedWarning
        LB010, where differences rest on the prior alone.
    """
    require_matches(
        matches, f"models.{model.name}", ties=model.ties, across=model.across, pairs=model.pairs
    )
    if matches.attrs["ties"] == "drop" and not matches.attrs["within_round"]:
        raise LeaderbayesError(
            "ties='drop' across rounds has no likelihood by round; choose ties='half' or "
            "within_round=True."
        )
    warn_if_apart(matches)


def warn_if_apart(matches: xr.Dataset) -> None:
    """Warn, LB010, where some differences between players rest on the prior alone."""
    if not is_one_group(matches):
        groups = components(matches)
        fact, unknown, known = say_apart(matches, groups)
        warnings.warn(
            f"LB010 {fact}, so {unknown} rests on the prior{f' ({known})' if known else ''}.",
            DisconnectedWarning,
            skip_file_prefixes=(_PACKAGE,),
        )


def check_scales(**scales: float) -> None:
    """Raise unless the scales of priors are above 0."""
    for name, scale in scales.items():
        positive(name, scale)


def resolve_weight(
    matches: xr.Dataset, weight: Weight, test_fraction: float | None, *, with_ties: bool
) -> Floats:
    """Return the power of the likelihood of each round (round,) of one tournament."""
    if not isinstance(weight, str):
        eta = np.full(matches.sizes["round"], number("weight", weight, above=0.0, at_most=1.0))
    elif weight == "composite":
        eta = _composite_weight(matches, with_ties=with_ties)
    else:
        raise LeaderbayesError(f"weight={weight!r}: give 'composite' or a number above 0.")
    return eta / (1.0 + matches.sizes["round"] * shared_luck(test_fraction))


def weight_of_rankings(matches: xr.Dataset, weight: Weight, test_fraction: float | None) -> Floats:
    """Return the power of the likelihood of each round's whole ranking (round,)."""
    if weight == "composite" or not 0.0 < number("weight", weight) <= 1.0:
        raise LeaderbayesError(
            f"weight={weight!r}: a ranking's likelihood is exact; its power is 1, or a number "
            "above 0 and below 1."
        )
    rounds = matches.sizes["round"]
    return np.full(rounds, weight / (1.0 + rounds * shared_luck(test_fraction)))


def shared_luck(test_fraction: float | None) -> float:
    """Variance that rounds which share training data have in common, in that of one round.

    The scores of two splits with test fraction f have the correlation f (Nadeau and Bengio 2003);
    the signs of their differences, who won, that of normal ones with it, rho = 2 / pi asin f. The
    variance of a mean over r splits is 1 + r rho / (1 - rho) times that over independent rounds.
    """
    if test_fraction is None:
        return 0.0
    rho = float(2.0 / np.pi * np.arcsin(share("test_fraction", test_fraction)))
    return rho / (1.0 - rho)


def _composite_weight(matches: xr.Dataset, *, with_ties: bool) -> Floats:
    """Estimate the composite weights (methods: `numerics.composite_weight`)."""
    eta = board_weight(
        matches["place"].to_numpy(),
        within_round=bool(matches.attrs["within_round"]),
        ties=str(matches.attrs["ties"]),
        with_ties=with_ties,
    )
    if 1 < (rounds := matches.sizes["round"]) < FEWEST:  # `fit` hints at one round itself
        warnings.warn(
            f"LB011 {rounds} rounds hardly show how rounds vary: intervals rest on the prior. Add "
            "rounds (folds, seeds, test sets).",
            WeightWarning,
            skip_file_prefixes=(_PACKAGE,),
        )
    return eta
