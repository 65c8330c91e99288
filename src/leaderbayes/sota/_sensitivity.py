"""How the answer of a board moves with what one may take for granted."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes import _arguments
from leaderbayes._arguments import number, share, whole
from leaderbayes._errors import BoardWarning, LeaderbayesError, LeaderbayesWarning
from leaderbayes._numerics.decimals import decimals_of_best
from leaderbayes._scores.facts import Facts, facts, own_n, own_rho
from leaderbayes.sota._lattice import size_of
from leaderbayes.sota._model import FEWEST
from leaderbayes.sota._posterior import named, posterior
from leaderbayes.sota._shrink import shrink
from leaderbayes.sota._summary import summary

_RHOS = (0.0, 0.3, 0.6)  # the last is the paper's, of models that are trained alike
_FACTOR = 2.0  # by which n may be wrong, where the scores do not tell it


@dataclass(frozen=True)
class Choice:
    """One row of the table: a board, and how its posterior is asked for."""

    what: str
    value: str
    board: xr.DataArray
    given: dict[str, Any]


def sensitivity(
    board: xr.DataArray,
    *,
    laws: Sequence[Any] = ("flexible", "beta", "mixture"),
    rhos: Sequence[float] | None = None,
    sizes: Sequence[int] | None = None,
    prob: float = 0.95,
    draws: int = 250,
    chains: int = 4,
    seed: int | None = None,
    workers: int | None = None,
) -> pd.DataFrame:
    """Ask again how good the best is: under other laws, another dependence, another test set.

    One thing changes at a time. The base is the first law, the dependence that the board knows of
    itself (else 0), and its own n or standard errors.

    Parameters
    ----------
    board : DataArray (team)
        From `read_board`, `read_answers` or `read_losses`.
    laws : sequence of {"flexible", "beta", "mixture", "empirical"} or distribution
        As of `posterior`; the first is the base's. "empirical" is of accuracies.
    rhos : sequence of float, optional
        Dependences beside the base's; by default those of 0, 0.3 and 0.6 that the base has not.
    sizes : sequence of int, optional
        Test sets beside the board's n. None: the ends of an n between two numbers; of accuracies
        the smallest of which all scores are shares, where there is one and it is another; else half
        and twice as many. Of boards with standard errors these are made larger and smaller by as
        much, and ``sizes`` refused.
    prob : float
        Probability of the (equal-tailed) intervals.
    draws, chains, workers
        As for `posterior`, of each.
    seed : int, optional
        Same seed, same numbers; every row has the same. None draws one; it is in attrs.

    Returns
    -------
    DataFrame
        A row for each posterior, the base first, then `shrink` and the interval that needs no law
        (`winner`, of the base's dependence). Columns: ``what`` ("base", "law", "rho", "n" or "se",
        "rule"), ``value``; ``theta_sota`` (NaN of the last), ``theta_sota_lower``,
        ``theta_sota_upper``, ``teams_above`` (how many scored above ``theta_sota``; NaN of the
        last, too); ``moves``, by how many widths of the base's interval the estimate is higher
        than the base's; ``converged`` (True where nothing is drawn);
        ``warnings``, their codes. attrs: ``prob``, ``seed``, ``message``, a sentence that names
        what moves the answer most.

    Raises
    ------
    LeaderbayesError
        If it is no board, or an argument is out of range.

    Warns
    -----
    BoardWarning
        LB033, if a converged posterior's estimate lies outside the base's interval. And what
        `posterior` warns of in the base.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = [0.93, 0.92, 0.92, 0.91, 0.91, 0.9, 0.89, 0.89, 0.88, 0.88, 0.87, 0.85]
    >>> board = lb.sota.read_board(scores, n=200)
    >>> table = lb.sota.sensitivity(board, laws=["flexible", "beta"], draws=100, seed=1)
    >>> list(table["what"] + " " + table["value"])
    ['base flexible', 'law beta', 'rho 0.3', 'rho 0.6', 'n 100', 'n 400', 'rule shrink',
     'rule no law']
    """
    known, prob = facts(board), share("prob", prob)
    draws, chains = whole("draws", draws), whole("chains", chains)
    seed = _arguments.seed_or_new(seed)
    if not len(laws):
        raise LeaderbayesError("laws: give one or more; the first is the base's.")
    how = {"draws": draws, "chains": chains, "seed": seed, "workers": workers}
    first, *others = list(_choices(board, known, laws, rhos, sizes))  # refused before any is drawn
    base, said = _fitted(first, how, prob)
    for warning in said:  # those of the others are named in the table
        warnings.warn(warning.message, warning.category, stacklevel=2)
    rows = [base, *(_fitted(choice, how, prob)[0] for choice in others)]
    table = pd.DataFrame([*rows, *_of_rules(board, base, prob)]).drop(columns="free")
    width = base["theta_sota_upper"] - base["theta_sota_lower"]
    table.insert(6, "moves", (table["theta_sota"] - base["theta_sota"]) / width)
    message = _message(table)
    if message.startswith("LB033"):
        warnings.warn(message, BoardWarning, stacklevel=2)
    table.attrs = {"prob": prob, "seed": seed, "message": message}
    return table


def _choices(
    board: xr.DataArray,
    known: Facts,
    laws: Sequence[Any],
    rhos: Sequence[float] | None,
    sizes: Sequence[int] | None,
) -> Iterator[Choice]:
    """Name what is asked for, the base first."""
    first, *others = laws
    own = own_rho(board)
    yield Choice("base", named(first), board, {"law": first})
    for law in others:
        yield Choice("law", named(law), board, {"law": law})
    for rho in _RHOS if rhos is None else rhos:
        number("rhos", rho, at_least=0.0, below=1.0)
        if rhos is not None or rho != own:
            yield Choice("rho", f"{rho:g}", board, {"law": first, "rho": float(rho)})
    if known.n is None:
        if sizes is not None:
            raise LeaderbayesError("sizes: this board has standard errors, and no n.")
        for factor in (1.0 / _FACTOR, _FACTOR):
            # As of a test set of so many times the instances.
            other = board.assign_coords(se=board["se"] / np.sqrt(factor))
            yield Choice("se", f"x {factor**-0.5:.2f}", other, {"law": first})
        return
    for n in _sizes(board, known) if sizes is None else sizes:
        n = whole("sizes", n, at_least=FEWEST)
        yield Choice("n", str(n), board, {"law": first, "n": n})


def _sizes(board: xr.DataArray, known: Facts) -> list[int]:
    """Other test sets that the scores may be of."""
    if (ends := own_n(board)) is not None:
        return list(ends)
    n = known.n or 0
    if known.metric == "accuracy":
        with suppress(LeaderbayesError):
            by_lattice = size_of(board.to_numpy())[0]
            if by_lattice >= FEWEST:
                return [by_lattice] if by_lattice != n else []
    return [size for size in (round(n / _FACTOR), round(n * _FACTOR)) if size >= FEWEST]


def _fitted(
    choice: Choice, how: dict[str, Any], prob: float
) -> tuple[dict[str, Any], list[warnings.WarningMessage]]:
    """Give one row, and what the posterior warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LeaderbayesWarning)
        dt = posterior(choice.board, **choice.given, **how)
    said = [w for w in caught if issubclass(w.category, LeaderbayesWarning)]
    best = summary(dt, prob=prob)
    row = {
        **_row(choice.what, choice.value, best),
        "converged": bool(dt.attrs["converged"]),
        "warnings": " ".join(str(warning.message).split()[0] for warning in said),
        "free": (float(best["law_free_lower"]), float(best["law_free_upper"])),
    }
    return row, said


