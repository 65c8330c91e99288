"""Rules that end a search: the best of now is not better than the best of before."""

import warnings
from collections.abc import Sequence
from typing import Literal

import numpy as np
import xarray as xr

from leaderbayes._errors import LeaderbayesWarning, NotConvergedError
from leaderbayes._scores.matches import components, matches
from leaderbayes._types import Floats
from leaderbayes.likelihood import hypothesis_test, round_intercept
from leaderbayes.tuning._posterior import gains, standing
from leaderbayes.tuning._race import Decision, Race, Verdict

Rule = Literal["posterior", "wald", "gain"]


def stopping(
    race: Race,
    best: Sequence[int],
    rule: Rule,
    *,
    patience: int,
    confidence: float,
    test_fraction: float | None,
) -> Decision:
    """Compare the best candidate after an iteration with that of ``patience`` iterations before.

    ``best`` are the leaders after each iteration, more than ``patience``. By "posterior" the search
    goes on while the new one is better with a probability of at least ``confidence``; by "wald"
    while PMRA's Wald test finds a difference at the level 1 - ``confidence``.
    """
    now, before = best[-1], best[-1 - patience]
    finished = race.finished()
    scores, a, b = race.scores[finished], finished.index(now), finished.index(before)
    if now == before:
        p, stop, why = np.nan, True, f"the best is that of {patience} iterations before"
    elif rule == "posterior":
        # Whether it is better at all, on new data too: rounds that share their data count less.
        p = float(standing(scores, race.rng, test_fraction=test_fraction).p_beats(b)[a])
        stop = p < confidence
        why = f"better than {patience} iterations before with probability {p:.3f} ({confidence:g})"
    else:
        p = wald_p_value(scores, a, b)
        level = 1.0 - confidence
        stop = not p <= level  # NaN: there is no test
        why = f"Wald's test against {patience} iterations before: p = {p:.3f} ({level:g})"
    decision: Verdict = "stops" if stop else "goes on"
    return Decision(race.iteration[-1], race.rounds, now, before, p, decision, why)


def pays(race: Race, best: int, more: int, *, cost: float, test_fraction: float | None) -> Decision:
    """Compare what ``more`` candidates, of the next iteration, should gain with their cost."""
    played = race.scores[~np.isnan(race.scores).all(axis=1)]
    gained = gains(played, more, race.rng, test_fraction=test_fraction)
    expected, least = float(gained.mean()), cost * more
    why = f"{more} more candidates are expected to gain {expected:.2g}, and cost {least:.2g}"
    decision: Verdict = "stops" if expected < least else "goes on"
    p = float((gained > least).mean())
    return Decision(race.iteration[-1], race.rounds, best, -1, p, decision, why)


def wald_p_value(scores: Floats, a: int, b: int) -> float:
    """Compute the p-value of PMRA's Wald test that a and b are equal; 1 where a is not stronger."""
    names = [str(i) for i in range(len(scores))]
    board = xr.DataArray(
        scores,
        {"player": names, "round": np.arange(scores.shape[1])},
        ("player", "round"),
        attrs={"higher_is_better": 1},
    )
    groups = components(matches(board))
    connected = groups.index[groups == groups[names[a]]].to_list()
    if names[b] not in connected:
        return 0.0 if groups[names[a]] < groups[names[b]] else 1.0
    with warnings.catch_warnings():
        # That candidates have equal scores, and the order of proposal decides, is no news here.
        warnings.filterwarnings("ignore", "LB014", LeaderbayesWarning)
        try:
            # PMRA's software has the first-listed lose ties; here they are many.
            played = matches(board.sel(player=connected), ties="half")
            fit = round_intercept(played, order=connected)
        except NotConvergedError:
            return np.nan
    epp = fit["epp"].to_series()
    if epp[names[a]] <= epp[names[b]]:
        return 1.0
    return float(hypothesis_test(fit, names[a], names[b])["p_value"])
