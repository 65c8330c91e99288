"""How the answer moves with what one may choose, and with each round."""

import logging
import warnings
from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes import _arguments
from leaderbayes._answers.draws import by_mean, standing_of
from leaderbayes._answers.groups import claims
from leaderbayes._answers.ranks import ranks_of
from leaderbayes._arguments import number, one_of, share, whole
from leaderbayes._errors import LeaderbayesError, LeaderbayesWarning
from leaderbayes._inference.fit import fit
from leaderbayes._numerics.places import places
from leaderbayes._scores.matches import one_tournament
from leaderbayes._scores.tables import counted
from leaderbayes._scores.vote_matches import is_votes
from leaderbayes._types import Floats
from leaderbayes.models._scores import PRIOR_SCALE as OF_SCORES
from leaderbayes.models._weight import PRIOR_SCALE as OF_MATCHES

# What may be chosen of each model, beside its prior.
_CHOICES: dict[str, tuple[str, ...]] = {
    "bradley_terry": ("ties", "weight"),
    "davidson": ("weight",),
    "plackett_luce": ("weight",),
    "mean_score": (),
}
_TOP = 5
_MOVES = 0.05  # psense, from which a strength moves
_REPLICATES = 50  # of fits beside the base: as many as p_check needs
WHAT = ("model", "ties", "weight", "prior_scale", "round")


class Setting(NamedTuple):
    """One way to fit a board."""

    model: str
    ties: str  # "" where the model has no choice
    weight: str | float  # "" where it has none
    prior: float  # times the model's own scale of the prior
    without: str  # the round that is left out; "" of none
    round: int  # its position, -1 of none

    def label(self) -> str:
        """Name it by what is chosen."""
        said = [self.model]
        said += [f"ties={self.ties}"] if self.ties else []
        said += [f"weight={self.weight}"] if self.weight != "" else []
        said += [f"prior x {self.prior:g}"] if self.prior != 1.0 else []
        return ", ".join(said) + (f", without {self.without}" if self.round >= 0 else "")


