"""Posterior of the best theta of a board: exactly, or by approximate Bayesian computation."""

import json
import logging
import warnings
from importlib.metadata import version
from typing import Any, Literal

import numpy as np
import xarray as xr
from scipy.special import ndtri
from scipy.stats import beta

from leaderbayes import _arguments
from leaderbayes._arguments import number, positive, share, whole
from leaderbayes._errors import (
    BoardWarning,
    ConvergenceWarning,
    LeaderbayesError,
    LeaderbayesWarning,
)
from leaderbayes._inference.psis import Smoothed, smooth
from leaderbayes._numerics import auc
from leaderbayes._numerics.counts import counts, floor_count
from leaderbayes._numerics.importance import sample
from leaderbayes._numerics.workers import workers_of
from leaderbayes._scores.tables import shown
from leaderbayes._types import Floats
from leaderbayes.sota import _parameters as prior
from leaderbayes.sota._auc import class_sizes
from leaderbayes.sota._counts import CountBoard
from leaderbayes.sota._dependence import estimate_rho
from leaderbayes.sota._estimates import EstimateBoard, from_probit
from leaderbayes.sota._summary import compared, placed

Board = CountBoard | EstimateBoard

FEWEST = 20  # instances, for which the laws given the test set's ease are good enough
MIN_POINTS = 200  # whose weights have a tail that can be smoothed
MAX_RHAT = 1.05
MIN_UNIQUE = 0.3
LUCK = 4.0  # standard deviations of the test set's ease, from which it is hardly possible
APART = 3.0  # standard deviations between the best theta and the teams' best theta
MISFIT = 0.005  # p-value of a statistic of the board, below which the model is called in question


