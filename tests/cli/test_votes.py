"""Votes on the command line, as their user sees them."""

import json

import numpy as np
import pandas as pd
import pytest

import leaderbayes as lb
from command import call

NAMES = np.array(["fox", "owl", "elk", "cat", "dog"])


def simulated(votes, seed=1, order=0.0):
    rng = np.random.default_rng(seed)
    strength = np.array([1.2, 0.6, 0.0, -0.6, -1.2])
    first = rng.integers(0, 5, votes)
    second = (first + rng.integers(1, 5, votes)) % 5
    p = 1.0 / (1.0 + np.exp(-(strength[first] - strength[second] + order)))
    outcome = np.where(rng.random(votes) < 0.1, 2, np.where(rng.random(votes) < p, 0, 1))
    return NAMES[first], NAMES[second], outcome, rng


def mt_bench(folder):
    first, second, outcome, rng = simulated(400)
    table = pd.DataFrame({
        "question_id": rng.integers(81, 161, 400), "model_a": first, "model_b": second,
        "winner": np.array(["model_a", "model_b", "tie"])[outcome],
        "judge": [f"expert_{k}" for k in rng.integers(0, 25, 400)],
        "conversation_a": "[{'content': 'a, b'}]", "conversation_b": "[{'content': 'c'}]",
        "turn": rng.integers(1, 3, 400),
    })  # fmt: skip
    table.to_csv(path := folder / "mt_bench.csv", index=False)
    return path


def arena(folder):
    first, second, outcome, rng = simulated(400, 2)
    words = np.array(["model_a", "model_b", "tie"], dtype=object)[outcome]
    words[rng.random(400) < 0.1] = "tie (bothbad)"
    lines = [
        json.dumps({
            "question_id": f"{k:032x}", "model_a": first[k], "model_b": second[k],
            "winner": words[k], "judge": f"user_{k % 90}", "anony": True, "tstamp": 1.68e9 + k,
            "conversation_a": [{"role": "user", "content": "x"}], "language": "en",
        })
        for k in range(400)
    ]  # fmt: skip
    (path := folder / "arena.json").write_text("\n".join(lines) + "\n")
    return path


def games(folder):
    white, black, outcome, _ = simulated(150, 3)
    result = np.array(["1-0", "0-1", "1/2-1/2"])[outcome]
    text = "".join(
        f'[Event "x"]\n[Date "2024.01.{k % 28 + 1:02d}"]\n[White "{white[k]}"]\n'
        f'[Black "{black[k]}"]\n[Result "{result[k]}"]\n\n1. e4 e5 {result[k]}\n\n'
        for k in range(150)
    )
    (path := folder / "games.pgn").write_text(text)
    return path


def football(folder):
    home, away, outcome, rng = simulated(200, 4, order=0.3)
    low = rng.integers(0, 3, 200)
    table = pd.DataFrame({
        "date": "2022-08-01", "home_team": home, "away_team": away,
        "home_score": low + (outcome == 0), "away_score": low + (outcome == 1),
    })  # fmt: skip
    table.to_csv(path := folder / "football.csv", index=False)
    return path


def preferences(folder):
    one, other, outcome, _ = simulated(300, 5)
    records = [
        {"instruction": f"do {k}", "generator_1": a, "generator_2": b, "annotator": f"j{k % 12}",
         "output_1": "some text", "output_2": "other", "preference": 1 + int(c)}
        for k, (a, b, c) in enumerate(zip(one, other, outcome, strict=True)) if c < 2
    ]  # fmt: skip
    (path := folder / "preferences.json").write_text(json.dumps(records))
    return path


def taste(folder):
    left, right, outcome, rng = simulated(200, 6)
    choice = np.where(outcome == 0, left, np.where(outcome == 1, right, "tie"))
    table = pd.DataFrame({
        "left": left, "right": right, "choice": choice, "judge": rng.integers(0, 30, 200),
    })  # fmt: skip
    table.to_csv(path := folder / "taste.csv", index=False)
    return path


