"""A race of candidates over rounds: who plays on, who is dropped, and the record of it."""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from leaderbayes.tuning._posterior import standing

Floats = NDArray[np.float64]

Verdict = Literal["leads", "tied", "stays", "dropped", "failed", "goes on", "stops"]


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

    Parameters
    ----------
    rounds : int
        Rounds that a candidate plays unless it is dropped.
    drop : float
        Candidates are dropped where they beat the leader with a probability below this, as long
        as the best of an iteration is among those that it dropped with a probability of at most
        this too. 0: nobody is dropped.
    min_rounds : int
        Rounds before anybody is dropped.
    rope : float
        To beat the leader means: to win against it with a probability of more than 1/2 + rope.
    rng : Generator
        Of the posteriors.

    Notes
    -----
    At each look P(i is best) of those dropped is added up, and given all that was seen when i was
    dropped it is the posterior probability that dropping i was wrong. By the law of total
    probability the sum bounds the probability that the best was dropped at any look, whatever
    the number of looks: posterior probabilities need no correction for them.
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
        self._spent = 0.0

    def enter(self, count: int) -> list[int]:
        """Let new candidates into the race: an iteration begins. Returns their numbers."""
        first = len(self.scores)
        new = list(range(first, first + count))
        number = self.iteration[-1] + 1 if self.iteration else 1
        self.scores = np.concatenate([self.scores, np.full((count, self.rounds), np.nan)])
        self.iteration += [number] * count
        self.active += new
        self._spent = 0.0
        return new

    def playing(self, k: int) -> list[int]:
        """Candidates in the race that have not played round k (from 0)."""
        return [i for i in self.active if np.isnan(self.scores[i, k])]

    def judge(self, k: int) -> None:
        """After round k: drop who failed, and who is too unlikely to beat the leader.

        The posterior is that of the candidates in the race, of their scores up to round k: a
        complete board. It counts the rounds as independent, which asks who would win on
        further rounds of the same data.
        """
        self._drop_failed(k)
        if not self.active:
            self.tied = []
            return
        board = self.scores[self.active, : k + 1]
        if len(self.active) == 1:
            self.tied = self.active.copy()
            return
        now = standing(board, self.rng)
        p_beats, p_best = now.p_beats(now.leader, self.rope), now.p_best(self.rope)
        leader = self.active[now.leader]
        self._record(k, leader, -1, float(p_best[now.leader]), "leads", "most points of all")
        contenders, dropped = [(1.0, leader)], []
        # The least likely first.
        for position in np.argsort(p_beats, kind="stable"):
            i, p = self.active[position], float(p_beats[position])
            if position == now.leader:
                continue
            risk = self._spent + float(p_best[position])
            decision: Verdict = "stays"
            if p >= self.drop:
                decision, why = "tied", f"probability not below {self.drop:g}"
                contenders.append((p, i))
            elif k + 1 < self.min_rounds:
                why = f"only {k + 1} of at least {self.min_rounds} rounds played"
            elif risk > self.drop:
                why = f"the best would be lost with probability {risk:.3f}"
            else:
                self._spent = risk
                decision, why = "dropped", f"probability below {self.drop:g}"
                dropped.append(i)
            self._record(k, i, leader, p, decision, why)
        self.active = [i for i in self.active if i not in dropped]
        self.tied = [i for _, i in sorted(contenders, key=lambda one: -one[0])]

    def finished(self) -> list[int]:
        """Candidates that have a score in every round."""
        return np.flatnonzero(~np.isnan(self.scores).any(axis=1)).tolist()

    def _drop_failed(self, k: int) -> None:
        for i in self.playing(k):
            self.active.remove(i)
            self._record(k, i, -1, np.nan, "failed", "no score in this round")

    def _record(
        self, k: int, candidate: int, opponent: int, p: float, decision: Verdict, reason: str
    ) -> None:
        made = Decision(self.iteration[-1], k + 1, candidate, opponent, p, decision, reason)
        self.decisions.append(made)