def posterior(
    board: xr.DataArray,
    *,
    method: Literal["exact", "abc-smc"] = "exact",
    law: Any = "beta",
    components: int = 2,
    classes: int = 2,
    positive_rate: float | None = None,
    floor: float | None = None,
    rho: Any = 0.0,
    theta_0: float | None = None,
    statistic: Literal["board", "maximum"] = "board",
    epsilon: float = 0.5,
    draws: int = 250,
    chains: int = 4,
    seed: int | None = None,
    workers: int | None = None,
    progressbar: bool = True,
) -> xr.DataTree:
    r"""Posterior of the best theta on a board, and of every team's.

    .. math:: \theta_j \sim P(\theta), \quad \theta_{SOTA} = \max_j \theta_j, \quad
              X_j \mid \theta_j \sim \mathrm{Bin}(n, \theta_j)

    with the dependence of `maximum_distribution` (Boland's): all teams share the luck of the test
    set. Scores with standard errors, and AUCs on the probit scale, are normal given their thetas.

    Parameters
    ----------
    board : DataArray (team)
        From `read_board`.
    method : {"exact", "abc-smc"}
        The likelihood, with thetas integrated out by quadrature and the parameters drawn by
        importance sampling; or simulated boards whose statistics come as near to the board's as
        ``epsilon`` asks, by sequential Monte Carlo (`leaderbayes.models.sota`; accuracies only).
    law : {"beta", "mixture", "empirical"} or distribution
        P(theta): a beta law, or a mixture of them, with unknown parameters (normal laws for AUCs
        and boards with standard errors); the board's own scores, shrunk towards chance by an
        unknown weight (equation 9); or a known law, frozen from ``scipy.stats``.
    components : int
        Laws in the mixture.
    classes : int
        Number of classes. Teams at or below chance, 1 / classes, are left out.
    positive_rate : float, optional
        Share of the positive class, of a board of AUCs.
    floor : float, optional
        Leave out teams with this score or a lower one, and say so to the model: P(theta) then
        need not describe failures far below the best. Accuracies only.
    rho : float, distribution or DataArray (classifier, instance)
        Dependence: known; with a prior, frozen from ``scipy.stats``; or right and wrong answers
        (1, 0) of comparable classifiers, whose `estimate_rho` is the prior. Of AUCs as for
        `maximum_auc`, known.
    theta_0 : float, optional
        P(the reference is right); the best score by default, which matters little.
    statistic : {"board", "maximum"}
        What is known: the whole board (of which "abc-smc" takes the maximum and three quantiles),
        or only its best score, as in section 5.3.2 of the paper, which needs a known law.
    epsilon : float
        Of "abc-smc": how near simulated statistics must come, in their standard deviations.
    draws, chains : int
        Draws kept per chain, number of chains (of "exact", these are independent draws in parts).
    seed : int, optional
        Same seed, versions and machine: same numbers. None draws one and records it.
    workers : int, optional
        Threads, of "abc-smc" processes, that work at a time; as many as this process may use by
        default. Numbers do not depend on it.
    progressbar : bool
        Show the progress of "abc-smc".

    Returns
    -------
    DataTree
        ``posterior``: ``theta_sota`` (chain, draw), ``theta`` (chain, draw, team), parameters of
        P(theta) (``mean`` and ``concentration`` of betas, ``location`` and ``scale`` of normals,
        (component) where there are several, with their ``weight``; ``shrinkage``), ``ease`` of the
        test set for the reference in standard deviations, ``rho`` where it is not known.
        ``posterior_predictive``: ``score`` (chain, draw, team), the same teams on another test
        set, and ``new_score``, another board of teams from P(theta). ``log_likelihood``: ``score``
        (chain, draw, team), theta integrated out. ``log_prior``, ``observed_data`` (``score``),
        ``constant_data`` (``n`` or ``se``). "abc-smc" adds ``sample_stats``: ``epsilon``,
        ``accept_rate`` (chain, stage), ``unique`` (chain), the share of different particles. attrs:
        ``model`` "sota", ``method``, ``arguments`` and ``versions`` (JSON), ``seed``,
        ``converged`` (0 or 1), ``pareto_k`` and ``ess`` of the importance weights, or the largest
        ``max_rhat``, ``warnings`` (JSON list).

    Raises
    ------
    LeaderbayesError
        If an argument is out of range, no team is above the floor, or a known law all but excludes
        a team's score.

    Warns
    -----
    ConvergenceWarning
        LB001, if the importance weights, or the chains, cannot be trusted.
    BoardWarning
        LB021, if boards of the model do not look like this one; LB022, if the best is estimated
        below the board's middle; LB023, if the test set's ease is hardly possible; LB024, if the
        best theta is not that of the teams' thetas ("abc-smc", and statistic="maximum").

    References
    ----------
    Møllersen, Holsbø (2025), Accounting for multiplicity in machine learning benchmark
    performance, sections 5.3.2 and 4.2.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = [0.93, 0.92, 0.92, 0.91, 0.91, 0.9, 0.89, 0.89, 0.88, 0.88, 0.87, 0.85]
    >>> board = lb.sota.read_board(scores, n=200)
    >>> dt = lb.sota.posterior(board, seed=1)
    >>> dict(dt.posterior["theta"].sizes)
    {'chain': 4, 'draw': 250, 'team': 12}
    >>> round(float(dt.posterior["theta_sota"].mean()), 2)
    0.91
    """
    if method not in ("exact", "abc-smc"):
        raise LeaderbayesError(f"method={method!r}: choose 'exact' or 'abc-smc'.")
    if statistic not in ("board", "maximum"):
        raise LeaderbayesError(f"statistic={statistic!r}: choose 'board' or 'maximum'.")
    draws, chains = whole("draws", draws), whole("chains", chains)
    epsilon = positive("epsilon", epsilon)
    if seed is None:
        seed = int(np.random.SeedSequence().generate_state(1)[0])
    seed = _arguments.seed(seed)
    arguments = {
        "law": _named(law), "components": components, "classes": classes,
        "positive_rate": positive_rate, "floor": floor, "rho": _named(rho), "theta_0": theta_0,
        "statistic": statistic, "epsilon": epsilon, "draws": draws, "chains": chains,
    }  # fmt: skip
    kept, model = _model(
        board, law, components, classes, positive_rate, floor, _rho(rho), theta_0, statistic,
        workers_of(workers),
    )  # fmt: skip
    rng = np.random.default_rng(seed)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LeaderbayesWarning)
        if method == "exact":
            tree = _exact(kept, model, draws, chains, rng)
        elif isinstance(model, EstimateBoard):
            raise LeaderbayesError("method='abc-smc' is for accuracies: take method='exact'.")
        else:
            tree = _simulated(kept, model, epsilon, draws, chains, rng, progressbar=progressbar)
        _question(tree)
    # What libraries say of themselves is not said of this posterior.
    caught = [w for w in caught if issubclass(w.category, LeaderbayesWarning)]
    for warning in caught:
        warnings.warn(warning.message, warning.category, stacklevel=2)
    packages = ("leaderbayes", "numpy", "scipy", "arviz", "xarray")
    tree.attrs |= {
        "method": method,
        "arguments": json.dumps(arguments),
        "versions": json.dumps({package: version(package) for package in packages}),
        "seed": seed,
        "warnings": json.dumps([str(warning.message) for warning in caught]),
    }
    return tree