FORMS = [mt_bench, arena, games, football, preferences, taste]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_a_file_is_ranked_without_options(form, tmp_path):
    path = form(tmp_path)
    done = call("rank", path, "--ml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("read as votes: first=")
    result = json.loads(call("rank", path, "--seed", 1, "--json", cwd=tmp_path).stdout)
    assert result["players"][0]["player"] == "fox"
    assert result["players"][-1]["player"] == "dog"
    table = lb.leaderboard(lb.fit(lb.read_votes(path), seed=1))
    assert result["players"][0]["epp"] == pytest.approx(table["epp"][0])
    assert result["read"]["kind"] == "votes"


@pytest.fixture(scope="module")
def styled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("votes")
    first, second, outcome, rng = simulated(400, 7, order=0.5)
    table = pd.DataFrame({
        "model_a": first, "model_b": second, "winner": np.array(["a", "b", "tie"])[outcome],
        "judge": rng.integers(0, 20, 400), "group": np.array(["x", "y"])[rng.integers(0, 2, 400)],
        "length_a": rng.integers(50, 900, 400), "length_b": rng.integers(50, 900, 400),
    })  # fmt: skip
    table.to_csv(folder / "styled.csv", index=False)
    return folder


def test_effects_are_printed_and_written(styled):
    done = call(
        "rank", "styled.csv", "--seed", 1, "--order-effect", "--covariate", "length",
        "--out", "out", cwd=styled,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "shown first" in done.stdout
    assert "Votes go together by: judge." in done.stdout
    assert "round" not in done.stdout
    effects = pd.read_csv(styled / "out" / "effects.csv")
    assert effects["effect"].tolist() == ["order", "length"]
    np.testing.assert_allclose(np.exp(effects["coefficient"]), effects["odds_ratio"])
    assert 0.1 < effects["coefficient"][0] < 0.9
    assert "votes" in pd.read_csv(styled / "out" / "leaderboard.csv")
    done = call("report", "out", "--out", "page.html", cwd=styled)
    assert done.returncode == 0, done.stderr
    assert "What else sways votes" in (styled / "page.html").read_text()


def test_effects_of_an_estimate(styled):
    done = call("rank", "styled.csv", "--ml", "--order-effect", "--json", cwd=styled)
    (effect,) = json.loads(done.stdout)["effects"]
    assert effect["coefficient_lower"] < effect["coefficient"] < effect["coefficient_upper"]


def test_tournaments_together(styled):
    given = ("rank", "styled.csv", "--tournament", "group", "--model", "tournaments", "--seed", 1)
    ranked = call(*given, "--out", "together", "--json", cwd=styled)
    result = json.loads(ranked.stdout)
    assert result["read"]["tournaments"] == 2
    each = pd.read_csv(styled / "together" / "tournaments.csv")
    assert sorted(each["tournament"].unique()) == ["x", "y"]
    assert len(each) == 2 * len(result["players"])
    alone = call(*given, "--ml", cwd=styled)
    assert alone.returncode == 2
    assert "--ml of votes has no model tournaments" in alone.stderr


def test_tournaments_by_themselves(styled):
    given = ("rank", "styled.csv", "--ml", "--tournament", "group")
    each = json.loads(call(*given, "--each", "--json", cwd=styled).stdout)["tournaments"]
    assert sorted(one["tournament"] for one in each) == ["x", "y"]
    only = json.loads(call(*given, "--only", "x", "--json", cwd=styled).stdout)
    (own,) = (one for one in each if one["tournament"] == "x")
    assert only["players"] == own["players"]


def test_two_players_are_compared(styled):
    done = call("compare", "styled.csv", "fox", "dog", "--seed", 1, cwd=styled)
    assert "fox gets a new vote over dog with probability 0." in done.stdout
    assert "votes fox won" in done.stdout
    several = ("--tournament", "group", "--model", "tournaments")
    done = call("compare", "styled.csv", "fox", "dog", *several, "--seed", 1, cwd=styled)
    assert "fox gets a new vote over dog in a new tournament with probability 0." in done.stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--cluster", "passage"], "auto, none, judge or prompt"),
        (["--cluster", "prompt"], "no prompts"),
        (["--model", "mean_score"], "of votes there are bradley_terry, davidson"),
        (["--model", "davidson", "--ml"], "no model davidson"),
        (["--model", "round_intercept"], "ties='drop'"),
        (["--ties", "floor"], "half and drop"),
        (["--weight", "1"], "--weight is of scores"),
        (["--only", "x"], "give --tournament"),
        (["--tournament", "group", "--only", "z"], "no tournament 'z'"),
        (["--first", "model_a", "--score", "x"], "leave out one of the two"),
        (["--first", "model_a"], "give both, or none"),
        (["--covariate", "lists"], "no column 'lists'"),
        (["--each"], "--each"),
    ],
)
def test_what_makes_no_sense_is_refused(options, said, styled):
    done = call("rank", "styled.csv", *options, cwd=styled)
    assert done.returncode == 2
    assert said in done.stderr


def test_what_needs_scores_says_so(styled, folder):
    for command in (
        ["tournaments", "styled.csv", "--store", "s"],
        ["plan", "styled.csv", "--rounds", 5],
        ["plan", "styled.csv", "--model", "mean_score"],
    ):
        done = call(*command, cwd=styled)
        assert done.returncode == 2
        assert "votes" in done.stderr
    done = call("plan", "scores.csv", "--model", "davidson", cwd=folder)
    assert done.returncode == 2
    assert "--model davidson is of votes" in done.stderr
    done = call("rank", "scores.csv", "--order-effect", cwd=folder)
    assert done.returncode == 2
    assert "is of votes" in done.stderr


