"""What a page calls things: of strengths by matches, and of mean scores in the metric's unit."""

from typing import NamedTuple


class Words(NamedTuple):
    """Words of a page, by what its players are placed by."""

    column: str  # of the leaderboard: what is drawn in its rows
    heading: str  # of that column
    caption: str  # what it is
    vertical: str  # what the line through the rows stands for
    other: tuple[str, str]  # another column: heading, title
    beside: tuple[str, str]  # what stands beside, where there is one: heading, title
    narrow: bool  # whether that column leaves less room for what is drawn
    pairs: str  # heading of the heat map of pairs
    verb: str  # of which the map shows the probability
    tips: tuple[tuple[str, str], ...]  # what is said of a cell, beside its two players
    checked: str = ""  # what is said of the check of fit
    replicated: tuple[str, str] = ("", "")  # the replicates that are valid, and why
    naive: tuple[str, str] = ("", "")  # those of published tests, and what these suppose


OF_MATCHES = Words(
    column="epp",
    heading="Strength",
    caption="Strength is the log-odds of beating the average player",
    vertical="the average player",
    other=("P(>average)", "Probability of beating the average player"),
    beside=("Score", "Mean score in the metric's unit"),
    narrow=True,
    pairs="Win probabilities",
    verb="beats",
    tips=(("beats it", "@won (@interval)"), ("better", "@better")),
    checked="Deviance of the counts of wins, and how often replicated boards",
    replicated=(
        "Whole rankings",
        "the valid reference: replicates keep the dependence of a round's matches",
    ),
    naive=("Independent matches", "what published tests suppose"),
)
OF_VOTES = OF_MATCHES._replace(
    checked="Distance of all pairs from the strengths (Pearson's chi-square), and how often votes "
    "that are drawn again",
    replicated=(
        "Votes of judges, on prompts",
        "the valid reference: replicates keep what makes votes of a judge, or on a prompt, alike",
    ),
    naive=("Independent votes", "what published tests suppose"),
)
OF_SCORES = Words(
    column="score",
    heading="Mean score",
    caption="Mean score in the metric's unit",
    vertical="the leader",
    other=("Difference", "Score less the leader's, with its interval"),
    beside=("Won", "Share of its matches won, with ties as half"),
    narrow=True,
    pairs="Who is better",
    verb="is better than",
    tips=(("better", "@better"), ("score less the other's", "@interval")),
)


def of_scores_called(quantity: str, unit: str) -> Words:
    """Give the words of scores of this name and unit, such as "median score"."""
    called = quantity[:1].upper() + quantity[1:]
    return OF_SCORES._replace(heading=called, caption=f"{called} {unit}")
