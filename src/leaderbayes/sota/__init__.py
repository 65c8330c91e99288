"""How good the best on a board really is: the law of the sample maximum, and estimates from it."""

from leaderbayes.sota._bias import bias_curve
from leaderbayes.sota._board import naive_interval, read_board
from leaderbayes.sota._dependence import estimate_rho
from leaderbayes.sota._law import maximum_auc, maximum_distribution, simulate_boards
from leaderbayes.sota._realisation import realisation
from leaderbayes.sota._shrink import crop, shrink

__all__ = [
    "bias_curve",
    "crop",
    "estimate_rho",
    "maximum_auc",
    "maximum_distribution",
    "naive_interval",
    "read_board",
    "realisation",
    "shrink",
    "simulate_boards",
]
