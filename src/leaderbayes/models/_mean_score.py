r"""Mean scores: differences in the unit of the metric.

A round draws all players' scores at once, with noise that goes together: rounds are easy or hard
for all, and families of players err alike. Players' means are normal in the units of this noise,

.. math:: y_k \mid \mu, c \sim N(\mu, c\,\Sigma^*), \quad \mu \mid \tau, c \sim
          N(g, \tau^2 c\,\Sigma^*), \quad \tau^2 = t^2 + 0.1^2, \quad
          t \sim \mathrm{HalfCauchy}(3\,prior\_scale)

with the noise's covariance :math:`\Sigma^*` and its degrees of freedom df from the scatter of the
rounds (`_numerics.mean_score`). Two statements about the whole vector of players would be
overconfident, as :math:`\Sigma^*` has as many numbers as pairs and is learnt from few rounds. So
they are cut from the likelihood (Plummer 2015), which in the model is multiplied by what replaces
the marginal likelihood of both:

- the noise's scale c goes by the scatter of the rounds alone, :math:`c \sim df / \chi^2_{df}`,
  so that every difference has Student's t distribution, as in the correlated t test;
- the players' scale :math:`\tau` goes by pairs of players, each with its own t likelihood.

The level of all players is not shrunk: ``level_unit`` makes up for it. Items (right or wrong
answers), medians and interquartile means have no parametric model of rounds: `draw` draws them from
a Dirichlet process and shrinks them in the same way.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics import items, rounds
from leaderbayes._numerics.mean_score import (
    draw_filled,
    draw_rounds,
    noise_of,
    pairs_of_board,
    round_log_likelihood,
    worth,
)
from leaderbayes._numerics.rounds import Statistic
from leaderbayes._numerics.shrinkage import Pairs, Prior, shrink
from leaderbayes._scores.matches import one_tournament
from leaderbayes._types import Floats
from leaderbayes.models._board import registered
from leaderbayes.models._model import Model
from leaderbayes.models._scores import (
    PRIOR_SCALE,
    WIDTH,
    Likelihood,
    Of,
    Variables,
    by_levels,
    check_complete,
    constant,
    drawn,
    ends_of,
    every,
    items_of,
    likelihood_of,
    luck_of,
    prior_of,
    taken_of,
    values_of,
)
from leaderbayes.models._weight import weighing_in

if TYPE_CHECKING:
    import pymc as pm

HINT = "; cluster='new' (--cluster new) gives results for new clusters"


def mean_score(
    scores: xr.DataArray, *, test_fraction: float | None = None, prior_scale: float = PRIOR_SCALE
) -> "pm.Model":
    """Return the model of mean scores over rounds, with a prior in units of their noise.

    Parameters
    ----------
    scores : DataArray (player, round)
        Scores of one tournament, as for `leaderbayes.fit`, none of them missing.
    test_fraction : float, optional
        Share of the data that each round tests on, for rounds of a repeated cross-validation: the
        means are then those on fresh data (Nadeau and Bengio 2003).
    prior_scale : float
        Scale of the prior on the players' scale; 1 is a half-Cauchy prior of three standard
        deviations of a round's noise.

    Returns
    -------
    pymc.Model
        With the variables

        - ``score`` (player): mean score, in the metric's unit;
        - ``score_scale`` (): tau, the players' scale in standard deviations of a round's noise;
        - ``noise`` (player): standard deviation of a player's scores between rounds;
        - ``round_score`` (round, player): observed.

    Raises
    ------
    LeaderbayesError
        If a score is missing, scores are of several tournaments or of one round or do not vary,
        or an option is out of range.

    References
    ----------
    Corani, Benavoli (2015), A Bayesian approach for comparing cross-validated algorithms on
    multiple data sets, Machine Learning 100. Plummer (2015), Cuts in Bayesian graphical models,
    Statistics and Computing 25.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> model = lb.models.mean_score(lb.datasets.load("classifiers", "iris"))
    >>> [variable.name for variable in model.deterministics]
    ['score_scale', 'score', 'noise']
    """
    import pymc as pm
    import pytensor.tensor as pt

    scores = one_tournament(scores)
    check_complete(scores, "The PyMC model")
    if "round_weight" in scores.coords:
        raise LeaderbayesError(
            "The PyMC model of mean scores has no weights of rounds: use leaderbayes.fit."
        )
    y, luck, prior = values_of(scores), luck_of(test_fraction), finite(prior_of(prior_scale))
    noise, count, n = noise_of(y), worth(len(y), luck), len(y)
    centre, covariance = y.mean(axis=0), noise.covariance
    root = root_of(covariance)
    # In coordinates in which a round's noise is standard normal, times c.
    seen, scatter = np.linalg.solve(root, np.stack([centre - centre.mean(), *(y - centre)]).T), 0.0
    seen, scatter = seen[:, 0], float((seen[:, 1:] ** 2).sum())
    names = {dim: scores[dim].to_numpy() for dim in ("player", "round")}
    with pm.Model(coords=names | {"axis": range(len(root)), "model": ["mean_score"]}) as model:
        data = data_of(scores, test_fraction=test_fraction, prior_scale=prior_scale)
        prior = prior._replace(scale=WIDTH * data["prior_scale"])
        tau, cut = scale_of_players(prior, pairs_of_board(y, noise, count), count)
        c = pm.InverseGamma("noise_spread", noise.df / 2.0, noise.df / 2.0)
        unit = pm.Normal("score_unit", 0.0, tau * pt.sqrt(c), dims="axis")
        here = unit
        if luck > 0.0:
            here = unit + pt.sqrt(luck * c) * pm.Normal("luck_unit", dims="axis")
        level = pm.StudentT("level_unit", noise.df, sigma=np.sqrt(covariance.mean() / count))
        level = centre.mean() + level / pt.sqrt(1.0 + count * tau**2)
        pm.Deterministic("score", level + pt.dot(root, unit), dims="player")
        pm.Deterministic("noise", pt.sqrt(c * np.diag(covariance)), dims="player")
        # Log marginal likelihood of all rounds, of which `cut` takes the place.
        gain = 1.0 + n * (tau**2 + luck)
        marginal = -0.5 * (len(root) * (n * pt.log(c) + pt.log(gain)) + scatter / c)
        more = cut - marginal + 0.5 * n * (seen @ seen) / (gain * c)
        mean = pt.zeros((n, 1)) + centre.mean() + pt.dot(root, here)
        observe(y, mean, pt.sqrt(c) * pt.ones(n), root, more, "round")
    return model


def finite(prior: Prior | None) -> Prior:
    """Return a prior that is not flat, or raise."""
    if prior is None:
        raise LeaderbayesError(
            "The flat prior, prior_scale=inf, has no PyMC model: use leaderbayes.fit, which "
            "samples it exactly."
        )
    return prior


def root_of(covariance: Floats) -> Floats:
    """Factorise an invertible covariance, or raise."""
    try:
        return np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        raise LeaderbayesError(
            "Too few players and rounds to estimate how their noise correlates: add rounds, or "
            "for one tournament use leaderbayes.fit."
        ) from None


def observe(y: Floats, mean: Any, scale: Any, root: Floats, more: Any, dim: str) -> None:
    """Observe rounds by a covariance's root, their scales and log ``more``, in one likelihood."""
    import pymc as pm

    pm.CustomDist(
        "round_score", mean, scale, root, more, logp=_logp, random=_random,
        signature="(r,p),(r),(p,p),()->(r,p)", observed=y, dims=(dim, "player"),
    )  # fmt: skip


