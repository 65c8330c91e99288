"""What stands beside the log-likelihood by round, which is no score to compare models by."""

import numpy as np
import xarray as xr

NOTICE = "use_lb_loo"


def with_notice(log_likelihood: xr.Dataset) -> xr.Dataset:
    """Add ``use_lb_loo`` (chain, draw), zeros, to the group ``log_likelihood``.

    The log-likelihood by round is weighted, and of a whole ranking under one model, of matches
    under another: ``az.loo`` and ``az.compare`` would turn models round. Of two variables they stop
    and name both. ``az.psense`` sums over the group, to which zeros add nothing.
    """
    cells = ("chain", "draw")
    zeros = np.zeros([log_likelihood.sizes[dim] for dim in cells])
    return log_likelihood.assign({NOTICE: (cells, zeros)})
