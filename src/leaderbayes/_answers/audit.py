"""Audit of a leaderboard: which differences are real."""

import json
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import xarray as xr
from scipy.stats import kendalltau

from leaderbayes import _arguments
from leaderbayes._answers.aggregators import TOP, aggregators
from leaderbayes._answers.check import check
from leaderbayes._answers.compare import p_better
from leaderbayes._answers.groups import Control, claims, tied_of
from leaderbayes._answers.influence import fewest, table_of
from leaderbayes._answers.leaderboard import letters_of
from leaderbayes._answers.leaderboard import table_of as leaderboard_of
from leaderbayes._answers.parts import Parts, lead_of, leader_of, leaders_of, parts_of, units_of
from leaderbayes._answers.plan import plan
from leaderbayes._answers.refit import refit, without
from leaderbayes._arguments import share
from leaderbayes._errors import LeaderbayesError, LeaderbayesWarning
from leaderbayes._files.printed import probability
from leaderbayes._fits.posterior import Posterior
from leaderbayes._inference.check_of_fit import matters
from leaderbayes._numerics.intervals import two_digits
from leaderbayes._scores.tables import counted

_ALONE = 300  # held-out parts one by one, the largest
_HANGS = 0.2  # share of the data up to which a lead hangs on few
_LEVEL = 0.75  # P(better) below which two are said to be about level
_SPLITS = 100  # in halves
_STABLE = 0.95  # of the splits, whose halves have one leader
_HEADINGS = {
    "players": "The top", "pairs": "Pairs", "removal": "What the lead depends on",
    "aggregators": "Other aggregators", "left_out": "Leaving one out",
    "check": "Fit of the model", "plan": "What would decide", "halves": "Split halves",
}  # fmt: skip


def audit(dt: xr.DataTree, *, prob: float = 0.95, seed: int | None = None) -> xr.DataTree:
    """Check which part of a leaderboard is real.

    An audit answers eight questions in sentences and numbers: which players are distinguishable,
    which are tied, how few rounds carry the lead, whether other aggregators or the removal of one
    round change the leader, whether the model fits, how many more rounds would decide, and whether
    two halves of the rounds agree.

    Parameters
    ----------
    dt : DataTree
        Posterior of players, from `fit` or ``pm.sample``, within rounds.
    prob : float
        Posterior probability that decides; also of the intervals.
    seed : int, optional
        Seed of halves, check and plan; None uses that of the fit.

    Returns
    -------
    DataTree
        A child per question, with the attrs ``message``; ``found``, 1 for a finding; ``applies``, 0
        if the question does not apply; ``converged``, ``warnings``.

        - ``players`` (player, best first): `leaderboard` and ``letters`` of all claims together.
        - ``pairs`` (player, opponent): ``p_better``; ``singly`` and ``jointly``, 1 where the row is
          better, -1 where it is worse, 0 where they are indistinguishable. attrs: ``pairs``,
          ``neighbours``, and of either ``_singly`` and ``_jointly``.
        - ``removal_round``, or what else is removed: `influence`, with ``turned`` (0 or 1), and
          ``leader_refit``, ``p_leader_refit``, who leads in a fit without it and how surely.
        - ``aggregators`` (aggregator, player): ``value``, ``rank``, ``leader``, ``same_leader``,
          ``top_differs``.
        - ``left_out`` (unit): ``leader`` without it, ``lead`` of this leader.
        - ``check``: `check`. ``plan``: `plan` for the leader against all others.
        - ``halves`` (split): ``same_leader``, ``shared_top``, ``correlation`` (Kendall's).

        attrs: ``model``, ``leader``, ``prob``, ``seed``, ``unit``, ``found`` (number of questions
        that found something), ``converged``, ``warnings``.

    Raises
    ------
    LeaderbayesError
        If the posterior is of teams or across rounds, or an option has no meaning.

    References
    ----------
    Piepho (2004), An algorithm for a letter-based representation of all-pairwise comparisons,
    Journal of Computational and Graphical Statistics 13. Broderick, Giordano, Meager (2020), An
    automatic finite-sample robustness metric, arXiv:2011.14999.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "breast_cancer"), seed=1)
    >>> asked = lb.audit(dt)
    >>> print(asked["removal_round"].attrs["message"].split(". ")[1])
    Without 3 of 25 rounds (12% of all matches) logistic C=1 would lead
    >>> of = asked["pairs"].attrs
    >>> of["neighbours"], of["neighbours_jointly"] < 5  # few neighbours are distinguishable
    (14, True)
    """
    prob, post = share("prob", prob), Posterior(dt)
    seed = post.seed if seed is None else _arguments.seed(seed)
    units = units_of(post)
    parts = {by: parts_of(post, by) for by in units}
    first = parts[units[0]]
    removals = {by: each for by, each in parts.items() if len(each.names) > 2}
    asked: dict[str, Callable[[], xr.Dataset]] = {
        "players": lambda: _players(post, prob),
        "pairs": lambda: _pairs(post, prob),
        **{f"removal_{by}": partial(_removal, post, each) for by, each in removals.items()},
        "aggregators": lambda: _aggregators(post, first),
        "left_out": lambda: _left_out(post, first),
        "check": lambda: _check(post, seed),
        "plan": lambda: _plan(post, prob, seed),
        "halves": lambda: _halves(first, np.random.default_rng(seed)),
    }
    children = {name: _ask(question).assign_attrs(post.trust) for name, question in asked.items()}
    attrs = {
        "model": post.model.name, "leader": str(post.players[post.order[0]]), "prob": prob,
        "seed": seed, "unit": first.unit,
        "found": sum(int(child.attrs["found"]) for child in children.values()), **post.trust,
    }  # fmt: skip
    return xr.DataTree.from_dict({"/": xr.Dataset(attrs=attrs), **children})


