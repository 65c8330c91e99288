from ._deviance import deviance as deviance
from ._leaderboard import leaderboard as leaderboard
from ._rank_distribution import rank_distribution as rank_distribution
from ._win_probability import win_probability as win_probability
from ._win_rate import win_rate as win_rate
