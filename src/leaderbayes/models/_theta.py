"""P(theta) of a competition's board: the prior of its parameters, and what can be said of it."""

from typing import Any

from leaderbayes._arguments import number, one_of, share, whole
from leaderbayes._errors import LeaderbayesError

CONCENTRATION = (5.0, 2.5)  # of betas: mean and standard deviation of the prior's logarithm


def check_law(
    law: Any, components: int, floor: float | None, theta_0: float | None, statistic: str
) -> None:
    """Raise unless these are options of a board's model."""
    if isinstance(law, str):
        one_of("law", law, "flexible", "beta", "mixture", "empirical")
    if not isinstance(law, str) and not hasattr(law, "ppf"):
        raise LeaderbayesError("law: give a name, or a frozen scipy.stats law, such as beta(9, 1).")
    whole("components", components, at_least=2)
    one_of("statistic", statistic, "board", "moments", "maximum")
    if theta_0 is not None:
        share("theta_0", theta_0)
    if floor is not None:
        number("floor", floor, at_least=0.0, below=1.0)
