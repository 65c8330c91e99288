"""Whether boards drawn from a fit look like the one that it was made from."""

import numpy as np
import xarray as xr

from leaderbayes import _arguments
from leaderbayes._answers.best import compared, is_best
from leaderbayes._answers.named_misfit import has_record, misfits
from leaderbayes._arguments import whole
from leaderbayes._fits.trust import trust
from leaderbayes._inference.discrepancy import discrepancies, share_as_far


def check(dt: xr.DataTree, *, draws: int = 200, seed: int | None = None) -> xr.Dataset:
    """Check the fit by replicates of the board that are drawn round by round.

    The discrepancy is the deviance of the counts of wins, summed over tournaments, each board's at
    its own estimate (Bradley-Terry with one pseudo-round). Replicated boards are two: whole
    rankings, which keep the dependence between the matches of a round; and naive ones, every match
    on its own, as the published test supposes.

    Whole rankings are drawn around the board's own estimate, which is stretched, or drawn together,
    by one factor, until what they show is as spread as what the board shows, and players tie in
    them at the places at which those of the board's rounds do: a parametric bootstrap. Those of
    Davidson's model, which tie by themselves, and PMRA's matches given the round's intercept, are
    the fit's own (``posterior_predictive``).

    Where each round has two places only (items that are right or wrong) the deviance is what the
    players' sums say, and nothing can be seen.

    Votes are drawn again by judges, and on prompts, whose opinions of players are spread as these
    votes say; the discrepancy is Pearson's chi-square of all pairs, at each board's own estimate.
    There are no naive replicates.

    What does not fit is named, of votes and of Bradley-Terry's fits to one tournament: how far each
    pair's own record is from the fit, and three players of whom, by their own records, each beats
    the next and the last beats the first, which no strengths can describe.

    A posterior of the best of a board is checked by boards of other teams from the fitted P(theta):
    all draws are used, and nothing is drawn.

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit` or `leaderbayes.sota.posterior`.
    draws : int
        Replicates, of posterior draws spread evenly over those that have some, and as many others.
    seed : int, optional
        Of the naive replicates: same seed, same numbers. None draws one; it is in attrs.

    Returns
    -------
    Dataset
        ``observed``, ``replicated_round``, ``replicated_naive`` (draw): discrepancies. ``p_round``,
        ``p_naive``: share of draws whose replicate is at least as discrepant as the board. Near 0:
        the board does not fit; near 1: it varies less than the model says. NaN of votes on so few
        pairs that strengths describe any votes on them (a chain of players, a star). Of the best of
        a board: ``observed``, ``lower`` and ``upper`` (95 % interval of the model's boards) and
        ``p_value`` (two-sided) over ``statistic``: "maximum", "quantile 0.9", "median", "quantile
        0.1". Of votes
        and of Bradley-Terry's fits to one tournament ``pair_gap`` (player, opponent), what a
        pair won above what was expected, in standard errors (NaN where they have not met; its
        largest size grows with the pairs: of 100 that fit about 2.5); ``triple`` (triple, place),
        a beats b beats c beats a, most certain first, and ``triple_probability`` (triple), that
        all three records are so: listed are those of at least 1 - 0.05 / number of pairs that have
        met, so that one is listed by chance on one transitive board in twenty at most. attrs:
        ``model``, ``seed`` (not of the best), ``converged``, ``warnings``.

    Raises
    ------
    LeaderbayesError
        If it is no fit, or ``draws`` is below 1.

    References
    ----------
    Gelman, Meng, Stern (1996), Posterior predictive assessment of model fitness via realized
    discrepancies, Statistica Sinica 6.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "diabetes"), sampler="laplace", seed=1)
    >>> result = lb.check(dt, seed=1)
    >>> result.sizes["draw"], result.sizes["triple"]
    (200, 0)
    >>> 0.1 < float(result["p_round"]) < 0.9
    True
    """
    draws = whole("draws", draws)
    if is_best(dt):
        attrs = {"model": "sota", **trust(dt)}
        return xr.Dataset.from_dataframe(compared(dt)).assign_attrs(attrs)
    seed = _arguments.seed_or_new(seed)
    observed, by_round, naive = discrepancies(dt, draws, np.random.default_rng(seed))
    named = misfits(dt) if has_record(dt) else xr.Dataset()
    return xr.Dataset(
        {
            "observed": ("draw", observed),
            "replicated_round": ("draw", by_round),
            "replicated_naive": ("draw", naive),
            "p_round": share_as_far(observed, by_round),
            "p_naive": share_as_far(observed, naive),
            **named.data_vars,
        },
        named.coords,
        attrs={"model": dt.attrs["model"], "seed": seed, **trust(dt)},
    )
