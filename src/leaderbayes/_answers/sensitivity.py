"""Sensitivity of the answer to choices, and to each round or judge."""

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes import _arguments
from leaderbayes._answers.compare import p_better
from leaderbayes._answers.groups import each_claim
from leaderbayes._answers.loo import log_likelihood
from leaderbayes._answers.refit import (
    Setting,
    arguments_of,
    fitted,
    models_for,
    settings_of,
    without,
)
from leaderbayes._arguments import share, whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import Posterior
from leaderbayes._scores.tables import counted
from leaderbayes.models._registry import data_of

_TOP = 5
_REPLICATES = 50  # of fits beside the base
_MOVES = 0.05  # psense, from which a strength moves


def sensitivity(
    scores: xr.DataArray | xr.Dataset | xr.DataTree,
    *,
    models: Sequence[str] | None = None,
    ties: Sequence[str] = ("half", "drop"),
    weights: Sequence[str | float] = ("composite", 1.0),
    clusters: Sequence[str] = ("auto", "none"),
    priors: Sequence[float] = (1.0, 0.5, 2.0),
    rounds: bool = True,
    test_fraction: float | None = None,
    prob: float = 0.95,
    top: int | None = None,
    seed: int | None = None,
    **options: Any,
) -> xr.Dataset:
    """Fit a board in several reasonable ways, and report how the answer changes.

    The base uses the first choice of each argument. All combinations are fitted, and the base also
    without each round or judge.

    Parameters
    ----------
    scores : DataArray (player, round), Dataset (vote) or DataTree
        Scores of one tournament, or votes; or a posterior, whose data and options are the base.
    models : sequence of str, optional
        By default "bradley_terry" and "mean_score", for votes with ties "bradley_terry" and
        "davidson", for a posterior its own.
    ties, weights, clusters : sequence
        As for `fit`: ``clusters`` of votes, ``weights`` of scores.
    priors : sequence of float
        Factors of ``prior_scale``, by default that of the model.
    rounds : bool
        Leave out each round, or each judge (the 30 with the most votes).
    test_fraction : float, optional
        As for `fit`, in all fits.
    prob : float
        Posterior probability from which two players are distinguishable.
    top : int, optional
        Size of the set of best players that is compared; by default 5.
    seed : int, optional
        Same seed, same numbers. None draws one; it is in attrs.
    **options
        Further options of `fit` for all fits, such as ``order_effect=True`` for votes.

    Returns
    -------
    Dataset
        - By ``fit``, whose coordinates are the choices: ``leader``, ``converged``, ``p_check``;
          with ``player`` ``rank``, ``p_best``, ``in_top``; with ``opponent`` ``p_better`` and
          ``verdict`` (1 where the row is better, -1 where it is worse, 0 undecided).
        - By ``what`` ("model", "ties", ..., "round" or "judge"), of fits that differ from the base
          in that alone: ``fits``, ``other_leader``, ``other_top``, ``pairs_moved``,
          ``pairs_reversed``.
        - By ``player``, of the base: ``psense_prior``, ``psense_likelihood`` (ArviZ).

        attrs: ``message``, ``base``, ``leader``, ``prob``, ``top``, ``seed``, ``converged``, ...

    References
    ----------
    Kallioinen, Paananen, Bürkner, Vehtari (2024), Detecting and diagnosing prior and likelihood
    sensitivity with power-scaling, Statistics and Computing 34.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers", "breast_cancer")[:6, :8]
    >>> moved = lb.sensitivity(scores, models=("bradley_terry",), test_fraction=0.2, seed=1)
    >>> moved["fits"].to_series().to_dict()
    {'model': 0, 'ties': 1, 'weight': 1, 'prior_scale': 2, 'round': 8}
    """
    kept: dict[str, Any] = {}
    if isinstance(scores, xr.DataTree):
        post = Posterior(scores)
        scores = post.data
        known, models = arguments_of(post), models or (post.model.name,)
        kept = known if tuple(models) == (post.model.name,) else {}
        ties = tuple(dict.fromkeys([known.get("ties", "half"), *ties]))
        weights = tuple(dict.fromkeys([known.get("weight", weights[0]), *weights]))
        test_fraction = post.test_fraction if test_fraction is None else test_fraction
    board = data_of(scores).one()
    if test_fraction is not None:
        options["test_fraction"] = test_fraction
    prob, m = share("prob", prob), board.sizes["player"]
    top = min(_TOP, m - 1) if top is None else whole("top", top, at_most=m)
    seed = _arguments.seed_or_new(seed)
    every = settings_of(
        board, rounds, models=models or models_for(board), ties=ties, weights=weights,
        clusters=clusters, priors=priors,
    )  # fmt: skip
    # Options of the posterior that are not varied.
    options = {k: v for k, v in kept.items() if getattr(every[0], k, "") == ""} | options
    base = _fitted(board, every[0], seed, options)
    names = base.players[base.order].append(pd.Index(board["player"].to_numpy())).drop_duplicates()
    fits = [_answers(base, names, prob, top)]
    for setting in every[1:]:
        try:
            fits.append(_answers(_fitted(board, setting, seed, options), names, prob, top))
        except LeaderbayesError:
            # Without this round, or judge, nothing may be left of some player.
            if setting.part < 0:
                raise
            fits.append(_answers(None, names, prob, top))
    table = _table(every, fits, names)
    rule = "cluster" if every[0].cluster else "weight"
    table = table.assign(_moved(table, every, rule, data_of(board).removable()[0]))
    table = table.assign(_psense(base, names))
    leader = str(base.players[base.order[0]])
    return table.assign_attrs(
        message=_said(table, every, leader, top), base=every[0].label(), leader=leader, prob=prob,
        top=top, seed=seed, converged=int(table["converged"].all()),
        warnings=base.trust["warnings"],
    )  # fmt: skip


