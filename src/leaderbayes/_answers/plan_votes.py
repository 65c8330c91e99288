"""Further votes: what they would decide, by the judges that there are and by others."""

import json
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import ndtri

from leaderbayes._answers.draws import by_mean
from leaderbayes._answers.plan_matches import Verdict, how_sure
from leaderbayes._answers.vote_estimates import parted
from leaderbayes._fits.trust import trust
from leaderbayes._inference.kept_votes import kept_rows
from leaderbayes._numerics.further_gap import Gaps, decides, gaps_of, width_after
from leaderbayes._numerics.further_votes import (
    Now,
    information_after,
    now,
    posterior_after,
    prior_precision,
    root_of_gain,
)
from leaderbayes._numerics.vote_weights import together
from leaderbayes._numerics.votes import law_at
from leaderbayes._scores.tables import counted
from leaderbayes._types import Floats, Longs

_SHARES = (0.25, 0.5, 1.0, 2.0, 4.0)  # of the votes that there are
_LOOKED_AT = np.geomspace(0.01, 1000.0, 31)  # of these too, for how many are needed
_ANY = 1e7  # times as many votes: as good as any number
_LEADERS = 2000  # posterior means to come, where it is about the leader
_CONTENDERS = 20  # who may lead, and whose draws are looked at


class Question(NamedTuple):
    """What is asked of further votes."""

    asked: list[int] | None  # positions of the pair, or the leader
    contested: Longs
    prob: float
    target: float


def of_votes(
    dt: xr.DataTree, epp: Floats, names: pd.Index, question: Question, given: Longs | None,
    verdict: Verdict, seed: int,
) -> xr.Dataset:  # fmt: skip
    """Plan further votes as `plan` says, from strengths epp (draw, player)."""
    rows, own = kept_rows(dt), parted(dt)
    votes, clusterings = rows.votes, tuple(rows.clusters.values())
    at = own.estimate(own.votes)
    tie = own.tie_scale is not None
    held = together(votes, law_at(votes, at), clusterings, ties_modelled=tie)
    here = now(votes, at, held, clusterings)
    lengths = given
    if lengths is None:
        lengths = np.unique(np.ceil(here.total * np.array(_SHARES)).astype(np.int64))
    ways: dict[str, Longs | None] = {"all": None}
    if len(question.contested) < len(names):
        ways["contested"] = np.array(list(combinations(question.contested, 2)))
    whose = {"same": True, "new": False} if clusterings else {"new": False}
    counts = np.concatenate([lengths, here.total * _LOOKED_AT, [here.total * _ANY]])
    normal = np.random.default_rng(seed).standard_normal((_LEADERS, len(names)))
    looked_at = _looked_at(epp, question.asked)
    gaps = gaps_of(epp, here.at.epp, looked_at, question.prob)
    found = np.array(
        [
            [
                _decided(here, epp, counts, pairs, same, question, looked_at, gaps, normal)
                for same in whose.values()
            ]
            for pairs in ways.values()
        ]
    )
    decided, width = np.moveaxis(found, -1, 0)
    looked = slice(len(lengths), -1)
    needed = [
        [_needed(counts[looked], p[looked], question.target, verdict) for p in of] for of in decided
    ]
    dims, few = ("who", "clusters", "votes"), ("who", "clusters")
    cluster = next(iter(rows.clusters), "none")
    leader = f"{names[verdict.better]}, the leader, against everybody"
    asked = question.asked
    table = xr.Dataset(
        {
            "p_decided": (dims, decided[..., : len(lengths)]),
            "width": (dims, width[..., : len(lengths)]),
            "votes_needed": (few, np.array(needed)),
            "p_any_votes": (few, decided[..., -1]),
            "p_now": verdict.p,
            "width_now": verdict.width,
        },
        {"who": list(ways), "clusters": list(whose), "votes": lengths},
        {
            "question": leader if asked is None else f"{names[asked[0]]} against {names[asked[1]]}",
            "prob": question.prob,
            "target": question.target,
            "seed": seed,
            "model": dt.attrs["model"],
            "unit": "vote",
            "cluster": cluster,
            "players": len(names),
            "contested": json.dumps([str(names[i]) for i in question.contested]),
            **trust(dt),
        },
    )
    opponents = len(names) - 1 if asked is None else 1
    return table.assign_attrs(message=_message(table, verdict, opponents))


