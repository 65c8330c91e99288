"""How the answer moves with what one may choose, and with each round or judge."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes import _arguments
from leaderbayes._answers.draws import by_mean, standing_of
from leaderbayes._answers.groups import claims
from leaderbayes._answers.moved import moved, psense, said_of
from leaderbayes._answers.ranks import ranks_of
from leaderbayes._answers.settings import WHAT, WHAT_OF_VOTES, Setting, parts_of, settings_of, tied
from leaderbayes._arguments import share, whole
from leaderbayes._errors import LeaderbayesError, LeaderbayesWarning
from leaderbayes._inference.fit import fit
from leaderbayes._scores.matches import one_tournament
from leaderbayes._scores.vote_matches import is_votes, valid_votes
from leaderbayes._types import Floats
from leaderbayes.models._scores import PRIOR_SCALE as OF_SCORES
from leaderbayes.models._weight import PRIOR_SCALE as OF_MATCHES

_TOP = 5
_REPLICATES = 50  # of fits beside the base: as many as p_check needs


def sensitivity(
    scores: xr.DataArray | xr.Dataset,
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
    """Fit a board in every way that one might have, and say what of the answer moves.

    The first choice of each argument together is the base. All combinations of models, ties,
    weights, clusters and priors are fitted, of each model those that it has; and, as in the base,
    the board without each of its rounds, of votes without each judge.

    Parameters
    ----------
    scores : DataArray (player, round) or Dataset (vote)
        Scores of one tournament, from `leaderbayes.read_scores`; or votes, from
        `leaderbayes.read_votes`.
    models : sequence of {"bradley_terry", "mean_score", "davidson", "plackett_luce"}
        Of scores the last two take seconds a fit. None: "bradley_terry" and "mean_score". Of votes
        there are "bradley_terry" and, where some tie, "davidson", and None is both.
    ties : sequence of {"half", "drop"}
        Of "bradley_terry"; only the first where nothing ties.
    weights : sequence of "composite" or float
        Of scores: powers of the likelihood, of all models but "mean_score".
    clusters : sequence of {"auto", "none", "judge", "prompt"}
        Of votes: what makes them go together, as for `leaderbayes.fit`.
    priors : sequence of float
        Factors on the model's own ``prior_scale``: of twice that players may lie twice as far
        apart.
    rounds : bool
        Leave out each round, in the base; of votes each judge, of many the 30 who have the most.
    test_fraction : float, optional
        As for `leaderbayes.fit`, of scores in rounds that are folds: of all fits.
    prob : float
        Posterior probability at which two players are told apart, each pair by itself.
    top : int, optional
        Size of the set of best players that is compared, by posterior means. None: 5, or one less
        than there are players.
    seed : int, optional
        Same seed, same numbers. None draws one; it is in attrs.
    **options
        Further options of `leaderbayes.fit` for all fits, such as ``order_effect=True`` of votes.

    Returns
    -------
    Dataset
        Over ``fit``, whose coordinates say how it was fitted (``model``, ``ties``, ``weight``,
        ``cluster``, ``prior``, ``without``: "" where the model has no such choice, or no round or
        judge is left out):
        ``leader``, ``converged`` (0 or 1), ``p_check``; with ``player`` ``rank`` (by posterior
        means; 0 of who is not on the board), ``p_best``, ``in_top`` (0 or 1); with ``player`` and
        ``opponent`` ``p_better`` (NaN of who is not there) and ``verdict`` (1 where the row is
        better with probability ``prob``, -1 where it is worse, 0 where they are not told apart).
        Over ``what`` ("model", "ties", "weight", "prior_scale", "round"; of votes "cluster" and
        "judge" in place of "weight" and "round"), of fits that differ from
        the base in that alone: ``fits``, how many there are, ``other_leader``, ``other_top`` (of
        these), and ``pairs_moved``, ``pairs_reversed``, pairs with another verdict, or the
        opposite, in one of them or more. Over ``player``, of the base: ``psense_prior``,
        ``psense_likelihood``, how much its strength moves with the prior and with the likelihood
        (ArviZ' ``psense_summary``; below 0.05 hardly). attrs: ``message``, ``base``, ``leader``,
        ``prob``, ``top``, ``seed``, ``converged`` (all of them did), ``warnings`` (of the base).
        Fits that did not converge, and boards that cannot be fitted without a judge, are there, and
        counted nowhere.

    Raises
    ------
    LeaderbayesError
        If these are scores of several tournaments, an argument has no such choice, or the base
        cannot be fitted.

    References
    ----------
    Kallioinen, Paananen, Bürkner, Vehtari (2024), Detecting and diagnosing prior and likelihood
    sensitivity with power-scaling, Statistics and Computing 34.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers", "breast_cancer")[:6, :8]
    >>> moved = lb.sensitivity(scores, models=("bradley_terry",), test_fraction=0.2, seed=1)
    >>> moved.sizes["fit"], moved.attrs["base"]
    (20, 'bradley_terry, ties=half, weight=composite')
    >>> moved["fits"].to_series().to_dict()
    {'model': 0, 'ties': 1, 'weight': 1, 'prior_scale': 2, 'round': 8}
    """
    of_votes = is_votes(scores)
    if of_votes and test_fraction is not None:
        raise LeaderbayesError("test_fraction= is of scores, and these are votes: leave it out.")
    board: Any = scores
    if of_votes:
        valid_votes(board, "half")
    else:
        board = one_tournament(board).transpose("player", "round")
    prob, m = share("prob", prob), board.sizes["player"]
    top = min(_TOP, m - 1) if top is None else whole("top", top, at_most=m)
    seed = _arguments.seed_or_new(seed)
    if models is None:
        others = (["davidson"] if tied(board) else []) if of_votes else ["mean_score"]
        models = ["bradley_terry", *others]
    every = settings_of(board, models, ties, weights, clusters, priors, rounds)
    if test_fraction is not None:
        options["test_fraction"] = test_fraction
    base = _fitted(board, every[0], options, seed, None)
    names = board["player"].to_numpy()
    fits = [_answers(base, names, prob, top)]
    for setting in every[1:]:
        try:
            dt = _fitted(board, setting, options, seed, _REPLICATES)
        except LeaderbayesError:
            # Without this judge some player may have no votes at all.
            if setting.round < 0 or not of_votes:
                raise
            fits.append(_none(names))
            continue
        fits.append(_answers(dt, names, prob, top))
    table = _table(board, every, fits)
    what = WHAT_OF_VOTES if of_votes else WHAT
    summary = moved(table, every, what)
    table = table.assign(summary.data_vars).assign_coords(what=list(what))
    table = table.assign(psense(base, table["player"].to_numpy()))
    leader = str(table["leader"].to_numpy()[0])
    attrs = {
        "base": every[0].label(), "leader": leader, "prob": prob, "top": top, "seed": seed,
        "converged": int(table["converged"].to_numpy().all()),
        "warnings": str(base.attrs["warnings"]),
    }  # fmt: skip
    return table.assign_attrs(message=said_of(table, every, leader, top), **attrs)


def _fitted(
    board: Any, setting: Setting, options: dict[str, Any], seed: int, replicates: int | None
) -> xr.DataTree:
    """Fit in one way; what it warns of is in its attrs."""
    data = _without(board, setting)
    asked = dict(options)
    for name in ("ties", "weight", "cluster"):
        if getattr(setting, name) != "":
            asked[name] = getattr(setting, name)
    scale = OF_SCORES if setting.model == "mean_score" else OF_MATCHES
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeaderbayesWarning)
        return fit(
            data, setting.model, prior_scale=setting.prior * scale, seed=seed, progressbar=False,
            replicates=replicates, **asked,
        )  # fmt: skip


def _without(board: Any, setting: Setting) -> Any:
    """Leave out a round or a judge, if one is to be left out."""
    if setting.round < 0:
        return board
    if isinstance(board, xr.DataArray):
        return board.drop_isel(round=setting.round)
    name = parts_of(board)[0][setting.round]
    return board.isel(vote=board["judge"].to_numpy() != name)


def _answers(dt: xr.DataTree, names: np.ndarray, prob: float, top: int) -> dict[str, Any]:
    """Take what is kept of a fit, for all players of the board."""
    draws, players = standing_of(dt)
    order = by_mean(draws)
    m, at = len(names), pd.Index(names).get_indexer(players)
    better = np.full((m, m), np.nan)
    verdict = np.zeros((m, m), dtype=np.int8)
    own: Floats = np.stack([(draws[:, [i]] > draws).mean(axis=0) for i in range(len(players))])
    np.fill_diagonal(own, 0.5)
    better[np.ix_(at, at)] = own
    claimed = claims(draws[:, order], prob, "pair").astype(np.int8)
    there = at[order]
    verdict[np.ix_(there, there)] = claimed - claimed.T
    rank, best, inside = np.zeros(m, dtype=int), np.zeros(m), np.zeros(m, dtype=np.int8)
    rank[there] = np.arange(1, len(there) + 1)
    best[at] = (ranks_of(draws) == 1).mean(axis=0)
    inside[there[:top]] = 1
    return {
        "leader": str(players[order[0]]), "converged": int(dt.attrs["converged"]),
        "p_check": float(dt.attrs.get("p_check", np.nan)), "rank": rank, "p_best": best,
        "in_top": inside, "p_better": better, "verdict": verdict,
    }  # fmt: skip


def _none(names: np.ndarray) -> dict[str, Any]:
    """Stand in for a fit that there is not."""
    m = len(names)
    return {
        "leader": "", "converged": 0, "p_check": np.nan, "rank": np.zeros(m, dtype=int),
        "p_best": np.zeros(m), "in_top": np.zeros(m, dtype=np.int8),
        "p_better": np.full((m, m), np.nan), "verdict": np.zeros((m, m), dtype=np.int8),
    }  # fmt: skip


def _table(board: Any, every: list[Setting], fits: list[dict[str, Any]]) -> xr.Dataset:
    dims = {"rank": 1, "p_best": 1, "in_top": 1, "p_better": 2, "verdict": 2}
    names = board["player"].to_numpy()
    return xr.Dataset(
        {
            name: (("fit", *("player", "opponent")[: dims.get(name, 0)]), [f[name] for f in fits])
            for name in fits[0]
        },
        {
            "fit": [setting.label() for setting in every],
            "model": ("fit", [setting.model for setting in every]),
            "ties": ("fit", [setting.ties for setting in every]),
            "weight": ("fit", [str(setting.weight) for setting in every]),
            "cluster": ("fit", [setting.cluster for setting in every]),
            "prior": ("fit", [setting.prior for setting in every]),
            "without": ("fit", [setting.without for setting in every]),
            "player": names,
            "opponent": names,
        },
    ).isel({dim: np.argsort(fits[0]["rank"], kind="stable") for dim in ("player", "opponent")})
