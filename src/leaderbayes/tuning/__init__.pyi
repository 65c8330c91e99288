from ._optuna import LeaderboardPruner as LeaderboardPruner
from ._optuna import LeaderboardTerminator as LeaderboardTerminator
from ._search import LeaderboardSearchCV as LeaderboardSearchCV
