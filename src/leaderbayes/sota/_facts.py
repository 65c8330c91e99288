"""What is said of a board when it is read: whether it fits together, and the attrs it becomes."""

from leaderbayes._arguments import number, one_of, positive, share, whole
from leaderbayes._errors import LeaderbayesError


def check_errors(n: int | str | None, se: float | str | None, metric: str) -> None:
    """Raise unless what is given of n, se and metric fits together."""
    if (n is None) == (se is None):
        raise LeaderbayesError(
            "Give n, the instances of the test set, or se, the standard errors of the scores"
            + ("." if n is None else ", not both.")
        )
    one_of("metric", metric, "accuracy", "auc")
    if metric == "auc" and n is None:
        raise LeaderbayesError(
            "metric='auc' is for AUCs on test sets of n instances: with standard errors of your "
            "own (se=, --se) leave it out."
        )
    if n is not None and not isinstance(n, str):
        whole("n", n)
    if se is not None and not isinstance(se, str):
        positive("se", se)


def said(
    n: int | str | None,
    se: float | str | None,
    metric: str,
    classes: int | None,
    chance: float | None,
    positive_rate: float | None,
    higher_is_better: bool | None,
) -> dict[str, float]:
    """Check what is said of a random classifier and of the classes; give it as attrs."""
    shares = se is None and metric == "accuracy"
    if (metric == "auc") != (positive_rate is not None):
        raise LeaderbayesError(
            "positive_rate, the share of the positive class, is for boards of AUC, and these need "
            "it: metric='auc', positive_rate=0.2 (--metric auc --positive-rate 0.2)."
        )
    if positive_rate is not None:
        share("positive_rate", positive_rate)
        if isinstance(n, str):  # kept in the standard errors
            positive_rate = None
    if classes is not None:
        whole("classes", classes, at_least=2)
        if not shares:
            instead = "leave it out" if metric == "auc" else "give chance instead"
            raise LeaderbayesError(f"classes is for shares of right answers: {instead}.")
        if chance is not None:
            raise LeaderbayesError("Give classes or chance, not both: chance is 1 / classes.")
    if chance is not None:
        bounds = {} if se is not None else {"at_least": 0.0, "below": 1.0}
        chance = number("chance", chance, **bounds)
        if higher_is_better is False:
            chance = -chance if se is not None else 1.0 - chance
    elif isinstance(n, str) and metric == "auc":
        chance = 0.5
    elif isinstance(n, str):
        chance = None if classes is None else 1.0 / classes
    elif shares:
        classes = 2 if classes is None else int(classes)
        return {"classes": classes}
    said = {"chance": chance, "positive_rate": positive_rate}
    return {name: float(value) for name, value in said.items() if value is not None}
