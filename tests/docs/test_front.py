"""Pages say first what they answer; the gallery has every figure; llms.txt every page."""

import importlib
import re
from pathlib import Path

import pytest

import leaderbayes as lb

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(DOCS.glob("*.md"))
CELL = re.compile(r"^```{code-cell}\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def llms():
    """The module docs/llms.py."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DOCS))
        yield importlib.import_module("llms")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_begins_with_one_sentence_of_what_it_answers(llms, page):
    title, sentence = llms.first_of(page)
    assert title
    assert sentence.endswith("?"), "the first paragraph is the question that the page answers"
    assert not re.search(r"[.?!] ", sentence), "one sentence"
    assert len(sentence) < 140


def test_contents_have_every_page(llms):
    assert sorted([*llms.pages(), DOCS / "index.md"]) == PAGES


def test_llms_txt_is_of_these_pages(llms):
    assert llms.FILE.read_text(encoding="utf-8") == llms.listed(), "python docs/llms.py"


def test_landing_has_its_doors():
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    for door in ("I have scores", "I have items", "I have votes", "Is this table real?"):
        assert f"item-card}} {door}\n" in text
    heads = {
        re.sub(r"[^a-z0-9- ]", "", line[3:].lower()).replace(" ", "-")
        for line in (DOCS / "how_to.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("## ")
    }
    assert set(re.findall(r"how_to\.html#(\S+)", text)) <= heads
    # Sphinx does not check what is a plain URL, so names of pages are checked here.
    for link in re.findall(r"^:link: (\S+)$", text, re.MULTILINE):
        assert (DOCS / f"{link.split('.html')[0]}.md").exists(), link


def test_gallery_has_every_figure():
    cells = "\n".join(CELL.findall((DOCS / "gallery.md").read_text(encoding="utf-8")))
    assert set(re.findall(r"lb\.plots\.(\w+)", cells)) == set(lb.plots.__all__)


def test_every_code_of_a_warning_has_its_section():
    text = (DOCS / "warnings.md").read_text(encoding="utf-8")
    said = set(re.findall(r"^## (LB\d{3})", text, re.MULTILINE))
    source = "\n".join(
        path.read_text(encoding="utf-8") for path in Path(lb.__file__).parent.rglob("*.py")
    )
    assert set(re.findall(r"\bLB\d{3}\b", source)) <= said


def test_readme_is_one_screen():
    lines = (DOCS.parent / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 80
