"""Maximum likelihood: estimates and covariance, without PyMC."""

from leaderbayes.likelihood._bradley_terry import bradley_terry

__all__ = ["bradley_terry"]
