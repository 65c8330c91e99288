r"""Votes: the likelihood of strengths, its maximum, and the covariance that judges leave it.

.. math:: P(first) : P(tie) : P(second) = e^{\eta / 2} : e^\nu : e^{-\eta / 2}, \quad
          \eta = b_{first} - b_{second} + x'\beta

is Davidson's model; Bradley-Terry is :math:`\nu = -\infty`, with a tie as half a win for both.

References
----------
Davidson (1970), On extending the Bradley-Terry model to accommodate ties in paired comparison
experiments, JASA 65.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import expit

from leaderbayes._numerics.newton import maximise
from leaderbayes._types import Floats, Ints, Longs

EFFECT_SCALE = 5.0  # standard deviation of the normal priors of the order and of covariates
TIE_SCALE = 2.0  # of Davidson's nu


class Votes(NamedTuple):
    """Votes; a row may stand for several that are alike."""

    players: int
    first: Ints  # (row,): positions of players
    second: Ints  # (row,)
    won: Floats  # (row,): by the first, ties half
    n: Floats  # (row,): how many votes a row stands for
    tied: Floats  # (row,)
    effect: Floats  # (row, effect): order and covariates, first less second


class Law(NamedTuple):
    """Outcomes at given log-odds: a win is 1, a tie 1/2."""

    mean: Floats
    variance: Floats
    tie: Floats  # probability
    log_total: Floats  # of the three terms

    def as_column(self) -> "Law":
        """Return the same of one draw (row, 1)."""
        return Law(*(each[:, None] for each in self))


class Estimate(NamedTuple):
    """Where the likelihood has its maximum."""

    epp: Floats  # (player,), of mean 0
    beta: Floats  # (effect,)
    nu: float  # -inf for Bradley-Terry
    information: Floats  # (parameter, parameter), of the votes alone


def law_of(eta: Floats, nu: Floats | float = -np.inf) -> Law:
    """Return mean, variance and probability of a tie at log-odds eta."""
    less, tie = np.exp(-np.abs(eta)), np.exp(nu - 0.5 * np.abs(eta))
    total = 1.0 + less + tie
    tie = tie / total
    mean = np.where(eta > 0.0, 1.0, less) / total + 0.5 * tie
    decided = (1.0 - tie) / (1.0 + less)  # share of the likelier outcome
    gap = decided * (1.0 - less)
    variance = 0.25 * np.maximum(1.0 - tie - gap**2, 0.0)
    # Not as a difference of what is nearly 1.
    variance = np.maximum(variance, decided * less * decided)
    return Law(mean, variance, tie, 0.5 * np.abs(eta) + np.log(total))


def counted(votes: Votes, weight: Floats | None = None) -> Votes:
    """Add up rows of the same players in the same order, each by its weight.

    With covariates, which differ by vote, the rows remain.
    """
    if weight is not None:
        columns = {name: weight * getattr(votes, name) for name in ("won", "n", "tied")}
        votes = votes._replace(**columns)
    if votes.effect.size and not (votes.effect == 1.0).all():
        return votes
    m = votes.players
    pair = votes.first.astype(np.int64) * m + votes.second
    won, n, tied = (np.bincount(pair, each, m * m) for each in (votes.won, votes.n, votes.tied))
    at = np.flatnonzero(n > 0.0)
    first, second = (each.astype(np.int32) for each in np.divmod(at, m))
    effect = np.ones((len(at), votes.effect.shape[1]))
    return Votes(m, first, second, won[at], n[at], tied[at], effect)


def design(votes: Votes) -> sparse.csr_array:
    """Return what log-odds are a linear function of (row, player + effect)."""
    count = len(votes.n)
    sides = np.concatenate([votes.first, votes.second])
    cells = np.repeat([1.0, -1.0], count), (np.tile(np.arange(count), 2), sides)
    pairs = sparse.coo_array(cells, (count, votes.players))
    return sparse.csr_array(sparse.hstack([pairs, sparse.csr_array(votes.effect)]))


def row_of(votes: Votes, rows: Votes) -> Longs:
    """Return the row of `counted` votes that stands for each vote (vote,)."""
    if len(rows.n) == len(votes.n) and rows.effect is votes.effect:
        return np.arange(len(votes.n))
    known, keys = (
        each.first.astype(np.int64) * each.players + each.second for each in (rows, votes)
    )
    return np.asarray(np.searchsorted(known, keys), dtype=np.int64)


def met_of(votes: Votes) -> Floats:
    """Count the votes on each pair (player, opponent)."""
    m = votes.players
    met = np.bincount(votes.first.astype(np.int64) * m + votes.second, votes.n, m * m)
    return np.asarray(met.reshape(m, m) + met.reshape(m, m).T)


def law_at(votes: Votes, at: Estimate) -> Law:
    """Return the law of each row's outcome at an estimate."""
    eta = at.epp[votes.first] - at.epp[votes.second] + votes.effect @ at.beta
    return law_of(eta, at.nu)


