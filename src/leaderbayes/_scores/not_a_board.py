"""Tables that are neither votes nor scores as they stand: what they are, and how to write them."""

import re
from typing import Any

import numpy as np
import pandas as pd

from leaderbayes._errors import ScoresError
from leaderbayes._scores import names
from leaderbayes._scores.cells import as_names, as_numbers
from leaderbayes._scores.roles import recognise
from leaderbayes._scores.tables import FRAME, MISSING, Table, is_number, listed, shown, text_of
from leaderbayes._scores.vote_forms import has_players, key
from leaderbayes._scores.vote_nested import listed_in, named_in

# What answers' scores are called, most telling first; of ranks less is better.
_SCORED = "overall_score score rating reward overall_rating quality value rank".split()
_RATED = "annotations ratings scores".split()  # of which each answer has several
_PARALLEL = "ratings rating scores score rewards overall_scores".split()
_VARIANT = (
    "variant variation arm treatment testgroup experimentgroup abgroup abtestgroup treatmentgroup "
    "controlgroup variantname variantid bucket group version condition"
).split()
_CONVERTED = re.compile(
    r"(is|has|did|was|n|num|no|total)?(convert(ed|s)?|conversions?|conv|click(ed|s)?|"
    r"purchase[ds]?|bought|subscribed|subscriptions?|signup|signedup|signups|registered|"
    r"registrations|activated|activations|retained|retention(day)?\d*|churned|bounced|enrolled|"
    r"enrollments?|ordered|orders|installed|installs)"
)
_SHOWN_TO = (
    "users visitors visits sessions impressions views pageviews exposures participants customers "
    "recipients sent delivered trials nusers nvisitors totalusers total n"
).split()
_USER = (
    "user userid visitor visitorid session sessionid customer customerid client clientid person "
    "personid subject subjectid participant participantid"
).split()
_MANY = 50  # variants; more are none
_GAME = "game gameid match matchid race raceid heat event eventid contest".split()
_PLACE = "place placing placement finish finishposition position rank ranking".split()
_MOST_PLAYERS = 10_000
_OPPONENT = "opponent opp against versus vs rival visitor".split()


def refuse_what_is_neither(table: Table) -> None:
    """Refuse tables that would be taken for what they are not, or that need other columns.

    Raises
    ------
    ScoresError
        If a table is one of wins, of answers or games in lists, or of an A/B test: says what it
        looks like, and how to make votes or scores of it, or that there are none.
    """
    if not table.frame.columns.is_unique or table.frame.empty:
        return
    _refuse_wins(table)
    _refuse_games(table)
    _refuse_answers(table)
    _refuse_ab_test(table)
    _refuse_pairs(table)
    _refuse_places(table)


def _is_word(cell: Any) -> bool:
    return isinstance(cell, str) and cell.strip().lower() not in MISSING and not is_number(cell)


def _refuse_places(table: Table) -> None:
    """Refuse places of players in games, which are scores where they are named."""
    by_key = {key(name): name for name in table.frame.columns}
    game = next((by_key[name] for name in _GAME if name in by_key), None)
    place = next((by_key[name] for name in _PLACE if name in by_key), None)
    player = recognise(table, names.PLAYER, [game, place])
    if game is None or place is None or player is None or "score" in by_key:
        return
    table.refuse(
        f"this looks like places ({shown(place)}) of players ({shown(player)}) in games "
        f"({shown(game)}), of which each game is a round: player={player!r}, round={game!r}, "
        f"score={place!r}, higher_is_better=False (--player {player} --round {game} "
        f"--score {place} --lower-is-better)."
    )


