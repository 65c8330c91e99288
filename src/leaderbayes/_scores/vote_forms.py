"""Which columns of a table of votes hold the players, the outcome, and what else is known."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from leaderbayes._scores.metrics import more_is_better, words
from leaderbayes._scores.tables import Table, listed, shown, suggest

Outcome = str | Sequence[str] | None

# What the two players of a vote are called apart, first and second.
SIDES = (
    ("a", "b"), ("1", "2"), ("left", "right"), ("first", "second"), ("one", "two"),
    ("home", "away"), ("white", "black"), ("home", "visitor"),
)  # fmt: skip
VISITED = SIDES[-1]  # scores are often called of home and away beside it
_AT_HOME = (("home", "away"), VISITED)  # of matches, beside which wins are those of a season
# The same, where numbers of an outcome would mean another one: with scores of both alone.
FROM_0 = ("0", "1")
# The same where the row says who won, and not who was shown first.
WON = (("winner", "loser"), ("winning", "losing"), ("chosen", "rejected"))
NOUNS = (
    "model player system team llm agent algorithm bot assistant method competitor name engine "
    "candidate participant generator item entrant policy"
).split()
OUTCOME = (
    "winner outcome result preference preferred label choice verdict vote judgment judgement "
    "decision ftr winnerid winnername winningmodel humanpreference votetype humanchoice humanlabel "
    "humanvote better bettermodel bettersystem betteranswer betterresponse favorite favourite pick"
).split()
SCORE = "score scores goals goal points pts runs teamscore teamgoals".split()
_RANK = "rank ranking".split()  # of which the lower is better
_TIE = "tie tied draw drawn istie isdraw winnertie".split()
_PROMPT = (
    "questionid promptid instructionid conversationid itemid instanceid exampleid taskid queryid "
    "segmentid prompt question instruction item query evaluationsessionid"
).split()
_JUDGE = (
    "judge judgeid judgemodel judgename annotator annotatorid rater raterid voter voterid worker "
    "workerid evaluator evaluatorid user userid judgehash "
    "taster tasterid assessor assessorid panelist panellist grader graderid reviewer reviewerid"
).split()
_TIME = "tstamp timestamp datetime utctime date time".split()
_WEIGHT = "nvotes numvotes numberofvotes votecount nbattles ngames".split()
# The same, where what they hold says so; the others are more often something else.
COUNTS = "weight weights votes count counts".split()
_PERHAPS_WEIGHT = [*COUNTS, *"n freq frequency size num".split()]
_BESIDE = {"prompt": _PROMPT, "judge": _JUDGE, "time": _TIME, "weight": _WEIGHT}


class Form(NamedTuple):
    """Columns of a table of votes by what they hold."""

    first: str
    second: str
    sides: tuple[str, str] | None  # words that tell the two apart in names of columns
    kind: str  # of the outcome: words, scores, losses or ranks of both, marks of who won, or won
    outcome: tuple[str, ...]
    turned: bool = False  # found in a table that has the second's column before the first's


def key(name: object) -> str:
    """Write a column's name in lower case without blanks, underscores and hyphens."""
    return re.sub(r"[\W_]+", "", str(name)).lower()


def recognise_form(
    table: Table, first: str | None = None, second: str | None = None, outcome: Outcome = None
) -> Form:
    """Find the columns of the players and of the outcome.

    Parameters
    ----------
    table : Table
        Of votes.
    first, second : str, optional
        Columns of the players, both or none.
    outcome : str or sequence of str, optional
        Column of the outcome; or two of scores; or three or four that mark who won: the first,
        the second, none, none because both are bad.

    Raises
    ------
    ScoresError
        If none fits, or several do: names the columns and the option that says which.
    """
    if (first is None) != (second is None):
        table.refuse("first and second are the columns of the two players: give both, or none.")
    if first is not None and second is not None:
        check_column(table, "first", first)
        check_column(table, "second", second)
        if first == second:
            table.refuse(f"column {shown(first)} is given as first and as second.")
        pair, sides = (first, second), _sides_of(first, second)
        if sides is None and (back := _sides_of(second, first)) in SIDES:
            sides = (back[1], back[0])  # the user has them the other way round
    else:
        pair, sides = _players(table)
        columns = list(table.frame.columns)
        if columns.index(pair[0]) > columns.index(pair[1]):
            return _form(table, pair, sides, outcome)._replace(turned=True)
    return _form(table, pair, sides, outcome)


