"""Leave-one-round-out predictive accuracy, on an event that every model gives a probability."""

import json
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import softmax

from leaderbayes._errors import LeaderbayesError, PredictiveWarning
from leaderbayes._fits.posterior import drawn, fitted, of_rounds, refuse
from leaderbayes._inference.boards import boards_of
from leaderbayes._inference.fit import fit
from leaderbayes._numerics.logistic_normal import expit_mean
from leaderbayes._types import Floats, Ints

_FEWEST = 25  # draws, of whose weights a tail can be fitted
_DRAWS = 1000  # of the posterior, for each match's probability
_FAR = 300.0  # log-odds from the average, where exponentials still multiply


def loo(dt: xr.DataTree, *, refit: bool = False) -> Any:
    r"""Estimate how well a fit predicts the matches of a round that it has not seen.

    ``az.loo`` of fits would compare the probabilities of different events (a whole ranking under
    Plackett-Luce, weighted matches under Bradley-Terry), and stops. Here every model is scored on
    the same: each match of a round, by

    .. math:: y_{ij} \log p_{ij} + (1 - y_{ij}) \log (1 - p_{ij}),

    y a win (1), tie (1/2) or loss (0), and p the mean of P(i beats j | no tie) over the posterior
    given all other rounds; a round's score is the sum over its matches. The posterior without a
    round is reached by Pareto-smoothed importance sampling with the model's own likelihood.

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit`.
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
        If the fit compared across rounds or is of a selected tournament, or a player plays only
        in a round that has to be refitted without.

    Warns
    -----
    PredictiveWarning
        If Pareto k is too high for a round and ``refit`` is False.

    References
    ----------
    Vehtari, Gelman, Gabry (2017), Practical Bayesian model evaluation using leave-one-out
    cross-validation and WAIC, Statistics and Computing 27.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers", "breast_cancer")
    >>> elpd = lb.loo(lb.fit(scores, sampler="laplace", seed=1))
    >>> int(elpd.n_data_points), round(float(elpd.elpd), -1)
    (25, -820.0)
    """
    import arviz_stats as az

    of_rounds(dt, "loo")
    fitted(dt, "constant_data")
    if not json.loads(dt.attrs["arguments"])["within_round"]:
        raise LeaderbayesError("A match across rounds belongs to no single round to be left out.")
    if "log_likelihood" not in dt:
        raise LeaderbayesError("This is no whole fit: it has no log-likelihood by round.")
    fitted(dt, "log_likelihood")
    name = "outcome" if "outcome" in dt["log_likelihood"] else "place"
    likelihood = drawn(dt, name, "log_likelihood")
    for each in dt["posterior"].data_vars:  # all of whose effective sample sizes count
        drawn(dt, str(each))
    if any(likelihood.sizes[d] != dt["posterior"].sizes[d] for d in ("chain", "draw")):
        raise refuse(dt, "has a log-likelihood of other draws than those in posterior")
    if likelihood.sizes["chain"] * likelihood.sizes["draw"] < _FEWEST:
        raise refuse(dt, f"has fewer than {_FEWEST} draws, too few to leave a round out")
    with warnings.catch_warnings():
        # Our own message, which says what to do, stands for ArviZ'.
        warnings.simplefilter("ignore", UserWarning)
        smoothed = az.loo(dt, var_name=name, pointwise=True)
    round_dim = smoothed.elpd_i.dims[0]
    weights = smoothed.log_weights.stack(sample=("chain", "draw"))
    weights = weights.transpose(round_dim, "sample").to_numpy()
    pareto_k = smoothed.pareto_k.copy()
    scores, full = _scores(dt, weights)
    bad = np.flatnonzero(pareto_k.to_numpy() > smoothed.good_k)
    if refit:
        for k in bad:
            scores[k] = _scores(_without(dt, int(k)), of=dt)[1][k]
            pareto_k[k] = 0.0
    elif len(bad):
        names = ", ".join(str(r) for r in pareto_k[round_dim].to_numpy()[bad][:5])
        warnings.warn(
            f"LB013 leaving out {len(bad)} of {len(scores)} rounds ({names}) changes the posterior "
            "too much for importance sampling; their scores are optimistic. Use refit=True.",
            PredictiveWarning,
            stacklevel=2,
        )
    return replace(
        smoothed,
        elpd=float(scores.sum()),
        se=float(np.sqrt(len(scores) * np.var(scores))),
        p=float((full - scores).sum()),
        warning=bool(len(bad)) and not refit,
        elpd_i=smoothed.elpd_i.copy(data=scores),
        pareto_k=pareto_k,
        p_loo_i=smoothed.elpd_i.copy(data=full - scores),
    )


