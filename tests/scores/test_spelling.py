"""Names that look the same are one name, or are told of."""

import unicodedata

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import leaderbayes as lb
from leaderbayes._scores.spelling import alike, clean


@given(name=st.text())
def test_clean_names_stay(name):
    once = clean(name)
    assert clean(once) == once
    assert clean(unicodedata.normalize("NFD", name)) == clean(unicodedata.normalize("NFC", name))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Zoe\u0308", "Zo\u00eb"),
        ("my\u00a0model", "my model"),
        ("\u3000a\u2009b\u200b", "a b"),
        ("\ufeffsvm\u00ad", "svm"),
        (" a b ", "a b"),
        ("a\nb", "a\nb"),
        ("\U0001f468\u200d\U0001f4bb", "\U0001f468\u200d\U0001f4bb"),
        ("２", "２"),
    ],
)
def test_what_becomes_of_names(name, expected):
    assert clean(name) == expected


def test_names_that_differ_in_case_or_width_only():
    names = ["SVM", "svm", "rf", "ＲＦ", "r f", "1", "1.0", "10", "01", "-1"]
    assert alike(names) == [("SVM", "svm"), ("rf", "ＲＦ", "r f"), ("1", "1.0")]
    assert alike(["a", "b"]) == []


def test_two_spellings_are_one_player():
    rows = [("Zo\u00eb", 1, 0.1), ("Zoe\u0308", 2, 0.2), ("b\u00a0c", 1, 0.3), ("b c", 2, 0.4)]
    table = pd.DataFrame(rows, columns=["player", "round", "score"])
    scores = lb.read_scores(table)
    assert list(scores["player"].values) == ["Zo\u00eb", "b c"]
    assert scores.notnull().all()
    with pytest.raises(lb.ScoresError, match=r"row 1 .*a second score for player 'Zoë'"):
        lb.read_scores(table.assign(round=1))
    wide = pd.DataFrame([[1, 0.1, 0.2]], columns=["fold", "Zo\u00eb", "Zoe\u0308"])
    with pytest.raises(lb.ScoresError, match="two columns are called 'Zoë'"):
        lb.read_scores(wide)


def test_names_that_look_alike_are_told_of():
    table = pd.DataFrame({"fold": [1, 2], "SVM": [0.1, 0.2], "svm": [0.2, 0.1]})
    with pytest.warns(lb.LeaderbayesWarning, match="LB041 .* players .*: 'SVM', 'svm'; if"):
        assert lb.read_scores(table).sizes["player"] == 2
