"""Generative models: each a function from matches to a `pymc.Model`."""

from leaderbayes.models._bradley_terry import bradley_terry
from leaderbayes.models._davidson import davidson

__all__ = ["bradley_terry", "davidson"]
