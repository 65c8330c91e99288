"""Two posteriors of the same board, drawn in two ways: whether they are one."""

import numpy as np

DIMS = ("chain", "draw")
UNITS = {"epp_unit", "intercept_unit", "spread_unit", "group_unit"}  # what NUTS of PyMC moves


def agree(one, two):
    """Means within 0.05 standard deviations and ends within 0.1, beside Monte Carlo error."""
    share = np.sqrt(sum(1.0 / dt.attrs["min_ess"] for dt in (one, two)))
    for name, value in two["posterior"].data_vars.items():
        if name in UNITS:
            continue
        sd, other = value.std(DIMS), one["posterior"][name]
        assert (abs(other.mean(DIMS) - value.mean(DIMS)) < (0.05 + 4.0 * share) * sd).all()
        for level in (0.05, 0.95):
            gap = abs(other.quantile(level, DIMS) - value.quantile(level, DIMS))
            assert (gap < (0.1 + 4.0 * 2.1 * share) * sd).all()