class Likelihood:
    """Log-likelihood of votes at many points (point, parameter) at once.

    Parameters are strengths, effects and, with ``tie``, Davidson's nu.
    """

    def __init__(self, votes: Votes, *, tie: bool = False) -> None:
        self.votes = counted(votes)
        self.rows = design(self.votes)
        self.tie = tie
        self.size = votes.players + votes.effect.shape[1] + tie

    def law(self, x: Floats) -> tuple[Floats, Floats, Law]:
        """Return log-odds (row, point), nu (point,) and the law of outcomes."""
        size = self.rows.shape[1]
        nu = x[:, -1] if self.tie else np.full(len(x), -np.inf)
        eta = np.asarray(self.rows @ x[:, :size].T)
        return eta, nu, law_of(eta, nu)

    def value(self, x: Floats) -> Floats:
        """Return the log-likelihood (point,)."""
        return self._value(*self.law(x))

    def _value(self, eta: Floats, nu: Floats, law: Law) -> Floats:
        votes = self.votes
        value = (votes.won - 0.5 * votes.n) @ eta - votes.n @ law.log_total
        return np.asarray(value + votes.tied.sum() * nu if self.tie else value)

    def gradient(self, x: Floats) -> tuple[Floats, Floats]:
        """Return the log-likelihood (point,) and its gradient (point, parameter)."""
        votes, found = self.votes, self.law(x)
        law = found[2]
        slope = np.asarray(self.rows.T @ (votes.won[:, None] - votes.n[:, None] * law.mean)).T
        if self.tie:
            slope = np.column_stack([slope, votes.tied.sum() - votes.n @ law.tie])
        return self._value(*found), slope

    def information(self, x: Floats) -> Floats:
        """Return the information (parameter, parameter) at one point (parameter,)."""
        votes, law = self.votes, self.law(x[None])[2]
        mean, variance, tie = (each[:, 0] for each in law[:3])
        found = np.zeros((self.size, self.size))
        size = self.rows.shape[1]
        found[:size, :size] = information_of(votes, votes.n * variance)
        if self.tie:
            found[-1, :size] = found[:size, -1] = self.rows.T @ (votes.n * tie * (0.5 - mean))
            found[-1, -1] = votes.n @ (tie * (1.0 - tie))
        return found


def information_of(votes: Votes, weight: Floats) -> Floats:
    """Sum weighted squares of rows (player + effect, player + effect)."""
    m, effect = votes.players, votes.effect
    pair = votes.first.astype(np.int64) * m + votes.second
    between = np.bincount(pair, weight, m * m).reshape(m, m)
    between = between + between.T
    inner = np.diag(between.sum(axis=1)) - between
    if not effect.size:
        return inner
    weighted = effect * weight[:, None]
    sides = [
        np.bincount(votes.first, each, m) - np.bincount(votes.second, each, m)
        for each in weighted.T
    ]
    cross = np.column_stack(sides)
    return np.block([[inner, cross], [cross.T, effect.T @ weighted]])


def maximum(
    votes: Votes,
    pseudo_rounds: float = 0.0,
    *,
    tie: bool = False,
    effect_scale: float = np.inf,
    tie_scale: float = np.inf,
) -> Estimate:
    """Estimate strengths, effects and, with ``tie``, Davidson's nu.

    Parameters
    ----------
    votes : Votes
    pseudo_rounds : float
        Votes on every player against one at 0, half of them won.
    tie : bool
        Whether ties have a parameter.
    effect_scale, tie_scale : float
        Standard deviations of normal priors of effects and of nu.

    Raises
    ------
    NotConvergedError
        If there is no finite estimate.
    """
    likelihood, m = Likelihood(votes, tie=tie), votes.players
    k = votes.effect.shape[1]
    precision = np.append(np.full(k, effect_scale**-2.0), np.full(int(tie), tie_scale**-2.0))

    def parts(x: Floats) -> tuple[float, Floats, Floats]:
        values, slopes = likelihood.gradient(x[None])
        value, slope, information = float(values[0]), slopes[0], likelihood.information(x)
        p = expit(x[:m])
        value += pseudo_rounds * float((0.5 * x[:m] + np.log1p(-p)).sum())
        slope[:m] += pseudo_rounds * (0.5 - p)
        slope[:m] -= slope[:m].mean()
        slope[m:] -= precision * x[m:]
        value -= 0.5 * float(precision @ x[m:] ** 2)
        each = np.concatenate([pseudo_rounds * p * (1.0 - p), precision])
        information[np.diag_indices(len(x))] += each
        return value, slope, information

    start = np.zeros(likelihood.size)
    if tie:
        share = float(np.clip(votes.tied.sum() / votes.n.sum(), 1e-3, 1.0 - 1e-3))
        start[-1] = np.log(2.0 * share / (1.0 - share))
    x = maximise(parts, start, m).x
    x[:m] -= x[:m].mean()
    nu = float(x[-1]) if tie else -np.inf
    return Estimate(x[:m], x[m : m + k], nu, likelihood.information(x))
