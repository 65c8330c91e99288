"""Record of a search, and the tables that are made of it."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.leaderboard import leaderboard
from leaderbayes._errors import LeaderbayesError, LeaderbayesWarning
from leaderbayes._inference.fit import fit
from leaderbayes._types import Floats, Ints
from leaderbayes.tuning._candidates import Parameters, name_of
from leaderbayes.tuning._race import Decision, Race

_REPLICATES = 400  # for `leaderbayes.check`: drawing more would take longer than all else
Out = dict[str, Any]  # of scikit-learn's fit of one candidate on one fold


class Record:
    """Candidates and their fits on folds; ``refit`` names the metric raced on, if several."""

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
                    f"There are {len(scores)} metrics, but the race uses one: choose it with "
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
        """Return scores (player, round) of the metric raced on, of candidates that have any."""
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
        """Return the race's decisions as a table."""
        table = pd.DataFrame(self.race.decisions, columns=Decision._fields)
        names = dict(enumerate(self.names()))
        table.insert(3, "player", table["candidate"].map(names))
        table["opponent"] = table["opponent"].map(names)
        return table

    def posterior(self, sampler: str, seed: int) -> xr.DataTree | None:
        """Fit all candidates on all folds; None where no two can be compared."""
        scores = self.scores()
        if scores.sizes["player"] < 2:
            return None
        with warnings.catch_warnings():
            # Searches have few folds and candidates that lose everything: no news, and in attrs.
            warnings.filterwarnings("ignore", "LB01[01]", LeaderbayesWarning)
            return fit(
                scores, "bradley_terry", sampler=sampler, seed=seed,
                test_fraction=self.test_fraction, replicates=_REPLICATES, progressbar=False,
            )  # fmt: skip

    def board(self, posterior: xr.DataTree) -> pd.DataFrame:
        """Return the leaderboard of a posterior, with what became of each candidate."""
        board = leaderboard(posterior)
        outcomes = dict(zip(self.names(), self.outcomes(), strict=True))
        board["outcome"] = board["player"].map(outcomes)
        board["n_rounds"] = board["player"].map(self.scores().count("round").to_series())
        return board

    def outcomes(self) -> list[str]:
        """Return what became of each candidate."""
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
        """Return ``cv_results_`` but for columns that scikit-learn makes of parameters."""
        every, folds = range(len(self.candidates)), range(self.race.rounds)
        kinds = (out["test_scores"] for out in self.outs.values())
        metrics = next((list(scores) for scores in kinds if isinstance(scores, dict)), ["score"])
        fits = pd.DataFrame(
            [{"candidate": i, "fold": k, **_row(out, metrics)} for (i, k), out in self.outs.items()]
        )
        played = fits.groupby("candidate").size().reindex(every, fill_value=0).to_numpy()
        results: dict[str, Any] = {}
        for name in fits.columns[2:]:
            if not name.endswith("_time"):
                table = fits.pivot(index="candidate", columns="fold", values=name)
                table = table.reindex(index=every, columns=folds)
                results |= {f"split{k}_{name}": table[k].to_numpy() for k in folds}
            # A fold that failed is no score to leave out in silence.
            own = fits.groupby("candidate")[name]
            mean = own.apply(lambda values: values.mean(skipna=False)).reindex(every).to_numpy()
            results[f"mean_{name}"] = mean
            std = own.apply(lambda values: values.std(ddof=0, skipna=False))
            results[f"std_{name}"] = std.reindex(every).to_numpy()
            if name.startswith("test_"):
                results[f"rank_{name}"] = self._ranks(mean, played, name.removeprefix("test_"))
        results["player"] = np.array(self.names(), dtype=object)
        results["iteration"] = np.array(self.race.iteration)
        results["n_rounds"] = played
        results["outcome"] = np.array(self.outcomes(), dtype=object)
        return results

    def _ranks(self, mean: Floats, played: Any, metric: str) -> Ints:
        """Rank the best first, then who is in the race, who was dropped, and who failed."""
        race = self.race
        order: list[tuple[float, ...]] = []
        for i, score in enumerate(mean):
            if not np.isfinite(score):
                order.append((3.0,))
            elif metric == self.metric and race.tied and i == race.tied[0]:
                order.append((0.0,))
            else:
                order.append((1.0 if i in race.active else 2.0, -played[i], -score))
        # Equals share the best of their ranks, as in scikit-learn.
        ranked = sorted(order)
        return np.array([1 + ranked.index(key) for key in order], dtype=np.int32)


def _row(out: Out, metrics: Sequence[str]) -> dict[str, float]:
    """Return times and scores of a fit; one that failed has one score for all metrics."""
    row = {name: out[name] for name in ("fit_time", "score_time")}
    for kind in ("test", "train"):
        if (scores := out.get(f"{kind}_scores")) is not None:
            several = isinstance(scores, dict)
            row |= {f"{kind}_{m}": float(scores[m] if several else scores) for m in metrics}
    return row


def test_fraction(splits: Sequence[tuple[Any, Any]]) -> float:
    """Compute the share of the data that a fold tests on, on average."""

    def size(rows: Any) -> int:
        rows = np.asarray(rows)
        return int(rows.sum()) if rows.dtype == bool else len(rows)

    return float(np.mean([size(test) / (size(train) + size(test)) for train, test in splits]))
