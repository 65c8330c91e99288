"""Tables that are neither votes nor scores: refused, and what the message says works."""

import contextlib
import itertools
import json
import random
import re

import numpy as np
import pandas as pd
import pytest
import scipy.stats

import leaderbayes as lb
from fuzz import readers
from leaderbayes._scores.board import read_board
from leaderbayes._scores.not_a_board import refuse_what_is_neither
from leaderbayes._scores.tables import FRAME, Table

MODELS = ("alpaca", "gpt", "llama", "ultra")


def reads(source):
    """Every reader, and what it says."""
    said = set()
    for read in (read_board, lb.read_votes):
        with pytest.raises(lb.ScoresError) as told:
            read(source)
        said.add(str(told.value))
    (message,) = said
    return message


# -- answers in lists ------------------------------------------------------------------------------


def points(k, i):
    return (k * 7 + i * 3) % 11 / 2


def completions(k, score):
    """A record of UltraFeedback: three of four models answer."""
    held = [
        {"model": MODELS[(k + i) % 4], "principle": "honesty", "response": "x"} | score(k, i)
        for i in range(3)
    ]
    models = [it["model"] for it in held]
    return {"instruction": f"do {k // 2}", "models": models, "completions": held}


SCORED = {
    "overall_score": lambda k, i: {"overall_score": points(k, i), "rank": i},
    "text": lambda k, i: {"overall_score": str(points(k, i))},
    "rating": lambda k, i: {"rating": points(k, i)},
    "annotations": lambda k, i: {
        "annotations": {
            "helpfulness": {"Rating": str(points(k, i)), "Rationale": "x"},
            "honesty": {"Rating": "N/A", "Rationale": "y"},
        }
    },
    "ratings": lambda k, i: {"ratings": {"a": points(k, i) - 1, "b": points(k, i) + 1}},
}  # fmt: skip


@pytest.mark.parametrize("name", SCORED)
@pytest.mark.parametrize("kind", ["jsonl", "parquet", "frame"])
def test_answers_to_a_prompt_in_one_cell(name, kind, tmp_path):
    records = [completions(k, SCORED[name]) for k in range(12)]
    source = pd.DataFrame(records)
    if kind == "jsonl":
        source = tmp_path / "answers.jsonl"
        source.write_text("\n".join(json.dumps(row) for row in records))
    elif kind == "parquet":
        source.to_parquet(source := tmp_path / "answers.parquet")
    message = reads(source)
    assert "'completions' holds several answers to a prompt" in message
    space = {"pandas": pd, "table": source}
    lines = re.search(
        r"(table = .*?\))?(?::| as table:) (answers = .*?); (scores = .*?\.dropna\(\))\. Then",
        message,
    )
    for line in filter(None, lines.groups()):
        exec(line, space)
    scores = lb.read_scores(space["scores"], player="model", round="prompt", score="score")
    assert dict(scores.sizes) == {"player": 4, "round": 12}
    expected = {(MODELS[(k + i) % 4], str(k)): points(k, i) for k in range(12) for i in range(3)}
    for (model, prompt), value in expected.items():
        assert float(scores.sel(player=model, round=prompt)) == value
    assert int(scores.notnull().sum()) == len(expected)
    if kind == "parquet":  # the only one that scores are read from
        with pytest.raises(lb.ScoresError, match="several answers to a prompt"):
            lb.read_scores(source)


def test_ranks_of_answers_are_better_the_lower():
    record = {
        "prompt": "p",
        "answers": [{"model": m, "rank": float(k)} for k, m in enumerate(MODELS)],
    }
    message = reads(pd.DataFrame([record, record]))
    assert "higher_is_better=False" in message
    assert "--lower-is-better" in message


def test_answers_without_a_score_say_so():
    record = {"prompt": "p", "outputs": [{"model": m, "text": "x"} for m in MODELS]}
    assert "no number that says how good it is" in reads(pd.DataFrame([record, record]))


