"""One published score: what it is worth where variants were tried and the best was shown."""

from typing import Any

import numpy as np
import xarray as xr
from scipy.special import ndtr, ndtri

from leaderbayes._arguments import number, positive, share, whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.decimals import decimals_of_best
from leaderbayes._numerics.winner import Normals, Shares
from leaderbayes._scores.tables import counted
from leaderbayes._types import Floats
from leaderbayes.sota._read_board import read_board
from leaderbayes.sota._variants import Variants, variants_of
from leaderbayes.sota._winner import winner

_GRID = 601  # thetas of the variants' centre
_REACH = 9.0  # standard deviations of the score that the grid spans on either side, and more below
_SPREAD = np.linspace(-5.0, 5.0, 41)  # standard deviations of a variant from their centre
_FACTOR = np.linspace(-6.0, 6.0, 61)
_MOST = 1_000_000  # variants


def claim(
    score: float,
    *,
    k: Any = 1,
    n: int | None = None,
    se: float | None = None,
    rho: float = 0.0,
    spread: float = 0.0,
    prior: Any = None,
    prob: float = 0.95,
) -> xr.Dataset:
    r"""Say what a published score is worth, if it is the best of k variants on one test set.

    A variant's score given its theta is binomial (n) or normal (se); variants are about as good as
    each other, :math:`\theta_i \sim N(\mu, \mathrm{spread}^2)`, and the best score x of k was
    shown. The posterior of the shown variant's theta is, with G the law of a variant's score,

    .. math:: p(\theta, \mu \mid x) \propto p(\mu) \, p(\theta \mid \mu) \, p(x \mid \theta) \,
              k \, G(x \mid \mu)^{k - 1},

    integrated over k where that is not known, and over the luck that variants share.

    Parameters
    ----------
    score : float
        As it was published.
    k : int or distribution
        How many variants were tried, the published one among them; or a prior, a frozen discrete
        law of ``scipy.stats``, such as ``randint(1, 51)`` or ``geom(0.1)``.
    n : int, optional
        Instances of the test set, of shares of right answers.
    se : float, optional
        Standard error of the score, of any metric of which more is better; n or se, not both.
    rho : float
        Two variants' scores correlate by rho^2 given their thetas: variants of one model that are
        right on the same instances were less of a choice. 0 is the pessimistic choice.
    spread : float
        Standard deviation of the variants' thetas, in the score's unit. At 0 all the choice was of
        luck, the pessimistic choice; where variants differ much the best score is mostly skill.
    prior : distribution, optional
        Of the variants' centre, frozen from ``scipy.stats``; flat by default.
    prob : float
        Probability of the intervals.

    Returns
    -------
    Dataset
        Scalars ``score``; ``theta``, posterior mean of the shown variant's true score, with
        ``theta_lower``, ``theta_upper``; ``optimism``, score less theta; ``alone``, what ``theta``
        would be were the variant the only one; ``law_free_lower``, ``law_free_upper``: an interval
        of the best variant's theta that assumes nothing of the variants or of theta (of a prior of
        k, at its 0.975 quantile). attrs: ``k`` (the mean of a prior), ``rho``, ``spread``,
        ``prob``, ``message``.

    Raises
    ------
    LeaderbayesError
        If an argument is out of range, or the priors exclude the score.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> from scipy.stats import randint
    >>> found = lb.sota.claim(0.931, k=27, n=2000)
    >>> [round(float(found[name]), 3) for name in ("theta", "theta_lower", "theta_upper")]
    [0.919, 0.912, 0.924]
    >>> round(float(lb.sota.claim(0.931, k=randint(1, 28), n=2000)["theta"]), 3)
    0.922
    """
    score = number("score", score)
    share("prob", prob)
    rho, spread = number("rho", rho, at_least=0.0, below=1.0), number("spread", spread, at_least=0)
    if (n is None) == (se is None):
        raise LeaderbayesError(
            "Give n (--n), the instances of the test set, or se (--se), the score's standard "
            "error, not both or neither."
        )
    if n is not None:
        whole("n", n)
    variants = variants_of("k", k, _MOST)
    board = read_board([score], n=n, se=se)
    score = float(board[0])
    low, high, scale, error = _cell(score, n, se)
    centre = _centres(score, n, error, spread, int(variants.many[-1]))
    log_prior = np.zeros(len(centre)) if prior is None else _log_prior(prior, centre)
    density, theta = _joint(centre, low, high, scale, spread, rho, variants, n)
    density = density * np.exp(log_prior - log_prior.max())[:, None]
    if not density.sum() > 0.0:
        raise LeaderbayesError(
            f"prior: it excludes that the best of so many variants scores {score:.4g}."
        )
    alone = Variants(np.ones(1), np.ones(1))
    one, _ = _joint(centre, low, high, scale, spread, rho, alone, n)
    one = one * np.exp(log_prior - log_prior.max())[:, None]
    mean = float((density * theta).sum() / density.sum())
    lower, upper = _quantiles(theta, density, [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0])
    free = winner(board, variants=variants.most, rho=rho, prob=prob)
    expected = float(variants.many @ variants.weight)
    form = f".{decimals_of_best(lower, upper)}f"
    tried = counted(round(expected), "variant")
    tried = tried if len(variants.many) == 1 else f"about {tried}"
    return xr.Dataset(
        {
            "score": score,
            "theta": mean,
            "theta_lower": lower,
            "theta_upper": upper,
            "optimism": score - mean,
            "alone": float((one * theta).sum() / one.sum()),
            "law_free_lower": float(free["theta_sota_lower"]),
            "law_free_upper": float(free["theta_sota_upper"]),
        },
        attrs={
            "k": expected,
            "rho": rho,
            "spread": spread,
            "prob": prob,
            "message": f"{score:.4g}, if it is the best of {tried}, is worth "
            f"{mean:{form}} ({prob:.0%} interval {lower:{form}} to {upper:{form}}).",
        },
    )


