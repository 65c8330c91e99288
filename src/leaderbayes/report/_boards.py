"""What the page says of a leaderboard: every number is a public function's."""

from collections.abc import Callable, Hashable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.beside import column_beside
from leaderbayes._answers.compare import p_better
from leaderbayes._answers.draws import scores_of, sign_of, standing_once
from leaderbayes._answers.groups import groups, tied_for_top
from leaderbayes._answers.leaderboard import leaderboard
from leaderbayes._answers.mean_score import decimals_of
from leaderbayes._answers.ranks import rank_probability
from leaderbayes._answers.record import record
from leaderbayes._answers.votes import effects
from leaderbayes._answers.win_probability import win_probability
from leaderbayes._fits.posterior import fitted, is_mean_score, is_of_votes
from leaderbayes._fits.unchanged import unchanged
from leaderbayes._inference.boards import matches_of, remember_matches
from leaderbayes._inference.discrepancy import enough
from leaderbayes._numerics.decimals import decimals
from leaderbayes.report._goodness import bars, checked_fit, goodness
from leaderbayes.report._scores import behind, has_items, pairs_of_scores, quantity_of
from leaderbayes.report._style import distinct, number, percent
from leaderbayes.report._ties import ties
from leaderbayes.report._verdicts import data, interval, probability, settings, span, verdict
from leaderbayes.report._votes import data_of_votes, rows_of_effects
from leaderbayes.report._words import OF_MATCHES, OF_VOTES, Words, of_scores_called
from leaderbayes.study._compare import compared, odd_players
from leaderbayes.study._strengths import Strengths, side_by_side, summary_of
from leaderbayes.study._tournaments import fits_of

_GROUPS = ("posterior_predictive", "constant_data")  # what a page needs beside posterior
_READ = {"posterior", "observed_data", *_GROUPS}  # of a study's store
SCALE = 100_000  # probabilities travel to the page as whole numbers of this
_MANY = 20  # boards of a study; of more the p-value of the check is the fit's own
_LONGEST = 22  # characters of a name beside a chart
_DIGIT = 0.048  # of an axis, the width of a digit below it
_OVER_ALL = "All tournaments"


def boards(
    dt: xr.DataTree, prob: float, top: int
) -> tuple[list[dict[str, Any]], list[dict[str, Any]] | None]:
    """Describe each leaderboard of a fit, of a fit of many tournaments, or of a study.

    And tournaments beside each other; None of a single one.

    Raises
    ------
    LeaderbayesError
        If it is none of them.
    """
    of_study = "posterior" not in dt.children
    many = of_study and len(dt.children) > _MANY
    several = of_study or _of_several(dt)
    described: list[dict[str, Any]] = []
    rows: list[dict[str, Any]] = []
    strengths: dict[str, Strengths] = {}
    for k, (name, fit) in enumerate(_fits(dt)):
        # Answers to one fit ask for its matches again and again.
        with unchanged():
            described.append(_board(name, fit, prob, top, many=many))
            if several and (of_study or k > 0):
                strengths[name] = summary_of(*standing_once(fit))
                own = {"board": k, "fit": described[-1]["fit"]}
                rows.append(compared(name, fit, prob=prob) | own)
    if not several:
        return described, None
    if any("lead" in row for row in rows):  # in units that need not be the same
        return described, [_beside(row) for row in rows]
    odd = odd_players(side_by_side(strengths))
    return described, [_beside(row | other) for row, other in zip(rows, odd, strict=True)]


def _of_several(dt: xr.DataTree) -> bool:
    """Say whether this fit, which is no study, is of several tournaments."""
    return bool({"epp_tournament", "score_tournament"} & set(dt["posterior"].data_vars))


def _beside(row: dict[str, Any]) -> dict[str, Any]:
    """Describe a tournament beside others: whose lead it is, or who is odd there."""
    best = row | {"best": probability(row["p_best"])}
    if "lead" in row:
        digits = decimals([row["lead_upper"] - row["lead_lower"]])
        ends = interval(row["lead_lower"], row["lead_upper"], digits)
        return best | {"by": number(row["lead"], digits), "by_interval": ends}
    odd = f"{row['odd_player']} ({number(row['odd_z'], 1)})"
    return best | {"odd": "" if np.isnan(row["odd_z"]) else odd}


