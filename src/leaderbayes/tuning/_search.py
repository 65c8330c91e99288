"""Search of hyper-parameters that races candidates over folds: a scikit-learn estimator."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from sklearn.base import clone, is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state, indexable
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from leaderbayes._arguments import number, whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes.tuning import _sklearn
from leaderbayes.tuning._candidates import Parameters, Propose, proposal
from leaderbayes.tuning._posterior import gains
from leaderbayes.tuning._race import Decision, Race
from leaderbayes.tuning._record import Out, Record, test_fraction
from leaderbayes.tuning._stopping import Rule, pays, stopping

# Fits candidates, by number, on a fold.
_Play = Callable[[Sequence[int], int], Iterable[Out]]


class LeaderboardSearchCV(_sklearn.BaseSearchCV):  # type: ignore[misc]  # scikit-learn has no types
    r"""Search for the best parameters of an estimator, dropping candidates that cannot win.

    Candidates are players and the folds of a cross-validation are rounds. After each fold,
    candidates that are unlikely to beat the leader are dropped. Candidates come in iterations.

    Parameters
    ----------
    estimator, scoring, refit, cv, n_jobs, pre_dispatch, error_score, return_train_score, verbose
        As for `sklearn.model_selection.GridSearchCV`. Folds are played in order: shuffle them.
    param_space : dict or list of dict
        Values of each parameter; for "random" also distributions.
    strategy : {"grid", "random", "iterated"}
        The whole grid; random draws; or a grid, then points ever nearer to candidates tied for top.
    n_candidates, max_iterations : int
        Candidates per iteration (by default the whole grid, or 10 draws), and most iterations.
    drop : float
        Drop a candidate whose posterior probability of beating the leader is below this.
    min_rounds : int
        Folds before the first candidate is dropped.
    rope : float
        Also drop candidates that win with a probability of at most 1/2 + ``rope``.
    stop : {"posterior", "wald", "gain"} or None
        Stop if the best is not better than ``patience`` iterations earlier, by posterior
        probability or PMRA's Wald test; or if the next iteration would gain less than it costs.
    patience, confidence : int, float
        See ``stop``; a confidence of 0.9 is the published 10 % level.
    cost : float
        Gain in the mean score for which one more candidate is worth trying.
    random_state : int, RandomState instance or None
        Seeds candidates and posteriors.
    sampler : str
        For the final posterior, as for `leaderbayes.fit`.

    Attributes
    ----------
    cv_results_ : dict of ndarray
        As scikit-learn's; also ``player``, ``iteration``, ``n_rounds`` and ``outcome``.
    best_estimator_, best_index_, best_params_, best_score_, refit_time_, scorer_, n_splits_
        As scikit-learn's. The best candidate has the most wins of those in the race.
    leaderboard_, posterior_, scores_
        Leaderboard, posterior and test scores (player, round); None for one candidate.
    decisions_ : DataFrame
        A row per candidate after each fold, with the ``probability`` of beating the ``opponent``.
    n_fits_, n_iterations_ : int
        Fits on folds, and iterations begun.

    References
    ----------
    Gajda, Chlebus (2022), A probability-based models ranking approach, sections 3.5.2 and 4.3.
    Gosiewska, Bakała, Woźnica, Zwoliński, Biecek (2019), EPP, section 5 (navigated tuning).

    Examples
    --------
    >>> from leaderbayes.tuning import LeaderboardSearchCV
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> space = {"n_neighbors": [1, 5, 60, 90, 110]}
    >>> search = LeaderboardSearchCV(KNeighborsClassifier(), space, cv=10, random_state=1)
    >>> search.fit(*load_iris(return_X_y=True)).n_fits_ < 50
    True
    """

    _parameter_constraints = {  # noqa: RUF012  scikit-learn's name
        **_sklearn.BaseSearchCV._parameter_constraints,
        "param_space": [dict, list],
        "strategy": [_sklearn.StrOptions({"grid", "random", "iterated"})],
        "n_candidates": [_sklearn.Interval(Integral, 1, None, closed="left"), None],
        "max_iterations": [_sklearn.Interval(Integral, 1, None, closed="left")],
        "drop": [_sklearn.Interval(Real, 0, 0.5, closed="both")],
        "min_rounds": [_sklearn.Interval(Integral, 1, None, closed="left")],
        "rope": [_sklearn.Interval(Real, 0, 0.5, closed="left")],
        "stop": [_sklearn.StrOptions({"posterior", "wald", "gain"}), None],
        "cost": [_sklearn.Interval(Real, 0, None, closed="left")],
        "patience": [_sklearn.Interval(Integral, 1, None, closed="left")],
        "confidence": [_sklearn.Interval(Real, 0, 1, closed="neither")],
        "random_state": ["random_state"],
        "sampler": [str],
    }

    def __init__(
        self,
        estimator: Any,
        param_space: dict[str, Any] | list[dict[str, Any]],
        *,
        strategy: Literal["grid", "random", "iterated"] = "grid",
        n_candidates: int | None = None,
        max_iterations: int = 10,
        drop: float = 0.05,
        min_rounds: int = 2,
        rope: float = 0.0,
        stop: Rule | None = "posterior",
        patience: int = 2,
        confidence: float = 0.9,
        cost: float = 1e-4,
        scoring: Any = None,
        refit: Any = True,
        cv: Any = None,
        n_jobs: int | None = None,
        pre_dispatch: int | str = "2*n_jobs",
        verbose: int = 0,
        random_state: Any = None,
        error_score: Any = np.nan,
        return_train_score: bool = False,
        sampler: str = "auto",
    ) -> None:
        super().__init__(
            estimator, scoring=scoring, n_jobs=n_jobs, refit=refit, cv=cv, verbose=verbose,
            pre_dispatch=pre_dispatch, error_score=error_score,
            return_train_score=return_train_score,
        )  # fmt: skip
        self.param_space = param_space
        self.strategy = strategy
        self.n_candidates = n_candidates
        self.max_iterations = max_iterations
        self.drop = drop
        self.min_rounds = min_rounds
        self.rope = rope
        self.stop = stop
        self.patience = patience
        self.confidence = confidence
        self.cost = cost
        self.random_state = random_state
        self.sampler = sampler

    @_sklearn.fit_context(prefer_skip_nested_validation=False)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Search, and fit the best candidate to all data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), optional
            Target.
        **params
            For the ``fit`` of the estimator, the scorer and the splitter, as in scikit-learn.

        Returns
        -------
        LeaderboardSearchCV
            Itself. If a fit raises or is interrupted, attributes hold what was finished.

        Raises
        ------
        ValueError
            If all fits failed, there are no folds or candidates, or an option is not valid; a
            LeaderbayesError if no candidate has a finite score or ``refit`` names no metric.
        """
        for name in [name for name in vars(self) if name.endswith("_") and name[0] != "_"]:
            delattr(self, name)  # of an earlier fit
        scorers, _ = self._get_scorers()
        X, y = indexable(X, y)
        params = _sklearn.check_method_params(X, params=params)
        routed = self._get_routed_params_for_fit(params)
        cv = check_cv(self.cv, y, classifier=is_classifier(self.estimator))
        splits = list(cv.split(X, y, **routed.splitter.split))
        if not splits:
            raise ValueError("There are no folds: cv is empty (an iterator can be used only once).")
        self.n_splits_ = len(splits)
        random = check_random_state(self.random_state)
        race = Race(
            len(splits), np.random.default_rng(random.randint(2**31)),
            drop=self.drop, min_rounds=self.min_rounds, rope=self.rope,
        )  # fmt: skip
        self._seed = int(random.randint(2**31))
        self._test_fraction = test_fraction(splits)
        record = Record(race, self._test_fraction, self.refit)

        def play(candidates: Sequence[int], k: int) -> Any:
            jobs = (
                delayed(_sklearn.fit_and_score)(
                    clone(self.estimator), X, y, scorer=scorers,
                    train=splits[k][0], test=splits[k][1], verbose=self.verbose,
                    parameters=record.candidates[i], fit_params=routed.estimator.fit,
                    score_params=routed.scorer.score, return_train_score=self.return_train_score,
                    return_n_test_samples=True, return_times=True, error_score=self.error_score,
                    split_progress=(k, len(splits)), candidate_progress=(n, len(candidates)),
                )
                for n, i in enumerate(candidates)
            )  # fmt: skip
            return parallel(jobs)

        try:
            propose = proposal(
                self.strategy, self.param_space, self.n_candidates, self.max_iterations, random
            )
            # Fits are handed on as they are finished, so that an interrupt finds them.
            with Parallel(
                n_jobs=self.n_jobs, pre_dispatch=self.pre_dispatch, return_as="generator"
            ) as parallel:
                self._search(propose, play, record)
        except BaseException as error:
            # Whatever it was, what is done is worth keeping.
            try:
                if record.outs:
                    self._conclude(record, scorers, complete=False)
                    self._judge(record)
            except Exception as second:
                error.add_note(f"Finished results could not be kept: {second!r}")
            raise
        _sklearn.warn_or_raise_about_fit_failures(list(record.outs.values()), self.error_score)
        if np.isnan(record.race.scores).all():
            # As in scikit-learn's searches, the fit to all data says what is wrong with them.
            self._fitted(record.candidates[0], X, y, routed.estimator.fit)
            said = next((out["fit_error"] for out in record.outs.values() if out["fit_error"]), "")
            raise LeaderbayesError(
                "No candidate has a finite score: check the scorer, or set "
                f"error_score='raise'.{f' The first fit that failed: {said}' if said else ''}"
            )
        self._conclude(record, scorers, complete=True)
        if self.refit:
            self._refit(X, y, routed.estimator.fit)
        self._judge(record)
        return self

    def improvement(self, n_candidates: int, threshold: float = 0.0) -> pd.Series:
        """Return what further candidates would gain on the best one, if drawn like those seen.

        Parameters
        ----------
        n_candidates : int
            Number of further candidates.
        threshold : float
            Gain in the mean score that matters.

        Returns
        -------
        Series
            ``probability`` of a gain above the threshold, ``expected`` gain, and its quantiles
            ``lower`` (2.5 %) and ``upper`` (97.5 %).
        """
        check_is_fitted(self, "scores_")
        more, threshold = whole("n_candidates", n_candidates), number("threshold", threshold)
        rng = np.random.default_rng(self._seed)
        gained = gains(self.scores_.to_numpy(), more, rng, test_fraction=self._test_fraction)
        lower, upper = np.quantile(gained, (0.025, 0.975))
        p = float((gained > threshold).mean())
        return pd.Series(
            {"probability": p, "expected": gained.mean(), "lower": lower, "upper": upper}
        )

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether there is an estimator: an interrupted search has results only."""
        return hasattr(self, "best_estimator_" if self.refit else "cv_results_")

    def _search(self, propose: Propose, play: _Play, record: Record) -> None:
        """Race the candidates of one iteration after another, until the rule says stop."""
        race = record.race
        self.n_fits_ = 0
        best: list[int] = []
        why = f"{self.max_iterations} iterations, the maximum"
        for _ in range(self.max_iterations):
            new = propose([record.candidates[i] for i in race.tied])
            if not new:
                why = "no candidate is left to try"
                break
            record.enter(new)
            for k in range(race.rounds):
                self._play_rounds(play, record, k)
                while race.remove_failed(k):
                    self._play_rounds(play, record, k)
                race.judge(k)
            if not race.tied:
                continue
            best.append(race.tied[0])
            if self.verbose > 0:
                print(
                    f"iteration {race.iteration[-1]}: {len(new)} new candidates, {self.n_fits_} "
                    f"fits so far, {len(race.active)} in the race, best {record.names()[best[-1]]}"
                )
            if self.stop == "gain":
                fraction = record.test_fraction
                decision = pays(race, best[-1], len(new), cost=self.cost, test_fraction=fraction)
            elif self.stop is None or len(best) <= self.patience:
                continue
            else:
                decision = stopping(
                    race, best, self.stop, patience=self.patience, confidence=self.confidence,
                    test_fraction=record.test_fraction,
                )  # fmt: skip
            race.decisions.append(decision)
            if decision.decision == "stops":
                return
        if not race.iteration:
            raise ValueError("There are no candidates: param_space is empty.")
        last = best[-1] if best else -1
        race.decisions.append(
            Decision(race.iteration[-1], race.rounds, last, -1, np.nan, "stops", why)
        )

    def _play_rounds(self, play: _Play, record: Record, last: int) -> None:
        """Fit whoever is in the race on the folds up to ``last`` that it has not played."""
        for k in range(last + 1):
            left = [i for i in record.race.playing(k) if (i, k) not in record.outs]
            for i, out in zip(left, play(left, k) if left else (), strict=True):
                self.n_fits_ += 1
                record.add(i, k, out)

    def _conclude(self, record: Record, scorers: Any, *, complete: bool) -> None:
        """Set the attributes that hold what is done."""
        results = record.results()
        results |= _sklearn.masked_array_of_each_parameter(record.candidates)
        results["params"] = record.candidates
        self.cv_results_ = results
        self.decisions_ = record.decisions()
        self.scores_ = record.scores()
        self.n_iterations_ = record.race.iteration[-1]
        self.multimetric_ = any(isinstance(o["test_scores"], dict) for o in record.outs.values())
        self.scorer_ = getattr(scorers, "_scorers", scorers)
        if callable(self.refit) and not complete:
            # It chooses from whole searches.
            return
        self.best_index_ = self._select_best_index(self.refit, record.metric, results)
        self.best_params_ = record.candidates[self.best_index_]
        if not callable(self.refit):
            self.best_score_ = results[f"mean_test_{record.metric}"][self.best_index_]

    def _judge(self, record: Record) -> None:
        """Set the posterior and the leaderboard of all candidates."""
        self.posterior_ = record.posterior(self.sampler, self._seed)
        self.leaderboard_ = None if self.posterior_ is None else record.board(self.posterior_)

    def _refit(self, X: Any, y: Any, fit_params: Mapping[str, Any]) -> None:
        """Fit the best candidate to all data."""
        start = time.perf_counter()
        self.best_estimator_ = self._fitted(self.best_params_, X, y, fit_params)
        self.refit_time_ = time.perf_counter() - start
        if hasattr(self.best_estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.best_estimator_.feature_names_in_

    def _fitted(self, candidate: Parameters, X: Any, y: Any, fit_params: Mapping[str, Any]) -> Any:
        """Fit a candidate to all data."""
        estimator = clone(self.estimator).set_params(**clone(candidate, safe=False))
        return estimator.fit(X, **fit_params) if y is None else estimator.fit(X, y, **fit_params)
