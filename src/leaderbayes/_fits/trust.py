"""Whether a result can be trusted: every table, figure and page repeats it from its fit."""

import json
from collections.abc import Mapping
from typing import Any

import xarray as xr


def trust(fit: xr.DataTree | xr.Dataset) -> dict[str, Any]:
    """Give ``converged`` (0 or 1) and ``warnings`` (JSON list), attrs of whatever is made of a fit.

    An estimate that did not converge is an error, so any that exists did.
    """
    return {
        "converged": int(fit.attrs.get("converged", 1)),
        "warnings": str(fit.attrs.get("warnings", "[]")),
    }


def warnings_of(attrs: Mapping[Any, Any]) -> list[str]:
    """Read the warnings that attrs hold."""
    texts: list[str] = json.loads(attrs["warnings"])
    return texts
