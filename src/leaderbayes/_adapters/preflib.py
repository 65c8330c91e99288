"""PrefLib: rankings of alternatives by voters, complete or not, with or without ties."""

import os
import re
from pathlib import Path

import xarray as xr

from leaderbayes._adapters.tables import Asked, arrange, collect
from leaderbayes._errors import ScoresError
from leaderbayes._scores.sources import read_bytes
from leaderbayes._scores.tables import shown

_MOST = 200_000  # rankings


def from_preflib(path: str | Path, asked: Asked) -> xr.DataArray:
    """Read ``.soc``, ``.soi``, ``.toc`` or ``.toi``: places, of which the lower wins."""
    if not isinstance(path, str | os.PathLike):
        raise ScoresError(f"This is a {type(path).__name__}: pass the path of a PrefLib file.")
    where, content = read_bytes(Path(path), asked.max_mb)
    records: list[dict[str, object]] = []
    table = collect([where], [{"where": ""}])
    names: dict[str, str] = {}
    voters = ranking = 0
    for k, line in enumerate(content.decode("utf-8", errors="replace").splitlines(), 1):
        if named := re.match(r"#\s*ALTERNATIVE NAME (\d+):\s*(.*\S)", line):
            names[named[1]] = named[2]
        if line.startswith("#") or not line.strip():
            continue
        found = re.fullmatch(r"\s*(\d+)\s*:\s*(\S.*)", line)
        groups = re.findall(r"\{([^{}]*)\}|([^,{}\s][^,{}]*)", found[2]) if found else []
        if found is None or not groups:
            table.refuse(f"line {k} is not a PrefLib ranking such as 12: 3,1,{{2,4}}.")
        ranking, voters = ranking + 1, voters + int(found[1])
        if voters > _MOST:
            table.refuse(f"more than {_MOST} rankings; use a part of them.")
        place = 1
        for tied, single in groups:
            group = [name.strip() for name in (tied or single).split(",") if name.strip()]
            records += [
                {"player": names.get(name, name), "round": f"{ranking}.{voter + 1}",
                 "score": float(place), "where": f"line {k}"}
                for name in group for voter in range(int(found[1]))
            ]  # fmt: skip
            place += len(group)
    if not names:
        table.refuse(f"{shown(where)} names no alternatives, so it is not a PrefLib file.")
    table = collect([where], records)
    return arrange(table, {"player": "player", "round": "round"}, "score", better=False)