def test_models_and_their_scores_in_two_lists():
    table = pd.DataFrame(
        {"models": [list(MODELS[:3]), list(MODELS[1:])], "ratings": [[5, 4, 3], [1, 2, 4.5]]}
    )
    message = reads(table)
    line = re.search(r"(scores = .*?reset_index\(\))\. Then", message)[1]
    space = {"table": table}
    exec(line, space)
    scores = lb.read_scores(space["scores"], player="model", round="prompt", score="score")
    assert scores.sel(player="gpt").values.tolist() == [4.0, 1.0]


# -- games -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "games",
    [
        [{"score": 7, "judgment": "[[7]]"}],  # of one answer alone
        [{"score": "A>B"}, {"score": "B>A"}, {"score": "A>B"}],
        [{"score": None}, {"score": None}],
        [],
        ["A>B", 3],
    ],
)
def test_games_that_are_no_two_verdicts(games):
    rows = [{"question_id": k, "model": "x", "judge": "j", "games": games} for k in range(3)]
    assert "no two games with a verdict each" in reads(pd.DataFrame(rows))


# -- A/B tests -------------------------------------------------------------------------------------

RNG = np.random.default_rng(4)
WHO = pd.DataFrame(
    {
        "variant": RNG.choice(["A", "B"], 60),
        "user": [f"u{k}" for k in range(60)],
        "converted": RNG.integers(0, 2, 60),
        "day": np.arange(60) % 5,
    }
)
LOGS = {
    "0 and 1": (WHO, "converted"),
    "true": (WHO.astype({"converted": bool}), "converted"),
    "page": (WHO.rename(columns={"variant": "group"}).assign(landing_page="old"), "converted"),
    "game": (WHO.rename(columns={"variant": "version", "converted": "retention_1"}), "retention_1"),
    "numbered": (WHO.assign(variant=WHO["variant"].map({"A": 0, "B": 1})), "converted"),
    "clicks": (WHO.rename(columns={"converted": "Clicked", "user": "User ID"}), "Clicked"),
}


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize("file", [False, True])
def test_a_log_of_conversions(name, file, write):
    table, _ = LOGS[name]
    source = write(table.to_csv(index=False)) if file else table
    message = reads(source)
    with pytest.raises(lb.ScoresError) as told:
        lb.read_scores(source)
    assert str(told.value) == message
    assert "a log of an A/B test" in message
    space = {"scipy": scipy, "pandas": pd, "table": table}
    test = re.search(r"scipy\.stats.*?\)\)(?=\.)", message)[0]
    assert 0.0 <= eval(test, space).pvalue <= 1.0
    blocks = re.search(r"table\.groupby.*?reset_index\(\)", message)[0].replace("BLOCK", "'day'")
    how = dict(re.findall(r"(player|score)='(\w+)'", message))
    scores = lb.read_scores(eval(blocks, space), round="day", **how)
    assert dict(scores.sizes) == {"player": 2, "round": 5}


def test_users_who_saw_every_variant_are_rounds(write):
    both = pd.concat([WHO.assign(variant="A"), WHO.assign(variant="B", converted=1)])
    message = reads(both)
    assert "player='variant', round='user', score='converted'" in message
    scores = lb.read_scores(both, player="variant", round="user", score="converted")
    assert dict(scores.sizes) == {"player": 2, "round": 60}


@pytest.mark.parametrize("shown", ["users", "visitors", "Impressions"])
def test_counts_of_conversions(shown):
    table = pd.DataFrame({
        "date": [1, 1, 2, 2], "variant": list("ABAB"), shown: [90, 100, 80, 120],
        "conversions": [9, 20, 8, 25],
    })  # fmt: skip
    message = reads(table)
    assert "counts of an A/B test" in message
    space = {"scipy": scipy, "table": table}
    first, second = re.search(r"(counts = .*?sum\(\)); (scipy.*?\]\))", message).groups()
    exec(first, space)
    assert eval(second, space).pvalue == pytest.approx(
        scipy.stats.chi2_contingency([[17, 45], [153, 175]]).pvalue
    )
    # Without days it was ranked as two players, who were called users and conversions.
    assert "counts of an A/B test" in reads(table.drop(columns="date").iloc[:2])


