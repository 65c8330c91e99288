"""Fit a model to a leaderboard: from data to a posterior."""

import json
import sys
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from inspect import signature
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes import _arguments
from leaderbayes._arguments import is_flag, is_hashable, one_of, whole, wrong
from leaderbayes._errors import LeaderbayesError, LeaderbayesWarning
from leaderbayes._fits.posterior import Posterior
from leaderbayes._inference.check_of_fit import checked
from leaderbayes._inference.groups import groups_of
from leaderbayes._inference.metropolis import draw_metropolis
from leaderbayes._inference.nuts import add_prior, draw_nuts, predictive
from leaderbayes._numerics.diagnostics import diagnose, lacking, warn_of
from leaderbayes._numerics.workers import one_thread
from leaderbayes._scores.matches import Ties, check_ties
from leaderbayes._scores.tables import suggest
from leaderbayes.models._model import Model
from leaderbayes.models._registry import FITTED, data_of, first_of
from leaderbayes.models._scores import judged
from leaderbayes.models._weight import weighed

Sampler = Literal["auto", "metropolis", "nutpie", "pymc"]
SAMPLERS: tuple[Sampler, ...] = get_args(Sampler)
_PACKAGES = ("leaderbayes", "pymc", "arviz", "nutpie", "numpy", "xarray")
_REPLICATES = 400
_MOST = 1_000_000  # draws, chains and replicates


def fit(
    data: xr.DataArray | xr.Dataset,
    model: str = "auto",
    *,
    within_round: bool = True,
    ties: Ties = "half",
    weight: float | Literal["composite"] | None = None,
    round_weight: str | Mapping[Any, Any] | pd.Series | None = None,
    judge: xr.DataArray | None = None,
    test_fraction: float | None = None,
    prior_scale: float | None = None,
    cluster: str | Sequence[str] | None = None,
    order_effect: bool | None = None,
    covariates: Sequence[str] | None = None,
    options: Mapping[str, Any] | None = None,
    sampler: str = "auto",
    draws: int = 1000,
    chains: int = 4,
    seed: int | None = None,
    prior: bool = False,
    replicates: int = _REPLICATES,
    progressbar: bool = True,
) -> xr.DataTree:
    """Fit a model and return its posterior.

    Parameters
    ----------
    data : DataArray (player, round[, tournament]) or Dataset (vote)
        Scores from `leaderbayes.read_scores`, or votes from `leaderbayes.read_votes`.
    model : str
        Name of a function of `leaderbayes.models`. "auto" is "mean_score" for right-or-wrong
        answers and "bradley_terry" otherwise, or their versions for several tournaments.
    within_round, ties
        As for `leaderbayes.matches`: which scores are compared, and the rule for ties.
    weight : "composite" or float, optional
        Power of the likelihood of each round; by default that of the model.
    round_weight : mapping or str, optional
        Weights, or categories that count equally, by round; or the name of such a coordinate
        (round,). By default all rounds count equally.
    judge : DataArray (player, round), optional
        For mean scores: a model-judge's scores of all rounds; ``data`` are human ones of some.
    test_fraction : float, optional
        Share of the data that each round tests on, if rounds are folds or other splits of one data
        set. Results then generalise to new data sets of this size.
    prior_scale : float, optional
        Scale of the prior on differences between players; by default that of the model.
    cluster : str or sequence of str, optional
        For votes: "judge", "prompt", both, or "none". For items in clusters: results for items of
        the "same" clusters (default below 20), of "new" ones, or "none".
    order_effect : bool, optional
        For votes: estimate the advantage of being shown first.
    covariates : sequence of str, optional
        For votes: names of covariates to include; by default all.
    options : mapping, optional
        Further options of the model, such as ``{"prior_df": 4}``; of mean scores ``{"of":
        "share"}`` and ``{"statistic": "median"}``.
    sampler : {"auto", "metropolis", "nutpie", "pymc"}
        "metropolis" is the fast engine, the last two are NUTS. "auto" tries the fast one first.
    draws, chains : int
        Draws kept per chain, and number of chains.
    seed : int, optional
        Random seed; the same seed, versions and machine give the same numbers. None draws one.
    prior : bool
        Also sample the groups ``prior`` and ``prior_predictive``.
    replicates : int
        Number of replicated data sets in ``posterior_predictive``.
    progressbar : bool
        Show the progress of NUTS, and which model "auto" took.

    Returns
    -------
    DataTree
        ArviZ groups; ``posterior`` has ``epp`` (player), log-odds, or ``score`` (player), in the
        metric's unit. attrs: ``model``, ``arguments`` and ``versions`` (JSON), ``seed``,
        ``sampler``, ``converged`` (0 or 1), ``max_rhat``, ``min_ess``, ``divergences``;
        ``p_check``, ``deviance_ratio`` and ``misfit`` (see `check`); ``warnings`` (JSON list).

    Warns
    -----
    LeaderbayesWarning
        If chains did not converge, or other data, options or models are needed (docs/warnings.md).

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, section 3.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "iris"), test_fraction=0.2, seed=1)
    >>> dict(dt.posterior["epp"].sizes)
    {'chain': 4, 'draw': 1000, 'player': 15}
    """
    sampler = "metropolis" if sampler == "laplace" else sampler  # its name before 0.2
    one_of("sampler", sampler, *SAMPLERS)
    for name, flag in (("within_round", within_round), ("prior", prior)):
        if not is_flag(flag):
            raise wrong(name, flag, "True or False")
    draws, chains, replicates = (
        whole(name, value, at_most=_MOST)
        for name, value in (("draws", draws), ("chains", chains), ("replicates", replicates))
    )
    seed = _arguments.seed_or_new(seed)
    check_ties(ties)
    if not isinstance(options, Mapping | None):
        raise wrong("options", options, "a mapping of options to values")
    asked = {
        "weight": weight, "test_fraction": test_fraction, "prior_scale": prior_scale,
        "cluster": cluster, "order_effect": order_effect, "covariates": covariates,
        "ties": ties,
    }  # fmt: skip
    if judge is not None:
        data = judged(data, judge)
    if round_weight is None and "round_weight" in getattr(data, "coords", ()):
        round_weight = "round_weight"  # as the reader has them
    if round_weight is not None:
        data = weighed(data, round_weight)
    given = data_of(data).valid()
    chosen = model_for(given.values, model)
    given = given.adapted(chosen, asked)
    with warnings.catch_warnings(record=True) as caught, one_thread():
        warnings.simplefilter("always", LeaderbayesWarning)
        known = _options(chosen, asked, options or {})
        played = given.prepared(chosen, known, within_round=within_round, ties=ties)
        tree, found = _draw(
            chosen, played, known,
            sampler=sampler, draws=draws, chains=chains, seed=seed, prior=prior,
            replicates=replicates, progressbar=progressbar,
        )  # fmt: skip
        _describe(tree, data)
        warn_of(found, draws)
        tree.attrs = {
            "model": chosen.name,
            "arguments": written(
                {"within_round": within_round, "ties": ties, "draws": draws, "chains": chains}
                | {"sampler": sampler, "replicates": replicates, **known}
            ),
            "versions": versions(),
            "seed": seed,
            **found,
        }
        tree.attrs |= checked(Posterior(tree), seed)
    tree.attrs["warnings"] = repeated(caught)
    if model == "auto" and progressbar:
        say_model(Posterior(tree))
    return tree