def _decided(
    here: Now, epp: Floats, counts: Floats, pairs: Longs | None, same: bool, question: Question,
    looked_at: Longs, gaps: Gaps, normal: Floats,
) -> Floats:  # fmt: skip
    """Give the probability of being decided, and the interval's width (count, 2).

    Of the gaps (gap, 2) that are looked at the first is the one whose width is given.
    """
    mean, before = epp.mean(axis=0), np.cov(epp.T)
    information = information_after(here, 0.0, None, same=same)
    prior = prior_precision(before, information)
    known = _precision(posterior_after(prior, information))
    z = float(ndtri(question.prob))
    one, other = looked_at.T
    out = np.empty((len(counts), 2))
    for k, more in enumerate(counts):
        after = posterior_after(prior, information_after(here, float(more), pairs, same=same))
        precision = _precision(after)
        gained = (precision - known)[one, other]
        chances = decides(gaps, gained)
        if question.asked is None:
            root = root_of_gain(before, after)
            moves = np.sqrt(np.maximum(_between(root @ root.T), 1e-24))[one, other]
            # A normal law, but of those who may lead: there as often as their draws say.
            needs = z / np.sqrt(precision)
            needs[one, other] = mean[one] - mean[other] - moves * ndtri(chances)
            np.fill_diagonal(needs, -np.inf)
            later = mean + normal @ root.T
            leads = set(one.tolist()) | set(np.argmax(later, axis=1).tolist())
            ahead = [(later[:, [i]] - later > needs[i]).all(axis=1) for i in leads]
            out[k, 0] = np.any(ahead, axis=0).mean()
        else:
            out[k, 0] = min(chances.sum(), 1.0)
        out[k, 1] = width_after(gaps, 0, gained[0], question.prob)
    return out


def _looked_at(epp: Floats, asked: list[int] | None) -> Longs:
    """Name the differences that matter (gap, 2): both of a pair, or of who may lead to others."""
    if asked is not None:
        return np.array([asked, asked[::-1]])
    best = by_mean(epp)
    return np.array([(i, j) for i in best[:_CONTENDERS] for j in best if i != j])


def _between(covariance: Floats) -> Floats:
    """Variance of each pair's difference (player, player)."""
    own = np.diag(covariance)
    return np.asarray(own[:, None] + own - 2.0 * covariance)


def _precision(covariance: Floats) -> Floats:
    """Precision of each pair's difference (player, player)."""
    return 1.0 / np.maximum(_between(covariance), 1e-24)


def _needed(counts: Floats, p: Floats, target: float, verdict: Verdict) -> float:
    """Find the fewest further votes with which p reaches the target."""
    if verdict.decided:
        return 0.0
    rising = np.maximum.accumulate(p)
    if rising[-1] < target:
        return float("nan")
    k = int(np.argmax(rising >= target))
    if k == 0:
        return float(np.ceil(counts[0]))
    share = (target - rising[k - 1]) / (rising[k] - rising[k - 1])
    return float(np.ceil(counts[k - 1] * (counts[k] / counts[k - 1]) ** share))


def _message(table: xr.Dataset, verdict: Verdict, opponents: int) -> str:
    """Say in a sentence what the plan comes to."""
    question = table.attrs["question"]
    if verdict.decided:
        return f"{question}: decided already, {how_sure(verdict, opponents)}."
    of = table.attrs["cluster"]
    said = []
    for clusters in table["clusters"].to_numpy():
        ways = _ways(table.sel(clusters=clusters), len(json.loads(table.attrs["contested"])))
        whose = "the same" if clusters == "same" else "new"
        said.append(ways if of == "none" else f"by {whose} {of}s {ways}")
    return f"{question}: decided with probability {table.attrs['target']:g} {'; '.join(said)}."


def _ways(table: xr.Dataset, contested: int) -> str:
    """Say after how many votes, on all pairs or on some players', or that there is no number."""
    reached, short = [], []
    for who in table["who"].to_numpy():
        way = table.sel(who=who)
        whom = "on pairs as they are" if who == "all" else f"on only {contested} players"
        needed = float(way["votes_needed"])
        if np.isnan(needed) and float(way["p_any_votes"]) >= table.attrs["target"]:
            reached.append(f"more than {_LOOKED_AT[-1]:.0f} times as many votes {whom}")
        elif np.isnan(needed):
            short.append(f"{float(way['p_any_votes']):.2f} {whom}")
        else:
            reached.append(f"{counted(needed, 'more vote')} {whom}")
    never = f"never{' otherwise' if reached else ''} (at most {', '.join(short)})"
    after = f"after {', or '.join(reached)}"
    return ", ".join([*([after] if reached else []), *([never] if short else [])])
