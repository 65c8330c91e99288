"""What a report says of a fit: every number from the function that gives it, gathered once."""

import json
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.beside import column_beside, disagreement
from leaderbayes._answers.best import is_best
from leaderbayes._answers.check import check
from leaderbayes._answers.compare import compare
from leaderbayes._answers.completed import board_of, completed
from leaderbayes._answers.deviance import deviance
from leaderbayes._answers.draws import seed_of
from leaderbayes._answers.groups import groups, tied_for_top
from leaderbayes._answers.leaderboard import leaderboard
from leaderbayes._answers.win_probability import win_probability
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.kinds import OF_SEVERAL
from leaderbayes._fits.posterior import (
    drawn,
    fitted,
    is_mean_score,
    is_of_votes,
    refuse,
)
from leaderbayes._fits.require import require_tree
from leaderbayes._fits.trust import trust, warnings_of
from leaderbayes._inference.boards import boards_of
from leaderbayes._inference.discrepancy import MISFIT
from leaderbayes._numerics.composite_weight import FEWEST
from leaderbayes._numerics.decimals import decimals_of_best
from leaderbayes._scores.facts import facts as facts_of_board
from leaderbayes.models._weight import shared_luck
from leaderbayes.report._scores import facts_of_scores, results_of_scores
from leaderbayes.report._style import labels
from leaderbayes.report._votes import facts_of_votes
from leaderbayes.study._compare import compare as compare_boards

Facts = dict[str, Any]

_SAMPLERS = {"nutpie": "nutpie", "pymc": "PyMC", "numpyro": "NumPyro", "blackjax": "BlackJAX"}
# How sure the words are, by the posterior probability from which they are used.
PROBABLY = 0.75
_WORDS = (
    (0.99, "almost certainly"), (0.95, "very probably"), (PROBABLY, "probably"), (0.6, "perhaps"),
)  # fmt: skip


def facts_of(fit: xr.DataTree | xr.Dataset, prob: float, rope: float | None) -> Facts:
    """Gather what the templates of a report print.

    Parameters
    ----------
    fit : DataTree or Dataset
        From `leaderbayes.fit` or `leaderbayes.sota.posterior`; or an estimate from
        `leaderbayes.likelihood`.
    prob : float
        Probability of intervals, and at which two players are told apart.
    rope : float or None
        Region of practical equivalence, as for `leaderbayes.compare`.

    Returns
    -------
    dict
        By the names that templates use. ``kind`` is "posterior" (of matches), "scores" (of mean
        scores), "estimate" or "sota". Without convergence there are no results among them.

    Raises
    ------
    LeaderbayesError
        If it is no fit of a leaderboard, or an option is out of range.
    """
    if isinstance(fit, xr.Dataset):
        if rope is not None:
            raise LeaderbayesError("rope= is for posteriors; an estimate has no probabilities.")
        return _estimate(fit, prob)
    require_tree(fit)
    if is_best(fit):
        if rope is not None:
            raise LeaderbayesError("rope= is for leaderboards, whose players meet in matches.")
        return _sota(fit, prob)
    if is_mean_score(fit):
        chosen = "spread_scale" if fit.attrs["model"] in OF_SEVERAL else "likelihood"
        fitted(
            fit,
            "constant_data",
            of="score",
            attrs=("versions", "seed", "sampler"),
            arguments=("test_fraction", "sampler", "tune", "prior_scale", "prior_df", chosen),
        )
    elif is_of_votes(fit):
        own = "spread_scale" if fit.attrs["model"] in OF_SEVERAL else "prior_df"
        fitted(
            fit,
            "constant_data",
            "posterior_predictive",
            attrs=("weight", "versions", "seed", "sampler"),
            arguments=("cluster", "order_effect", "sampler", "tune", "prior_scale", own),
        )
    else:
        fitted(
            fit,
            "constant_data",
            "posterior_predictive",
            attrs=("weight", "versions", "seed", "sampler"),
            arguments=("weight", "test_fraction", "sampler", "tune"),
        )
    return _posterior(fit, prob, rope)


