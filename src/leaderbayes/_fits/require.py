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


def require_result(given: Any, source: str, *variables: str) -> None:
    """Raise unless this is a Dataset with these variables, as a function of ours returns.

    Raises
    ------
    LeaderbayesError
        Naming the function, ``source``, and what was given instead.
    """
    if not isinstance(given, xr.Dataset) or not {*variables} <= {*given.variables, *given.dims}:
        raise LeaderbayesError(f"This takes what leaderbayes.{source} returns, not {_kind(given)}.")


def require_array(given: Any, what: str, *dims: str) -> None:
    """Raise unless this is a DataArray with these dimensions, in any order.

    Raises
    ------
    LeaderbayesError
        Saying what it is, ``what``, and what was given instead.
    """
    if not isinstance(given, xr.DataArray) or {*given.dims} != {*dims}:
        raise LeaderbayesError(
            f"{what} are a DataArray with the dimensions {' and '.join(dims)}, not {_kind(given)}."
        )


def no_fit(given: Any) -> LeaderbayesError:
    """Make the error that says what was given where a fit, or an estimate, is wanted."""
    return LeaderbayesError(
        "This takes a fit, or an estimate of leaderbayes.likelihood: give what leaderbayes.fit "
        f"returns, not {_kind(given)}."
    )


def _kind(given: Any) -> str:
    """Name what was given by its type, and what we call it."""
    name = type(given).__name__
    if isinstance(given, xr.DataArray) and "player" in given.dims:
        return f"scores ({name})"
    if isinstance(given, xr.Dataset) and "place" in given:
        return f"matches ({name})"
    if isinstance(given, xr.DataArray):
        return f"one with {' and '.join(map(str, given.dims)) or 'no dimension'}"
    return name
