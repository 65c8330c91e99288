r"""Likelihood of votes, its maximum, and its covariance clustered by judges.

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

from leaderbayes._numerics.bradley_terry import Law, law_of
from leaderbayes._numerics.newton import maximise
from leaderbayes._numerics.pairs import pair_sums
from leaderbayes._types import Floats, Ints, Longs

EFFECT_SCALE = 5.0  # standard deviation of the normal priors of the order and of covariates
TIE_SCALE = 2.0  # of Davidson's nu
_SHARE = 0.05  # of a table of pairs, rows below which they are listed


class Votes(NamedTuple):
    """Votes; a row may stand for several equal ones."""

    players: int
    first: Ints  # (row,): positions of players
    second: Ints  # (row,)
    won: Floats  # (row,): by the first, ties half
    n: Floats  # (row,): how many votes a row stands for
    tied: Floats  # (row,)
    effect: Floats  # (row, effect): order and covariates, first less second


class Estimate(NamedTuple):
    """Maximum of the likelihood."""

    epp: Floats  # (player,), of mean 0
    beta: Floats  # (effect,)
    nu: float  # -inf for Bradley-Terry
    information: Floats  # (parameter, parameter), of the votes alone


def counted(votes: Votes, weight: Floats | None = None) -> Votes:
    """Sum rows of the same players in the same order by weight, unless covariates differ."""
    if weight is not None:
        columns = {name: weight * getattr(votes, name) for name in ("won", "n", "tied")}
        votes = votes._replace(**columns)
    if has_covariates(votes):
        return votes
    m = votes.players
    pair = votes.first.astype(np.int64) * m + votes.second
    won, n, tied = (np.bincount(pair, each, m * m) for each in (votes.won, votes.n, votes.tied))
    at = np.flatnonzero(n > 0.0)
    first, second = (each.astype(np.int32) for each in np.divmod(at, m))
    effect = np.ones((len(at), votes.effect.shape[1]))
    return Votes(m, first, second, won[at], n[at], tied[at], effect)


def has_covariates(votes: Votes) -> bool:
    """Check whether votes on the same players in the same order differ."""
    return bool(votes.effect.size and not (votes.effect == 1.0).all())


def regressors(votes: Votes) -> sparse.csr_array:
    """Return the design matrix of log-odds (row, player + effect)."""
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
    """Return the distribution of each row's outcome at an estimate."""
    eta = at.epp[votes.first] - at.epp[votes.second] + votes.effect @ at.beta
    return law_of(eta, at.nu)


class Likelihood:
    """Log-likelihood at points: strengths, effects and, with ``tie``, Davidson's nu."""

    def __init__(self, votes: Votes, *, tie: bool = False) -> None:
        self.votes = votes = counted(votes)
        self.rows = regressors(votes)
        self.tie = tie
        self.size = votes.players + votes.effect.shape[1] + tie
        # Where few pairs met a list of them is shorter than a table.
        listed = has_covariates(votes) or len(votes.n) < _SHARE * votes.players**2
        self.tables = None if listed else _tables(votes)
        # What the log-likelihood is linear in: points of players, of the first, and ties.
        points = np.bincount(votes.first, votes.won, votes.players)
        points += np.bincount(votes.second, votes.n - votes.won, votes.players)
        tied = [votes.tied.sum()] * tie
        self.linear = np.concatenate([points, votes.won @ votes.effect, tied])

    def value(self, x: Floats) -> Floats:
        """Return the log-likelihood (point,)."""
        return self._evaluate(x, gradient=False)[0]

    def gradient(self, x: Floats) -> tuple[Floats, Floats]:
        """Return the log-likelihood (point,) and its gradient (point, parameter)."""
        return self._evaluate(x, gradient=True)

    def _evaluate(self, x: Floats, *, gradient: bool) -> tuple[Floats, Floats]:
        if self.tables is not None:
            return self._by_pair(x, gradient=gradient)
        votes, slope = self.votes, np.empty((0, 0))
        if not self.tie:
            eta = np.asarray(self.rows @ x.T)
            value = votes.won @ eta - votes.n @ np.logaddexp(0.0, eta)
            if gradient:
                residual = votes.won[:, None] - votes.n[:, None] * expit(eta)
                slope = np.asarray((self.rows.T @ residual).T)
            return value, slope
        eta, nu, law = self.law(x)
        value = (votes.won - 0.5 * votes.n) @ eta - votes.n @ law.log_total
        value = value + votes.tied.sum() * nu
        if gradient:
            residual = votes.won[:, None] - votes.n[:, None] * law.mean
            slope = np.asarray((self.rows.T @ residual).T)
            slope = np.column_stack([slope, votes.tied.sum() - votes.n @ law.tie])
        return value, slope

    def _by_pair(self, x: Floats, *, gradient: bool) -> tuple[Floats, Floats]:
        m, value = self.votes.players, x @ self.linear
        slope = np.tile(self.linear, (len(x), 1)) if gradient else np.empty((0, 0))
        nu = x[:, -1] if self.tie else None
        for n, sign in self.tables or []:
            beta = sign * x[:, m] if sign else np.zeros(len(x))
            found = pair_sums(x[:, :m], n, nu, beta, gradient=gradient)
            value -= found.value
            # Relative to the row: where that is the second, the first's advantage is taken off.
            if sign < 0.0:
                value -= x[:, m] * np.triu(n, 1).sum()
            if gradient:
                slope[:, :m] -= found.expected
                slope[:, -1] -= found.ties if self.tie else 0.0
                if sign:
                    slope[:, m] -= sign * found.first + (sign < 0.0) * np.triu(n, 1).sum()
        return value, slope

    def law(self, x: Floats) -> tuple[Floats, Floats, Law]:
        """Return log-odds (row, point), nu (point,) and the distribution of outcomes."""
        size = self.rows.shape[1]
        nu = x[:, -1] if self.tie else np.full(len(x), -np.inf)
        eta = np.asarray(self.rows @ x[:, :size].T)
        return eta, nu, law_of(eta, nu)

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