def _refuse_pairs(table: Table) -> None:
    """Refuse two columns of the same names, which are players of a match."""
    by_key = {key(name): name for name in table.frame.columns}
    ranked = [by_key[name] for name in ("first", "second", "third") if name in by_key]
    if len(ranked) == 3 and all(table.frame[name].map(_is_word).all() for name in ranked):
        table.refuse(
            f"a row ranks more than two players ({listed(ranked)}): write a row for each of them, "
            "with columns game (the row's number), player and place (1, 2, 3), and read these by "
            "player='player', round='game', score='place', higher_is_better=False (--player "
            "player --round game --score place --lower-is-better)."
        )
    if has_players(table.frame):
        return  # the reader of votes says what it lacks
    held: dict[str, set[str]] = {}
    columns = [
        name
        for name in table.frame.columns
        if table.frame[name].dtype == object or isinstance(table.frame[name].dtype, pd.StringDtype)
    ]
    for name in columns if len(columns) > 1 else []:
        try:
            distinct = table.frame[name].unique()
        except TypeError:  # lists, or other containers
            continue
        texts = {text_of(cell).strip() for cell in distinct[: _MOST_PLAYERS + 1]}
        texts = {text for text in texts if text.lower() not in MISSING}
        if 3 <= len(texts) <= _MOST_PLAYERS and not any(is_number(text) for text in texts):
            held[name] = texts
    pairs = [
        (one, other)
        for k, one in enumerate(held)
        for other in list(held)[k + 1 :]
        if 2 * len(held[one] & held[other]) > len(held[one] | held[other])
        and not (table.frame[one] == table.frame[other]).any()
    ]
    if len(pairs) != 1:
        return
    ((one, other),) = pairs
    # Beside a player and a score, what else a row is called is its own affair.
    if recognise(table, names.PLAYER, []) is not None and key(other) not in _OPPONENT:
        return
    table.refuse(
        f"columns {shown(one)} and {shown(other)} hold the same names: this looks like votes or "
        f"games. Name the columns (first={shown(one)}, second={shown(other)}, outcome=COLUMN; "
        f"--first {shown(one)} --second {shown(other)} --outcome COLUMN); where nobody was first, "
        "rename them winner and "
        "loser, with a column count if rows are counts. Leave one row of each game, if it is there "
        "from both sides. If these are scores, name player, round and score (--player, --round, "
        "--score)."
    )


def _refuse_wins(table: Table) -> None:
    """Refuse a square table of who beat whom how often, which is none of scores.

    Rows are called as columns are, and of a player against itself there is nothing.
    """
    frame = table.frame
    if frame.shape[1] < 3 or len(frame) != frame.shape[1] - 1:
        return
    players = [text_of(cell).strip() for cell in frame.iloc[:, 0]]
    others = [text_of(name) for name in frame.columns[1:]]
    if sorted(players) != sorted(others) or len(set(players)) < len(players):
        return
    itself = [
        text_of(frame.iloc[k, 1 + others.index(name)]).strip().lower()
        for k, name in enumerate(players)
    ]
    if not all(cell in MISSING or (is_number(cell) and float(cell) == 0.0) for cell in itself):
        return
    table.refuse(
        f"rows are called as columns are ({listed(players[:4])}, ...), and of a player against "
        "itself there is nothing: this looks like a table of who beat whom how often. Write a row "
        "for each two players, with columns winner, loser and count (of a DataFrame with players "
        "as index, the row beating the column: "
        "table.rename_axis('winner').melt(ignore_index=False, var_name='loser', "
        "value_name='count').query('count > 0').reset_index()). If these are scores, name the "
        "column of rounds (round=..., --round)."
    )


def _refuse_games(table: Table) -> None:
    """Refuse games against a baseline that `vote_nested.flattened` did not take apart."""
    by_key = {key(name): name for name in table.frame.columns}
    if not {"model", "games"} <= set(by_key):
        return
    games = by_key["games"]
    if all(listed_in(cell) is None for cell in table.frame[games]):
        return
    table.refuse(
        f"column {shown(games)} holds no two games with a verdict each, such as "
        "[{'score': 'A>B'}, {'score': 'B>A'}], of which the first shows the baseline as A, and the "
        "second the model: write a row for each game, with columns model_a, model_b, winner and "
        "question_id. Numbers that judge one answer alone are scores: write a row for each, with "
        "columns model, question_id and score."
    )


# -- answers in lists ------------------------------------------------------------------------------