def _form(
    table: Table, pair: tuple[str, str], sides: tuple[str, str] | None, outcome: Outcome
) -> Form:
    given = _given_outcome(table, outcome)
    if given is not None:
        return Form(*pair, sides, *given)
    if sides in WON:
        tie = _one(table, "tie", _TIE, pair)
        return Form(*pair, sides, "won", () if tie is None else (tie,))
    return _outcome(table, pair, sides)


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


def perhaps_weights(table: Table, taken: Iterable[str]) -> list[str]:
    """List free columns that may say how many votes a row stands for, or something else."""
    by_key = _by_key(c for c in table.frame.columns if c not in set(taken))
    return [name for word in _PERHAPS_WEIGHT for name in by_key.get(word, ())]


def other_judges(table: Table, taken: Iterable[str]) -> list[str]:
    """List free columns that are called as those of judges are."""
    free = (c for c in table.frame.columns if c not in set(taken))
    return [str(name) for name in free if key(name) in _JUDGE]


def difference_of(table: Table, name: str, form: Form) -> tuple[str, ...]:
    """Find the column of a covariate, or the two whose difference it is.

    Raises
    ------
    ScoresError
        If there is none, or both.
    """
    if not isinstance(name, str):
        table.refuse(f"covariates: {shown(name)} is no name of a column.")
    free = [c for c in table.frame.columns if c not in (form.first, form.second)]
    by_key = _by_key(free)
    own = [form.sides] if form.sides is not None else []
    pairs = []
    for a, b in dict.fromkeys([*own, *SIDES, *WON]):
        for one, other in ((key(name) + a, key(name) + b), (a + key(name), b + key(name))):
            if one in by_key and other in by_key:
                pairs.append((_only(table, by_key[one]), _only(table, by_key[other])))
        if pairs and (a, b) in own:
            break
    if name in free and pairs:
        table.refuse(
            f"covariate {shown(name)} is a column, and the difference of {listed(pairs[0])}; "
            "rename one."
        )
    if name in free:
        return (name,)
    if len(pairs) > 1:
        table.refuse(
            f"covariate {shown(name)} may be the difference of {listed(pairs[0])} or of "
            f"{listed(pairs[1])}; rename one."
        )
    if not pairs:
        a, b = form.sides or SIDES[0]
        table.refuse(
            f"no column {shown(name)} for a covariate, and no columns {shown(f'{name}_{a}')} and "
            f"{shown(f'{name}_{b}')} of which it is the difference; "
            f"{suggest(name, table.frame.columns)}"
        )
    return pairs[0]


def players_of(table: Table) -> tuple[str, str]:
    """Name the columns of the two players.

    Raises
    ------
    ScoresError
        If there are none, or several.
    """
    return _players(table)[0]


def numbers_of_wins(columns: Iterable[object]) -> list[tuple[str, str]]:
    """List pairs of columns that are called as numbers of wins of the two players."""
    by_key = _by_key(columns)
    return [
        (by_key[a][0], by_key[b][0])
        for of in SIDES
        for noun in ("", *NOUNS)
        for word in ("wins", "win")
        for begin, end in ((f"{word}{noun}", ""), (noun, word))
        for a, b in [tuple(f"{begin}{side}{end}" for side in of)]
        if a in by_key and b in by_key
    ]  # fmt: skip


def scores_of_both(columns: Iterable[object]) -> list[tuple[str, str]]:
    """List pairs of columns that are called as scores of the two players."""
    by_key = _by_key(columns)
    return [(by_key[a][0], by_key[b][0]) for a, b in _names_of_scores(SIDES) if {a, b} <= {*by_key}]


def answers_of(frame: pd.DataFrame) -> list[str]:
    """List columns of two answers, of which nothing says whose they are."""
    return [
        names[0]
        for name, names in _by_key(frame.columns).items()
        if re.fullmatch(r"(response|output|answer)[ab12]", name)
    ]


