"""Leave-one-round-out predictive accuracy for models of matches."""

import warnings
from dataclasses import replace
from functools import singledispatch
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import softmax

from leaderbayes._answers.refit import refit
from leaderbayes._errors import LeaderbayesError, warn
from leaderbayes._fits.matches import boards_of
from leaderbayes._fits.posterior import Posterior, Strengths, StrengthsOfVotes
from leaderbayes._numerics.bradley_terry import expit_mean
from leaderbayes._types import Floats, Ints

_FEWEST = 25  # draws, of whose weights a tail can be fitted
_DRAWS = 1000  # of the posterior, for each match's probability
_FAR = 300.0  # log-odds from the average, where exponentials still multiply


def loo(dt: xr.DataTree, *, refit: bool = False) -> Any:
    r"""Estimate how well a posterior predicts a round that was left out.

    ``az.loo`` would compare the probabilities of different events: a whole ranking under
    Plackett-Luce, weighted matches under Bradley-Terry. Here models of matches are scored on the
    same, each match of a round, by

    .. math:: y_{ij} \log p_{ij} + (1 - y_{ij}) \log (1 - p_{ij}),

    y a win (1), tie (1/2) or loss (0), and p the mean of P(i beats j | no tie) over the posterior
    given all other rounds; a round's score is the sum over its matches. The posterior without a
    round is reached by Pareto-smoothed importance sampling with the model's own likelihood. Scores
    and theta are scored by their density: compare them with each other only.

    Parameters
    ----------
    dt : DataTree
        Posterior from `fit` or ``pm.sample``, within rounds; of scores from `fit`.
    refit : bool
        Fit again without each round whose Pareto k is too high, instead of a warning.

    Returns
    -------
    arviz_stats.ELPDData
        Pointwise by round, in nats; ``az.compare({"a": loo(a), "b": loo(b)})`` takes it. Fits must
        be of the same scores.

    Raises
    ------
    LeaderbayesError
        If a round cannot be left out: of votes, across rounds, or the only one of a player.

    Warns
    -----
    LeaderbayesWarning
        LB013, if Pareto k is too high for a round and ``refit`` is False.

    References
    ----------
    Vehtari, Gelman, Gabry (2017), Practical Bayesian model evaluation using leave-one-out
    cross-validation and WAIC, Statistics and Computing 27.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers", "breast_cancer")
    >>> elpd = lb.loo(lb.fit(scores, seed=1))
    >>> int(elpd.n_data_points), round(float(elpd.elpd), -1)
    (25, -820.0)
    """
    post = Posterior(dt)
    if not post.option("within_round", 1):
        raise LeaderbayesError("Matches across rounds have no single round to leave out.")
    if post.parameter == "score" and (post.several or post.has("noise_spread")):
        raise LeaderbayesError(
            "Of mean scores, loo is for leaderbayes.fit of one tournament: PyMC models take the "
            "correlation of noise as known, from the rounds that are left out, too."
        )
    found = _scored(post, _smoothed(post), refit)
    bad = found.pareto_k[found.pareto_k.to_numpy() > found.good_k]
    if bad.size:
        names = ", ".join(str(r) for r in bad[bad.dims[0]].to_numpy()[:5])
        warn(
            f"LB013 Importance sampling is unreliable for {bad.size} of {found.elpd_i.size} rounds "
            f"({names}), whose scores are optimistic. Use refit=True."
        )
    return found


_scored = singledispatch(lambda post, smoothed, refit: smoothed)  # rounds by their density


@_scored.register
def _scored_by_matches(post: Strengths, smoothed: Any, refit: bool) -> Any:
    dim = smoothed.elpd_i.dims[0]
    weights = smoothed.log_weights.stack(sample=("chain", "draw")).transpose(dim, "sample")
    scores, full = event_scores(post, weights.to_numpy())
    pareto_k = smoothed.pareto_k.copy()
    if refit:
        for k in np.flatnonzero(pareto_k.to_numpy() > smoothed.good_k):
            scores[k] = event_scores(refitted_without(post, int(k)), of=post)[1][k]
            pareto_k[k] = 0.0
    return replace(
        smoothed,
        elpd=float(scores.sum()),
        se=float(np.sqrt(len(scores) * np.var(scores))),
        p=float((full - scores).sum()),
        warning=bool((pareto_k > smoothed.good_k).any()),
        elpd_i=smoothed.elpd_i.copy(data=scores),
        pareto_k=pareto_k,
        p_loo_i=smoothed.elpd_i.copy(data=full - scores),
    )


@singledispatch
def _smoothed(post: Posterior) -> Any:
    """Leave each round out with ArviZ: weights of draws, Pareto k, and scores."""
    import arviz_stats as az

    likelihood = log_likelihood(post.tree)
    posterior = post.tree["posterior"].to_dataset().compute()
    if any(likelihood.sizes[d] != posterior.sizes[d] for d in ("chain", "draw")):
        raise LeaderbayesError(
            f"{post.called} has a log-likelihood that does not belong to its posterior draws."
        )
    if len(post.draws) < _FEWEST:
        raise LeaderbayesError(
            f"{post.called} has fewer than {_FEWEST} draws, too few to leave a round out."
        )
    whole = xr.DataTree.from_dict({"posterior": posterior, "log_likelihood": likelihood})
    with warnings.catch_warnings():
        # Our own message, which says what to do, stands for ArviZ'.
        warnings.simplefilter("ignore", UserWarning)
        try:
            return az.loo(whole, var_name=next(iter(likelihood.data_vars)), pointwise=True)
        except ValueError as problem:  # chains that are stuck
            raise LeaderbayesError(
                f"{post.called} has too few different draws to leave a round out; sample it again."
            ) from problem


