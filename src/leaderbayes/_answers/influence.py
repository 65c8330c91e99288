"""How little of the data the lead hangs on."""

from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.draws import draws_of
from leaderbayes._answers.influence_means import Taken, fewest_of_means, table_of_means
from leaderbayes._answers.influence_refit import fewest_by_refit
from leaderbayes._answers.penalty import spread_of
from leaderbayes._answers.standing import is_several
from leaderbayes._answers.vote_estimates import parted
from leaderbayes._arguments import number, one_of
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import drawn, is_mean_score, is_of_votes
from leaderbayes._fits.require import require_tree
from leaderbayes._fits.trust import trust
from leaderbayes._inference.boards import matches_of
from leaderbayes._inference.kept_votes import kept_votes, labels_of
from leaderbayes._inference.laplace import fitted_arguments
from leaderbayes._numerics.influence import Removal, Units, fewest
from leaderbayes._numerics.votes import Votes
from leaderbayes._scores.tables import counted
from leaderbayes._types import Floats, Longs

_MOST = {"vote": 0.1}  # share of the votes that may be removed; of larger things half


class _Parts(NamedTuple):
    """Units of votes or matches, and how to name them."""

    units: Units
    rows: pd.DataFrame  # of each unit: its name; of votes each of them
    unit: Longs  # (row,)


def influence(
    dt: xr.DataTree,
    *,
    by: Literal["vote", "judge", "prompt", "round", "cluster", "tournament"] | None = None,
    max_share: float | None = None,
) -> pd.DataFrame:
    """Find the fewest votes, judges, prompts, rounds or clusters without which another leads.

    The leader has the highest strength. What holds it above a rival is found by influence functions
    (what each vote shifts the estimate by, to first order) and removed, those that shift most
    first, until the rival leads in an estimate that is made anew of what is left; then whatever
    need not be removed is put back. So that another leads is verified; that no smaller set does
    it is not, save for single ones and pairs among the most influential.

    A lead that hangs on a handful of votes is no error of the fit: it says how much the answer
    rests on them. It is another question than whether the lead is beyond chance (`compare`): with
    very many votes a lead can be beyond chance, and hang on a small share of them.

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit`: of votes, by any model; or, by rounds, with ``model``
        "bradley_terry", "davidson" or "plackett_luce" of the scores of one tournament, within
        rounds; or, by rounds or their clusters, with ``model="mean_score"``; or, by tournaments,
        with ``model="tournaments"``.
    by : {"vote", "judge", "prompt", "round", "cluster", "tournament"}, optional
        What is removed: votes one by one, all of a judge, all on a prompt; or rounds (items) of
        scores, all of a cluster, or whole tournaments. By default what the fit is of: votes,
        rounds, or tournaments.
    max_share : float, optional
        The largest share of all votes (of matches, or of scores) that may be removed. By default
        0.1 by votes, else 0.5.

    Returns
    -------
    DataFrame
        A row for each that is removed, those that shift most first; none if nothing was found.
        ``vote`` (its place among the votes of the fit, ``constant_data``), ``first``, ``second``,
        ``outcome``, and ``judge`` and ``prompt`` where votes have them; or ``judge``, ``prompt``,
        ``round``, ``cluster`` or ``tournament``. ``votes``, how many it stands for (of votes);
        ``share`` of all votes, matches or scores; ``shift``, what it holds the leader above the
        rival by, to first order (log-odds; of mean scores in the metric's unit).
        attrs: ``by``, ``found`` (0 or 1), ``leader``, ``rival`` (who leads then; where nothing was
        found, who came nearest), ``lead_before`` and ``lead_after``, the leader's over the rival
        (where nothing was found the smallest seen, over the best of the others), ``removed``
        (number), ``share``, ``max_share``, ``message``, ``converged``, ``warnings``.

    Raises
    ------
    LeaderbayesError
        If it is no such fit, votes have no judges or prompts, or an argument has no meaning.

    Notes
    -----
    Estimates are of maximum likelihood, with a penalty as strong as the fit's prior is beside its
    votes: a player of few votes is not led to infinity by removing its only defeat, and leads are
    nearly those of the leaderboard. Votes that are alike (same players, outcome and, with
    covariates, these) can stand in for each other: one choice of them is given. Of Davidson's model
    its parameter for ties moves along, and of PMRA's the favour of each judge and of the average
    one, while how judges differ is held at its posterior mean.

    Of mean scores the estimate is the mean (or the statistic) that was fitted, without a prior.
    Where it is a mean and no score is missing, what holds the leader above a rival is a sum over
    rounds, and no smaller set takes the lead away. Else those that hold most are removed one after
    the other, and the estimate is made anew each time.

    Of "davidson" strengths are Bradley-Terry's with ties as half wins, which go by the same points.
    Of rankings ("plackett_luce") and tournaments (the mean of the strengths in each) what holds the
    leader is the jackknife's, and each set is estimated anew, as of mean scores.

    References
    ----------
    Broderick, Giordano, Meager (2020), An automatic finite-sample robustness metric: when can
    dropping a little data make a big difference? arXiv:2011.14999. Huang et al. (2025), Dropping
    just a handful of preferences can change top large language model rankings, arXiv:2508.11847.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "breast_cancer"), sampler="laplace", seed=1)
    >>> few = lb.influence(dt, by="round")
    >>> few.attrs["leader"], few.attrs["rival"], len(few)
    ('svm C=1', 'logistic C=1', 3)
    >>> print(few.attrs["message"])
    svm C=1 leads. Without 3 of 25 rounds (0.12 of all matches) logistic C=1 does.
    """
    require_tree(dt)
    several, of_votes = is_several(dt), is_of_votes(dt)
    if by is None:
        by = "tournament" if several else "vote" if of_votes else "round"
    one_of("by", by, "vote", "judge", "prompt", "round", "cluster", "tournament")
    if max_share is None:
        max_share = _MOST.get(by, 0.5)
    max_share = number("max_share", max_share, above=0.0, below=1.0)
    if is_mean_score(dt):
        return _of_means(dt, by, max_share)
    epp, players = draws_of(dt)
    if several != (by == "tournament"):
        raise LeaderbayesError(
            f"by={by!r}: this fit is of several tournaments, which are removed by='tournament'."
            if several
            else "by='tournament' is of a fit of several, model='tournaments'."
        )
    if several or (dt.attrs.get("model") == "plackett_luce" and by == "round"):
        taken = fewest_by_refit(dt, by, max_share)
        return _said_of(dt, taken, by, max_share, "matches")
    spread = spread_of(epp)
    if by == "cluster":
        raise LeaderbayesError(
            "by='cluster' is of mean scores (model='mean_score') of rounds in clusters."
        )
    if of_votes == (by == "round"):
        raise LeaderbayesError(
            "by='round' is of scores; votes are removed by='vote', 'judge' or 'prompt'."
            if of_votes
            else f"by={by!r} is of votes, and this fit is of scores, which are removed by='round'."
        )
    parts = _of_votes(dt, by) if of_votes else _of_rounds(dt, players, spread)
    found = fewest(parts.units, max_share)
    return _table(dt, parts, found, players, by, max_share)


