"""How good the best on a board really is: the law of the sample maximum, and estimates from it."""

from leaderbayes.sota._auc import auc_variance, delong, maximum_auc, simulate_aucs
from leaderbayes.sota._bias import bias_curve
from leaderbayes.sota._board import naive_interval, read_board
from leaderbayes.sota._dependence import estimate_rho
from leaderbayes.sota._estimate import maximum_estimate
from leaderbayes.sota._law import maximum_distribution, simulate_boards
from leaderbayes.sota._posterior import posterior
from leaderbayes.sota._realisation import realisation
from leaderbayes.sota._shrink import crop, shrink
from leaderbayes.sota._summary import check, summary, teams

__all__ = [
    "auc_variance",
    "bias_curve",
    "check",
    "crop",
    "delong",
    "estimate_rho",
    "maximum_auc",
    "maximum_distribution",
    "maximum_estimate",
    "naive_interval",
    "posterior",
    "read_board",
    "realisation",
    "shrink",
    "simulate_aucs",
    "simulate_boards",
    "summary",
    "teams",
]
