r"""How many more rounds, votes or tournaments separate players.

What is known of differences now are the posterior's draws. Further units carry as much each as
those that there are, so the data's variance shrinks to a share :math:`\rho = \phi + (1 - \phi)
r / (r + n)` of what it is, of r units now and n more; a part :math:`\phi` never shrinks, such as
the luck of a data set that all its folds share. The posterior mean that will be found is then

.. math:: \bar b + (1 - \rho)(b - \bar b) + \sqrt{\rho (1 - \rho)}\,e

with the truth b a draw, and the luck e as spread as the draws. It is decided where the gap that
will be found is z times its standard deviation then.
"""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from scipy.special import ndtri

from leaderbayes import _arguments
from leaderbayes._answers.compare import check_comparison
from leaderbayes._answers.design import Units, left_after, needed_for, units_of
from leaderbayes._answers.parts import refuse_one
from leaderbayes._answers.votes import clustered_by
from leaderbayes._arguments import is_list, number, positive, share, whole, wrong
from leaderbayes._errors import LeaderbayesError
from leaderbayes._files.printed import probability
from leaderbayes._fits.posterior import Posterior
from leaderbayes._numerics.intervals import ends
from leaderbayes._numerics.shrinkage import of_differences
from leaderbayes._types import Bools, Floats, Longs

_TIMES = np.array([0.25, 0.5, 1.0, 2.0, 4.0])  # as many units as there are, by default
_GRID = np.append(np.geomspace(0.01, 1000.0, 46), 1e9)  # of these too; the last is any number
_TRUTHS = 2000
_CONTENDERS = 50  # nearest to the leader, who may lead
_RUNS = (1, 2, 4)


class Now(NamedTuple):
    """The answer of the current posterior."""

    decided: bool
    better: int  # position of the player that seems better
    other: int  # nearest to it
    p: float
    width: float  # of the interval of the difference