def _of_means(dt: xr.DataTree, by: str, max_share: float) -> pd.DataFrame:
    """Remove rounds or clusters of mean scores."""
    if by not in ("round", "cluster"):
        raise LeaderbayesError(
            f"by={by!r} is of votes, and this fit is of scores, which are removed by='round' or "
            "'cluster'."
        )
    return _said_of(dt, fewest_of_means(dt, by, max_share), by, max_share, "scores")


def _said_of(dt: xr.DataTree, taken: Taken, by: str, max_share: float, counts: str) -> pd.DataFrame:
    table, names = table_of_means(taken, by), taken.standing.players
    return _said(
        dt, table, by, len(taken.standing.names), max_share, counts, found=taken.found,
        leader=str(names[taken.leader]), rival=str(names[taken.rival]),
        lead_before=taken.before, lead_after=taken.after,
    )  # fmt: skip


def _of_votes(dt: xr.DataTree, by: str) -> _Parts:
    """Take the votes of a fit, by what is removed."""
    kept, _ = kept_votes(dt)
    if by == "vote" and kept.attrs.get("counted"):
        raise LeaderbayesError(
            "by='vote': these votes were counted, and stand together where they are alike; take "
            "by='judge' or 'prompt', or read them by leaderbayes.read_votes."
        )
    if by == "vote":
        names = kept["player"].to_numpy()
        rows = {"vote": np.arange(kept.sizes["vote"])}
        rows |= {side: names[kept[side].to_numpy()] for side in ("first", "second")}
        rows |= {"outcome": kept["outcome"].to_numpy()}
        for name in ("judge", "prompt"):
            if name in kept.coords:
                code, labels = labels_of(kept, name)
                rows[name] = labels[code]
        own = parted(dt)
        table, copies, part = pd.DataFrame(rows), np.bincount(own.part), own.part
    else:
        code, labels = labels_of(kept, by)
        own, table = parted(dt, code), pd.DataFrame({by: labels})
        part = np.arange(len(labels))
        copies = np.ones_like(part)
    units = Units(own.votes, own.unit, copies, own.penalty, own.size, own.tie_scale)
    return _Parts(units, table, part)