def _named(value: Any) -> Any:
    """Give laws and answers to JSON by a name."""
    if hasattr(value, "dist"):
        terms = [f"{v:g}" for v in value.args] + [f"{k}={v:g}" for k, v in value.kwds.items()]
        return f"{value.dist.name}({', '.join(terms)})"
    return "answers" if isinstance(value, xr.DataArray) else value


def _rho(rho: Any) -> Any:
    """Check; answers become a beta prior with the estimate's mean and spread."""
    if isinstance(rho, xr.DataArray):
        found = estimate_rho(rho)
        mean = min(max(float(found["rho"]), 0.01), 0.99)
        sd = max(float(found["upper"] - found["lower"]) / 3.92, 1e-3)
        size = max(mean * (1.0 - mean) / sd**2 - 1.0, 2.0)
        return beta(mean * size, (1.0 - mean) * size)
    if hasattr(rho, "logpdf"):
        if rho.support()[0] < 0.0 or rho.support()[1] > 1.0:
            raise LeaderbayesError("rho: its prior must lie between 0 and 1, such as beta(6, 4).")
        return rho
    number("rho", rho, at_least=0.0, below=1.0)
    return float(rho)


def _model(
    board: xr.DataArray,
    law: Any,
    components: int,
    classes: int,
    positive_rate: float | None,
    floor: float | None,
    rho: Any,
    theta_0: float | None,
    statistic: Literal["board", "maximum"],
    workers: int,
) -> tuple[xr.DataArray, Board]:
    """Teams that stay, and the model of their board."""
    if board.dims != ("team",) or "metric" not in board.attrs:
        raise LeaderbayesError("A board comes from sota.read_board: dimension team, attribute n.")
    if isinstance(law, str) and law not in ("beta", "mixture", "empirical"):
        raise LeaderbayesError(f"law={law!r}: choose 'beta', 'mixture' or 'empirical'.")
    if not isinstance(law, str) and not hasattr(law, "ppf"):
        raise LeaderbayesError("law: give a name, or a frozen scipy.stats law, such as beta(9, 1).")
    whole("components", components, at_least=2)
    whole("classes", classes, at_least=2)
    metric = board.attrs["metric"]
    if (metric == "auc") != (positive_rate is not None):
        raise LeaderbayesError(
            "positive_rate is for boards of AUC, and these need it: read_board(metric='auc')."
        )
    if statistic == "maximum" and isinstance(law, str):
        raise LeaderbayesError(
            "The best score alone does not tell P(theta): give a law frozen from scipy.stats, or "
            "statistic='board'."
        )
    if metric != "accuracy":
        if law not in ("beta", "mixture") or floor is not None or statistic != "board":
            raise LeaderbayesError(
                "AUCs and boards with standard errors have law='beta' (one normal) or 'mixture', "
                "statistic='board' and no floor."
            )
        return _estimates(board, components if law == "mixture" else 1, positive_rate, rho)
    if theta_0 is not None:
        share("theta_0", theta_0)
    if floor is not None:
        number("floor", floor, at_least=0.0, below=1.0)
    n = int(board.attrs["n"])
    if n < FEWEST:
        raise LeaderbayesError(
            f"n={n}: a posterior needs a test set of {FEWEST} instances or more."
        )
    lowest = max(1.0 / classes, floor or 0.0)
    made = counts(board.to_numpy(), n, floor_count(n, classes, floor))
    if not len(made.x):
        raise LeaderbayesError(f"No team scores above {lowest:.4g}; are classes and floor right?")
    reference = float(np.clip(made.x[-1] / n, 0.5 / n, 1.0 - 0.5 / n))
    reference = reference if theta_0 is None else theta_0
    kept = board[np.round(board.to_numpy() * n) > made.floor]
    return kept, CountBoard(made, law, components, classes, rho, reference, statistic, workers)


