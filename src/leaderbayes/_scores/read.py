"""Read a table of scores, long or wide, and refuse what cannot be compared."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._arguments import are_names, one_of, wrong
from leaderbayes._errors import ScoresError, warn
from leaderbayes._files.read import MAX_MB
from leaderbayes._scores.belongs import broken_cells, is_ranking, is_summary, stand_ins
from leaderbayes._scores.check import Problems, checked, direction_of, metrics_in, of_places, refuse
from leaderbayes._scores.matches import SCHEMES, Scheme
from leaderbayes._scores.metrics import more_is_better
from leaderbayes._scores.roles import Wide, to_long
from leaderbayes._scores.sources import read_table
from leaderbayes._scores.tables import (
    BY_ROUND,
    Asked,
    Roles,
    Source,
    Table,
    alike,
    counted,
    listed,
    shown,
    text_of,
)
from leaderbayes._scores.vote_forms import from_wins
from leaderbayes._scores.vote_outcomes import is_votes
from leaderbayes._types import Floats, Longs

_MAX_CELLS = 200_000_000


def read_scores(
    source: Source,
    *,
    player: str | None = None,
    round: str | None = None,
    score: str | None = None,
    tournament: str | None = None,
    cluster: str | None = None,
    round_weight: str | None = None,
    period: str | None = None,
    repeat: str | None = None,
    higher_is_better: bool | None = None,
    scheme: Scheme | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    max_mb: float = MAX_MB,
) -> xr.DataArray:
    """Read scores of players in rounds.

    A long table has a row for each score. A wide table has a row for each round and a column for
    each player, or a row for each player; repeated names of data sets in its first column make
    rounds (folds) of data sets. Columns are recognised by common names. If the first column could
    name players or rounds, the error asks. Columns that do not look like scores are refused, with
    the call that reads the rest.

    Rounds may be items (a column such as item or question_id) with right or wrong answers (true and
    false, 1 and 0, ...). A column such as passage or subject then groups items, and one such as
    epoch or seed numbers repeated answers, which are averaged.

    Parameters
    ----------
    source : path, DataFrame or dict
        CSV, TSV, JSON (lines), Parquet, Excel, also ``.gz``, a table in Markdown or LaTeX; a pandas
        table, whose index counts as columns if it holds names; or scikit-learn's ``cv_results_``.
    player, round, score, tournament : str, optional
        Names of columns. For ``cv_results_`` ``score`` names the metric.
    cluster : str, optional
        Column of clusters of rounds, such as the passage that questions are about.
    round_weight : str, optional
        Column of weights of rounds: numbers, or categories that count equally.
    period : str, optional
        Column of periods of rounds, such as seasons or dates, for the model "dynamic".
    repeat : str, optional
        Column that numbers repeated runs of a player in a round, which are averaged.
    higher_is_better : bool, optional
        Whether higher scores are better, as by default; required if a name is that of a loss
        (``rmse``, ``log_loss``).
    scheme : {"Model/CV", "Model/Task", "Data set/Model"}, optional
        What is compared: models over folds, whose fits need ``test_fraction``; models over tasks,
        folds averaged; or data sets, by how high models score on them.
    drop : sequence of str, optional
        Columns and rows (players, rounds, tournaments) to exclude.
    keep : sequence of str, optional
        Columns and rows to include, even if they do not look like scores.
    max_mb : float
        Largest size of a file in megabytes, unpacked.

    Returns
    -------
    DataArray (player, round) or (tournament, player, round)
        Scores in the table's unit, NaN where missing. attrs: ``higher_is_better`` (0 or 1),
        ``scheme`` if given, ``columns`` (column of each role), ``source``;
        ``read``, all of it in a line; ``unused``, other columns;
        with repeats ``runs``, their mean number, and ``answers``, 1 if all are 0 or 1.
        Coordinates, if there are such columns: ``cluster``, ``round_weight`` and ``period``
        (round,), and ``run_variance`` (player,), between runs of a player in a round.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> import pandas as pd
    >>> table = pd.DataFrame({"fold": [1, 2, 3], "tree": [0.8, 0.7, 0.7], "svm": [0.9, 0.8, 0.6]})
    >>> scores = lb.read_scores(table)
    >>> scores.dims, scores["player"].values.tolist()
    (('player', 'round'), ['tree', 'svm'])
    >>> dict(lb.read_scores(lb.datasets.load("classifiers").attrs["source"]).sizes)
    {'tournament': 5, 'player': 15, 'round': 25}
    """
    if scheme is not None:
        one_of("scheme", scheme, *SCHEMES)
    table = read_table(source, score, max_mb)
    roles: Roles = {
        "player": player, "round": round, "score": score, "tournament": tournament,
        "cluster": cluster, "round_weight": round_weight, "period": period, "repeat": repeat,
    }  # fmt: skip
    if not any(roles.values()) and is_votes(from_wins(table)):
        table.refuse(
            "this looks like a table of votes: use leaderbayes.read_votes. If it holds scores, "
            "name their columns (player=..., score=...)."
        )
    return arranged(scores_of(table, options_of(roles, higher_is_better, drop, keep)), scheme)


def arranged(scores: xr.DataArray, scheme: str | None) -> xr.DataArray:
    """Return scores as a scheme has them: tasks are rounds, data sets rounds or players."""
    if scheme is None:
        return scores
    columns, moves = scores.attrs["columns"], dict[str, str]()
    if scheme != "Model/CV":
        if "tournament" in scores.dims:  # of each data set the mean
            scores = scores.mean("round", keep_attrs=True)
            columns = re.sub(r"(^|, )round=.*?(?=, \w+=|$)", "", columns)
            moves = {"tournament": "round"}
        if scheme == "Data set/Model":
            moves = {"player": "round", next(iter(moves), "round"): "player"}
        scores = scores.drop_vars({*BY_ROUND, "run_variance"} & set(scores.coords)).rename(moves)
        scores = scores.transpose("player", "round")
        columns = re.sub(
            r"(?<![^ ])(player|round|tournament)=", lambda m: f"{moves.get(m[1], m[1])}=", columns
        )
    scores = scores.assign_attrs(columns=columns, scheme=scheme)
    return scores.assign_attrs(read=describe(scores))


def options_of(
    roles: Roles, higher_is_better: bool | None = None, drop: Sequence[str] = (),
    keep: Sequence[str] = (),
) -> Asked:  # fmt: skip
    """Check lists of names; arguments as of `read_scores`."""
    for name, value in {"drop": drop, "keep": keep}.items():
        if not are_names(value):
            raise wrong(name, value, "a list of names")
    return Asked(roles, higher_is_better, tuple(drop), tuple(keep))


def scores_of(table: Table, asked: Asked) -> xr.DataArray:
    """Make scores of a table that was read; arguments and result as of `read_scores`."""
    if table.searched:
        roles = {**asked.roles, "player": "player", "round": "split", "score": "score"}
        asked = asked._replace(roles=roles)
    form = to_long(table, asked)
    wide = form if isinstance(form, Wide) else None
    long, columns = checked(form, asked) if isinstance(form, Wide) else form
    if table.searched:
        better = check_sign(table, table.searched, long["score"], asked.better)
    else:
        labels = [name for d in ("tournament", "round") if d in long for name in long[d].unique()]
        if wide is None:
            summed = [name for name in labels if is_summary(name) and name not in asked.keep]
            direction = direction_of(table, columns, labels, asked.better)
            rows = dict.fromkeys(summed, "a summary of the others")
            refuse(table, asked, Problems({}, rows, direction.losses))
        else:
            direction = direction_of(
                wide.table, columns, [*labels, *metrics_in(wide)], asked.better
            )
        better = direction.better
        if direction.warning:
            warn(direction.warning)
    scores = to_scores(table, long, higher_is_better=better, columns=columns)
    if wide is None and asked.better is None and better and not table.searched:
        x = scores.transpose(..., "player").to_numpy().reshape(-1, scores.sizes["player"])
        refuse(table, asked, Problems({}, {}, of_places(x)))
    taken = {*columns.values(), *(wide.columns if wide else ())}
    unused = [name for name in table.frame.columns if name not in taken]
    scores.attrs |= {"unused": listed(unused)} if unused else {}
    return scores.assign_attrs(read=describe(scores))


def check_sign(table: Table, metric: str, scores: pd.Series, higher_is_better: bool | None) -> bool:
    """Return whether more is better of scores whose source turns the sign of a loss."""
    if higher_is_better is not None:
        return higher_is_better
    if more_is_better(metric) is False and bool((scores > 0.0).any()):
        table.refuse(
            f"{shown(metric)} is the name of a loss, and scores above 0 suggest that its sign has "
            "not been changed. Set the direction: higher_is_better=False or True "
            "(--lower-is-better, --higher-is-better)."
        )
    return True


def to_scores(
    table: Table, long: pd.DataFrame, *, higher_is_better: Any, columns: Mapping[str, str]
) -> xr.DataArray:
    """Pivot a long table of names and numbers; every reader ends with this."""
    if not isinstance(higher_is_better, bool | np.bool_ | int) or higher_is_better not in (0, 1):
        raise ScoresError(f"higher_is_better={higher_is_better!r}: use True or False.")
    dims = [d for d in ("tournament", "player", "round") if d in long]
    coded = {dim: pd.factorize(long[dim]) for dim in dims}
    shape = tuple(len(known) for _, known in coded.values())
    if np.prod(shape, dtype=float) > _MAX_CELLS:
        sizes = ", ".join(counted(n, d) for d, n in zip(dims, shape, strict=True))
        table.refuse(f"{sizes} make a table that is nearly empty; check the columns.")
    cell = np.ravel_multi_index([codes for codes, _ in coded.values()], shape)
    taken = ", ".join(f"{role}={name}" for role, name in columns.items())
    run = {"run": long["repeat"].to_numpy()} if "repeat" in long else {}
    repeated = pd.DataFrame({"cell": cell} | run).duplicated().to_numpy()
    if repeated.any():
        at = int(np.argmax(repeated))
        first, again = long.index[int(np.argmax(cell == cell[at]))], long.iloc[at]
        both = table.frame.loc[[first, again.name]].drop(columns=columns.values(), errors="ignore")
        differ = [c for c in both if len({*map(text_of, both[c])}) > 1]
        whose = ", ".join(f"{d} {shown(again[d])}" for d in [*dims, "repeat"] if d in again)
        table.refuse(
            f"a second score for {whose}; the columns are {taken[:400]}. Its rows differ in "
            f"{listed(differ, 4) or 'nothing'}: keep rows of one kind, or name other columns "
            "(round=..., tournament=..., or repeat=... for means; --round, ...).",
            again.name,
        )
    if shape[dims.index("player")] < 2:
        table.refuse(f"the only player is {shown(coded['player'][1][0])}; a comparison needs two.")
    values = np.full(np.prod(shape, dtype=int), np.nan)
    coords: dict[str, Any] = {d: np.asarray(known, object) for d, (_, known) in coded.items()}
    runs: dict[str, float] = {}
    if "repeat" in long:
        means, of_player, runs = _over_runs(cell, long["score"], coded["player"][0])
        values[means.index] = means.to_numpy()
        coords["run_variance"] = ("player", of_player)
    else:
        values[cell] = long["score"].to_numpy()
    if np.isnan(values).all():
        table.refuse("every score is missing.")
    for role in [name for name in BY_ROUND if name in long]:
        of_round = long.groupby(coded["round"][0])[role]
        several = (of_round.nunique() > 1).to_numpy()
        if several.any():
            of = long.loc[coded["round"][0] == int(np.argmax(several))]
            which = f"round {shown(of['round'].iloc[0])} has several values of {role}"
            table.refuse(f"{which}: {listed(of[role].unique())}; rename it, or use none.")
        coords[role] = ("round", of_round.first().to_numpy())
    attrs = {"higher_is_better": int(higher_is_better), "columns": taken, "source": table.where}
    scores = xr.DataArray(values.reshape(shape), coords, dims, "score", attrs | runs)
    played = scores.notnull().any([dim for dim in dims if dim != "player"])
    if not played.all():
        absent = scores["player"].values[~played.values]
        have = f"{listed(absent)} {'has' if len(absent) == 1 else 'have'} no score"
        warn(f"LB040 {table.where}: {have} and will be excluded. Add scores, or drop the name.")
    for dim in dims:
        warn_alike(table, dim, coords[dim])
    _check_units(table, scores)
    _check_places(table, scores)
    return scores.assign_attrs(read=describe(scores))


def _over_runs(
    cell: Longs, score: pd.Series, player: Longs
) -> tuple[pd.Series, Floats, dict[str, float]]:
    """Average the runs of each cell: means by cell, variance between runs by player, runs."""
    of = pd.Series(score.to_numpy(), index=cell).dropna()
    cells = of.groupby(level=0, sort=True)
    counts, variances = cells.count(), cells.var(ddof=1)
    whose = pd.Series(player, index=cell).groupby(level=0).first().loc[counts.index].to_numpy()
    free = (counts - 1).groupby(whose).sum()  # degrees of freedom
    squares = (variances.fillna(0.0) * (counts - 1)).groupby(whose).sum()
    of_player = (squares / free.where(free > 0)).reindex(range(int(player.max()) + 1))
    runs = {"runs": float(counts.mean()), "answers": int(of.isin((0.0, 1.0)).all())}
    return cells.mean(), np.asarray(of_player, float), runs


def _check_units(table: Table, scores: xr.DataArray) -> None:
    """Warn of single scores far from all others, such as a share among percentages: LB051."""
    by = scores.transpose(..., "round", "player")
    x = by.to_numpy().reshape(-1, by.sizes["player"])
    broken, hint = stand_ins(x), "If it means a missing score, leave the cell empty."
    if not broken.any() and scores.attrs["higher_is_better"]:
        broken, hint = broken_cells(x), "Check its unit (a share among percentages?)."
    broken = broken.reshape(by.shape)
    if broken.any():
        first = by[tuple(np.argwhere(broken)[0])]
        whose = ", ".join(f"{dim} {shown(first[dim].item())}" for dim in scores.dims)
        more = f", and so are {broken.sum() - 1} more" if broken.sum() > 1 else ""
        warn(
            f"LB051 {table.where}: {first.item():.10g} ({whose}) is far from the other scores of "
            f"its player and round{more}. {hint}"
        )


def _check_places(table: Table, scores: xr.DataArray) -> None:
    """Refuse places of 0, which stand for no place and would be the best."""
    x = scores.transpose(..., "player").to_numpy().reshape(-1, scores.sizes["player"])
    if scores.attrs["higher_is_better"] or not (x == 0.0).any():
        return
    zeros, long = (x == 0.0).sum(axis=1), ((x > 0.0).sum(axis=1) > 2) & (x > 1.0).any(axis=1)
    if long.any() and (zeros != 1).any() and all(is_ranking(row[row > 0.0]) for row in x[long]):
        table.refuse(
            "a place of 0 would be the best; leave the cell empty if a player has no place."
        )


def warn_alike(table: Table, dim: str, labels: Iterable[str]) -> None:
    """Warn of names that may be one, written in two ways: LB041."""
    if groups := alike(labels):
        pairs = "; ".join(listed(group) for group in groups[:4])
        warn(
            f"LB041 {table.where}: {dim}s look the same but count as different: {pairs}. If they "
            "are the same, write them the same way."
        )


def what_was_read(scores: xr.DataArray) -> dict[str, Any]:
    """Return what was read, ready for JSON: columns, direction, sizes by dim, missing scores."""
    unused = {"unused": scores.attrs["unused"]} if "unused" in scores.attrs else {}
    return {
        "columns": scores.attrs["columns"],
        **unused,
        "higher_is_better": bool(scores.attrs["higher_is_better"]),
        "sizes": {str(dim): int(size) for dim, size in scores.sizes.items()},
        "missing": int((scores.isnull() & scores.notnull().any("player")).sum()),
    }


def describe(scores: xr.DataArray) -> str:
    """Report what was read, as `what_was_read` has it, in a line."""
    read = what_was_read(scores)
    better = "higher" if read["higher_is_better"] else "lower"
    sizes = " x ".join(counted(size, dim) for dim, size in read["sizes"].items())
    unused = f"; not used: {read['unused']}" if "unused" in read else ""
    who = "; ".join(f"{dim}s: {listed(scores[dim].values, 4)}" for dim in scores.dims)
    columns = f"{read['columns']} ({better} is better)"
    return f"{columns}, {sizes}, {read['missing']} missing; {who}{unused}"
