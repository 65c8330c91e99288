"""Fit a model to a board: from scores to a posterior."""

import inspect
import json
import warnings
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import cache
from importlib.metadata import version
from typing import Any, Literal, get_args

import pandas as pd
import xarray as xr

from leaderbayes import _arguments, models
from leaderbayes._arguments import is_flag, is_hashable, share, whole, wrong
from leaderbayes._errors import LeaderbayesError, LeaderbayesWarning
from leaderbayes._fits.kinds import OF_SCORES, OF_SEVERAL, WITHOUT_PYMC
from leaderbayes._inference.bradley_terry import draw_exactly
from leaderbayes._inference.diagnostics import diagnose, repeat, warn
from leaderbayes._inference.discrepancy import p_check
from leaderbayes._inference.nuts import sample
from leaderbayes._inference.rankings import draw_davidson_of_scores, draw_plackett_luce
from leaderbayes._inference.replicates import step_of
from leaderbayes._inference.round_intercept import draw_round_intercept
from leaderbayes._inference.tournaments import draw_tournaments
from leaderbayes._inference.vote_tournaments import draw_vote_tournaments
from leaderbayes._inference.votes import draw_davidson, draw_intercept, draw_votes
from leaderbayes._scores.hints import hint
from leaderbayes._scores.matches import (
    TIES,
    Ties,
    check_ties,
    matches,
    one_tournament,
    valid_scores,
)
from leaderbayes._scores.vote_matches import is_votes
from leaderbayes.models import _mean_score, _score_tournaments
from leaderbayes.models._scores import likelihood_of, prior_of, taken_of
from leaderbayes.models._weight import degrees_of_freedom

Sampler = Literal["auto", "laplace", "nutpie", "pymc", "numpyro", "blackjax"]
SAMPLERS: tuple[Sampler, ...] = get_args(Sampler)
_PACKAGES = ("leaderbayes", "pymc", "arviz", "nutpie", "numpy", "xarray")
_DRAWS = dict[str, Callable[..., tuple[xr.DataTree, dict[str, Any]]]]
OF_VOTES: _DRAWS = {
    "bradley_terry": draw_votes,
    "davidson": draw_davidson,
    "round_intercept": draw_intercept,
    "tournaments": draw_vote_tournaments,
}


def draw_mean_score(
    scores: xr.DataArray,
    sampling: dict[str, Any],
    seed: int,
    prior: bool = False,
    _: bool = False,
    *,
    test_fraction: float | None = None,
    prior_scale: float = 1.0,
    likelihood: str = "auto",
    of: str = "raw",
    statistic: str = "mean",
) -> tuple[xr.DataTree, dict[str, Any]]:
    """Draw the groups of mean scores, and diagnose."""
    options: dict[str, Any] = {"test_fraction": test_fraction, "prior_scale": prior_scale}
    if prior and (likelihood == "dirichlet" or prior_of(prior_scale) is None):
        raise LeaderbayesError(
            "prior=True is for likelihood='normal' and a finite prior_scale: else there is no "
            "prior that could be drawn from."
        )
    chosen = {"likelihood": likelihood, "of": of, "statistic": statistic}
    return _drawn_by(_mean_score, scores, sampling, seed, prior, options, chosen)


def draw_score_tournaments(
    scores: xr.DataArray,
    sampling: dict[str, Any],
    seed: int,
    prior: bool = False,
    _: bool = False,
    *,
    test_fraction: float | None = None,
    prior_scale: float = 1.0,
) -> tuple[xr.DataTree, dict[str, Any]]:
    """Draw the groups of mean scores over tournaments, and diagnose."""
    options: dict[str, Any] = {"test_fraction": test_fraction, "prior_scale": prior_scale}
    return _drawn_by(_score_tournaments, scores, sampling, seed, prior, options, {})