@_smoothed.register
def _of_votes(post: StrengthsOfVotes) -> Any:
    raise LeaderbayesError("Votes have no rounds to leave out: use leaderbayes.check.")


def event_scores(
    post: Posterior, log_weights: Floats | None = None, *, of: Posterior | None = None
) -> tuple[Floats, Floats]:
    """Score every round of ``of`` by the draws of ``post``, weighted and equal, (round,) each."""
    out, first = [], 0
    # A refit has the same tournaments and players: `refitted_without` sees to it.
    for (board, _), (own, epp) in zip(boards_of(of or post), boards_of(post), strict=True):
        place = board["place"].sel(player=own["player"]).to_numpy()
        rows = slice(first, first + len(place))
        first = rows.stop
        picked = np.linspace(0, len(epp) - 1, min(_DRAWS, len(epp))).astype(int)
        weight = np.full((1, len(picked)), 1.0 / len(picked))
        if log_weights is not None:
            weight = np.concatenate([softmax(log_weights[rows][:, picked], axis=1), weight])
        level, listed = [], np.arange(place.shape[1])
        if "order" in own:  # the player listed first has an advantage
            level = [post.read(name)[picked] for name in ("intercept", "intercept_scale")]
            listed = np.argsort(own["order"].to_numpy())
        out.append(_round_scores(place[:, listed], epp[picked][:, listed], weight, level))
    weighted, equal = np.concatenate(out, axis=1)
    return weighted, equal


def _round_scores(place: Ints, epp: Floats, weight: Floats, level: list[Floats]) -> Floats:
    """Sum the log scores of mean probabilities in each round, weighted and equal, (2, round).

    ``weight`` (row, sample) has a row for each round's draws of ``epp`` (sample, player), and a
    last one of equal weights; or that alone. ``level`` is PMRA's intercept and its standard
    deviation between rounds, (sample,) each, for whoever stands first; empty of other models.
    """
    out = np.zeros((2, len(place)))
    # Odds against the average: a pair's probability is a division, and no exponential of its own.
    odds = np.exp(np.clip(epp - epp.mean(axis=1, keepdims=True), -_FAR, _FAR))
    # By players, whose draws lie together then.
    epp, odds = np.ascontiguousarray(epp.T), np.ascontiguousarray(odds.T)
    for i in range(place.shape[1] - 1):
        own, others = place[:, [i]], place[:, i + 1 :]
        if level:
            p = expit_mean(epp[i] - epp[i + 1 :] + level[0], level[1])
        else:
            p = odds[i] / (odds[i] + odds[i + 1 :])
        p = np.clip(weight @ p.T, 1e-300, 1.0 - 1e-16)  # the means of all rounds
        won, tied = own < others, own == others
        met = (own > 0) & (others > 0)
        for total, by in zip(out, (p[:-1] if len(p) > 1 else p, p[-1:]), strict=True):
            happened = np.where(won, by, 1.0 - by)
            if tied.any():  # half a win and half a loss
                happened = np.where(tied, np.sqrt(by * (1.0 - by)), happened)
            total += np.log(np.where(met, happened, 1.0)).sum(axis=1)
    return out


def refitted_without(post: Posterior, k: int) -> Posterior:
    """Fit again without round k, counted over all tournaments."""
    scores = post.data.transpose(..., "round", "player")
    played = scores.notnull().any("player").to_numpy()
    left = scores.copy()
    left[tuple(index[k] for index in np.nonzero(played))] = np.nan
    gone = scores.notnull().any("round") & left.isnull().all("round")
    if gone.any():
        name = str(scores["player"].to_numpy()[np.nonzero(gone.to_numpy())[-1][0]])
        raise LeaderbayesError(
            f"Player {name[:60]!r} only plays in the round to be left out; exclude the player, or "
            "use refit=False."
        )
    return Posterior(refit(post, left))


_by_round = singledispatch(lambda post: post.model.log_likelihood)
_by_round.register(StrengthsOfVotes, lambda post: None)


def log_likelihood(dt: xr.DataTree) -> xr.Dataset:
    """Compute the log-likelihood of each round, as the posterior was made with it.

    A composite likelihood is raised to its weight. That is right for `loo` and for sensitivity to
    powers of the likelihood (``az.psense_summary``), and wrong for ``az.loo``, so such a fit does
    not store it.

    Parameters
    ----------
    dt : DataTree
        Posterior from `fit` or ``pm.sample``. A group ``log_likelihood`` that is there is returned.

    Returns
    -------
    Dataset
        One variable, ``place`` (chain, draw, round) of models of matches.

    Raises
    ------
    LeaderbayesError
        If the group is missing and the model has no likelihood by round.

    Examples
    --------
    >>> import arviz as az
    >>> import leaderbayes as lb
    >>> import xarray as xr
    >>> dt = lb.fit(lb.datasets.load("classifiers", "iris"), seed=1)
    >>> dt["log_likelihood"] = xr.DataTree(lb.log_likelihood(dt))
    >>> table = az.psense_summary(dt, var_names=["epp_scale"])
    """
    post = Posterior(dt)
    by_round = _by_round(post)
    if "log_likelihood" in dt.children or by_round is None:
        return post.group("log_likelihood")
    inside = post.tree["posterior"].dataset
    drawn = {
        str(name): post.read(str(name), *(str(d) for d in values.dims[2:]))
        for name, values in inside.data_vars.items()
    }
    weight = post.constant["weight"]
    each = np.concatenate(
        [by_round(drawn | {"epp": epp}, board) for board, epp in boards_of(post)], axis=1
    )
    cells = {"chain": inside["chain"], "draw": inside["draw"]}
    values = (each * weight.to_numpy()).reshape(*(len(c) for c in cells.values()), -1)
    return xr.Dataset({"place": ((*cells, *weight.dims), values)}, cells | dict(weight.coords))
