"""Bradley-Terry: the EPP meta-score."""

import pymc as pm
import xarray as xr

from leaderbayes.models._board import board_model, check_options
from leaderbayes.models._weight import Weight


def bradley_terry(
    matches: xr.Dataset,
    *,
    weight: Weight = "composite",
    test_fraction: float | None = None,
    prior_scale: float = 2.0,
    centring: float | None = None,
) -> pm.Model:
    r"""Bradley-Terry model of a board, with an honest width by default.

    .. math::

        \sigma &\sim \mathrm{HalfNormal}(prior\_scale) \\
        b &\sim \mathrm{ZeroSumNormal}(\sigma) \\
        \mathrm{logit}\,P(i\ \mathrm{beats}\ j) &= b_i - b_j

    and the likelihood of all matches of a round is raised to the power ``weight``.

    Parameters
    ----------
    matches : Dataset
        From `leaderbayes.matches`, with ties "half" or "drop".
    weight : "composite" or float
        Power of the likelihood. "composite" estimates the one at which intervals have their
        nominal coverage although a round's matches are dependent; 1.0 is as published.
    test_fraction : float, optional
        Share of the data that each round tests on, for rounds of a repeated cross-validation,
        which share training data: a further factor 1 / (1 + r f / (1 - f)) on the weight of r
        rounds (Nadeau and Bengio 2003).
    prior_scale : float
        Scale of the half-normal prior on the players' standard deviation, log-odds.
    centring : float, optional
        How the players are sampled, from 0 (not centred) to 1 (centred): the model is the same.
        Chosen from the board by default.

    Returns
    -------
    pymc.Model
        Variables ``epp`` (player), sum to zero, natural log-odds of beating the average player;
        ``epp_scale`` (); ``epp_unit`` (player), what is sampled for ``epp``;
        observed ``place`` (round, player), 1 is best and 0 absent; data ``weight``
        (). Log-likelihood and replicates come by round.

    Raises
    ------
    LeaderbayesError
        If an option has no meaning for these matches.

    Warns
    -----
    DisconnectedWarning
        If some differences rest on the prior alone.
    WeightWarning
        If fewer than 3 rounds leave the composite weight to a formula.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, section 3.
    Ribatet, Cooley, Davison (2012), Bayesian inference from composite likelihoods.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> model = lb.models.bradley_terry(lb.matches(lb.datasets.load_classifiers("iris")))
    >>> [variable.name for variable in model.free_RVs]
    ['epp_scale', 'epp_unit']
    >>> [variable.name for variable in model.deterministics]
    ['epp']
    >>> [variable.name for variable in model.observed_RVs]
    ['place']
    """
    check_options(centring, prior_scale=prior_scale)
    return board_model(
        matches,
        weight=weight,
        test_fraction=test_fraction,
        prior_scale=prior_scale,
        centring=centring,
    )
