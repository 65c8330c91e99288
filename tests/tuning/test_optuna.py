import numpy as np
import optuna
import pandas as pd
import pytest
from scipy.stats import binom

import leaderbayes as lb
from leaderbayes.tuning import LeaderboardPruner, LeaderboardTerminator

optuna.logging.set_verbosity(optuna.logging.WARNING)

ROUNDS = 8


def decisions(study):
    """What rules decided, by trial."""
    rows = [row for key, row in study.user_attrs.items() if key.startswith("leaderbayes:")]
    columns = ["trial", "rounds", "decision", "probability", "reason"]
    return pd.DataFrame(rows, columns=columns).sort_values(["trial", "decision"], ignore_index=True)


def studied(pruner=None, *, trials=15, direction="maximize", callbacks=(), quality=None):
    """Study of trials whose scores by round have known means; give it and the rounds played."""
    study = optuna.create_study(
        direction=direction, pruner=pruner or optuna.pruners.NopPruner(),
        sampler=optuna.samplers.RandomSampler(seed=0),
    )  # fmt: skip
    sign = 1.0 if direction == "maximize" else -1.0
    played = 0

    def objective(trial):
        nonlocal played
        x = trial.suggest_float("x", -2.0, 2.0)
        mean = -(x**2) if quality is None else quality(trial.number)
        rng = np.random.default_rng(trial.number)
        scores = []
        for k in range(ROUNDS):
            played += 1
            scores.append(sign * (mean + 0.5 * rng.normal()))
            trial.report(scores[-1], k)
            if trial.should_prune():
                raise optuna.TrialPruned
        return float(np.mean(scores))

    study.optimize(objective, n_trials=trials, callbacks=list(callbacks))
    return study, played


def test_bad_trials_are_pruned_and_the_best_is_found():
    study, played = studied(LeaderboardPruner(seed=0), trials=20)
    whole, all_rounds = studied(trials=20)
    assert played < 0.7 * all_rounds
    assert abs(study.best_params["x"]) < 0.5
    assert study.best_trial.number == whole.best_trial.number
    made = decisions(study)
    pruned = [t.number for t in study.trials if t.state == optuna.trial.TrialState.PRUNED]
    assert made["trial"].tolist() == pruned
    assert (made["probability"] < 0.05).all()
    assert (made["decision"] == "dropped").all()
    steps = [len(study.trials[n].intermediate_values) for n in pruned]
    assert made["rounds"].tolist() == steps


def test_both_directions_are_one_study():
    up, down = (
        studied(LeaderboardPruner(seed=0), trials=5, direction=d, quality=lambda n: -n)[0]
        for d in ("maximize", "minimize")
    )
    assert not decisions(up).empty
    pd.testing.assert_frame_equal(decisions(up), decisions(down))


def test_the_first_trial_and_the_first_rounds_are_played():
    study, _ = studied(LeaderboardPruner(min_rounds=4, seed=0), trials=5)
    assert decisions(study)["rounds"].min() == 4
    assert len(study.trials[0].intermediate_values) == ROUNDS
    assert studied(LeaderboardPruner(drop=0.0, seed=0), trials=3)[1] == 3 * ROUNDS


def test_trials_without_finite_scores_are_left_alone():
    def objective(trial):
        for k in range(ROUNDS):
            trial.report(np.nan if trial.number == 1 else float(trial.number + k), k)
            assert not (trial.number == 1 and trial.should_prune())
            if trial.should_prune():
                raise optuna.TrialPruned
        return float(trial.number)

    study = optuna.create_study(direction="minimize", pruner=LeaderboardPruner(seed=0))
    study.optimize(objective, n_trials=8)
    assert study.trials[1].state == optuna.trial.TrialState.COMPLETE
    assert not decisions(study).empty


