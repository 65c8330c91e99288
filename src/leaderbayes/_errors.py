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


class DisconnectedError(LeaderbayesError):
    """The maximum-likelihood estimate does not exist; names the groups of players."""


class NotConvergedError(LeaderbayesError, RuntimeError):
    """An iteration did not converge, so there is no number to return."""


class MissingExtraError(ModuleNotFoundError, LeaderbayesError):
    """A package that is optional is not installed; names it, and the extra that brings it."""


class LeaderbayesWarning(UserWarning):
    """A result that needs care; every output drawn from it repeats the message."""


class ConvergenceWarning(LeaderbayesWarning):
    """LB001: the sampler's diagnostics say that this posterior must not be trusted."""


def warn(text: str, category: type[Warning] = LeaderbayesWarning) -> None:
    """Warn at the first line outside of the package."""
    warnings.warn(text, category, skip_file_prefixes=(_PACKAGE,))
