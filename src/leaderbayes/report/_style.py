"""How a report writes numbers, names, formulas and citations: as text, or as LaTeX.

The prose of a report stands once, in ``templates``; a style fills it in. Whatever a template
prints is escaped, unless this file has made it: names of players may hold anything.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from leaderbayes._files.printed import clean, escaped
from leaderbayes._numerics.decimals import two_digits
from leaderbayes.report._references import short

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
LONGEST = 60  # characters of a name; the rest says less than it takes room


class Ready(str):
    """Text that needs no escaping any more."""

    __slots__ = ()


class Style:
    """Templates' environment of one kind of output, and the keys that it has cited.

    Parameters
    ----------
    escape : callable
        Of text.
    math : callable
        Of formulas, in which letters are Greek and minus signs typographic.
    cite : callable
        Of keys of references.
    table : str
        How the paragraphs name the table.
    draws : int, optional
        Posterior draws: with fewer than 1000 a probability has two decimals at most.
    """

    def __init__(
        self,
        escape: Callable[[str], str],
        math: Callable[[str], str],
        cite: Callable[[Sequence[str]], str],
        table: str,
        draws: int | None,
    ) -> None:
        self.cited: list[str] = []
        self._escape, self._math, self._cite = escape, math, cite
        # LaTeX uses braces and percent signs: delimiters are others.
        self.environment = Environment(
            block_start_string="<%", block_end_string="%>",
            variable_start_string="<<", variable_end_string=">>",
            comment_start_string="<#", comment_end_string="#>",
            keep_trailing_newline=True, undefined=StrictUndefined, finalize=self._finalize,
            loader=FileSystemLoader(Path(__file__).parent / "templates"),
        )  # fmt: skip
        decimals = 3 if draws is None or draws >= 1000 else 2

        def ready(function: Callable[..., str]) -> Callable[..., Ready]:
            return lambda *values, **options: Ready(function(*values, **options))

        def bounds(low: str, high: str) -> str:
            # Two formulas: LaTeX breaks no line within one.
            return f"{math(f'[{low}')}, {math(f'{high}]')}"

        self.environment.filters.update(
            math=ready(math),
            logodds=ready(lambda value: math(number(value))),
            interval=ready(
                lambda low, high, digits=2: bounds(number(low, digits), number(high, digits))
            ),
            probabilities=ready(
                lambda low, high: bounds(probability(low, decimals), probability(high, decimals))
            ),
            probability=ready(lambda p: math(probability(p, decimals))),
            related=ready(lambda symbol, p: math(f"{symbol} {relation(p, decimals)}")),
            against=ready(lambda p, level: math(against(p, level, decimals))),
            padded=ready(lambda p: self._padded(probability(p, decimals), decimals)),
            number=ready(lambda value, digits: math(number(value, digits))),
            given=ready(lambda value: math(f"{value:g}")),
            rough=ready(lambda value: math(rough(value))),
            equal=ready(
                lambda symbol, value, exact=False: math(
                    f"{symbol} = {value:g}" if exact else f"{symbol} = {rough(value)}"
                )
            ),
            level=ready(lambda prob: escape(f"{100.0 * prob:.6g}%")),
            percent=ready(lambda share: escape(percent(share))),
            ready=Ready,
            count=count,
            several=several,
        )
        self.environment.globals.update(cite=self.cite, table=Ready(table))

    def render(self, template: str, facts: dict[str, Any]) -> str:
        """Fill in a template; its lines with tags alone leave no lines."""
        layout = self.environment.overlay(trim_blocks=True, lstrip_blocks=True)
        return layout.get_template(template).render(facts)

    def paragraph(self, template: str, facts: dict[str, Any]) -> str:
        """Fill in a template of prose; its line ends are spaces."""
        return " ".join(self.environment.get_template(template).render(facts).split())

    def cite(self, *keys: str) -> Ready:
        """Cite references."""
        self.cited += keys
        return Ready(self._cite(keys))

    def _padded(self, shown: str, decimals: int) -> str:
        """Widen a number that has fewer decimals, so that points stand below each other."""
        if not (lacking := decimals - len(shown.rpartition(".")[2])):
            return self._math(shown)
        room = " " * lacking if self._escape is clean else rf"\phantom{{{'0' * lacking}}}"
        return self._math(shown) + room

    def _finalize(self, value: Any) -> str:
        return value if isinstance(value, Ready) else self._escape(str(value))


def text_style(draws: int | None) -> Style:
    """Open the style of plain text."""
    return Style(clean, unbraced, lambda keys: f"({'; '.join(map(short, keys))})", "Table 1", draws)


def latex_style(draws: int | None) -> Style:
    """Open the style of LaTeX."""
    table = r"Table~\ref{tab:leaderboard}"
    return Style(escaped, formula, lambda keys: rf"\citep{{{','.join(keys)}}}", table, draws)


# -- numbers ---------------------------------------------------------------------------------------


def number(value: float, digits: int = 2) -> str:
    """Write a number with so many decimals and a minus sign as wide as they; zero has no sign."""
    if np.isnan(value):
        return "undefined"
    shown = f"{value:.{digits}f}"
    return shown.lstrip("-") if float(shown) == 0.0 else shown.replace("-", "−")


def rough(value: float) -> str:
    """Write a number with two significant digits, and a minus sign as `number` does."""
    return two_digits(value).replace("-", "−")


def probability(p: float, decimals: int = 3) -> str:
    """Write a probability: two decimals, three near 0 and 1, where it is never rounded to them."""
    if np.isnan(p):
        return "undefined"
    least = 10.0**-decimals
    if p < least:
        return f"< {least:g}"
    if p > 1.0 - least:
        return f"> {1.0 - least:g}"
    return f"{p:.{2 if 0.01 <= p <= 0.99 else decimals}f}"


def relation(p: float, decimals: int) -> str:
    """Write a probability with its sign: "= 0.97", "> 0.999"."""
    shown = probability(p, decimals)
    return shown if shown[0] in "<>" else f"= {shown}"


def against(p: float, level: float, decimals: int) -> str:
    """Write a probability with as many decimals as show on which side of a level it is."""
    shown = probability(p, decimals)
    digits = 2
    while shown[0] not in "<>" and (float(shown) >= level) != (p >= level):
        digits += 1
        shown = f"{p:.{digits}f}"
    return shown


def percent(share: float) -> str:
    """Write a share in percent; little is not nothing, and nearly all is not all."""
    if 0.0 < share < 0.001:
        return "< 0.1%"
    return "> 99.9%" if 0.999 < share < 1.0 else f"{100.0 * share:.1f}%"


def count(value: int, singular: str, plural: str | None = None, *, words: bool = False) -> str:
    """Write how many there are of something; up to nine in words, if asked to."""
    shown = _NUMBERS[value] if words and value < len(_NUMBERS) else f"{value:,}"
    return f"{shown} {singular if value == 1 else plural or singular + 's'}"


def several(names: Iterable[str], most: int = 6) -> str:
    """Enumerate names, the first few of many."""
    every = list(names)
    if len(every) > most:
        return f"{', '.join(every[: most - 1])} and {len(every) - most + 1} others"
    return f"{', '.join(every[:-1])} and {every[-1]}" if len(every) > 1 else every[0]


# -- names -----------------------------------------------------------------------------------------


def labels(names: Iterable[object]) -> dict[str, str]:
    """Give each name in one line of printable characters, cut where it is long, and each once."""
    every = list(map(str, names))
    shown = (clean(name) or "(no name)" for name in every)
    cut = (s if len(s) <= LONGEST else f"{s[: LONGEST - 1].rstrip()}…" for s in shown)
    return dict(zip(every, distinct(cut), strict=True))


def distinct(texts: Iterable[str]) -> list[str]:
    """Put a number behind each text that stands there already: "a", "a (2)"."""
    taken: dict[str, None] = {}
    for text in texts:
        label, again = text, 1
        while label in taken:
            again += 1
            label = f"{text} ({again})"
        taken[label] = None
    return list(taken)


def unbraced(text: str) -> str:
    """Write one of our own formulas in plain text."""
    return text.replace("{", "").replace("}", "")


# -- LaTeX -----------------------------------------------------------------------------------------

_MATH = {
    "−": "-", "√θ": r"\sqrt{\theta}", "R-hat": r"\widehat{R}", "β": r"\beta ", "δ": r"\delta ",
    "η": r"\eta ", "θ": r"\theta ", "μ": r"\mu ", "ν": r"\nu ", "π": r"\pi ", "ρ": r"\rho ",
    "σ": r"\sigma ", "τ": r"\tau ",
}  # fmt: skip
_WORD = re.compile(r"(?<!\\)\b[a-z]{3,}\b")


def formula(text: str) -> str:
    """Write one of our own formulas in LaTeX's math mode."""
    for sign, command in _MATH.items():
        text = text.replace(sign, command)
    return f"${_WORD.sub(r'\\mathrm{\g<0>}', text)}$"