def _tables(votes: Votes) -> list[tuple[Floats, float]]:
    """Count votes of pairs (player, player), with the sign of the order's effect for the row."""
    m = votes.players
    pair = votes.first.astype(np.int64) * m + votes.second
    n = np.bincount(pair, votes.n, m * m).reshape(m, m)
    return [(n, 1.0), (n.T, -1.0)] if votes.effect.shape[1] else [(n + n.T, 0.0)]


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
    votes: Votes, pseudo_rounds: float = 0.0, *, tie: bool = False, effect_scale: float = np.inf,
    tie_scale: float = np.inf,
) -> Estimate:  # fmt: skip
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


class Reduced(NamedTuple):
    """Votes with effects integrated out, and their normal distribution given strengths."""

    votes: Votes  # whose strengths have the same estimate and information
    epp: Floats  # (player,): the estimate
    mean: Floats  # (effect,): at the estimate
    slope: Floats  # (effect, player)
    covariance: Floats  # (effect, effect)

    def draw(self, epp: Floats, rng: np.random.Generator) -> Floats:
        """Draw effects, and nu last if there is one, given strengths (draw, player)."""
        root = np.linalg.cholesky(self.covariance)
        noise = rng.standard_normal((len(epp), len(root)))
        return np.asarray(self.mean + (epp - self.epp) @ self.slope.T + noise @ root.T)


def reduced(votes: Votes, *, tie: bool, tie_scale: float) -> Reduced:
    """Integrate effects and nu out of the likelihood of many votes, where it is nearly normal."""
    m, scales = votes.players, {"effect_scale": EFFECT_SCALE, "tie_scale": tie_scale}
    at = maximum(votes, 1.0, tie=tie, **scales)
    x = np.concatenate([at.epp, at.beta, [at.nu] * tie])
    spread = np.array([EFFECT_SCALE] * len(at.beta) + [tie_scale] * tie)
    information = at.information + np.diag(np.append(np.zeros(m), spread**-2.0))
    covariance = np.linalg.inv(information[m:, m:])
    slope = -covariance @ information[m:, :m]
    inner = information[:m, :m] + information[:m, m:] @ slope
    # Where a pseudo-round made the estimate, as far beyond it as the votes' own likelihood goes.
    p = expit(at.epp)
    gradient = p - 0.5
    i, j = np.triu_indices(m, 1)
    link = np.maximum(-inner[i, j], 0.0)
    mean = expit(at.epp[i] - at.epp[j])
    n = link / (mean * (1.0 - mean))
    some = n > 0.0
    rows = Votes(m, i[some].astype(np.int32), j[some].astype(np.int32), (n * mean)[some], n[some],
                 0.0 * n[some], np.empty((int(some.sum()), 0)))  # fmt: skip
    return Reduced(_leaning(rows, gradient), at.epp, x[m:], slope, covariance)


def _leaning(votes: Votes, gradient: Floats) -> Votes:
    """Add a gradient (player,) to the points of votes, as even as can be over their pairs."""
    gradient = gradient - gradient.mean()
    known = information_of(votes, votes.n)
    potential = np.linalg.pinv(known, rcond=1e-10, hermitian=True) @ gradient
    more = votes.n * (potential[votes.first] - potential[votes.second])
    return votes._replace(won=np.clip(votes.won + more, 0.0, votes.n))
