"""Standard errors of the scores of a board."""

import numpy as np
import pandas as pd

from leaderbayes._numerics.auc import variance
from leaderbayes._scores.cells import as_numbers
from leaderbayes._scores.facts import class_sizes
from leaderbayes._scores.tables import Table, shown


def given_errors(table: Table, se: float | str, scores: pd.Series) -> np.ndarray:
    """Give the standard errors of the scores as they are said (team,)."""
    if not isinstance(se, str):
        return np.full(len(scores), float(se))
    values = as_numbers(table, se)[scores.index]
    wrong = values[~(values > 0.0)]
    if len(wrong):
        held = "is empty" if np.isnan(wrong.iloc[0]) else f"holds {wrong.iloc[0]:g}"
        table.refuse(
            f"column {shown(se)} {held}; a score needs a standard error above 0: leave the score "
            "empty, too, where there is none.",
            wrong.index[0],
        )
    return values.to_numpy()


def errors_of_sizes(
    table: Table, n: str, scores: pd.Series, positive_rate: float | None
) -> np.ndarray:
    """Give the standard errors of scores on test sets of their own (team,).

    Binomial ones of accuracies; with a ``positive_rate`` those of AUCs of binormal scores.
    """
    sizes = as_numbers(table, n)[scores.index]
    wrong = sizes[~((sizes >= 1.0) & (sizes == np.floor(sizes)))]
    if len(wrong):
        held = "is empty" if np.isnan(wrong.iloc[0]) else f"holds {wrong.iloc[0]:g}"
        table.refuse(
            f"column {shown(n)} {held}; give each score the number of its instances, from 1 up.",
            wrong.index[0],
        )
    kind = "binomial" if positive_rate is None else "binormal"
    certain = scores[(scores == 0.0) | (scores == 1.0)]
    if len(certain):
        table.refuse(
            f"the score {certain.iloc[0]:g} has the {kind} standard error 0, which says nothing "
            "of its error; give standard errors of your own (se=, --se), or leave it empty.",
            certain.index[0],
        )
    if positive_rate is None:
        return np.sqrt((scores * (1.0 - scores) / sizes).to_numpy())
    pairs = zip(scores.to_numpy(), sizes.to_numpy(), strict=True)
    return np.sqrt([variance(float(a), *class_sizes(int(k), positive_rate)) for a, k in pairs])