def _fitted(board: Any, setting: Setting, seed: int, options: dict[str, Any]) -> Posterior:
    """Fit with one setting; warnings are stored in attrs."""
    if setting.part >= 0:
        part, names, _ = data_of(board).removable()
        board = without(board, part, [names[setting.part]])
    asked = {"progressbar": False, "replicates": _REPLICATES, "seed": seed} | options
    asked |= setting.options(options.get("prior_scale"))
    return Posterior(fitted(board, setting.model, asked))


def _answers(post: Posterior | None, names: pd.Index, prob: float, top: int) -> dict[str, Any]:
    """Return what is stored of a fit, for all players; None means no fit."""
    m = len(names)
    rank, best, inside = np.zeros(m, dtype=int), np.zeros(m), np.zeros(m, dtype=np.int8)
    better, verdict = np.full((m, m), np.nan), np.zeros((m, m), dtype=np.int8)
    leader, converged, p_check = "", 0, np.nan
    if post is not None:
        at = names.get_indexer(post.players)
        better[np.ix_(at, at)] = p_better(post)
        there = at[post.order]
        claimed = each_claim(post.standing[:, post.order], prob).astype(np.int8)
        verdict[np.ix_(there, there)] = claimed - claimed.T
        rank[there], inside[there[:top]] = np.arange(1, len(there) + 1), 1
        best[at] = (post.ranks == 1).mean(axis=0)
        leader, converged = str(names[there[0]]), post.trust["converged"]
        p_check = float(post.tree.attrs.get("p_check", np.nan))
    return {
        "leader": leader, "converged": converged, "p_check": p_check, "rank": rank, "p_best": best,
        "in_top": inside, "p_better": better, "verdict": verdict,
    }  # fmt: skip


def _table(every: list[Setting], fits: list[dict[str, Any]], names: pd.Index) -> xr.Dataset:
    dims = ("player", "opponent")
    values = {
        name: (("fit", *dims[: np.ndim(fits[0][name])]), [one[name] for one in fits])
        for name in fits[0]
    }
    choices = {
        name: ("fit", list(chosen if name == "prior" else map(str, chosen)))
        for name, chosen in zip(Setting._fields, zip(*every, strict=True), strict=True)
        if name != "part"
    }
    coords = dict.fromkeys(dims, names.to_numpy())
    return xr.Dataset(values, {"fit": [setting.label() for setting in every], **choices, **coords})


