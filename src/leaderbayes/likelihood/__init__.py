"""Maximum likelihood: estimates, covariance, tests and elimination, without PyMC."""

from leaderbayes.likelihood._bootstrap import bootstrap
from leaderbayes.likelihood._bradley_terry import bradley_terry
from leaderbayes.likelihood._eliminate import eliminate
from leaderbayes.likelihood._hypothesis import hypothesis_test, pairwise_tests
from leaderbayes.likelihood._plackett_luce import plackett_luce
from leaderbayes.likelihood._round_intercept import round_intercept
from leaderbayes.likelihood._tables import ranking

__all__ = [
    "bootstrap", "bradley_terry", "eliminate", "hypothesis_test", "pairwise_tests",
    "plackett_luce", "ranking", "round_intercept",
]  # fmt: skip
