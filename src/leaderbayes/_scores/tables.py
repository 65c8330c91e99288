"""A table of text and numbers, and how messages name it, its rows, and what it holds."""

import re
import shlex
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
import pandas as pd

from leaderbayes._errors import ScoresError

Source = str | Path | pd.DataFrame | Mapping[str, Any]
Roles = dict[str, str | None]  # columns by role, as the user gives them
BY_ROUND = ("cluster", "round_weight", "period")  # roles whose values are the rounds'
_LONGEST = 1000  # letters of a call that a message repeats
FRAME = "the DataFrame"  # what messages call a source that is no file
MISSING = {"", "na", "nan", "n/a", "null", "none", "?", *"-–—", "--", "---"}  # in lower case
# Answers to items, in lower case.
ANSWERS = {
    **dict.fromkeys("true correct right yes y pass passed resolved solved c".split(), "1"),
    **dict.fromkeys("false incorrect wrong no n fail failed unresolved unsolved i".split(), "0"),
    **dict.fromkeys("✓✔✅", "1"),
    **dict.fromkeys("✗✘❌", "0"),
}
EXACT = 2**53  # floats do not distinguish all whole numbers above
# Soft hyphen, zero-width space, word joiner, byte order mark.
_UNSEEN = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))
# Some letters and emoji need these within a name.
_JOINERS = dict.fromkeys(map(ord, "\u200c\u200d\u200e\u200f"))
_WHOLE = re.compile(r"^(-?\d+)\.0+$")
_BLANK = re.compile(r"[^\S\t\n\r\v\f]")  # non-breaking, thin, ideographic and other spaces
# What follows a mean: 85.1 ± 0.4, 85.1 +- 0.4, $85.1 \pm 0.4$, 85.1 (0.4), 85.1 [84.7, 85.5].
_ERROR = re.compile(r"±|\+/?-|\$?\\pm|(?<=[\d.%\s])[(\[][±\d.,;:%\s–-]+[)\]]$")
_SPLIT = re.compile(r"(split\d+)_test_(.+)")


class Table(NamedTuple):
    """A table and how its messages name it and its rows."""

    where: str
    frame: pd.DataFrame  # index: number of the row, from 0
    row: Callable[[int], str]
    searched: str = ""  # metric of cv_results_, whose scores are signed so that more is better

    def refuse(self, problem: str, row: Any = None) -> NoReturn:
        """Raise a ScoresError that names the source and, if given, the row."""
        place = "" if row is None else f"{self.row(int(row))}: "
        said = f"{self.where}: {place}{problem}"
        # Half a character in a name could not be printed.
        raise ScoresError(said.encode("utf-8", "backslashreplace").decode("utf-8"))


class Asked(NamedTuple):
    """What the user specifies about a table of scores; arguments of `read_scores`."""

    roles: Roles
    better: bool | None = None
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()  # what to drop that is no column

    def call(self, **more: Any) -> str:
        """Write the call that adds these arguments, in Python and on the command line."""
        roles = {name: value for name, value in self.roles.items() if value is not None}
        asked = {"drop": self.drop, "keep": self.keep, "higher_is_better": self.better}
        python, typed = [], []
        for name, value in (roles | asked | more).items():
            if name == "higher_is_better" and value is not None:
                python.append(f"{name}={value}")
                typed.append("--higher-is-better" if value else "--lower-is-better")
            elif value:
                each = [value] if isinstance(value, str) else list(value)
                python.append(f"{name}={(value if isinstance(value, str) else each)!r}")
                typed += [f"--{name} {shlex.quote(one)}" for one in each]
        call = f"read_scores(..., {', '.join(python)}) ({' '.join(typed)})"
        return call if len(call) <= _LONGEST else "read_scores(..., drop=[...]) (--drop NAME ...)"


def shown(name: object) -> str:
    """Quote a name for a message, cut where it is long."""
    return repr(text_of(name)[:60])


def text_of(value: object) -> str:
    """Write any object as text; a number too long to print as its type."""
    try:
        return str(value)
    except ValueError:
        return type(value).__name__


def listed(names: Iterable[object], most: int = 12) -> str:
    """Quote names for a message, a dozen at most."""
    quoted = [shown(n) for n in names]
    more = f" and {len(quoted) - most} more" if len(quoted) > most else ""
    return ", ".join(quoted[:most]) + more


def counted(number: float | np.integer[Any], what: str) -> str:
    """Count things in words: 1 player, 2 players."""
    return f"{number:.0f} {what}{'' if number == 1 else 's'}"


def suggest(name: object, known: Iterable[object]) -> str:
    """End a message on an unknown name: the nearest of the known names, and all of them."""
    texts = [text_of(n) for n in known]
    near = get_close_matches(text_of(name)[:60], texts, n=1, cutoff=0.5)
    if len(texts) == 1:
        return f"there is only {shown(texts[0])}."
    return (f"did you mean {shown(near[0])}? There" if near else "there") + f" are {listed(texts)}."


