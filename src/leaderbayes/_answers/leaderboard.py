"""The table of players of a posterior."""

from functools import singledispatch
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.beside import column_beside, with_beside
from leaderbayes._answers.groups import Control, claims
from leaderbayes._arguments import number, one_of, share
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import Posterior, Strengths, Teams
from leaderbayes._numerics.intervals import decimals_of, ends, with_ends
from leaderbayes._numerics.letters import letters
from leaderbayes._types import Bools, Floats
from leaderbayes.likelihood._tables import table as table_of_estimate

_ELO = 400.0 / np.log(10.0)  # points of a unit of log-odds


def leaderboard(
    dt: xr.DataTree | xr.Dataset,
    *,
    prob: float = 0.95,
    columns: Literal["all", "publish"] = "all",
    control: Control = "joint",
    anchor: str | None = None,
    scale: Literal["elo"] | None = None,
    anchor_at: float | None = None,
) -> pd.DataFrame:
    """Return the players ranked by their posterior means, with intervals.

    Parameters
    ----------
    dt : DataTree or Dataset
        Posterior from `fit`, `sota.posterior` or ``pm.sample``; or an estimate from
        `leaderbayes.likelihood`. Several tournaments are ranked by their mean.
    prob : float
        Probability of the equal-tailed credible intervals; coverage of an estimate's.
    columns : {"all", "publish"}
        "publish" returns few columns as text, ready to paste into a paper.
    control : {"pair", "joint"}
        For "publish": whether ``prob`` holds for each claim or for all together, as in `groups`.
    anchor : str, optional
        A player to compare all others with: ``epp`` is then the log-odds of beating it, and
        ``difference`` of scores and theta is from it.
    scale : "elo", optional
        ``elo`` instead of ``epp``: 400 points for each factor of ten in the odds.
    anchor_at : float, optional
        Elo of the anchor, or of the average player without one; by default 1000.

    Returns
    -------
    DataFrame
        Best first: ``player`` (or ``team``); ``epp``, ``score`` or ``theta`` with ``_lower`` and
        ``_upper``; ``p_best``; ``rank``, ``rank_lower``, ``rank_upper``. Further columns:

        - epp: ``p_average``, the probability of beating the average player; ``score``, the mean
          score, adjusted for missing ones; for votes ``votes`` and ``both_bad``.
        - score: ``observed``, the mean of the scores themselves; ``difference`` from the first,
          with its interval; ``win_rate``.
        - theta: ``score``, as observed; ``p_sota``, the probability of theta at or above
          theta_SOTA. There is no ``rank``.

        With "publish": ``rank``, ``ranks``, ``player``, ``group`` (letters that indistinguishable
        players share), the parameter with its interval, and one column beside. attrs: ``converged``
        (0 or 1), ``warnings`` (JSON list), and where they apply ``note``, ``estimand``,
        ``disagreement`` (why the column beside has another leader), ``anchor``, ``scale``.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, properties
    3.2 and 3.4. Piepho (2004), An algorithm for a letter-based representation of all-pairwise
    comparisons, Journal of Computational and Graphical Statistics 13.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "breast_cancer"), seed=1)
    >>> lb.leaderboard(dt)["player"].iloc[0]
    'svm C=1'
    >>> list(lb.leaderboard(dt, columns="publish"))
    ['rank', 'ranks', 'player', 'group', 'epp', 'score']
    """
    prob = share("prob", prob)
    one_of("columns", columns, "all", "publish")
    one_of("control", control, "pair", "joint")
    if isinstance(dt, xr.Dataset) and columns == "all":
        if (anchor, scale, anchor_at) != (None, None, None):
            raise LeaderbayesError("anchor= and scale= are for posteriors, not for an estimate.")
        return table_of_estimate(dt, prob)
    post = Posterior(dt)
    shown = shown_as(post, anchor, scale, anchor_at)
    table = table_of(post, prob, shown)
    if columns == "all":
        return table
    if "rank" not in table:
        raise LeaderbayesError("columns='publish' is for players; for teams use columns='all'.")
    return published(post, table, prob, control, shown)