def _posterior(dt: xr.DataTree, prob: float, rope: float | None) -> Facts:
    if dt["posterior"].sizes.get("player", 0) < 2:
        raise refuse(dt, "has one player only, and a report compares two")
    table = leaderboard(dt, prob=prob)
    first, second = (str(name) for name in table["player"].iloc[:2])
    name = labels(table["player"])
    checked = compare(dt, first, second, rope=rope, prob=prob)
    arguments = json.loads(dt.attrs["arguments"])
    of_scores, of_votes = is_mean_score(dt), is_of_votes(dt)
    prefix = "score_" if of_scores else "vote_" if of_votes else ""
    if of_votes:
        known = facts_of_votes(dt, arguments, prob)
    else:
        known = (facts_of_scores if of_scores else _of_matches)(dt, arguments)
    facts: Facts = {
        "kind": "scores" if of_scores else "posterior",
        "prefix": prefix,
        "layout": "score_table" if of_scores else "table",
        "prob": prob,
        "rope": rope,
        "of_votes": of_votes,
        "model": dt.attrs["model"],
        **_trust(dt),
        "placed": name.get(dt.attrs.get("placed", "")),
        "tournament": dt.attrs.get("tournament"),
        "versions": json.loads(dt.attrs["versions"]),
        "seed": dt.attrs["seed"],
        **known,
        **_sampling(dt, arguments),
    }
    if not facts["converged"]:
        return facts
    plain = compare(dt, first, second, prob=prob) if rope is not None else checked
    return facts | {
        "rows": _rows(table, name),
        "beside": column_beside(table),
        "disagreement": disagreement(dt, table, name.__getitem__),
        "runner_up": _versus(plain, prob),
        "equivalence": _numbers(checked) if rope is not None else None,
        "tied": [name[player] for player in tied_for_top(dt, prob=prob)[1:]],
        "groups": int(groups(dt, prob=prob)["group"].max()),
        **(results_of_scores(table) if of_scores else _results_of_matches(dt, first, prob)),
    }


def _of_matches(dt: xr.DataTree, arguments: Facts) -> Facts:
    return {**_data(dt, arguments), **_prior(dt, arguments), **_weight(dt, arguments)}


def _results_of_matches(dt: xr.DataTree, leader: str, prob: float) -> Facts:
    return {
        "leads": _leads(dt, leader, prob),
        "p_check": _p_check(dt),
        "deviance": _deviance(dt),
    }


def _trust(dt: xr.DataTree) -> Facts:
    """Say whether it converged; a fit that did not has LB001 first, and not among the others.

    LB016, of a board that does not fit, has sentences of its own.
    """
    trusted = trust(dt)
    own = ("LB001", "LB016") if dt.attrs.get("p_check", 1.0) < MISFIT else ("LB001",)
    said = warnings_of(trusted)
    return {
        "converged": bool(trusted["converged"]),
        "unconverged": [w for w in said if w.startswith("LB001")],
        "warnings": [w for w in said if not w.startswith(own)],
    }


def _p_check(dt: xr.DataTree) -> float:
    """Give the p-value of the check: the fit's own, where it has one."""
    own = float(dt.attrs.get("p_check", np.nan))
    return float(check(dt, seed=seed_of(dt))["p_round"]) if np.isnan(own) else own


