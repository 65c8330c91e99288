"""The site's landing page, gallery and llms.txt have what they list."""

import importlib
import re

import pytest

import leaderbayes as lb
from prose import DOCS, PAGES, sentences

CELL = re.compile(r"^```{code-cell}\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def llms():
    """The module docs/llms.py."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DOCS))
        yield importlib.import_module("llms")


def test_contents_have_every_page(llms):
    assert sorted([*llms.pages(), DOCS / "index.md"]) == PAGES


def test_llms_txt_is_of_these_pages(llms):
    assert llms.FILE.read_text(encoding="utf-8") == llms.listed(), "python docs/llms.py"


def test_landing_has_its_doors():
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    for door in ("I have scores", "I have items", "I have votes", "Is this table real?"):
        assert f"item-card}} {door}\n" in text
    # Sphinx does not check what is a plain URL, so names of pages are checked here.
    for link in re.findall(r"^:link: (\S+)$", text, re.MULTILINE):
        assert (DOCS / f"{link.split('.html')[0]}.md").exists(), link


def test_gallery_has_every_figure():
    cells = "\n".join(CELL.findall((DOCS / "gallery.md").read_text(encoding="utf-8")))
    assert set(re.findall(r"lb\.plots\.(\w+)", cells)) == set(lb.plots.__all__)


def test_pages_are_short_and_plain():
    """A page has at most 1500 words, all have 22 000, and a sentence has 40."""
    words = {page: len(page.read_text(encoding="utf-8").split()) for page in PAGES}
    assert not {page: n for page, n in words.items() if n > 1500}
    assert sum(words.values()) <= 22_000
    root = DOCS.parent
    texts = [*PAGES, *root.glob("[A-Z]*.md"), *root.glob("models/*/README.md")]
    said = [one for text in texts for one in sentences(text.read_text(encoding="utf-8"))]
    assert not [one for one in said if len(one.split()) > 40]
