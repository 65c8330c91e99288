"""What a report shows of a posterior: every number from the function that gives it."""

import json
from collections.abc import Mapping
from functools import singledispatch
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.beside import disagreement
from leaderbayes._answers.blend import blends
from leaderbayes._answers.check import check
from leaderbayes._answers.compare import compare
from leaderbayes._answers.groups import tied_for_top
from leaderbayes._answers.leaderboard import Shown, leaderboard, shown_as, table_of
from leaderbayes._answers.refit import weight_of
from leaderbayes._answers.votes import counted_of, effects
from leaderbayes._answers.win_probability import win_probability
from leaderbayes._arguments import share
from leaderbayes._errors import LeaderbayesError
from leaderbayes._files.printed import clean
from leaderbayes._fits.matches import boards_of
from leaderbayes._fits.posterior import Posterior, Strengths, StrengthsOfVotes, Teams, own_prior
from leaderbayes._inference.check_of_fit import matters
from leaderbayes._numerics.intervals import decimals_of_difference
from leaderbayes._scores.metrics import metric_of
from leaderbayes.models._mean_score import HINT
from leaderbayes.models._registry import MODELS
from leaderbayes.models._sota_completed import board_of
from leaderbayes.plots._canvas import distinct
from leaderbayes.report._columns import columns_of, digits_of

Facts = dict[str, Any]

_LONGEST = 60  # characters of a name
_QUANTITIES = {"mean": "mean score", "median": "median score", "iqm": "interquartile mean score"}
_MEASURED = {
    "raw": "in the metric's unit",
    "standardised": "in standard deviations of the round's scores, from their mean",
    "distance": "as distance from the round's best score (0) to its worst (1)",
    "share": "as share of the round's best score",
}


def facts_of(
    fit: xr.DataTree | xr.Dataset, prob: float, rope: float | None,
    anchored: Mapping[str, Any] | None = None,
) -> Facts:  # fmt: skip
    """Gather what the templates of a report print, by the names that they use; or raise.

    ``kind`` is "epp" (of matches), "votes", "score", "theta" or "estimate". Without convergence
    there are no results among them.
    """
    share("prob", prob)
    if isinstance(fit, xr.Dataset):
        if rope is not None:
            raise LeaderbayesError("rope= needs a posterior; an estimate has no probabilities.")
        leaderboard(fit, prob=prob, **(anchored or {}))  # refuses what it does not take
        return _estimate(fit, prob)
    post = Posterior(fit)
    view = shown_as(post, **(anchored or {}))
    if len(post.players) < 2:
        raise LeaderbayesError(f"{post.called} has only one {post.who}, but a report needs two.")
    found = post.diagnostics
    warnings = json.loads(post.trust["warnings"])
    facts: Facts = {
        "kind": post.kind.name, "parameter": post.parameter, "who": post.who, "bayesian": True,
        "model": post.model.name, "label": post.model.label, "prob": prob, "rope": rope,
        "players": len(post.players), "option": options_of(post), "tournament": tournament_of(post),
        "unit": post.kind.unit, "effects": [], "own_prior": own_prior(post),
        "estimand": (post.trust.get("estimand") or "").replace(HINT, ""),
        "versions": versions_of(fit.attrs),
        **_of_data(post, prob),
        "sampler": fit.attrs.get("sampler"), "seed": fit.attrs.get("seed"),
        "chains": fit["posterior"].sizes["chain"], "draws": fit["posterior"].sizes["draw"],
        "converged": bool(found["converged"]),
        **{name: found.get(name) for name in ("max_rhat", "min_ess", "divergences", "pareto_k")},
        "unconverged": [text for text in warnings if text.startswith("LB001")],
        # A misfit of matches has sentences of its own.
        "warnings": [text for text in warnings if not text.startswith(("LB001", "LB016"))],
    }  # fmt: skip
    return facts | (_results(post, prob, rope, view) if facts["converged"] else {})


def options_of(post: Posterior) -> Facts:
    """Return the options that a model was built with."""
    found = post.known.data_vars.items()
    known = {str(k): v.item() for k, v in found if v.dims == ("model",)}
    known |= json.loads(post.tree.attrs.get("arguments", "{}"))
    names = ("prior_df", "prior_scale", "test_fraction", "tie_scale", "spread_scale", "law", "rho")
    return {name: post.option(name) for name in (*names, "intercept_scale")} | known


