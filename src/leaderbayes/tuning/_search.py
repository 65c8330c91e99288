"""Search of hyper-parameters that races candidates over folds: a scikit-learn estimator."""

import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, Literal, Self, get_args

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state, indexable
from sklearn.utils.parallel import Parallel, delayed

from leaderbayes._errors import LeaderbayesError
from leaderbayes._inference.fit import Sampler
from leaderbayes.tuning import _sklearn
from leaderbayes.tuning._candidates import Parameters, Propose, hash_of, proposal
from leaderbayes.tuning._race import Decision, Race
from leaderbayes.tuning._record import Out, Record, test_fraction
from leaderbayes.tuning._stopping import Rule, stopping

# Fits candidates, by number, on a fold.
_Play = Callable[[Sequence[int], int], Iterable[Out]]


class LeaderboardSearchCV(_sklearn.BaseSearchCV):  # type: ignore[misc]  # scikit-learn has no types
    r"""Search for the best parameters of an estimator, dropping candidates that cannot win.

    Candidates are players and the folds of a cross-validation are rounds. After every fold
    Bradley-Terry's posterior of the candidates says how probably each beats the leader, and those
    that hardly can play no further folds (a race). Candidates come in iterations, and the search
    ends where the best of an iteration is not better than that of some iterations before.

    Parameters
    ----------
    estimator : estimator object
        With a method ``score``, unless ``scoring`` is given.
    param_space : dict or list of dict
        Values of each parameter, as in `sklearn.model_selection.GridSearchCV`; for "random" also
        distributions, as in `sklearn.model_selection.RandomizedSearchCV`.
    strategy : {"grid", "random", "iterated"}
        Candidates are the whole grid; or draws; or a grid and then points around its best
        candidate and around all that cannot be told from it: numeric parameters move by half a
        step of the grid, in the next iteration by a quarter, and so on.
    n_candidates : int, optional
        Candidates of an iteration: by default all of a grid, or 10 draws. With it a grid is
        shuffled first. Of "iterated" the most of a later iteration; as many as in the grid by
        default.
    max_iterations : int
        Iterations at most.
    drop : float
        A candidate is dropped where it beats the leader with a posterior probability below this,
        as long as the best candidate of an iteration is among those that it dropped with a
        probability of at most this, all folds together. 0: every candidate plays every fold.
    min_rounds : int
        Folds before the first candidate is dropped.
    rope : float
        To beat the leader means to win with a probability above 1/2 + ``rope``. Above 0, candidates
        that are as good as the leader are dropped too, once enough folds have shown it, and
        ``drop`` speaks of a best one that is ahead by more than that.
    stop : {"posterior", "wald"} or None
        Stop after an iteration where the best candidate is not better than the best of
        ``patience`` iterations before: with a posterior probability of ``confidence`` or more; or
        by PMRA's Wald test at the level 1 - ``confidence``, as published. None: go on to the end.
    patience : int
        Iterations that the rule looks back.
    confidence : float
        See ``stop``; 0.9 is the published 10 % level.
    scoring, refit, cv, n_jobs, pre_dispatch, error_score, return_train_score
        As in `sklearn.model_selection.GridSearchCV`. With several metrics ``refit`` names the one
        that candidates are raced on. ``n_jobs`` fits of one fold run at a time.
    verbose : int
        1: a line after each iteration; more as in scikit-learn.
    random_state : int, RandomState instance or None
        Of shuffled and drawn candidates, and of the posteriors.
    warm_start : bool
        Keep fits for the next call to `fit`, which takes them for the same candidates if data,
        folds, estimator and scoring are the same: it goes on where it was interrupted, given the
        same ``random_state``.
    sampler : str
        Of the final posterior, as in `leaderbayes.fit`.

    Attributes
    ----------
    cv_results_ : dict of ndarray
        As scikit-learn's, NaN where a candidate did not play; means are of the folds that it
        played. ``rank_test_*`` ranks the best first (by the metric raced on), then the others in
        the race by their mean, those dropped, the latest first, and those that failed. Also
        ``player``, ``iteration``, ``n_rounds``, ``outcome`` ("best", "tied", "in the race",
        "dropped", "failed", "unfinished").
    best_estimator_, best_index_, best_params_, best_score_, refit_time_, scorer_, n_splits_
        As scikit-learn's. The best is the candidate with the most wins of those in the race.
    leaderboard_ : DataFrame
        `leaderbayes.leaderboard` of the candidates, with their ``outcome`` and ``n_rounds``. It
        counts what they won against candidates that were dropped, too: its first need not be the
        best of those in the race.
    posterior_ : DataTree
        `leaderbayes.fit` of ``scores_``, with the folds' ``test_fraction``. None, as the
        leaderboard, where fewer than two candidates have scores.
    scores_ : DataArray (player, round)
        Test scores of the metric raced on, NaN where a candidate did not play or failed.
    decisions_ : DataFrame
        A row a candidate and look, and one for every stopping rule: ``iteration``, ``rounds``
        played, ``candidate`` (its row in ``cv_results_``), ``player``, ``opponent`` (the leader,
        or the best of before), ``probability`` (that it beats the opponent; of the leader, that
        it is the best; of "wald", the p-value), ``decision`` ("leads", "tied", "stays",
        "dropped", "failed", "returns", "goes on", "stops"), ``reason``. A candidate returns where
        the one that it was dropped against fails later.
    n_fits_ : int
        Fits on folds that this call made, without the final one.
    n_iterations_ : int
        Iterations begun. The rule counts those after which there was a best candidate.

    Raises
    ------
    ValueError
        By `fit`, if an option is out of range.

    Notes
    -----
    Drops ask who would win on further folds of these data, and count folds as independent. The
    stopping rule and ``posterior_`` speak of new data; there folds that share their training data
    count less (Nadeau and Bengio's correction, ``test_fraction``).

    If a fit raises (``error_score="raise"``) or is interrupted, what was finished is kept in the
    attributes, without ``best_estimator_``, and the exception goes on. scikit-learn's callbacks
    are not called.

    Folds are played in their order, so they should be alike: shuffle them, unless they are.

    References
    ----------
    Gajda, Chlebus (2022), A probability-based models ranking approach, sections 3.5.2 and 4.3.
    Gosiewska, Bakała, Woźnica, Zwoliński, Biecek (2019), EPP, section 5 (navigated tuning).
    Nadeau, Bengio (2003), Inference for the generalization error, Machine Learning 52.

    Examples
    --------
    >>> from leaderbayes.tuning import LeaderboardSearchCV
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> search = LeaderboardSearchCV(
    ...     KNeighborsClassifier(), {"n_neighbors": [1, 5, 60, 90, 110]}, cv=10, random_state=1
    ... )
    >>> search = search.fit(*load_iris(return_X_y=True))
    >>> search.n_fits_ < 50
    True
    >>> search.best_params_["n_neighbors"] < 60
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
        "stop": [_sklearn.StrOptions({"posterior", "wald"}), None],
        "patience": [_sklearn.Interval(Integral, 1, None, closed="left")],
        "confidence": [_sklearn.Interval(Real, 0, 1, closed="neither")],
        "random_state": ["random_state"],
        "warm_start": ["boolean"],
        "sampler": [_sklearn.StrOptions(set(get_args(Sampler)))],
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
        scoring: Any = None,
        refit: Any = True,
        cv: Any = None,
        n_jobs: int | None = None,
        pre_dispatch: int | str = "2*n_jobs",
        verbose: int = 0,
        random_state: Any = None,
        error_score: Any = np.nan,
        return_train_score: bool = False,
        warm_start: bool = False,
        sampler: Sampler = "auto",
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
        self.random_state = random_state
        self.warm_start = warm_start
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
            For the ``fit`` of the estimator, the scorer and the splitter, as in scikit-learn's
            searches.

        Returns
        -------
        LeaderboardSearchCV
            Itself.

        Raises
        ------
        ValueError
            If all fits failed, there are no folds or candidates, or an option is not valid.
        LeaderbayesError
            If there are several metrics and ``refit`` names none of them, a grid cannot be refined,
            or no candidate has a finite score.
        """
        self._forget()
        scorers, _ = self._get_scorers()
        X, y = indexable(X, y)
        params = _sklearn.check_method_params(X, params=params)
        routed = self._get_routed_params_for_fit(params)
        cv = check_cv(self.cv, y, classifier=is_classifier(self.estimator))
        splits = list(cv.split(X, y, **routed.splitter.split))
        if not splits:
            raise ValueError("There are no folds: cv gives none (an iterator gives them once).")
        self.n_splits_ = len(splits)
        random = check_random_state(self.random_state)
        race = Race(
            len(splits), np.random.default_rng(random.randint(2**31)),
            drop=self.drop, min_rounds=self.min_rounds, rope=self.rope,
        )  # fmt: skip
        self._seed = int(random.randint(2**31))
        record = Record(race, test_fraction(splits), self.refit)

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

        if self.warm_start:
            of = X, y, splits, params, self.estimator, self.scoring
            self._keep(hash_of((*of, self.error_score, self.return_train_score)))
        try:
            propose = proposal(
                self.strategy, self.param_space, self.n_candidates, self.max_iterations, random
            )
            with self._parallel() as parallel:
                self._search(propose, play, record)
        except BaseException as error:
            # Whatever it was, what is done is worth keeping.
            try:
                if record.outs:
                    self._conclude(record, scorers, complete=False)
                    self._judge(record)
            except Exception as second:
                error.add_note(f"What was finished could not be kept: {second!r}")
            raise
        _sklearn.warn_or_raise_about_fit_failures(list(record.outs.values()), self.error_score)
        if np.isnan(record.race.scores).all():
            # As in scikit-learn's searches, the fit to all data says what is wrong with them.
            self._fitted(record.candidates[0], X, y, routed.estimator.fit)
            said = next((out["fit_error"] for out in record.outs.values() if out["fit_error"]), "")
            raise LeaderbayesError(
                "No candidate has a finite score: see the warnings of the scorer, or set "
                f"error_score='raise'.{f' The first fit that failed: {said}' if said else ''}"
            )
        self._conclude(record, scorers, complete=True)
        if self.refit:
            self._refit(X, y, routed.estimator.fit)
        self._judge(record)
        return self

    def _forget(self) -> None:
        """Drop the attributes of an earlier fit."""
        for name in [name for name in vars(self) if name.endswith("_") and name[0] != "_"]:
            delattr(self, name)

    def _keep(self, content: str | None) -> None:
        """Keep the fits of the last call if they were of the same content."""
        last = getattr(self, "_content", None)
        if last is not None and content != last:
            warnings.warn(
                "Data, folds, estimator or scoring are others than in the last fit, of which "
                "nothing is kept. For the same folds give cv a random_state.",
                UserWarning,
                stacklevel=4,
            )
        if content is None or content != last:
            self._fits: dict[tuple[str, int], Out] = {}
        self._content = content

    def _parallel(self) -> Any:
        """Give a pool that hands fits on as they are finished, where its backend can."""
        options = {"n_jobs": self.n_jobs, "pre_dispatch": self.pre_dispatch}
        try:
            return Parallel(return_as="generator", **options)
        except ValueError:
            return Parallel(**options)

    def __sklearn_is_fitted__(self) -> bool:
        """Say whether there is an estimator: an interrupted search has results only."""
        return hasattr(self, "best_estimator_" if self.refit else "cv_results_")

    def _search(self, propose: Propose, play: _Play, record: Record) -> None:
        """Race the candidates of one iteration after another, until the rule says stop."""
        race = record.race
        self.n_fits_ = 0
        best: list[int] = []
        why = f"{self.max_iterations} iterations, the most allowed"
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
            if self.stop is None or len(best) <= self.patience:
                continue
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
            key = dict.fromkeys(left, "")
            if self.warm_start:
                key = {i: hash_of(record.candidates[i]) or "" for i in left}
            kept = [i for i in left if key[i] and (key[i], k) in self._fits]
            for i in kept:
                record.add(i, k, self._fits[key[i], k])
            left = [i for i in left if i not in kept]
            for i, out in zip(left, play(left, k) if left else (), strict=True):
                self.n_fits_ += 1
                if key[i]:
                    self._fits[key[i], k] = out
                record.add(i, k, out)

    def _conclude(self, record: Record, scorers: Any, *, complete: bool) -> None:
        """Set the attributes that say what is done."""
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