def _fits(dt: xr.DataTree) -> Iterator[tuple[str, xr.DataTree]]:
    if "posterior" not in dt.children:
        for name, fit in fits_of(dt):
            _check(fit)
            # A study's values are read from its store each time they are used.
            read = xr.DataTree()
            read.children = {
                group: xr.DataTree(each.to_dataset().load())
                for group, each in fit.children.items()
                if group in _READ
            }
            read.attrs, read.encoding = fit.attrs, fit.encoding
            yield name, read
        return
    _check(dt)
    if not _of_several(dt):
        yield str(dt.attrs.get("tournament", "")), dt
        return
    yield _OVER_ALL, dt
    yield from fits_of(dt)


def _check(fit: xr.DataTree) -> None:
    """Raise unless a fit has what its board is described by."""
    if is_mean_score(fit):
        fitted(fit, "constant_data", of="score", arguments=("prior_scale",))
    else:
        fitted(fit, *_GROUPS)


def _board(name: str, fit: xr.DataTree, prob: float, top: int, *, many: bool) -> dict[str, Any]:
    of_scores, of_votes = is_mean_score(fit), is_of_votes(fit)
    words = OF_VOTES if of_votes else OF_MATCHES
    if of_scores:
        words = of_scores_called(*quantity_of(fit))
    found = effects(fit, prob) if of_votes else None
    if not of_scores and not of_votes:
        remember_matches(fit)
    table = leaderboard(fit, prob=prob)
    shown = table["player"].iloc[:top]
    leader, *others = tied_for_top(fit, prob=prob)
    less = "score" in table and sign_of(fit) < 0.0  # is better
    few = _few(fit, shown)
    if of_scores:
        own = _of_scores(fit, table, shown, prob)
    else:
        own = _of_matches(fit, few, prob, many=many)
    fits = own.pop("fit")
    common = {
        "name": name,
        "players": [str(player) for player in shown],
        "labels": _labels(shown),
        "prob": prob,
        "verb": words.verb,
        "better": _upper(_whole, p_better(few)),
        "record": _record(fit, shown, prob),
        **_ranks(fit, shown),
    }
    return {
        "name": name,
        "size": len(table),
        "shown": len(shown),
        "words": words,
        # The way that headings sort first: the best on top.
        "best_way": "asc" if of_scores and less else "desc",
        "second_way": "asc" if less and not of_scores else "desc",
        **_rows(fit, table, prob, {leader, *others}, words),
        "lead": {"leader": leader, "others": others, "best": probability(table["p_best"].iloc[0])},
        "disagreement": table.attrs.get("disagreement", ""),
        "fit": fits,
        "verdict": verdict(fit.attrs, None if fits is None or not fits["known"] else fits["kind"]),
        "effects": [] if found is None else rows_of_effects(found),
        "data": data_of_votes(fit)
        if of_votes
        else data(fit["constant_data"].to_dataset()["scores"], items=of_scores and has_items(fit)),
        "settings": settings(fit.attrs),
        "model": "votes" if of_votes else str(fit.attrs["model"]),
        "numbers": common | own,
    }


def _of_matches(fit: xr.DataTree, few: xr.DataTree, prob: float, *, many: bool) -> dict[str, Any]:
    """Give the check of fit, and what the page's script reads of matches alone, some players'."""
    of_votes = is_of_votes(fit)
    what = "vote" if of_votes else "round"
    if "epp_tournament" in fit["posterior"]:
        what = "tournament"
    scope = f"in a new {what}"
    if fit.attrs["model"] == "davidson":
        scope += ", given that they do not tie,"
    checked = checked_fit(fit, enough(fit["posterior"].sizes["player"]), many=many)
    fits = goodness(fit, checked)
    wins = win_probability(few, prob=prob)
    return {
        "fit": fits,
        "scope": scope,
        "win": _upper(_whole, wins["mean"]),
        "lower": _upper(_whole, wins["lower"]),
        "upper": _upper(_whole, wins["upper"]),
        "own": "votes" if of_votes else "matches",
        "says": "say",
        "fits": fits["kind"] != "bad",
        **bars(checked),
    }