def _drawn_by(
    module: Any, scores: xr.DataArray, sampling: dict[str, Any], seed: int, prior: bool,
    options: dict[str, Any], chosen: dict[str, Any],
) -> tuple[xr.DataTree, dict[str, Any]]:  # fmt: skip
    """Draw the groups of a model of scores."""
    shape = sampling["chains"], sampling["draws"]
    step = step_of(shape, scores.size, sampling["replicates"])
    groups = module.draw(
        scores, draws=shape[1], chains=shape[0], seed=seed, step=step, **options, **chosen
    )
    tree = xr.DataTree.from_dict(groups)
    if prior:
        import pymc as pm

        name = module.__name__.rpartition("._")[2]
        with getattr(models, name)(scores, **options):
            found = pm.sample_prior_predictive(
                shape[1], random_seed=seed, compile_kwargs={"mode": "FAST_COMPILE"}
            )
        tree.update({name: found[name] for name in ("prior", "prior_predictive")})
    found = diagnose(groups["posterior"])
    if "posterior_predictive" in groups and bool(scores.isnull().any()):
        warn(found, shape[1])
        return tree, found | {"sampler": "imputation"}
    return tree, found | {"converged": 1, "sampler": "exact"}


# Drawn without PyMC, with the options of their models.
_OWN_DRAWS: _DRAWS = {
    "bradley_terry": draw_exactly,
    "davidson": draw_davidson_of_scores,
    "plackett_luce": draw_plackett_luce,
    "round_intercept": draw_round_intercept,
    "tournaments": draw_tournaments,
    "mean_score": draw_mean_score,
    "score_tournaments": draw_score_tournaments,
}
MODELS = tuple(_OWN_DRAWS)


