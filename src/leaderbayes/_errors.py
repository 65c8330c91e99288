"""Our exceptions and warnings. Imports nothing of the package.

A warning starts with a stable code (``LB001``), which ``docs/warnings.md`` explains, and ends with
what to do.
"""

import os
import warnings

_PACKAGE = os.path.dirname(__file__)


class LeaderbayesError(ValueError):
    """Input that cannot be used. The command line exits with status 2 on it."""


class ScoresError(LeaderbayesError):
    """A table of scores that cannot be read: names the file and the row, player or column."""


class NotConvergedError(LeaderbayesError, RuntimeError):
    """An estimate does not exist, or an iteration did not converge: there is no number."""


class MissingExtraError(ModuleNotFoundError, LeaderbayesError):
    """A package that is optional is not installed; names it, and the extra that brings it."""


class LeaderbayesWarning(UserWarning):
    """A result that needs care; every output drawn from it repeats the message."""


def warn(text: str) -> None:
    """Warn at the first line outside of the package."""
    warnings.warn(text, LeaderbayesWarning, skip_file_prefixes=(_PACKAGE,))