def tournament_of(post: Posterior) -> str | None:
    """Return the name of the one tournament, where it has one."""
    attrs = {} if post.scores is None else post.scores.attrs
    name = post.tree.attrs.get("tournament", attrs.get("tournament"))
    return None if name is None else str(name)


def versions_of(attrs: Mapping[Any, Any]) -> dict[str, str]:
    """Return the versions that a fit has recorded, of others those that are installed."""
    known: dict[str, str] = json.loads(attrs.get("versions", "{}"))
    return {name: version(name) for name in ("leaderbayes", "pymc", "arviz", "nutpie")} | known


def labels(names: Any) -> dict[str, str]:
    """Return each name in one line of printable characters, cut where it is long, and each once."""
    every = list(map(str, names))
    shown = (clean(name) or "(no name)" for name in every)
    cut = (s if len(s) <= _LONGEST else f"{s[: _LONGEST - 1].rstrip()}…" for s in shown)
    return dict(zip(every, distinct(cut), strict=True))


def quantity_of(post: Posterior) -> tuple[str, str]:
    """Name what a posterior of mean scores is of, and in which unit."""
    return (_QUANTITIES[post.option("statistic", "mean")], _MEASURED[post.option("of", "raw")])


def is_of_items(post: Posterior) -> bool:
    """Whether scores are answers to items, of which no model is assumed."""
    mean = post.option("statistic", "mean") == "mean"
    return post.kind.items and mean and not post.has("noise")


@singledispatch
def _of_data(post: Posterior, prob: float) -> Facts:
    """Return what the data are, by the names of the templates in text/data."""
    scores = post.scores
    if scores is None:
        raise LeaderbayesError(f"{post.called} has no constant_data/scores, which a report names.")
    quantity, measured = quantity_of(post)
    strata = "stratum" in scores.coords
    level = "stratum" if strata else "cluster"
    return {
        "rounds": int((scores.notnull() | ("judge" in scores.coords)).any("player").sum()),
        "tournaments": scores.sizes.get("tournament"),
        "clusters": len(np.unique(scores[level])) if level in scores.coords else None,
        "strata": strata,
        "metric": metric_of(str(scores.attrs.get("columns", ""))),
        "higher": post.higher_is_better,
        "runs": scores.attrs.get("runs"),
        "cells": scores.size,
        "missing": int(scores.isnull().sum()),
        "items": is_of_items(post),
        "judged": "judge" in scores.coords,
        "quantity": quantity,
        "measured": measured,
        "flat": not post.has("score_scale"),
    }


@_of_data.register
def _of_matches(post: Strengths, _: float) -> Facts:
    boards = [board for board, _ in boards_of(post)]
    places = [board["place"] for board in boards]
    tied, met = (sum(float(board[name].sum()) for board in boards) for name in ("tied", "n"))
    ties = str(boards[0].attrs["ties"])
    weight = post.constant["weight"] if "weight" in post.constant else xr.DataArray(1.0)
    chosen = post.model.weight if (weight != 1.0).any() else 1.0
    if "weight" in post.known and "sampler" not in post.tree.attrs:
        chosen = weight_of(post)
    return {
        "rounds": sum(board.sizes["round"] for board in boards),
        "tournaments": post.tree["posterior"].sizes.get("tournament"),
        "higher": post.scores is None or bool(post.scores.attrs["higher_is_better"]),
        "cells": sum(place.size for place in places),
        "missing": sum(int((place == 0).sum()) for place in places),
        "tied_share": tied / max(met + tied * (ties == "drop"), 1.0),
        "within_round": bool(boards[0].attrs["within_round"]),
        "ties": ties,
        "rankings": not post.model.pairs,
        "tie_parameter": post.model.tie_parameter,
        "composite": options_of(post).get("weight", chosen) == "composite",
        "weight_low": float(weight.min()),
        "weight_high": float(weight.max()),
    }


@_of_data.register
def _of_votes(post: StrengthsOfVotes, prob: float) -> Facts:
    counted, table = counted_of(post), effects(post.tree, prob)
    rows = [] if table is None else table.to_dict("records")
    name = labels(row["effect"] for row in rows) | {"order": "who is shown first"}
    return {
        **counted._asdict(),
        "tied_share": counted.tied / counted.votes if counted.votes else 0.0,
        "ties": post.option("ties", "half"),
        "tie_parameter": post.model.tie_parameter,
        "effects": [row | {"effect": name[row["effect"]]} for row in rows],
    }


@_of_data.register
def _of_teams(post: Teams, _: float) -> Facts:
    attrs = board_of(post.tree).attrs
    return {"metric": attrs["metric"], "n": attrs.get("n"), "higher": post.higher_is_better}


