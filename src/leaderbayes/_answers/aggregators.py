"""What other ways to sum a board up say of who leads, and why they differ."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from scipy.stats import rankdata

from leaderbayes._answers.beside import of_scale
from leaderbayes._answers.draws import by_mean, standing_of
from leaderbayes._answers.standing import LEVEL, standing_by, statistic_of, unit_of
from leaderbayes._answers.vote_estimates import parted
from leaderbayes._fits.posterior import is_mean_score, is_of_votes
from leaderbayes._inference.boards import matches_of
from leaderbayes._inference.kept_votes import kept_rows, kept_votes
from leaderbayes._numerics.bradley_terry import newton
from leaderbayes._numerics.decimals import decimals, two_digits
from leaderbayes._numerics.elo import ratings
from leaderbayes._numerics.places import places
from leaderbayes._numerics.plackett_luce_fit import fit_rankings
from leaderbayes._numerics.votes import maximum
from leaderbayes._scores.vote_matches import weights_of
from leaderbayes._types import Floats

TOP = 5  # players that are compared as a set
_LARGEST = 200  # players that are ranked by Plackett-Luce, which takes long of more
_K = 16.0  # of Elo, as `elo` has it
_NAMES = {"davidson": "Davidson", "round_intercept": "PMRA"}  # of votes, beside EPP
_PLAIN = {
    "Davidson": "it takes ties for half wins, and ",
    "PMRA": "it takes all judges to favour whoever is first alike, and ",
}


class Board(NamedTuple):
    """What aggregators see of scores."""

    y: Floats  # (round, player), higher is better, NaN of none
    raw: Floats  # (round, player), as they are read


def aggregators(dt: xr.DataTree) -> xr.Dataset:
    """Rank the players of a fit by other aggregators than its own.

    Returns
    -------
    Dataset
        ``value`` (aggregator, player), in the aggregator's unit, NaN where it has none; ``rank``,
        1 is best, ties share the lowest; ``leader``, ``same_leader`` (0 or 1), ``top_differs``
        (how many of the fit's top are not in the aggregator's), ``why`` (aggregator), a sentence
        where another leads. attrs: ``leader`` (of the fit), ``top`` (how many are compared).
    """
    draws, players = standing_of(dt)
    order = by_mean(draws)
    if is_of_votes(dt):
        values, reasons = _of_votes(dt)
    else:
        values, reasons = _of_scores(dt, players)
    size = min(TOP, len(players) - 1)
    mine = int(order[0])
    rows: dict[str, list[Any]] = {
        name: [] for name in ("rank", "leader", "same_leader", "top_differs", "why")
    }
    for name, (value, better) in values.items():
        known = np.where(np.isnan(value), -np.inf, better * value)
        level = LEVEL * float(np.ptp(known[np.isfinite(known)]))
        # Levels that differ by rounding errors are one.
        steps = np.append(False, np.diff(np.sort(known)) > level)
        ties = np.cumsum(steps)[np.argsort(np.argsort(known, kind="stable"), kind="stable")]
        rank = rankdata(-ties, method="min")
        best = int(np.argmin(np.where(np.arange(len(rank)) == mine, rank - 0.5, rank)))
        top = rank <= np.sort(rank)[size - 1]
        rows["rank"].append(rank)
        rows["leader"].append(str(players[best]))
        rows["same_leader"].append(int(best == mine))
        rows["top_differs"].append(int((~top[order[:size]]).sum()))
        rows["why"].append("" if best == mine else reasons(name, mine, best, value))
    names = list(values)
    return xr.Dataset(
        {
            "value": (("aggregator", "player"), np.stack([v for v, _ in values.values()])),
            "rank": (("aggregator", "player"), np.stack(rows.pop("rank")).astype(int)),
            **{name: ("aggregator", each) for name, each in rows.items()},
        },
        {"aggregator": names, "player": players.to_numpy()},
        {"leader": str(players[mine]), "top": size},
    ).isel(player=order)


Reasons = Callable[[str, int, int, Floats], str]


def board_seen(dt: xr.DataTree) -> Board:
    """Take a fit's scores, higher is better; of several tournaments each one's means."""
    scores = dt["constant_data"].to_dataset()["scores"]
    if "tournament" in scores.dims:
        scores = scores.mean("round", keep_attrs=True).rename(tournament="round")
    scores = scores.transpose("round", "player")
    raw = scores.to_numpy().astype(float)
    sign = 1.0 if scores.attrs.get("higher_is_better", 1) else -1.0
    return Board(sign * raw, raw)


def _of_scores(
    dt: xr.DataTree, players: pd.Index
) -> tuple[dict[str, tuple[Floats, float]], Reasons]:
    board = board_seen(dt)
    names = dt["constant_data"].dataset["scores"]["player"].to_numpy()
    at = pd.Index(names).get_indexer(players)
    y, raw = board.y[:, at], board.raw[:, at]
    there = np.isfinite(y)
    turned = -1.0 if not np.array_equal(y[there], raw[there]) else 1.0
    place = places(y, higher_is_better=True, within_round=True)
    points = _points(y)
    met = np.where(there, there.sum(axis=1, keepdims=True) - 1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        values: dict[str, tuple[Floats, float]] = {
            "mean": (turned * statistic_of(y, "mean"), turned),
            "median": (np.nanmedian(raw, axis=0), turned),
            "mean rank": (np.nanmean(_ranks(y), axis=0), -1.0),
            "win rate": (np.nansum(points, axis=0) / met.sum(axis=0), 1.0),
            "Borda": (np.nansum(points, axis=0), 1.0),
            "EPP": (_epp(dt, players), 1.0),
        }
    if len(players) <= _LARGEST:
        values["Plackett-Luce"] = (
            fit_rankings(place, pseudo_rounds=1.0, matrix=True).epp,
            1.0,
        )
    if raw[there].min() > 0.0:
        values["geometric mean"] = (np.exp(statistic_of(np.log(raw), "mean")), turned)
    values = {name: each for name, each in values.items() if np.isfinite(each[0]).any()}

    def reasons(name: str, mine: int, other: int, value: Floats) -> str:
        return _why_of_scores(name, (y, raw), (mine, other), value, players)

    return values, reasons


def _points(y: Floats) -> Floats:
    """Give who is beaten in a round, ties half (round, player)."""
    out = np.full_like(y, np.nan)
    for row, own in zip(out, y, strict=True):
        seen = np.isfinite(own)
        row[seen] = rankdata(own[seen]) - 1.0
    return out


def _ranks(y: Floats) -> Floats:
    """Rank in each round, 1 is best, ties share the middle (round, player)."""
    return np.asarray(np.isfinite(y).sum(axis=1, keepdims=True) - _points(y))


def _epp(dt: xr.DataTree, players: pd.Index) -> Floats:
    """Estimate strengths of all rounds."""
    if not is_mean_score(dt):
        standing = standing_by(dt, unit_of(dt))
        own = standing.strengths(np.ones(len(standing.names), dtype=bool))
        return np.asarray(own[standing.players.get_indexer(players)])
    board = matches_of(dt, [str(p) for p in players])
    wins, n = board["wins"].to_numpy(), board["n"].to_numpy()
    return newton(wins.sum(axis=1), n.astype(float), pseudo_rounds=1.0)[0]


def _why_of_scores(
    name: str, board: tuple[Floats, Floats], pair: tuple[int, int], value: Floats, players: pd.Index
) -> str:
    """Say why the aggregator puts the second of the pair before the first."""
    y, raw = board
    mine, other = pair
    a, b = (str(players[i]) for i in pair)
    both = np.isfinite(y[:, mine]) & np.isfinite(y[:, other])
    ahead = y[both, mine] - y[both, other]
    won, lost = ahead[ahead > 0.0], -ahead[ahead < 0.0]
    digits = decimals([abs(value[other] - value[mine])])
    shown = f"{value[other]:.{digits}f} against {value[mine]:.{digits}f}"
    record = _record(a, len(ahead), won, lost)
    if name == "Borda" and not np.isfinite(y[:, mine]).all():
        missing = int((~np.isfinite(y[:, mine])).sum())
        return f"{b} has {shown}: Borda gives {a} nothing for {missing} rounds without a score"
    if name == "median":
        return f"{b} has {shown}: a median goes by the middle round alone; {record}"
    if name == "geometric mean":
        low, less = (two_digits(float(np.nanmin(raw[:, i]))) for i in pair)
        lowest = "" if low == less else f" (the lowest are {less} of {b} and {low} of {a})"
        return f"{b} has {shown}: it goes by ratios, and by scores near 0 most{lowest}; {record}"
    if name == "mean":
        return f"{b} has {shown}: it counts by how much; {record}{of_scale(y).rstrip('.')}"
    if name in ("EPP", "Plackett-Luce"):
        return f"{b} has {shown}: it counts who beat whom; {record}"
    return f"{b} has {shown}: it counts all matches alike, whoever they were against; {record}"


def _record(a: str, rounds: int, won: Floats, lost: Floats) -> str:
    """Say how often, and by how much, the fit's leader is before the other."""
    if not rounds:
        return f"{a} and it share no round"
    tied = rounds - len(won) - len(lost)
    by = f", by {two_digits(won.mean())} on average" if len(won) else ""
    ties = f" ties {tied}," if tied else ""
    less = f", by {two_digits(lost.mean())}" if len(lost) else ""
    return f"{a} wins {len(won)} of their {rounds} rounds{by},{ties} and loses {len(lost)}{less}"


