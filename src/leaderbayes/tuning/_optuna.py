"""Pruning and stopping of Optuna's studies by the posterior that a search takes."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import optuna
from optuna.trial import FrozenTrial, TrialState

from leaderbayes import _arguments
from leaderbayes._arguments import number, share, whole
from leaderbayes._types import Floats
from leaderbayes.tuning._posterior import gains, standing

_MOST = 12  # trials on a board: enough to know how much trials differ, in 40 milliseconds
_OVER = (TrialState.COMPLETE, TrialState.PRUNED)
_ATTRIBUTE = "leaderbayes:"  # of the study, before who decided and the trial's number

COLUMNS = ("trial", "rounds", "opponent", "probability", "decision", "reason", "seed")


class LeaderboardPruner(optuna.pruners.BasePruner):  # type: ignore[misc]  # untyped here
    """Prune trials that are unlikely to beat the best trial so far.

    The objective reports one score per round (fold, seed), ``trial.report(score, round)``, not a
    running mean, as for `optuna.pruners.WilcoxonPruner`. The trial, the best one and up to 10
    others that have the same rounds are fitted by Bradley-Terry's model.

    Parameters
    ----------
    drop : float
        Prune a trial that beats the best one with a posterior probability below this.
    min_rounds : int
        Rounds before a trial is pruned.
    rope : float
        To beat the best trial means to win a round with a probability above 1/2 + ``rope``.
    seed : int, optional
        Same seed: same decisions. None draws one, which the decisions show.

    Notes
    -----
    The best trial has the best mean of the trials with the most rounds. Trials with a score that
    is not finite are neither pruned nor compared with. Decisions are in ``study.user_attrs``, under
    keys that begin with "leaderbayes:".

    Examples
    --------
    >>> import optuna
    >>> from leaderbayes.tuning import LeaderboardPruner
    >>> study = optuna.create_study(pruner=LeaderboardPruner(seed=0))
    """

    def __init__(
        self, *, drop: float = 0.05, min_rounds: int = 2, rope: float = 0.0, seed: int | None = None
    ) -> None:
        self._drop = number("drop", drop, at_least=0.0, at_most=0.5)
        self._min_rounds = whole("min_rounds", min_rounds)
        # A distance of win probabilities from 1/2.
        self._rope = number("rope", rope, at_least=0.0, below=0.5)
        self._seed = _arguments.seed_or_new(seed)

    def prune(self, study: optuna.Study, trial: FrozenTrial) -> bool:
        """Return whether to prune the trial, as Optuna asks after `Trial.report`."""
        rounds = sorted(trial.intermediate_values)
        others = _comparable(study.get_trials(deepcopy=False, states=_OVER), rounds)
        if len(rounds) < self._min_rounds or not others or not _is_finite(trial, rounds):
            return False
        best = _best(study, others)
        board = [trial, best, *_thinned([other for other in others if other is not best])]
        rng = np.random.default_rng([self._seed, trial.number, len(rounds)])
        p = float(standing(_scores(study, board, rounds), rng).p_beats(1, self._rope)[0])
        if p >= self._drop:
            return False
        why = f"probability below {self._drop:g}"
        row = trial.number, len(rounds), best.number, p, "dropped", why, self._seed
        _record(study, "pruner", *row)
        return True


class LeaderboardTerminator:
    """Stop a study when its best trial is no better than the best some trials earlier.

    With ``cost`` it stops when further trials are expected to gain less than they cost.

    Use it as a callback: ``study.optimize(objective, callbacks=[LeaderboardTerminator()])``;
    Optuna's ``TerminatorCallback`` takes it too. The objective reports scores as for
    `LeaderboardPruner`.

    Parameters
    ----------
    patience : int
        Trials that the rule looks back, complete or pruned.
    confidence : float
        Stop when the best trial is better than the earlier best with a posterior probability
        below this.
    cost : float, optional
        Gain in the mean score for which one more trial is worth its time. With it the study stops
        when ``patience`` more trials, drawn like those seen, are expected to gain less.
    test_fraction : float, optional
        Share of the data that each round tests on, where rounds are folds of the same data.
    seed : int, optional
        Same seed: same decisions. None draws one, which the decisions show.

    References
    ----------
    Gajda, Chlebus (2022), A probability-based models ranking approach, section 3.5.2.

    Examples
    --------
    >>> import optuna
    >>> from leaderbayes.tuning import LeaderboardTerminator
    >>> def objective(trial):
    ...     for fold in range(5):
    ...         trial.report(0.01 * fold, fold)
    ...     return 0.02
    ...
    >>> study = optuna.create_study(direction="maximize")
    >>> study.optimize(objective, n_trials=50, callbacks=[LeaderboardTerminator(patience=5)])
    >>> len(study.trials)
    6
    """

    def __init__(
        self, *, patience: int = 20, confidence: float = 0.9, cost: float | None = None,
        test_fraction: float | None = None, seed: int | None = None,
    ) -> None:  # fmt: skip
        self._patience = whole("patience", patience)
        self._confidence = share("confidence", confidence)
        self._cost = None if cost is None else number("cost", cost, at_least=0.0)
        if test_fraction is not None:
            test_fraction = share("test_fraction", test_fraction)
        self._test_fraction = test_fraction
        self._seed = _arguments.seed_or_new(seed)

    def __call__(self, study: optuna.Study, trial: FrozenTrial) -> None:
        """Stop the study if it should end, as Optuna asks after every trial."""
        if self.should_terminate(study):
            study.stop()

    def should_terminate(self, study: optuna.Study) -> bool:
        """Return whether the study should end."""
        trials = study.get_trials(deepcopy=False, states=_OVER)
        complete = [t for t in trials if t.state == TrialState.COMPLETE]
        # Those that most trials have, should one have played others.
        usual = Counter(tuple(sorted(t.intermediate_values)) for t in complete).most_common(1)
        rounds = usual[0][0] if usual else ()
        finished = _comparable(trials, rounds)
        earlier = _comparable(trials[: -self._patience], rounds)
        if not rounds or not earlier:
            return False

        def merit(trial: FrozenTrial) -> float:
            return float(_scores(study, [trial], rounds).mean())

        now, before = max(finished, key=merit), max(earlier, key=merit)
        rng = np.random.default_rng([self._seed, finished[-1].number])
        if self._cost is not None:
            scores, least = _partial(study, trials, rounds), self._cost * self._patience
            gained = gains(scores, self._patience, rng, test_fraction=self._test_fraction)
            p, worth = float((gained > least).mean()), float(gained.mean())
            why = f"{self._patience} more trials are expected to gain {worth:.2g}"
            stop, limit = worth < least, f"cost {least:.2g}"
        elif now is before:
            p, why = 0.0, f"the best is that of {self._patience} trials before"
        else:
            rest = [t for t in finished if t is not now and t is not before]
            scores = _scores(study, [now, before, *_thinned(rest)], rounds)
            p = float(standing(scores, rng, test_fraction=self._test_fraction).p_beats(1)[0])
            why = f"better than {self._patience} trials before with probability {p:.3f}"
        if self._cost is None:
            stop, limit = p < self._confidence, f"{self._confidence:g}"
        decision, why = "stops" if stop else "goes on", f"{why} ({limit})"
        row = now.number, len(rounds), before.number, p, decision, why, self._seed
        _record(study, "terminator", *row)
        return stop


def _record(study: optuna.Study, who: str, trial: int, *rest: float | str) -> None:
    """Keep a row of `COLUMNS` in the study's storage: the last of each trial."""
    row = dict(zip(COLUMNS, (trial, *rest), strict=True))
    study.set_user_attr(f"{_ATTRIBUTE}{who}:{trial}", row)


