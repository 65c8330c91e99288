"""Kaggle: leaderboards as they are downloaded."""

import pandas as pd

from leaderbayes._files.read import MAX_MB
from leaderbayes._scores.cells import as_names, as_numbers
from leaderbayes._scores.tables import Table
from leaderbayes.adapters._columns import Frame, read_frame, require

_DATES = ("LastSubmissionDate", "SubmissionDate", "submissionDate")


def from_kaggle(source: Frame, *, max_mb: float = MAX_MB) -> pd.Series:
    """Read a leaderboard that Kaggle lets you download: one score a team, for `sota.read_board`.

    Parameters
    ----------
    source : path or DataFrame
        The CSV within the archive of ``kaggle competitions leaderboard --download``, with the
        columns TeamId, TeamName and Score among others; that of ``--show --csv``; or the history
        of a public board, with a row whenever a team got better, of which the last counts.
    max_mb : float
        The most that a file may hold, unpacked, in megabytes.

    Returns
    -------
    Series (team)
        Scores in the order of the board, NaN where missing, named by team; a name that several
        teams go by, or that is empty, is followed by the team's number.

    Raises
    ------
    ScoresError
        If the board cannot be read: names the file, and the row or column.

    References
    ----------
    https://github.com/Kaggle/kaggle-api/blob/main/docs/competitions.md

    Examples
    --------
    >>> import leaderbayes as lb
    >>> import pandas as pd
    >>> table = pd.DataFrame({"TeamId": [7, 9], "TeamName": ["Ada", "Bo"], "Score": [0.91, 0.9]})
    >>> lb.adapters.from_kaggle(table).to_dict()
    {'Ada': 0.91, 'Bo': 0.9}
    """
    table = read_frame(source, max_mb)
    columns = {c.lower(): c for c in table.frame.columns}
    team, name, score = (columns.get(c, c) for c in ("teamid", "teamname", "score"))
    require(table, [team, name, score], "leaderboards of Kaggle")
    numbers, scores = as_names(table, team), as_numbers(table, score)
    if numbers.duplicated().any():
        rows = _last(table, numbers)
        table, numbers, scores = (
            table._replace(frame=table.frame.loc[rows]),
            numbers[rows],
            scores[rows],
        )
    names = as_names(table, name, missing="")
    unclear = names.duplicated(keep=False) | (names == "")
    label = names.where(~unclear, (names + " (" + numbers + ")").str.strip())
    board = pd.Series(
        scores.to_numpy(), index=pd.Index(label, dtype=object, name="team"), name="score"
    )
    board.attrs["source"] = table.where
    if board.isna().all():
        table.refuse("every score is missing.")
    return board


def _last(table: Table, teams: pd.Series) -> pd.Index:
    """Rows of each team's last submission, in the table's order."""
    date = next((d for d in _DATES if d in table.frame.columns), None)
    if date is None:
        row = teams.duplicated().idxmax()
        table.refuse(
            "a second row for a team, and no column LastSubmissionDate or SubmissionDate to tell "
            "the last; keep one row a team.",
            row,
        )
    dates = pd.to_datetime(as_names(table, date), errors="coerce", format="mixed", utc=True)
    wrong = dates.isna()
    if wrong.any():
        table.refuse(f"column {date!r} holds no date, as 2024-02-29 12:00:00.", wrong.idxmax())
    order = dates.sort_values(kind="stable").index
    last = ~teams[order].duplicated(keep="last")
    return last[last].index.sort_values()
