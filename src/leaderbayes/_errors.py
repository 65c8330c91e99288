"""Our exceptions and warning categories. Imports nothing.

A warning starts with a stable code (``LB001``), which ``docs/warnings.md`` explains, and ends with
what to do.
"""


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


class DisconnectedWarning(LeaderbayesWarning):
    """LB010: some differences between players rest on the prior, not on matches."""


class WeightWarning(LeaderbayesWarning):
    """LB011: too few rounds, or tournaments, to estimate how they vary."""


class HintWarning(LeaderbayesWarning):
    """LB011, LB017, LB018, LB027, LB028, LB053: another model or option suits the data better."""


class EstimateWarning(LeaderbayesWarning):
    """LB014, LB015: a maximum-likelihood estimate, or its standard errors, need care."""


class PredictiveWarning(LeaderbayesWarning):
    """LB013: a round counts too much to be left out."""


class MisfitWarning(LeaderbayesWarning):
    """LB016: the model does not describe the board."""


class BoardWarning(LeaderbayesWarning):
    """LB020: the scores of a competition's board are not shares of its test set."""