def _logp(value: Any, mean: Any, scale: Any, root: Any, more: Any) -> Any:
    import pytensor.tensor as pt

    off = pt.linalg.solve_triangular(root, (value - mean).T, lower=True) / scale
    size = value.shape[0] * pt.log(pt.diag(root)).sum() + value.shape[1] * pt.log(scale).sum()
    return more - 0.5 * ((off**2).sum() + value.size * np.log(2.0 * np.pi)) - size


def _random(
    mean: Any, scale: Any, root: Any, more: Any, rng: np.random.Generator, size: Any
) -> Floats:
    z = rng.standard_normal(np.shape(mean))
    return np.asarray(mean + scale[..., None] * (z @ np.swapaxes(root, -1, -2)))


def data_of(scores: xr.DataArray, **options: float | None) -> dict[str, Any]:
    """Register the data that answers need beside draws; return those of options."""
    dims = [dim for dim in ("tournament", "player", "round") if dim in scores.dims]
    registered("scores", scores.transpose(*dims).to_numpy(), *dims)
    better = np.array([int(scores.attrs.get("higher_is_better", 1))])
    registered("higher_is_better", better, "model")
    return {
        name: registered(name, np.array([value or 0.0]), "model", fixed=name == "test_fraction")[0]
        for name, value in options.items()
    }