def plan(
    dt: xr.DataTree,
    pair: tuple[str, str] | None = None,
    *,
    rounds: Sequence[int] | None = None,
    votes: Sequence[int] | None = None,
    prob: float = 0.95,
    target: float = 0.8,
    width: float | None = None,
    more_runs: Sequence[int] | None = None,
    players: Sequence[str] | None = None,
    seed: int | None = None,
) -> xr.Dataset:
    """Estimate how many more rounds, votes or tournaments are needed to separate players.

    Nothing is fitted again: further units are assumed to be as informative as the present ones.
    With ``test_fraction`` further rounds use the same data, so their shared luck remains.

    Parameters
    ----------
    dt : DataTree
        Posterior of players, from `fit` or ``pm.sample``.
    pair : tuple of str, optional
        Two players; None asks whether the leader is better than each other player.
    rounds, votes : sequence of int, optional
        Numbers of further rounds (of several tournaments: tournaments), or of votes. By default a
        quarter of those that there are to four times as many; () reports the present alone.
    prob : float
        Posterior probability that decides; also of the interval whose width is reported.
    target : float
        Target probability of a decision.
    width : float, optional
        Target width of the interval of the difference.
    more_runs : sequence of int, optional
        For scores of repeated runs (coordinate ``run_variance``): numbers of further runs of the
        same rounds. By default 1, 2, 4.
    players : sequence of str, optional
        Contested players; by default the pair, or those tied for top.
    seed : int, optional
        Same seed, same numbers. None draws one; it is in attrs.

    Returns
    -------
    Dataset
        Over ``who`` ("all" players play, or only the "contested") and ``rounds``, or ``votes``:
        ``p_decided``, ``p_correct`` (decided for the truly better player), ``width``, ``runs``
        (scores to be made). Over ``who``: ``rounds_needed`` for ``target`` (0 where it is decided,
        NaN where a thousand times as many do not do), ``p_any_rounds`` after any number, and
        ``rounds_for_width``. Scalars: ``p_now``, ``width_now``.

        For votes also over ``clusters``: by the "same" judges, whose opinions remain, or by "new"
        ones. For repeated runs ``run_share`` of the difference's variance, ``width_runs``
        over ``more_runs``, ``width_any_runs``, ``runs_for_width``. attrs: ``message``,
        ``question``, ``unit``, ``players`` (number), ``contested`` (JSON), ``prob``, ``target``,
        ``seed``, ``converged``, ``warnings``.

    Raises
    ------
    LeaderbayesError
        If the posterior is of teams, or an argument has no meaning.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "iris")[:6], seed=1)
    >>> further = lb.plan(dt, ("svm C=1", "svm C=10"), rounds=(10, 20), seed=1)
    >>> further["runs"].to_pandas()
    rounds     10   20
    who
    all        60  120
    contested  20   40
    >>> bool(further["width"].sel(who="all", rounds=20) < further["width_now"])
    True
    """
    post, seed = Posterior(dt), _arguments.seed_or_new(seed)
    refuse_one(post)
    # Half the probability decides nothing.
    prob, target = number("prob", prob, above=0.5, below=1.0), share("target", target)
    if width is not None:
        width = positive("width", width)
    dim, given = post.kind.more, {"votes": votes, "rounds": rounds}
    asked_for = given.pop(dim)
    if any(each is not None for each in given.values()):
        raise LeaderbayesError("Use votes= for votes, and rounds= for all other data.")
    asked = None if pair is None else _asked(post, pair)
    now = now_of(post, asked, prob)
    contested = _contested(post, asked, now, players, prob)
    units = units_of(post, contested, (now.better, now.other))
    if asked_for is None:
        asked_for = np.ceil(units.number * _TIMES).astype(int).tolist()
    lengths = _whole(dim, asked_for)
    ways = {"all": 1.0} | ({"contested": units.worth} if len(contested) < len(post.players) else {})
    counts = np.concatenate([lengths, units.number * _GRID])
    rng = np.random.default_rng(seed)
    played = _Played(post, asked, now, prob, rng)
    every = [(worth, fixed) for worth in ways.values() for fixed in units.fixed.values()]
    found = [
        [played.by(left_after(units, fixed, n * worth)) for n in counts] for worth, fixed in every
    ]
    shape = len(ways), len(units.fixed)
    decided, correct, left = np.moveaxis(np.reshape(found, (*shape, len(counts), 3)), -1, 0)
    size = {"all": len(post.players), "contested": len(contested)}
    here, rest = slice(0, len(lengths)), slice(len(lengths), -1)
    dims = ("who", "clusters", dim)
    needed = [[_needed(counts[rest], p[rest], target, now) for p in of] for of in decided]
    values: dict[str, Any] = {
        "p_decided": (dims, decided[..., here]),
        "p_correct": (dims, correct[..., here]),
        "width": (dims, now.width * np.sqrt(left[..., here])),
        f"{dim}_needed": (dims[:2], needed),
        f"p_any_{dim}": (dims[:2], decided[..., -1]),
        "p_now": now.p,
        "width_now": now.width,
    }
    if width is not None:
        square = (width / now.width) ** 2
        enough = [needed_for(units, fixed, worth, square) for worth, fixed in every]
        values[f"{dim}_for_width"] = dims[:2], np.reshape(enough, shape)
    made = xr.Dataset(values, {"who": list(ways), "clusters": list(units.fixed), dim: lengths})
    if dim == "rounds":
        made = made.isel(clusters=0, drop=True)
        runs = 1.0 if post.scores is None else float(post.scores.attrs.get("runs", 1.0))
        each = np.rint([size[who] * runs * lengths for who in ways]).astype(int)
        made["runs"] = ("who", dim), each
        made = made.merge(_of_runs(post, now, units, more_runs, width))
        cluster = "none"
    else:
        cluster = next(iter(clustered_by(post)), "none")
        if more_runs is not None:
            raise LeaderbayesError("more_runs= is for scores: use votes=.")
    leader = f"{post.players[now.better]}, the leader, against all others"
    made.attrs = {
        "question": leader if pair is None else f"{pair[0]} against {pair[1]}",
        "prob": prob, "target": target, **({} if width is None else {"wanted_width": width}),
        "seed": seed, "model": post.model.name, "unit": units.name, "players": len(post.players),
        "cluster": cluster,
        "contested": json.dumps([str(post.players[i]) for i in contested]),
        **post.trust,
    }  # fmt: skip
    return made.assign_attrs(message=_message(made, now, dim, size))


