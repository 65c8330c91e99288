"""The command audit."""

import json

import pandas as pd
import pytest

from command import call, loaded
from leaderbayes._cli._paste import html, latex, markdown

QUESTIONS = [
    "players", "pairs", "removal_round", "aggregators", "left_out", "check", "plan", "halves",
]  # fmt: skip


@pytest.fixture(scope="module")
def audited(folder):
    asked = ("audit", "scores.csv", "--seed", 1)
    done = call(*asked, "--out", "audited", cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout, json.loads((folder / "audited" / "run.json").read_text())


def test_words_and_json_agree(audited):
    printed, made = audited
    assert list(made["questions"]) == QUESTIONS
    plain = " ".join(printed.split())
    for question in made["questions"].values():
        assert " ".join(question["message"].split()) in plain
    assert made["found"] == [n for n in QUESTIONS if made["questions"][n]["found"]]
    assert (made["seed"], made["unit"]) == (1, "round")
    assert "[red]a" in printed
    assert made["questions"]["left_out"]["rows"]["unit"][0]["unit"] == "0"


def test_a_folder_of_tables(audited, folder):
    made = folder / "audited"
    assert {"audit.txt", "run.json", "publish.csv", "publish.md", "publish.tex", "publish.html",
            "players.csv", "pairs_jointly.csv", "aggregators.csv", "left_out.csv",
            "halves.csv"} <= {file.name for file in made.iterdir()}  # fmt: skip
    table = pd.read_csv(made / "publish.csv")
    assert {"ranks", "group", "converged", "warnings"} <= set(table)
    # A negative number stays as it is, with its interval, too; a name that may be run does not.
    numbers = table["epp"].str.extract(r"^(\S+) \[(\S+), (\S+)\]$").astype(float)
    assert numbers.notna().all(axis=None)
    assert (numbers[0] < 0).any()
    lines = (made / "publish.md").read_text().splitlines()
    assert lines[1] == "| ---: | :--- | :--- | :--- | ---: | ---: |"
    assert r"| \[red\]a |" in (made / "publish.md").read_text()
    assert "a &" in (made / "publish.tex").read_text()
    assert "<td>[red]a</td>" in (made / "publish.html").read_text()


@pytest.mark.slow
def test_votes(votes):
    done = call("audit", "votes.csv", "--seed", 1, "--json", cwd=votes)
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert made["unit"] == "judge"
    assert {"removal_judge", "removal_vote"} <= set(made["questions"])
    assert made["read"]["kind"] == "votes"


def test_refused(folder):
    done = call("audit", "scores.csv", "--across-rounds", cwd=folder)
    assert done.returncode == 2
    assert "round" in done.stderr


def test_it_imports_no_pymc(folder):
    assert not {"pymc", "pytensor"} & loaded("audit", "scores.csv", cwd=folder)


NAME = r'a|b_*<i>\x{}%$&#~^"' + "\u202e\n"
TABLE = pd.DataFrame({"rank": [1], "player": [NAME], "epp": ["1 [0, 2]"]})


def test_tables_to_paste_hold_names_as_they_are():
    head, rule, row, _, note = markdown(TABLE, "A | note.\n").splitlines()
    assert head == "| rank | player | epp |"
    assert rule == "| ---: | :--- | ---: |"
    assert row == r'| 1 | a\|b\_\*\<i\>\\x{}%$&#\~^" | 1 \[0, 2\] |'
    assert note == r"A \| note."
    text = latex(TABLE, "All.\nOf it.")
    assert r"1 & a\textbar{}b\_*\textless{}i\textgreater{}\textbackslash{}x\{\}\%\$\&\#" in text
    assert r"\textasciitilde{}\textasciicircum{}\symbol{34} & 1 [0, 2] \\" in text
    assert text.splitlines()[0] == r"\begin{tabular}{rlr}"
    assert text.splitlines()[-1] == "% All. Of it."
    text = html(TABLE, "<b>")
    assert "&lt;i&gt;" in text
    assert "<p>&lt;b&gt;</p>" in text
    assert "\u202e" not in text
