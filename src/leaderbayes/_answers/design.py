r"""Size of a study before there are data, and the information in further data.

Boards are simulated, of players that are equal but for the leader, and what the model of mean
scores would claim of each is computed as `_numerics.mean_score` draws it: the leader is better than
player j with probability

.. math:: \sum_k w_k\, T_{df}\bigl(\sqrt{B_k}\, t_j\bigr)

for the t statistic of their difference, on the grid of the players' scale with weights w_k and
shrinkage B_k. All is in standard errors of a difference: what rounds share makes none.
"""

from collections.abc import Callable, Sequence
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from scipy.special import expit, ndtri, stdtr

from leaderbayes import _arguments
from leaderbayes._answers.votes import clustered_by, worth_of_votes
from leaderbayes._arguments import is_list, number, positive, share, whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import OfTournaments, Posterior, Strengths, StrengthsOfVotes
from leaderbayes._numerics.items import FLOOR as FLOOR_OF_ITEMS
from leaderbayes._numerics.mean_score import own_variances, worth
from leaderbayes._numerics.shrinkage import GRID, Pairs, log_fits, of_differences, pairs_of
from leaderbayes._scores.tables import counted
from leaderbayes._types import Floats, Longs
from leaderbayes.models._scores import FLOOR, WIDTH, luck_of
from leaderbayes.models._weight import shared_luck

_BOARDS, _CELLS = 1000, 500_000  # simulated: of few players, and covariances in all of them
_ROUNDS = {"round": (5, 10, 20, 50, 100), "item": (100, 300, 1000, 3000, 10_000)}
_FEWEST = {"round": 2, "item": 50}  # of fewer items more is promised than happens
_TRIED = np.unique(np.rint(np.geomspace(2.0, 1e7, 90)))  # numbers of rounds
_EFFECTS = np.geomspace(0.7, 40.0, 16)  # differences, in standard errors
_T = np.linspace(-10.0, 60.0, 2801)  # where the t distribution is tabled
_ALIKE = 20  # players whose pairs show the players' scale
_PLAYERS = 100


def design(
    players: int,
    *,
    difference: float | None = None,
    rounds: Sequence[int] | None = None,
    sd: float | None = None,
    correlation: float = 0.0,
    accuracy: float | None = None,
    discordance: float | None = None,
    test_fraction: float | None = None,
    prob: float = 0.95,
    target: float = 0.8,
    seed: int | None = None,
) -> xr.Dataset:
    """Estimate, before there are data, how many rounds or items find a given difference.

    A better player is found if its mean score is better with posterior probability ``prob`` under
    the model "mean_score". In the simulation players have equal noise, and all but the leader are
    equal.

    Parameters
    ----------
    players : int
        Number of players, 2 to 100.
    difference : float, optional
        True difference between the mean score of the leader and that of the others.
    rounds : sequence of int, optional
        Numbers of rounds, or of items, of which 50 or more; a few by default.
    sd, correlation : float
        Of scores: standard deviation of a player's scores between rounds, and correlation of two
        players' scores in a round. 0 is cautious: most rounds are easy or hard for everybody.
    accuracy, discordance : float, optional
        Of right-or-wrong items, in place of ``sd``: share of right answers, and share of items
        that one of two players gets right and the other wrong; by default as if independent.
    test_fraction : float, optional
        Share of the data that each round tests on, as for `fit`.
    prob : float
        Posterior probability that decides.
    target : float
        Target probability of finding the better player.
    seed : int, optional
        Same seed, same numbers. None draws one; it is in attrs.

    Returns
    -------
    Dataset
        Over ``question`` ("pair": is the leader better than one other; "leader": than each other)
        and ``rounds``: ``smallest_difference`` that is found with probability ``target`` (NaN
        where none is) and, given a ``difference``, ``p_correct``, the probability of finding it.
        Over ``question`` then ``rounds_needed``, NaN where no number is enough. attrs:
        ``message``, ``unit``, ``players``, ``prob``, ``target``, ``seed``, and what was given.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> made = lb.design(6, difference=0.02, sd=0.03, correlation=0.5, rounds=(20, 40), seed=1)
    >>> bool((made["smallest_difference"].sel(rounds=40) < 0.02).all())
    True
    """
    given = {
        "players": players, "difference": difference, "sd": sd, "correlation": correlation,
        "accuracy": accuracy, "discordance": discordance, "test_fraction": test_fraction,
        "prob": prob, "target": target,
    }  # fmt: skip
    unit = "item" if sd is None else "round"
    lengths = _ROUNDS[unit] if rounds is None else rounds
    _check(given, lengths, _FEWEST[unit])
    seed = _arguments.seed_or_new(seed)
    known = {name: value for name, value in given.items() if value is not None}
    if accuracy is None:
        variance, most = 2.0 * known["sd"] ** 2 * (1.0 - correlation), np.inf
    else:
        del known["correlation"]
        most = 1.0 - accuracy
        variance = known.setdefault("discordance", 2.0 * accuracy * (1.0 - accuracy))
    study = _Study(int(players), variance, unit, most, luck_of(test_fraction), prob, seed)
    counts = np.unique(np.array(lengths, dtype=np.int64))
    some = ["pair", "leader"] if players > 2 else ["pair"]
    found = [study.smallest(n, target)[: len(some)] for n in counts]
    values: dict[str, Any] = {"smallest_difference": (("question", "rounds"), np.transpose(found))}
    if difference is not None:
        p = [study.finds(n, [study.effect(n, difference)])[0, : len(some)] for n in counts]
        values["p_correct"] = ("question", "rounds"), np.transpose(p)
        values["rounds_needed"] = "question", study.needed(difference, target)[: len(some)]
    made = xr.Dataset(values, {"question": some, "rounds": counts}, known)
    return made.assign_attrs(unit=unit, seed=seed, message=_message(made, unit))


