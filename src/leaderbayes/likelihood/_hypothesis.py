"""Linear hypotheses on strengths: how they are written, and their Wald and likelihood-ratio tests.

A *coefficient* is a player, by name, or PMRA's ``intercept``.
"""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray
from scipy.special import chdtrc, ndtr

from leaderbayes._arguments import is_list, number, one_of, wrong
from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.newton import Linear
from leaderbayes._types import Floats
from leaderbayes.likelihood._spread import coefficients, pair_errors, require_fitted, trust, vary

Hypothesis = Sequence[tuple[str, str]] | xr.DataArray
Convention = Literal["correct", "published"]
Adjust = Literal["holm", "fdr_bh"]


def linear(
    hypothesis: Hypothesis, value: float | Sequence[float], players: NDArray[Any], parameters: int
) -> Linear:
    """Write K x = c over all parameters: the players', the intercept if any, the rest; or raise."""
    m = len(players)
    place = {str(name): k for k, name in enumerate(players)}
    if isinstance(hypothesis, xr.DataArray):
        if set(hypothesis.dims) != {"hypothesis", "coefficient"}:
            raise LeaderbayesError(
                "A matrix of hypotheses needs the dimensions hypothesis and coefficient, not "
                f"{', '.join(map(str, hypothesis.dims))}."
            )
        rows = hypothesis.transpose("hypothesis", "coefficient").to_numpy().astype(float)
        names = [str(name) for name in hypothesis["coefficient"].to_numpy()]
        if parameters > m:
            place.setdefault("intercept", m)
    else:
        if not is_list(hypothesis) or not all(is_list(pair) for pair in hypothesis):
            raise wrong("hypothesis", hypothesis, "pairs of players, such as [('a', 'b')]")
        pairs = [tuple(pair) for pair in hypothesis]
        if not pairs or any(len(pair) != 2 for pair in pairs):
            raise LeaderbayesError("Hypotheses must be pairs of players, such as [('a', 'b')].")
        names = sorted({str(name) for pair in pairs for name in pair})
        rows = np.zeros((len(pairs), len(names)))
        for row, (a, b) in zip(rows, pairs, strict=True):
            row[names.index(str(a))] += 1.0
            row[names.index(str(b))] -= 1.0
    unknown = [name for name in names if name not in place]
    if unknown:
        raise LeaderbayesError(
            f"The hypothesis names {unknown[0]!r}, which is not one of the {m} "
            f"players{' nor the intercept' if parameters > m else ''}."
        )
    matrix = np.zeros((len(rows), parameters))
    matrix[:, [place[name] for name in names]] = rows
    # Strengths sum to zero: only contrasts with the average player count.
    matrix[:, :m] -= matrix[:, :m].mean(axis=1, keepdims=True)
    if not np.isfinite(matrix).all() or np.linalg.matrix_rank(matrix) < len(matrix):
        raise LeaderbayesError(
            "The hypotheses are not independent (one is empty, repeats another, or follows from "
            "others); omit it."
        )
    c = np.array([number("value", one) for one in np.ravel(value).tolist()])
    if len(c) not in (1, len(matrix)):
        raise LeaderbayesError(
            f"value has {len(c)} numbers: use one, or one for each of {len(matrix)} hypotheses."
        )
    return Linear(matrix, np.broadcast_to(c, (len(matrix),)))


def published_scale(fit: xr.Dataset, convention: Convention) -> tuple[float, int]:
    """Return a convention's factor on variances, and its further degrees of freedom; or raise."""
    one_of("convention", convention, "correct", "published")
    if convention == "published" and "intercept" in fit and "order" not in fit:
        raise LeaderbayesError(
            "Nothing is published about PMRA on votes: use convention='correct'."
        )
    factor = float(fit.attrs.get("published_variance", 1.0))
    if convention == "correct" or factor == 1.0:
        return 1.0, 0
    if fit.attrs["covariance"] != "model":
        raise LeaderbayesError(
            "EloML's tests assume independent matches: use covariance='model' with "
            "convention='published'."
        )
    return factor, 1


def _require_variance(k: Floats, fit: xr.Dataset) -> None:
    if not vary(k, fit):
        raise LeaderbayesError(
            f"{len(k)} hypothes{'i' if len(k) == 1 else 'e'}s: more than the rank of this "
            "covariance (clustered, at most the number of rounds minus one); test fewer, or use "
            "covariance='model'."
        )