def _estimates(
    board: xr.DataArray, components: int, positive_rate: float | None, rho: Any
) -> tuple[xr.DataArray, Board]:
    """AUCs on the probit scale, where their errors are nearly normal; others as they are."""
    score = board.to_numpy()
    if positive_rate is None:
        se = board["se"].to_numpy().astype(float)
        centre, unit = float(score.mean()), float(max(score.std(), se.mean()))
        return board, EstimateBoard(score, se, components, rho, centre, 2.0 * unit)
    sizes = class_sizes(int(board.attrs["n"]), positive_rate)
    pairs = sizes[0] * sizes[1]
    latent = ndtri(np.clip(score, 0.5 / pairs, 1.0 - 0.5 / pairs))
    slope = np.exp(-0.5 * latent**2) / np.sqrt(2.0 * np.pi)
    variance = np.array([auc.variance(float(a), *sizes) for a in from_probit(latent)])
    se = np.sqrt(variance) / slope
    if hasattr(rho, "logpdf"):
        raise LeaderbayesError("rho: AUCs take a number; a prior is for accuracies and estimates.")
    # Scores correlate by rho with a reference, estimates by this with their common factor.
    common = float(auc.loading(np.array([score.max()]), *sizes, rho)[0])
    return board, EstimateBoard(latent, se, components, common, 1.0, 1.0, from_probit)


def _exact(
    board: xr.DataArray, model: Board, draws: int, chains: int, rng: np.random.Generator
) -> xr.DataTree:
    """Draw from the posterior by importance sampling."""
    size = draws * chains
    if model.parameters:
        found = sample(model.log_density, model.start(), max(2 * size, MIN_POINTS), rng)
        smoothed = smooth(found.log_weight)
        points = found.point[rng.choice(len(smoothed.weight), size, p=smoothed.weight)]
    else:
        smoothed = Smoothed(np.full(size, 1.0 / size), 0.0, float(size))
        points = np.zeros((size, 0))
    converged = smoothed.reliable(size)
    if not converged:
        warnings.warn(
            f"LB001 not converged: importance weights {smoothed}. Do not report these numbers: "
            "take fewer components, a known rho, or method='abc-smc'.",
            ConvergenceWarning,
            stacklevel=3,
        )
    values = prior.unpack(model.parameters, points)
    tree = assemble(board, model, values, (chains, draws), rng)
    priors = prior.log_priors(model.parameters, points)
    named = {name: (("chain", "draw"), v.reshape(chains, draws)) for name, v in priors.items()}
    tree["log_prior"] = xr.DataTree(xr.Dataset(named))
    tree.attrs |= {
        "converged": int(converged),
        "pareto_k": smoothed.pareto_k,
        "ess": smoothed.ess,
    }
    return tree


