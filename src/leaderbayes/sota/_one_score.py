"""The interval of one score by itself."""

from scipy.special import betaincinv

from leaderbayes._arguments import number, share, whole


def naive_interval(score: float, n: int, *, prob: float = 0.95) -> tuple[float, float]:
    """Exact (Clopper-Pearson) interval of one classifier's theta: no multiplicity.

    Parameters
    ----------
    score : float
        Share of right answers.
    n : int
        Instances of the test set.
    prob : float
        Coverage.

    Returns
    -------
    tuple of float
        Lower and upper limit.

    Raises
    ------
    LeaderbayesError
        If an argument is out of range.

    References
    ----------
    Clopper, Pearson (1934), The use of confidence or fiducial limits illustrated in the case of the
    binomial, Biometrika 26.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> lower, upper = lb.paper.naive_interval(0.9, 1000)
    >>> round(lower, 2), round(upper, 2)
    (0.88, 0.92)
    """
    score = number("score", score, at_least=0.0, at_most=1.0)
    n, prob = whole("n", n), share("prob", prob)
    right, tail = score * n, (1.0 - prob) / 2.0
    low = 0.0 if right == 0 else float(betaincinv(right, n - right + 1.0, tail))
    high = 1.0 if right == n else float(betaincinv(right + 1.0, n - right, 1.0 - tail))
    return low, high