def has_players(frame: pd.DataFrame) -> bool:
    """Whether the names of columns alone may be those of votes; it costs nothing."""
    by_key = _by_key(frame.columns)
    return any(a in by_key and b in by_key for tier in _TIERS for a, b, _ in tier)


# -- players ---------------------------------------------------------------------------------------


def _tiers() -> list[list[tuple[str, str, tuple[str, str]]]]:
    """List names of the columns of players, most telling first."""
    named = [
        (begin + a + end, begin + b + end, (a, b))
        for a, b in SIDES
        for noun in NOUNS
        for begin, end in ((noun, ""), ("", noun), (noun, "name"), ("", f"{noun}name"))
        if not (noun == "name" and end != "" and end != "name") and (begin, end) != ("name", "name")
    ]
    bare = [(a, b, (a, b)) for a, b in SIDES if a not in ("1", "one")]
    numbered = [
        (begin + a + end + "id", begin + b + end + "id", (a, b))
        for a, b in SIDES
        for noun in ("", *NOUNS)
        for begin, end in ((noun, ""), ("", noun))
    ]
    won = [
        [(begin + a + end, begin + b + end, (a, b)) for a, b in WON]
        for begin, end in (("", "name"), *((b, e) for n in NOUNS for b, e in (("", n), (n, ""))))
    ]
    alone = [(a, b, (a, b)) for a, b in WON if a != "winning"]
    ids = [(a + "id", b + "id", (a, b)) for a, b in WON]
    from_0 = [(noun + a, noun + b, (a, b)) for a, b in [FROM_0] for noun in NOUNS]
    return [
        list(dict.fromkeys(named)),
        bare,
        list(dict.fromkeys(numbered)),
        *won,
        alone,
        ids,
        from_0,
    ]


_TIERS = _tiers()


def _players(table: Table) -> tuple[tuple[str, str], tuple[str, str]]:
    by_key = _by_key(table.frame.columns)
    for tier in _TIERS:
        found = [(a, b, sides) for a, b, sides in tier if a in by_key and b in by_key]
        if len(found) > 1:
            pairs = " or ".join(listed((by_key[a][0], by_key[b][0])) for a, b, _ in found[:4])
            table.refuse(
                f"which columns are the players: {pairs}? Name them (first=..., second=...)."
            )
        if found:
            a, b, sides = found[0]
            _refuse_three(table, by_key, a, sides)
            return (_only(table, by_key[a]), _only(table, by_key[b])), sides
    answers = answers_of(table.frame)
    said = f" {listed(answers)} are answers: say which player gave each." if answers else ""
    table.refuse(
        "no two columns are known for the players of a vote, such as model_a and model_b; name "
        f"them (first=..., second=...).{said} The columns are {listed(table.frame.columns)}."
    )


def _refuse_three(
    table: Table, by_key: Mapping[str, list[str]], first: str, sides: tuple[str, str]
) -> None:
    """Refuse rows with more than two players, of which two would be taken."""
    third = {"1": "3", "one": "three", "first": "third", "a": "c", "0": "2"}.get(sides[0])
    if third is None:
        return
    of = re.sub(rf"{sides[0]}(?=(name|id|)$)|^{sides[0]}", third, first, count=1)
    if of != first and of in by_key:
        names = listed((by_key[first][0], by_key[of][0]))
        table.refuse(
            f"a row compares more than two players ({names}, ...): write a row for each pair of "
            "them, with the same prompt and judge."
        )


def _sides_of(first: str, second: str) -> tuple[str, str] | None:
    """Find the words that tell two columns of players apart."""
    one, other = key(first), key(second)
    for a, b in (*SIDES, *WON):
        if one.replace(a, "\0", 1) == other.replace(b, "\0", 1) and a in one:
            return a, b
        if one[::-1].replace(a[::-1], "\0", 1) == other[::-1].replace(b[::-1], "\0", 1):
            if a in one:
                return a, b
    return None


# -- outcome ---------------------------------------------------------------------------------------