GAMES = pd.DataFrame(
    [(i, a, b) for i, (a, b) in enumerate(itertools.permutations(MODELS, 2))],
    columns=["day", "team", "opponent"],
).assign(result=["W", "L"] * 6)


@pytest.mark.parametrize(
    "columns", [("team", "opponent"), ("cited", "citing"), ("school1", "school2")]
)
def test_two_columns_of_the_same_names_are_players(columns):
    one, other = columns
    games = GAMES.rename(columns={"team": one, "opponent": other})
    message = reads(games)
    assert f"--first {one!r} --second {other!r} --outcome COLUMN" in message
    assert lb.read_votes(games, first=one, second=other, outcome="result").sizes["vote"] == 12


def test_first_second_and_third_are_ranked():
    ranked = pd.DataFrame(
        list(itertools.permutations(MODELS, 3)), columns=["first", "second", "third"]
    )
    with pytest.raises(lb.ScoresError, match="a row ranks more than two players"):
        read_board(ranked)
    long = ranked.rename_axis("game").melt(ignore_index=False, value_name="player").reset_index()
    long["place"] = long["variable"].map({"first": 1, "second": 2, "third": 3})
    scores = lb.read_scores(
        long, player="player", round="game", score="place", higher_is_better=False
    )
    assert dict(scores.sizes) == {"player": 4, "round": 24}


@pytest.mark.parametrize(("game", "place"), [("game", "place"), ("race_id", "rank")])
def test_places_in_games_are_rounds(game, place):
    table = pd.DataFrame(
        [(i, name, 1 + (i + k) % 4) for i in range(6) for k, name in enumerate(MODELS)],
        columns=[game, "player", place],
    )
    given = re.search(r"player=.*?higher_is_better=False", reads(table))[0]
    scores = lb.read_scores(table, **eval(f"dict({given})"))
    assert dict(scores.sizes) == {"player": 4, "round": 6}


def test_what_is_no_such_table_is_read():
    scores = WHO.rename(columns={"variant": "model", "converted": "score"})
    for table in (
        WHO.rename(columns={"converted": "accuracy"}),
        WHO.assign(model="svm"),
        WHO.assign(converted=WHO["converted"] * 0.5 + 0.1),
        WHO.assign(converted="x"),
        WHO.assign(variant=range(60)),
        scores,
        pd.DataFrame({"variant": ["A", "B"], "conversions": [5, 6], "users": [4, 9]}),
        GAMES.rename(columns={"team": "model", "opponent": "base", "result": "score"}),
        GAMES.assign(opponent=GAMES["team"]).rename(columns={"team": "data", "opponent": "task"}),
        GAMES.rename(columns={"team": "model_a", "opponent": "model_b"}),
        pd.DataFrame({"model": ["a"], "games": ["A>B"]}),
        pd.DataFrame({"models": [["a", "b"]], "ratings": [[1.0]]}),
        pd.DataFrame({"models": [["a", "b"]], "ratings": [["good", "bad"]]}),
        pd.DataFrame({"answers": [["a", "b"]], "score": [1.0]}),
        pd.DataFrame({"answers": [[{"text": "a"}]], "score": [1.0]}),
    ):
        refuse_what_is_neither(Table(FRAME, table, str))


def test_whatever_stands_in_a_cell_is_read_or_refused():
    frames = [WHO, pd.DataFrame([completions(k, SCORED["annotations"]) for k in range(6)]),
              pd.DataFrame([{"model": "x", "games": [{"score": "A>B"}, None]}] * 4)]  # fmt: skip
    for k in range(90):
        rng = random.Random(k)
        frame = frames[k % 3]
        for _ in range(1 + k % 3):
            frame = readers.mutate_frame(frame, rng)
        for read in (read_board, lb.read_votes, lb.read_scores):
            with contextlib.suppress(lb.LeaderbayesError):
                read(frame)