def _results(post: Posterior, prob: float, rope: float | None, view: Shown) -> Facts:
    dt, table = post.tree, table_of(post, prob, view)
    name = labels(table[post.who])
    first, second = (str(player) for player in table[post.who].iloc[:2])
    digits = digits_of(table).get(view.name, 2)
    versus = numbers(compare(dt, first, second, prob=prob))
    versus |= {k: view.factor * v for k, v in versus.items() if k.startswith("epp_")}
    facts = {
        "rows": _rows(table, post.who, name),
        "columns": columns_of(table, name),
        "digits": digits,
        "shown": {"name": view.name, "heading": "Elo" if view.name == "elo" else "EPP"},
        "versus": versus,
        # Over data sets a leaderboard is of means, and p_better of a new one.
        "better": versus.get("mean_better", versus["p_better"]),
        "equivalence": None,
        "tied": [name[player] for player in tied_for_top(dt, prob=prob)[1:]],
    }
    if rope is not None:
        facts["equivalence"] = numbers(compare(dt, first, second, rope=rope, prob=prob))
    if "difference" in versus:
        ends = versus["difference_lower"], versus["difference_upper"]
        facts["versus_digits"] = max(digits, decimals_of_difference(*ends))
    facts["disagreement"] = disagreement(dt, table, name.__getitem__)
    return facts | _more(post, prob)


@singledispatch
def _more(post: Posterior, prob: float) -> Facts:
    """Return further results; none of mean scores."""
    return {}


@_more.register
def _of_fit(post: Strengths, _: float) -> Facts:
    return {"check": check_of(post), "blends": blends(post)}


class Check(NamedTuple):
    """What the check of fit says: its p-value, and how large the misfit is."""

    p: float
    ratio: float
    misfit: float

    @property
    def matters(self) -> bool:
        """Whether the model's win probabilities are wrong."""
        return matters(self.p, self.ratio)


def check_of(post: Posterior) -> Check | None:
    """Return what the fit's own check says, or a new one's; None of votes without replicates."""
    attrs, names = post.tree.attrs, ("p_check", "deviance_ratio", "misfit")
    if not set(names) <= set(attrs) or np.isnan(attrs["p_check"]):
        if isinstance(post, StrengthsOfVotes) and "posterior_predictive" not in post.tree.children:
            return None  # of pm.sample, before they are added
        found = check(post.tree, seed=post.seed)
        return Check(*(float(found[name]) for name in ("p_value", "ratio", "misfit")))
    return Check(*(float(attrs[name]) for name in names))


@_more.register
def _of_best(post: Teams, prob: float) -> Facts:
    from leaderbayes.sota import summary

    p_values = check(post.tree)["p_value"].to_series()
    return {
        "best": numbers(summary(post.tree, prob=prob)),
        "least_p": float(p_values.min()),
        "least_statistic": str(p_values.idxmin()),
    }


def _estimate(fit: xr.Dataset, prob: float) -> Facts:
    table = leaderboard(fit, prob=prob)
    name = labels(table["player"])
    first, second = table["player"].iloc[:2]
    model = MODELS.get(fit.attrs["model"])
    win = win_probability(fit, prob=prob).sel(player=first, opponent=second)
    names = ("covariance", "firth", "pseudo_rounds", "ties", "tie_scale", "intercept_scale")
    return {
        "kind": "estimate", "estimand": "", "parameter": "epp", "who": "player", "bayesian": False,
        "model": fit.attrs["model"], "label": fit.attrs["model"] if model is None else model.label,
        "rankings": model is not None and not model.pairs, "prob": prob, "players": len(table),
        "option": {key: fit.attrs.get(key) for key in names},
        "hypotheses": fit.sizes.get("hypothesis", 0), "versions": versions_of({}),
        "converged": True, "unconverged": [],
        "warnings": json.loads(fit.attrs.get("warnings", "[]")),
        "rows": _rows(table, "player", name), "columns": columns_of(table, name),
        "win": numbers(win),
    }  # fmt: skip


def _rows(table: pd.DataFrame, who: str, name: Mapping[str, str]) -> list[Any]:
    return table.assign(**{who: table[who].astype(str).map(name)}).to_dict("records")


def numbers(scalars: xr.Dataset) -> Facts:
    """Return the numbers of a Dataset of scalars, as Python's own."""
    return {str(name): value.item() for name, value in scalars.data_vars.items()}
