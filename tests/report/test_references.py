"""References that reports cite."""

from pathlib import Path

import pytest

import leaderbayes as lb
from leaderbayes.report._references import as_bibtex, entries, listed, short

REFERENCES = Path(lb.report.__file__).parent / "references.bib"


def test_entries_are_whole():
    for kind, fields in entries().values():
        needed = {"author", "title"} | {"article": {"journal", "year"}}.get(kind, set())
        assert needed <= set(fields)
    assert len(entries()) == REFERENCES.read_text(encoding="utf-8").count("@")


def test_references_are_those_of_the_citation_file():
    """What CITATION.cff asks to cite, reports cite with the same title, year and place."""
    asked = (Path(__file__).parents[2] / "CITATION.cff").read_text(encoding="utf-8")
    keys = {"gosiewska2022", "gajda2022", "mollersen2025"}
    for key in keys:
        _, fields = entries()[key]
        assert f"doi: {fields['doi']}" in asked
        block = next(part for part in asked.split("  - type: article") if fields["doi"] in part)
        for name in ("title", "journal", "year"):
            assert fields[name] in block
    assert asked.count("- type: article") == len(keys)


@pytest.mark.parametrize("key", entries())
def test_every_reference_is_written_out(key):
    (text,) = listed([key], "1.2.3")
    _, fields = entries()[key]
    assert fields["year"] in text
    assert short(key).endswith(f", {fields['year']}")
    # The first author begins both.
    assert text.startswith(short(key).split(" et al.")[0].split(" & ")[0].split(", ")[0])
    assert not set("{}$\\") & set(text)
    assert "VERSION" not in text
    assert "VERSION" not in as_bibtex([key], "1.2.3")


def test_two_authors_are_named_and_more_are_not():
    for key, (_, fields) in entries().items():
        count = len(fields["author"].split(" and "))
        assert (" & " in short(key)) == (count == 2)
        assert (" et al., " in short(key)) == (count > 2)