def _sota(dt: xr.DataTree, prob: float) -> Facts:
    from leaderbayes._numerics.flexible_law import ALPHAS, ALPHAS_PRIOR
    from leaderbayes.models._theta import CONCENTRATION
    from leaderbayes.sota._summary import summary

    dt = completed(dt)
    table, board = leaderboard(dt, prob=prob), board_of(dt)
    name = labels(table["team"])
    known = facts_of_board(board)
    posterior = dt["posterior"].sizes
    facts: Facts = {
        "kind": "sota",
        "prefix": "sota_",
        "layout": "sota_table",
        "prob": prob,
        "players": len(table),
        "chance": known.chance,
        "classes": board.attrs.get("classes"),
        "positive_rate": board.attrs.get("positive_rate"),
        "sampler": dt.attrs.get("sampler", "pymc"),
        "log_concentration": CONCENTRATION,
        "concentrations": (ALPHAS[1], ALPHAS[-1]),
        "equal": ALPHAS_PRIOR[0],
        "versions": json.loads(dt.attrs.get("versions", "{}"))
        or {"leaderbayes": version("leaderbayes")},
        "seed": dt.attrs.get("seed"),
        **_trust(dt),
        "law": "flexible" if "weight" in dt["posterior"] else "beta",
        "rho": known.rho,
        "statistic": "board",
        "epsilon": None,
        **json.loads(dt.attrs.get("arguments", "{}")),
        "n": known.n,
        "chains": posterior["chain"],
        "draws": posterior["draw"],
        **{k: dt.attrs.get(k) for k in ("max_rhat", "ess")},
    }
    if not facts["converged"]:
        return facts
    checked = check(dt)["p_value"].to_series()
    best = summary(dt, prob=prob)
    columns = {"team": "player", "theta_lower": "lower", "theta_upper": "upper"}
    return facts | {
        "rows": _rows(table.rename(columns=columns), name),
        "best": {str(k): v.item() for k, v in best.data_vars.items()},
        "digits": decimals_of_best(
            float(best["theta_sota_lower"]), float(best["theta_sota_upper"])
        ),
        "least_p": float(checked.min()),
        "least_statistic": str(checked.idxmin()),
    }


def _estimate(fit: xr.Dataset, prob: float) -> Facts:
    table = leaderboard(fit, prob=prob)
    name = labels(table["player"])
    first, second = table["player"].iloc[:2]
    win = _numbers(win_probability(fit, prob=prob).sel(player=first, opponent=second))
    return {
        "kind": "estimate",
        "prefix": "estimate_",
        "layout": "table",
        "prob": prob,
        "of_votes": False,
        "model": fit.attrs["model"],
        "converged": True,
        "unconverged": [],
        "warnings": warnings_of(fit.attrs),
        "players": len(table),
        "rows": _rows(table, name),
        "beside": None,
        "covariance": fit.attrs["covariance"],
        "pseudo_rounds": fit.attrs.get("pseudo_rounds", 0.0),
        "firth": bool(fit.attrs.get("firth", 0)),
        "hypotheses": fit.sizes.get("hypothesis", 0),
        "ties": fit.attrs.get("ties"),
        "n_quadrature": fit.attrs.get("n_quadrature"),
        "win": win,
        # False also where rounds do not vary, and both are NaN.
        "told_apart": win["lower"] > 0.5 or win["upper"] < 0.5,
        "deviance": _deviance(fit),
        "versions": {"leaderbayes": version("leaderbayes")},
    }


def _rows(table: pd.DataFrame, name: Mapping[str, str]) -> list[Any]:
    players = [name[str(player)] for player in table["player"]]
    return table.assign(player=players).to_dict("records")


def _data(dt: xr.DataTree, arguments: Facts) -> Facts:
    """Count players, rounds, tournaments; missing scores; ties."""
    scores = dt["constant_data"].to_dataset()["scores"]
    boards = [board for board, _ in boards_of(dt)]
    # Of a fit across rounds places are of all scores at once; still 0 is absent.
    cells = sum(board["place"].size for board in boards)
    missing = sum(int((board["place"] == 0).sum()) for board in boards)
    equal = sum(float(board["tied"].sum()) for board in boards)
    met = sum(float(board["n"].sum()) for board in boards)
    if arguments["ties"] == "drop":
        met += equal
    players = [board.sizes["player"] for board in boards]
    rounds = [board.sizes["round"] for board in boards]
    return {
        "players": dt["posterior"].sizes["player"],
        "rounds": sum(rounds),
        "tournaments": len(boards) if "tournament" in scores.dims else None,
        "data_set": scores.attrs.get("tournament"),
        "fewest_players": min(players),
        "most_players": max(players),
        "higher": bool(scores.attrs.get("higher_is_better", 1)),
        "cells": cells,
        "missing": missing,
        "tied_share": equal / met if met else 0.0,
        "within_round": bool(arguments["within_round"]),
        "ties": arguments["ties"],
        "fewest_rounds": min(rounds),
    }


