"""What has changed between two sites: each change is said, and nothing where there is none."""

import json
from copy import deepcopy

import pytest

import leaderbayes as lb
from leaderbayes.report._changes import changes, read_boards


def record(players="abc", told=(("a", "c"),), **more):
    board = {
        "name": "", "model": "bradley_terry", "seed": 1, "converged": True, "warnings": [],
        "p_check": 0.5, "leaderboard": [{"player": name} for name in players],
        "tied_for_top": [players[0]], "groups": [], "told_apart": [list(pair) for pair in told],
    }  # fmt: skip
    return {"one": {"format": 1, "name": "one", "prob": 0.95, "boards": [board | more]}}


NOTHING = "Nothing has changed that the boards tell apart.\n"


@pytest.mark.parametrize(
    ("new", "said"),
    [
        (record(), None),
        (record(told=(("a", "c"), ("b", "c"))), "- `b` now told apart from `c`."),
        (record(told=()), "- `a` no longer told apart from `c`."),
        (record(told=(("c", "a"),)), "- `c` now told apart from `a`."),
        (record("bac"), "- `b` leads now; `a` did."),
        (record("abcd"), "- new: `d`."),
        (record("ac"), "- gone: `b`."),
        (record(converged=False), "- **the fit did not converge"),
        (record(warnings=["LB016 it"]), "does not describe the board any more (LB016)."),
    ],
)
def test_each_change_is_said(new, said):
    made = changes(record(), new)
    if said is None:
        assert made == NOTHING
    else:
        assert made.startswith("### `one`\n\n- ")
        assert said in made
        assert made.count("\n- ") == 1


def test_boards_come_and_go():
    assert changes({}, record()) == "### `one`\n\n- A new board.\n"
    assert changes(record(), {}) == "No longer there: `one`.\n"


def test_another_probability_is_said():
    new = record()
    new["one"]["prob"] = 0.9
    assert "- Told apart is now at 90%, before at 95%." in changes(record(), new)


def test_tournaments_are_named():
    new = deepcopy(record(told=()))
    new["one"]["boards"][0]["name"] = "iris"
    assert "- `iris`: a new tournament." in changes(record(), new)
    old = record(name="iris")
    assert "- `iris`: `a` no longer told apart from `c`." in changes(old, new)


def test_many_pairs_are_counted():
    players = [f"p{k:02d}" for k in range(8)]
    pairs = [(a, b) for i, a in enumerate(players) for b in players[i + 1 :]]
    made = changes(record(players, ()), record(players, pairs))
    assert made.count("now told apart from") == 10
    assert "and 18 more such pairs" in made


def test_names_are_no_markdown():
    hostile = ["@everyone <img src=x> [a](b)", "`code`\n# head", "c"]
    made = changes(record(hostile, ()), record(hostile, [(hostile[0], hostile[1])]))
    assert "`@everyone <img src=x> [a](b)` now told apart from `'code' # head`" in made
    assert "\n# head" not in made


@pytest.mark.parametrize(
    "content", [None, "no json", "[]", '{"format": 2}', '{"format": 1}',
                '{"format": 1, "boards": [{"json": "../../x.json"}]}'],
)  # fmt: skip
def test_what_is_no_site(tmp_path, content):
    if content is not None:
        (tmp_path / "index.json").write_text(content)
    with pytest.raises(lb.LeaderbayesError, match=r"no site of|another format"):
        read_boards(tmp_path, 1)


def test_only_files_of_the_folder_are_read(tmp_path):
    inside = tmp_path / "site"
    inside.mkdir()
    (tmp_path / "secret.json").write_text(json.dumps({"format": 1}))
    (inside / "index.json").write_text(
        json.dumps({"format": 1, "boards": [{"json": "../secret.json"}]})
    )
    with pytest.raises(lb.LeaderbayesError, match="no site of"):
        read_boards(inside, 1)
