"""P(theta) of a competition's board: the prior of its parameters, and what can be said of it."""

from typing import Any

from leaderbayes._arguments import number, share, whole
from leaderbayes._errors import LeaderbayesError

CONCENTRATION = (5.0, 2.5)  # of betas: mean and standard deviation of the prior's logarithm


def check_law(
    law: Any, components: int, floor: float | None, theta_0: float | None, statistic: str
) -> None:
    """Raise unless these are options of a board's model."""
    if isinstance(law, str) and law not in ("beta", "mixture", "empirical"):
        raise LeaderbayesError(f"law={law!r}: choose 'beta', 'mixture' or 'empirical'.")
    if not isinstance(law, str) and not hasattr(law, "ppf"):
        raise LeaderbayesError("law: give a name, or a frozen scipy.stats law, such as beta(9, 1).")
    whole("components", components, at_least=2)
    if statistic not in ("board", "maximum"):
        raise LeaderbayesError(f"statistic={statistic!r}: choose 'board' or 'maximum'.")
    if theta_0 is not None:
        share("theta_0", theta_0)
    if floor is not None:
        number("floor", floor, at_least=0.0, below=1.0)