def sensitivity(
    scores: xr.DataArray,
    *,
    models: Sequence[str] = ("bradley_terry", "mean_score"),
    ties: Sequence[str] = ("half", "drop"),
    weights: Sequence[str | float] = ("composite", 1.0),
    priors: Sequence[float] = (1.0, 0.5, 2.0),
    rounds: bool = True,
    test_fraction: float | None = None,
    prob: float = 0.95,
    top: int | None = None,
    seed: int | None = None,
) -> xr.Dataset:
    """Fit a board in every way that one might have, and say what of the answer moves.

    The first choice of each argument together is the base. All combinations of models, ties,
    weights and priors are fitted, of each model those that it has; and, as in the base, the board
    without each of its rounds.

    Parameters
    ----------
    scores : DataArray (player, round)
        Scores of one tournament, from `leaderbayes.read_scores`.
    models : sequence of {"bradley_terry", "mean_score", "davidson", "plackett_luce"}
        The last two take seconds a fit.
    ties : sequence of {"half", "drop"}
        Of "bradley_terry"; only the first where nothing ties.
    weights : sequence of "composite" or float
        Powers of the likelihood, of all models but "mean_score".
    priors : sequence of float
        Factors on the model's own ``prior_scale``: of twice that players may lie twice as far
        apart.
    rounds : bool
        Leave out each round, in the base.
    test_fraction : float, optional
        As for `leaderbayes.fit`, of rounds that are folds: of all fits.
    prob : float
        Posterior probability at which two players are told apart, each pair by itself.
    top : int, optional
        Size of the set of best players that is compared, by posterior means. None: 5, or one less
        than there are players.
    seed : int, optional
        Same seed, same numbers. None draws one; it is in attrs.

    Returns
    -------
    Dataset
        Over ``fit``, whose coordinates say how it was fitted (``model``, ``ties``, ``weight``,
        ``prior``, ``without``: "" where the model has no such choice, or no round is left out):
        ``leader``, ``converged`` (0 or 1), ``p_check``; with ``player`` ``rank`` (by posterior
        means; 0 of who is not on the board), ``p_best``, ``in_top`` (0 or 1); with ``player`` and
        ``opponent`` ``p_better`` (NaN of who is not there) and ``verdict`` (1 where the row is
        better with probability ``prob``, -1 where it is worse, 0 where they are not told apart).
        Over ``what`` ("model", "ties", "weight", "prior_scale", "round"), of fits that differ from
        the base in that alone: ``fits``, how many there are, ``other_leader``, ``other_top`` (of
        these), and ``pairs_moved``, ``pairs_reversed``, pairs with another verdict, or the
        opposite, in one of them or more. Over ``player``, of the base: ``psense_prior``,
        ``psense_likelihood``, how much its strength moves with the prior and with the likelihood
        (ArviZ' ``psense_summary``; below 0.05 hardly). attrs: ``message``, ``base``, ``leader``,
        ``prob``, ``top``, ``seed``, ``converged`` (all of them did), ``warnings`` (of the base).
        Fits that did not converge are there, and counted nowhere.

    Raises
    ------
    LeaderbayesError
        If these are votes, scores of several tournaments, or an argument has no such choice.

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
    if is_votes(scores):
        raise LeaderbayesError(
            "sensitivity is of scores. Of votes, audit and influence say how much hangs on judges "
            "and prompts."
        )
    board = one_tournament(scores).transpose("player", "round")
    prob, m = share("prob", prob), board.sizes["player"]
    top = min(_TOP, m - 1) if top is None else whole("top", top, at_most=m)
    seed = _arguments.seed_or_new(seed)
    every = _settings(board, models, ties, weights, priors, rounds)
    fits, base = [], None
    for setting in every:
        dt = _fitted(board, setting, test_fraction, seed, None if base is None else _REPLICATES)
        if base is None:
            base = dt
        fits.append(_answers(dt, board["player"].to_numpy(), prob, top))
    assert base is not None
    table = _table(board, every, fits)
    summary = _moved(table, every)
    table = table.assign(summary.data_vars).assign_coords(what=list(WHAT))
    table = table.assign(_psense(base, table["player"].to_numpy()))
    leader = str(table["leader"].to_numpy()[0])
    attrs = {
        "base": every[0].label(), "leader": leader, "prob": prob, "top": top, "seed": seed,
        "converged": int(table["converged"].to_numpy().all()),
        "warnings": str(base.attrs["warnings"]),
    }  # fmt: skip
    return table.assign_attrs(message=_message(table, every, leader, top), **attrs)


def _settings(
    board: xr.DataArray, models: Sequence[str], ties: Sequence[str],
    weights: Sequence[str | float], priors: Sequence[float], rounds: bool,
) -> list[Setting]:  # fmt: skip
    """List all ways to fit, the base first."""
    for name, values in (
        ("models", models), ("ties", ties), ("weights", weights), ("priors", priors)
    ):  # fmt: skip
        if isinstance(values, str) or not len(values):
            raise LeaderbayesError(f"{name}={values!r}: give a sequence, the base first.")
    for model in models:
        one_of("models", model, *_CHOICES)
    for rule in ties:
        one_of("ties", rule, "half", "drop")
    factors = [number("priors", factor, above=0.0) for factor in priors]
    y = board.transpose("round", "player").to_numpy()
    place = places(y, higher_is_better=True, within_round=True)
    tied = any(len(np.unique(row[row > 0])) < (row > 0).sum() for row in place)
    rules = list(ties) if tied else list(ties)[:1]
    every = [
        Setting(model, str(rule), weight, factor, "", -1)
        for model in models
        for rule, weight, factor in product(
            rules if "ties" in _CHOICES[model] else [""],
            list(weights) if "weight" in _CHOICES[model] else [""],
            factors,
        )
    ]
    every = list(dict.fromkeys(every))
    if rounds and board.sizes["round"] > 2:
        names = board["round"].to_numpy()
        every += [every[0]._replace(without=str(name), round=k) for k, name in enumerate(names)]
    return every


def _fitted(
    board: xr.DataArray,
    setting: Setting,
    test_fraction: float | None,
    seed: int,
    replicates: int | None,
) -> xr.DataTree:
    """Fit in one way; what it warns of is in its attrs."""
    data = board if setting.round < 0 else board.drop_isel(round=setting.round)
    options: dict[str, Any] = {}
    if setting.ties:
        options["ties"] = setting.ties
    if setting.weight != "":
        options["weight"] = setting.weight
    if test_fraction is not None:
        options["test_fraction"] = test_fraction
    scale = OF_SCORES if setting.model == "mean_score" else OF_MATCHES
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeaderbayesWarning)
        return fit(
            data, setting.model, prior_scale=setting.prior * scale, seed=seed, progressbar=False,
            replicates=replicates, **options,
        )  # fmt: skip


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


def _table(board: xr.DataArray, every: list[Setting], fits: list[dict[str, Any]]) -> xr.Dataset:
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
            "prior": ("fit", [setting.prior for setting in every]),
            "without": ("fit", [setting.without for setting in every]),
            "player": names,
            "opponent": names,
        },
    ).isel({dim: np.argsort(fits[0]["rank"], kind="stable") for dim in ("player", "opponent")})


def _differs(setting: Setting, base: Setting) -> str:
    """Say in what alone a fit differs from the base; "" if in several things, or in none."""
    if setting.round >= 0:
        return "round"
    if setting.model != base.model:
        return "model" if setting.prior == base.prior and _same(setting, base) else ""
    pairs = (("ties", "ties"), ("weight", "weight"), ("prior", "prior_scale"))
    odd = [what for name, what in pairs if getattr(setting, name) != getattr(base, name)]
    return odd[0] if len(odd) == 1 else ""


def _same(setting: Setting, base: Setting) -> bool:
    """Whether two models are fitted alike in what both may choose."""
    return setting.ties in ("", base.ties) and setting.weight in ("", base.weight)


def _moved(table: xr.Dataset, every: list[Setting]) -> xr.Dataset:
    """Sum up what moves with one choice alone."""
    verdict, leader = table["verdict"].to_numpy(), table["leader"].to_numpy()
    inside, good = table["in_top"].to_numpy(), table["converged"].to_numpy() == 1
    of = np.array([_differs(setting, every[0]) for setting in every])
    counts: dict[str, list[int]] = {
        name: [] for name in ("fits", "other_leader", "other_top", "pairs_moved", "pairs_reversed")
    }
    for what in WHAT:
        rows = np.flatnonzero((of == what) & good)
        moved, turned = _pairs(verdict, rows)
        counts["fits"].append(len(rows))
        counts["other_leader"].append(int((leader[rows] != leader[0]).sum()))
        counts["other_top"].append(int((inside[rows] != inside[0]).any(axis=1).sum()))
        counts["pairs_moved"].append(moved)
        counts["pairs_reversed"].append(turned)
    return xr.Dataset({name: ("what", values) for name, values in counts.items()})


def _pairs(verdict: np.ndarray, rows: np.ndarray) -> tuple[int, int]:
    """Count pairs with another verdict than the base's, or the opposite, in one row or more."""
    upper = np.triu(np.ones(verdict.shape[1:], dtype=bool), 1)
    own = verdict[0][None]
    moved = (verdict[rows] != own).any(axis=0)
    turned = (verdict[rows] * own < 0).any(axis=0)
    return int((moved & upper).sum()), int((turned & upper).sum())


