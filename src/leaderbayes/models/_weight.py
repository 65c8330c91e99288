"""What a model of a board asks of it, and how much its matches count."""

import warnings
from pathlib import Path
from typing import Literal

import xarray as xr

from leaderbayes._arguments import number, positive, share
from leaderbayes._errors import DisconnectedWarning, LeaderbayesError, WeightWarning
from leaderbayes._numerics.composite_weight import FEWEST, board_weight
from leaderbayes._scores.matches import components, require_matches, say_apart
from leaderbayes._scores.tables import counted

Weight = float | Literal["composite"]

# Of the players' strengths, in log-odds, by default: of every model, however it is sampled.
PRIOR_SCALE = 2.0

# Warnings point to the first line outside of it.
_PACKAGE = str(Path(__file__).parents[1])


def check_board(matches: xr.Dataset) -> None:
    """Raise unless it is one tournament's; warn where differences rest on the prior alone."""
    if "tournament" in matches["place"].dims:
        raise LeaderbayesError(
            "These matches are of several tournaments: pick one, or use models.tournaments."
        )
    groups = components(matches)
    if groups.nunique() > 1:
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


def check_pairs(matches: xr.Dataset, what: str) -> None:
    """Raise unless they have a pairwise likelihood by round."""
    require_matches(matches, what, ties=("half", "drop"), pairs=True)
    if matches.attrs["ties"] == "drop" and not matches.attrs["within_round"]:
        raise LeaderbayesError(
            "ties='drop' across rounds has no likelihood by round; choose ties='half' or "
            "within_round=True."
        )


def resolve_weight(
    matches: xr.Dataset, weight: Weight, test_fraction: float | None, *, with_ties: bool
) -> float:
    """Give the power of the likelihood of one tournament as a number."""
    if not isinstance(weight, str):
        eta = number("weight", weight, above=0.0, at_most=1.0)
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
    test_fraction = share("test_fraction", test_fraction)
    return 1.0 / (1.0 + rounds * test_fraction / (1.0 - test_fraction))


def _composite_weight(matches: xr.Dataset, *, with_ties: bool) -> float:
    """Estimate the composite weight (methods: `numerics.composite_weight`)."""
    tied = matches["tied"].to_numpy()
    eta = board_weight(
        matches["place"].to_numpy(),
        matches["wins"].to_numpy(),
        matches["n"].to_numpy(),
        # Without a single tie, or anything else, nu has no estimate and says nothing of players.
        tied if with_ties and 0 < tied.sum() < matches["n"].sum() else None,
        within_round=bool(matches.attrs["within_round"]),
        ties=str(matches.attrs["ties"]),
    )
    if (number := matches.sizes["round"]) < FEWEST:
        rounds = counted(number, "round") + (" is" if number == 1 else " are")
        warnings.warn(
            f"LB011 {rounds} too few to estimate the composite weight; "
            f"{eta:.3f}, that of equal players, is used, and the posterior leans on its prior.",
            WeightWarning,
            skip_file_prefixes=(_PACKAGE,),
        )
    return eta
