"""How good the best on a board really is: the law of the sample maximum, and estimates from it."""

from leaderbayes.sota._claim import claim
from leaderbayes.sota._delong import delong
from leaderbayes.sota._dependence import estimate_rho
from leaderbayes.sota._maximum import maximum
from leaderbayes.sota._posterior import posterior
from leaderbayes.sota._read_answers import read_answers
from leaderbayes.sota._read_board import read_board
from leaderbayes.sota._read_losses import covariance, read_losses
from leaderbayes.sota._sensitivity import sensitivity
from leaderbayes.sota._shrink import shrink
from leaderbayes.sota._summary import summary
from leaderbayes.sota._two_looks import pool, two_looks
from leaderbayes.sota._winner import winner

__all__ = [
    "claim", "covariance", "delong", "estimate_rho", "maximum", "pool", "posterior",
    "read_answers", "read_board", "read_losses", "sensitivity", "shrink", "summary", "two_looks",
    "winner",
]  # fmt: skip