class Shown(NamedTuple):
    """The column of players that is shown, and the meaning of its values."""

    name: str
    draws: Floats  # (sample, player)
    axis: str  # label of an axis
    zero: float | None  # where a line is drawn
    anchor: str | None = None
    behind: Floats | None = None  # differences from the anchor, of scores and theta
    factor: float = 1.0  # of differences in the parameter
    said: str = ""  # what the column is, in a caption

    @property
    def column(self) -> str:
        """Return the column that is drawn; with an anchor, the differences from it."""
        return self.name if self.behind is None else "difference"

    @property
    def line(self) -> float | None:
        """Return the position of the reference line in a figure."""
        return self.zero if self.behind is None else 0.0

    @property
    def drawn(self) -> Floats:
        """Return the draws of the column."""
        return self.draws if self.behind is None else self.behind


def shown_as(
    post: Posterior, anchor: str | None = None, scale: str | None = None,
    anchor_at: float | None = None, draws: Floats | None = None,
) -> Shown:  # fmt: skip
    """Return what `leaderboard` shows of players, from their parameter or ``draws``; or raise."""
    one_of("scale", scale, None, "elo")
    if scale is None and anchor_at is not None:
        raise LeaderbayesError("anchor_at= is in Elo points: add scale='elo'.")
    draws = post.draws if draws is None else draws
    gap = draws if anchor is None else draws - draws[..., [post.position(anchor)]]
    return _shown(post, draws, gap, anchor, scale, anchor_at)


@singledispatch
def _shown(
    post: Posterior, draws: Floats, gap: Floats, anchor: str | None, scale: str | None, _: Any
) -> Shown:
    """Return what is shown of scores or theta, and of their ``gap`` to the anchor."""
    name, unit = post.parameter, post.unit
    if scale is not None:
        raise LeaderbayesError(
            f"scale='elo' is for log-odds, and {name} is in {unit}: omit it; anchor= alone shows "
            "differences."
        )
    if anchor is None:
        return Shown(name, draws, f"{name} ({unit})", None)
    said = f"{name} less that of {anchor}"
    return Shown(name, draws, f"{said} ({unit})", None, anchor, gap, said=said)


@_shown.register
def _shown_in_odds(
    post: Strengths, draws: Floats, gap: Floats, anchor: str | None, scale: str | None,
    anchor_at: float | None,
) -> Shown:  # fmt: skip
    name, who = post.parameter, "the average player" if anchor is None else anchor
    if scale is not None:
        at = 1000.0 if anchor_at is None else number("anchor_at", anchor_at)
        said = f"400 points for each factor of ten of the odds, {who} at {at:g}"
        axis = f"Elo ({who} at {at:g})"
        return Shown("elo", at + _ELO * gap, axis, at, anchor, factor=_ELO, said=said)
    if anchor is None:
        return Shown(name, draws, f"{name} ({post.unit})", 0.0)
    said = f"log-odds of beating {who}"
    return Shown(name, gap, f"{name} ({said})", 0.0, anchor, said=said)


def table_of(post: Posterior, prob: float, shown: Shown | None = None) -> pd.DataFrame:
    """Return the leaderboard of a posterior, all columns."""
    standing = post.standing
    shown = shown_as(post) if shown is None else shown
    best = standing == standing.max(axis=1, keepdims=True)
    columns: dict[str, Any] = {
        post.who: post.players,
        **with_ends({shown.name: shown.draws}, prob),
        **_own_columns(post, prob),
        **({} if shown.behind is None else with_ends({"difference": shown.behind}, prob)),
        # Distributions with atoms have several that are best.
        "p_best": (best / best.sum(axis=1, keepdims=True)).mean(axis=0),
    }
    table = pd.DataFrame(columns).iloc[post.order].reset_index(drop=True)
    table = with_beside(post, table.assign(**_ranks(post, prob)))
    table.attrs.update(post.trust)
    if shown.said:
        table.attrs.update({"anchor": shown.anchor or "", "scale": shown.said})
    return table