def _given_outcome(table: Table, outcome: Outcome) -> tuple[str, tuple[str, ...]] | None:
    """Give the kind of the outcome that the user names, and its columns."""
    if outcome is None:
        return None
    if isinstance(outcome, str):
        if outcome in table.frame.columns or "," not in outcome:
            for wins in numbers_of_wins(table.frame.columns):
                if outcome in wins and _are_numbers(table, wins):
                    table.refuse(
                        f"{shown(outcome)} is a number of wins, of which each is a vote: leave "
                        "outcome out."
                    )
            return "words", (check_column(table, "outcome", outcome),)
        outcome = [name.strip() for name in outcome.split(",")]
    columns = tuple(outcome) if isinstance(outcome, list | tuple) else ()
    if not 2 <= len(columns) <= 4:
        table.refuse(
            f"outcome={shown(outcome)}: give the name of a column; or two, of scores; or three, "
            "that mark who won: the first, the second, none."
        )
    if len(columns) > 2 or not all(isinstance(name, str) for name in columns):  # refused there
        return "marks", tuple(check_column(table, "outcome", name) for name in columns)
    return _two_given(table, columns)


def _two_given(table: Table, given: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Tell whether the larger or the smaller of two wins: + and - before the names say it."""
    there = set(table.frame.columns)
    signs = {name[0] if name not in there and name[1:] in there else "" for name in given}
    if len(signs) > 1:
        table.refuse(f"outcome={listed(given)}: write the same sign before both, or none.")
    (sign,) = signs
    names = [name.removeprefix(sign) if sign in ("+", "-") else name for name in given]
    columns = tuple(check_column(table, "outcome", name) for name in names)
    if sign in ("+", "-"):
        return "scores" if sign == "+" else "losses", columns
    minus, plus = ([f"{s}{name}" for name in columns] for s in "-+")
    if all(set(words(name)) & set(_RANK) for name in columns):
        return "ranks", columns
    if any(more_is_better(name) is False for name in columns):
        table.refuse(
            f"outcome={list(columns)}: does the smaller win, or the larger? Write "
            f"outcome={minus} (--outcome={','.join(minus)}) where the smaller wins, "
            f"outcome={plus} (--outcome={','.join(plus)}) where the larger does."
        )
    if all(set(words(name.rstrip("0123456789"))) & {"win", "wins", "won"} for name in columns):
        if _are_numbers(table, columns):
            called = (
                ""
                if has_players(table.frame) and columns in numbers_of_wins(table.frame.columns)
                else "call the columns of the players player_1 and player_2, and these wins_1 and "
                "wins_2, and "
            )
            table.refuse(
                f"outcome={list(columns)} look like numbers of wins, of which each is a vote: "
                f"{called}leave outcome out. If who has more won once, write outcome={plus} "
                f"(--outcome={','.join(plus)})."
            )
    return "scores", columns


def _are_numbers(table: Table, columns: Sequence[str]) -> bool:
    """Whether columns count, beyond 0 and 1 of who won."""
    numbers = table.frame[list(columns)].apply(pd.to_numeric, errors="coerce")
    return bool((numbers > 1.0).to_numpy().any())


def _outcome(table: Table, pair: tuple[str, str], sides: tuple[str, str] | None) -> Form:
    by_key = _by_key(c for c in table.frame.columns if c not in pair)
    sides_of_marks = dict.fromkeys([*([sides] if sides else []), *SIDES[:4]])
    for a, b in sides_of_marks:
        for noun in ("", *NOUNS):
            marks = [f"winner{noun}{a}", f"winner{noun}{b}"]
            if all(mark in by_key for mark in marks):
                ties = [k for k in _TIE if k in by_key][:1]
                bad = [k for k in ("winnertiebothbad", "winnerbothbad", "bothbad") if k in by_key]
                if bad and not ties:
                    table.refuse(f"a column for both bad, {shown(by_key[bad[0]][0])}, and no tie.")
                names = [_only(table, by_key[k]) for k in (*marks, *ties, *bad[:1])]
                return Form(*pair, sides, "marks", tuple(names))
    found = [] if sides == FROM_0 else [k for k in OUTCOME if k in by_key]
    if "winner" in found or (len(found) > 1 and "ftr" in found):
        found = ["winner" if "winner" in found else "ftr"]
    if len(found) > 1:
        which = listed(by_key[k][0] for k in found)
        table.refuse(f"which column is the outcome: {which}? Name it (outcome=...).")
    if found:
        return Form(*pair, sides, "words", (_only(table, by_key[found[0]]),))
    scores = _names_of_scores(_named_as(sides))
    if sides == FROM_0:
        scores += [("label0", "label1")]
    held = [(a, b) for a, b in scores if a in by_key and b in by_key]
    if len(held) > 1:
        which = " or ".join(listed((by_key[a][0], by_key[b][0])) for a, b in held[:4])
        table.refuse(f"which columns are the scores: {which}? Name them (outcome=[..., ...]).")
    if held:
        names = [_only(table, by_key[k]) for k in held[0]]
        wins = numbers_of_wins(table.frame.columns)
        if wins and sides not in _AT_HOME:
            table.refuse(
                f"columns {listed(names)} may say who won a match, and {listed(wins[0])} how many "
                "votes each won, or what was won before. Where the scores say who won, write "
                f"outcome={names} (--outcome {','.join(names)}); where a row stands for as many "
                "votes as there are wins, leave the columns of scores out."
            )
        return Form(*pair, sides, "scores", tuple(names))
    for noun in ("", *NOUNS):
        for word in _RANK:
            for ranks in (
                [f"{noun}{side}{word}" for side in sides or ()],
                [f"{word}{noun}{side}" for side in sides or ()],
            ):
                if not ranks or not all(rank in by_key for rank in ranks):
                    continue
                names = [_only(table, by_key[k]) for k in ranks]
                # rank_1 may be a place in the world, but for 1 and 2.
                if ranks[0].startswith(word) and not _are_places(table.frame[names]):
                    table.refuse(
                        f"columns {listed(names)} may be ranks of the two in this vote, or "
                        "something that was known of them before: if they say who won, write "
                        f"outcome={names} (--outcome={','.join(names)}), else name the column that "
                        "does (outcome=...)."
                    )
                return Form(*pair, sides, "ranks", tuple(names))
    if sides == ("white", "black") and "score" in by_key:
        return Form(*pair, sides, "words", (_only(table, by_key["score"]),))
    table.refuse(
        f"the players are {listed(pair)}, but no column is known for the outcome, such as winner; "
        "name it (outcome=..., --outcome COLUMN), or two scores (outcome=[..., ...]; --outcome X,Y "
        "where the larger wins, --outcome=-X,-Y where the smaller does). The columns are "
        f"{listed(table.frame.columns)}."
    )


def _names_of_scores(sides: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """List keys of columns that hold scores of these sides."""
    return [("fthg", "ftag")] + [
        (begin + a + end, begin + b + end)
        for a, b in sides
        for word in SCORE
        for begin, end in ((word, ""), ("", word))
    ]


def _named_as(sides: tuple[str, str] | None) -> list[tuple[str, str]]:
    """List how scores of these sides are called apart."""
    return [*([sides] if sides else []), *([("home", "away")] if sides == VISITED else [])]


def _are_places(frame: pd.DataFrame) -> bool:
    """Whether ranks are of two: 1 and 2, or both the same of these."""
    numbers = frame.apply(pd.to_numeric, errors="coerce")
    return bool(numbers.isin([1.0, 1.5, 2.0]).to_numpy().all())


# -- names -----------------------------------------------------------------------------------------


def _by_key(columns: Iterable[object]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in columns:
        found.setdefault(key(name), []).append(str(name))
    return found


def _only(table: Table, columns: Sequence[str]) -> str:
    """Give the one column of a name; refuse two that are written otherwise only."""
    if len(columns) > 1:
        table.refuse(f"columns {listed(columns)} have the same name, otherwise written; drop one.")
    return columns[0]


def _one(table: Table, role: str, known: Sequence[str], taken: Sequence[str]) -> str | None:
    """Find the first free column that goes by one of these names."""
    by_key = _by_key(c for c in table.frame.columns if c not in taken)
    for name in known:
        if len(by_key.get(name, ())) > 1:
            table.refuse(
                f"columns {listed(by_key[name])} both look like the {role}; name one ({role}=...)."
            )
        if name in by_key:
            return by_key[name][0]
    return None