def test_each_language_by_itself(tmp_path):
    """A study of votes, and what it refuses."""
    path = mt_bench(tmp_path)
    table = pd.read_csv(path).assign(language=["en", "fr"] * 200)
    table.to_csv(path, index=False)
    options = ("--tournament", "language", "--seed", 1, "--workers", 1, "--order-effect")
    first = ("tournaments", path, "--store", "a")
    other = ("tournaments", path, "--store", "b")
    done = call(*first, "--json", *options, cwd=tmp_path)
    result = json.loads(done.stdout)
    assert [(row["tournament"], row["votes"]) for row in result["tournaments"]] == [
        ("en", 200), ("fr", 200),
    ]  # fmt: skip
    assert result["read"]["tournaments"] == 2
    assert result["tournaments"][0]["leader"] == "fox"
    printed = call(*first, *options, cwd=tmp_path)
    assert "5 x 200" in printed.stdout
    one = call(*other, cwd=tmp_path)
    assert one.returncode == 2
    assert "name its column by --tournament" in one.stderr
    luce = call(*other, "--model", "plackett_luce", *options, cwd=tmp_path)
    assert luce.returncode == 2
    assert "--model plackett_luce is of scores" in luce.stderr
    assert not (tmp_path / "b").exists()
    davidson = call(*other, "--model", "davidson", *options, "--json", cwd=tmp_path)
    assert davidson.returncode == 0, davidson.stderr


def test_how_many_more_votes(styled, folder):
    options = ("--a", "owl", "--b", "elk", "--votes", "100,200", "--seed", 1)
    made = json.loads(call("plan", "styled.csv", *options, "--json", cwd=styled).stdout)
    fitted = lb.fit(lb.read_votes(styled / "styled.csv"), seed=1, replicates=1)
    planned = lb.plan(fitted, ("owl", "elk"), votes=(100, 200), seed=1)
    assert made["message"] == planned.attrs["message"]
    row = made["rows"][1]
    assert (row["who"], row["clusters"], row["votes"]) == ("all", "same", 200)
    way = planned.sel(who="all", clusters="same", votes=200)
    assert row["p_decided"] == pytest.approx(float(way["p_decided"]))
    shown = call("plan", "styled.csv", *options, cwd=styled)
    assert "as they are" in shown.stdout
    assert "+200" in shown.stdout
    ties = json.loads(
        call("plan", "styled.csv", "--model", "davidson", *options, "--json", cwd=styled).stdout
    )
    fitted = lb.fit(lb.read_votes(styled / "styled.csv"), "davidson", seed=1, replicates=1)
    planned = lb.plan(fitted, ("owl", "elk"), votes=(100, 200), seed=1)
    assert ties["message"] == planned.attrs["message"]
    pmra = call("plan", "styled.csv", "--model", "round_intercept", *options, cwd=styled)
    assert pmra.returncode == 2
    assert "ties='drop'" in pmra.stderr
    dropped = ("--model", "round_intercept", "--ties", "drop", *options)
    assert call("plan", "styled.csv", *dropped, cwd=styled).returncode == 0
    whole = call("plan", "styled.csv", "--tournament", "group", cwd=styled)
    assert whole.returncode == 2
    assert "pick one with --only, or leave --tournament out" in whole.stderr
    ranked = call("rank", "styled.csv", "--tournament", "group", cwd=styled)
    assert ranked.returncode == 2
    assert "pick one with --only, rank each with --each, take all" in ranked.stderr
    assert "drop_vars" not in ranked.stderr
    part = call("plan", "styled.csv", "--tournament", "group", "--only", "x", cwd=styled)
    assert part.returncode == 0, part.stderr
    done = call("plan", "scores.csv", "--votes", "5", cwd=folder)
    assert done.returncode == 2
    assert "--votes is of votes" in done.stderr


@pytest.mark.parametrize(
    "options",
    [
        ["--model", "davidson", "--order-effect"],
        ["--model", "round_intercept", "--ties", "drop"],
        ["--model", "round_intercept", "--ties", "drop", "--ml"],
    ],
)
def test_other_models_rank(options, styled):
    done = call("rank", "styled.csv", *options, "--seed", 1, "--json", cwd=styled)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["model"] == options[1]
    assert said["players"][0]["player"] == "fox"
    shown = call("rank", "styled.csv", *options, "--seed", 1, cwd=styled)
    assert shown.returncode == 0, shown.stderr


def test_a_folder_is_counted(tmp_path):
    (tmp_path / "votes").mkdir()
    for k in range(2):
        first, second, outcome, rng = simulated(400, k)
        words = np.array(["model_a", "model_b", "tie"])[outcome]
        table = {"model_a": first, "model_b": second, "winner": words}
        pd.DataFrame(table | {"judge": rng.integers(0, 25, 400)}).to_parquet(
            tmp_path / "votes" / f"part-{k}.parquet"
        )
    done = call("rank", "votes", "--seed", 1, "--json", "--out", "out", cwd=tmp_path)
    said = json.loads(done.stdout)
    assert said["read"]["votes"] == 800
    assert sum(row["votes"] for row in said["players"]) == 1600
    assert (tmp_path / "out" / "posterior.nc").exists()
    other = call("rank", "votes", "--covariate", "length", cwd=tmp_path)
    assert other.returncode == 2
    assert "is a folder" in other.stderr