def _simulated(
    board: xr.DataArray,
    model: CountBoard,
    epsilon: float,
    draws: int,
    chains: int,
    rng: np.random.Generator,
    *,
    progressbar: bool,
) -> xr.DataTree:
    """Draw from the approximate posterior by sequential Monte Carlo."""
    import arviz as az
    import pymc as pm

    from leaderbayes import models

    logger = logging.getLogger("pymc")
    level = logger.level
    try:
        logger.setLevel(logging.ERROR)
        with warnings.catch_warnings():
            # Simulators are Python, and that is meant; early particles lie far out.
            warnings.simplefilter("ignore")
            made = models.sota(
                board,
                law=model.law,
                components=max(model.components, 2),
                classes=model.classes,
                floor=(model.board.floor + 0.5) / model.board.n,
                rho=model.rho,
                theta_0=model.theta_0,
                statistic=model.statistic,
                epsilon=epsilon,
            )
            found = pm.sample_smc(
                draws,
                model=made,
                chains=chains,
                # By itself PyMC leaves half of them idle.
                cores=min(chains, model.workers),
                random_seed=[int(s) for s in rng.integers(2**31, size=chains)],
                progressbar=progressbar,
                compute_convergence_checks=False,
            )
    finally:
        logger.setLevel(level)
    drawn = found["posterior"].to_dataset()
    values = {
        p.name: drawn[p.name].to_numpy().reshape(draws * chains, -1) for p in model.parameters
    }
    tree = assemble(board, model, values, (chains, draws), rng)
    found_best = tree["posterior"].to_dataset().assign(theta_sota=drawn["theta_sota"])
    tree["posterior"] = xr.DataTree(found_best)
    tree["sample_stats"] = xr.DataTree(_stages(found, epsilon, drawn["theta_sota"]))
    max_rhat = float(az.rhat(tree["posterior"]["theta_sota"]))
    unique = float(tree["sample_stats"]["unique"].min())
    converged = max_rhat < MAX_RHAT and unique > MIN_UNIQUE
    if not converged:
        warnings.warn(
            f"LB001 not converged: R-hat of theta_sota is {max_rhat:.3f} (below {MAX_RHAT} is "
            f"good), and {unique:.0%} of the particles differ (above {MIN_UNIQUE:.0%}). Do not "
            "report these numbers: take more draws, a larger epsilon, or method='exact'.",
            ConvergenceWarning,
            stacklevel=3,
        )
    tree.attrs |= {"converged": int(converged), "max_rhat": max_rhat}
    return tree


def _stages(found: xr.DataTree, epsilon: float, best: xr.DataArray) -> xr.Dataset:
    """Epsilon and acceptance of each stage, and how many particles differ in the end.

    Tempering a normal kernel by beta is widening it to epsilon / sqrt(beta).
    """
    stats = found["sample_stats"].to_dataset()
    chains = best.sizes["chain"]

    def ragged(name: str) -> Floats:
        # PyMC gives a list a chain, or an array where all are as long, or of one chain its list.
        values = stats[name].to_numpy()
        lists = values if chains > 1 else [values]
        rows = [np.hstack([np.asarray(v, dtype=float) for v in np.atleast_1d(r)]) for r in lists]
        out = np.full((chains, max(map(len, rows))), np.nan)
        for line, row in zip(out, rows, strict=True):
            line[: len(row)] = row
        return out

    return xr.Dataset(
        {
            "epsilon": (("chain", "stage"), epsilon / np.sqrt(ragged("beta"))),
            "accept_rate": (("chain", "stage"), ragged("accept_rate")),
            "unique": ("chain", [len(np.unique(row)) / row.size for row in best.to_numpy()]),
        },
        coords={"chain": best["chain"]},
    )


