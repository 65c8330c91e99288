"""Maximum likelihood: estimates, covariance, tests and elimination, without PyMC."""

from leaderbayes.likelihood._bootstrap import bootstrap
from leaderbayes.likelihood._bradley_terry import bradley_terry
from leaderbayes.likelihood._eliminate import eliminate
from leaderbayes.likelihood._hypothesis import lr_test, pairwise_tests, wald_test
from leaderbayes.likelihood._plackett_luce import plackett_luce
from leaderbayes.likelihood._round_intercept import round_intercept
from leaderbayes.likelihood._tables import ranking

__all__ = [
    "bootstrap", "bradley_terry", "eliminate", "lr_test", "pairwise_tests",
    "plackett_luce", "ranking", "round_intercept", "wald_test",
]  # fmt: skip
