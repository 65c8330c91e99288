"""A penalty as strong as a fit's prior is beside its matches or votes."""

import numpy as np
import xarray as xr

from leaderbayes._fits.posterior import refuse
from leaderbayes._types import Floats

LEAST = 1e-3  # variance of strengths that a penalty goes by


def spread_of(epp: Floats | xr.DataArray) -> float:
    """Give the variance of strengths, of draws (draw, player)."""
    return max(float((epp**2).mean()), LEAST)


def weight_of(dt: xr.DataTree) -> float:
    """Give the mean weight of a fit's matches or votes.

    Raises
    ------
    LeaderbayesError
        If it is no number above 0.
    """
    weight = float(dt.attrs.get("weight", np.nan))
    if not (np.isfinite(weight) and weight > 0.0):
        raise refuse(dt, f"has the weight {weight}")
    return weight
