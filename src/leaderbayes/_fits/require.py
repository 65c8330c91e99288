"""What a user gives is a fit, or an estimate; or an error says what it is instead."""

from typing import Any

import xarray as xr

from leaderbayes._errors import LeaderbayesError


def require_tree(given: Any) -> None:
    """Raise unless this is a DataTree, as fits and studies are.

    Raises
    ------
    LeaderbayesError
        Saying what it is instead.
    """
    if not isinstance(given, xr.DataTree):
        raise no_fit(given)


def require_estimate(given: Any) -> None:
    """Raise unless this is an estimate of `leaderbayes.likelihood`.

    Raises
    ------
    LeaderbayesError
        Saying what it is instead.
    """
    if not isinstance(given, xr.Dataset) or "epp" not in given:
        raise no_fit(given)


def no_fit(given: Any) -> LeaderbayesError:
    """Make the error that says what was given where a fit, or an estimate, is wanted."""
    name = type(given).__name__
    if isinstance(given, xr.DataArray) and "player" in given.dims:
        name = f"scores ({name})"
    elif isinstance(given, xr.Dataset) and "place" in given:
        name = f"matches ({name})"
    return LeaderbayesError(
        "This takes a fit, or an estimate of leaderbayes.likelihood: give what leaderbayes.fit "
        f"returns, not {name}."
    )