def _refuse_answers(table: Table) -> None:
    """Refuse several answers to a prompt in one cell: scores, of which each needs a row."""
    for column in table.frame.columns:
        kind = table.frame[column].dtype
        if isinstance(kind, pd.StringDtype) or pd.api.types.is_numeric_dtype(kind):
            continue  # text lists nothing, and there may be millions of cells
        cells = [listed_in(cell) for cell in table.frame[column]]
        answers = [it for cell in cells if cell is not None for it in cell]
        if not answers or not all(isinstance(it, dict) for it in answers):
            continue
        model = named_in(answers)
        if model is None:
            continue
        score, of, less = _score_of(answers)
        if score is None:
            table.refuse(
                f"column {shown(column)} holds several answers to a prompt, with the model of each "
                f"({shown(model)}), and no number that says how good it is: write a row for each "
                "answer, with columns prompt, model and score; or a row for each two, with columns "
                "prompt, model_a, model_b and winner."
            )
        table.refuse(
            f"column {shown(column)} holds several answers to a prompt, with model "
            f"({shown(model)}) and score ({shown(score)}): scores of models on prompts, and no "
            f"votes. Write a row for each answer. {_read(table)}: answers = "
            f"table[{column!r}].explode().dropna(); scores = pandas.DataFrame({{'prompt': "
            f"answers.index, 'model': answers.str[{model!r}], 'score': {of}}}).dropna(). "
            f"{_ranked(less)}"
        )
    _refuse_parallel(table)


def _score_of(answers: list[dict[str, Any]]) -> tuple[str | None, str, bool]:
    """Name answers' score, how to take it in Python, and whether less of it is better."""
    for name in _SCORED:
        held = [it.get(name) for it in answers]
        if any(_is_score(value) for value in held) and all(
            value is None or _is_score(value) for value in held
        ):
            numbers = f"pandas.to_numeric(answers.str[{name!r}], errors='coerce')"
            return name, numbers, name == "rank"
    for name in _RATED:
        inner: list[Any] = [it.get(name) for it in answers]
        if not all(isinstance(each, dict) and each for each in inner):
            continue
        parts = [part for each in inner for part in each.values()]
        inside = [r for r in ("Rating", "rating", "score") if all(_has(p, r) for p in parts)]
        rated = inside[0] if inside else ""
        if rated or all(_is_score(part) for part in parts):
            part = f"part[{rated!r}]" if rated else "part"
            mean = (
                f"answers.map(lambda it: pandas.to_numeric(pandas.Series([{part} for part in "
                f"it[{name!r}].values()]), errors='coerce').mean())"
            )
            return name, mean, False
    return None, "", False


def _has(part: Any, name: str) -> bool:
    return isinstance(part, dict) and name in part


def _is_score(value: Any) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, int | float | np.number) or (
        isinstance(value, str) and is_number(value)
    )


def _refuse_parallel(table: Table) -> None:
    """Refuse a column of lists of models, and one of lists of their scores."""
    by_key = {key(name): name for name in table.frame.columns}
    models = next((by_key[k] for k in ("models", "generationmodels") if k in by_key), None)
    scores = next((by_key[k] for n in _PARALLEL if (k := key(n)) in by_key), None)
    if models is None or scores is None:
        return
    pairs = [
        (listed_in(one), listed_in(other))
        for one, other in zip(table.frame[models], table.frame[scores], strict=True)
    ]
    if not all(a is not None and b is not None and len(a) == len(b) for a, b in pairs):
        return
    if not all(_is_score(it) for _, b in pairs for it in b or ()):
        return
    table.refuse(
        f"columns {listed((models, scores))} hold several models and their scores for a prompt: "
        f"scores of models on prompts, and no votes. Write a row for each. {_read(table)}: scores "
        f"= table[[{models!r}, {scores!r}]].explode([{models!r}, {scores!r}]).set_axis(['model', "
        f"'score'], axis=1).rename_axis('prompt').reset_index(). {_ranked(False)}"
    )


def _read(table: Table) -> str:
    """Begin lines of Python with how to read a file that no reader of scores takes."""
    if table.where == FRAME:
        return "Of the DataFrame as table"
    how = {".jsonl": "read_json({}, lines=True)", ".ndjson": "read_json({}, lines=True)",
           ".json": "read_json({})", ".parquet": "read_parquet({})"}  # fmt: skip
    suffix = next((it for it in how if table.where.endswith(it)), None)
    if suffix is None:
        return "Of a DataFrame, table"
    return f"In Python, table = pandas.{how[suffix].format(repr(table.where))}"


