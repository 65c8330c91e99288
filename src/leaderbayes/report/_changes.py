"""What has changed between two versions of a site, in Markdown."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from leaderbayes._errors import LeaderbayesError

FORMAT = 1  # of the JSON; a reader refuses another
_MOST = 10  # pairs of a kind that are named


def read_boards(folder: Path) -> dict[str, dict[str, Any]]:
    """Read the JSON of all boards that the index of a site lists, by their links.

    Raises
    ------
    LeaderbayesError
        If there is no site, or it is of another format.
    """
    try:
        index = _read(folder / "index.json")
        names = [str(board["json"]) for board in index["boards"]]
        # Whatever the index says, only files of this folder are read.
        return {Path(name).stem: _read(folder / Path(name).name) for name in names}
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise LeaderbayesError(
            f"{folder}: no site of leaderbayes.report.site ({problem}); give the folder of one, or "
            "none."
        ) from problem


def _read(path: Path) -> dict[str, Any]:
    read = json.loads(path.read_text("utf-8"))
    if not isinstance(read, dict) or read.get("format") != FORMAT:
        raise LeaderbayesError(f"{path}: its format is not {FORMAT}; make the site anew.")
    return read


def changes(old: Mapping[str, dict[str, Any]], new: Mapping[str, dict[str, Any]]) -> str:
    """Report in Markdown what has changed on the boards, by their links."""
    parts = []
    for link, record in new.items():
        if link not in old:
            parts.append(f"### {_text(record['name'])}\n\n- A new board.\n")
            continue
        before = {board["name"]: board for board in old[link]["boards"]}
        lines = []
        if old[link]["prob"] != record["prob"]:
            now, then = f"{record['prob']:.0%}", f"{old[link]['prob']:.0%}"
            lines.append(f"- Distinguishable means at {now} now, at {then} before.")
        for board in record["boards"]:
            prefix = f"{_text(board['name'])}: " if board["name"] else ""
            if board["name"] not in before:
                lines.append(f"- {prefix}a new tournament.")
                continue
            lines += [f"- {prefix}{line}" for line in _of_board(before[board["name"]], board)]
        if lines:
            parts.append(f"### {_text(record['name'])}\n\n" + "\n".join(lines) + "\n")
    gone = [record["name"] for link, record in old.items() if link not in new]
    if gone:
        parts.append(f"No longer there: {', '.join(map(_text, gone))}.\n")
    return "\n".join(parts) if parts else "No board has changed.\n"


def _of_board(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """List what is different on one leaderboard."""
    lines = []
    if not new["converged"]:
        lines.append("the chains did not converge: do not report these numbers.")
    leaders = old["tied_for_top"][0], new["tied_for_top"][0]
    if leaders[0] != leaders[1]:
        lines.append(f"{_text(leaders[1])} leads now; {_text(leaders[0])} did.")
    was, now = ({row["player"] for row in board["leaderboard"]} for board in (old, new))
    for players, words in ((now - was, "new"), (was - now, "gone")):
        if players:
            lines.append(f"{words}: {_some([_text(name) for name in sorted(players)])}.")
    both = was & now
    before, after = (
        [tuple(pair) for pair in board["told_apart"] if set(pair) <= both] for board in (old, new)
    )
    gained = [pair for pair in after if pair not in set(before)]
    lost = [pair for pair in before if pair not in set(after) and pair[::-1] not in set(after)]
    for pairs, word in ((gained, "now"), (lost, "no longer")):
        named = [f"{_text(a)} {word} distinguishable from {_text(b)}" for a, b in pairs[:_MOST]]
        more = f", and {len(pairs) - _MOST} more such pairs" if len(pairs) > _MOST else ""
        if named:
            lines.append(f"{'; '.join(named)}{more}.")
    return lines


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return ", ".join(names[:_MOST]) + more


def _text(name: str) -> str:
    """Write a name that is neither markup, nor a mention, nor a link, wherever Markdown is read."""
    flat = " ".join(str(name).split()).replace("`", "'")
    return f"`{flat[:80]}`" if flat else "(no name)"
