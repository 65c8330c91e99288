"""Numbers, verdicts and settings in words."""

import json

import pytest

from conftest import board
from leaderbayes.report._style import number
from leaderbayes.report._verdicts import data, interval, probability, settings, span, verdict

FIT = {
    "model": "bradley_terry",
    "arguments": json.dumps({"sampler": "nutpie", "tune": None, "ties": "half"}),
    "versions": json.dumps({"pymc": "6.4.0", "numpy": "2.5.5"}),
    "weight": 0.4321,
    "seed": 7,
    "converged": 1,
    "max_rhat": 1.0042,
    "min_ess": 812.6,
    "divergences": 0,
    "warnings": "[]",
}


def test_minus_signs_are_as_wide_as_digits():
    assert number(-1.234) == "−1.23"
    assert number(1.0, 0) == "1"
    assert interval(-0.5, 0.25, 1) == "−0.5 to 0.2"


@pytest.mark.parametrize(
    ("p", "shown"),
    [
        (0.0, "<0.01"), (0.0049, "<0.01"), (0.005, "0.01"), (0.5, "0.50"),
        (0.995, "0.99"), (0.9951, ">0.99"), (1.0, ">0.99"),
    ],
)  # fmt: skip
def test_nothing_is_certain(p, shown):
    assert probability(p) == shown


def test_a_range_of_one_number_is_the_number():
    assert span(3, 3) == "3"
    assert span(1, 12) == "1–12"


@pytest.mark.parametrize(
    ("changes", "checked", "kind", "begins"),
    [
        ({}, None, "good", "Converged: "),
        ({}, "good", "good", "Converged: "),
        ({}, "care", "care", "Converged; the board varies less"),
        ({}, "bad", "care", "Converged, but the model does not describe"),
        ({"warnings": '["LB016"]'}, "bad", "care", "Converged, but the model does not describe"),
        ({"warnings": '["LB016"]'}, "good", "care", "Converged, with warnings"),
        ({"converged": 0}, "bad", "bad", "Not converged"),
    ],
)
def test_a_verdict_is_good_only_where_the_check_agrees(changes, checked, kind, begins):
    made = verdict(FIT | changes, checked)
    assert made["kind"] == kind
    assert made["text"].startswith(begins)


@pytest.mark.parametrize(
    ("changes", "kind", "begins"),
    [
        ({}, "good", "Converged: these numbers can be reported."),
        ({"converged": 0}, "bad", "Not converged"),
        ({"converged": 0, "warnings": '["LB001"]'}, "bad", "Not converged"),
        ({"warnings": '["LB011"]'}, "care", "Converged, with warnings"),
    ],
)
def test_a_verdict_is_as_good_as_the_worst_that_is_known(changes, kind, begins):
    made = verdict(FIT | changes)
    assert made["kind"] == kind
    assert made["text"].startswith(begins)
    assert made["warnings"] == json.loads((FIT | changes)["warnings"])


def test_diagnostics_are_those_that_a_fit_has():
    assert verdict(FIT)["facts"] == [
        ("Largest R-hat", "1.004", "below 1.01"),
        ("Smallest effective sample size", "813", "above 400"),
        ("Divergent transitions", "0", "none"),
    ]
    independent = FIT | {"sampler": "laplace", "max_rhat": float("nan")}
    assert [name for name, *_ in verdict(independent)["facts"]] == [
        "Smallest effective sample size"
    ]


def test_settings_are_all_arguments_by_name():
    assert settings(FIT) == [
        ("Model", "bradley_terry"), ("Weight of a match", "0.432"), ("sampler", "nutpie"),
        ("ties", "half"), ("tune", "default"), ("Seed", "7"),
        ("Versions", "pymc 6.4.0, numpy 2.5.5"),
    ]  # fmt: skip
    assert settings({"model": "mine"}) == [("Model", "mine")]


def test_settings_say_what_a_test_fraction_is_about():
    """Of several tournaments it is about these, or new ones."""
    for model, said in (("bradley_terry", 1), ("tournaments", 0)):
        rows = settings({"model": model, "arguments": '{"test_fraction": 0.2}'})
        about = [text for name, text in rows if name == "Intervals are about"]
        assert [text.startswith("fresh data sets of this size") for text in about] == [True] * said
        assert ("test_fraction", "0.2") in rows


def test_settings_say_why_nuts_drew():
    rows = settings({"model": "mine", "why_nuts": "Pareto k 0.92 (below 0.7 is good)"})
    assert rows[1:] == [
        ("NUTS in place of Laplace's proposals", "Pareto k 0.92 (below 0.7 is good)")
    ]


def test_data_count_what_is_missing_and_hide_folders():
    scores = board([[1.0, float("nan")], [2.0, 3.0]], higher_is_better=False)
    scores.attrs |= {"source": "/home/somebody/secret/scores.csv", "tournament": "iris"}
    assert data(scores) == [
        ("Tournament", "iris"), ("Players", "2"), ("Rounds", "2"), ("Scores", "3 of 4"),
        ("Better is", "lower"), ("What plays", "Model/CV"), ("Source", "scores.csv"),
    ]  # fmt: skip
    assert ("Scores", "2") in data(scores.dropna("round"))