def _of_rules(board: xr.DataArray, base: dict[str, Any], prob: float) -> Iterator[dict[str, Any]]:
    """Give what needs no law: the paper's estimate, and the interval of the scores alone."""
    with suppress(LeaderbayesError):  # of estimates without chance there is none
        yield _row("rule", "shrink", shrink(board, prob=prob)) | {"converged": True, "warnings": ""}
    lower, upper = base["free"]
    yield {
        "what": "rule", "value": "no law", "theta_sota": np.nan, "theta_sota_lower": lower,
        "theta_sota_upper": upper, "teams_above": np.nan, "converged": True, "warnings": "",
    }  # fmt: skip


def _row(what: str, value: str, best: xr.Dataset) -> dict[str, Any]:
    ends = ("theta_sota", "theta_sota_lower", "theta_sota_upper")
    return {
        "what": what,
        "value": value,
        **{name: float(best[name]) for name in ends},
        "teams_above": float(best["teams_above"]),
    }


def _message(table: pd.DataFrame) -> str:
    """Name what moves the answer most, and warn where it leaves the base's interval."""
    base, *rows = table.to_dict("records")
    drawn = [row for row in rows if row["what"] != "rule" and row["converged"]]
    if not drawn:
        return ""
    most = max(drawn, key=lambda row: abs(row["moves"]))
    lower, upper = base["theta_sota_lower"], base["theta_sota_upper"]
    form = f".{decimals_of_best(lower, upper)}f"
    what = (
        f"with {most['what']} {most['value']} the best is {most['theta_sota']:{form}}, in place of "
        f"{base['theta_sota']:{form}} ({lower:{form}} to {upper:{form}})"
    )
    if lower <= most["theta_sota"] <= upper:
        return f"What moves the answer most stays within its interval: {what}."
    rest = "Say which of the two holds, or report both."
    if "LB021" in most["warnings"] and "LB021" not in base["warnings"]:
        rest = "The board speaks against that (LB021), and not against the base."
    return f"LB033 the answer moves by more than its interval: {what}. {rest}"
