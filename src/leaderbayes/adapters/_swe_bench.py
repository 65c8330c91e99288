"""SWE-bench: which instances systems resolved."""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import xarray as xr

from leaderbayes._arguments import are_names
from leaderbayes._errors import LeaderbayesWarning, ScoresError
from leaderbayes._files.read import MAX_MB
from leaderbayes._scores.cells import as_names
from leaderbayes._scores.tables import counted, shown
from leaderbayes.adapters._items import Sources, answers, files_of, finish
from leaderbayes.adapters._json import at, read_json

_METRIC = "resolved"
_PACKAGE = str(Path(__file__).parents[1])  # warnings point to the first line outside of it
_IN_FOLDERS = ["results.json", "per_instance_details.json"]
_OF_ONE = "report.json"  # of an instance, in the harness's logs: RUN_ID/MODEL/INSTANCE
# Of a report: what was resolved, and what was put to the system; its other lists are parts.
_RESOLVED = "resolved_ids"
_FAILED = ("unresolved_ids", "error_ids", "empty_patch_ids", "completed_ids", "submitted_ids")
_CONTRARY = {"unresolved_ids", "error_ids", "empty_patch_ids", "no_generation", "no_logs"}


def from_swe_bench(
    source: Sources,
    *,
    instances: Sequence[str] | None = None,
    metric: str | None = None,
    clusters: bool = True,
    higher_is_better: bool | None = None,
    max_mb: float = MAX_MB,
) -> xr.DataArray:
    """Read what systems resolved of SWE-bench: instances are rounds, repositories clusters.

    Parameters
    ----------
    source : path, sequence of paths, or dict of names to paths
        Reports of SWE-bench's harness (``MODEL.RUN_ID.json``), or results of its repository
        "experiments" (``evaluation/verified``): ``results/results.json`` or
        ``per_instance_details.json`` of each system; or the harness's logs of instances
        (``logs/run_evaluation/RUN_ID/MODEL/INSTANCE/report.json``), which are read where there is
        none of these; or folders in which such are, at any depth. A
        dictionary names the systems; without, they go by the name of the report or of the folder.
    instances : sequence of str, optional
        All instances of the benchmark, such as the column ``instance_id`` of its data set. One
        that a ``results.json`` does not name is unresolved: needed to know those that nobody
        resolved.
    metric : str, optional
        "resolved", which is the only one.
    clusters : bool
        Whether the instances of a repository are a cluster.
    higher_is_better : bool, optional
        Of no use: resolved is better.
    max_mb : float
        The most that each file may hold, in megabytes.

    Returns
    -------
    DataArray (player, round)
        1 where a system resolved an instance, 0 where it did not, also by an error or an empty
        patch. An instance that a report has as incomplete (it was not submitted) is missing, as
        are those that ``per_instance_details.json`` does not name. Coordinate ``cluster``
        (round,): the repository, "django/django" of "django__django-11099".

    Raises
    ------
    ScoresError
        If a file cannot be read, holds none of these, has an instance twice or as resolved and
        not, or one that is not among ``instances``: names the file and instance.

    Warns
    -----
    LeaderbayesWarning
        LB043, if of a ``results.json`` the other instances are not known: those that some of the
        files name are taken for all.

    Notes
    -----
    Issues of one repository share its code, its tests and often their cause: as clusters, what is
    said holds for issues of other repositories. Nearly half of SWE-bench Verified is Django's, so
    that intervals are wider than with ``clusters=False``, which speaks of other issues of these
    same repositories.

    Reports as swebench 5.0.2 writes them, ``schema_version`` 2; others have fewer lists.

    References
    ----------
    Jimenez et al. (2024), SWE-bench: Can language models resolve real-world GitHub issues?, ICLR;
    https://github.com/SWE-bench/experiments

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> import leaderbayes as lb
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> one, other = "django__django-1", "psf__requests-2"
    >>> small = {"resolved_ids": [one], "unresolved_ids": [other]}
    >>> large = {"resolved_ids": [one, other], "unresolved_ids": []}
    >>> _ = (folder / "small.run.json").write_text(json.dumps(small))
    >>> _ = (folder / "large.run.json").write_text(json.dumps(large))
    >>> scores = lb.adapters.from_swe_bench([folder / "small.run.json", folder / "large.run.json"])
    >>> scores.to_pandas()
    round   django__django-1  psf__requests-2
    player
    small                1.0              0.0
    large                1.0              1.0
    >>> scores["cluster"].values.tolist()
    ['django/django', 'psf/requests']
    """
    if metric not in (None, _METRIC):
        raise ScoresError(f"metric={metric!r:.60}: there is only {_METRIC!r}; leave it out.")
    if higher_is_better not in (None, True):
        raise ScoresError("higher_is_better: an instance that is resolved is better; leave it out.")
    if instances is not None and not are_names(instances):
        raise ScoresError(f"instances={instances!r:.60}: give a list of names.")
    found = files_of(
        source,
        [*_IN_FOLDERS, "*.*.json", _OF_ONE],
        what="SWE-bench (MODEL.RUN_ID.json, results.json)",
        hint="its harness writes a report MODEL.RUN_ID.json.",
    )
    # What agents did stands beside it.
    files = [one for one in found if not one[1].name.endswith(".traj.json")]
    # Reports of a run say what those of its instances say, and more.
    whole_runs = [one for one in files if one[1].name != _OF_ONE]
    outcomes = [
        (name or _system(path), *_outcomes(path, max_mb)) for name, path in whole_runs or files
    ]
    named = dict.fromkeys(item for *_, outcome in outcomes for item in outcome)
    partial = [where for _, where, whole, _ in outcomes if not whole]
    if partial and instances is None:
        warnings.warn(
            f"LB043 {partial[0]}: this lists what was resolved, and not what was not; the "
            f"{counted(len(named), 'instance')} that any of the files names are taken for all. "
            "Name all instances of the benchmark (instances=), else its shares are too high.",
            LeaderbayesWarning,
            skip_file_prefixes=(_PACKAGE,),
        )
    everything = named if instances is None else dict.fromkeys(instances)
    records: list[dict[str, Any]] = []
    for system, where, whole, outcome in outcomes:
        for item in outcome:
            if item not in everything:
                raise ScoresError(f"{where}: {shown(item)} is not among the instances= given.")
        full = outcome if whole else dict.fromkeys(everything, 0) | outcome
        records += (
            {"model": system, "instance_id": item, "repository": _repository(item),
             "metric": _METRIC, "score": score, "where": f"{where}, {shown(item)}"}
            for item, score in full.items()
        )  # fmt: skip
    table = answers([where for _, where, _, _ in outcomes], records)
    columns = {"player": "model", "round": "instance_id"}
    columns |= {"cluster": "repository"} if clusters else {}
    long = pd.DataFrame({role: as_names(table, name) for role, name in columns.items()})
    return finish(table, long, columns, True)