def _of_scores(
    fit: xr.DataTree, table: pd.DataFrame, shown: pd.Series, prob: float
) -> dict[str, Any]:
    """Give what the page's script reads of mean scores alone, of which there is no check of fit."""
    return {
        "fit": None,
        **pairs_of_scores(fit, table, shown, prob),
        "quantity": quantity_of(fit)[0],
        "own": "items" if has_items(fit) else "rounds",
        "says": "say that it wins another with probability",
        "fits": True,
    }


def _rows(
    fit: xr.DataTree, table: pd.DataFrame, prob: float, tied: set[str], words: Words
) -> dict[str, Any]:
    """Give rows of the table, and ticks of the axis on which its intervals are drawn (percent)."""
    inner = _inner(fit, table, prob / 2.0)
    tied_groups = groups(fit, prob=prob)
    group = tied_groups.groupby("player")["group"]
    bars, lanes = ties(tied_groups, table)
    won = _won(fit)
    # A group is a run of the table, so that a player's are numbered one after another.
    member = dict(zip(group.min().index, zip(group.min(), group.max(), strict=True), strict=True))
    mean, low, high = (f"{words.column}{end}" for end in ("", "_lower", "_upper"))
    axis = Axis(float(table[low].min()), float(table[high].max()))
    digits, apart = decimals_of(table) if words.column == "score" else (2, 2)
    column, decimals = column_beside(table) or ("", 0)
    rows = [
        {
            **keyed(row),
            "player": str(row["player"]),
            "tied": str(row["player"]) in tied,
            "group": span(*member[str(row["player"])]),
            "first_group": member[str(row["player"])][0],
            "last_group": member[str(row["player"])][1],
            "ranks": span(row["rank_lower"], row["rank_upper"]),
            "value": row[mean],
            "text": number(row[mean], digits),
            "interval": interval(row[low], row[high], digits),
            "best": probability(row["p_best"]),
            **(
                behind(row, apart)
                if words.column == "score"
                else {
                    "other": probability(row["p_average"]),
                    "other_value": row["p_average"],
                    "beside": "",
                }
            ),
            "second": number(row[column], decimals) if column else "",
            "second_value": row.get(column),
            "won": percent(won[str(row["player"])]) if won else "",
            "won_value": won.get(str(row["player"])),
            "bars": path,
            "votes": f"{row['votes']:,.6g}" if "votes" in row else "",
            "both_bad": percent(row["both_bad"]) if "both_bad" in row else "",
            "at": axis(row[mean]),
            "outer": (axis(row[low]), axis(row[high])),
            "inner": (axis(half[0]), axis(half[1])),
        }
        for row, half, path in zip(table.to_dict("records"), inner, bars, strict=True)
    ]
    line = float(table[mean].iloc[0]) if words.column == "score" else 0.0
    return {
        "rows": rows,
        "ticks": axis.ticks(5 if words.narrow else 6),
        "widest": widest(rows),
        "zero": axis(line),
        "second": bool(column),
        "lanes": lanes,
        "won": bool(won),
    }


def _inner(fit: xr.DataTree, table: pd.DataFrame, prob: float) -> list[tuple[float, float]]:
    """Give each row's interval of another probability, as `leaderboard` does."""
    draws, players = scores_of(fit) if is_mean_score(fit) else standing_once(fit)
    low, high = np.quantile(draws, [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0], axis=0)
    at = players.get_indexer(pd.Index(table["player"]))
    return list(zip(low[at].tolist(), high[at].tolist(), strict=True))


def _won(fit: xr.DataTree) -> dict[str, float]:
    """Give the share of its matches that each player won; of several tournaments there is none."""
    if is_mean_score(fit) or "epp_tournament" in fit["posterior"]:
        return {}
    board = matches_of(fit)
    wins, n = (board[name].transpose("player", "opponent").to_numpy() for name in ("wins", "n"))
    share = wins.sum(axis=1) / n.sum(axis=1).clip(min=1)
    return dict(zip(map(str, board["player"].to_numpy()), share.tolist(), strict=True))


def keyed(row: dict[Hashable, Any]) -> dict[str, Any]:
    """Take a record of a table, whose columns are called by strings."""
    return {str(name): value for name, value in row.items()}