def pair_differences(fit: xr.Dataset, convention: Convention) -> tuple[Floats, Floats]:
    """Return log-odds that the row beats the column, and standard errors, each (player, player)."""
    factor, _ = published_scale(fit, convention)
    epp = fit["epp"].to_numpy()
    gap = epp[:, None] - epp
    if convention == "correct" or "intercept" not in fit:
        return gap, np.sqrt(factor) * pair_errors(fit)
    listed = fit["order"].to_numpy()
    sign = np.sign(listed - listed[:, None])
    return gap + sign * float(fit["intercept"]), pair_errors(fit, sign)


def hypothesis_test(
    estimate: xr.Dataset,
    a: str | None = None,
    b: str | None = None,
    *,
    hypothesis: Hypothesis | None = None,
    value: float | Sequence[float] = 0.0,
    restricted: xr.Dataset | None = None,
    convention: Convention = "correct",
) -> xr.Dataset:
    r"""Test hypotheses K b = c by Wald's test, or by the likelihood that they cost.

    .. math:: w = (K \hat b - c)' (K \hat\Sigma K')^{-1} (K \hat b - c), \quad
        LR = 2 (\ell(\hat b) - \ell(\tilde b)) \,/\, \bar\lambda

    Both are :math:`\chi^2_{rank K}`. Where the covariance is the model's, :math:`\bar\lambda = 1`;
    else matches are dependent, LR is a sum of :math:`\chi^2_1` with weights of mean
    :math:`\bar\lambda = \mathrm{tr}((K H^{-1} K')^{-1} K \hat\Sigma K') / rank K`, and its law is
    exact for one hypothesis in large samples.

    Parameters
    ----------
    estimate : Dataset
        From `leaderbayes.likelihood`, without hypotheses.
    a, b : str
        Two players, of equal strength by the hypothesis.
    hypothesis : sequence of (str, str), or DataArray (hypothesis, coefficient), optional
        Instead of a and b: pairs of players of equal strength, all at once; or K, whose
        coefficients are players and PMRA's ``intercept``.
    value : float or sequence of float
        c, log-odds.
    restricted : Dataset, optional
        Instead of these: the same estimate with ``hypothesis``, for the likelihood-ratio test.
    convention : {"correct", "published"}
        "published", on Bradley-Terry with ``covariance="model"``: Wald's test of EloML, which
        counts every match twice and a degree of freedom too many. On PMRA a pair i, j is
        b_0 + b_i - b_j = c, i listed before j.

    Returns
    -------
    Dataset
        Scalars: ``statistic``, ``df``, ``p_value``.

    Raises
    ------
    LeaderbayesError
        If a name is unknown, hypotheses are not independent, there are more of them than a
        covariance clustered by round identifies, or two estimates differ in model or players.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), property 3.3. Gajda, Chlebus (2022), equations 10 and 11.
    Rotnitzky, Jewell (1990), Biometrika 77.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> board = lb.matches(lb.datasets.load("classifiers", "breast_cancer"))
    >>> estimate = lb.likelihood.bradley_terry(board)
    >>> test = lb.likelihood.hypothesis_test(estimate, "svm C=1", "logistic C=1")
    >>> print(f"{test['statistic']:.2f}, p = {test['p_value']:.2f}")
    1.15, p = 0.28
    """
    require_fitted(estimate)
    if restricted is not None:
        if convention != "correct" or any(x is not None for x in (a, b, hypothesis)):
            raise LeaderbayesError(
                "restricted= has its hypotheses: omit a, b, hypothesis= and convention=."
            )
        return _by_likelihood(restricted, estimate)
    tested = _asked(a, b, hypothesis)
    factor, more = published_scale(estimate, convention)
    players = estimate["player"].to_numpy()
    k, c = linear(tested, value, players, len(players) + ("intercept" in estimate))
    listed_first = convention == "published" and "intercept" in estimate
    if listed_first and not isinstance(tested, xr.DataArray):
        listed = estimate["order"].to_series()
        k[:, -1] = [1.0 if listed[i] < listed[j] else -1.0 for i, j in tested]
    coefficient, covariance = coefficients(estimate)
    gap = k @ coefficient - c
    middle = factor * k @ covariance @ k.T
    _require_variance(k, estimate)
    statistic = float(gap @ np.linalg.solve(middle, gap))
    return _tested(statistic, len(k) + more, estimate)


def _asked(a: str | None, b: str | None, hypothesis: Hypothesis | None) -> Hypothesis:
    """Take the hypothesis from two players, or as it is."""
    if isinstance(a, str) and isinstance(b, str) and hypothesis is None:
        return [(a, b)]
    if a is None and b is None and hypothesis is not None:
        return hypothesis
    raise LeaderbayesError(
        "Name two players, hypothesis_test(estimate, 'a', 'b'), or pass hypothesis=[('a', 'b'), "
        "('a', 'c')], pairs or a matrix."
    )