def _system(path: Path) -> str:
    """Name a system by its folder among the experiments or logs, or by its report."""
    if path.name == _OF_ONE:
        return path.parent.parent.name.replace("__", "/") or "model"
    if path.name in _IN_FOLDERS:
        folder = path.parent.parent if path.parent.name == "results" else path.parent
        return folder.name or "model"
    return (path.stem.rpartition(".")[0] or path.stem).replace("__", "/")


def _repository(item: str) -> str:
    return item.rpartition("-")[0].replace("__", "/") or item


def _outcomes(path: Path, max_mb: float) -> tuple[str, bool, dict[str, int]]:
    """Read what a file says of instances, and whether of all that were put to the system."""
    where, report = read_json(path, max_mb)
    report = report if isinstance(report, Mapping) else {}
    if _RESOLVED in report:
        return where, True, _marked(report, _RESOLVED, [k for k in _FAILED if k in report], where)
    if isinstance(report.get(_METRIC), list):
        others = [key for key, held in report.items() if isinstance(held, list)]
        return where, False, _marked(report, _METRIC, others, where)
    details = {item: at(of, _METRIC) for item, of in report.items()}
    if details and all(isinstance(resolved, bool) for resolved in details.values()):
        return where, True, {item: int(resolved) for item, resolved in details.items()}
    raise ScoresError(
        f"{where}: no 'resolved_ids' or 'resolved', which results of SWE-bench have; give a report "
        "of its harness (MODEL.RUN_ID.json), results.json or per_instance_details.json."
    )


def _marked(report: Mapping[str, Any], key: str, others: list[str], where: str) -> dict[str, int]:
    """Mark what was resolved 1, and what else is listed 0."""
    lists = {name: report[name] for name in (key, *others)}
    for name, items in lists.items():
        if not are_names(items):
            raise ScoresError(
                f"{where}: {shown(name)} is {shown(items)}; it must be a list of instances."
            )
        if len(set(items)) < len(items):
            again = shown(max(items, key=items.count))
            raise ScoresError(f"{where}: {again} stands twice in {shown(name)}; list it once.")
        both = set(items) & set(lists[key]) if name in _CONTRARY else set()
        if both:
            raise ScoresError(
                f"{where}: {shown(min(both))} is in {shown(key)} and in {shown(name)}; it can be "
                "one of them only."
            )
    resolved = set(lists[key])
    return {item: int(item in resolved) for item in sorted(set().union(*lists.values()))}