def test_a_trial_without_a_score_is_not_compared_with():
    def objective(trial):
        for k in range(ROUNDS):
            last = trial.number == 0 and k == ROUNDS - 1
            trial.report(np.nan if last else float(trial.number < 3) + 0.01 * k, k)
            if trial.should_prune():
                raise optuna.TrialPruned
        return float(trial.number < 3)

    study = optuna.create_study(direction="maximize", pruner=LeaderboardPruner(seed=0))
    study.optimize(objective, n_trials=8)
    assert set(decisions(study)["trial"]) == {3, 4, 5, 6, 7}


def test_one_trial_with_other_rounds_does_not_decide():
    def objective(trial):
        for k in range(ROUNDS + (trial.number == 0)):
            trial.report(float(trial.number), k)
        return float(trial.number)

    study = optuna.create_study(direction="maximize")
    study.optimize(objective, n_trials=12, callbacks=[LeaderboardTerminator(patience=5, seed=0)])
    assert len(study.trials) == 12


def test_a_rope_prunes_equals():
    def quality(number):
        return 0.0

    _, plain = studied(LeaderboardPruner(seed=0), trials=7, quality=quality)
    _, roped = studied(LeaderboardPruner(rope=0.2, seed=0), trials=7, quality=quality)
    assert roped < plain


def test_a_study_stops_when_it_gets_no_better():
    study, _ = studied(trials=60, callbacks=[LeaderboardTerminator(patience=10, seed=0)])
    assert 11 <= len(study.trials) < 60
    last = decisions(study).query("decision == 'stops'").iloc[-1]
    assert last["probability"] < 0.9
    better, _ = studied(
        trials=20,
        callbacks=[LeaderboardTerminator(patience=3, seed=0)],
        quality=lambda number: number,
    )
    assert len(better.trials) == 20
    assert set(decisions(better)["decision"]) == {"goes on"}


def test_a_study_stops_when_trials_gain_less_than_they_cost():
    def length(cost):
        rule = LeaderboardTerminator(patience=5, cost=cost, seed=0)
        study, _ = studied(trials=15, callbacks=[rule])
        return len(study.trials), decisions(study)["reason"].iloc[-1]

    assert length(0.0)[0] == 15
    trials, why = length(10.0)
    assert trials == 6
    assert why.startswith("5 more trials are expected to gain ")


def test_shared_training_data_makes_the_terminator_stop_earlier():
    def length(fraction):
        rule = LeaderboardTerminator(patience=3, test_fraction=fraction, seed=0)
        quality = {"quality": lambda number: 0.12 * number}
        return len(studied(trials=40, callbacks=[rule], **quality)[0].trials)

    assert length(0.5) <= length(None)


def test_a_terminator_without_scores_waits():
    study = optuna.create_study()
    study.optimize(
        lambda trial: trial.suggest_float("x", 0, 1), n_trials=5,
        callbacks=[LeaderboardTerminator(patience=1, seed=0)],
    )  # fmt: skip
    assert len(study.trials) == 5
    assert decisions(study).empty


@pytest.mark.parametrize(("rule", "options"), [
    (LeaderboardPruner, {"drop": 0.6}), (LeaderboardPruner, {"min_rounds": 0}),
    (LeaderboardPruner, {"rope": 0.5}), (LeaderboardTerminator, {"patience": 0}),
    (LeaderboardTerminator, {"cost": -1.0}),
    (LeaderboardTerminator, {"confidence": 1.0}), (LeaderboardTerminator, {"test_fraction": 1.0}),
])  # fmt: skip
def test_options_out_of_range_are_errors(rule, options):
    with pytest.raises(lb.LeaderbayesError, match=next(iter(options))):
        rule(**options)


@pytest.mark.slow
def test_a_trial_that_is_better_is_seldom_pruned():
    """Of trials better than the best before them, at most the stated share is pruned."""
    rng = np.random.default_rng(0)
    lost = better = 0
    for _ in range(8):
        truth = rng.normal(size=30)
        study, _ = studied(LeaderboardPruner(seed=0), trials=30, quality=truth.__getitem__)
        for number in range(1, 30):
            if truth[number] > truth[:number].max():
                better += 1
                lost += study.trials[number].state == optuna.trial.TrialState.PRUNED
    assert better > 16
    assert lost <= binom.ppf(0.99, better, 0.05)
