"""Parts of texts: reports, and pages in Markdown."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(path for at in ("*", "tutorials/*", "how_to/*") for path in DOCS.glob(f"{at}.md"))


def section(report, title):
    """A section on one line."""
    body = re.search(rf"^{title}\n-+\n(.*?)\n\n", report, re.MULTILINE | re.DOTALL).group(1)
    return " ".join(body.split())


def rows(report):
    """Cells of the table."""
    lines = report.split("\n\nReferences")[0].split("---\n")[-1].splitlines()
    return [re.split(r"\s{2,}", line.strip()) for line in lines]


def sentences(markdown):
    """Sentences of a page: without code, and with each cell, item and heading by itself."""
    text = re.sub(r"\A---\n.*?\n---\n", "", markdown, flags=re.DOTALL)
    text = re.sub(r"^( *)([`:]{3,})[^`]*?\n.*?^\1\2$", "\n", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"<!--.*?-->|^:\w+:.*$", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"(\{\w+\})?`[^`]*`|\$[^$]*\$", "code", text)
    text = re.sub(r"\]\([^)\s]*\)", "]", text)
    blocks = re.split(r"\n\s*\n|\n(?=\s*(?:[-*|>#]|\d+\.) )|\|", text)
    parts = (re.split(r"(?<=[.?!])[)*\]]*\s+", " ".join(block.split())) for block in blocks)
    return [part for block in parts for part in block if re.search(r"\w", part)]