def _tested(statistic: float, df: int, estimate: xr.Dataset) -> xr.Dataset:
    """Return the result of a test whose statistic is chi-square."""
    p_value = float(chdtrc(df, statistic))
    return xr.Dataset({"statistic": statistic, "df": df, "p_value": p_value}, attrs=trust(estimate))


def _by_likelihood(restricted: xr.Dataset, general: xr.Dataset) -> xr.Dataset:
    """Return the likelihood-ratio test of a restricted estimate."""
    require_fitted(restricted)
    same = restricted.attrs["model"] == general.attrs["model"]
    if not same or not np.array_equal(restricted["player"], general["player"]):
        raise LeaderbayesError("A likelihood-ratio test needs one model and the same players.")
    if "hypothesis_matrix" not in restricted or "hypothesis_matrix" in general:
        raise LeaderbayesError(
            "hypothesis_test(estimate, restricted=restricted): fit the second with hypothesis=, "
            "and the first without."
        )
    k = restricted["hypothesis_matrix"].to_numpy()
    df = len(k)
    gain = 2.0 * float(general["loglik"] - restricted["loglik"])
    if general.attrs["covariance"] != "model":
        _require_variance(k, general)
        _, robust = coefficients(general)
        _, model = coefficients(general, "covariance_model")
        gain /= float(np.trace(np.linalg.solve(k @ model @ k.T, k @ robust @ k.T))) / df
    return _tested(max(gain, 0.0), df, general)


def pairwise_tests(
    estimate: xr.Dataset, *, adjust: Adjust | None = "holm", convention: Convention = "correct"
) -> pd.DataFrame:
    """Test all pairs by Wald's test, with p-values adjusted for their number.

    Parameters
    ----------
    estimate : Dataset
        From `leaderbayes.likelihood`.
    adjust : {"holm", "fdr_bh"} or None
        Holm's adjustment (of the probability of any false claim), Benjamini's and Hochberg's
        (of the expected share of false claims), or none.
    convention : {"correct", "published"}
        As for `hypothesis_test`.

    Returns
    -------
    DataFrame
        ``player``, ``opponent`` (of lower epp), ``difference``, ``error`` (log-odds), ``p_value``,
        ``p_adjusted``; a row for each pair, best players first. Errors and p-values are NaN where
        rounds agree (LB015).

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, property 3.3.
    Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of
    Statistics 6. Benjamini, Hochberg (1995), Controlling the false discovery rate, JRSS B 57.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> board = lb.matches(lb.datasets.load("classifiers", "breast_cancer"))
    >>> tests = lb.likelihood.pairwise_tests(lb.likelihood.bradley_terry(board))
    >>> len(tests), int((tests["p_adjusted"] < 0.05).sum())
    (105, 72)
    >>> tests[["player", "opponent", "difference", "p_adjusted"]].round(2).head(2)
        player      opponent  difference  p_adjusted
    0  svm C=1  logistic C=1        0.33        1.00
    1  svm C=1      svm C=10        0.51        0.59
    """
    one_of("adjust", adjust, "holm", "fdr_bh", None)
    require_fitted(estimate)
    _, more = published_scale(estimate, convention)
    gap, error = pair_differences(estimate, convention)
    ranked = np.argsort(-estimate["epp"].to_numpy(), kind="stable")
    pairs = tuple(ranked[side] for side in np.triu_indices(len(ranked), 1))
    gap, error = gap[pairs], error[pairs]
    # NaN where there is nothing to test: no variation, or equal by hypothesis.
    z = np.divide(np.abs(gap), error, out=np.full(len(gap), np.nan), where=error > 0.0)
    p_value = chdtrc(1 + more, z**2) if more else 2.0 * ndtr(-z)
    players = estimate["player"].to_numpy()
    table = pd.DataFrame(
        {
            "player": players[pairs[0]],
            "opponent": players[pairs[1]],
            "difference": gap,
            "error": error,
            "p_value": p_value,
            "p_adjusted": _adjusted(p_value, adjust),
        }
    )
    table.attrs.update(trust(estimate))
    return table


def _adjusted(p_value: Floats, adjust: Adjust | None) -> Floats:
    """Adjust p-values for each other; NaN, where nothing is tested, counts for none."""
    if adjust is None:
        return p_value
    m = int(np.isfinite(p_value).sum())
    order = np.argsort(p_value)[:m]  # NaN is sorted last
    adjusted = np.full(len(p_value), np.nan)
    if adjust == "holm":
        stepped = np.maximum.accumulate(np.arange(m, 0, -1) * p_value[order])
        adjusted[order] = np.minimum(stepped, 1.0)
    else:
        from scipy.stats import false_discovery_control  # which takes long to import

        adjusted[order] = false_discovery_control(p_value[order], method="bh")
    return adjusted
