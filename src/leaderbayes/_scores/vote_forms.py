"""Which columns of a table of votes hold the players, the outcome, and what else is known."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import NamedTuple

import pandas as pd

from leaderbayes._arguments import are_names
from leaderbayes._scores.cells import as_names, as_numbers
from leaderbayes._scores.tables import Table, listed, shown, suggest

Outcome = str | Sequence[str] | None
Sides = tuple[str, str]

# What the two players of a vote are called, first and second.
SIDES: tuple[Sides, ...] = (
    ("a", "b"), ("1", "2"), ("left", "right"), ("first", "second"), ("one", "two"),
    ("home", "away"), ("white", "black"), ("home", "visitor"),
)  # fmt: skip
# Where the row says who won, and not who was shown first.
WON: tuple[Sides, ...] = (("winner", "loser"), ("winning", "losing"), ("chosen", "rejected"))
NOUNS = (
    "model player system team llm agent algorithm bot assistant method competitor name engine "
    "candidate participant generator item entrant policy"
).split()
OUTCOME = (
    "winner outcome result preference preferred label choice verdict vote judgment judgement "
    "decision ftr winnerid winnername winningmodel humanpreference votetype humanchoice humanlabel "
    "humanvote better bettermodel bettersystem betteranswer betterresponse favorite favourite pick"
).split()
_SCORE = "score scores goals goal points pts runs teamscore teamgoals".split()
_TIE = "tie tied draw drawn istie isdraw winnertie".split()
_BOTH_BAD = "winnertiebothbad winnerbothbad bothbad".split()
COUNTS = "weight weights votes count counts n".split()  # of votes, if what they hold says so
_BESIDE = {
    "prompt": (
        "questionid promptid instructionid conversationid itemid instanceid exampleid taskid "
        "queryid segmentid prompt question instruction item query evaluationsessionid"
    ).split(),
    "judge": (
        "judge judgeid judgemodel judgename annotator annotatorid rater raterid voter voterid "
        "worker workerid evaluator evaluatorid user userid judgehash taster tasterid assessor "
        "assessorid panelist panellist grader graderid reviewer reviewerid"
    ).split(),
    "time": "tstamp timestamp datetime utctime date time".split(),
    "weight": "nvotes numvotes numberofvotes votecount nbattles ngames".split(),
}


class Form(NamedTuple):
    """Columns of a table of votes by what they hold."""

    first: str
    second: str
    sides: Sides | None  # words that distinguish the two in names of columns
    kind: str  # of the outcome: words, scores, losses of both, marks of who won, or won
    outcome: tuple[str, ...]
    turned: bool = False  # the second's column stands, or is given, before the first's


def from_wins(table: Table) -> Table:
    """Write wins of models against one base, as AlpacaEval's leaderboards count them, as votes."""
    by_key = _by_key(table.frame.columns)
    wins, losses, ties = (by_key.get(name) for name in ("nwins", "nwinsbase", "ndraws"))
    if wins is None or losses is None:
        return table
    players = as_names(table, str(table.frame.columns[0]))
    kinds = {"model_a": wins, "model_b": losses, "tie": ties}
    counts = {k: as_numbers(table, _only(table, of)) for k, of in kinds.items() if of is not None}
    n = pd.DataFrame(counts).fillna(0.0)
    # The base itself ties with itself throughout.
    itself = (n["model_a"] == 0.0) & (n["model_b"] == 0.0)
    base = players[itself].iloc[0] if itself.sum() == 1 else "base"
    votes = n[~itself].melt(ignore_index=False, var_name="winner", value_name="n_votes")
    votes = votes[votes["n_votes"] > 0.0].sort_index(kind="stable")
    rows, row = votes.index, table.row
    votes.insert(0, "model_a", players[rows])
    votes.insert(1, "model_b", base)
    return table._replace(frame=votes.reset_index(drop=True), row=lambda k: row(int(rows[k])))


def key(name: object) -> str:
    """Write a column's name in lower case without blanks, underscores and hyphens."""
    return re.sub(r"[\W_]+", "", str(name)).lower()