def _moved(table: xr.Dataset, every: list[Setting], rule: str, part: str) -> xr.Dataset:
    """Summarise what changes with each single choice."""
    of = np.array([setting.differs(every[0]) for setting in every])
    what = {"model": "model", "ties": "ties", rule: rule, "prior": "prior_scale", "part": part}
    rows = {}
    for name, called in what.items():
        some = table.isel(fit=(of == name) & (table["converged"].to_numpy() == 1))
        other = (some["in_top"] != table["in_top"][0]).any("player")
        rows[called] = {
            "fits": some.sizes["fit"],
            "other_leader": int((some["leader"] != table["leader"][0]).sum()),
            "other_top": int(other.sum()),
            **dict(zip(("pairs_moved", "pairs_reversed"), _pairs(table, some), strict=True)),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("what").to_xarray()


def _pairs(table: xr.Dataset, some: xr.Dataset) -> tuple[int, int]:
    """Count pairs whose verdict differs from the base, or is opposite, in some fit."""
    own, verdict = table["verdict"].to_numpy()[0], some["verdict"].to_numpy()
    moved, turned = (verdict != own).any(axis=0), (verdict * own < 0).any(axis=0)
    return int(np.triu(moved, 1).sum()), int(np.triu(turned, 1).sum())


def _psense(post: Posterior, names: pd.Index) -> dict[str, Any]:
    """Return ArviZ's sensitivity of strengths to prior and likelihood, if available."""
    import arviz as az

    tree = post.tree.copy()
    try:
        tree["log_likelihood"] = xr.DataTree(log_likelihood(tree))
        post.group("log_prior")
    except LeaderbayesError:
        return {}
    log = logging.getLogger("arviz_stats")  # it logs what the message says
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        found = az.psense_summary(tree, var_names=[post.parameter])
    finally:
        log.setLevel(level)
    # Its rows are in the order of the posterior's players, and names may hold brackets.
    values = found[["prior", "likelihood"]].set_axis(post.players).reindex(names)
    return {f"psense_{column}": ("player", values[column].to_numpy()) for column in values}


def _said(table: xr.Dataset, every: list[Setting], leader: str, top: int) -> str:
    """Summarise what changes."""
    good = table.isel(fit=table["converged"].to_numpy() == 1)
    leads = pd.Series(good["leader"].to_numpy()).value_counts()
    others = [f"{name} in {count}" for name, count in leads.drop(leader, errors="ignore").items()]
    first = f"{leader} leads in {leads.get(leader, 0)} of {counted(good.sizes['fit'], 'fit')}"
    said = [", ".join([first, *others])]
    m = table.sizes["player"]
    changed, turned = _pairs(table, good)
    said.append(
        f"{changed} of {counted(m * (m - 1) // 2, 'pair')} change verdict in some fit, {turned} to "
        "the opposite"
    )
    summary = table[["fits", "other_leader", "pairs_moved"]].to_dataframe()
    parts = []
    for what, row in summary[summary["fits"] > 0].iterrows():
        name = (
            f"leaving out a {what}" if what in ("round", "judge") else str(what).replace("_", " ")
        )
        lead = f" (and the leader in {row['other_leader']} of {counted(row['fits'], 'fit')})"
        parts.append(f"{name} {row['pairs_moved']}{lead if row['other_leader'] else ''}")
    if parts:
        said.append(f"Pairs that one choice changes ({every[0].label()}): {', '.join(parts)}")
    kept = int((good["in_top"] == table["in_top"][0]).all("player").sum())
    said.append(f"The top {top} is the same in {kept}")
    if "psense_prior" in table:
        moving = int((table["psense_prior"] >= _MOVES).sum())
        said.append(f"The prior matters for {moving} of {m} strengths")
    if missing := len(every) - good.sizes["fit"]:
        said.append(f"{counted(missing, 'fit')} did not converge, and are excluded")
    return ". ".join(said) + "."