def _of_votes(dt: xr.DataTree) -> tuple[dict[str, tuple[Floats, float]], Reasons]:
    kept, _ = kept_votes(dt)
    players = standing_of(dt)[1]
    board = matches_of(dt, [str(p) for p in players])
    if "tournament" in board.dims:
        board = board.sum("tournament")
    wins, n, tied = (board[name].to_numpy() for name in ("wins", "n", "tied"))
    own = parted(dt)
    with np.errstate(invalid="ignore", divide="ignore"):
        rate = wins.sum(axis=1) / n.sum(axis=1)
        pairs = np.where(n > 0.0, wins / n, np.nan)
    at = pd.Index(kept["player"].to_numpy()).get_indexer(players)
    model = _NAMES.get(dt.attrs["model"], "")
    rows = kept_rows(dt).votes
    strengths = {"EPP": maximum(rows, own.penalty).epp[at]}
    if model:
        strengths[model] = maximum(rows, own.penalty, tie=True).epp[at]
    weight = weights_of(kept)
    first, second = (kept[name].to_numpy().astype(np.int64) for name in ("first", "second"))
    rated = ratings(
        first, second, kept["outcome"].to_numpy(), weight, _sequence(kept), len(players), _K
    )
    values = {
        "win rate": (rate, 1.0),
        "Borda": (np.nanmean(pairs, axis=1), 1.0),
        **{name: (value, 1.0) for name, value in strengths.items()},
        "Elo": (1500.0 + rated[at], 1.0),
    }

    def reasons(name: str, mine: int, other: int, value: Floats) -> str:
        a, b = (str(players[i]) for i in (mine, other))
        digits = decimals([abs(value[other] - value[mine])])
        shown = f"{b} has {value[other]:.{digits}f} against {value[mine]:.{digits}f}"
        met, ties = float(n[mine, other]), float(tied[mine, other])
        won = f"{float(wins[mine, other]) - ties / 2:g}{f' and tied {ties:g}' if ties else ''}"
        record = f"of their {met:g} votes {a} won {won}" if met > 0.0 else "they have never met"
        why = {
            "win rate": "it does not ask against whom, and the weaker the opponents, the higher",
            "Borda": "it counts every opponent alike, however few the votes are",
            "Elo": "it goes by the order of the votes, and by the last most",
            "EPP": f"{_PLAIN.get(model, '')}it has no opinions of judges and no prior",
        }.get(name, "it has no opinions of judges and no prior")
        return f"{shown}: {why}; {record}"

    return values, reasons


