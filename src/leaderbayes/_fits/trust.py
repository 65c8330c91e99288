"""Whether a result can be trusted: what every table, figure and page repeats of its fit."""

import json
from collections.abc import Mapping
from typing import Any

import xarray as xr


def trust(fit: xr.DataTree | xr.Dataset) -> dict[str, Any]:
    """Give ``converged`` (0 or 1) and ``warnings`` (JSON list), attrs of whatever is made of a fit.

    An estimate that did not converge is an error, so that one that is there did.
    """
    return {
        "converged": int(fit.attrs.get("converged", 1)),
        "warnings": str(fit.attrs["warnings"]),
    }


def warnings_of(attrs: Mapping[Any, Any]) -> list[str]:
    """Texts of the warnings that attrs hold."""
    said: list[str] = json.loads(attrs["warnings"])
    return said
