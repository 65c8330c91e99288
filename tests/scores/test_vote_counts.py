"""How many votes a row stands for, and rows that are there twice."""

import re

import numpy as np
import pandas as pd
import pytest

import leaderbayes as lb


def single(**columns):
    """Sixty votes, each in a row, with more columns."""
    rng = np.random.default_rng(1)
    a = rng.integers(0, 4, 60)
    return pd.DataFrame(
        {
            "model_a": [f"m{k}" for k in a],
            "model_b": [f"m{k}" for k in (a + rng.integers(1, 4, 60)) % 4],
            "winner": rng.choice(["model_a", "model_b"], 60),
        }
        | columns
    )


SIZE = np.random.default_rng(2).choice([9, 13, 19], 60)


SINGLE = {
    "id": (single(vote_id=np.arange(60)[::-1], size=SIZE), "vote_id is another in each row"),
    "time": (single(date=pd.date_range("2026-01-01", periods=60), size=SIZE), "a time"),
    "judged": (single(judge="j", prompt=np.arange(60) % 7, n=SIZE), "of a judge and a prompt"),
    "not whole": (single(weight=np.where(SIZE > 9, 61.2, 70.3)), "not whole"),
    "row numbers": (single(votes=np.arange(60)), "it numbers rows"),
    "alike": (single(num=SIZE), "rows are alike beside it"),
}


@pytest.mark.parametrize(("table", "why"), SINGLE.values(), ids=SINGLE)
def test_what_single_votes_have_beside_is_no_count(table, why):
    votes = lb.read_votes(table)
    assert votes.sizes["vote"] == 60
    assert "weight" not in votes
    assert why in votes.attrs["read_as"]
    assert "--count" in votes.attrs["read_as"]


def test_a_table_of_counts_counts():
    cells = single().groupby(["model_a", "model_b", "winner"]).size().rename("n").reset_index()
    assert float(lb.read_votes(cells)["weight"].sum()) == 60.0


def test_two_columns_that_may_count():
    cells = single().groupby(["model_a", "model_b", "winner"]).size().rename("count").reset_index()
    with pytest.raises(lb.ScoresError, match="which column is how many votes"):
        lb.read_votes(cells.assign(votes=cells["count"] + 1))


KNOWN = {
    "an id": {"vote_id": np.arange(60)[::-1]},
    "judge and prompt": {"judge": np.arange(60) % 7, "prompt_id": np.arange(60) // 2},
    "judge and clock": {
        "judge": np.arange(60) % 7,
        "tstamp": pd.date_range("2026-01-01", periods=60, freq="s"),
    },
}


@pytest.mark.parametrize("known", KNOWN)
def test_rows_that_are_copies_are_warned_of(known, write):
    table = single(**KNOWN[known])
    lb.read_votes(table)
    twice = pd.concat([table, table.iloc[3:8]], ignore_index=True)
    for source in (twice, write(twice.to_csv(index=False)), write(twice.to_csv())):
        said = r"LB048 .*: 5 rows repeat others .*(line 62 is line 5|row 60 .* is row 3) .*leave"
        with pytest.warns(lb.LeaderbayesWarning, match=said):
            lb.read_votes(source)
    for numbered in (twice.reset_index(), pd.read_csv(write(twice.to_csv()))):
        with pytest.warns(lb.LeaderbayesWarning) as caught:
            lb.read_votes(numbered)
        line = re.search(r"table\.drop_duplicates\(.*?\]\)\)", str(caught[0].message))[0]
        assert len(eval(line, {"table": numbered})) == 60
    # What differs in anything is no copy.
    lb.read_votes(twice.assign(answer=[f"text {k}" for k in range(65)]))


def test_votes_in_several_tournaments_are_warned_of():
    table = single(vote_id=np.arange(60), category="all")
    both = pd.concat([table, table.head(15).assign(category="code")], ignore_index=True)
    said = r"LB048 .*: 15 votes are there again in another tournament: .*study\.fit"
    with pytest.warns(lb.LeaderbayesWarning, match=said):
        lb.read_votes(both, tournament="category")
    # Numbered in each tournament by themselves: ids are the same, and votes are not.
    winners = table["winner"].to_numpy()[::-1]
    others = single(vote_id=np.arange(60), category="code").assign(winner=winners)
    lb.read_votes(pd.concat([table, others], ignore_index=True), tournament="category")
    # Without an id nothing tells that two are the same.
    lb.read_votes(both.drop(columns="vote_id"), tournament="category")


@pytest.mark.parametrize(
    "columns",
    [
        {},
        {"judge": np.arange(60) % 3},
        {"prompt_id": np.arange(60) % 3},
        {"judge": np.arange(60) % 3, "date": "2026-01-01"},
        {"judge": "llm", "prompt_id": np.arange(60) % 3},  # which votes again, and otherwise
    ],
)
def test_votes_that_may_be_alike_are_not(columns):
    table = single(**columns)
    votes = lb.read_votes(pd.concat([table, table.head(20)]))
    assert votes.sizes["vote"] == 80


@pytest.mark.parametrize("beside", [{"date": "2026-01-01"}, {"match_id": np.arange(60)}])
def test_matches_told_by_both_players_are_warned_of(beside):
    table = single(**beside)
    turned = table.rename(columns={"model_a": "model_b", "model_b": "model_a"})
    turned["winner"] = table["winner"].map({"model_a": "model_b", "model_b": "model_a"})
    both = pd.concat([table, turned], ignore_index=True)
    said = r"LB048 .*each of the 120 votes is there from the other side.*\['model_a'\] < table"
    with pytest.warns(lb.LeaderbayesWarning, match=said):
        lb.read_votes(both)
    kept = both[both["model_a"] < both["model_b"]]
    assert lb.read_votes(kept).sizes["vote"] == 60


def test_votes_from_both_sides_are_said():
    table = single()
    turned = table.rename(columns={"model_a": "model_b", "model_b": "model_a"})
    turned["winner"] = table["winner"].map({"model_a": "model_b", "model_b": "model_a"})
    said = lb.read_votes(pd.concat([table, turned])).attrs["read_as"]
    assert "every vote is there from the other side" in said
    assert "other side" not in lb.read_votes(table).attrs["read_as"]
