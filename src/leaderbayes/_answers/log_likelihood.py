"""Log-likelihood by round: what leaves a round out, and what ArviZ' sensitivity goes by."""

import numpy as np
import xarray as xr

from leaderbayes._fits.posterior import Posterior


def log_likelihood(dt: xr.DataTree) -> xr.Dataset:
    """Compute the log-likelihood of each round, as the posterior was made with it.

    A composite likelihood is raised to its weight. That is right for `loo` and for sensitivity to
    powers of the likelihood (``az.psense_summary``), and wrong for ``az.loo``, so such a fit does
    not store it.

    Parameters
    ----------
    dt : DataTree
        Posterior from `fit` or ``pm.sample``. A group ``log_likelihood`` that is there is returned.

    Returns
    -------
    Dataset
        One variable, ``place`` (chain, draw, round) of models of matches.

    Raises
    ------
    LeaderbayesError
        If the group is missing and the model has no likelihood by round.

    Examples
    --------
    >>> import arviz as az
    >>> import leaderbayes as lb
    >>> import xarray as xr
    >>> dt = lb.fit(lb.datasets.load("classifiers", "iris"), seed=1)
    >>> dt["log_likelihood"] = xr.DataTree(lb.log_likelihood(dt))
    >>> table = az.psense_summary(dt, var_names=["epp_scale"])
    """
    post = Posterior(dt)
    by_round = post.model.log_likelihood
    if "log_likelihood" in dt.children or by_round is None or post.of_votes:
        return post.group("log_likelihood")
    inside = post.tree["posterior"].dataset
    drawn = {
        str(name): post.read(str(name), *(str(d) for d in values.dims[2:]))
        for name, values in inside.data_vars.items()
    }
    weight = post.constant["weight"]
    each = np.concatenate(
        [by_round(drawn | {"epp": epp}, board) for board, epp in post.boards()], axis=1
    )
    cells = {"chain": inside["chain"], "draw": inside["draw"]}
    values = (each * weight.to_numpy()).reshape(*(len(c) for c in cells.values()), -1)
    return xr.Dataset({"place": ((*cells, *weight.dims), values)}, cells | dict(weight.coords))