def _psense(dt: xr.DataTree, players: np.ndarray) -> dict[str, Any]:
    """Give how strengths move with powers of the prior and of the likelihood, where ArviZ says."""
    if not {"log_prior", "log_likelihood"} <= set(dt.children):
        return {}
    import arviz as az

    name = "score" if dt.attrs["model"] == "mean_score" else "epp"
    # It logs what the message says.
    log = logging.getLogger("arviz_stats")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        found = az.psense_summary(dt, var_names=[name])
    finally:
        log.setLevel(level)
    # Its rows are in the order of the posterior's players, and names may hold brackets.
    values = found[["prior", "likelihood"]].set_axis(dt["posterior"]["player"].to_numpy())
    return {
        f"psense_{column}": ("player", values.loc[players, column].to_numpy())
        for column in ("prior", "likelihood")
    }


def _message(table: xr.Dataset, every: list[Setting], leader: str, top: int) -> str:
    """Say what moves."""
    good = np.flatnonzero(table["converged"].to_numpy() == 1)
    leaders = table["leader"].to_numpy()[good]
    others = pd.Series(leaders[leaders != leader]).value_counts()
    said = [f"{leader} leads in {int((leaders == leader).sum())} of {counted(len(good), 'fit')}"]
    if len(others):
        listed = [f"{name} in {count}" for name, count in others.items()]
        said[0] += f", {', '.join(listed)}"
    summary = table[["fits", "other_leader", "pairs_moved", "pairs_reversed"]].to_dataframe()
    parts = []
    for what, row in summary[summary["fits"] > 0].iterrows():
        name = "a round left out" if what == "round" else str(what).replace("_", " ")
        lead = f" (and the leader in {row['other_leader']} of {counted(row['fits'], 'fit')})"
        parts.append(f"{name} {row['pairs_moved']}{lead if row['other_leader'] else ''}")
    verdict = table["verdict"].to_numpy()
    m = verdict.shape[1]
    moved, turned = _pairs(verdict, good)
    said.append(
        f"Of {counted(m * (m - 1) // 2, 'pair')} {moved} get another verdict in some fit, "
        f"{turned} of them the opposite"
    )
    if parts:
        said.append(
            f"Against the base ({every[0].label()}) so many are moved by one choice alone: "
            f"{', '.join(parts)}"
        )
    inside = table["in_top"].to_numpy()[good]
    kept = int((inside == table["in_top"].to_numpy()[0]).all(axis=1).sum())
    said.append(f"The top {top} is the same in {kept}")
    if "psense_prior" in table:
        moving = int((table["psense_prior"].to_numpy() >= _MOVES).sum())
        said.append(
            f"Powers of the prior move the strengths of {moving or 'no'} "
            f"player{'' if moving == 1 else 's'} (psense of {_MOVES:g} or more)"
        )
    if len(good) < len(every):
        said.append(f"{counted(len(every) - len(good), 'fit')} did not converge, and count nowhere")
    return ". ".join(said) + "."