def is_number(cell: str) -> bool:
    """Whether a text is a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


def bare_number(cell: str) -> str:
    """Strip a cell of a percent sign, and of an error or interval after a mean."""
    mean, *error = _ERROR.split(cell.strip(), maxsplit=1)
    if error and "." not in cell and cell.strip().endswith((")", "]")):
        mean = cell  # 2019 (1) is a name
    return mean.strip(" $" if error else None).removesuffix("%").strip()


def is_unicode(name: str) -> bool:
    """Whether a text can be written: it has no half of a surrogate pair."""
    return not re.search("[\ud800-\udfff]", name)


def clean(name: str) -> str:
    """Bring a name to Unicode's normal form C, with plain spaces, and none around it or unseen."""
    if name.isascii():
        return name.strip()
    return _BLANK.sub(" ", unicodedata.normalize("NFC", name).translate(_UNSEEN)).strip()


def alike(names: Iterable[str]) -> list[tuple[str, ...]]:
    """Group names that differ only in case, width, blanks, or as 1 and 1.0 do."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(_key(name), []).append(name)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def _key(name: str) -> str:
    if not name.isascii():
        name = unicodedata.normalize("NFKC", name).translate(_JOINERS)
    key = "".join(name.split()).casefold()
    return _WHOLE.sub(r"\1", key) if ".0" in key else key


def from_frame(frame: pd.DataFrame, where: str) -> Table:
    """Take a pandas table; an index that holds names becomes columns."""
    if frame.columns.nlevels > 1:
        raise ScoresError(
            f"{where}: the columns have {frame.columns.nlevels} levels; use the table of one "
            "metric (values='metric' in pivot_table)."
        )
    if frame.columns.hasnans:
        raise ScoresError(f"{where}: column {frame.columns.isna().argmax()} (from 0) has no name.")
    frame = frame.set_axis(pd.Index([text_of(c) for c in frame.columns], dtype=object), axis=1)
    index = frame.index
    if any(n is not None for n in index.names) or not pd.api.types.is_numeric_dtype(index.dtype):
        names = [f"index {k}" if n is None else text_of(n) for k, n in enumerate(index.names, 1)]
        header([*names, *frame.columns], where)
        bare = index.set_names([None] * index.nlevels)  # any object may be a level's name
        levels = [bare.get_level_values(k) for k in range(index.nlevels)]
        own = {n: pd.Series(v.array, dtype=v.dtype) for n, v in zip(names, levels, strict=True)}
        frame = pd.concat([pd.DataFrame(own), frame.reset_index(drop=True)], axis=1)
    frame.columns = header(list(frame.columns), where)
    return Table(where, frame.reset_index(drop=True), lambda k: f"row {k} (from 0)")


def header(names: list[str], where: str) -> pd.Index:
    """Return cleaned names of columns, each of which must be text and there once."""
    for name in names:
        if not is_unicode(name):
            raise ScoresError(f"{where}: a column is called {shown(name)}, which is not text.")
    columns = pd.Index([clean(name) for name in names])
    if columns.has_duplicates:
        again = shown(columns[columns.duplicated()][0])
        raise ScoresError(f"{where}: two columns are called {again}; rename one.")
    return columns


def as_column(values: Any) -> pd.Series:
    """Make a column of a sequence; TypeError or ValueError if it is none."""
    if isinstance(values, np.ndarray | pd.Series):
        column = pd.Series(values).reset_index(drop=True)
        # Categories of several columns cannot always be joined.
        return column.astype(object) if isinstance(column.dtype, pd.CategoricalDtype) else column
    return pd.Series(list(values), dtype=object)


def is_search(frame: pd.DataFrame) -> bool:
    """Whether a table is scikit-learn's ``cv_results_``."""
    return "params" in frame and any(_SPLIT.fullmatch(str(c)) for c in frame)


def from_cv_results(results: Mapping[Any, Any], where: str, metric: str | None) -> Table:
    """Make a long table of a search's splits; a player is a setting of the parameters."""
    splits = [(key, *found.groups()) for key in results if (found := _SPLIT.fullmatch(str(key)))]
    metrics = list(dict.fromkeys(of for _, _, of in splits))
    if not metrics or "params" not in results:
        raise ScoresError(f"{where}: no 'params' and 'splitN_test_...' in the dictionary.")
    if metric is None and len(metrics) > 1:
        raise ScoresError(
            f"{where}: there are several metrics ({', '.join(metrics)}); name one with score=."
        )
    metric = metrics[0] if metric is None else metric
    if metric not in metrics:
        raise ScoresError(f"{where}: no metric {shown(metric)}; {suggest(metric, metrics)}")
    try:
        players = [
            ", ".join(f"{text_of(k)}={text_of(v)}" for k, v in setting.items()) or "default"
            if isinstance(setting, Mapping)
            else text_of(setting)  # a CSV has settings as text
            for setting in results["params"]
        ]
        column = pd.Series(players, dtype=object)
        blocks = [
            pd.DataFrame({"player": column, "split": split, "score": as_column(results[key])})
            for key, split, of in splits
            if of == metric
        ]
    except (TypeError, ValueError, KeyError) as problem:
        raise ScoresError(f"{where}: not the results of a search ({problem}).") from problem
    frame = pd.concat(blocks, ignore_index=True)
    return Table(where, frame, lambda k: f"row {k} (from 0)", searched=metric)