def _prior(dt: xr.DataTree, arguments: Facts) -> Facts:
    scales = ("prior_scale", "prior_df", "tie_scale", "spread_scale", "intercept_scale")
    spread = "epp_spread" in dt["posterior"]
    return {
        **{name: arguments.get(name) for name in scales},
        "own_order": arguments.get("order") is not None,
        "group_count": len(set((arguments.get("groups") or {}).values())),
        "spread": float(drawn(dt, "epp_spread").mean()) if spread else None,
    }


def _weight(dt: xr.DataTree, arguments: Facts) -> Facts:
    """Say how much a match counts, and why."""
    weight, fraction = arguments["weight"], arguments["test_fraction"]
    each = drawn(dt, "weight", "constant_data")
    single = "round" in each.dims
    return {
        "composite": weight == "composite",
        "given_weight": None if weight == "composite" else float(weight),
        "weight_low": float(each.min()),
        "weight_high": float(each.max()),
        "test_fraction": fraction,
        "dependence": 1.0 / (1.0 + dt["constant_data"].sizes["round"] * shared_luck(fraction))
        if single
        else None,
        "few_rounds": FEWEST,
    }


def _sampling(dt: xr.DataTree, arguments: Facts) -> Facts:
    posterior = dt["posterior"].sizes
    known = {k: dt.attrs.get(k) for k in ("max_rhat", "min_ess")}
    return {
        "sampler": _SAMPLERS.get(str(dt.attrs["sampler"])),  # None: none of NUTS
        "drawn": str(dt.attrs["sampler"]),
        # What NUTS moves of a model in PyMC is drawn, too.
        "by_pymc": any(str(name).endswith("_unit") for name in dt["posterior"].data_vars),
        "chains": posterior["chain"],
        "draws": posterior["draw"],
        "tune": dt.attrs.get("tune", arguments["tune"] or 1000),
        # Said together, or not at all.
        **(known if None not in known.values() else dict.fromkeys(known)),
        **{k: dt.attrs.get(k) for k in ("divergences", "pareto_k")},
    }


def _versus(compared: xr.Dataset, prob: float) -> Facts:
    """Compare two players, in words as sure as its probability."""
    found = _numbers(compared)
    # Over data sets a leaderboard is of means, and p_better of a new one.
    found["on_new"] = found["p_better"] if "mean_better" in found else None
    better = float(found["p_better"] if found["on_new"] is None else found["mean_better"])
    found["p_better"] = better
    word = next((word for least, word in _WORDS if better >= least), None)
    return found | {"word": word, "told_apart": better >= prob}


def _deviance(fit: xr.DataTree | xr.Dataset) -> Facts:
    """Give the deviance, and where it was evaluated."""
    distance = deviance(fit)
    return _numbers(distance) | {"at": distance.attrs["at"]}


def _numbers(scalars: xr.Dataset) -> Facts:
    """Give the numbers of a Dataset of scalars, as Python's own."""
    return {str(name): value.item() for name, value in scalars.data_vars.items()}


def _leads(dt: xr.DataTree, leader: str, prob: float) -> int | None:
    """Count the tournaments of a fit of many in which the leader leads."""
    if "epp_tournament" not in dt["posterior"]:
        return None
    leaders = compare_boards(dt, prob=prob, draws=0)["leader"]
    return int((leaders == leader).sum())