def scale_of_players(prior: Prior, pairs: Pairs, count: float) -> tuple[Any, Any]:
    """Register tau; return it and its log-likelihood by pairs, as `shrinkage.scales` has it."""
    import pymc as pm
    import pytensor.tensor as pt

    raw = pm.HalfCauchy("score_scale_raw", prior.scale)
    tau = pm.Deterministic("score_scale", pt.sqrt(raw**2 + prior.floor**2))
    spread = 1.0 + count * tau**2
    fits = pt.log1p(pairs.squares / (pairs.df * spread)).sum()
    size = len(pairs.squares)
    return tau, -0.5 * pairs.weight * (size * pt.log(spread) + (pairs.df + 1.0) * fits)


def draw(
    scores: xr.DataArray, *, draws: int, chains: int, seed: int, step: int = 1,
    test_fraction: float | None = None, prior_scale: float = PRIOR_SCALE,
    likelihood: Likelihood = "auto", of: Of = "raw", statistic: Statistic = "mean",
    cluster: str = "auto",
) -> dict[str, xr.Dataset]:  # fmt: skip
    """Draw independently from the posterior of mean scores; every ``step``-th has replicates."""
    if "judge" in scores.coords:
        given = {
            "test_fraction": test_fraction is not None, "likelihood": likelihood != "auto",
            "of": of != "raw", "statistic": statistic != "mean", "cluster": cluster != "auto",
            "round_weight": "round_weight" in scores.coords,
        }  # fmt: skip
        if any(given.values()):
            wrong = ", ".join(name for name, there in given.items() if there)
            raise LeaderbayesError(f"{wrong} cannot be combined with judge=; omit one.")
        return _of_judged(one_tournament(scores), draws, chains, seed, prior_of(prior_scale))
    scores = by_levels(taken_of(one_tournament(scores), of), cluster)
    chosen = likelihood_of(scores, likelihood, test_fraction, statistic)
    luck, prior = luck_of(test_fraction), prior_of(prior_scale)
    if "cluster" in scores.coords and (chosen == "normal" or statistic != "mean"):
        raise LeaderbayesError(
            "Clusters need options={'likelihood': 'dirichlet'} and the mean: use these, means of "
            "clusters as rounds, or cluster='none'."
        )
    if "round_weight" in scores.coords and statistic != "mean":
        raise LeaderbayesError(f"round_weight= is for means, not for statistic={statistic!r}.")
    known = constant(scores, "mean_score")
    if chosen == "normal":
        groups = _of_rounds(scores, draws, chains, seed, luck, prior, step)
    else:
        size, rng = draws * chains, np.random.default_rng(seed)
        if statistic == "mean":
            posterior = _of_items(scores, size, luck, prior, rng)
        else:
            posterior = _of_statistic(scores, size, luck, prior, statistic, rng)
        players = {"player": scores["player"].to_numpy()}
        groups = {"posterior": drawn(posterior, players, (chains, draws))}
        few = set(scores["stratum"].to_numpy()) if "stratum" in scores.coords else ()
        if len(few) > 1 and statistic == "mean":
            known.attrs["estimand"] = f"Scores hold for items of these {len(few)} clusters{HINT}."
    observed = xr.Dataset({"round_score": scores.transpose("round", "player").drop_attrs()})
    return groups | {"observed_data": observed, "constant_data": known}


def _of_rounds(
    scores: xr.DataArray, draws: int, chains: int, seed: int, luck: float, prior: Prior | None,
    step: int,
) -> dict[str, xr.Dataset]:  # fmt: skip
    """Draw means, with replicates and, of complete boards with a prior, log-likelihoods."""
    y, weighing = values_of(scores), weighing_in(scores)
    first, *others = map(np.random.default_rng, np.random.SeedSequence(seed).spawn(chains + 1))
    parts = [part for rng in others for part in draw_filled(y, draws, luck, prior, rng, weighing)]
    noise = [np.sqrt(np.outer(p.spread, np.diag(p.noise.covariance))) for p in parts]
    again = [
        draw_rounds(part.here[some], part.spread[some], part.noise, len(y), first)
        for part, some in zip(parts, every([p.mean for p in parts], draws, step), strict=True)
    ]
    boards = np.where(np.isfinite(y), np.concatenate(again), np.nan)
    tau = np.concatenate([part.tau for part in parts])
    posterior: dict[str, Any] = {
        "score": (("player",), np.concatenate([part.mean for part in parts])),
        "noise": (("player",), np.concatenate(noise)),
    }
    shape, names = (chains, draws), {dim: scores[dim].to_numpy() for dim in ("round", "player")}
    players, by_round = {"player": names["player"]}, {"round": names["round"]}
    groups = {
        "posterior_predictive": drawn({"round_score": (tuple(names), boards)}, names, shape, step)
    }
    if prior is not None:
        posterior["score_scale"] = (), tau
        t = np.sqrt(np.maximum(tau**2 - prior.floor**2, 0.0)) / prior.scale
        log_prior = np.log(2.0 / (np.pi * prior.scale)) - np.log1p(t**2)
        groups["log_prior"] = drawn({"score_scale": ((), log_prior)}, {}, shape)
        if len(parts) == chains and parts[0].noise.own.any() and weighing is None:
            each = [round_log_likelihood(part.here, y, part.noise) for part in parts]
            found: Variables = {"round_score": (("round",), np.concatenate(each))}
            groups["log_likelihood"] = drawn(found, by_round, shape)
    return {"posterior": drawn(posterior, players, shape)} | groups