def heading(question: str) -> str:
    """Return the heading of a question of an audit."""
    return _HEADINGS["removal" if question.startswith("removal_") else question]


def _ask(question: Callable[[], xr.Dataset]) -> xr.Dataset:
    """Answer a question, or report why it cannot be answered."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LeaderbayesWarning)
            return question()
    except LeaderbayesError as problem:
        return xr.Dataset(attrs={"message": f"Not asked: {problem}", "found": 0, "applies": 0})


def _answered(
    message: str, found: bool, data: xr.Dataset | None = None, **attrs: Any
) -> xr.Dataset:  # fmt: skip
    data = xr.Dataset() if data is None else data
    return data.assign_attrs(message=message, found=int(found), applies=1, **attrs)


def _players(post: Posterior, prob: float) -> xr.Dataset:
    table = leaderboard_of(post, prob)
    table["letters"] = letters_of(post, prob, "joint")
    tied, first = tied_of(post, prob), table.iloc[0]
    said = (
        f"Indistinguishable from the leader: {', '.join(tied[1:])}."
        if len(tied) > 1
        else f"{first['player']} is distinguishable from every other player."
    )
    said += (
        f" {first['player']} is the best with probability {probability(first['p_best'])}; its rank "
        f"is {first['rank_lower']} to {first['rank_upper']}."
    )
    if not post.trust["converged"]:
        said = f"Not converged: do not report this audit. {said}"
    table.attrs = {}
    data = xr.Dataset.from_dataframe(table.set_index("player"))
    return _answered(said, len(tied) > 1, data, tied=json.dumps(tied))


def _pairs(post: Posterior, prob: float) -> xr.Dataset:
    better = p_better(post, post.players[post.order])
    data, m = better.drop_attrs().to_dataset(), len(better)
    counts = {"pairs": m * (m - 1) // 2, "neighbours": m - 1}
    controls: dict[str, Control] = {"singly": "pair", "jointly": "joint"}
    for name, control in controls.items():
        claimed = claims(post, prob, control).astype(np.int8)
        data[name] = better.dims, claimed - claimed.T
        counts[f"pairs_{name}"] = int(claimed.sum())
        counts[f"neighbours_{name}"] = int(np.diagonal(claimed, 1).sum())
    said = (
        f"{counts['pairs_singly']} of {counted(counts['pairs'], 'pair')} are distinguishable, "
        f"{counts['neighbours_singly']} of them neighbours in the table. If all claims are to "
        f"hold jointly with probability {prob:g}, {counts['pairs_jointly']} and "
        f"{counts['neighbours_jointly']} are."
    )
    return _answered(said, counts["neighbours_jointly"] < m - 1, data, **counts)


def _removal(post: Posterior, parts: Parts) -> xr.Dataset:
    """Find the fewest parts that keep the leader first, and fit again without them."""
    found = fewest(parts, int(post.order[0]), parts.most)
    table = table_of(post, parts, found, parts.most)
    attrs = {str(k): v for k, v in table.attrs.items() if k not in ("converged", "found")}
    message, leader = attrs.pop("message"), str(post.players[post.order[0]])
    if attrs["leader"] != leader:
        message = f"{leader} leads in the posterior, but in the quick estimate used here {message}"
    if len(table):
        removed = table[parts.unit].tolist()
        if len(removed) <= 10:
            plural = "s" if len(removed) > 1 else ""
            message += f" ({parts.unit.capitalize()}{plural} {', '.join(map(str, removed))}.)"
        fast = post.model.problem is not None or post.model.draw is not None
        again = _leader_without(post, parts.unit, removed, leader) if fast else None
        if again is not None:
            first, other, p = again
            attrs |= {"leader_refit": first, "p_leader_refit": p}
            message += f" Refitted without them, {first} is better than {other} with probability "
            message += f"{probability(p)}."
    few = bool(len(table)) and attrs["share"] <= _HANGS
    data = xr.Dataset.from_dataframe(table.rename_axis("removed"))
    return _answered(message, few, data, turned=int(len(table) > 0), **attrs)


def _leader_without(
    post: Posterior, by: str, removed: list[Any], leader: str
) -> tuple[str, str, float] | None:
    """Return the leader of a fit without some data, its rival, and P(better)."""
    try:
        again = Posterior(refit(post, without(post.data, by, removed)))
    except LeaderbayesError:
        return None
    if not again.trust["converged"] or leader not in again.players:
        return None
    first, old = int(again.order[0]), again.position(leader)
    other = int(again.order[1]) if old == first else old
    p = float((again.standing[:, first] > again.standing[:, other]).mean())
    return str(again.players[first]), str(again.players[other]), p


def _aggregators(post: Posterior, parts: Parts) -> xr.Dataset:
    table = aggregators(post, parts)
    message = table.attrs.pop("message")
    return _answered(message, bool((table["same_leader"] == 0).any()), table)


def _left_out(post: Posterior, parts: Parts) -> xr.Dataset:
    """Leave out each part in turn; if there are very many, only the largest."""
    count = len(parts.names)
    leader = leader_of(parts.strengths(np.ones(count, dtype=bool)), int(post.order[0]))
    if count < 3:
        raise LeaderbayesError(f"there is only {counted(count, parts.unit)}.")
    which = np.sort(np.argsort(-parts.share, kind="stable")[:_ALONE])
    leads, leaders = np.empty(len(which)), []
    for k, part in enumerate(which):
        leads[k], rival = lead_of(parts.without(int(part)), leader)
        leaders.append(str(post.players[leader if leads[k] >= 0.0 else rival]))
    name, changed = str(post.players[leader]), np.flatnonzero(leads < 0.0)
    if len(changed):
        listed = ", ".join(f"{parts.names[which[k]]} ({leaders[k]})" for k in changed[:5])
        more = f" and {len(changed) - 5} more" if len(changed) > 5 else ""
        said = f"{name} loses the lead without one {parts.unit}: {listed}{more}."
    else:
        of = f"the {len(which)} largest of " if len(which) < count else ""
        least = int(leads.argmin())
        lead = (
            f"its lead is smallest ({two_digits(leads[least])})"
            if leads[least]
            else "another draws level"
        )
        said = (
            f"{name} leads without any one of {of}{counted(count, parts.unit)}; {lead} without "
            f"{parts.unit} {parts.names[which[least]]}."
        )
    data = xr.Dataset(
        {"leader": ("unit", leaders), "lead": ("unit", leads)},
        {"unit": [str(name) for name in parts.names[which]]},
    )
    return _answered(said, bool(len(changed)), data, changed=len(changed), units=count)


def _check(post: Posterior, seed: int) -> xr.Dataset:
    found = check(post.tree, seed=seed)
    p, triples = float(found["p_value"]), found.sizes.get("triple", 0)
    amiss = matters(p, float(found.get("ratio", np.nan)))
    if np.isnan(p):
        raise LeaderbayesError("too few pairs met to check the model.")
    shown = f"p = {p:.2f}" if p >= 0.005 else "p < 0.01"
    said = f"The model describes the results well enough ({shown})."
    if amiss and "misfit" in found:
        said = (
            f"Head-to-head results differ from the model by {float(found['misfit']):.2f} in win "
            f"probability ({shown})."
        )
    elif amiss:
        said = f"Some score is farther from the others than the model implies ({shown})."
    if triples:
        a, b, c = found["triple"].to_numpy()[0]
        circles = counted(triples, "triple")
        said += f" {circles} beat each other in a circle, such as {a} over {b} over {c} over {a}."
    drifts = found.attrs.get("note", "")
    said = f"{said} {drifts}".strip()
    data = found.drop_vars(["observed", "replicated", "p_value"]).assign(p_check=p)
    data.attrs = {}
    return _answered(said, amiss or triples > 0 or bool(drifts), data)


def _plan(post: Posterior, prob: float, seed: int) -> xr.Dataset:
    found = plan(post.tree, prob=prob, seed=seed)
    message = found.attrs.pop("message")
    return _answered(message, float(found["p_now"]) < prob, found)


def _halves(parts: Parts, rng: np.random.Generator) -> xr.Dataset:
    """Split the data into random halves, repeatedly."""
    count = len(parts.names)
    if count < 4:
        raise LeaderbayesError(f"{counted(count, parts.unit)} are too few to split into halves.")
    found = np.full((3, _SPLITS), np.nan)
    size = 0
    for k in range(_SPLITS):
        half = np.zeros(count, dtype=bool)
        half[rng.permutation(count)[: count // 2]] = True
        one, other = parts.strengths(half), parts.strengths(~half)
        size = min(TOP, len(one) - 1)
        both = np.isfinite(one) & np.isfinite(other)
        if both.sum() > 1:
            one, other = one[both], other[both]
            tops = [set(np.argsort(-each, kind="stable")[:size].tolist()) for each in (one, other)]
            found[:, k] = (
                (leaders_of(one) & leaders_of(other)).any(),
                len(tops[0] & tops[1]) / size,
                kendalltau(one, other).statistic,
            )
    if np.isnan(found[0]).all():
        raise LeaderbayesError("the halves have too few players in common.")
    same, shared, tau = (
        float(np.nanmean(each)) if np.isfinite(each).any() else np.nan for each in found
    )
    said = (
        f"Random halves of the {parts.unit}s agree on the leader in {np.nansum(found[0]):.0f} of "
        f"{np.isfinite(found[0]).sum()} splits and on {shared:.0%} of the top {size}"
    )
    said += "." if np.isnan(tau) else f"; their orders correlate by {tau:.2f} (Kendall)."
    names = ("same_leader", "shared_top", "correlation")
    data = xr.Dataset({name: ("split", each) for name, each in zip(names, found, strict=True)})
    attrs = {"p_same_leader": same, "mean_shared_top": shared, "mean_correlation": tau, "top": size}
    return _answered(said, same < _STABLE, data, **attrs)
