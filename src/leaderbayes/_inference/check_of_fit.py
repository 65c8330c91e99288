"""Check of fit: whether the model makes boards like the observed one.

Boards are drawn around the board's own estimate, whole rankings at a time, so that they keep the
dependence between matches of a round; the discrepancy is the deviance of the counts of wins, each
board's at its own estimate. A parametric bootstrap.

References
----------
Gelman, Meng, Stern (1996), Posterior predictive assessment of model fitness via realized
discrepancies, Statistica Sinica 6. Besag and Clifford (1991), Sequential Monte Carlo p-values,
Biometrika 78.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from scipy.special import expit

from leaderbayes._errors import warn
from leaderbayes._fits.matches import boards_of, rows_of
from leaderbayes._fits.posterior import Posterior, Strengths, StrengthsOfVotes
from leaderbayes._numerics.pairs import deviances, estimates
from leaderbayes._numerics.places import count, ranked
from leaderbayes._numerics.vote_replicates import Again
from leaderbayes._numerics.votes import Votes, counted, regressors
from leaderbayes._types import Floats, Ints

# A misfit matters from this p-value down, or this ratio of deviances up where p is below 0.05: on
# real boards win probabilities were off by 0.09 there, and by nothing to speak of elsewhere.
_SURE, _P, _RATIO = 0.005, 0.05, 2.0
_FEWEST, _MOST = 50, 200  # boards
_NO_DOUBT = 0.1  # p-value of the fewest, from which on no more are drawn
_PAIRS = 2_000_000  # in all boards, about: beyond, fewer are drawn
_ROWS = 2_000_000  # of votes that are drawn at a time
_PLAYERS = 300  # most of whom every pair is looked at unasked
# Boards that the stretch is found by: how many at most, and of how many pairs in all.
_FEW, _FEW_PAIRS = 50, 1_000_000
_STEPS, _NEAR = 8, 0.01
_FARTHEST = 20.0  # by which strengths are stretched, or shrunk


class Discrepancy(NamedTuple):
    """Distance of a board from its estimate, and of replicates (draw,) from theirs."""

    observed: float  # deviance of the counts of wins
    replicated: Floats
    square: float  # mean squared distance of pairs' shares of wins
    squares: Floats

    @property
    def p_value(self) -> float:
        """Return the share of replicates at least as discrepant as the board; NaN if unknown."""
        known = np.isfinite(self.observed) and np.isfinite(self.replicated).all()
        if not known or not self.replicated.size:
            return float("nan")
        return float((self.replicated >= self.observed * (1.0 - 1e-9)).mean())

    @property
    def ratio(self) -> float:
        """Return the deviance relative to the mean of the replicates."""
        mean = float(self.replicated.mean()) if self.replicated.size else 0.0
        return self.observed / mean if mean > 0.0 else float("nan")

    @property
    def misfit(self) -> float:
        """Return the error of win probabilities (rms) that luck does not explain."""
        excess = self.square - float(self.squares.mean()) if self.squares.size else float("nan")
        return float(np.sqrt(np.maximum(excess, 0.0)))


_NOTHING = Discrepancy(np.nan, np.empty(0), np.nan, np.empty(0))


def matters(p: float, ratio: float) -> bool:
    """Check whether the misfit is large enough to matter for win probabilities."""
    return p < _SURE or (p < _P and ratio >= _RATIO)


@singledispatch
def checked(post: Posterior, seed: int) -> dict[str, float]:
    """Return the results of a check that a fit stores, and warn (LB016) if answers are affected.

    Where win probabilities are blends they take in what the model does not describe.
    """
    return {}


@checked.register
def _of_strengths(post: Strengths, seed: int) -> dict[str, float]:
    found = discrepancies_of(post, None, np.random.default_rng([seed, 16]))
    p, ratio = found.p_value, found.ratio
    if matters(p, ratio) and not post.model.blends and post.trust["converged"]:
        warn(
            f"LB016 The model does not describe the board: its win probabilities are off by about "
            f"{found.misfit:.2f}. Fit {post.kind.instead}."
        )
    return {"p_check": p, "deviance_ratio": ratio, "misfit": found.misfit}


@singledispatch
def discrepancies_of(post: Posterior, draws: int | None, rng: np.random.Generator) -> Discrepancy:
    """Compare the matches of a posterior with replicates, None for as many as a fit draws."""
    return discrepancies([board for board, _ in boards_of(post)], draws, rng)


@discrepancies_of.register
def discrepancies_of_votes(
    post: StrengthsOfVotes, draws: int | None, rng: np.random.Generator
) -> Discrepancy:
    """Compute the deviance of counts of wins, and of replicates (draw,).

    Replicates are the posterior's, or where these are few drawn again: judges, and prompts, have
    opinions of their own in them.
    """
    if draws is None and len(post.players) > _PLAYERS:
        return _NOTHING
    board = post.matches()
    wins, n = (board[name].to_numpy().astype(float) for name in ("wins", "n"))
    m, every = len(wins), [wins]
    rows, again = _votes_again(post, rng)
    for won in again:
        table = np.bincount(rows.first * m + rows.second, won, m * m)
        table += np.bincount(rows.second * m + rows.first, rows.n - won, m * m)
        every.append(table.reshape(m, m))
    if draws is None and len(every) <= _FEWEST:
        return _NOTHING
    tables = np.stack(every)
    own = estimates(tables.sum(axis=2), n[None])
    found, squares = deviances(own, tables, n[None]), _squares(own, tables, n[None])
    return Discrepancy(float(found[0]), found[1:], float(squares[0]), squares[1:])


def _votes_again(
    post: StrengthsOfVotes, rng: np.random.Generator
) -> tuple[Votes, Iterable[Floats]]:
    """Return rows of votes, and how many the first wins (row,) in each replicate.

    Of very many votes a posterior keeps few replicates: they are drawn by pair, not one by one.
    """
    rows, clusters, tau2 = rows_of(post.votes, post.constant)
    predicted = post.group("posterior_predictive")["outcome"].transpose("chain", "draw", "vote")
    kept = predicted.to_numpy().reshape(-1, len(rows.n))
    moving = "dispersion" not in post.constant or "period_of_vote" in post.constant
    if moving or len(kept) >= min(_FEWEST, len(post.draws)):
        return rows, (rows.n * outcome for outcome in kept)
    few = counted(rows)
    again, phi = Again(few, rows, clusters, tau2), float(post.constant["dispersion"][0])
    some = np.linspace(0, len(post.draws) - 1, _FEWEST).astype(int)
    sizes = [post.read("effect_size", "effect")[some]] if post.has("effect_size") else []
    x, nu = np.column_stack([post.draws[some], *sizes]), None
    if post.has("tie"):
        nu = post.read("tie")[some]
    step, of = max(_ROWS // len(few.n), 1), regressors(few)

    def draw() -> Iterator[Floats]:
        for i in range(0, _FEWEST, step):
            at = slice(i, i + step)
            eta = np.asarray(of @ x[at].T)
            yield from again.draw(eta, rng, nu=None if nu is None else nu[at], phi=phi)[0].T

    return few, draw()


def _squares(epp: Floats, wins: Floats, n: Floats) -> Floats:
    """Return the mean squared distance (board,) of shares of wins from expected ones."""
    p = expit(epp[:, :, None] - epp[:, None])
    off = np.where(n > 0.0, wins / np.maximum(n, 1e-300) - p, 0.0)
    return np.asarray(np.square(off).sum(axis=(1, 2)) / np.maximum((n > 0.0).sum(axis=(1, 2)), 1))


def discrepancies(
    boards: Sequence[xr.Dataset], draws: int | None, rng: np.random.Generator
) -> Discrepancy:
    """Compare boards (matches of each tournament) with replicates.

    Unless asked for so many ``draws``, few do where they leave no doubt (Besag and Clifford 1991).
    """
    players = max(board.sizes["player"] for board in boards)
    if draws is None and players > _PLAYERS:
        return _NOTHING
    observed, square, known = 0.0, 0.0, []
    for board in boards:
        place = board["place"].transpose("round", "player").to_numpy()
        rules: dict[str, Any] = {
            "within_round": bool(board.attrs["within_round"]), "ties": str(board.attrs["ties"])
        }  # fmt: skip
        wins, n, _ = count(place, **rules)
        own = estimates(wins.sum(axis=1)[None], n[None])
        observed += float(deviances(own, wins[None], n[None])[0])
        square += float(_squares(own, wins[None], n[None])[0]) / len(boards)
        known.append((place, own, _stretch(place, own[0], rng, **rules) * own[0], rules))
    found = Discrepancy(observed, np.empty(0), square, np.empty(0))
    most = int(np.clip(_PAIRS // players**2, _FEWEST, _MOST))
    for number in (_FEWEST, most - _FEWEST) if draws is None else (draws,):
        replicated, squares = np.zeros((2, number))
        for place, own, epp, rules in known:
            size = max(_FEW_PAIRS // place.shape[1] ** 2, 1)
            for begin in range(0, number, size):
                some = slice(begin, min(begin + size, number))
                again = _boards(place, epp, some.stop - some.start, rng, rules)
                wins, n = _counts(again, rules)
                each = estimates(wins.sum(axis=2), n, start=own)
                replicated[some] += deviances(each, wins, n)
                squares[some] += _squares(each, wins, n) / len(known)
        replicated = np.append(found.replicated, replicated)
        found = Discrepancy(observed, replicated, square, np.append(found.squares, squares))
        if found.p_value >= _NO_DOUBT:
            break
    return found


def _stretch(
    place: Ints, own: Floats, rng: np.random.Generator, *, within_round: bool, ties: str
) -> float:
    """Find the factor of the estimate at which simulated boards spread as much as this one.

    Luck spreads what few rounds show, and ties shrink it. (Draws of the posterior have the
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
    """Rank scores (board, round, player) with the same tied places as the board.

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
