"""Generative models: each a function from matches to a `pymc.Model`."""

from leaderbayes.models._bradley_terry import bradley_terry
from leaderbayes.models._davidson import davidson
from leaderbayes.models._plackett_luce import plackett_luce
from leaderbayes.models._round_intercept import round_intercept
from leaderbayes.models._sota import sota
from leaderbayes.models._tournaments import tournaments

__all__ = ["bradley_terry", "davidson", "plackett_luce", "round_intercept", "sota", "tournaments"]