def now_of(post: Posterior, asked: list[int] | None, prob: float) -> Now:
    """Return whether a posterior separates a pair, or its leader from all others."""
    standing = post.standing
    if asked is None:
        first = int(post.order[0])
        ahead = (standing[:, [first]] > standing).mean(axis=0)
        ahead[first] = np.inf
        second = int(np.argmin(ahead))
        p = float(ahead[second])
    else:
        first, second = asked
        p = float((standing[:, first] > standing[:, second]).mean())
        if p < 0.5:
            first, second, p = second, first, 1.0 - p
    low, high = ends(standing[:, first] - standing[:, second], prob)
    return Now(p >= prob, first, second, p, float(high - low))


class _Played:
    """Simulated future posterior means, with draws as true values."""

    def __init__(
        self, post: Posterior, asked: list[int] | None, now: Now, prob: float,
        rng: np.random.Generator,
    ) -> None:  # fmt: skip
        who = np.array(asked) if asked else post.order[:_CONTENDERS]
        draws = post.standing[:, np.unique(np.append(who, now.other))]
        self.truth = draws[np.linspace(0, len(draws) - 1, min(_TRUTHS, len(draws))).astype(int)]
        self.mean = draws.mean(axis=0)
        self.luck = rng.permutation(draws)[: len(self.truth)] - self.mean
        self.best = np.argmax(self.truth, axis=1)
        variance = np.maximum(of_differences(np.cov(draws.T)), 0.0)
        self.need = float(ndtri(prob)) * np.sqrt(variance)
        np.fill_diagonal(self.need, -np.inf)  # a player and itself differ by nothing

    def by(self, left: float) -> tuple[float, float, float]:
        """Return P(decided), P(decided rightly) and the remaining share of the variance."""
        found = self.mean + (1.0 - left) * (self.truth - self.mean)
        found = found + np.sqrt(left * (1.0 - left)) * self.luck
        first = np.argmax(found, axis=1)
        top = np.take_along_axis(found, first[:, None], axis=1)
        decided: Bools = (top - found > np.sqrt(left) * self.need[first]).all(axis=1)
        return float(decided.mean()), float((decided & (first == self.best)).mean()), left


def _needed(counts: Floats, p: Floats, target: float, now: Now) -> float:
    """Return the fewest further units for which increasing p reaches the target."""
    rising = np.maximum.accumulate(p)
    if now.decided or rising[-1] < target:
        return 0.0 if now.decided else np.nan
    k = max(int(np.argmax(rising >= target)), 1)
    at = np.interp(target, rising[k - 1 : k + 1], np.log(counts[k - 1 : k + 1]))
    return float(np.ceil(np.exp(at)))


def _of_runs(
    post: Posterior, now: Now, units: Units, more_runs: Sequence[int] | None, width: float | None
) -> xr.Dataset:
    """Return the effect of further runs of the same rounds."""
    scores = post.scores
    if scores is None or "run_variance" not in scores.coords:
        if more_runs is None:
            return xr.Dataset()
        raise LeaderbayesError(
            "more_runs= needs rounds that were run more than once (repeat= of read_scores), and "
            "these were not."
        )
    runs, pair = float(scores.attrs["runs"]), [now.better, now.other]
    of_runs = scores["run_variance"].sel(player=post.players[pair]).sum() / runs
    gap = np.subtract(*post.standing[:, pair].T)
    part = float(np.clip(of_runs / (units.number * gap.var()), 0.0, 1.0))
    more = _whole("more_runs", _RUNS if more_runs is None else more_runs)
    left = 1.0 - part * more / (runs + more)
    found: dict[str, Any] = {
        "run_share": part, "width_runs": ("more_runs", now.width * np.sqrt(left)),
        "width_any_runs": now.width * np.sqrt(1.0 - part),
    }  # fmt: skip
    if width is not None:
        off = 1.0 - (width / now.width) ** 2
        needed = np.ceil(runs * off / (part - off)) if part > off else np.nan
        found["runs_for_width"] = max(needed, 0.0) if off > 0.0 else 0.0
    return xr.Dataset(found, {"more_runs": more})


