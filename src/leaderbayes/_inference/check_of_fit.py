"""Whether Bradley-Terry's model makes boards like the one that was observed.

Boards are drawn around the board's own estimate, whole rankings at a time, so that they keep the
dependence between matches of a round; the discrepancy is the deviance of the counts of wins, each
board's at its own estimate. A parametric bootstrap.

References
----------
Gelman, Meng, Stern (1996), Posterior predictive assessment of model fitness via realized
discrepancies, Statistica Sinica 6.
"""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._errors import MisfitWarning
from leaderbayes._fits.posterior import Posterior
from leaderbayes._numerics.pairs import deviances, estimates
from leaderbayes._numerics.places import count, ranked
from leaderbayes._types import Floats, Ints

MISFIT = 0.05  # p-value below which a board does not fit
_FEWEST, _MOST = 50, 200  # boards
_PAIRS = 2_000_000  # in all boards, about: beyond, fewer are drawn
_PLAYERS = 300  # most of whom every pair is looked at unasked
# Boards that the stretch is found by: how many at most, and of how many pairs in all.
_FEW, _FEW_PAIRS = 50, 1_000_000
_STEPS, _NEAR = 8, 0.01
_FARTHEST = 20.0  # by which strengths are stretched, or shrunk


def enough(players: int) -> int:
    """Count the boards of a check that nobody waits for, up to a thousand players or so."""
    return int(np.clip(_PAIRS // players**2, _FEWEST, _MOST))


def of_boards(boards: Sequence[xr.Dataset], seed: int) -> tuple[float, Floats]:
    """Compute `discrepancies` as a fit does unasked; none of very many players."""
    players = max(board.sizes["player"] for board in boards)
    if players > _PLAYERS:
        return np.nan, np.empty(0)
    return discrepancies(boards, enough(players), np.random.default_rng([seed, 16]))


def of_votes(post: Posterior) -> tuple[float, Floats]:
    """Compute `discrepancies_of_votes` as a fit does unasked; none of few draws or many players."""
    predicted = post.group("posterior_predictive").sizes
    if predicted["chain"] * predicted["draw"] < _FEWEST or len(post.players) > _PLAYERS:
        return np.nan, np.empty(0)
    return discrepancies_of_votes(post)


def discrepancies_of_votes(post: Posterior) -> tuple[float, Floats]:
    """Compute the deviance of votes' counts of wins, and of replicates (draw,).

    Replicates are the posterior's: judges, and prompts, have opinions of their own in them.
    """
    board, predicted = post.matches(), post.group("posterior_predictive")
    again = predicted["outcome"].transpose("chain", "draw", "vote").to_numpy()
    wins, n = (board[name].to_numpy().astype(float) for name in ("wins", "n"))
    m, votes = len(wins), post.votes
    first, second = (votes[name].to_numpy() for name in ("first", "second"))
    weight, every = votes["weight"].to_numpy(), [wins]
    for outcome in again.reshape(-1, again.shape[-1]):
        won = np.bincount(first * m + second, weight * outcome, m * m)
        lost = np.bincount(second * m + first, weight * (1.0 - outcome), m * m)
        every.append((won + lost).reshape(m, m))
    tables = np.stack(every)
    found = deviances(estimates(tables.sum(axis=2), n[None]), tables, n[None])
    return float(found[0]), found[1:]


def warned(observed: float, replicated: Floats, *, silent: bool) -> float:
    """Compute the p-value, and warn, LB016, where the data do not fit."""
    p = share_as_far(observed, replicated)
    if p < MISFIT and not silent:
        warnings.warn(
            f"LB016 Some head-to-head results differ from the model (check of fit: p "
            f"{'< 0.005' if p < 0.005 else f'= {p:.3f}'}), so win probabilities may be off; "
            "compare them with win_probability(by='record').",
            MisfitWarning,
            stacklevel=4,
        )
    return p


def share_as_far(observed: float, replicated: Floats) -> float:
    """Return the share of replicates at least as discrepant as the board; NaN where none is."""
    known = np.isfinite(observed) and np.isfinite(replicated).all() and replicated.size
    return float((replicated >= observed * (1.0 - 1e-9)).mean()) if known else float("nan")


def discrepancies(
    boards: Sequence[xr.Dataset], draws: int, rng: np.random.Generator
) -> tuple[float, Floats]:
    """Compute the deviance of boards (matches of each tournament), and of replicates (draw,)."""
    observed, replicated = 0.0, np.zeros(draws)
    for board in boards:
        place = board["place"].transpose("round", "player").to_numpy()
        rules: dict[str, Any] = {
            "within_round": bool(board.attrs["within_round"]), "ties": str(board.attrs["ties"])
        }  # fmt: skip
        wins, n, _ = count(place, **rules)
        own = estimates(wins.sum(axis=1)[None], n[None])
        observed += float(deviances(own, wins[None], n[None])[0])
        factor = _stretch(place, own[0], rng, **rules)
        size = max(_FEW_PAIRS // place.shape[1] ** 2, 1)
        for begin in range(0, draws, size):
            some = slice(begin, min(begin + size, draws))
            again = _boards(place, factor * own[0], some.stop - some.start, rng, rules)
            wins, n = _counts(again, rules)
            found = estimates(wins.sum(axis=2), n, start=own)
            replicated[some] += deviances(found, wins, n)
    return observed, replicated


def boards_alike(
    place: Ints, boards: int, rng: np.random.Generator, *, within_round: bool, ties: str
) -> Ints:
    """Draw boards (board, round, player) like one, around its own estimate (`_stretch`)."""
    wins, n, _ = count(place, within_round=within_round, ties=ties)
    own = estimates(wins.sum(axis=1)[None], n[None])[0]
    rules: dict[str, Any] = {"within_round": within_round, "ties": ties}
    factor = _stretch(place, own, rng, **rules)
    return _boards(place, factor * own, boards, rng, rules)


def _stretch(
    place: Ints, own: Floats, rng: np.random.Generator, *, within_round: bool, ties: str
) -> float:
    """Find the factor on a board's estimate at which boards are as spread as this one.

    Luck spreads what few rounds show, and ties draw it together. (Draws of the posterior have the
    prior's heavy tails, which the players of a large board with few rounds do not have.)
    """
    boards = int(np.clip(_FEW_PAIRS // place.shape[1] ** 2, 2, _FEW))
    noise = rng.gumbel(size=(boards, *place.shape))
    rules, factor = {"within_round": within_round, "ties": ties}, 1.0
    for _ in range(_STEPS):
        wins, n = _counts(_ranked(place, noise + factor * own, within_round), rules)
        spread = np.square(estimates(wins.sum(axis=2), n, start=own[None])).mean()
        if not spread > 0.0:
            break
        last, stretched = factor, factor * np.sqrt(np.square(own).mean() / spread)
        factor = float(np.clip(stretched, 1.0 / _FARTHEST, _FARTHEST))
        if abs(factor / last - 1.0) < _NEAR:
            break
    return factor


def _boards(
    place: Ints, epp: Floats, boards: int, rng: np.random.Generator, rules: dict[str, Any]
) -> Ints:
    noise = rng.gumbel(size=(boards, *place.shape))
    return _ranked(place, noise + epp, bool(rules["within_round"]))


def _ranked(place: Ints, scores: Floats, within_round: bool) -> Ints:
    """Rank scores (board, round, player); within rounds players tie where the board's do.

    Rankings of the model never tie, and a match that may tie varies less than one that is won or
    lost: boards with ties would look less discrepant than replicates that have none.
    """
    again = ranked(scores, place > 0, within_round=within_round)
    at = np.sort(place, axis=1)
    if not within_round or not ((np.diff(at, axis=1) == 0) & (at[:, 1:] > 0)).any():
        return again
    out = np.empty_like(again)
    order = np.argsort(again, axis=-1)
    np.put_along_axis(out, order, np.broadcast_to(at, again.shape).astype(again.dtype), axis=-1)
    return out


def _counts(boards: Ints, rules: dict[str, Any]) -> tuple[Floats, Floats]:
    """Count wins, ties by the rule, and matches of boards (board, player, opponent)."""
    within_round, ties = bool(rules["within_round"]), str(rules["ties"])
    if within_round:
        return count(boards, within_round=True, ties=ties)[:2]
    each = [count(place, within_round=False, ties=ties)[:2] for place in boards]
    return np.stack([wins for wins, _ in each]), np.stack([n for _, n in each])
