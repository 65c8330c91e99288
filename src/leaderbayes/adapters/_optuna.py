"""Optuna: studies whose trials report a score at each step."""

from typing import Any

import xarray as xr

from leaderbayes._errors import ScoresError
from leaderbayes._scores.tables import listed, shown
from leaderbayes.adapters._tables import arrange, collect


def from_optuna(study: Any) -> xr.DataArray:
    """Read an Optuna study: trials are players, the steps at which they report are rounds.

    Parameters
    ----------
    study : optuna.study.Study
        A study of one objective whose trials call ``trial.report(score, step)``, best with a
        step for each fold of a cross-validation. Optuna itself is not needed.

    Returns
    -------
    DataArray (player, round)
        Reported scores; players are "trial 0", "trial 1" and so on, rounds the steps in order.
        Pruned trials miss the rounds that they did not reach; failed and unfinished ones are left
        out. Steps of a learning curve are no independent rounds.

    References
    ----------
    Akiba et al. (2019), Optuna, KDD, doi:10.1145/3292500.3330701

    Examples
    --------
    >>> import leaderbayes as lb
    >>> import optuna
    >>> study = optuna.create_study(direction="maximize")
    >>> for k in range(3):
    ...     folds = {0: k + 0.1, 1: k + 0.2}  # as trial.report(score, fold) makes them
    ...     study.add_trial(optuna.trial.create_trial(value=k, intermediate_values=folds))
    >>> scores = lb.adapters.from_optuna(study)
    >>> scores["player"].values.tolist(), dict(scores.sizes)
    (['trial 0', 'trial 1', 'trial 2'], {'player': 3, 'round': 2})
    """
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