def _asked(post: Posterior, pair: Any) -> list[int]:
    if not is_list(pair) or len(pair) != 2:
        raise wrong("pair", pair, "the names of two players")
    check_comparison(*pair)
    return [post.position(player) for player in pair]


def _contested(
    post: Posterior, asked: list[int] | None, now: Now, players: Sequence[str] | None, prob: float
) -> Longs:
    """Return the positions of the players to run again, by default those in question."""
    if asked is not None:
        contested = np.sort(asked)
    else:
        behind = (post.standing[:, [now.better]] > post.standing).mean(axis=0)
        contested = np.flatnonzero((behind < prob) | (np.arange(len(behind)) == now.other))
    if players is None:
        return contested
    if not is_list(players):
        raise wrong("players", players, "a list of names")
    chosen = np.unique([post.position(player) for player in players])
    if len(absent := np.setdiff1d(contested, chosen)):
        raise LeaderbayesError(
            f"players lack {str(post.players[absent[0]])[:60]!r}: name all players of the pair, "
            "or all that are tied for top."
        )
    return chosen


def _whole(name: str, counts: Sequence[int]) -> Longs:
    """Check and sort positive whole numbers."""
    if not is_list(counts):
        raise wrong(name, counts, "a list of whole numbers")
    return np.unique(np.array([whole(name, k) for k in counts], dtype=np.int64))


def _message(made: xr.Dataset, now: Now, dim: str, size: dict[str, int]) -> str:
    """Summarise the plan in a few sentences."""
    unit, question = made.attrs["unit"], made.attrs["question"]
    said = [f"{question}: undecided, with probability {now.p:.2f} so far."]
    if now.decided:
        said = [f"{question}: decided, with probability {probability(now.p)}."]
    reached, short = [], []
    for who in made["who"].to_numpy():
        ways = made.sel(who=who)
        for clusters in ways["clusters"].to_numpy() if "clusters" in ways.dims else [""]:
            way = ways.sel(clusters=clusters) if clusters else ways
            needed, p = (float(way[name]) for name in (f"{dim}_needed", f"p_any_{dim}"))
            whom = _whom(made, str(who), str(clusters), size)
            if np.isnan(needed):
                short.append(f"{probability(p).lstrip('<')} ({whom})")
            else:
                reached.append(f"{_about(needed, unit)} {whom}")
    if reached and not now.decided:
        after = ", or ".join(reached)
        said.append(f"A decision has probability {made.attrs['target']:g} after {after}.")
    if short:
        said.append(f"Many more {unit}s decide with probability at most {' or '.join(short)}.")
    if "wanted_width" in made.attrs:
        needed = float(made[f"{dim}_for_width"].min())
        wide = f"an interval {made.attrs['wanted_width']:g} wide"
        enough = f"For {wide}: {_about(needed, unit)}."
        said.append(f"No number gives {wide}." if np.isnan(needed) else enough)
    return " ".join(said)


def _about(needed: float, unit: str) -> str:
    """Format a number of further rounds with two digits."""
    rounded = float(f"{needed:.2g}")
    return f"{'about ' * (needed >= 100.0)}{rounded:,.0f} more {unit}{'s' * (rounded != 1.0)}"


def _whom(made: xr.Dataset, who: str, clusters: str, size: dict[str, int]) -> str:
    """Describe which players or judges add the units."""
    if "clusters" not in made.dims:
        return f"of {'all' if who == 'all' else 'only'} {size[who]} players"
    whom = "on all pairs" if who == "all" else f"on only {size[who]} players"
    if made.sizes["clusters"] < 2:
        return whom
    return f"{whom} by {'the same' if clusters == 'same' else 'new'} {made.attrs['cluster']}s"
