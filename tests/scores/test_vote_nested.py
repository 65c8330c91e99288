"""Public collections of votes as they are published, written by hand: read without a word, or not.

Two players in one cell are taken apart; what cannot be read says what to do.
"""

import copy
import json

import numpy as np
import pandas as pd
import pytest

import leaderbayes as lb
from leaderbayes._scores.vote_matches import counted_votes
from leaderbayes._scores.vote_nested import flattened
from leaderbayes._scores.vote_outcomes import is_votes

NAMES = ("gpt", "claude", "llama", "vicuna")
WHO = [(NAMES[k % 4], NAMES[(k + 1 + k // 4 % 3) % 4]) for k in range(24)]
WON = [(0, 1, 2)[k * 7 % 3] for k in range(24)]  # the first, the second, nobody
POINTS = [(1.0, 0.0, 0.5)[k] for k in WON]
TALK = [{"role": "user", "content": "a, b"}, {"role": "assistant", "content": "c"}]


def records(of):
    return [of(k, *WHO[k], WON[k]) for k in range(24)]


def logged(k, a, b, won):
    kind = ("leftvote", "rightvote", "tievote")[won]
    return {"tstamp": 1.68e9 + k, "type": kind, "models": [a, b], "states": [{"x": 1}, {"x": 2}]}


def summaries(k, a, b, won):
    each = [{"text": "x", "policy": a, "note": "n"}, {"text": "y", "policy": b, "note": None}]
    return {"info": {"id": f"t3_{k // 2}", "post": "p"}, "summaries": each, "choice": int(won == 1),
            "worker": f"w{k % 3}", "batch": "b", "split": "train",
            "extra": {"confidence": 5}}  # fmt: skip


def arena_2025(k, a, b, won):
    return {
        "id": f"u{k}", "model_a": a, "model_b": b, "winner": ("model_a", "model_b", "tie")[won],
        "evaluation_session_id": f"s{k // 2}", "evaluation_order": 1 + k % 2,
        "conversation_a": TALK, "conversation_b": TALK, "full_conversation": [{"user": TALK[0]}],
        "conv_metadata": {"bold_count_a": {"**": 1}, "sum_assistant_a_tokens": 5},
        "category_tag": {"math_v0.1": {"math": False}}, "language": "en", "is_code": False,
        "timestamp": "2025-04-14 10:00:00",
    }  # fmt: skip


def pick(k, a, b, won):
    return {"caption": "x", "model_0": a, "model_1": b, "label_0": POINTS[k],
            "label_1": 1.0 - POINTS[k], "user_id": k % 5, "best_image_uid": "u",
            "are_different": True}  # fmt: skip


FORMS = {
    "log of an arena": logged,
    "comparisons of summaries": summaries,
    "arena, 2025": arena_2025,
    "arena, 55k": lambda k, a, b, won: {
        "id": k, "model_a": a, "model_b": b, "prompt": '["hi"]', "response_a": '["x"]',
        "response_b": '["y"]', "winner_model_a": int(won == 0), "winner_model_b": int(won == 1),
        "winner_tie": int(won == 2),
    },
    "pictures": pick,
    "pictures, two sides": lambda k, a, b, won: {
        "prompt": f"p{k}", "left_model": a, "right_model": b, "left_output_image": "x",
        "vote_type": ("leftvote", "rightvote", "tievote")[won],
    },
    "translations": lambda k, a, b, won: {
        "srclang": "cze", "trglang": "eng", "srcIndex": k, "segmentId": k, "judgeID": f"j{k % 4}",
        "system1Id": a, "system1rank": (1, 2, 1)[won], "system2Id": b,
        "system2rank": (2, 1, 1)[won], "rankingID": k,
    },
    "cup": lambda k, a, b, won: {
        "Year": 1930, "Stage": "Group 1", "Home Team Name": a, "Home Team Goals": 1 + (won == 0),
        "Away Team Goals": 1 + (won == 1), "Away Team Name": b,
    },
    "tags of games": lambda k, a, b, won: {
        "Event": "x", "Date": "2024.01.05", "Round": 1, "White": a, "Black": b,
        "Result": ("1-0", "0-1", "1/2-1/2")[won], "WhiteElo": 2500, "BlackElo": 2400, "ECO": "C50",
    },
    "ratings of chess": lambda k, a, b, won: {
        "Month #": 1, "White Player #": a, "Black Player #": b, "Score": POINTS[k],
    },
    "basketball": lambda k, a, b, won: {
        "date": "2015-01-01", "team1": a, "team2": b, "elo1_pre": 1500, "elo2_pre": 1490,
        "elo_prob1": 0.5, "score1": 100 + (won == 0), "score2": 100 + (won == 1),
    },
    "AlpacaEval": lambda k, a, b, won: {
        "instruction": f"do {k}", "output_1": "x", "generator_1": a, "output_2": "y",
        "generator_2": b, "dataset": "d", "annotator": "j", "preference": (1, 2, 1.5)[won],
    },
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("kind", ["jsonl", "parquet", "frame"])
def test_what_is_published_is_read(name, kind, tmp_path):
    rows = records(FORMS[name])
    source = pd.DataFrame(rows)
    if kind == "jsonl":
        source = tmp_path / "votes.jsonl"
        source.write_text("\n".join(json.dumps(row) for row in rows))
    elif kind == "parquet":
        source.to_parquet(source := tmp_path / "votes.parquet")
    votes = lb.read_votes(source)
    players = votes["player"].to_numpy()
    who = list(zip(players[votes["first"]], players[votes["second"]], strict=True))
    assert who == WHO
    if name == "comparisons of summaries":
        assert votes["outcome"].to_numpy().tolist() == [float(won != 1) for won in WON]
        assert len(np.unique(votes["prompt"])) == 12
        assert len(np.unique(votes["judge"])) == 3
    else:
        assert votes["outcome"].to_numpy().tolist() == POINTS


def chosen(k, a, b, won):
    return {"prompt": f"p{k}", "chosen": TALK, "chosen-model": a, "rejected": TALK,
            "rejected-model": b, "chosen-rating": 5.0, "rejected-rating": 3.0}  # fmt: skip


def test_answers_that_were_chosen():
    votes = lb.read_votes(pd.DataFrame(records(chosen)))
    assert (votes["outcome"] == 1.0).all()
    assert votes.attrs["ordered"] == 0
    assert "prompt" in votes.coords


REFUSED = {
    "how much": (
        {"generator_1": "a", "generator_2": "b", "preference": 1.37}, "how much the second",
    ),
    "PandaLM": (
        {"cmp_key": "a_b", "response1": "x", "response2": "y", "annotator1": 1},
        "say which player gave each",
    ),
    "HelpSteer": (
        {"prompt": "p", "response_1": "x", "response_2": "y", "preference_strength": 2},
        "say which player gave each",
    ),
    "five at once": (
        {f"system{k}{what}": k for k in range(1, 6) for what in ("Id", "rank")},
        "more than two players .*a row for each pair",
    ),
    "wins of a part": (
        {"model_a": "a", "model_b": "b", "wins_a": 3, "wins_b": 2, "n": 9}, "name it .outcome=",
    ),
    "wins and parts": (
        {"model_a": "a", "model_b": "b", "wins_a": 3.5, "wins_b": 2}, "name it .outcome=",
    ),
    "numbered from 0": (
        {"model_0": "a", "model_1": "b", "winner": "model_1"}, "name it .outcome=",
    ),
    "no rank": (
        {"system1Id": "a", "system2Id": "b", "system1rank": -1, "system2rank": 1}, "1 is best",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_says_what_to_do(name):
    row, said = REFUSED[name]
    other = {k: f"{v}2" if isinstance(v, str) and k[-1] in "12" else v for k, v in row.items()}
    other |= {"preference": 1.2} if "preference" in row else {}
    with pytest.raises(lb.ScoresError, match=said):
        lb.read_votes(pd.DataFrame([row, row, other]))


def test_other_events_of_a_log_are_left_out():
    chat = {"tstamp": 1.0, "type": "chat", "models": ["gpt"], "states": [{}]}
    rows = [chat, *records(logged), chat]
    votes = lb.read_votes(pd.DataFrame(rows))
    assert votes.sizes["vote"] == 24
    # Rows are those of the file.
    rows[3] = rows[3] | {"models": ["gpt", "gpt"]}
    with pytest.raises(lb.ScoresError, match="row 3"):
        lb.read_votes(pd.DataFrame(rows))


def test_what_is_no_such_list_is_as_it_was():
    for rows in (
        records(chosen),
        [{"models": ["a", "b", "c"], "winner": "a"}],
        [{"models": ["a", 1], "winner": "a"}],
        [{"models": [{"x": "a"}, {"x": "b"}], "winner": "a"}],
        [{"models": "a, b", "winner": "a"}],
        [{"models": ["a", "b"], "teams": ["a", "b"]}],
        [{"model": "a", "fold": 1, "score": 0.5}],
    ):
        frame = pd.DataFrame(rows)
        assert flattened(frame) is frame


@pytest.mark.parametrize("seed", range(40))
def test_whatever_stands_in_a_cell_is_read_or_refused(seed):
    """A cell of any column is spoilt: votes as before, or one of our errors."""
    rng = np.random.default_rng(seed)
    name = list(FORMS)[seed % len(FORMS)]
    rows = copy.deepcopy(records(FORMS[name]))
    junk = [None, "", "x" * 400, -1, float("nan"), float("inf"), True, [], {}, ["a"], ["a", "a"],
            [None, None], [{}, {}], {"id": 1}, 10**30, b"x", "tie", 2]  # fmt: skip
    for _ in range(1 + seed % 3):
        row = rows[rng.integers(len(rows))]
        row[list(row)[rng.integers(len(row))]] = junk[rng.integers(len(junk))]
    if seed % 5 == 0:
        for row in rows[::3]:
            row.pop(list(row)[rng.integers(len(row))])
    frame = pd.DataFrame(rows)
    is_votes(flattened(frame))
    try:
        votes = lb.read_votes(frame)
    except lb.LeaderbayesError:
        return
    assert votes.sizes["vote"] <= 24


def test_both_games_of_a_pair(tmp_path):
    """As FastChat writes them: the winner is called by its column, wherever it was shown."""
    rows = [
        {"question_id": 81, "model_1": "gpt", "model_2": "claude", "g1_winner": "model_1",
         "g2_winner": "model_1", "judge": ["gpt-4", "pair-v2"], "g1_judgment": "[[A]]",
         "g2_judgment": "[[B]]", "turn": 1, "tstamp": 1686.1},
        {"question_id": 82, "model_1": "gpt", "model_2": "llama", "g1_winner": "tie",
         "g2_winner": "model_2", "judge": ["gpt-4", "pair-v2"], "g1_judgment": "[[C]]",
         "g2_judgment": "[[A]]", "turn": 1, "tstamp": 1686.2},
        {"question_id": 83, "model_1": "claude", "model_2": "llama", "g1_winner": "error",
         "g2_winner": "tie", "judge": ["gpt-4", "pair-v2-math"], "g1_judgment": "?",
         "g2_judgment": "[[C]]", "turn": 1, "tstamp": 1686.3},
    ]  # fmt: skip
    path = tmp_path / "gpt-4_pair.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows))
    found = lb.read_votes(path)
    names = found["player"].to_numpy()
    sides = [names[found[side].to_numpy()].tolist() for side in ("first", "second")]
    assert list(zip(*sides, found["outcome"].values.tolist(), strict=True)) == [
        ("gpt", "claude", 1.0), ("claude", "gpt", 0.0), ("gpt", "llama", 0.5),
        ("llama", "gpt", 1.0), ("llama", "claude", 0.5),
    ]  # fmt: skip
    assert found["prompt"].values.tolist() == [81, 81, 82, 82, 83]
    assert set(found["judge"].values.tolist()) == {"gpt-4, pair-v2", "gpt-4, pair-v2-math"}
    assert "1 game without a result, left out" in found.attrs["read_as"]
    assert is_votes(flattened(pd.DataFrame(rows)))
    rows[1]["g2_winner"] = "maybe"
    path.write_text("\n".join(json.dumps(row) for row in rows))
    with pytest.raises(lb.ScoresError, match=r"line 2: .*'maybe' .1 vote."):
        lb.read_votes(path)


@pytest.mark.parametrize(
    ("wins", "more"),
    [
        (("wins_a", "wins_b"), {"ties": [2, 0]}),
        (("model_a_wins", "model_b_wins"), {"n": [18, 8]}),
        (("a_wins", "b_wins"), {"Draws": [2, 0], "total": [20, 8]}),
    ],
)
def test_wins_of_both_are_votes(wins, more):
    table = pd.DataFrame({"model_a": ["gpt", "gpt"], "model_b": ["claude", "llama"]})
    found = lb.read_votes(table.assign(**dict(zip(wins, ([10, 8], [8, 0]), strict=True)), **more))
    counted = counted_votes(found, "half").to_array()
    wins_of = counted.sel(variable="wins")
    tied = 1.0 if any(key in more for key in ("ties", "Draws")) else 0.0
    assert float(wins_of.sel(player="gpt", opponent="claude")) == 10.0 + tied
    assert float(wins_of.sel(player="claude", opponent="gpt")) == 8.0 + tied
    assert float(wins_of.sel(player="gpt", opponent="llama")) == 8.0


@pytest.mark.parametrize(
    ("columns", "outcome"),
    [
        ({"winner": ["player_1", "player_2", "player_1"]}, [1, 0, 1]),
        ({"winner_id": [101, 103, 101]}, [1, 0, 1]),
        ({"winner": [101, 103, 0]}, None),
        ({"result": [1, 0, 1]}, [1, 0, 1]),
        ({"outcome": ["win", "draw", "loss"]}, [1, 0.5, 0]),
    ],
)
def test_players_may_be_called_by_number(columns, outcome):
    table = pd.DataFrame({"player_1": [101, 102, 103], "player_2": [102, 103, 101]} | columns)
    if outcome is None:  # 0 is nobody, or nothing: it is said which column that is about
        with pytest.raises(lb.ScoresError, match="column 'winner'"):
            lb.likelihood.bradley_terry(lb.read_votes(table))
        return
    assert is_votes(table)
    found = lb.read_votes(table)
    assert found["player"].values.tolist() == ["101", "102", "103"]
    if columns.get("winner_id"):
        outcome = [1, 0, 0]  # 101 is the second of the last
    assert found["outcome"].values.tolist() == outcome


def test_scores_of_numbered_models_are_scores():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.random((5, 3)), columns=["model_1", "model_2", "label"])
    assert not is_votes(table)
    assert not is_votes(table.round(2).assign(label=[0, 1, 0, 1, 1]))


@pytest.mark.parametrize(
    ("words", "outcome"),
    [
        (["1 is much better", "About the same", "2 is slightly better"], [1, 0.5, 0]),
        (["A is significantly better", "no difference", "B is better"], [1, 0.5, 0]),
        (["Model A preferred", "equally good", "model B strongly preferred"], [1, 0.5, 0]),
    ],
)
def test_how_much_better_is_passed_over(words, outcome):
    table = pd.DataFrame(
        {"system1": ["a", "b", "c"], "system2": ["b", "c", "a"], "preference": words}
    )
    found = lb.read_votes(table)
    assert found["outcome"].values.tolist() == outcome
    assert "how clearly does not count" in found.attrs["read_as"]


@pytest.mark.parametrize(
    ("scale", "middle"), [([-3, 0, 2], "- 0"), ([1, 3, 5], "- 3"), ([1, 7, 4], "- 4")]
)
def test_scales_say_how_to_be_votes(scale, middle):
    table = pd.DataFrame(
        {"model_a": ["a", "b", "c"], "model_b": ["b", "c", "a"], "preference": scale}
    )
    with pytest.raises(lb.ScoresError, match=f"whole numbers from .*numpy.sign.*{middle}"):
        lb.read_votes(table)
    preference = np.sign(table["preference"] - float(middle[2:]))
    words = preference.map({-1: "model_a", 0: "tie", 1: "model_b"})
    assert lb.read_votes(table.assign(preference=words))["outcome"].values[0] == 1.0


# -- games against a baseline ----------------------------------------------------------------------

VERDICTS = [("A>B", "B>A"), ("A>>B", "B>>A"), ("A=B", "A>B"), ("B>>A", "A>>B"), ("B>A", "A=B")]
OF_MODEL = [(0.0, 0.0), (0.0, 0.0), (0.5, 1.0), (1.0, 1.0), (1.0, 0.5)]


def judged(k, games):
    """As Arena-Hard writes it; its second edition has uid, category and baseline, too."""
    each = [{"user_prompt": "p", "judgment": f"[[{game}]]", "score": game} for game in games]
    return {"question_id": f"q{k // 2}", "model": NAMES[k % 2], "judge": "gpt-4", "games": each}


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("kind", ["jsonl", "parquet", "frame"])
def test_games_against_a_baseline(named, kind, tmp_path):
    rows = [judged(k, VERDICTS[k % 5]) for k in range(10)]
    if named:
        for row in rows:
            row |= {"uid": row.pop("question_id"), "category": "hard", "baseline": "o3"}
    source = pd.DataFrame(rows)
    if kind == "jsonl":
        source = tmp_path / "judgment.jsonl"
        source.write_text("\n".join(json.dumps(row) for row in rows))
    elif kind == "parquet":
        source.to_parquet(source := tmp_path / "judgment.parquet")
    found = lb.read_votes(source)
    baseline = "o3" if named else "baseline (not named)"
    names = found["player"].to_numpy()
    assert set(names) == {*NAMES[:2], baseline}
    first, second = (names[found[side].to_numpy()] for side in ("first", "second"))
    # The baseline is A in the first game, the model in the second.
    assert (first[::2] == baseline).all()
    assert (second[1::2] == baseline).all()
    assert first[1::2].tolist() == second[::2].tolist() == [NAMES[k % 2] for k in range(10)]
    outcome = found["outcome"].to_numpy()
    of_model = np.stack([1.0 - outcome[::2], outcome[1::2]], axis=1)
    assert of_model.tolist() == [list(OF_MODEL[k % 5]) for k in range(10)]
    # A>>B is one win, as A>B, and that is said.
    assert "weight" not in found
    assert "A>>B: the first won" in found.attrs["read_as"]
    assert "how clearly does not count" in found.attrs["read_as"]
    assert found["prompt"].values.tolist() == [f"q{k // 2}" for k in range(10) for _ in (0, 1)]
    assert set(found["judge"].to_numpy()) == {"gpt-4"}
    assert is_votes(flattened(pd.DataFrame(rows)))


def test_games_without_a_verdict_are_left_out_and_a_wrong_one_is_named(tmp_path):
    rows = [judged(k, VERDICTS[k]) for k in range(4)]
    rows[1]["games"][0]["score"] = None
    rows[2]["games"][1] = None
    rows[3]["games"].pop()
    found = lb.read_votes(pd.DataFrame(rows))
    assert found.sizes["vote"] == 5
    assert "2 games without a result, left out" in found.attrs["read_as"]
    rows[1]["games"][1]["score"] = "A>>>C"
    path = tmp_path / "judgment.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows))
    with pytest.raises(lb.ScoresError, match=r"line 2: .*'A>>>C' .1 vote"):
        lb.read_votes(path)
    own = [row | {"baseline": NAMES[0]} for row in rows]
    with pytest.raises(lb.ScoresError, match="is both players"):
        lb.read_votes(pd.DataFrame(own))


SEASON = {"home_score": [2, 0], "away_score": [1, 2], "home_wins": [5, 3], "away_wins": [3, 4]}


def test_wins_of_a_season_beside_scores_are_no_votes():
    table = pd.DataFrame({"home_team": ["ars", "che"], "away_team": ["che", "liv"], **SEASON})
    votes = lb.read_votes(table)
    assert votes["outcome"].values.tolist() == [1.0, 0.0]
    assert "weight" not in votes
    assert "home_wins and away_wins are not taken for numbers of votes" in votes.attrs["read_as"]


def test_wins_beside_scores_may_be_either():
    table = pd.DataFrame(
        {
            "model_a": ["x", "y"], "model_b": ["y", "z"], "score_a": [0.6, 0.4],
            "score_b": [0.4, 0.6], "wins_a": [3, 2], "wins_b": [2, 3],
        }
    )  # fmt: skip
    with pytest.raises(lb.ScoresError, match=r"--outcome score_a,score_b.*leave the columns of sc"):
        lb.read_votes(table)
    assert lb.read_votes(table, outcome=["score_a", "score_b"]).sizes["vote"] == 2
    without = lb.read_votes(table.drop(columns=["score_a", "score_b"]))
    assert without.equals(lb.read_votes(table.assign(n=5)))  # who has a number of votes has these
    assert without["weight"].sum() == 10.0