def fit(
    scores: xr.DataArray | xr.Dataset,
    model: str = "bradley_terry",
    *,
    within_round: bool = True,
    ties: Ties = "half",
    draws: int = 1000,
    tune: int | None = None,
    target_accept: float | None = None,
    chains: int = 4,
    seed: int | None = None,
    sampler: Sampler = "auto",
    prior: bool = False,
    replicates: int | None = None,
    progressbar: bool = True,
    **options: Any,
) -> xr.DataTree:
    """Sample the posterior of a leaderboard.

    Parameters
    ----------
    scores : DataArray (player, round) or (tournament, player, round)
        Scores from `leaderbayes.read_scores`; several tournaments for the models
        "tournaments" and "score_tournaments" only. Or votes, a Dataset (vote) from
        `leaderbayes.read_votes`, for "bradley_terry", "davidson" (a parameter for ties) and
        "round_intercept" (an advantage of whoever is shown first, that judges differ in); those of
        several tournaments (the coordinate ``tournament`` (vote,): languages, categories, each
        vote in one of them) for "tournaments".
    model : str
        Name of a function of `leaderbayes.models`: "bradley_terry", "davidson", "plackett_luce",
        "round_intercept" or "tournaments", of who beat whom; or "mean_score", of how much better,
        in the metric's own unit, and "score_tournaments", the same over several data sets.
    within_round, ties
        As for `leaderbayes.matches`.
    draws, tune, chains : int
        Draws kept and tuning steps per chain, number of chains. A tune of None is 1000, and once
        more 3000 with shorter steps where chains of 2000 draws or more did not converge.
    target_accept : float, optional
        Of NUTS: nearer to 1 steps are shorter, and diverge less. None: 0.97 of boards with up to
        150 parameters, else 0.9.
    seed : int, optional
        Same seed, versions and machine: same numbers. None draws one and records it.
    sampler : {"auto", "laplace", "nutpie", "pymc", "numpyro", "blackjax"}
        "laplace", for votes and all models of matches: exact and at once, by chains of an
        independence Metropolis sampler that proposes draws of a Laplace approximation (of
        "bradley_terry" a nested one, of two players those of a table; of the others one of all
        parameters, and of "davidson", "plackett_luce" and "round_intercept" a nested one where that
        does not do; of "round_intercept" of all but the rounds' intercepts, which are drawn given
        these; of "tournaments" "auto" tries it with up to 200 parameters).
        "auto" takes it where it converges, and "nutpie" elsewhere and for all other models; the
        attribute ``sampler`` says which, and ``why_nuts`` why not. The others are implementations
        of NUTS, by PyMC's names: "nutpie" samples functions that are compiled once on a machine,
        "pymc", "numpyro" and "blackjax" the model in PyMC (`leaderbayes.models`).
    prior : bool
        Also draw the groups ``prior`` and ``prior_predictive``, ``draws`` in one chain.
    replicates : int, optional
        Draws, spread evenly, that get a board in ``posterior_predictive``. By default all, or as
        many as take 40 MB.
    progressbar : bool
        Show progress, in terminals and notebooks; and say, in one line on standard error, why NUTS
        begins where "laplace" was tried.
    **options
        Options of the model's function, such as ``weight``, ``test_fraction`` or ``prior_scale``;
        of "mean_score" also ``likelihood``: "dirichlet" takes rounds for items of unknown law,
        whose scores are right or wrong or otherwise between two ends, in clusters where scores have
        the coordinate ``cluster`` (round,), "normal" (`models.mean_score`) for others, and "auto",
        the default, chooses by the scores; the attribute ``arguments`` says which. Then ``of``,
        for rounds of unequal scale, says what of a round's scores the mean is of: "raw";
        "standardised", in standard deviations of the round's scores from their mean; "distance"
        from the round's best (0) to its worst (1), of which less is better; "share", over the
        round's best (of losses the best over it; 1 less it is the "optimality gap"). And
        ``statistic``: the "mean" over rounds, their "median", or the mean of the middle half,
        "iqm", which a few odd rounds do not move; these take rounds for a sample of unknown law.
        All but the mean of raw scores need every score. Of items missing answers are filled in by
        least squares on player and item in each draw: that an answer is missing must say nothing of
        it beside player and item.
        Of votes: ``cluster``, what makes them go together, "auto" (judges and prompts where votes
        have them), "none", "judge", "prompt" or a list; ``order_effect``, True for an advantage of
        whoever is shown first; ``covariates``, names of those of the votes that count (None: all);
        ``prior_scale``, ``prior_df``; ``matched``, True where who met whom may itself say who is
        strong (pairs matched by rating, ladders, Swiss rounds), so that how much strengths vary
        along the ways between players is learnt (``matching``, from 0, exchangeable, to 2), False
        where not, and None by the design; "davidson" also ``tie_scale``, "round_intercept" also
        ``intercept_scale``, and no covariates, "tournaments" ``spread_scale`` in place of
        ``prior_df`` and ``matched``: effects are the same in all tournaments, and what judges, or
        prompts, of several tournaments say alike in these (``shared_variance``) is one error of
        all. Then ``epp`` is about votes of judges, and on
        prompts, like these, over whose opinions it is an average.
        With ``test_fraction``, for folds, the answer is about rounds of fresh data sets of this
        size from the same population: not about further splits of this one, other populations or
        other sizes. ``epp`` is about rounds with a test set of this size: larger ones, larger epp.

    Returns
    -------
    DataTree
        Groups ``posterior`` (``epp`` (chain, draw, player), ``epp_scale``, and what the model
        adds, of PyMC's models with what is sampled for it, such as ``epp_unit``),
        ``sample_stats`` (``diverging``; of NUTS its statistics, of "laplace"
        ``acceptance_rate``), ``posterior_predictive`` (``place`` (chain, draw, round,
        player), whole rankings), ``log_likelihood`` (``place`` (chain, draw, round), weighted, and
        ``use_lb_loo``, zeros, at which ``az.loo`` stops: `loo` answers; of votes
        ``votes_have_no_loo``; of "bradley_terry" by "laplace" both are computed when they are
        read, the same each time), ``log_prior`` (of what
        options set the prior of: ``epp_scale``, and what the model adds), ``observed_data``
        (``place``), ``constant_data`` (``scores``, ``weight``). Of many tournaments the rounds
        stand along ``tournament_round``; "round_intercept" has ``outcome`` (round, pair) in place
        of ``place``. Of "mean_score" there are ``score`` (chain, draw, player), in the metric's
        unit, ``noise``, and ``round_score`` in place of ``place``, and no ``weight``; of a flat
        prior (``prior_scale=inf``) only ``score``; of items, of another ``of`` than "raw" and
        ``statistic`` than "mean" that and ``score_scale``, the scale of the players (of items of
        their log-odds), and ``constant_data/scores`` are what ``of`` makes of scores. Of
        "score_tournaments" also ``score_tournament`` (chain, draw, tournament, player),
        ``score_spread`` and what its model adds, with ``tournament_round`` for rounds. Of votes
        ``effect_size`` (chain, draw, effect), of the order in log-odds and of covariates by their
        standard deviation, of "davidson" ``tie``, nu, of "round_intercept" ``intercept_scale``, the
        standard deviation of judges' advantages of the first; ``wins`` (player, opponent) in place
        of ``place``, with replicates'
        ``misfit`` (chain, draw), and ``constant_data`` has the votes that count, ``n`` and
        ``worth`` of a pair's votes, ``effective`` matches, and ``opinion_variance`` (clustering),
        that of judges' and prompts' opinions of a player, log-odds squared; of several tournaments
        all tables of pairs begin with these, ``epp`` is the mean over tournaments and
        ``epp_tournament`` (chain, draw, tournament, player) and ``epp_spread`` are as of scores,
        and ``vote_tournament`` (vote,) says where a vote was. attrs:
        ``model``, ``arguments`` and ``versions`` (JSON), ``seed``, ``weight`` (mean over rounds),
        ``sampler`` (that drew: "laplace", "exact", "gibbs", or one of NUTS), ``why_nuts`` (where
        "auto" tried "laplace", and NUTS drew: which limit was not kept), ``converged`` (0 or 1),
        ``max_rhat``, ``min_ess``, ``divergences``, ``tune`` (of NUTS: steps taken), ``pareto_k``
        (of "laplace": of its proposals' weights), ``p_check`` (``p_round`` of `check`; NaN of fewer
        than 50 replicates, more than 1000 players or mean scores), ``warnings`` (JSON list).

    Raises
    ------
    LeaderbayesError
        If an argument is unknown or the scores cannot be compared.

    Warns
    -----
    ConvergenceWarning
        LB001, if R-hat is not below 1.01, an effective sample size not above 400, a transition
        diverged, or with sampler="laplace" Pareto k is not below 0.7.
    MisfitWarning
        If ``p_check`` is below 0.05: the model does not describe the board.
    HintWarning
        Of votes LB044, if judges or prompts are few, LB045, if whoever is shown first is favoured,
        by all judges or by some, and LB049, if strengths move over time. LB017, if rounds look like
        folds and no ``test_fraction`` is given; LB018, if a tenth of the matches or more are tied
        and the model has no parameter for ties; LB019, if there is one score a player; LB025, if
        scores of "mean_score" have two values only and are taken for normal; LB026, if they have
        and the model is another; LB027, if rounds have clusters and it is; LB028, if items are few;
        LB053, if scores of "mean_score" are missing where rounds are hard.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, section 3.
    Rue, Martino, Chopin (2009), Approximate Bayesian inference for latent Gaussian models by using
    integrated nested Laplace approximations, JRSS B 71 ("laplace").

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers", "iris")
    >>> dt = lb.fit(scores, sampler="laplace", seed=1)
    >>> dict(dt.posterior["epp"].sizes)
    {'chain': 4, 'draw': 1000, 'player': 15}
    >>> dt = lb.fit(scores, "davidson", seed=1)  # doctest: +SKIP
    """
    if not is_hashable(model) or model not in MODELS:
        raise LeaderbayesError(f"model={model!r} is not known; choose one of {', '.join(MODELS)}.")
    if not is_hashable(sampler) or sampler not in SAMPLERS:
        raise LeaderbayesError(
            f"sampler={sampler!r} is not known; choose one of {', '.join(SAMPLERS)} (all but "
            "laplace are NUTS)."
        )
    for name, flag in (("within_round", within_round), ("prior", prior)):
        if not is_flag(flag):
            raise wrong(name, flag, "True or False")
    draws, chains = whole("draws", draws), whole("chains", chains)
    if tune is not None:
        tune = whole("tune", tune, at_least=0)
    if target_accept is not None:
        target_accept = share("target_accept", target_accept)
    seed = _arguments.seed_or_new(seed)
    if replicates is not None:
        replicates = whole("replicates", replicates)
    of_votes = is_votes(scores)
    check_ties(ties, ("half", "drop") if of_votes else TIES, "votes" if of_votes else "")
    if sampler == "laplace" and model in OF_SCORES and not is_votes(scores):
        raise LeaderbayesError(
            f"sampler='laplace' is for models of matches, and model={model!r} is of scores: take "
            "'auto'."
        )
    if is_votes(scores):
        _check_tournaments(scores, model)
    if of_votes and (model not in OF_VOTES or sampler not in WITHOUT_PYMC or not within_round):
        raise LeaderbayesError(
            f"Votes take model={' or '.join(map(repr, OF_VOTES))}, sampler='auto', 'laplace' or "
            "'nutpie', and have no rounds."
        )
    of_scores = model in OF_SCORES
    if of_scores and not within_round:
        raise LeaderbayesError(
            f"{model} compares within rounds; within_round=False has no meaning."
        )
    arguments = {
        "within_round": within_round, "ties": ties, "draws": draws, "tune": tune,
        "target_accept": target_accept, "chains": chains, "sampler": sampler,
        "replicates": replicates, **_model_options(model, options, of_votes=of_votes),
    }  # fmt: skip
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LeaderbayesWarning)
        if is_votes(scores):
            # Known of these players only; whoever goes on with the fit reads it.
            if arguments.get("prior_df", ...) is None:
                players = matches(scores, ties=ties).sizes["player"]
                arguments["prior_df"] = degrees_of_freedom(None, players)
            draw = OF_VOTES[model]
            tree, found = draw(scores, arguments, seed, prior, progressbar, **options)
            if "matched" in arguments:
                arguments["matched"] = "matching" in tree["posterior"].dataset
            board = None
        else:
            tree, found, board = _draw_scores(
                scores, model, arguments, seed, prior, options, progressbar=progressbar
            )
        tree.attrs = {
            "model": model,
            "arguments": written(arguments),
            "versions": _versions(),
            "seed": seed,
            **found,
            "warnings": "[]",
        }
        # What is replicated are matches.
        tree.attrs["p_check"] = float("nan") if of_scores else p_check(tree, board)
    tree.attrs["warnings"] = json.dumps(repeat(caught))
    return tree