def say_model(post: Posterior) -> None:
    """Print which model was taken by itself, and why."""
    more = ", independent because no judge is known" * (post.constant.sizes.get("clustering") == 0)
    said = f"model: {post.model.name} ({post.kind.said}{more}); others: leaderbayes models"
    print(said, file=sys.stderr)


def model_for(data: Any, name: str) -> Model:
    """Find the model by its name, or choose one for these data."""
    given = data_of(data)
    if name == "auto":
        found = first_of(given.parameter, several=given.several)
    elif is_hashable(name) and name in FITTED:
        found = FITTED[name]
    else:
        raise LeaderbayesError(f"model={name!r} is unknown: {suggest(name, FITTED)}")
    if not {*given.fits} & {*found.data}:
        takes = ", ".join(m.name for m in FITTED.values() if {*given.fits} & {*m.data})
        raise LeaderbayesError(f"model={found.name!r} is not for votes; choose from {takes}.")
    return found


def _options(model: Model, given: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Collect the given options; or raise, naming those that the model has."""
    own = _keywords(model.draw or model.build)
    chosen = {name: value for name, value in given.items() if value is not None}
    if twice := sorted(chosen.keys() & more.keys()):
        raise LeaderbayesError(f"{twice[0]} is given twice: by {twice[0]}= and in options.")
    chosen |= more
    if alien := [name for name in chosen if name not in own]:
        none = f"{model.name} has no option {' or '.join(map(repr, alien))}"
        raise LeaderbayesError(f"{none}: {suggest(alien[0], own)}")
    return chosen


def _draw(
    model: Model, data: Any, options: dict[str, Any], *, sampler: str, draws: int, chains: int,
    seed: int, prior: bool, replicates: int, progressbar: bool,
) -> tuple[xr.DataTree, dict[str, Any]]:  # fmt: skip
    """Draw all groups with the chosen sampler, and diagnose."""
    streams = np.random.SeedSequence(seed).spawn(3)
    failed = ""
    if sampler in ("auto", "metropolis"):
        if model.draw is not None:
            step = -(-chains * draws // replicates)
            groups = model.draw(data, draws=draws, chains=chains, seed=seed, step=step, **options)
            tree = xr.DataTree.from_dict(groups)
            if prior and "posterior_predictive" not in groups:
                raise LeaderbayesError(
                    "prior=True is for means of rounds, not for items, medians or interquartile "
                    "means, whose rounds are not simulated: omit it."
                )
            if prior:
                add_prior(model.build(data, **_of_pymc(model, options)), tree, draws, seed)
            drawn = {str(k): v.to_numpy() for k, v in groups["posterior"].data_vars.items()}
            found = diagnose(drawn)
            # Draws are independent, but for those that depend on scores filled in.
            if "posterior_predictive" in groups and bool(data.isnull().any()):
                return tree, found | {"sampler": "imputation"}
            return tree, found | {"sampler": "exact", "converged": 1}
        if model.problem is not None:
            problem = model.problem(data, **options)
            rng = np.random.default_rng(streams[0])
            drawn, stats, found = draw_metropolis(problem, chains, draws, rng)
            if found["converged"] or sampler == "metropolis":
                more = np.random.default_rng(streams[1])
                tree = groups_of(problem, drawn, stats, more, replicates=replicates, prior=prior)
                return tree, found
            failed = lacking(found)
        elif sampler == "metropolis":
            raise LeaderbayesError(f"model={model.name!r} is sampled by PyMC: use sampler='auto'.")
    built = model.build(data, **_of_pymc(model, options))
    stream = int(streams[2].generate_state(1)[0])
    nuts = "nutpie" if sampler == "auto" else sampler
    tree, found = draw_nuts(built, nuts, chains, draws, stream, progressbar=progressbar)
    composite = bool((tree["constant_data"].dataset.get("weight", xr.DataArray(1.0)) != 1.0).any())
    predictive(built, tree, replicates, stream, likelihood=not composite)
    if prior:
        add_prior(built, tree, draws, stream)
    return tree, found | ({"why_nuts": failed} if failed else {})


def _keywords(function: Any) -> list[str]:
    """Return the names of the options of a function."""
    of_draws = ("draws", "chains", "seed", "step")
    found = signature(function).parameters.items()
    return [name for name, p in found if p.kind is p.KEYWORD_ONLY and name not in of_draws]


def _of_pymc(model: Model, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of the pm.Model; raise if it lacks one."""
    if alien := options.keys() - _keywords(model.build):
        raise LeaderbayesError(
            f"{' and '.join(sorted(alien))}: the PyMC model of {model.name} does not support "
            "this; use sampler='auto', without prior=True."
        )
    return options


def _describe(tree: xr.DataTree, data: Any) -> None:
    """Store the metric of the scores and its direction."""
    if "scores" in tree["constant_data"]:
        known = {k: v for k, v in data.attrs.items() if isinstance(v, str | int | float)}
        tree["constant_data"]["scores"].attrs.update(known)


@cache
def versions() -> str:
    """Return the versions of the packages that a fit depends on."""
    return json.dumps({package: version(package) for package in _PACKAGES})


def written(arguments: dict[str, Any]) -> str:
    """Write arguments as JSON with sorted keys."""
    return json.dumps(arguments, default=_plain, sort_keys=True)


def _plain(value: Any) -> Any:
    """Convert NumPy numbers, arrays and mappings for JSON."""
    if isinstance(value, Mapping):
        return dict(value)
    return value.tolist() if hasattr(value, "tolist") else list(value)


def repeated(caught: list[warnings.WarningMessage]) -> str:
    """Repeat warnings at the user's line, and return the texts of ours."""
    for warning in caught:
        warnings.warn(warning.message, warning.category, stacklevel=3)
    own = [str(w.message) for w in caught if issubclass(w.category, LeaderbayesWarning)]
    return json.dumps(list(dict.fromkeys(own)))
