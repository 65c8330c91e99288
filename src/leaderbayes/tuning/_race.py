"""A race of candidates over rounds: who plays on, who is dropped, and the record of it."""

from typing import Literal, NamedTuple

import numpy as np

from leaderbayes._types import Floats
from leaderbayes.tuning._posterior import standing

Verdict = Literal["leads", "tied", "stays", "dropped", "failed", "returns", "goes on", "stops"]


class Decision(NamedTuple):
    """What was decided of a candidate, or of the search, and on what ground."""

    iteration: int  # from 1
    rounds: int  # played by all who are compared
    candidate: int
    opponent: int  # the leader, or the best of earlier iterations; -1: none
    probability: float  # see `Race.judge` and `stopping`
    decision: Verdict
    reason: str


class Race:
    """Scores of candidates by round, and which candidates are still in the race.

    ``drop``, ``min_rounds`` and ``rope`` are those of `LeaderboardSearchCV`. Each time a candidate
    i is dropped, P(i is best) is added up. If it were the posterior probability given everything
    that led to the drop, the sum would bound the probability that the best was dropped in an
    iteration, on average over the prior and however often one looks. It is nearly that: of those
    in the race alone, on the rounds that all of them have played. Simulations show how good it is
    (tests, benchmarks/tuning.py).
    """

    def __init__(
        self, rounds: int, rng: np.random.Generator, *, drop: float, min_rounds: int, rope: float
    ) -> None:
        self.rounds = rounds
        self.drop = drop
        self.min_rounds = min_rounds
        self.rope = rope
        self.rng = rng
        self.scores: Floats = np.empty((0, rounds))  # (candidate, round), NaN: not played
        self.iteration: list[int] = []  # (candidate,) in which each entered
        self.active: list[int] = []  # in the race, in the order of entrance
        self.tied: list[int] = []  # not distinguishable from the leader, the leader first
        self.decisions: list[Decision] = []
        self._spent: dict[int, float] = {}  # P(best) of those that this iteration dropped

    def enter(self, count: int) -> list[int]:
        """Let new candidates into the race: an iteration begins. Returns their numbers."""
        first = len(self.scores)
        new = list(range(first, first + count))
        number = self.iteration[-1] + 1 if self.iteration else 1
        self.scores = np.concatenate([self.scores, np.full((count, self.rounds), np.nan)])
        self.iteration += [number] * count
        self.active += new
        self._spent = {}
        return new

    def playing(self, k: int) -> list[int]:
        """List the candidates in the race that have not played round k (from 0)."""
        return [i for i in self.active if np.isnan(self.scores[i, k])]

    def remove_failed(self, k: int) -> bool:
        """Remove who has no score up to round k; return whether who it drove out is back."""
        failed = [i for i in self.active if np.isnan(self.scores[i, : k + 1]).any()]
        self.active = [i for i in self.active if i not in failed]
        for i in failed:
            self._record(k, i, -1, np.nan, "failed", "no score in this round")
        against = {
            one.candidate: one.opponent
            for one in self.decisions
            if one.decision == "dropped" and one.candidate in self._spent
        }
        back = [i for i, opponent in against.items() if opponent in failed]
        for i in back:
            del self._spent[i]
            why = "the candidate that beat it has failed"
            self._record(k, i, against[i], np.nan, "returns", why)
        self.active = sorted(self.active + back)
        return bool(back)

    def judge(self, k: int) -> None:
        """Drop who hardly beats the leader after round k, for further rounds of the same data."""
        if len(self.active) < 2:
            self.tied = self.active.copy()
            for i in self.active:
                self._record(k, i, -1, 1.0, "leads", "no other candidate is left")
            return
        now = standing(self.scores[self.active, : k + 1], self.rng)
        p_beats, p_best = now.p_beats(now.leader, self.rope), now.p_best(self.rope)
        leader = self.active[now.leader]
        self._record(k, leader, -1, float(p_best[now.leader]), "leads", "most points of all")
        contenders, dropped = [(1.0, leader)], []
        # The least likely first.
        for position in np.argsort(p_beats, kind="stable"):
            i, p = self.active[position], float(p_beats[position])
            if position == now.leader:
                continue
            risk = sum(self._spent.values()) + float(p_best[position])
            decision: Verdict = "stays"
            if p >= self.drop:
                decision, why = "tied", f"probability not below {self.drop:g}"
                contenders.append((p, i))
            elif k + 1 < self.min_rounds:
                why = f"only {k + 1} of at least {self.min_rounds} rounds played"
            elif risk > self.drop:
                why = f"the best would be lost with probability {risk:.3f}"
            else:
                self._spent[i] = float(p_best[position])
                decision, why = "dropped", f"probability below {self.drop:g}"
                dropped.append(i)
            self._record(k, i, leader, p, decision, why)
        self.active = [i for i in self.active if i not in dropped]
        self.tied = [i for _, i in sorted(contenders, key=lambda one: -one[0])]

    def finished(self) -> list[int]:
        """List the candidates that have a score in every round."""
        return np.flatnonzero(~np.isnan(self.scores).any(axis=1)).tolist()

    def _record(
        self, k: int, candidate: int, opponent: int, p: float, decision: Verdict, reason: str
    ) -> None:
        row = Decision(self.iteration[-1], k + 1, candidate, opponent, p, decision, reason)
        self.decisions.append(row)
