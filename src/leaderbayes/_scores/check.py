"""What is no score in a table: all of it is refused at once, with the call that reads the rest."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from leaderbayes._errors import ScoresError, warn
from leaderbayes._scores import names
from leaderbayes._scores.belongs import by_name, by_number, is_ranking, is_summary, summaries
from leaderbayes._scores.cells import OF_SCORES, as_names, is_text
from leaderbayes._scores.metrics import is_metric, more_is_better, words
from leaderbayes._scores.roles import (
    Long,
    Wide,
    are_answered,
    broken_columns,
    recognise,
    stacked,
)
from leaderbayes._scores.tables import (
    ANSWERS,
    MISSING,
    Asked,
    Table,
    bare_number,
    is_number,
    listed,
    shown,
    suggest,
    text_of,
)
from leaderbayes._types import Floats

_MOST = 200_000  # rankings
_SUMMED = "a summary of the others"
_MEANS = {"mean", "average", "avg", "median"}


class Direction(NamedTuple):
    """Whether more is better, why it is unknown, and what to warn of."""

    better: bool
    losses: str = ""
    warning: str = ""


def metrics_in(wide: Wide) -> list[str]:
    """List the columns that may be metrics; players have words of losses in names by chance."""
    all_losses = all(more_is_better(name, score=False) is False for name in wide.columns)
    every = wide.role == "round" or all_losses
    return [name for name in wide.columns if every or is_metric(name)]


def checked(wide: Wide, asked: Asked) -> Long:
    """Refuse what is no score in a wide table, all at once, or name it: LB051."""
    wide = _each_voter(wide, asked)
    table, role = wide.table, wide.role
    labels = [name for of in wide.labels.values() for name in of.unique()]
    if not wide.columns:
        table.refuse(f"no columns are left for the {role}s.")
    for labels_of in wide.labels.values():
        if len(wide.columns) > 2 and set(labels_of) == {*wide.columns} - set(asked.keep):
            table.refuse(
                "rows and columns have the same names, as in a table of pairs. To use numbers of "
                "wins: wins.rename_axis('winner').rename_axis(columns='loser').stack()"
                ".rename('n_votes').reset_index(). If they are scores, rename the columns."
            )
    for name in asked.keep:
        if name not in (*wide.columns, *labels):
            known = suggest(name, [*wide.columns, *labels])
            table.refuse(f"keep={shown(name)}: no such column or row; {known}")
    said = by_name(table, wide.columns, role)
    said = {name: why for name, why in said.items() if name not in asked.keep}
    rows = {name: _SUMMED for name in labels if is_summary(name)}
    broken: dict[str, ScoresError] = {}
    key = ""
    rest = [c for c in wide.columns if c not in said]
    try:
        long, found = stacked(wide._replace(columns=rest))
    except ScoresError:
        text = [] if are_answered(table, wide.columns) else [c for c in rest if c not in asked.keep]
        text = [c for c in text if is_text(table.frame[c])]
        # Where all are text, some cell is not written as a number.
        text = text if len(text) < len(rest) else []
        rest = [c for c in rest if c not in text]
        key = _key(wide, text, rest, asked)
        said |= {c: "tells rows of one name apart" if c == key else "text" for c in text}
        wide, unread = _without_text(wide._replace(columns=rest))
        rows |= dict.fromkeys(unread, "text")
        broken = broken_columns(wide)
        rest = [c for c in rest if c not in broken]
        if not rest and not said:
            raise
        long, found = stacked(wide._replace(columns=rest))
    metrics = metrics_in(wide._replace(columns=rest))
    if asked.better is None and (turned := _turned({*metrics} - {*asked.keep})):
        said |= turned
        rest, metrics = ([c for c in of if c not in said] for of in (rest, metrics))
        long, found = stacked(wide._replace(columns=rest))
    # Scores are of the metric whose mean stands beside them.
    means = [name for name in (*said, *asked.drop) if not _MEANS.isdisjoint(words(name))]
    direction = direction_of(table, found, [*labels, *metrics, *means], asked.better)
    x = long["score"].to_numpy(float).reshape(len(rest), len(wide.table.frame)).T
    places = of_places(x if role == "player" else x.T)
    if places and asked.better is None and not direction.losses:
        direction = direction._replace(better=False, losses=places)
    numbers = partial(by_number, gains=direction.better)
    some = slice(0 if places else None)  # places have no levels
    refused, named = numbers(x[:, some], mixed=bool(said or rows))
    odd = {}
    if "tournament" not in wide.labels:
        other = "round" if role == "player" else "player"
        of = wide.labels[other].to_numpy()
        y = x[:, [j for j in range(len(rest)) if j not in refused]].T
        rows |= {of[k]: _SUMMED for k in summaries(y)}
        far, _ = numbers(y[:, some], mixed=bool(rows))
        odd = {of[k]: f"{other} {shown(of[k])}: {why}" for k, why in far.items()}
        rows |= {of[k]: why for k, why in far.items() if rows and of[k] not in rows}
        if rows:
            x = x[[name not in rows for name in of], some]
            refused, named = numbers(x, mixed=True)
    said |= {rest[j]: why for j, why in refused.items() if rest[j] not in asked.keep}
    odd = {rest[j]: f"{role} {shown(rest[j])}: {why}" for j, why in named.items()} | odd
    rows = {name: why for name, why in rows.items() if name not in asked.keep}
    odd = {name: why for name, why in odd.items() if name not in (*rows, *asked.keep)}
    problems = Problems(
        said, rows, direction.losses, [*broken.values()], wide, key, [*odd.values()]
    )
    refuse(table, asked, problems)
    if broken:
        first, *others = (str(problem) for problem in broken.values())
        each = [it.removeprefix(f"{table.where}: ") for it in others[:5]]
        each = [it.split(", which is not a number")[0].split(f"; {OF_SCORES}")[0] for it in each]
        raise ScoresError(first + (f" Also: {'; '.join(each)}." if each else ""))
    if odd:
        warn(
            f"LB051 {table.where}: {'; '.join(odd.values())}. If it is not a score, use "
            f"{asked.call(drop=(*asked.drop, *odd))}; otherwise keep={[*odd]} (--keep)."
        )
    return long, found


def _turned(metrics: Iterable[str]) -> dict[str, str]:
    """Find the columns of a metric of which less is better, if more is of most, or the reverse."""
    less, more = (
        [name for name in sorted(metrics) if more_is_better(name, score=False) is of]
        for of in (False, True)
    )
    fewer, better = (more, "higher") if len(more) < len(less) else (less, "lower")
    mixed = less and more and len(less) != len(more)
    return dict.fromkeys(fewer, f"{better} is better, unlike elsewhere") if mixed else {}


def _key(wide: Wide, text: Sequence[str], rest: Sequence[str], asked: Asked) -> str:
    """Find the text that tells rows of one name apart; refuse a long table."""
    frame, found = wide.table.frame, [*wide.found.values()]
    named = [c for c in frame if c in text or (c in found and is_text(frame[c]))]
    named.sort(key=lambda name: name in found and name != wide.question)
    if wide.role == "player" and text and len(rest) == 1 and len(named) > 1:
        run = wide.found["round"]
        roles = {"player": named[0], "round": named[1], "score": rest[0]}
        roles |= {"repeat": run} if run in frame and run not in named else {}
        wide.table.refuse(
            f"column {shown(rest[0])} alone holds numbers, as in a long table. Name the columns of "
            f"players, rounds and scores, for example {asked.call(**roles)}."
        )
    if "tournament" not in wide.labels or wide.found["round"] != "row":
        return ""
    of = wide.labels["tournament"]
    held = {c: [text_of(cell) for cell in frame[c]] for c in text}
    keys = [c for c in text if len({*zip(of, held[c], strict=True)}) == len(of)]
    return min(keys, key=lambda c: len({*held[c]}), default="")


def _without_text(wide: Wide) -> tuple[Wide, list[str]]:
    """Leave out rows without a number, such as wins and losses; return their names, too."""
    frame = wide.table.frame
    holds = np.array([[_holds(cell) for cell in frame[c]] for c in wide.columns])
    text = (holds == "text").any(axis=0) & ~(holds == "number").any(axis=0)
    if text.mean() > 0.5 or "tournament" in wide.labels:
        return wide, []
    labels = {role: of[~text] for role, of in wide.labels.items()}
    (of,) = (wide.labels[role] for role in ("round", "player") if role in wide.labels)
    table = wide.table._replace(frame=frame[~text])
    return wide._replace(table=table, labels=labels), [*of[text]]


def _holds(cell: object) -> str:
    """Whether a cell holds nothing, a number or an answer, or other text."""
    bare = bare_number(text_of(cell).lower())
    if bare in {*MISSING, "<na>", "nat"}:
        return ""
    return "number" if bare in ANSWERS or is_number(bare.replace(",", ".")) else "text"


def _each_voter(wide: Wide, asked: Asked) -> Wide:
    """Repeat each ranking of a table as often as its column of counts says."""
    counts = [c for c in wide.columns if c.lower() in names.COUNT.split() and c not in asked.keep]
    if len(counts) != 1 or wide.role != "player" or "round" not in wide.labels:
        return wide
    rest = [c for c in wide.columns if c != counts[0]]
    try:
        x, n = (stacked(wide._replace(columns=of))[0]["score"] for of in (rest, counts))
    except ScoresError:
        return wide
    whole = bool(((n >= 1.0) & (n % 1.0 == 0.0)).all()) and n.sum() <= _MOST
    if not whole or not of_places(x.to_numpy(float).reshape(len(rest), -1).T):
        return wide
    at = np.repeat(np.arange(len(n)), n.astype(int))
    labels = {role: of.iloc[at].reset_index(drop=True) for role, of in wide.labels.items()}
    number = pd.Series(np.concatenate([np.arange(1, k + 1) for k in n.astype(int)]), dtype=str)
    labels["round"] = labels["round"] + "." + number
    frame, row = wide.table.frame, wide.table.row
    index = frame.index[at]
    table = wide.table._replace(
        frame=frame.iloc[at].reset_index(drop=True), row=lambda k: row(int(index[k]))
    )
    found = wide.found | {"count": counts[0]}
    return wide._replace(table=table, columns=rest, labels=labels, found=found, question="")


def of_places(x: Floats) -> str:
    """Return what to ask where each round of (round, player) has the places of its players."""
    if len(x) < 2 or x.shape[1] < 3 or not all(map(is_ranking, x)):
        return ""
    return (
        "each round has places 1, 2, 3, ..., where lower is usually better. Confirm with "
        "higher_is_better=False (--lower-is-better), or use higher_is_better=True "
        "(--higher-is-better)."
    )


class Problems(NamedTuple):
    """What is no score in a table, and what else is unknown."""

    columns: Mapping[str, str]  # why, by name
    rows: Mapping[str, str]
    losses: str = ""
    broken: Sequence[ScoresError] = ()
    wide: Wide | None = None
    key: str = ""  # column of text by which rows of one name differ
    odd: Sequence[str] = ()  # what else may be no score


def refuse(table: Table, asked: Asked, of: Problems) -> None:
    """Refuse a table with all its problems at once, and the call that reads the rest."""
    question = "" if of.wide is None else of.wide.question
    if not (of.columns or of.rows or of.losses or question):
        return
    said = [f"column {shown(name)}: {why}" for name, why in of.columns.items()]
    said += [f"row {shown(name)}: {why}" for name, why in of.rows.items()]
    texts = [f"contains more than scores: {'; '.join(said[:20])}."] if said else []
    texts += [f"{len(said) - 20} more are not named."] if len(said) > 20 else []
    texts += [of.losses] if of.losses else []
    texts += [str(problem).removeprefix(f"{table.where}: ") for problem in of.broken[:3]]
    more: dict[str, Any] = {
        "drop": (*asked.drop, *(name for name in of.columns if name != of.key), *of.rows)
    }
    more |= {"higher_is_better": False} if of.losses else {}
    if of.key and of.wide is not None:
        more |= {"tournament": of.wide.found["tournament"], "round": of.key}
    elif question and of.wide is not None:
        label = of.wide.table.frame[question].head(2)
        columns = [name for name in of.wide.columns if name not in of.columns][:2]
        texts.append(
            f"column {shown(question)} may name players or rounds. If its rows ({listed(label)}, "
            f"...) are players: {asked.call(player=question, **more)}. If the columns "
            f"({listed(columns)}, ...) are: {asked.call(round=question, **more)}."
        )
    if of.key or not question:
        texts.append(f"Read the rest: {asked.call(**more)}.")
    texts += [f"Perhaps no scores either: {'; '.join(of.odd[:5])}."] if of.odd else []
    if of.columns or of.rows:
        texts.append("If some are scores, include them with keep=[...] (--keep).")
    table.refuse(" ".join(texts))


def direction_of(
    table: Table, columns: Mapping[str, str], labels: list[str], asked: bool | None
) -> Direction:
    """Find whether more is better; no guess where a name in play may be a loss's."""
    said = {columns["score"]: more_is_better(columns["score"])}
    tidy = recognise(table, names.METRIC, columns.values()) if columns["score"] != "cell" else None
    metrics = [] if tidy is None else list(as_names(table, tidy, missing="").unique())
    if said[columns["score"]] is None:
        said |= {name: more_is_better(name) for name in metrics}
        every = [*labels, Path(table.where).name]
        said |= {name: more_is_better(name, score=False) for name in every}
    losses, gains = ([name for name, more in said.items() if more is of] for of in (False, True))
    kind = "is the name of a loss" if len(losses) == 1 else "are the names of losses"
    less = f"{listed(losses)} {kind}, where lower is better"
    if losses and asked is None:
        mixed = f" (but higher is better for {listed(gains)}: change their sign, or exclude them)"
        return Direction(False, (
            f"{less}{mixed if gains else ''}; confirm with higher_is_better=False "
            "(--lower-is-better), or use higher_is_better=True (--higher-is-better)."
        ))  # fmt: skip
    if losses and gains:
        text = (
            f"LB042 {table.where}: {less}, but more of {listed(gains)}, so some rounds are ranked "
            "upside down. Keep one direction, or change the sign of the others."
        )
    elif len({*metrics} - {""}) > 1 and asked is None:
        text = (
            f"LB042 {table.where}: scores are of several metrics ({listed(metrics)}), and higher "
            "is taken as better for all. Keep one, or confirm with higher_is_better=True "
            "(--higher-is-better)."
        )
    else:
        text = ""
    return Direction(asked is not False, "", text)
