"""Options that adapters share, documented once."""

from collections.abc import Callable
from inspect import signature
from typing import Any

from leaderbayes._arguments import are_names
from leaderbayes._errors import ScoresError

_OPTIONS = {
    "metric": """metric : str, optional
        Metric that is the score; needed where there are several.""",
    "tasks": """tasks : sequence of str, optional
        Tasks to read; by default all.""",
    "clusters": """clusters : bool
        Whether several tasks are clusters of one board, as the subjects of MMLU are, with rounds
        "task.item" and the coordinate ``cluster``, and not tournaments of their own.""",
    "higher_is_better": """higher_is_better : bool, optional
        Whether more of the metric is better, where its name does not say.""",
    "max_mb": """max_mb : float
        Most megabytes that each file may hold, unpacked.""",
}


def with_options[F: Callable[..., Any]](function: F) -> F:
    """Document the shared options of a function, in place of {options} in its docstring."""
    doc = function.__doc__ or ""
    own = [name for name in signature(function).parameters if f"\n    {name} :" not in doc]
    shared = "\n    ".join(_OPTIONS[name] for name in own if name in _OPTIONS)
    function.__doc__ = doc.replace("{options}", shared)
    return function


def check_names(option: str, given: Any) -> list[str] | None:
    """Return names that an option lists, or None for all."""
    if given is not None and (not are_names(given) or not len(given)):
        raise ScoresError(f"{option}={given!r:.60}: give a list of names, or leave it out for all.")
    return None if given is None else list(given)


def check_metric(metric: Any) -> None:
    """Raise unless a metric is a name, or is not given."""
    if metric is not None and not isinstance(metric, str):
        raise ScoresError(f"metric={metric!r:.60}: give a name.")