def assemble(
    board: xr.DataArray,
    model: Board,
    values: dict[str, Floats],
    shape: tuple[int, int],
    rng: np.random.Generator,
) -> xr.DataTree:
    """Draw what follows from the parameters (chain x draw, component), and name all of it."""
    chains, draws = shape
    made = model.draw(values, chains * draws, rng)

    def named(values: Floats, *dims: str) -> xr.DataArray:
        coords = {"chain": np.arange(chains), "draw": np.arange(draws)}
        if "team" in dims:
            coords["team"] = board["team"].to_numpy()
        values = values.reshape(chains, draws, *values.shape[1:])
        return xr.DataArray(values, dims=("chain", "draw", *dims), coords=coords)

    def parameter(values: Floats) -> xr.DataArray:
        return named(values, "component") if values.shape[1] > 1 else named(values[:, 0])

    posterior_group = {name: parameter(v) for name, v in values.items()}
    posterior_group["theta_sota"] = named(made["theta_sota"])
    posterior_group["theta"] = named(made["theta"], "team")
    known = {"n": board.attrs["n"]} if "n" in board.attrs else {"se": board["se"]}
    groups = {
        "posterior": posterior_group,
        "posterior_predictive": {
            name: named(made[name], "team") for name in ("score", "new_score")
        },
        "log_likelihood": {"score": named(made["log_likelihood"], "team")},
        "observed_data": {"score": board.drop_attrs()},
        "constant_data": known,
    }
    tree = xr.DataTree.from_dict({name: xr.Dataset(group) for name, group in groups.items()})
    tree.attrs = {"model": "sota"}
    return tree


def _question(tree: xr.DataTree) -> None:
    """Warn where the posterior is not to be believed without a look at the board."""
    for message in filter(None, (_misfit(tree), _low(tree), _lucky(tree), _apart(tree))):
        warnings.warn(message, BoardWarning, stacklevel=3)


def _misfit(tree: xr.DataTree) -> str | None:
    """Say that boards of the model do not look like this one."""
    found = compared(tree)
    odd = found[found["p_value"] < MISFIT]
    if odd.empty:
        return None
    first = odd.iloc[0]
    return (
        f"LB021 the model does not describe the board: its {odd.index[0]} is "
        f"{first['observed']:.4g}, and of the model's boards {first['lower']:.4g} to "
        f"{first['upper']:.4g} (p = {first['p_value']:.3f}). Take law='mixture', a floor, or a "
        "higher rho (see sota.check)."
    )


def _low(tree: xr.DataTree) -> str | None:
    """Say that the best theta, or the score of whoever has it, is below the board's middle."""
    table = placed(tree)
    median, best = float(table["score"].median()), table.iloc[int(table["p_best"].argmax())]
    drawn = tree["posterior"]["theta_sota"]
    # Of a few teams whose scores are mostly luck the best is about as good as the middle.
    if drawn.mean() + drawn.std() < median:
        what = f"theta_SOTA is {float(drawn.mean()):.4g}"
    elif best["score"] < median:
        what = f"the best team, {shown(best['team'])}, scored {best['score']:.4g}"
    else:
        return None
    return (
        f"LB022 {what}, below the board's median, {median:.4g}: more than half of the teams would "
        "be better than the best. Take another law, a floor, or a lower rho (see sota.check)."
    )


def _lucky(tree: xr.DataTree) -> str | None:
    """Say that the luck that all teams share is more than any test set has."""
    if "ease" not in tree["posterior"]:
        return None
    ease = float(tree["posterior"]["ease"].mean())
    if abs(ease) <= LUCK:
        return None
    return (
        f"LB023 the teams' common luck on the test set is estimated at {ease:.1f} standard "
        "deviations, which no test set has: P(theta) does not describe the board, and luck fills "
        "the gap. Take law='mixture', a floor, or a lower rho."
    )


def _apart(tree: xr.DataTree) -> str | None:
    """Say that the best theta, where it is drawn by itself, is not that of the teams' thetas."""
    best = tree["posterior"]["theta_sota"]
    of_teams = tree["posterior"]["theta"].max("team")
    gap = float(best.mean() - of_teams.mean())
    if abs(gap) <= APART * max(float(best.std()), float(of_teams.std())) or np.isclose(gap, 0.0):
        return None
    return (
        f"LB024 theta_sota, {float(best.mean()):.4f}, is not the best of the teams' thetas, "
        f"{float(of_teams.mean()):.4f}, which come from the whole board: sota.teams does not fit "
        "to sota.summary. Take method='exact' with statistic='board'."
    )