def _of_rounds(dt: xr.DataTree, players: pd.Index, spread: float) -> _Parts:
    """Take the matches of the rounds of scores."""
    arguments = fitted_arguments(dt, ("bradley_terry", "davidson"))
    board = matches_of(dt)
    if "tournament" in board.dims or not board.attrs["within_round"]:
        raise LeaderbayesError("Rounds are removed from one tournament's, of matches within them.")
    place = board["place"].sel(player=players).transpose("round", "player").to_numpy()
    weight = drawn(dt, "weight", "constant_data").sel(round=board["round"]).to_numpy()
    i, j = np.triu_indices(len(players), 1)
    left, right = place[:, i], place[:, j]
    met = (left > 0) & (right > 0)
    if arguments["ties"] == "drop":
        met &= left != right
    k, of = np.nonzero(met)
    outcome = np.where(left < right, 1.0, np.where(left == right, 0.5, 0.0))[k, of]
    n = weight[k]
    votes = Votes(
        len(players), i[of].astype(np.int32), j[of].astype(np.int32), n * outcome, n,
        4.0 * n * outcome * (1.0 - outcome), np.empty((len(n), 0)),
    )  # fmt: skip
    rounds = len(place)
    table = pd.DataFrame({"round": board["round"].to_numpy()})
    copies = np.ones(rounds, dtype=np.int64)
    units = Units(votes, k.astype(np.int64), copies, 4.0 / spread, n)
    return _Parts(units, table, np.arange(rounds))


def _table(
    dt: xr.DataTree, parts: _Parts, found: Removal, players: pd.Index, by: str, max_share: float
) -> pd.DataFrame:
    """Name what is removed."""
    units, n = parts.units, parts.units.size
    own: Floats = np.bincount(units.unit, n, len(units.copies)) / units.copies
    order = np.argsort(parts.unit, kind="stable")
    within = np.arange(len(order)) - np.searchsorted(parts.unit[order], parts.unit[order])
    rows = np.sort(order[within < found.removed[parts.unit[order]]])
    of = parts.unit[rows]
    counts = "matches" if by == "round" else "votes"
    values: dict[str, Any] = {} if by == "round" else {"votes": own[of]}
    values |= {"share": own[of] / n.sum(), "shift": found.shift[of]}
    table = parts.rows.iloc[rows].reset_index(drop=True).assign(**values)
    table = table.sort_values("shift", ascending=False, kind="stable", ignore_index=True)
    return _said(
        dt, table, by, int(units.copies.sum()), max_share, counts, found=found.found,
        leader=str(players[found.leader]), rival=str(players[found.rival]),
        lead_before=found.before, lead_after=found.after,
    )  # fmt: skip


def _said(
    dt: xr.DataTree, table: pd.DataFrame, by: str, total: int, max_share: float, counts: str, *,
    found: bool, leader: str, rival: str, lead_before: float, lead_after: float,
) -> pd.DataFrame:  # fmt: skip
    """Say in attrs what was found, of so many units and of what they are counted in."""
    share = float(table["share"].sum())
    if found:
        said = (
            f"{leader} leads. Without {len(table)} of {counted(total, by)} ({share:.2g} of all "
            f"{counts}) {rival} does."
        )
    else:
        said = (
            f"{leader} leads, and no set of {by}s with at most {max_share:g} of all {counts} was "
            "found without which another does."
        )
    table.attrs.update(
        by=by, found=int(found), leader=leader, rival=rival, lead_before=lead_before,
        lead_after=lead_after, removed=len(table), share=share, max_share=max_share,
        message=said, **trust(dt),
    )  # fmt: skip
    return table
