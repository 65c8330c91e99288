"""Further rounds of mean scores: simulated scores, and what is known of pairs after them."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
import xarray as xr

from leaderbayes._answers.draws import sign_of
from leaderbayes._answers.plan_matches import Simulated
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import drawn
from leaderbayes._numerics import items
from leaderbayes._numerics import rounds as functionals
from leaderbayes._numerics.further_rounds import (
    MOST,
    Known,
    Rounds,
    added,
    expected_width,
    fewest,
    known,
    pair_of,
    share_of,
    together,
    told_apart,
    with_variance,
)
from leaderbayes._numerics.mean_score import draw_filled, worth
from leaderbayes._numerics.shrinkage import of_differences
from leaderbayes._types import Floats, Longs
from leaderbayes.models._scores import items_of, luck_of, prior_of

_FILLED = 50  # boards whose missing scores are filled in
_FLAT = 4000  # draws of a statistic's flat posterior, for its covariance
_OFTEN = 10.0  # times that rounds count, of an interquartile mean
_SURE = 0.02  # of what is not sure enough: rivals whom the leader beats more surely are left out


class World(Protocol):
    """Where rounds come from: one truth."""

    @property
    def truth(self) -> Floats:
        """Mean scores (player,), higher is better."""

    def play(self, count: int, rng: np.random.Generator) -> Rounds:
        """Play so many rounds."""


class _Board(NamedTuple):
    """What the plan goes by, of the players whom it is about; higher is better."""

    who: Longs  # positions of these players
    known: Known  # of their pairs, now
    played: Floats  # (player, other): rounds that both have
    size: float  # items of a round
    unit: str  # what a round is
    worlds: Iterator[World]
    run_part: Floats | None = None  # (player, other): of the variance of a difference, by runs
    runs: float = 1.0  # of a player on an item, so far


class _Normal(NamedTuple):
    truth: Floats
    noise: Floats  # (player, column): of a round is noise @ standard normal

    def play(self, count: int, rng: np.random.Generator) -> Rounds:
        off = rng.standard_normal((count, self.noise.shape[1])) @ self.noise.T
        scores = self.truth + off
        return Rounds(count, scores.sum(axis=0), scores.T @ scores)


class _Items(NamedTuple):
    truth: Floats
    scores: Floats  # (cluster, player) around the truth
    weights: Floats  # (cluster,): probabilities
    atoms: Floats  # (2, player): rates of a round in which only this player is right, or wrong
    height: float  # of these

    def play(self, count: int, rng: np.random.Generator) -> Rounds:
        seen = rng.multinomial(count, self.weights).astype(float)
        right, wrong = rng.poisson(count * self.atoms).astype(float)
        sums = seen @ self.scores + self.height * (right - wrong)
        products = (self.scores.T * seen) @ self.scores
        products[np.diag_indices(len(sums))] += self.height**2 * (right + wrong)
        return Rounds(count, sums, products)


def _board_of(
    dt: xr.DataTree, standing: Floats, who: Longs, simulations: int, rng: np.random.Generator
) -> _Board:
    """Read a fit of mean scores: what it knows of these players, and the worlds it may be of.

    Raises
    ------
    LeaderbayesError
        If it has two rounds only.
    """
    arguments = json.loads(dt.attrs["arguments"])
    statistic = arguments.get("statistic", "mean")
    scores = dt["constant_data"].to_dataset()["scores"]
    taken = statistic != "mean" or arguments.get("of", "raw") != "raw"
    least = 4 if taken else 3
    if scores.sizes["round"] < least:
        raise LeaderbayesError(
            f"Fewer than {least} rounds say too little of how much scores vary between rounds to "
            "plan by them."
        )
    # In the order of the posterior.
    scores = scores.sel(player=dt["posterior"]["player"].to_numpy())
    given = dt, scores, standing[:, who], who, simulations, rng
    if statistic != "mean":
        return _of_functionals(*given, statistic)
    if arguments["likelihood"] == "dirichlet":
        return _of_items(*given)
    return _of_rounds(*given, arguments)


def of_scores(
    dt: xr.DataTree, standing: Floats, plans: list[Longs], lengths: Longs,
    asked: list[int] | None, pair: tuple[int, int], prob: float, simulations: int,
    rng: np.random.Generator, *, width: float | None, more_runs: Longs,
) -> Simulated:  # fmt: skip
    """Play on from a fit of mean scores: all of a question, and the widths of a pair's interval.

    Parameters
    ----------
    standing : (draw, player)
        Mean scores, higher is better.
    asked : list of int, optional
        The two players in question; None: the leader, against those whom it is not sure to beat.
    pair : tuple of int
        Whose interval it is.
    """
    who = np.sort(pair) if asked is not None else _rivals(standing, plans[-1], pair, prob)
    board = _board_of(dt, standing, who, simulations, rng)
    # A difference goes by the scores of the two, whoever else plays.
    within = [
        np.arange(len(who)) if asked is not None else np.flatnonzero(np.isin(who, plan))
        for plan in plans
    ]
    seen = np.zeros((simulations, 2, len(plans), len(lengths)))
    for s, world in enumerate(board.worlds):
        seen[s] = _simulate(board.known, world, within, lengths, prob, rng)
    decided, correct = np.moveaxis(seen, 0, -1)
    wide, further, coords = _widths(board, pair, lengths, more_runs, width, prob)
    wide = np.broadcast_to(wide, (len(plans), len(lengths)))
    return Simulated(decided, correct, wide, board.size * board.runs, board.unit, further, coords)


def _rivals(standing: Floats, contested: Longs, pair: tuple[int, int], prob: float) -> Longs:
    """Find the contested players, and others from whom the leader may not stay told apart."""
    behind = (standing[:, [pair[0]]] > standing).mean(axis=0)
    near = np.flatnonzero(behind < 1.0 - _SURE * (1.0 - prob))
    return np.unique(np.concatenate([contested, pair, near]))


def _simulate(
    now: Known, world: World, within: list[Longs], lengths: Longs, prob: float,
    rng: np.random.Generator,
) -> Floats:  # fmt: skip
    """Play on in one world; say whether it is decided and for whom it should (2, plan, length)."""
    m, before = len(world.truth), 0
    best = int(np.argmax(world.truth))
    total = Rounds(0.0, np.zeros(m), np.zeros((m, m)))
    seen = np.zeros((2, len(within), len(lengths)))
    for k, length in enumerate(lengths):
        more = world.play(int(length) - before, rng)
        total = together(total, more)
        before = int(length)
        after = added(now, total)
        for w, at in enumerate(within):
            first = told_apart(Known(*(part[np.ix_(at, at)] for part in after)), prob)
            seen[:, w, k] = first is not None, first is not None and at[first] == best
    return seen


def _of_rounds(
    dt: xr.DataTree, scores: xr.DataArray, standing: Floats, who: Longs, simulations: int,
    rng: np.random.Generator, arguments: dict[str, Any],
) -> _Board:  # fmt: skip
    """Read a fit of mean scores over rounds: what it knows, given the players' scale, is a t."""
    y = sign_of(dt) * scores.transpose("round", "player").to_numpy().astype(float)
    luck, prior = luck_of(arguments["test_fraction"]), prior_of(arguments["prior_scale"])
    each = [part.noise for part in draw_filled(y, _FILLED, luck, prior, rng)]
    covariance = np.mean([noise.covariance for noise in each], axis=0)[np.ix_(who, who)]
    there = np.isfinite(y[:, who]).astype(float)
    played = there.T @ there
    share = 1.0 / np.maximum(played, 1.0) + luck
    if prior is not None:
        gain = drawn(dt, "score_scale").to_numpy() ** 2 * worth(len(y), luck)
        share = share * float((gain / (1.0 + gain)).mean())
    v = of_differences(covariance)
    v = np.maximum(v, 1e-12 * v.max())
    mean = standing.mean(axis=0)
    now = Known(mean[:, None] - mean, share, v, np.full_like(v, each[0].df))
    size, turn = np.linalg.eigh(covariance)
    root = turn * np.sqrt(np.maximum(size, 0.0))
    worlds = _normal(standing, root, each[0].df, simulations, rng)
    return _with_runs(scores, _Board(who, now, played, 1.0, "round", worlds))


