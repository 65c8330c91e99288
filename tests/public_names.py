"""Public names, as docs/api.md lists them."""

import re
from pathlib import Path

import leaderbayes as lb

PAGE = Path(__file__).parents[1] / "docs" / "api.md"
_LIST = re.compile(r"^(?P<heading>.+)\n-{3,}\n\.\. autosummary::\n(?P<body>(?:   .*\n|\n)+)", re.M)


def listed():
    """Names of each list, by its heading."""
    return {
        found["heading"]: re.findall(r"^   ([\w.]+)$", found["body"], flags=re.M)
        for found in _LIST.finditer(PAGE.read_text(encoding="utf-8"))
    }


LISTS = listed()
ERRORS = LISTS.pop("Errors and warnings")
FUNCTIONS = [name for names in LISTS.values() for name in names]  # and classes


def look_up(name):
    found = lb
    for part in name.split("."):
        found = getattr(found, part)
    return found