def _check(given: dict[str, Any], rounds: Any, fewest: int) -> None:
    """Raise an error that lists all invalid arguments."""
    problems: list[str] = []

    def check(function: Callable[..., Any], name: str, value: Any, **limits: float) -> None:
        try:
            function(name, value, **limits)
        except LeaderbayesError as problem:
            problems.append(str(problem))

    check(whole, "players", given["players"], at_least=2, at_most=_PLAYERS)
    check(number, "prob", given["prob"], above=0.5, below=1.0)
    check(number, "correlation", given["correlation"], at_least=0.0, below=1.0)
    for name in ("difference", "sd"):
        if given[name] is not None:
            check(positive, name, given[name])
    for name in ("accuracy", "discordance", "test_fraction", "target"):
        if given[name] is not None or name == "target":
            check(share, name, given[name])
    for count in rounds if is_list(rounds) else [rounds]:
        check(whole, "rounds", count, at_least=fewest, at_most=_TRIED[-1])
    if (given["sd"] is None) == (given["accuracy"] is None):
        problems.append("Set sd= for scores, or accuracy= for right-or-wrong items.")
    alien = ("discordance",) if given["accuracy"] is None else ("test_fraction",)
    problems += [f"{name}= is for {'scores' if given['sd'] is None else 'items'}, which these are "
                 "not; omit it." for name in alien if given[name] is not None]  # fmt: skip
    if not problems and given["accuracy"] is not None:
        p, differ = given["accuracy"], given["discordance"]
        apart = 0.0 if given["difference"] is None else given["difference"]
        most = 2.0 * min(p, 1.0 - p)
        if apart >= 1.0 - p:
            problems.append(f"difference={apart:g} puts the leader above 1: accuracy is {p:g}.")
        if differ is not None and not apart <= differ <= most:
            problems.append(
                f"discordance={differ:g}: give a number between the difference, {apart:g}, and "
                f"{most:g}, above which one of two players of accuracy {p:g} is right too often."
            )
    if problems:
        raise LeaderbayesError(" ".join(problems))