class Axis:
    """Places, in percent, of values between two ends with some room beside them."""

    def __init__(self, low: float, high: float) -> None:
        room = 0.04 * (high - low) or 0.5
        self.low, self.high = low - room, high + room

    def __call__(self, value: float) -> float:
        """Place a value."""
        return round(100.0 * (value - self.low) / (self.high - self.low), 2)

    def ticks(self, most: int = 6) -> list[tuple[float, str]]:
        """Give a few round values and their places: the fewer, the wider they are written."""
        width = (self.high - self.low) / most
        unit = 10.0 ** np.floor(np.log10(width))
        step = next(unit * k for k in (1.0, 2.0, 5.0, 10.0) if unit * k >= width)
        digits = max(0, -int(np.floor(np.log10(step))))
        values = step * np.arange(np.ceil(self.low / step), np.floor(self.high / step) + 1)
        labels = [number(value, digits) for value in values]
        # With a digit's room beside each.
        widest = _DIGIT * (max(map(_width, labels)) + 1.0) * (self.high - self.low)
        if most > 2 and step < widest:
            return self.ticks(most - 1)
        return [(self(value), label) for value, label in zip(values, labels, strict=True)]


def widest(rows: list[dict[str, Any]]) -> float:
    """Give the width, in digits, of the widest value, bold, with its interval, which is smaller."""
    return max(1.1 * _width(row["text"]) + 0.9 * _width(row["interval"]) for row in rows)


def _width(text: str) -> float:
    """Give the width of numbers in digits: points, spaces and the letters of "to" are narrow."""
    return sum(0.5 if letter in ". to" else 1.0 for letter in text)


def _labels(players: pd.Series) -> list[str]:
    """Shorten names for the charts, which must differ and hold no control characters."""
    half = _LONGEST // 2 - 1
    texts = ("".join(c if c.isprintable() else "·" for c in str(p)) or "·" for p in players)
    return distinct(t if len(t) <= _LONGEST else f"{t[:half]}…{t[-half:]}" for t in texts)


def _whole(values: Any) -> list[Any]:
    """Write probabilities as whole numbers."""
    whole: list[Any] = np.round(np.asarray(values) * SCALE).astype(int).tolist()
    return whole


def _few(fit: xr.DataTree, shown: pd.Series) -> xr.DataTree:
    """Keep what pairs of these players rest on: no need for those of all pairs."""
    names = shown.to_numpy()
    posterior = fit["posterior"].to_dataset()
    wanted = ("epp", "epp_spread", "score", "score_spread")
    strengths = [name for name in wanted if name in posterior]
    kept = {"posterior": posterior[strengths].sel(player=names)}
    if is_mean_score(fit):
        data = fit["constant_data"].to_dataset()
        kept["constant_data"] = data.sel(
            {dim: names for dim in ("player", "opponent") if dim in data.dims}
        )
    few = xr.DataTree.from_dict(kept)
    few.attrs = fit.attrs
    return few


def _upper(write: Callable[[Any], list[Any]], pairs: xr.DataArray) -> list[Any]:
    """Write the values of pairs, the higher-placed player first; the page turns them round."""
    return write(pairs.to_numpy()[np.triu_indices(len(pairs), 1)])


def _record(fit: xr.DataTree, shown: pd.Series, prob: float) -> dict[str, Any] | None:
    """Give what each pair's own matches say, as `_upper`; of a new tournament there are none."""
    if {"epp_tournament", "score_tournament"} & set(fit["posterior"].data_vars):
        return None
    names = list(shown)
    own = record(fit, prob, names)
    return {
        **{name: _upper(_whole, own[name]) for name in ("mean", "lower", "upper")},
        **{
            name: _upper(np.ndarray.tolist, own[name].round(3))
            for name in ("won", "tied", "played")
        },
    }


def _ranks(fit: xr.DataTree, shown: pd.Series) -> dict[str, Any]:
    """Give probabilities of ranks, up to the last that one of these players can have."""
    share = rank_probability(fit).sel(player=shown.to_numpy())
    last = int(share.any("player").to_numpy().nonzero()[0].max()) + 1
    share = share.isel(rank=slice(last))
    return {
        "rank": _whole(share),
        "top": _whole(share.cumsum("rank")),
    }