def is_reference(table: pd.DataFrame) -> Bools:
    """Find the player to which ``difference`` refers: the anchor or the leader."""
    names = table.iloc[:, 0]
    return np.asarray(names == (table.attrs.get("anchor") or names.iloc[0]))


@singledispatch
def _ranks(post: Posterior, prob: float) -> dict[str, Any]:
    """Return ranks of players, best first, with intervals."""
    low, high = (end[post.order] for end in ends(post.ranks, prob, method="inverted_cdf"))
    _, first, of = np.unique(post.equals[post.order], return_index=True, return_inverse=True)
    return {"rank": first[of] + 1, "rank_lower": low.astype(int), "rank_upper": high.astype(int)}


_ranks.register(Teams, lambda post, prob: {})


@singledispatch
def _own_columns(post: Posterior, prob: float) -> dict[str, Floats]:
    """Return what is shown of mean scores alone, or of the other kinds."""
    return with_ends({"difference": post.draws - post.draws[:, post.order[:1]]}, prob)


@_own_columns.register
def _of_strengths(post: Strengths, _: float) -> dict[str, Floats]:
    # A player's own deviation in a new tournament, less the average of all players' there.
    factor = np.sqrt(1.0 - 1.0 / len(post.players))
    return {"p_average": post.chance(post.draws, factor).mean(axis=0)}


@_own_columns.register
def _of_teams(post: Teams, _: float) -> dict[str, Floats]:
    best = post.standing.max(axis=1)
    if post.has("theta_sota"):
        best = post.own_unit(post.read("theta_sota")) * (1.0 if post.higher_is_better else -1.0)
    return {"p_sota": (post.standing >= best.mean()).mean(axis=0)}


def published(
    post: Posterior, table: pd.DataFrame, prob: float, control: Control, view: Shown
) -> pd.DataFrame:
    """Convert a leaderboard to the columns that are published; see `leaderboard`."""
    name, digits = view.name, decimals_of(table, view.name)
    shown = table[["rank"]].assign(
        ranks=table["rank_lower"].astype(str) + " to " + table["rank_upper"].astype(str),
        player=table["player"],
        group=letters_of(post, prob, control),
    )
    shown[name] = _with_interval(table, name, digits)
    if "observed" in table:
        shown["observed"] = table["observed"].map(f"{{:z.{digits}f}}".format)
    if "difference" in table:
        behind = _with_interval(table, "difference", max(digits, decimals_of(table, "difference")))
        shown["difference"] = behind.where(~is_reference(table), "")
    elif (beside := column_beside(table)) is not None:
        shown["score"] = table[beside[0]].map(f"{{:z.{beside[1]}f}}".format)
    shown = shown.assign(**table.filter(["votes"]))
    note = _note(post, prob, control)
    if view.said:
        note += f" {view.column}: {view.said}."
    shown.attrs.update(note=note, prob=prob, control=control, **post.trust)
    return shown


def letters_of(post: Posterior, prob: float, control: Control) -> list[str]:
    """Return letters of players, best first; players that share one are indistinguishable."""
    better = claims(post, prob, control)
    return letters(np.asarray(better | better.T))


def _with_interval(table: pd.DataFrame, column: str, digits: int) -> pd.Series:
    mean, low, high = (
        table[f"{column}{end}"].map(f"{{:z.{digits}f}}".format) for end in ("", "_lower", "_upper")
    )
    return mean + " [" + low + ", " + high + "]"


def _note(post: Posterior, prob: float, control: Control) -> str:
    """Describe the columns and their limitations."""
    holds = "for each claim separately" if control == "pair" else "all claims together"
    said = (
        f"Intervals have posterior probability {prob:g}. Players that share a letter are "
        f"indistinguishable; if two share none, the upper is better ({holds}, with probability "
        f"{prob:g})."
    )
    said = " ".join(filter(None, (said, post.trust.get("estimand"))))
    return said if post.trust["converged"] else f"Not converged: do not publish. {said}"