def _cell(
    score: float, n: int | None, se: float | None
) -> tuple[float, float, Shares | Normals, float]:
    """Give what the score stands for, its law, and its standard error."""
    if n is not None:
        count = n * score
        error = np.sqrt(max(score * (1.0 - score), 1.0 / n) / n)
        return max(count, 0.0), min(count + 1.0, n + 1.0), Shares(n), float(error)
    error = positive("se", se)
    half = 1e-4 * error
    return score - half, score + half, Normals(np.array([error])), error


def _centres(score: float, n: int | None, error: float, spread: float, many: int) -> Floats:
    """Give thetas that the variants' centre may have (centre,)."""
    luck = np.hypot(error, spread)
    below = _REACH + float(ndtri(1.0 - 0.5 / (many + 1.0)))
    low, high = score - below * luck, score + _REACH * luck
    if n is not None:
        low, high = max(low, 1e-9), min(high, 1.0 - 1e-9)
    return np.linspace(low, high, _GRID)


def _log_prior(prior: Any, centre: Floats) -> Floats:
    """Give the log density of a frozen law."""
    if not hasattr(prior, "logpdf"):
        raise LeaderbayesError("prior: give a law frozen from scipy.stats, such as beta(90, 10).")
    log = np.asarray(prior.logpdf(centre), dtype=float)
    if not np.isfinite(log).any():
        raise LeaderbayesError("prior: it excludes all thetas near the score.")
    return log


def _joint(
    centre: Floats,
    low: float,
    high: float,
    scale: Shares | Normals,
    spread: float,
    rho: float,
    variants: Variants,
    n: int | None,
) -> tuple[Floats, Floats]:
    """Give the likelihood of centre and shown theta, and that theta, (centre, step)."""
    steps = _SPREAD if spread > 0.0 else np.zeros(1)
    share_of = np.exp(-0.5 * steps**2)
    share_of /= share_of.sum()
    theta = centre[:, None] + spread * steps
    if n is not None:
        theta = np.clip(theta, 1e-9, 1.0 - 1e-9)
    ends = [np.asarray(scale.z(edge, theta, 0)) for edge in (low, high)]
    factor = _FACTOR if rho > 0.0 else np.zeros(1)
    chance = np.exp(-0.5 * factor**2)
    chance /= chance.sum()
    total = np.zeros(theta.shape)
    for value, probability in zip(factor, chance, strict=True):
        under, upto = (ndtr((z - rho * value) / np.sqrt(1.0 - rho**2)) for z in ends)
        cell = np.maximum(upto - under, 0.0)
        others, reach = (np.clip(part @ share_of, 0.0, 1.0) for part in (under, upto))
        total += probability * share_of * cell * variants.chosen(reach - others, reach)[:, None]
    return total, theta


def _quantiles(theta: Floats, density: Floats, tails: list[float]) -> tuple[float, float]:
    """Give quantiles of weighted thetas."""
    order = np.argsort(theta, axis=None)
    values, mass = theta.ravel()[order], density.ravel()[order]
    cdf = (np.cumsum(mass) - 0.5 * mass) / mass.sum()
    low, high = np.interp(tails, cdf, values)
    return float(low), float(high)