def _scores(
    dt: xr.DataTree, log_weights: Floats | None = None, *, of: xr.DataTree | None = None
) -> tuple[Floats, Floats]:
    """Score every round of a fit (``of``; dt itself) under draws of ``dt``.

    Returns
    -------
    weighted, equal : (round,)
        Each round's under its own ``log_weights`` (round, sample), and under equal ones.
    """
    strengths = boards_of(dt)
    boards = strengths if of is None else boards_of(of)
    listed = dt.attrs["model"] == "round_intercept"
    levels = [
        drawn(dt, name).to_numpy().ravel() for name in ("intercept", "intercept_scale") if listed
    ]
    out: list[Floats] = []
    first = 0
    # A refit has the same tournaments and players as the fit: `_without` sees to it.
    for (board, _), (_, draws) in zip(boards, strengths, strict=True):
        players = board["player"].to_numpy()
        stacked = draws.stack(sample=("chain", "draw")).sel(player=players)
        epp = stacked.transpose("sample", "player").to_numpy()
        picked = np.linspace(0, len(epp) - 1, min(_DRAWS, len(epp))).astype(int)
        order = np.arange(len(players))
        if listed:
            order = np.argsort(dt["constant_data"]["order"].sel(player=players).to_numpy())
        place = board["place"].transpose("round", "player").to_numpy()
        rows = slice(first, first + len(place))
        first = rows.stop
        weight = np.full((1, len(picked)), 1.0 / len(picked))
        if log_weights is not None:
            weight = np.concatenate([softmax(log_weights[rows][:, picked], axis=1), weight])
        level = [x[picked] for x in levels]
        out.append(_round_scores(place[:, order], epp[picked][:, order], weight, level))
    weighted, equal = np.concatenate(out, axis=1)
    return weighted, equal


def _round_scores(place: Ints, epp: Floats, weight: Floats, level: Sequence[Floats]) -> Floats:
    """Sum over rounds' matches the log scores of their mean probabilities.

    Parameters
    ----------
    place : (round, player)
    epp : (sample, player)
    weight : (row, sample)
        Of each round's draws, and in the last row of all rounds'; or that row alone.
    level
        PMRA's intercept and its standard deviation between rounds, (sample,) each, of whoever
        stands first; empty of other models.

    Returns
    -------
    weighted, equal : (round,)
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
            p = odds[i] + odds[i + 1 :]
            np.divide(odds[i], p, out=p)
        p = weight @ p.T  # the means of all rounds
        won, tied = own < others, own == others
        met = (own > 0) & (others > 0)
        for total, by in zip(out, (p[:-1] if len(p) > 1 else p, p[-1:]), strict=True):
            happened = np.where(won, by, 1.0 - by)
            if tied.any():  # half a win and half a loss
                happened = np.where(tied, np.sqrt(by * (1.0 - by)), happened)
            total += np.log(np.where(met, happened, 1.0)).sum(axis=1)
    return out


def _without(dt: xr.DataTree, k: int) -> xr.DataTree:
    """Fit again without round k, counted over all tournaments."""
    scores = dt["constant_data"].to_dataset()["scores"]
    arguments = {**json.loads(dt.attrs["arguments"]), "seed": dt.attrs["seed"]}
    if "tournament" in scores.dims:
        played = scores.transpose("tournament", "round", "player").notnull().any("player")
        t, r = (index[k] for index in np.nonzero(played.to_numpy()))
        left = scores.copy()
        here = {"tournament": left["tournament"][t]}
        left.loc[here | {"round": left["round"][r]}] = np.nan
        before, after = (board.sel(here) for board in (scores, left))
    else:
        before, after = scores, scores.drop_isel(round=k)
        left = after
    gone = before.notnull().any("round") & after.isnull().all("round")
    if gone.any():
        name = str(scores["player"].to_numpy()[gone.to_numpy()][0])
        raise LeaderbayesError(
            f"Player {name[:60]!r} plays in the round to be left out only; leave the player out, "
            "or do not refit."
        )
    return fit(left, dt.attrs["model"], progressbar=False, **arguments)