def _ranked(less: bool) -> str:
    better = (", higher_is_better=False", " --lower-is-better") if less else ("", "")
    return (
        "Then leaderbayes.read_scores(scores, player='model', round='prompt', score='score'"
        f"{better[0]}); or scores.to_csv('scores.csv', index=False), and leaderbayes rank "
        f"scores.csv --player model --round prompt --score score{better[1]}."
    )


# -- A/B tests -------------------------------------------------------------------------------------


def _refuse_ab_test(table: Table) -> None:
    """Refuse what variants of a page or so were shown to whom, and who converted."""
    by_key = {key(name): str(name) for name in reversed(table.frame.columns)}
    variant = next((by_key[k] for k in _VARIANT if k in by_key), None)
    converted = next((c for k, c in reversed(by_key.items()) if _CONVERTED.fullmatch(k)), None)
    if variant is None or converted is None or recognise(table, names.PLAYER, (variant,)):
        return
    try:
        count = as_numbers(table, converted, words=True).to_numpy()
        label = as_names(table, variant, missing="?").to_numpy()
    except ScoresError:
        return
    if not 1 < len(set(label)) <= _MANY or np.isnan(count).all() or (count < 0.0).any():
        return
    if np.isin(count[~np.isnan(count)], (0.0, 1.0)).all() and len(label) > len(set(label)):
        _refuse_log(table, by_key, variant, converted, label)
    for to in (by_key[k] for k in _SHOWN_TO if k in by_key):
        try:
            all_of = as_numbers(table, to).to_numpy()
        except ScoresError:
            continue
        if (count <= all_of).all():
            table.refuse(
                "this looks like counts of an A/B test: to how many "
                f"({shown(to)}) each variant ({shown(variant)}) was shown, and what came of it "
                f"({shown(converted)}). {_NO_VOTES} Of a DataFrame: counts = "
                f"table.groupby({variant!r})[[{converted!r}, {to!r}]].sum(); "
                f"scipy.stats.chi2_contingency([counts[{converted!r}], counts[{to!r}] - "
                f"counts[{converted!r}]]). {_BLOCKS} (of a DataFrame: "
                f"table.assign(score=table[{converted!r}] / table[{to!r}])), with the variant as "
                f"player: player={variant!r}, round=BLOCK, score='score' (--player, --round, "
                "--score)."
            )


_NO_VOTES = (
    "Nobody compared two variants, so that there are no votes, and who saw the one did not see the "
    "other, so that there are no rounds: compare shares by a test of independent samples."
)
_BLOCKS = (
    "Where every variant ran in each of several blocks (BLOCK: days, countries), the share in a "
    "block is a score"
)


def _refuse_log(
    table: Table, by_key: dict[str, str], variant: str, converted: str, label: np.ndarray
) -> None:
    user = next((by_key[k] for k in _USER if k in by_key), None)
    looks = (
        f"this looks like a log of an A/B test: a row says which variant ({shown(variant)}) was "
        f"shown, and what came of it ({shown(converted)})."
    )
    if user is not None:
        seen = pd.DataFrame({"user": table.frame[user].map(text_of).to_numpy(), "variant": label})
        several = (seen.groupby("user")["variant"].nunique() > 1).all()
        if several and not seen.duplicated().any():
            table.refuse(
                f"{looks} Each {shown(user)} saw several variants, once each, so that these are "
                f"scores: player={variant!r}, round={user!r}, score={converted!r} (--player "
                f"{variant} --round {user} --score {converted})."
            )
    table.refuse(
        f"{looks} {_NO_VOTES} Of a DataFrame: scipy.stats.chi2_contingency(pandas.crosstab("
        f"table[{variant!r}], table[{converted!r}])). {_BLOCKS} (of a DataFrame: "
        f"table.groupby([BLOCK, {variant!r}])[{converted!r}].mean().reset_index()), with the "
        f"variant as player: player={variant!r}, round=BLOCK, score={converted!r} (--player, "
        "--round, --score)."
    )