@cache
def _versions() -> str:
    """Write the versions of what a fit depends on, which are read from files."""
    return json.dumps({package: version(package) for package in _PACKAGES})


def _check_tournaments(votes: xr.Dataset, model: str) -> None:
    """Raise unless the model is one of as many tournaments as the votes have."""
    several = "tournament" in votes.coords and len(pd.unique(votes["tournament"].to_numpy())) > 1
    if several and model not in OF_SEVERAL:
        raise LeaderbayesError(
            "These votes are of several tournaments: take model='tournaments', or fit each by "
            "itself, leaderbayes.study.fit(votes, store='study'). To take all together leave the "
            "coordinate out: votes.drop_vars('tournament')."
        )
    if model in OF_SEVERAL and not several:
        raise LeaderbayesError(
            f"model={model!r} is of several tournaments, and these votes are of one: name the "
            "column that tells them apart when they are read, "
            "read_votes(..., tournament='language') or --tournament, or take model='bradley_terry'."
        )


def _draw_scores(
    scores: Any,
    model: str,
    arguments: dict[str, Any],
    seed: int,
    prior: bool,
    options: dict[str, Any],
    *,
    progressbar: bool,
) -> tuple[xr.DataTree, dict[str, Any], xr.Dataset | None]:
    """Draw the groups of a fit of scores, what was found of them, and its matches.

    ``arguments`` get what was chosen by the scores. There are no matches of several tournaments, or
    where pairs are not counted.
    """
    of_scores = model in OF_SCORES
    board = valid_scores(scores) if model in OF_SEVERAL else one_tournament(scores)
    if model == "mean_score":
        board = taken_of(board, arguments["of"])
    # Without tables of all pairs boards of very many players fit.
    pairs = model != "plackett_luce" and not of_scores
    rules = {name: arguments[name] for name in ("within_round", "ties")}
    played = matches(board, **rules, pairs=pairs)
    if model == "mean_score":
        options["likelihood"] = arguments["likelihood"] = likelihood_of(
            board, *(arguments[name] for name in ("likelihood", "test_fraction", "statistic"))
        )
    hint(played, model, arguments, board)
    if arguments.get("prior_df", ...) is None:
        # Known of these players only; whoever goes on with the fit reads it.
        arguments["prior_df"] = degrees_of_freedom(None, played.sizes["player"])
    data = board if of_scores else played
    if arguments["sampler"] in WITHOUT_PYMC:
        draw = _OWN_DRAWS[model]
        tree, found = draw(data, arguments, seed, prior, progressbar, **options)
    else:
        if model == "mean_score":
            _check_modelled(arguments, arguments["sampler"])
            for name in ("likelihood", "of", "statistic"):
                options.pop(name, None)
        built = getattr(models, model)(data, **options)
        tree, found = sample(built, arguments, seed, prior=prior, progressbar=progressbar)
    # netCDF has no bool, None or dict: the reader's attrs are numbers and strings already.
    known = tree["constant_data"].to_dataset() if "constant_data" in tree else xr.Dataset()
    tree["constant_data"] = xr.DataTree(known.assign(scores=board))
    if "weight" in known:
        found |= {"weight": float(known["weight"].mean())}
    return tree, found, played if pairs and model not in OF_SEVERAL else None


