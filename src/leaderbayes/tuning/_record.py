"""Record of a search, and the tables that are made of it."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.leaderboard import leaderboard
from leaderbayes._errors import DisconnectedWarning, LeaderbayesError, WeightWarning
from leaderbayes._inference.fit import Sampler, fit
from leaderbayes._types import Bools, Floats, Ints
from leaderbayes.tuning._candidates import Parameters, name_of
from leaderbayes.tuning._race import Decision, Race

_REPLICATES = 400  # for `leaderbayes.check`: drawing more would take longer than all else
Out = dict[str, Any]  # of scikit-learn's fit of one candidate on one fold


class Record:
    """Candidates and their fits on folds.

    Parameters
    ----------
    race : Race
        Of the same candidates.
    test_fraction : float
        Share of the data that a fold tests on.
    refit : object
        The estimator's: names the metric raced on, if there are several.
    """

    def __init__(self, race: Race, test_fraction: float, refit: Any) -> None:
        self.race = race
        self.test_fraction = test_fraction
        self.candidates: list[Parameters] = []
        self.outs: dict[tuple[int, int], Out] = {}  # by candidate and fold
        self.metric = "score"
        self._refit = refit

    def enter(self, new: Sequence[Parameters]) -> None:
        """Begin an iteration with new candidates."""
        self.candidates += new
        self.race.enter(len(new))

    def add(self, candidate: int, k: int, out: Out) -> None:
        """Add a fit on fold k."""
        scores = out["test_scores"]
        if isinstance(scores, dict):
            if not (isinstance(self._refit, str) and self._refit in scores):
                raise LeaderbayesError(
                    f"There are {len(scores)} metrics, and candidates are raced on one: name it as "
                    f"refit={next(iter(scores))!r}, for example."
                )
            self.metric = self._refit
            scores = scores[self.metric]
        self.outs[candidate, k] = out
        # A score that is no finite number is none.
        self.race.scores[candidate, k] = scores if np.isfinite(scores) else np.nan

    def names(self) -> list[str]:
        """Name candidates as players: by their parameters, with a number where these repeat."""
        names = pd.Series([name_of(parameters) or "default" for parameters in self.candidates])
        again = names.duplicated(keep=False)
        return [f"{name} (#{i})" if again[i] else name for i, name in enumerate(names)]

    def scores(self) -> xr.DataArray:
        """Give scores (player, round) of the metric raced on, without candidates that have none."""
        rounds = [f"split{k}" for k in range(self.race.rounds)]
        board = xr.DataArray(
            self.race.scores[: len(self.candidates)],
            {"player": self.names(), "round": rounds},
            ("player", "round"),
            name=self.metric,
            attrs={"higher_is_better": 1},
        )
        return board.dropna("player", how="all").dropna("round", how="all")

    def decisions(self) -> pd.DataFrame:
        """Give the race's decisions as a table."""
        table = pd.DataFrame(self.race.decisions, columns=Decision._fields)
        names = dict(enumerate(self.names()))
        table.insert(3, "player", table["candidate"].map(names))
        table["opponent"] = table["opponent"].map(names)
        return table

    def posterior(self, sampler: Sampler, seed: int) -> xr.DataTree | None:
        """Fit all candidates on all folds; None where nobody can be compared."""
        scores = self.scores()
        if scores.sizes["player"] < 2:
            return None
        with warnings.catch_warnings():
            # Searches have few folds and candidates that lose everything: no news, and in attrs.
            warnings.simplefilter("ignore", DisconnectedWarning)
            warnings.simplefilter("ignore", WeightWarning)
            return fit(
                scores, sampler=sampler, seed=seed, test_fraction=self.test_fraction,
                replicates=_REPLICATES, progressbar=False,
            )  # fmt: skip

    def board(self, posterior: xr.DataTree) -> pd.DataFrame:
        """Make the leaderboard of a posterior, with what became of each candidate."""
        board = leaderboard(posterior)
        outcomes = dict(zip(self.names(), self.outcomes(), strict=True))
        board["outcome"] = board["player"].map(outcomes)
        board["n_rounds"] = board["player"].map(self.scores().count("round").to_series())
        return board

    def outcomes(self) -> list[str]:
        """Say what became of each candidate."""
        race = self.race
        ended = {
            one.candidate: one.decision
            for one in race.decisions
            if one.decision in ("dropped", "failed")
        }
        finished = set(race.finished())

        def outcome(i: int) -> str:
            if i not in race.active:
                return ended[i]
            if i not in finished:
                return "unfinished"
            if i not in race.tied:
                return "in the race"
            return "best" if i == race.tied[0] else "tied"

        return [outcome(i) for i in range(len(self.candidates))]

    def results(self) -> dict[str, Any]:
        """Make ``cv_results_`` but for columns that scikit-learn makes of parameters."""
        played = np.isfinite(self._column(lambda out: 1.0))
        results: dict[str, Any] = {}
        for name in ("fit_time", "score_time"):
            results |= _moments(name, self._column(lambda out, key=name: out[key]), played)
        for kind in ("test", "train"):
            every = [out.get(f"{kind}_scores") for out in self.outs.values()]
            several = (list(scores) for scores in every if isinstance(scores, dict))
            single = ["score"] if any(scores is not None for scores in every) else []
            for metric in next(several, single):
                name = f"{kind}_{metric}"
                values = self._column(
                    lambda out, kind=kind, m=metric: _value(out.get(f"{kind}_scores", np.nan), m)
                )
                for k in range(self.race.rounds):
                    results[f"split{k}_{name}"] = values[:, k]
                results |= _moments(name, values, played)
                if kind == "test":
                    results[f"rank_{name}"] = self._ranks(results[f"mean_{name}"], played, metric)
        results["player"] = np.array(self.names(), dtype=object)
        results["iteration"] = np.array(self.race.iteration)
        results["n_rounds"] = played.sum(axis=1)
        results["outcome"] = np.array(self.outcomes(), dtype=object)
        return results

    def _column(self, value: Any) -> Floats:
        """Collect values (candidate, fold), NaN where there was no fit."""
        column = np.full((len(self.candidates), self.race.rounds), np.nan)
        for cell, out in self.outs.items():
            column[cell] = value(out)
        return column

    def _ranks(self, mean: Floats, played: Bools, metric: str) -> Ints:
        """Rank the best first, then who is in the race, who was dropped, and who failed."""
        race = self.race
        order: list[tuple[float, ...]] = []
        for i, score in enumerate(mean):
            if not np.isfinite(score):
                order.append((3.0,))
            elif metric == self.metric and race.tied and i == race.tied[0]:
                order.append((0.0,))
            else:
                order.append((1.0 if i in race.active else 2.0, -played[i].sum(), -score))
        # Equals share the best of their ranks, as in scikit-learn.
        ranked = sorted(order)
        return np.array([1 + ranked.index(key) for key in order], dtype=np.int32)


def _value(scores: Any, metric: str) -> float:
    """Give one metric's score; of a fit that failed, the one score that it has."""
    return float(scores[metric] if isinstance(scores, dict) else scores)


def _moments(name: str, values: Floats, played: Bools) -> dict[str, Floats]:
    """Give mean and standard deviation over the folds played; NaN where one of them failed."""
    count = np.where(played.any(axis=1), played.sum(axis=1), np.nan)
    mean = np.where(played, values, 0.0).sum(axis=1) / count
    variance = np.where(played, (values - mean[:, None]) ** 2, 0.0).sum(axis=1) / count
    return {f"mean_{name}": mean, f"std_{name}": np.sqrt(variance)}


def test_fraction(splits: Sequence[tuple[Any, Any]]) -> float:
    """Compute the share of the data that a fold tests on, on average."""

    def size(rows: Any) -> int:
        rows = np.asarray(rows)
        return int(rows.sum()) if rows.dtype == bool else len(rows)

    return float(np.mean([size(test) / (size(train) + size(test)) for train, test in splits]))
