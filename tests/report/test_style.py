"""Numbers and names as they are written."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import leaderbayes.report
from leaderbayes.report._facts import labels
from leaderbayes.report._style import (
    against,
    amount,
    count,
    formula,
    number,
    percent,
    probability,
    rough,
    several,
)


@given(st.floats(0.0, 1.0))
def test_probabilities_are_never_rounded_to_certainty(p):
    shown = probability(p)
    assert float(shown.lstrip("<>")) not in (0.0, 1.0)
    if shown[0] not in "<>":
        assert abs(float(shown) - p) <= 0.005 + 1e-12


@pytest.mark.parametrize(
    ("made", "shown"),
    [
        (probability(0.9704), "0.97"), (probability(0.9996), ">0.99"),
        (probability(0.004), "<0.01"),
        (probability(float("nan")), "undefined"), (number(-0.001, 2), "0.00"),
        (number(-1.005, 1), "−1.0"), (number(float("nan")), "undefined"),
        (percent(0.0002), "<0.1%"), (percent(0.99999), ">99.9%"), (percent(0.25), "25.0%"),
        (rough(-0.0834), "−0.083"), (rough(0.00004), "0.00004"), (rough(1.0), "1"),
        (amount(1234.0), "1,234"), (amount(12.5), "12.5"), (count(1, "round"), "1 round"),
        (count(2000, "degree of freedom", "degrees of freedom"), "2,000 degrees of freedom"),
        (several(["a"]), "a"), (several("abc"), "a, b and c"),
        (several("abcdefgh"), "a, b, c, d, e and 3 others"),
    ],
)  # fmt: skip
def test_rounding(made, shown):
    assert made == shown


def test_probability_shows_on_which_side_of_the_level_it_is():
    assert against(0.9496, 0.95) == "0.9496"
    assert against(0.948, 0.95) == "0.948"
    assert against(0.951, 0.95) == "0.95"
    assert against(0.9999, 0.95) == ">0.99"


def test_labels_are_unique_and_in_one_line():
    names = ["x" * 70 + str(k) for k in range(3)] + ["y", "y\u200b", "", "\n"]
    shown = labels(names)
    assert len(set(shown.values())) == len(set(names))
    assert all(len(text) < 65 and text.isprintable() for text in shown.values())
    assert labels(["a  b"]) == {"a  b": "a b"}


def test_formulas_are_of_signs_that_latex_knows():
    templates = Path(leaderbayes.report.__file__).parent / "templates" / "text"
    texts = "".join(path.read_text(encoding="utf-8") for path in templates.rglob("*.jinja"))
    found = re.findall(r'"([^"]*)" \| math', texts)
    assert len(found) > 15
    for text in found:
        assert formula(text).isascii(), text
