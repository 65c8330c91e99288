"""Excerpts of the models' cards, as HTML with mathematics that browsers draw by themselves."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup
from mdit_py_plugins.dollarmath import dollarmath_plugin

# In the page's order; of References is made how to cite.
SECTIONS = (
    "Question it answers",
    "Generative story",
    "Assumptions and how they fail",
    "When to use, when not",
    "References",
)


class Card(NamedTuple):
    """Title of a model, and HTML of the card's sections by their headings."""

    title: str
    sections: dict[str, Markup]


@cache
def card_of(model: str, label: str) -> Card:
    """Read the card of a model; one without a card has a title alone."""
    source = next((path for path in places(model) if path.is_file()), None)
    if source is None:
        return Card(label, {})
    markdown = MarkdownIt("commonmark").enable("table").use(dollarmath_plugin, renderer=_mathml)
    tokens = markdown.parse(source.read_text(encoding="utf-8"))
    title = next(token.content for token in tokens if token.type == "inline")
    sections = {
        heading: Markup(markdown.renderer.render(body, markdown.options, {}))
        for heading, body in _sections(tokens)
    }
    return Card(title, {name: sections[name] for name in SECTIONS if name in sections})


def places(model: str) -> tuple[Path, Path]:
    """Return where the card of a model lies in a wheel, and in a checkout."""
    here = Path(__file__).parent
    return (here / "cards" / model / "README.md", here.parents[2] / "models" / model / "README.md")


def _mathml(formula: str, options: dict[str, bool]) -> str:
    # Words as words, not as products of letters; "is distributed as" spaced as a relation.
    formula = formula.replace(r"\mathrm{", r"\text{")
    drawn: str = convert(formula, display="block" if options["display_mode"] else "inline")
    return drawn.replace("<mi>&#x0007E;</mi>", "<mo>∼</mo>")


def _sections(tokens: list[Token]) -> Iterator[tuple[str, list[Token]]]:
    """Return each heading of the second level, and what stands below it."""
    starts = [k for k, t in enumerate(tokens) if t.type == "heading_open" and t.tag == "h2"]
    for start, end in zip(starts, [*starts[1:], len(tokens)], strict=True):
        yield tokens[start + 1].content, list(_alone(tokens[start + 3 : end]))


def _alone(tokens: list[Token]) -> Iterator[Token]:
    """Drop what a page by itself does not have: figures, and links into the repository."""
    for first, token in enumerate(tokens):
        if token.children is None:
            yield token
            continue
        kept = [t for t in token.children if t.type not in ("image", "link_open", "link_close")]
        if not kept:
            # A paragraph of a figure only: its two ends go with it.
            tokens[first - 1].hidden = tokens[first + 1].hidden = True
        token.children = kept
        yield token
