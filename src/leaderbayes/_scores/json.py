"""JSON in which nothing is lost."""

import json
from typing import Any

from leaderbayes._errors import ScoresError
from leaderbayes._scores.tables import shown


def parse(content: bytes, where: str) -> Any:
    """Read JSON, in which each key of an object stands once."""
    try:
        return json.loads(content.decode("utf-8-sig"), object_pairs_hook=_once)
    except RecursionError as problem:
        raise ScoresError(f"{where}: too deeply nested; this is no result of a model.") from problem
    except ValueError as problem:
        raise ScoresError(f"{where}: not readable as JSON in UTF-8 ({problem}).") from problem


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key that an object has twice, of which JSON readers drop one."""
    content = dict(pairs)
    if len(content) < len(pairs):
        names = [key for key, _ in pairs]
        raise ValueError(f"the key {shown(max(names, key=names.count))} stands twice in an object")
    return content
