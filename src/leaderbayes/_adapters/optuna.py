"""Optuna: studies whose trials report a score at each step."""

from typing import Any

import xarray as xr

from leaderbayes._adapters.tables import Asked, arrange, collect
from leaderbayes._errors import ScoresError
from leaderbayes._scores.tables import listed, shown


def from_optuna(study: Any, _: Asked) -> xr.DataArray:
    """Read trials that call ``trial.report(score, step=fold)``, without Optuna."""
    where = f"study {shown(getattr(study, 'study_name', ''))}"
    try:
        directions = [str(getattr(d, "name", d)).upper() for d in study.directions]
        records = [
            {"trial": f"trial {trial.number}", "step": step, "score": value,
             "where": f"trial {trial.number}, step {shown(step)}"}
            for trial in study.trials
            if str(getattr(trial.state, "name", trial.state)) in ("COMPLETE", "PRUNED")
            for step, value in trial.intermediate_values.items()
        ]  # fmt: skip
    except (AttributeError, TypeError, ValueError) as problem:
        raise ScoresError(f"{where}: not a study of Optuna ({problem}).") from problem
    if len(directions) != 1 or directions[0] not in ("MINIMIZE", "MAXIMIZE"):
        raise ScoresError(f"{where}: scores need one objective, not {listed(directions)}.")
    if not records:
        raise ScoresError(f"{where}: no trial called trial.report(score, step=fold).")
    table = collect([where], records)
    columns = {"player": "trial", "round": "step"}
    scores = arrange(table, columns, "score", better=directions[0] == "MAXIMIZE")
    steps = [str(name) for name in scores["round"].to_numpy()]
    if all(step.lstrip("-").isdecimal() for step in steps):
        return scores.isel(round=sorted(range(len(steps)), key=lambda k: int(steps[k])))
    return scores