def _comparable(trials: Sequence[FrozenTrial], rounds: Sequence[int]) -> list[FrozenTrial]:
    """Pick the trials that have a score in all of the rounds."""
    return [trial for trial in trials if _is_finite(trial, rounds)]


def _is_finite(trial: FrozenTrial, rounds: Sequence[int]) -> bool:
    values = trial.intermediate_values
    return all(k in values for k in rounds) and all(np.isfinite(v) for v in values.values())


def _best(study: optuna.Study, trials: Sequence[FrozenTrial]) -> FrozenTrial:
    """Pick the trial with the best mean of those with the most rounds."""

    def merit(trial: FrozenTrial) -> tuple[int, float]:
        values = list(trial.intermediate_values.values())
        return len(values), _sign(study) * float(np.mean(values))

    return max(trials, key=merit)


def _scores(study: optuna.Study, trials: Sequence[FrozenTrial], rounds: Sequence[int]) -> Floats:
    """Collect scores (trial, round), higher is better."""
    values = [[trial.intermediate_values[k] for k in rounds] for trial in trials]
    return _sign(study) * np.array(values)


def _partial(study: optuna.Study, trials: Sequence[FrozenTrial], rounds: Sequence[int]) -> Floats:
    """Collect scores (trial, round), NaN where a trial was pruned; of those that have any."""
    values = [[t.intermediate_values.get(k, np.nan) for k in rounds] for t in trials]
    scores = _sign(study) * np.array(values, float)
    scores[~np.isfinite(scores)] = np.nan
    return scores[~np.isnan(scores).all(axis=1)]


def _sign(study: optuna.Study) -> float:
    return 1.0 if study.direction == optuna.study.StudyDirection.MAXIMIZE else -1.0


def _thinned(trials: Sequence[FrozenTrial]) -> list[FrozenTrial]:
    """Pick as many trials as fit on the board, evenly spread."""
    at = np.linspace(0, len(trials) - 1, min(len(trials), _MOST - 2)).astype(int)
    return [trials[i] for i in at]
