"""Numbers and names as text and as LaTeX."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import leaderbayes.report
from leaderbayes.report._style import (
    against,
    formula,
    labels,
    number,
    percent,
    probability,
    rough,
)


@given(st.floats(0.0, 1.0))
def test_probabilities_are_never_rounded_to_certainty(p):
    shown = probability(p)
    assert float(shown.lstrip("<> ")) not in (0.0, 1.0)
    if shown[0] not in "<>":
        assert abs(float(shown) - p) <= 0.005 + 1e-12


@pytest.mark.parametrize(
    ("made", "shown"),
    [
        (probability(0.9704), "0.97"), (probability(0.9996), "> 0.999"),
        (probability(0.0004), "< 0.001"), (probability(0.9949), "0.995"),
        (probability(0.004), "0.004"), (probability(1.0), "> 0.999"),
        (probability(0.5), "0.50"), (probability(0.0, 2), "< 0.01"),
        (number(-0.001, 2), "0.00"), (number(-1.005, 1), "−1.0"), (percent(0.0002), "< 0.1%"),
        (percent(0.99999), "> 99.9%"), (percent(0.25), "25.0%"),
        (rough(-0.0834), "−0.083"), (rough(0.00004), "0.00004"), (rough(1.0), "1"),
    ],
)  # fmt: skip
def test_rounding(made, shown):
    assert made == shown


def test_probability_shows_on_which_side_of_the_level_it_is():
    assert against(0.9496, 0.95, 3) == "0.9496"
    assert against(0.948, 0.95, 3) == "0.948"
    assert against(0.951, 0.95, 3) == "0.95"
    assert against(0.9499, 0.95, 2) == "0.9499"
    assert against(0.9999, 0.95, 3) == "> 0.999"


def test_labels_are_unique():
    names = ["x" * 70 + str(k) for k in range(3)] + ["y", "y\u200b"]
    assert len(set(labels(names).values())) == 5
    assert labels(["a  b"]) == {"a  b": "a b"}


def test_formulas_are_of_signs_that_latex_knows():
    templates = Path(leaderbayes.report.__file__).parent / "templates"
    texts = "".join(path.read_text(encoding="utf-8") for path in templates.glob("*.jinja"))
    found = re.findall(r'"([^"]*)"(?: if [^|>]*)?\)? \| math', texts)
    assert len(found) > 40
    for text in found:
        assert formula(text).isascii(), text
