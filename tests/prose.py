"""Parts of a report in text."""

import re


def section(report, title):
    """A section on one line."""
    body = re.search(rf"^{title}\n-+\n(.*?)\n\n", report, re.MULTILINE | re.DOTALL).group(1)
    return " ".join(body.split())


def rows(report):
    """Cells of the table."""
    lines = report.split("\n\nReferences")[0].split("---\n")[-1].splitlines()
    return [re.split(r"\s{2,}", line.strip()) for line in lines]
