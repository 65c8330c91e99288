"""Kaggle's leaderboards: a row a team, or one whenever a team got better."""

import pandas as pd

from leaderbayes._scores.cells import as_names
from leaderbayes._scores.roles import KAGGLE
from leaderbayes._scores.tables import Table

_DATES = ("LastSubmissionDate", "SubmissionDate", "submissionDate")


def one_row_a_team(table: Table) -> tuple[Table, str, str]:
    """Keep each team's last submission, under a name of its own.

    Returns the table, and its columns of teams and scores. A name that several teams go by, or
    that is empty, is followed by the team's number.

    References
    ----------
    https://github.com/Kaggle/kaggle-api/blob/main/docs/competitions.md
    """
    columns = {column.lower(): column for column in table.frame.columns}
    team, name, score = (columns[c] for c in KAGGLE)
    numbers = as_names(table, team)
    if numbers.duplicated().any():
        date = next((d for d in _DATES if d in table.frame.columns), None)
        if date is None:
            table.refuse(
                "a second row for a team, and no column LastSubmissionDate or SubmissionDate that "
                "shows the last; keep one row a team.",
                numbers.duplicated().idxmax(),
            )
        dates = pd.to_datetime(as_names(table, date), errors="coerce", format="mixed", utc=True)
        if dates.isna().any():
            table.refuse(
                f"column {date!r} holds no date, as 2024-02-29 12:00:00.", dates.isna().idxmax()
            )
        order = dates.sort_values(kind="stable").index
        rows = numbers[order].drop_duplicates(keep="last").index.sort_values()
        table, numbers = table._replace(frame=table.frame.loc[rows]), numbers[rows]
    names = as_names(table, name, missing="")
    unclear = names.duplicated(keep=False) | (names == "")
    label = names.where(~unclear, (names + " (" + numbers + ")").str.strip())
    return table._replace(frame=table.frame.assign(**{name: label})), name, score