def _of_items(
    scores: xr.DataArray, size: int, luck: float, prior: Prior | None, rng: np.random.Generator
) -> Variables:
    """Draw mean scores over items."""
    if luck > 0.0:
        raise LeaderbayesError(
            "test_fraction is not for right-or-wrong items, which share no training rows: omit "
            "it, or use options={'likelihood': 'normal'}."
        )
    board, (low, high) = items_of(scores)
    shares = items.flat(board, size, rng)
    if prior is None:
        return {"score": (("player",), low + (high - low) * shares)}
    shares, scale = items.shrunken_shares(shares, board.worth, prior.scale / WIDTH, rng)
    return {"score": (("player",), low + (high - low) * shares), "score_scale": ((), scale)}


def _of_judged(
    scores: xr.DataArray, draws: int, chains: int, seed: int, prior: Prior | None
) -> dict[str, xr.Dataset]:
    """Draw mean human scores, using the scores of a judge."""
    ordered, rng = scores.transpose("round", "player"), np.random.default_rng(seed)
    y, f = ordered.to_numpy(), ordered["judge"].transpose("round", "player").to_numpy()
    if (spread := np.nanvar(y, axis=0, ddof=1)).max() == 0.0:
        raise LeaderbayesError("People scored each player only once: label more rounds.")
    score, power = items.corrected(y, f, draws * chains, rng)
    labelled, (low, high) = np.isfinite(y).sum(axis=0), ends_of(scores)
    worth = float(np.clip((spread / score.var(axis=0)).mean(), labelled.min(), len(y)))
    variables: dict[str, Any] = {}
    if prior is not None:
        own = Prior(prior.scale / WIDTH, items.FLOOR / np.sqrt(worth))
        score, scale = shrink(score, worth, labelled.min() - 1.0, own, rng)
        variables["score_scale"] = (), scale
    if not np.isnan(low):
        score = np.clip(score, low, high)
    players = {"player": scores["player"].to_numpy()}
    posterior = drawn(variables | {"score": (("player",), score)}, players, (chains, draws))
    said = (
        f"Means of human scores: people scored {labelled.mean():.3g} of {len(y)} rounds a player, "
        f"and with the judge's scores these are worth {worth:.3g}."
    )
    known = constant(scores, "mean_score").assign(power=("model", [power]))
    known.attrs["estimand"] = said
    observed = xr.Dataset({"round_score": scores.transpose("round", "player").drop_attrs()})
    return {"posterior": posterior, "observed_data": observed, "constant_data": known}


def _of_statistic(
    scores: xr.DataArray, size: int, luck: float, prior: Prior | None, statistic: str,
    rng: np.random.Generator,
) -> Variables:  # fmt: skip
    """Draw medians or interquartile means over rounds."""
    check_complete(scores, f"statistic={statistic!r}")
    y = values_of(scores)
    if rounds.mass(len(y), luck) <= 0.0:
        raise LeaderbayesError(
            f"statistic={statistic!r} needs more than {len(y)} rounds, or a smaller "
            "test_fraction: add rounds, or use statistic='mean'."
        )
    if len(np.unique(y)) == 2:
        raise LeaderbayesError(
            f"statistic={statistic!r} shows almost nothing about scores with two values: use "
            "statistic='mean'."
        )
    flat = rounds.flat(y, luck, statistic, size, rng)
    if prior is None:
        return {"score": (("player",), flat)}
    score, scale = shrink(flat, worth(len(y), luck), len(y) - 1.0, prior, rng)
    return {"score": (("player",), score), "score_scale": ((), scale)}


MODEL = Model(
    name="mean_score",
    label="Mean scores",
    data=("scores",),
    parameter="score",
    unit="the metric's unit",
    build=mean_score,
    draw=draw,
    takes=("round_weight", "judge"),
)