def _of_functionals(
    dt: xr.DataTree, scores: xr.DataArray, standing: Floats, who: Longs, simulations: int,
    rng: np.random.Generator, statistic: str,
) -> _Board:  # fmt: skip
    """Read a fit of medians or interquartile means.

    Each further round counts as a normal number, with the covariance that the flat posterior of r
    rounds (for interquartile means of ten times these) has times what they are worth: as many
    rounds make any such statistic normal.
    """
    y = sign_of(dt) * scores.transpose("round", "player").to_numpy()[:, who].astype(float)
    rounds = len(y)
    # With few rounds an interquartile mean varies more than that of many would make it: in some
    # draws a tail has half the mass. So it is taken as if each had been played ten times, by the
    # luck at which their mass is as large. A median's would be a gap of two scores.
    luck = (1.0 / _OFTEN - 1.0) / rounds if statistic == "iqm" else 0.0
    flat = functionals.flat(y, luck, statistic, _FLAT, rng)
    root = np.sqrt((functionals.mass(rounds, luck) + 1.0) / _FLAT) * (flat - flat.mean(axis=0)).T
    # As many columns as players: the same covariance.
    root = np.linalg.qr(root.T, mode="r").T
    v, df = of_differences(root @ root.T), rounds - 1.0
    mean, spread = _moments(standing)
    v = np.where(v > 0.0, v, np.where(spread > 0.0, spread, 1.0))
    share = np.where(spread > 0.0, spread, v) * (df - 2.0) / (df * v)
    now = Known(mean, share, v, np.full_like(v, df))
    worlds = _normal(standing, root, df, simulations, rng)
    return _Board(who, now, np.full_like(v, float(rounds)), 1.0, "round", worlds)