def recognise_form(
    table: Table, first: str | None = None, second: str | None = None, outcome: Outcome = None
) -> Form:
    """Find the columns of the players and of the outcome, or take those that are given."""
    if (first is None) != (second is None):
        table.refuse("first and second are the columns of the two players: name both or neither.")
    turned = False
    if first is not None and second is not None:
        pair = check_column(table, "first", first), check_column(table, "second", second)
        if first == second:
            table.refuse(f"column {shown(first)} is given as first and as second.")
        sides = _sides_of(first, second)
        if sides is None and (back := _sides_of(second, first)) is not None:
            sides, turned = (back[1], back[0]), True
    else:
        pair, sides = players_of(table)
        columns = list(table.frame.columns)
        turned = columns.index(pair[0]) > columns.index(pair[1])
    if outcome is not None:
        return Form(*pair, sides, *_given_outcome(table, outcome), turned)
    if sides in WON:
        tie = _one(table, "tie", _TIE, pair)
        return Form(*pair, sides, "won", () if tie is None else (tie,), turned)
    return Form(*pair, sides, *_outcome(table, pair, sides), turned)


def check_column(table: Table, role: str, name: object) -> str:
    """Refuse a column that the user named and that does not exist."""
    if not isinstance(name, str):
        table.refuse(f"{role}={shown(name)}: give the name of a column.")
    if name not in table.frame.columns:
        table.refuse(f"no column {shown(name)} for {role}; {suggest(name, table.frame.columns)}")
    return name


def beside(
    table: Table, form: Form, given: Mapping[str, str], left_out: Iterable[str] = ()
) -> dict[str, str]:
    """Find columns of prompt, judge, time and weight, but those that are given or left out."""
    taken = [form.first, form.second, *form.outcome, *given.values()]
    found: dict[str, str] = {}
    for role, known in _BESIDE.items():
        name = None if role in {*given, *left_out} else _one(table, role, known, taken)
        if name is not None:
            found[role] = name
            taken.append(name)
    return found


def difference_of(table: Table, name: str, form: Form) -> tuple[str, ...]:
    """Find the column of a covariate, or the two whose difference it is."""
    free = [c for c in table.frame.columns if c not in (form.first, form.second)]
    by_key, own = _by_key(free), [form.sides] if form.sides else []
    pairs = [
        (by_key[one][0], by_key[other][0])
        for a, b in [*own, *SIDES, *WON]
        for one, other in ((key(name) + a, key(name) + b), (a + key(name), b + key(name)))
        if one in by_key and other in by_key
    ]
    if name in free and pairs:
        both = listed(pairs[0])
        table.refuse(f"covariate {shown(name)} is a column, and also {both}: rename one.")
    if name not in free and not pairs:
        a, b = form.sides or SIDES[0]
        table.refuse(
            f"no column {shown(name)} for a covariate, and no columns {shown(f'{name}_{a}')} and "
            f"{shown(f'{name}_{b}')} for a difference; {suggest(name, table.frame.columns)}"
        )
    return pairs[0] if pairs else (name,)


def has_players(frame: pd.DataFrame) -> bool:
    """Whether the names of columns alone may be those of votes; it costs nothing."""
    by_key = _by_key(frame.columns)
    return any(a in by_key and b in by_key for _, a, b, *_ in _NAMES)


def _names_of_players() -> list[tuple[int, str, str, Sides, str | None]]:
    """List names of the two columns, most telling first, with that of a third one beside."""
    third = {"1": "3", "one": "three", "first": "third", "a": "c"}
    found = {}
    for sides, noun, kind in product((*SIDES, *WON), ("", *NOUNS), ("", "name", "id")):
        bare = kind != "name" and sides[0] not in ("1", "one", "winning")
        if not (noun or bare or (sides in WON and kind)):
            continue
        rank = (2 if kind == "id" else 0 if noun else 1) + 3 * (sides in WON)
        for begin, end in ((noun, kind), ("", noun + kind)):
            a, b = (begin + side + end for side in sides)
            c = begin + third[sides[0]] + end if sides[0] in third else None
            found[a, b] = (rank, a, b, sides, c)
    return sorted(found.values(), key=lambda row: row[0])


_NAMES = _names_of_players()


def players_of(table: Table) -> tuple[tuple[str, str], Sides]:
    """Find the columns of the two players, and the words that distinguish them."""
    by_key = _by_key(table.frame.columns)
    there = [row for row in _NAMES if row[1] in by_key and row[2] in by_key]
    found = [row for row in there if row[0] == there[0][0]]
    if not found:
        table.refuse(
            "no two columns were found for the players of a vote, such as model_a and model_b; "
            f"name them (first=..., second=...). The columns are {listed(table.frame.columns)}."
        )
    if len(found) > 1:
        pairs = " or ".join(listed((by_key[a][0], by_key[b][0])) for _, a, b, *_ in found[:4])
        table.refuse(f"which columns are the players: {pairs}? Name them (first=..., second=...).")
    _, a, b, sides, third = found[0]
    if third in by_key:
        table.refuse(
            f"a row compares more than two players ({listed((by_key[a][0], by_key[third][0]))}, "
            "...): write one row per pair, with the same prompt and judge."
        )
    return (_only(table, by_key[a]), _only(table, by_key[b])), sides


