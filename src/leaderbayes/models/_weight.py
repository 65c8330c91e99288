"""Requirements of a board, and weights of its matches."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._arguments import number, positive, share
from leaderbayes._errors import LeaderbayesError, warn
from leaderbayes._numerics.composite_weight import FEWEST, board_weight
from leaderbayes._numerics.rounds import Weighing, equal, weighing_of
from leaderbayes._scores.matches import components, is_one_group, require_matches, say_apart
from leaderbayes._scores.tables import listed
from leaderbayes._types import Floats
from leaderbayes.models._model import Model

Weight = float | Literal["composite"]


def check_board(matches: xr.Dataset, model: Model) -> None:
    """Raise unless the model fits these matches of one tournament; warn as `warn_if_apart`."""
    require_matches(
        matches, f"models.{model.name}", ties=model.ties, across=model.across, pairs=model.pairs
    )
    check_beside(matches, model)
    if matches.attrs["ties"] == "drop" and not matches.attrs["within_round"]:
        raise LeaderbayesError(
            "ties='drop' across rounds has no likelihood by round; use ties='half' or "
            "within_round=True."
        )
    warn_if_apart(matches)


def warn_if_apart(matches: xr.Dataset) -> None:
    """Warn (LB010) if some differences between players rest on the prior alone."""
    if not is_one_group(matches):
        groups = components(matches)
        fact, unknown, known = say_apart(matches, groups)
        more = "rounds" if "round" in matches.dims else "votes"
        warn(
            f"LB010 {fact}, so {unknown} rests on the prior{f' ({known})' if known else ''}. "
            f"Add {more} that connect them."
        )


def weighed(data: Any, given: str | Mapping[Any, Any] | pd.Series) -> Any:
    """Return scores with the coordinate ``round_weight`` (round,): numbers, or categories."""
    if not isinstance(data, xr.DataArray) or "round" not in data.dims:
        raise LeaderbayesError(
            "round_weight= is for scores: votes have no rounds; use a column of weights "
            "(read_votes(..., weight=COLUMN))."
        )
    rounds = data["round"].to_numpy()
    if isinstance(given, str):
        if given not in data.coords or data[given].dims != ("round",):
            known = [str(name) for name, c in data.coords.items() if c.dims == ("round",)]
            raise LeaderbayesError(
                f"round_weight={given[:60]!r} is not a coordinate (round,) of the scores, which "
                f"have {listed(known)}: use read_scores(..., round_weight=COLUMN)."
            )
        values = pd.Series(data[given].to_numpy(), rounds, dtype=object)
    else:
        found = pd.Series(given, dtype=object)
        own, theirs = set(rounds), set(found.index)
        absent, extra = (sorted(map(str, each)) for each in (own - theirs, theirs - own))
        if absent or extra or found.index.has_duplicates:
            parts = [f"{listed(absent)} without a weight"] if absent else []
            parts += [f"no round {listed(extra)}"] if extra else []
            parts += ["a round given twice"] if found.index.has_duplicates else []
            raise LeaderbayesError(f"round_weight: {'; '.join(parts)}. List each round once.")
        values = found[rounds]
    numbers = pd.to_numeric(values, errors="coerce").to_numpy(float)
    number = np.isfinite(numbers).any() and not any(isinstance(each, bool) for each in values)
    new = numbers if number else values.astype(str).to_numpy(object)
    wrong = ~(np.isfinite(numbers) & (numbers > 0.0)) if number else values.isna().to_numpy()
    if wrong.any():
        raise LeaderbayesError(
            f"round_weight of {listed(list(map(str, rounds[wrong])))} must be numbers above 0, or "
            "names of categories; drop rounds that should not count."
        )
    if weighing_of(new).worth < 2.0:
        raise LeaderbayesError("round_weight: nearly all weight is on one round; even it out.")
    return data.assign_coords(round_weight=("round", new))


def check_beside(data: Any, model: Model) -> None:
    """Raise if rounds have weights or judges' scores that the model does not support."""
    for name, what in {"round_weight": "weights of rounds", "judge": "scores of a judge"}.items():
        if name in data.coords and name not in model.takes:
            from leaderbayes.models._registry import FITTED

            can = " or ".join(repr(other) for other, m in FITTED.items() if name in m.takes)
            raise LeaderbayesError(
                f"{model.label} has no {what}: use model={can}, or scores.drop_vars({name!r})."
            )
    if "round_weight" in data.coords and not data.attrs.get("within_round", 1):
        raise LeaderbayesError("Weights of rounds need within_round=True.")


def weighing_in(data: Any) -> Weighing | None:
    """Return the weighing of rounds of scores, matches or constants; None if all are equal."""
    known = "round_weight" in data.coords
    return weighing_of(data["round_weight"].to_numpy()) if known else None


def check_scales(**scales: float) -> None:
    """Raise unless the scales of priors are above 0."""
    for name, scale in scales.items():
        positive(name, scale)


def resolve_weight(
    matches: xr.Dataset, weight: Weight, test_fraction: float | None, *, with_ties: bool
) -> Floats:
    """Return the power of the likelihood of each round (round,) of one tournament."""
    weighing = weighing_in(matches) or equal(matches.sizes["round"])
    if not isinstance(weight, str):
        eta = number("weight", weight, above=0.0, at_most=1.0) * weighing.weight
    elif weight == "composite":
        eta = _composite_weight(matches, weighing, with_ties=with_ties)
    else:
        raise LeaderbayesError(f"weight={weight!r} must be 'composite' or a number above 0.")
    return eta / (1.0 + weighing.worth * shared_luck(test_fraction))


def weight_of_rankings(matches: xr.Dataset, weight: Weight, test_fraction: float | None) -> Floats:
    """Return the power of the likelihood of each round's whole ranking (round,)."""
    if weight == "composite" or not 0.0 < number("weight", weight) <= 1.0:
        raise LeaderbayesError(
            f"weight={weight!r} must be a number above 0 and at most 1, because the likelihood of "
            "a ranking is exact."
        )
    weighing = weighing_in(matches) or equal(matches.sizes["round"])
    return weight / (1.0 + weighing.worth * shared_luck(test_fraction)) * weighing.weight


def shared_luck(test_fraction: float | None) -> float:
    """Return the variance shared by rounds with common training data, relative to one round.

    The scores of two splits with test fraction f have the correlation f (Nadeau and Bengio 2003);
    the signs of their differences, who won, that of normal ones with it, rho = 2 / pi asin f. The
    variance of a mean over r splits is 1 + r rho / (1 - rho) times that over independent rounds.
    """
    if test_fraction is None:
        return 0.0
    rho = float(2.0 / np.pi * np.arcsin(share("test_fraction", test_fraction)))
    return rho / (1.0 - rho)


def _composite_weight(matches: xr.Dataset, weighing: Weighing, *, with_ties: bool) -> Floats:
    """Estimate the composite weights (methods: `numerics.composite_weight`)."""
    eta = board_weight(
        matches["place"].to_numpy(),
        within_round=bool(matches.attrs["within_round"]),
        ties=str(matches.attrs["ties"]),
        with_ties=with_ties,
        weighing=weighing,
    )
    if 1 < (rounds := matches.sizes["round"]) < FEWEST:  # `fit` hints at one round itself
        warn(
            f"LB011 {rounds} rounds hardly show how much rounds vary: intervals rest on the "
            "prior. Add rounds (folds, seeds, test sets)."
        )
    return eta