def _normal(
    standing: Floats, root: Floats, df: float, simulations: int, rng: np.random.Generator
) -> Iterator[World]:
    """Yield worlds of normal rounds, whose noise (player, ...) has an unknown scale."""
    for s in _spread(len(standing), simulations):
        yield _Normal(standing[s], root * np.sqrt(df / rng.chisquare(df)))


def _of_items(
    dt: xr.DataTree, scores: xr.DataArray, standing: Floats, who: Longs, simulations: int,
    rng: np.random.Generator,
) -> _Board:  # fmt: skip
    """Read a fit of items, in clusters where there are any."""
    board, (low, high) = items_of(scores)
    sizes = board.sizes
    span, size, n = sign_of(dt) * (high - low), float(sizes.mean()), float(len(sizes))
    height = (high - low) * items.height_of(board) / size
    # The ratio of sums to sizes as a mean of clusters, near where it is; where answers are missing
    # as many are missing later.
    share, moves = items.linear(board)
    y = span * (share + moves / size)[:, who]
    squares, fourth = _powers(y)
    # Of Dirichlet weights, and of the two players' four atoms of Gamma(1/4).
    expected = squares * n / (n + 1.0) + height**2 * 4.0 * items.ATOM / n
    uncertain = (fourth - squares**2) / (n + 1.0) + height**4 * 4.0 * items.ATOM / n**2
    now = known(_moments(standing), (expected, uncertain))
    shrunken = "score_scale" in dt["posterior"].dataset
    worlds: Iterator[World] = (
        _law(y, height, standing[s] if shrunken else None, rng)
        for s in _spread(len(standing), simulations)
    )
    unit = "cluster" if "cluster" in scores.coords else "item"
    return _with_runs(scores, _Board(who, now, np.full_like(squares, n), size, unit, worlds))


def _law(y: Floats, height: float, truth: Floats | None, rng: np.random.Generator) -> _Items:
    """Draw a law of the items, moved to the truth where that is known already."""
    weights = rng.standard_exponential(len(y))
    total = float(weights.sum())
    atoms = rng.standard_gamma(items.ATOM, (2, y.shape[1])) / total
    weights = weights / total
    own = weights @ y + height * (atoms[0] - atoms[1])
    if truth is None:
        return _Items(own, y, weights, atoms, height)
    return _Items(truth, y + truth - own, weights, atoms, height)


def _with_runs(scores: xr.DataArray, board: _Board) -> _Board:
    """Add what is known of repeated runs."""
    if "run_variance" not in scores.coords or scores.attrs.get("runs", 1.0) <= 1.0:
        return board
    of_player = scores["run_variance"].to_numpy()[board.who]
    runs = float(scores.attrs["runs"])
    # Of one run in a round, averaged over runs and the items of a cluster.
    part = (of_player[:, None] + of_player) / (runs * board.size)
    return board._replace(run_part=part, runs=runs)


def _widths(
    board: _Board, pair: tuple[int, int], lengths: Longs, more_runs: Longs, width: float | None,
    prob: float,
) -> tuple[Floats, dict[str, Any], dict[str, Any]]:  # fmt: skip
    """Give the mean widths (length,) of a pair's interval, and further variables and coordinates.

    ``rounds_for_width`` where a width is wanted; where runs are known ``width_runs``,
    ``width_any_runs``, ``run_share``, and ``runs_for_width``.
    """
    first, second = np.searchsorted(board.who, pair)
    now, played = pair_of(board.known, first, second), float(board.played[first, second])
    found: dict[str, Any] = {}
    if width is not None:
        found["rounds_for_width"] = fewest(lambda n: float(expected_width(now, n, prob)), width)
    wide = expected_width(now, lengths, prob)
    part = np.nan if board.run_part is None else float(board.run_part[first, second])
    if not np.isfinite(part):
        return wide, found, {}
    share = share_of(now, part)

    def after(further: float) -> float:
        """Of the same rounds, after further runs."""
        factor = 1.0 - share * further / (board.runs + further)
        return float(expected_width(with_variance(now, played, factor), 0.0, prob))

    found["width_runs"] = "more_runs", [after(float(k)) for k in more_runs]
    found["width_any_runs"] = after(MOST)
    found["run_share"] = share
    if width is not None:
        found["runs_for_width"] = fewest(after, width)
    return wide, found, {"more_runs": more_runs}


def _moments(score: Floats) -> tuple[Floats, Floats]:
    """Give means and variances of the differences of draws (draw, player)."""
    mean = score.mean(axis=0)
    return mean[:, None] - mean, of_differences(np.atleast_2d(np.cov(score.T, bias=True)))


def _powers(y: Floats) -> tuple[Floats, Floats]:
    """Give mean squares and fourth powers of the pairs' differences, around their means."""
    off = y - y.mean(axis=0)
    square, fourth = np.empty((2, y.shape[1], y.shape[1]))
    for i in range(y.shape[1]):
        d = (off[:, [i]] - off) ** 2
        square[i], fourth[i] = d.mean(axis=0), (d**2).mean(axis=0)
    return square, fourth


def _spread(there: int, wanted: int) -> Longs:
    """Choose positions evenly."""
    return np.linspace(0, there - 1, wanted).astype(int)