def _sides_of(first: str, second: str) -> Sides | None:
    """Find the words that distinguish two columns of players."""
    for sides in (*SIDES, *WON):
        without = [
            {name[: at.start()] + name[at.end() :] for at in re.finditer(side, name)}
            for name, side in zip((key(first), key(second)), sides, strict=True)
        ]
        if without[0] & without[1]:
            return sides
    return None


def _given_outcome(table: Table, outcome: str | Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return the kind of the outcome that the user names, and its columns."""
    if isinstance(outcome, str) and (outcome in table.frame.columns or "," not in outcome):
        return "words", (check_column(table, "outcome", outcome),)
    names = [n.strip() for n in outcome.split(",")] if isinstance(outcome, str) else outcome
    if not are_names(names) or not 2 <= len(names) <= 4:
        table.refuse(
            f"outcome={shown(outcome)}: name one column, two columns of scores, or three columns "
            "that mark a win of the first, of the second, and a tie."
        )
    smaller = all(name.startswith("-") and name not in table.frame.columns for name in names)
    columns = tuple(check_column(table, "outcome", name[1:] if smaller else name) for name in names)
    return "marks" if len(names) > 2 else "losses" if smaller else "scores", columns


def _outcome(table: Table, pair: Sides, sides: Sides | None) -> tuple[str, tuple[str, ...]]:
    """Find the outcome: marks of who won, words, or scores or ranks of both."""
    by_key = _by_key(c for c in table.frame.columns if c not in pair)
    own = [sides] if sides else []
    for (a, b), noun in product(dict.fromkeys([*own, *SIDES[:4]]), ("", *NOUNS)):
        marks = [f"winner{noun}{a}", f"winner{noun}{b}"]
        if all(mark in by_key for mark in marks):
            more = [[k for k in of if k in by_key][:1] for of in (_TIE, _BOTH_BAD)]
            if more[1] and not more[0]:
                table.refuse("a column for both bad, but no column tie.")
            return "marks", tuple(_only(table, by_key[k]) for k in [*marks, *more[0], *more[1]])
    found = [k for k in OUTCOME if k in by_key]
    found = next(([k] for k in ("winner", "ftr") if k in found), found)
    if len(found) > 1:
        which = listed(by_key[k][0] for k in found)
        table.refuse(f"which column is the outcome: {which}? Name it (outcome=...).")
    if found:
        return "words", (_only(table, by_key[found[0]]),)
    two = [("fthg", "ftag")]
    called = [*own, *([("home", "away")] if sides == ("home", "visitor") else [])]
    for word, (a, b) in product(_SCORE, called):
        two += [(word + a, word + b), (a + word, b + word)]
    held = [w for w in two if w[0] in by_key and w[1] in by_key]
    if len(held) > 1:
        which = " or ".join(listed((by_key[a][0], by_key[b][0])) for a, b in held[:4])
        table.refuse(f"which columns are the scores: {which}? Name them (outcome=[..., ...]).")
    if held:
        return "scores", tuple(_only(table, by_key[k]) for k in held[0])
    if sides == ("white", "black") and "score" in by_key:
        return "words", (_only(table, by_key["score"]),)
    table.refuse(
        f"the players are {listed(pair)}, but no column was found for the outcome, such as "
        "winner; name it (outcome=..., --outcome COLUMN), or two scores (--outcome X,Y, or "
        "--outcome=-X,-Y if the smaller wins). For numbers of wins, write one row per winner "
        f"with a column n_votes. The columns are {listed(table.frame.columns)}."
    )


def _by_key(columns: Iterable[object]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in columns:
        found.setdefault(key(name), []).append(str(name))
    return found


def _only(table: Table, columns: Sequence[str]) -> str:
    """Return the one column of a name; refuse two that are written otherwise only."""
    if len(columns) > 1:
        table.refuse(f"columns {listed(columns)} are one name in two spellings; drop one.")
    return columns[0]


def _one(table: Table, role: str, known: Sequence[str], taken: Sequence[str]) -> str | None:
    """Find the first free column that goes by one of these names."""
    by_key = _by_key(c for c in table.frame.columns if c not in taken)
    name = next((k for k in known if k in by_key), None)
    if name is not None and len(by_key[name]) > 1:
        table.refuse(
            f"columns {listed(by_key[name])} both look like the {role}; name one ({role}=...)."
        )
    return None if name is None else by_key[name][0]
