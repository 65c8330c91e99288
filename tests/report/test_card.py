"""Cards of the models on the page."""

from pathlib import Path

import pytest

import leaderbayes as lb
from leaderbayes.report._card import SECTIONS, card_of

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("folder", [p.parent for p in sorted(ROOT.glob("models/*/model.py"))])
def test_every_model_has_its_card(folder):
    card = card_of(folder.name)
    assert tuple(card.sections) == SECTIONS
    text = "".join(card.sections.values())
    assert "<math" in text
    assert "$" not in text
    assert "<img" not in text
    assert "<a " not in text


def test_model_without_card(laplace, tmp_path):
    own = laplace.copy()
    own.attrs["model"] = "my <model>"
    assert "my &lt;model&gt;" in lb.report.html(own, tmp_path / "p.html").read_text("utf-8")
