from . import datasets as datasets
from . import likelihood as likelihood
from . import models as models
from . import plots as plots
from ._checks import check as check
from ._checks import deviance as deviance
from ._compare import compare as compare
from ._errors import ConvergenceWarning as ConvergenceWarning
from ._errors import DisconnectedError as DisconnectedError
from ._errors import DisconnectedWarning as DisconnectedWarning
from ._errors import LeaderbayesError as LeaderbayesError
from ._errors import LeaderbayesWarning as LeaderbayesWarning
from ._errors import NotConvergedError as NotConvergedError
from ._errors import PredictiveWarning as PredictiveWarning
from ._errors import ScoresError as ScoresError
from ._errors import WeightWarning as WeightWarning
from ._fit import fit as fit
from ._leaderboard import groups as groups
from ._leaderboard import leaderboard as leaderboard
from ._leaderboard import p_top as p_top
from ._leaderboard import rank_probability as rank_probability
from ._leaderboard import tied_for_top as tied_for_top
from ._leaderboard import win_probability as win_probability
from ._matches import components as components
from ._matches import matches as matches
from ._scores import read_scores as read_scores

__version__: str
