"""Optuna's studies."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import optuna
import pytest

import leaderbayes as lb

read_optuna = partial(lb.read_results, program="optuna")


def study(directions=("minimize",)):
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna.create_study(directions=directions, sampler=optuna.samplers.RandomSampler(0))


def test_trials_are_players_and_steps_rounds():
    def objective(trial):
        x = trial.suggest_float("x", 0.0, 1.0)
        for fold in (2, 10, 1) if trial.number else (10,):
            trial.report(trial.number + fold / 100, fold)
            if trial.number == 1 and fold == 10:
                raise optuna.TrialPruned
        return x if trial.number != 2 else float("nan")  # Optuna counts this as failed.

    made = study()
    made.optimize(objective, n_trials=4)
    scores = read_optuna(made)
    assert list(scores["player"].values) == ["trial 0", "trial 1", "trial 3"]
    assert list(scores["round"].values) == ["1", "2", "10"]
    nan = np.nan
    np.testing.assert_array_equal(scores, [[nan, nan, 0.1], [nan, 1.02, 1.1], [3.01, 3.02, 3.1]])
    assert scores.attrs["higher_is_better"] == 0
    assert made.study_name in scores.attrs["source"]


def test_errors():
    with pytest.raises(lb.ScoresError, match=r"no trial called trial.rep"):
        read_optuna(study())
    with pytest.raises(lb.ScoresError, match="not 'MINIMIZE', 'MAXIMIZE'"):
        read_optuna(study(["minimize", "maximize"]))
    with pytest.raises(lb.ScoresError, match="not a study of Optuna"):
        read_optuna("study.db")
    made = study()
    for value in (1.0, float("inf")):
        made.add_trial(optuna.trial.create_trial(value=1.0, intermediate_values={3: value}))
    with pytest.raises(lb.ScoresError, match="trial 1, step '3': column 'score' is infinite"):
        read_optuna(made)


def test_no_optuna_is_needed():
    trial = SimpleNamespace(number=0, state="COMPLETE", intermediate_values={"a": 1.0})
    other = SimpleNamespace(number=1, state="COMPLETE", intermediate_values={"a": 2.0})
    made = read_optuna(SimpleNamespace(directions=["maximize"], trials=[trial, other]))
    np.testing.assert_array_equal(made, [[1.0], [2.0]])
    trial.number = "\ud800"
    with pytest.raises(lb.ScoresError, match="which is not text") as caught:
        read_optuna(SimpleNamespace(directions=["maximize"], trials=[trial, other]))
    str(caught.value).encode()
