"""JSON of files, and what stands deep in it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from leaderbayes._scores.json import parse
from leaderbayes._scores.tables import read_bytes


def read_json(path: Path, max_mb: float) -> tuple[str, Any]:
    """Give a file's name for messages, and what it holds."""
    where, content = read_bytes(path, max_mb)
    return where, parse(content, where)


def at(results: Any, *keys: str) -> Any:
    """Give what stands under these keys, one within another; None where nothing does."""
    for key in keys:
        results = results.get(key) if isinstance(results, Mapping) else None
    return results


def text_at(results: Any, *keys: str) -> str:
    """Give the text under these keys; "" where there is none."""
    value = at(results, *keys)
    return value.strip() if isinstance(value, str) else ""


def list_at(results: Any, *keys: str) -> list[Any]:
    """Give the list under these keys; an empty one where there is none."""
    value = at(results, *keys)
    return value if isinstance(value, list) else []