class _Study(NamedTuple):
    """The study that is simulated."""

    players: int
    variance: float  # of the difference of two players' scores in a round
    unit: str
    most: float  # difference that there may be
    luck: float
    prob: float
    seed: int

    def effect(self, rounds: float, difference: float) -> float:
        """Return a difference in standard errors."""
        # The difference itself explains a part of items' variance.
        left = self.variance - (difference**2 if self.unit == "item" else 0.0)
        return float(difference * np.sqrt(worth(int(rounds), self.luck) / max(left, 1e-12)))

    def finds(
        self, rounds: float, effects: Sequence[float] | Floats, target: float = 1.0
    ) -> Floats:
        """Return the probability of finding the leader better, (effect, question)."""
        m, r, rng = self.players, float(rounds), np.random.default_rng([self.seed, int(rounds)])
        boards = int(np.clip(_CELLS // m**2, 100, _BOARDS))
        off = _deviations(m, r - 1.0, boards, rng)
        borrowed = 0.0 if self.unit == "item" else 2.0 * (m - 2.0) / (m - 1.0)
        df = r - 1.0 + borrowed
        own = own_variances(off, r - 1.0) if borrowed else np.zeros((boards, m))
        covariance = (np.swapaxes(off, 1, 2) @ off + borrowed * own[:, None] * np.eye(m)) / df
        count = worth(int(r), self.luck)
        centre = rng.standard_normal((boards, m))  # in standard errors of a mean
        floor = FLOOR if self.unit == "round" else FLOOR_OF_ITEMS / np.sqrt(r)
        tau = np.hypot(WIDTH * GRID, floor)
        prior = np.log(GRID) - np.log1p(GRID**2)
        if m > 2:
            some = slice(1, _ALIKE + 1)
            rest = pairs_of(centre[:, some], covariance[:, some, some], df)
            weight = (m - 1.0) * (m - 2.0) / m / rest.squares.shape[-1]
            prior = prior + log_fits(rest._replace(weight=weight), count, tau)
        kept = np.sqrt(count * tau**2 / (1.0 + count * tau**2))
        scale = np.sqrt(of_differences(covariance)[:, 0, 1:])
        cdf = stdtr(np.inf if self.unit == "item" else df, _T)
        out = np.ones((len(effects), 2))
        for k, effect in enumerate(effects):
            t = (centre[:, :1] - centre[:, 1:] + np.sqrt(2.0) * effect) / scale
            log = prior + log_fits(Pairs(t**2, 2.0 / m, df), count, tau)
            weight = np.exp(log - log.max(axis=1, keepdims=True))
            weight /= weight.sum(axis=1, keepdims=True)
            for question, least in enumerate((t[:, 0], t.min(axis=1))):
                p = (weight * np.interp(kept * least[:, None], _T, cdf)).sum(axis=1)
                out[k, question] = (p >= self.prob).mean()
            if out[k].min() >= target:
                break
        return out

    def smallest(self, rounds: int, target: float) -> Floats:
        """Return the smallest difference found with this probability, (question,)."""
        p, n = self.finds(rounds, _EFFECTS, target), worth(int(rounds), self.luck)
        effect = np.array([_crossing(_EFFECTS, each, target) for each in p.T])
        if self.unit == "round":
            return np.asarray(effect * np.sqrt(self.variance / n))
        apart = effect * np.sqrt(self.variance / (n + effect**2))
        return np.where(apart < min(self.variance, self.most), apart, np.nan)

    def needed(self, difference: float, target: float) -> Floats:
        """Return the fewest rounds that find a difference with this probability, (question,)."""
        # From what a test of a pair would need, and less: by the prior it may be fewer.
        guess = (ndtri(target) + ndtri(self.prob)) ** 2 * self.variance / difference**2 / 4.0
        start = np.floor(np.clip(guess, _FEWEST[self.unit], _TRIED[-9]))
        tried = np.append(start, _TRIED[_TRIED > start])
        p = np.ones((len(tried), 2))
        for k, n in enumerate(tried):
            p[k] = self.finds(n, [self.effect(n, difference)])[0]
            if p[k].min() > min(target + 0.1, 0.5 + 0.5 * target):
                break
        return np.array([np.ceil(np.exp(_crossing(np.log(tried), each, target))) for each in p.T])


def _deviations(m: int, df: float, boards: int, rng: np.random.Generator) -> Floats:
    """Draw rows (board, row, player) whose cross products are Wishart."""
    if df < m:
        return rng.standard_normal((boards, int(df), m))
    root = np.triu(rng.standard_normal((boards, m, m)), 1)
    root[:, range(m), range(m)] = np.sqrt(rng.chisquare(df - np.arange(m), (boards, m)))
    return root


def _crossing(x: Floats, p: Floats, target: float) -> float:
    """Interpolate where increasing p reaches the target, in probits; NaN if nowhere."""
    rising = np.clip(np.maximum.accumulate(p), 1e-4, 1.0 - 1e-4)
    if rising[-1] < target:
        return np.nan
    k = int(np.argmax(rising >= target))
    if k == 0:
        return float(x[0])
    return float(np.interp(ndtri(target), ndtri(rising[k - 1 : k + 1]), x[k - 1 : k + 1]))


def _message(made: xr.Dataset, unit: str) -> str:
    """Summarise the design in a sentence."""
    target, said = made.attrs["target"], []
    whom = {"pair": "the better of a pair", "leader": f"the leader of {made.attrs['players']}"}
    for question in made["question"].to_numpy():
        own = made.sel(question=question)
        if "rounds_needed" in made:
            needed = float(own["rounds_needed"])
            many = f"no number of {unit}s" if np.isnan(needed) else counted(needed, unit)
            apart = f"{made.attrs['difference']:g} ahead"
        else:
            many = counted(int(own["rounds"][-1]), unit)
            apart = f"{float(own['smallest_difference'][-1]):.3g} ahead"
        said.append(f"{many} for {whom[str(question)]}, {apart}")
    return f"Found with probability {target:g}: {'; '.join(said)}."


class Units(NamedTuple):
    """Units of the data, and the information in further units."""

    name: str
    number: float
    fixed: dict[str, float]  # share of the variance that no further unit removes, by whose they are
    worth: float  # of a unit with the contested players alone, of one with all
    prior: float  # share of the precision that is the prior's


def units_of(post: Posterior, contested: Longs, pair: tuple[int, int]) -> Units:
    """Return the units of the data."""
    gap = post.standing[:, pair[0]] - post.standing[:, pair[1]]
    among = 2.0 * post.standing.var(axis=1, ddof=1).mean()
    prior = float(np.clip(gap.var() / among, 0.0, 0.5))
    return _units(post, contested, pair, prior)


@singledispatch
def _units(post: Posterior, contested: Longs, pair: tuple[int, int], prior: float) -> Units:
    """Return rounds, or clusters of these."""
    return _rounds(post, luck_of(post.test_fraction), 1.0, prior)


@_units.register
def _rounds_of_matches(
    post: Strengths, contested: Longs, _: tuple[int, int], prior: float
) -> Units:
    # In rankings of equal players the variance of a difference is as (m + 1) / m.
    m, k = len(post.players), len(contested)
    return _rounds(post, shared_luck(post.test_fraction), k * (m + 1.0) / (m * (k + 1.0)), prior)


@_units.register
def _votes(post: StrengthsOfVotes, contested: Longs, pair: tuple[int, int], prior: float) -> Units:
    board = post.matches()
    count, worth = float(board["n"].sum()) / 2.0, min(worth_of_votes(post), 1.0)
    fixed = {"same": 1.0 - worth, "new": 0.0} if clustered_by(post) else {"new": 0.0}
    each = _worth_of_votes(board["n"].to_numpy(), post.draws.mean(axis=0), contested, pair)
    return Units("vote", count, fixed, each, prior)


@_units.register
def _tournaments(post: OfTournaments, _: Longs, pair: tuple[int, int], prior: float) -> Units:
    return Units("tournament", float(len(post.tournaments)), {"new": 0.0}, 1.0, prior)


def _rounds(post: Posterior, luck: float, worth: float, prior: float) -> Units:
    name = "cluster" if "cluster" in post.data.coords else "round"
    count = float(len(np.unique(post.data[name].to_numpy())))
    return Units(name, count, {"new": luck / (1.0 / count + luck)}, worth, prior)


def _worth_of_votes(n: Floats, epp: Floats, contested: Longs, pair: tuple[int, int]) -> float:
    """Return the information of a vote on contested players relative to one on all."""
    p = expit(epp[:, None] - epp)
    information = n * p * (1.0 - p)
    bread = np.linalg.pinv(np.diag(information.sum(axis=1)) - information, hermitian=True)
    i, j = pair
    before = (bread[i, i] + bread[j, j] - 2.0 * bread[i, j]) * n.sum() / 2.0
    among = np.ix_(contested, contested)
    k, each = len(contested), (p * (1.0 - p))[among][~np.eye(len(contested), dtype=bool)].mean()
    return float(before * each / (k - 1.0))


def left_after(units: Units, fixed: float, more: float) -> float:
    """Return the share of the posterior variance that remains after this many further units."""
    data = fixed + (1.0 - fixed) * units.number / (units.number + more)
    return 1.0 / ((1.0 - units.prior) / data + units.prior)


def needed_for(units: Units, fixed: float, worth: float, left: float) -> float:
    """Return the fewest further units after which this share of the variance remains, or NaN."""
    if left >= 1.0:
        return 0.0
    data = (1.0 - units.prior) / (1.0 / left - units.prior)
    if data <= fixed:
        return np.nan
    return float(np.ceil(units.number * ((1.0 - fixed) / (data - fixed) - 1.0) / worth - 1e-9))