def _sequence(kept: xr.Dataset) -> np.ndarray:
    """Order votes by their time, if all have one, else as they stand."""
    if "time" in kept.coords and not np.isnan(time := kept["time"].to_numpy()).any():
        return np.argsort(time, kind="stable")
    return np.arange(kept.sizes["vote"])


def said_of(table: xr.Dataset) -> str:
    """Say which aggregators disagree."""
    leader, size = table.attrs["leader"], table.attrs["top"]
    names = [str(name) for name in table["aggregator"].to_numpy()]
    same = table["same_leader"].to_numpy() == 1
    agree = [name for name, is_so in zip(names, same, strict=True) if is_so]
    if len(agree) == len(names):
        by = f" by every one of {len(names)} aggregators ({', '.join(names)})"
    else:
        by = f" by {', '.join(agree)}" if agree else " by the model alone"
    rank = table["rank"].to_numpy()
    shared = (rank == 1).sum(axis=1) > 1
    level = [name for name, is_so, two in zip(names, same, shared, strict=True) if is_so and two]
    if level:
        others = "all" if len(level) == len(names) else ", ".join(level)
        by += f", level with others by {others}"
    said = [f"{leader} leads{by}."]
    if len(agree) < len(names):
        for name, is_so, why in zip(names, same, table["why"].to_numpy(), strict=True):
            if not is_so:
                said.append(f"By {name} another does: {why}.")
    differs = {
        name: int(count)
        for name, count in zip(names, table["top_differs"].to_numpy(), strict=True)
        if count
    }
    if differs:
        listed = ", ".join(f"{name} ({count})" for name, count in differs.items())
        said.append(f"The top {size} has others by {listed}.")
    else:
        said.append(f"The top {size} are the same by all.")
    return " ".join(said)
