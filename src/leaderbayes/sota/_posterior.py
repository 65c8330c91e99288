"""Posterior of the best theta of a board: exactly, or by approximate Bayesian computation."""

import json
import warnings
from importlib.metadata import version
from typing import Any, Literal

import numpy as np
import xarray as xr

from leaderbayes import _arguments
from leaderbayes._arguments import one_of, positive, whole
from leaderbayes._errors import LeaderbayesError, LeaderbayesWarning
from leaderbayes._numerics.workers import workers_of
from leaderbayes._scores.facts import own_rho
from leaderbayes.sota._abc_smc import abc_smc
from leaderbayes.sota._assemble import behind
from leaderbayes.sota._doubts import question
from leaderbayes.sota._gibbs import gibbs
from leaderbayes.sota._importance_sampling import exact
from leaderbayes.sota._model import parts_of
from leaderbayes.sota._model_of_estimates import EstimateBoard
from leaderbayes.sota._prior import prior_groups
from leaderbayes.sota._sizes import with_sizes
from leaderbayes.sota._variants import variants_of

_MOST_VARIANTS = 1000  # of each team


def posterior(
    board: xr.DataArray,
    *,
    sampler: Literal["exact", "abc-smc"] = "exact",
    law: Any = "flexible",
    components: int = 2,
    floor: float | None = None,
    n: Any = None,
    rho: Any = None,
    theta_0: float | None = None,
    variants: Any = 1,
    statistic: Literal["board", "moments", "maximum"] = "board",
    epsilon: float | Literal["auto"] = 0.5,
    draws: int = 250,
    chains: int = 4,
    prior: bool = False,
    seed: int | None = None,
    workers: int | None = None,
    progressbar: bool = True,
) -> xr.DataTree:
    r"""Posterior of the best theta on a board, and of every team's.

    .. math:: \theta_j \sim P(\theta), \quad \theta_{SOTA} = \max_j \theta_j, \quad
              X_j \mid \theta_j \sim \mathrm{Bin}(n, \theta_j)

    with Boland's dependence, as in `maximum`: all teams share the luck of the test set. Scores with
    standard errors, and AUCs on the probit scale, are normal given their thetas.

    Parameters
    ----------
    board : DataArray (team)
        From `read_board` or `read_answers`. Of accuracies teams at or below chance are left out.
    sampler : {"exact", "abc-smc"}
        The likelihood, with thetas integrated out by quadrature and the parameters drawn by
        importance sampling (under the flexible law by Gibbs' sampler, in chains); or simulated
        boards whose statistics come as near to the board's as ``epsilon`` asks, by sequential Monte
        Carlo (`leaderbayes.models.sota`; accuracies only).
    law : {"flexible", "beta", "mixture", "empirical"} or distribution
        P(theta): learnt from the board, with a Dirichlet process as prior, which edges, clones,
        several groups and failures far below do not lead astray; a beta law, or a mixture of them,
        with unknown parameters (normal laws for AUCs and boards with standard errors); the board's
        own scores, shrunk towards chance by an unknown weight (equation 9), which takes luck for
        skill; or a known law, frozen from ``scipy.stats``.
    components : int
        Laws in the mixture.
    floor : float, optional
        Leave out teams with this score or a lower one, and say so to the model: P(theta) then
        need not describe failures far below the best. Accuracies only.
    n : int, (int, int) or distribution, optional
        Instances of the test set: known; between two numbers (equally probable from 500 to 1000 as
        from 1000 to 2000); or with a prior frozen from ``scipy.stats``, such as ``randint(500,
        5001)``, or ``rv_discrete(values=(sizes, probabilities))`` of a few that are possible. By
        default the board's own, of `read_board`. Draws are shared out between eight of the sizes
        at most, by the prior and by what the scores' digits say of them: of which n scores are
        shares. How they spread says nothing: any law of the teams goes with any n.
    rho : float, distribution or DataArray (classifier, instance), optional
        Dependence: known; with a prior, frozen from ``scipy.stats``; or right and wrong answers
        (1, 0) of comparable classifiers, whose `estimate_rho` is the prior. By default the board's
        own, of `read_answers` (a beta prior with the estimate's mean and spread), else 0. Of AUCs
        as for `maximum`, known.
    theta_0 : float, optional
        P(the reference is right); the best score by default, which matters little.
    variants : int or distribution
        How many variants, each as good as the others, every team may have tried on the test set, to
        show the best: a number, or a prior of each team's own, frozen from ``scipy.stats``, such as
        ``randint(1, 51)``. Of accuracies, under the flexible law.
    statistic : {"board", "moments", "maximum"}
        What is known: the whole board (of which "abc-smc" takes the maximum and three quantiles);
        of "abc-smc" its maximum, mean and standard deviation, which do not say all of it either;
        or only its best score, as in section 5.3.2 of the paper, which needs a known law.
    epsilon : float or "auto"
        Of "abc-smc": how near simulated statistics must come, in their standard deviations.
        "auto": as near as 0.3, by as many moves of the particles as it takes that most of them
        move, unless that takes too many; ``sample_stats`` say how near each chain came.
    draws, chains : int
        Draws kept per chain, number of chains (of "exact" but for the flexible law, these are
        independent draws in parts). What 80 independent draws say is the least that is believed
        (LB001), and whether the law describes the board (LB021) is asked of 400 draws or more.
    prior : bool
        Also draw the groups ``prior`` and ``prior_predictive``, ``draws`` in one chain.
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
        (component) where there are several, with their ``weight``; ``shrinkage``; of the Dirichlet
        process its ``concentration``), ``ease`` of the
        test set for the reference in standard deviations, ``rho`` where it is not known, and ``n``
        where that is not (draws of one n behind each other).
        ``posterior_predictive``: ``score`` (chain, draw, team), the same teams on another test
        set, and ``new_score``, another board of teams from P(theta). ``log_likelihood``: ``score``
        (chain, draw, team), theta integrated out. ``log_prior``, ``observed_data`` (``score``: the
        board of the teams that stay, with its attrs), ``constant_data`` (``n`` or ``se``). On
        request ``prior`` (the parameters, and ``theta_sota``) and ``prior_predictive``
        (``score``), chain and draw too.
        "abc-smc" adds ``sample_stats``: ``epsilon``,
        ``accept_rate`` (chain, stage), ``unique`` (chain), the share of different particles. attrs:
        ``model`` "sota", ``sampler``, ``arguments`` and ``versions`` (JSON), ``seed``,
        ``converged`` (0 or 1), ``pareto_k`` and ``ess`` of the importance weights, or ``max_rhat``
        (and ``ess``, of the flexible law) of theta_sota, ``warnings`` (JSON list).

    Raises
    ------
    LeaderbayesError
        If an argument is out of range, no team is above the floor, a known law all but excludes
        a team's score, or "abc-smc" is asked for variants or an n that is not known.

    Warns
    -----
    ConvergenceWarning
        LB001, if the importance weights, or the chains, cannot be trusted.
    BoardWarning
        LB020, if the scores are shares of no n that is possible.
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
    one_of("sampler", sampler, "exact", "abc-smc")
    draws, chains = whole("draws", draws), whole("chains", chains)
    if epsilon != "auto":
        epsilon = positive("epsilon", epsilon)
    seed = _arguments.seed_or_new(seed)
    rho = own_rho(board) if rho is None else rho
    arguments = {
        "law": named(law), "components": components, "floor": floor, "n": named(n),
        "rho": named(rho), "theta_0": theta_0, "variants": named(variants), "statistic": statistic,
        "epsilon": epsilon, "draws": draws, "chains": chains,
    }  # fmt: skip
    tried = variants_of("variants", variants, _MOST_VARIANTS)
    rng = np.random.default_rng(seed)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LeaderbayesWarning)
        board, sizes = with_sizes(board, n, draws)
        parts = parts_of(
            board, sizes, draws, law=law, components=components, floor=floor, rho=rho,
            theta_0=theta_0, statistic=statistic, variants=tried if tried.several else None,
            workers=workers_of(workers),
        )  # fmt: skip
        kept, model, _ = parts[0]
        if sampler == "exact" and statistic == "moments":
            raise LeaderbayesError(
                "statistic='moments' is of sampler='abc-smc': the likelihood is of the whole board."
            )
        if sampler == "exact":
            draw = gibbs if model.flexible else exact
            tree = draw(parts, chains, rng)
        elif isinstance(model, EstimateBoard):
            raise LeaderbayesError("sampler='abc-smc' is for accuracies: take sampler='exact'.")
        elif model.variants is not None:
            raise LeaderbayesError(
                "sampler='abc-smc' simulates boards without variants: take sampler='exact'."
            )
        elif len(parts) > 1:
            raise LeaderbayesError(
                "sampler='abc-smc' simulates boards of one n: give it (n=), or take "
                "sampler='exact', which integrates over those that are possible."
            )
        else:
            tree = abc_smc(kept, model, epsilon, draws, chains, rng, progressbar=progressbar)
        question(tree, flexible=model.flexible)
    if prior:
        groups = [prior_groups(*part, rng) for part in parts]
        for name in groups[0]:
            tree[name] = xr.DataTree(behind([group[name] for group in groups]))
    # What libraries say of themselves is not said of this posterior.
    caught = [w for w in caught if issubclass(w.category, LeaderbayesWarning)]
    for warning in caught:
        warnings.warn(warning.message, warning.category, stacklevel=2)
    packages = ("leaderbayes", "numpy", "scipy", "arviz", "xarray")
    tree.attrs |= {
        "sampler": sampler,
        "arguments": json.dumps(arguments),
        "versions": json.dumps({package: version(package) for package in packages}),
        "seed": seed,
        **({"variants": tried.most} if tried.several else {}),
        "warnings": json.dumps([str(warning.message) for warning in caught]),
    }
    return tree


def named(value: Any) -> Any:
    """Give laws and answers to JSON by a name."""
    if hasattr(value, "dist"):
        terms = [f"{v:g}" for v in value.args] + [f"{k}={v:g}" for k, v in value.kwds.items()]
        return f"{value.dist.name}({', '.join(terms)})"
    if hasattr(value, "pmf"):
        return value.name
    return "answers" if isinstance(value, xr.DataArray) else value