def _check_modelled(arguments: dict[str, Any], sampler: str) -> None:
    """Raise where mean scores are drawn without a model that a sampler of PyMC could sample."""
    modelled = {"likelihood": "normal", "of": "raw", "statistic": "mean"}
    for name, value in modelled.items():
        if arguments[name] != value:
            raise LeaderbayesError(
                f"{name}={arguments[name]!r} is drawn without NUTS: take sampler='auto' instead "
                f"of {sampler!r}."
            )


def written(arguments: dict[str, Any]) -> str:
    """Write arguments as JSON, the same whatever their order."""
    return json.dumps(arguments, default=_plain, sort_keys=True)


def _plain(value: Any) -> Any:
    """Make plain what JSON does not know: NumPy's numbers and arrays, mappings."""
    if isinstance(value, Mapping):
        return dict(value)
    return value.tolist() if hasattr(value, "tolist") else list(value)


def _model_options(model: str, given: dict[str, Any], *, of_votes: bool) -> dict[str, Any]:
    """Give all options of a model: its defaults, and what is given instead."""
    draw = (OF_VOTES if of_votes else _OWN_DRAWS)[model]
    defaults: dict[str, Any] = inspect.getfullargspec(draw).kwonlydefaults or {}
    for name in given:
        if name not in defaults:
            near = get_close_matches(name, defaults, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]}? " if near else ""
            raise LeaderbayesError(
                f"{model} has no option {name!r}; {hint}There are {', '.join(defaults)}."
            )
    return defaults | given
