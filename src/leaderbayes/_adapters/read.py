"""Results that other programs have written, or hold."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import xarray as xr

from leaderbayes._adapters.benchmarks import from_amlb, from_mlr3, from_openml, from_tabarena
from leaderbayes._adapters.coding import from_livecodebench, from_swe_bench, from_terminal_bench
from leaderbayes._adapters.helm import from_helm
from leaderbayes._adapters.inspect_ai import from_inspect_ai
from leaderbayes._adapters.lighteval import from_lighteval
from leaderbayes._adapters.lm_eval import from_lm_eval, from_lm_eval_samples
from leaderbayes._adapters.mteb import from_mteb
from leaderbayes._adapters.optuna import from_optuna
from leaderbayes._adapters.preflib import from_preflib
from leaderbayes._adapters.sklearn import from_sklearn
from leaderbayes._adapters.tables import Asked, check_metric, check_names
from leaderbayes._arguments import one_of
from leaderbayes._errors import ScoresError
from leaderbayes._files.read import MAX_MB

_OF_TABLES = ("metric", "higher_is_better")
_OF_ITEMS = (*_OF_TABLES, "tasks", "clusters")


class Program(NamedTuple):
    """How to read what a program writes, and the options that there are."""

    read: Callable[[Any, Asked], xr.DataArray]
    options: tuple[str, ...] = ()


PROGRAMS: Mapping[str, Program] = {
    "amlb": Program(from_amlb, _OF_TABLES),
    "helm": Program(from_helm, _OF_ITEMS),
    "inspect-ai": Program(from_inspect_ai, _OF_ITEMS),
    "lighteval": Program(from_lighteval, _OF_ITEMS),
    "livecodebench": Program(from_livecodebench),
    "lm-eval": Program(from_lm_eval, (*_OF_TABLES, "tasks")),
    "lm-eval-samples": Program(from_lm_eval_samples, _OF_ITEMS),
    "mlr3": Program(from_mlr3, _OF_TABLES),
    "mteb": Program(from_mteb, (*_OF_TABLES, "tasks", "splits")),
    "openml": Program(from_openml, _OF_TABLES),
    "optuna": Program(from_optuna),
    "preflib": Program(from_preflib),
    "sklearn": Program(from_sklearn, _OF_TABLES),
    "swe-bench": Program(from_swe_bench, ("clusters", "instances")),
    "tabarena": Program(from_tabarena, _OF_TABLES),
    "terminal-bench": Program(from_terminal_bench),
}


def read_results(
    source: Any,
    program: str,
    *,
    metric: str | Sequence[str] | None = None,
    tasks: Sequence[str] | None = None,
    clusters: bool | None = None,
    splits: Sequence[str] | None = None,
    instances: Sequence[str] | None = None,
    higher_is_better: bool | None = None,
    max_mb: float = MAX_MB,
) -> xr.DataArray:
    """Read the results of another program, whose models, methods or settings are players.

    Parameters
    ----------
    source : path, sequence of paths, dict of names to paths, DataFrame or object
        What the program wrote: a file, or folders that hold such files at any depth. A dictionary
        names the players. Of "sklearn" a search, its ``cv_results_`` or a dictionary of
        cross-validations; of "optuna" a study.
    program : str
        "sklearn", "openml", "amlb", "lm-eval", "lm-eval-samples", "inspect-ai", "helm",
        "lighteval", "swe-bench", "livecodebench", "terminal-bench", "tabarena", "mteb", "mlr3",
        "optuna" or "preflib"; the how-to "Results you already have" has a section for each.
    metric : str or sequence of str, optional
        Metric to read; required if there are several. Of "lm-eval" a list, of which each task
        takes the first that it has.
    tasks : sequence of str, optional
        Tasks to read; by default all.
    clusters : bool, optional
        Whether several tasks are clusters of one board, like the subjects of MMLU, with rounds
        "task.item" and the coordinate ``cluster``, instead of separate tournaments; of
        "swe-bench", whether repositories are clusters, which is the default.
    splits : sequence of str, optional
        Splits of "mteb", such as ["test"]; by default all.
    instances : sequence of str, optional
        All instances of "swe-bench": one that a ``results.json`` does not name is unresolved.
    higher_is_better : bool, optional
        Whether higher is better, if the name of the metric does not show it.
    max_mb : float
        Largest size of each file in megabytes, unpacked.

    Returns
    -------
    DataArray (player, round) or (tournament, player, round)
        Scores; repeats are averaged, and failed runs are missing. Of "preflib" places, of which
        the lower wins: fit model="plackett_luce".

    Raises
    ------
    ScoresError
        If these are no such results, are ambiguous, or the program has no such option.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> small = {"results": {"arc_easy": {"acc,none": 0.6}, "boolq": {"acc,none": 0.7}}}
    >>> large = {"results": {"arc_easy": {"acc,none": 0.8}, "boolq": {"acc,none": 0.75}}}
    >>> scores = lb.read_results({"small": small, "large": large}, "lm-eval", metric="acc")
    >>> scores.sel(player="large").values.tolist()
    [0.8, 0.75]
    """
    one_of("program", program, *PROGRAMS)
    asked = Asked(
        metric, check_names("tasks", tasks), clusters, check_names("splits", splits),
        check_names("instances", instances), higher_is_better, max_mb,
    )  # fmt: skip
    reader = PROGRAMS[program]
    given = [name for name, value in asked._asdict().items() if value is not None]
    if alien := {*given} - {*reader.options, "max_mb"}:
        raise ScoresError(f"Results of {program} have no {min(alien)}=; omit it.")
    if program != "lm-eval":
        check_metric(metric)
    return reader.read(source, asked)
