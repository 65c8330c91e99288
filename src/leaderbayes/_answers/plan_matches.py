"""Further rounds of matches: simulated places, and the posteriors of the enlarged boards."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from leaderbayes._answers.draws import by_mean
from leaderbayes._files.progress import progress
from leaderbayes._inference.boards import matches_of
from leaderbayes._numerics.composite_weight import board_weight, weighted_counts
from leaderbayes._numerics.laplace import Board, posterior
from leaderbayes._numerics.places import draw_places
from leaderbayes._types import Floats, Ints, Longs

_PATIENCE = 2.0  # seconds without a bar
_DRAWS = 2000  # of each simulated posterior: they are normal, and cost less than its mode


class Verdict(NamedTuple):
    """What a posterior says of the question."""

    decided: bool
    better: int  # position of the player that seems better
    p: float  # that it is
    width: float  # of the interval of the difference


class Simulated(NamedTuple):
    """What further rounds come to, by plans and lengths."""

    decided: Floats  # (plan, length, simulation)
    correct: Floats  # the same
    width: Floats  # (plan, length), on the mean
    size: float = 1.0  # scores of a player in a round
    unit: str = "round"  # what a round is
    further: Mapping[str, Any] = {}  # variables of the plan
    coords: Mapping[str, Any] = {}


def of_matches(
    dt: xr.DataTree, epp: Floats, plans: list[Longs], lengths: Longs, asked: list[int] | None,
    prob: float, arguments: dict[str, Any], simulations: int, rng: np.random.Generator,
    *, progressbar: bool,
) -> Simulated:  # fmt: skip
    """Play on from the matches of a fit with strengths epp (draw, player)."""
    truths = epp[np.linspace(0, len(epp) - 1, simulations).astype(int)]
    place = matches_of(dt)["place"].sel(player=dt["posterior"]["player"].to_numpy()).to_numpy()
    seen = []
    with progress(progressbar, "Simulations", after=_PATIENCE) as advance:
        for truth in truths:
            seen.append(_simulate(place, truth, plans, lengths, asked, prob, arguments, rng))
            advance(1, simulations)
    decided, correct, width = np.moveaxis(np.array(seen), 0, -1)
    return Simulated(decided, correct, width.mean(axis=-1))


def _simulate(
    place: Ints,
    truth: Floats,
    plans: list[Longs],
    lengths: Longs,
    asked: list[int] | None,
    prob: float,
    arguments: dict[str, Any],
    rng: np.random.Generator,
) -> Floats:
    """Play on from places (round, player), by all plans and to all lengths.

    Returns whether it is decided, whether for the better player, and how wide the interval is:
    (3, plan, length).
    """
    # One run of rounds for all plans and lengths: luck is the same for each.
    more = draw_places(truth, np.ones((lengths.max(initial=0), len(truth)), bool), rng)
    board = np.concatenate([place, more])
    best = int(np.argmax(truth)) if asked is None else max(asked, key=truth.__getitem__)
    seen = np.empty((3, len(plans), len(lengths)))
    for w, who in enumerate(plans):
        own = None if asked is None else np.searchsorted(who, asked).tolist()
        for k, further in enumerate(lengths):
            epp = _refit(board[: len(place) + further, who], arguments, rng)
            said = verdict(epp, own, prob)
            right = said.decided and who[said.better] == best
            seen[:, w, k] = said.decided, right, said.width
    return seen


def _refit(place: Ints, arguments: dict[str, Any], rng: np.random.Generator) -> Floats:
    """Draw strengths (draw, player) from the posterior of places (round, player)."""
    place = place[(place > 0).any(axis=1)]
    ties, weight = arguments["ties"], arguments["weight"]
    eta = (
        board_weight(place, within_round=True, ties=ties)
        if weight == "composite"
        else np.full(len(place), weight)
    )
    wins, n, _ = weighted_counts(place, eta, within_round=True, ties=ties)
    board = Board(wins.sum(axis=1), n, arguments["prior_scale"], arguments["prior_df"])
    return posterior(board, _DRAWS, rng)


def verdict(epp: Floats, pair: list[int] | None, prob: float) -> Verdict:
    """Say whether draws (draw, player) tell the pair apart, or the leader from everybody."""
    if pair is None:
        first, second = by_mean(epp)[:2]
        p = float((epp[:, [first]] > np.delete(epp, first, axis=1)).mean(axis=0).min())
    else:
        first, second = pair
        p = float((epp[:, first] > epp[:, second]).mean())
        if p < 0.5:
            first, second, p = second, first, 1.0 - p
    low, high = np.quantile(epp[:, first] - epp[:, second], [(1.0 - prob) / 2, (1.0 + prob) / 2])
    return Verdict(p >= prob, int(first), p, float(high - low))


def how_sure(now: Verdict, opponents: int) -> str:
    """Say how probably; of several opponents ``p`` is of the closest one, not of all at once."""
    closest = "" if opponents == 1 else " against the closest of them"
    return f"with probability {now.p:.3f}{closest}"
