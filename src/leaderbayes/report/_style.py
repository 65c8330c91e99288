"""How reports write numbers, and how their prose is filled in: as text, or as LaTeX.

The prose stands once, in ``templates/text``. Whatever a template prints is escaped, unless it is
`Ready`: names of players may hold anything.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined

from leaderbayes._files.printed import clean, escaped, probability
from leaderbayes._numerics.intervals import two_digits
from leaderbayes.report._references import short


def number(value: float, digits: int = 2) -> str:
    """Write a number with so many decimals and a typographic minus sign; zero has no sign."""
    if np.isnan(value):
        return "undefined"
    shown = f"{value:.{digits}f}"
    return shown.lstrip("-") if float(shown) == 0.0 else shown.replace("-", "−")


def rough(value: float) -> str:
    """Write a number with two significant digits."""
    return two_digits(value).replace("-", "−")


def amount(value: float) -> str:
    """Write how many there are of something, which weights may make fractions."""
    return f"{value:,.0f}" if float(value).is_integer() or value > 1e5 else f"{value:,.1f}"


def interval(low: float, high: float, digits: int = 2) -> str:
    """Write an interval."""
    return f"{number(low, digits)} to {number(high, digits)}"


def against(p: float, level: float) -> str:
    """Write a probability with as many decimals as show on which side of a level it is."""
    shown, digits = probability(p), 2
    while shown[0] not in "<>" and (float(shown) >= level) != (p >= level):
        digits += 1
        shown = f"{p:.{digits}f}"
    return shown


def percent(share: float) -> str:
    """Write a share in percent; little is not nothing, and nearly all is not all."""
    if 0.0 < share < 0.001:
        return "<0.1%"
    return ">99.9%" if 0.999 < share < 1.0 else f"{100.0 * share:.1f}%"


def count(value: int, singular: str, plural: str | None = None) -> str:
    """Write how many there are of something."""
    return f"{value:,} {singular if value == 1 else plural or singular + 's'}"


def several(names: Iterable[str], most: int = 6) -> str:
    """Enumerate names, the first few of many."""
    every = list(names)
    if len(every) > most:
        return f"{', '.join(every[: most - 1])} and {len(every) - most + 1} others"
    return f"{', '.join(every[:-1])} and {every[-1]}" if len(every) > 1 else every[0]


_FILTERS: dict[str, Callable[..., str]] = {
    "number": number, "rough": rough, "amount": amount, "interval": interval,
    "probability": probability, "against": against, "percent": percent, "count": count,
    "several": several, "given": lambda value: f"{value:g}",
    "level": lambda prob: f"{100.0 * prob:.6g}%",
}  # fmt: skip


class Ready(str):
    """Text that needs no escaping any more."""

    __slots__ = ()


class Style:
    """Templates' environment of one kind of output, which notes what it has cited.

    ``escape`` writes text, ``math`` formulas, in which letters are Greek and minus signs
    typographic, ``cite`` keys of references; ``table`` is how paragraphs refer to the table.
    """

    def __init__(
        self, escape: Callable[[str], str], math: Callable[[str], str],
        cite: Callable[[Sequence[str]], str], table: str,
    ) -> None:  # fmt: skip
        self.cited: list[str] = []
        self.escape, self._cite = escape, cite
        # LaTeX uses braces and percent signs: delimiters are others.
        self.environment = Environment(
            block_start_string="<%", block_end_string="%>",
            variable_start_string="<<", variable_end_string=">>",
            comment_start_string="<#", comment_end_string="#>",
            keep_trailing_newline=True, undefined=StrictUndefined, finalize=self._finalize,
            loader=PackageLoader("leaderbayes.report"),
        )  # fmt: skip
        self.environment.filters.update(_FILTERS, ready=Ready, math=lambda text: Ready(math(text)))
        self.environment.globals.update(cite=self.cite, table=Ready(table))

    def render(self, template: str, facts: dict[str, Any]) -> str:
        """Fill in a template; its lines with tags alone leave no lines."""
        layout = self.environment.overlay(trim_blocks=True, lstrip_blocks=True)
        return layout.get_template(f"text/{template}").render(facts)

    def paragraph(self, template: str, facts: dict[str, Any]) -> str:
        """Fill in a template of prose; its line ends are spaces."""
        text = " ".join(self.environment.get_template(f"text/{template}").render(facts).split())
        return text.replace(" .", ".").replace(" ,", ",").replace(" ;", ";")

    def cite(self, *keys: str) -> Ready:
        """Cite references."""
        self.cited += keys
        return Ready(self._cite(keys))

    def _finalize(self, value: Any) -> str:
        return value if isinstance(value, Ready) else self.escape(str(value))


def text_style() -> Style:
    """Open the style of plain text."""
    return Style(
        clean, lambda text: text.replace("{", "").replace("}", ""),
        lambda keys: f"({'; '.join(map(short, keys))})", "Table 1",
    )  # fmt: skip


def latex_style() -> Style:
    """Open the style of LaTeX."""
    return Style(
        escaped, formula, lambda keys: rf"\citep{{{','.join(keys)}}}",
        r"Table~\ref{tab:leaderboard}",
    )  # fmt: skip


_MATH = {
    "−": "-", "R-hat": r"\widehat{R}", "θ": r"\theta ", "ν": r"\nu ", "τ": r"\tau ",
}  # fmt: skip
_WORD = re.compile(r"(?<!\\)\b[a-z]{3,}\b")


def formula(text: str) -> str:
    """Write one of our own formulas in LaTeX's math mode."""
    for sign, command in _MATH.items():
        text = text.replace(sign, command)
    return f"${_WORD.sub(r'\\mathrm{\g<0>}', text)}$"
