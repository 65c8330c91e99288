"""The command sota: how good the best of a competition's board is."""

import json
import sys
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leaderbayes._cli._best import print_sota, write_sota
from leaderbayes._cli._claim import say_claim, score_of
from leaderbayes._cli._console import collecting, finish, number
from leaderbayes._cli._options import as_json, better, figures, max_mb, prob, seed, typed
from leaderbayes._cli._output import check_out

if TYPE_CHECKING:
    import xarray as xr

# Options that belong to the estimate, or to the posterior; the others are of both.
ESTIMATE_ONLY = ("rule", "criterion", "convention", "dependence")
POSTERIOR_ONLY = ("law", "draws", "chains", "epsilon", "seed", "workers")
# What is known of the board, for `read_board`.
FACTS = (
    "n", "se", "metric", "classes", "chance", "positive_rate", "team", "score", "higher_is_better",
    "exclude", "ceiling", "clones", "max_mb",
)  # fmt: skip
# Of these, of a table of scores; and of answers.
SCORES_ONLY = ("n", "se", "metric", "positive_rate", "exclude", "ceiling", "clones")
ANSWERS_ONLY = ("round", "cluster")
COLUMN = "COLUMN|NUMBER"
RELIABILITY = ("ess", "max_rhat")
LAW_FREE = (
    "theta_sota_lower", "theta_sota_upper", "theta_winner", "theta_winner_lower",
    "theta_winner_upper",
)  # fmt: skip
ESTIMATED = ("observed_max", "theta_sota", "theta_sota_lower", "theta_sota_upper")


def column_or_number(text: str) -> float | str:
    """Read a number, where it is one, or a column's name."""
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


@click.command()
@click.argument("file", type=click.Path())
@click.option("--answers", is_flag=True,
              help="FILE has answers, right or wrong, of all teams to all items, as rank reads "
              "them: they say n and rho.")  # fmt: skip
@click.option("--n", type=column_or_number, metavar=COLUMN,
              help="Number of test instances; or the column with those of each team; or lattice: "
              "the smallest test set of which all accuracies are shares.")  # fmt: skip
@click.option("--se", type=column_or_number, metavar=COLUMN,
              help="Standard error of the scores, of any metric; or the column with that of each. "
              "Not with --n.")  # fmt: skip
@click.option("--metric", type=click.Choice(["accuracy", "auc"]), default="accuracy",
              show_default=True, help="Whether scores are shares of right answers or AUCs; not "
              "with --se.")  # fmt: skip
@click.option("--classes", type=click.IntRange(2), help="Of accuracies.  [default: 2]")
@click.option("--chance", type=float, help="Score of a random classifier, instead of 1 / classes; "
              "needed to shrink with --se.")  # fmt: skip
@click.option("--positive-rate", type=float, metavar="SHARE",
              help="Share of the positive class, of AUCs.")  # fmt: skip
@click.option("--team", metavar="COLUMN", help="Column of the teams' names.")
@click.option("--score", metavar="COLUMN", help="Column of the scores.")
@click.option("--round", metavar="COLUMN", help="Column of the items, of --answers.")
@click.option("--cluster", metavar="COLUMN", help="Column of what items share, of --answers.")
@better
@click.option("--exclude", multiple=True, metavar="TEAM",
              help="Leave out a team, such as a baseline; may be given again.")  # fmt: skip
@click.option("--ceiling", type=float, metavar="SCORE",
              help="Leave out teams with this score or a better one: leaks.")  # fmt: skip
@click.option("--clones", type=click.Choice(["all", "one"]), default="all", show_default=True,
              help="Of a score that more teams share than chance has, keep all, or as many as "
              "chance has, one at least.")  # fmt: skip
@max_mb
@click.option("--public", type=click.Path(), metavar="FILE2",
              help="The public board of the same teams, by name: what its best promised, and FILE, "
              "the private one, kept.")  # fmt: skip
@click.option("--public-n", type=column_or_number, metavar="NUMBER",
              help="Instances of --public; or lattice.")  # fmt: skip
@click.option("--variants", metavar="K|K-K",
              help="How many variants a score in place of FILE is the best of; or two numbers, "
              "between which all are equally probable.")  # fmt: skip
@click.option("--rho", type=float,
              help="Correlation of each classifier's answers, of AUCs its scores, with --se its "
              "estimate, with a reference; two correlate by its square.  [default: what --answers "
              "say, else 0]")  # fmt: skip
@click.option("--rule", type=click.Choice(["shrink", "crop"]), default="shrink", show_default=True,
              help="Of the estimate: scores are drawn towards chance, or the best left out.",
              )  # fmt: skip
@click.option("--sampler", type=click.Choice(["exact", "abc-smc"]),
              help="A posterior in place of the estimate, by the likelihood or by simulated "
              "boards.")  # fmt: skip
@click.option("--criterion", type=click.Choice(["mean", "upper"]), default="mean",
              show_default=True, help="Of the estimate: the observed maximum is the expected one, "
              "or the upper limit of its interval.")  # fmt: skip
@click.option("--convention", type=click.Choice(["correct", "published"]), default="correct",
              show_default=True, help="Of the estimate: each team once, or drawn with replacement "
              "as in the paper's program.")  # fmt: skip
@click.option("--dependence", type=click.Choice(["boland", "copula"]), default="boland",
              show_default=True, help="Of the estimate; a posterior has boland.")  # fmt: skip
@click.option("--law", default="flexible", show_default=True,
              type=click.Choice(["flexible", "beta"]),
              help="Distribution of the teams' thetas, of a posterior: learnt, or a beta.",
              )  # fmt: skip
@click.option("--draws", type=click.IntRange(1), default=250, show_default=True,
              help="Of a posterior, per chain.")  # fmt: skip
@click.option("--chains", type=click.IntRange(1), default=4, show_default=True,
              help="Of a posterior.")  # fmt: skip
@click.option("--epsilon", type=float, metavar="SD", default=0.5, show_default=True,
              help="Of abc-smc: how near, in standard deviations, simulated boards must come.",
              )  # fmt: skip
@click.option("--workers", type=click.IntRange(1),
              help="Of a posterior: threads, of abc-smc processes, at a time.  [default: as many "
              "CPUs as there are]")  # fmt: skip
@seed
@prob
@as_json
@click.option("--out", type=click.Path(path_type=Path),
              help="Write tables, a posterior (of which leaderbayes report makes a page) and a "
              "figure here.")  # fmt: skip
@figures
def sota(
    file: str,
    out: Path | None,
    answers: bool,
    sampler: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Estimate how good the best classifier of a competition's board is.

    In place of FILE one published score, and --variants, of how many it is the best.
    """
    import leaderbayes as lb
    from leaderbayes.sota._winner import apart

    if (score := score_of(file)) is not None:
        say_claim(score, options, as_json)
        return
    alien = _alien(answers, sampler)
    if alien is not None:
        raise lb.LeaderbayesError(alien)
    params = click.get_current_context().params
    asked = {name: value for name, value in params.items() if name != "out"}
    if out is not None:
        check_out(out, asked)
    options.pop("figures")
    options.pop("variants")
    public, public_n = options.pop("public"), options.pop("public_n")
    facts = {name: options.pop(name) for name in FACTS}
    items = {name: options.pop(name) for name in ANSWERS_ONLY}
    with collecting() as said:
        if answers:
            items |= {k: v for k, v in facts.items() if k not in (*SCORES_ONLY, "team")}
            board = lb.sota.read_answers(file, player=facts["team"], **items)
        else:
            board = lb.sota.read_board(file, **facts)
        looks = None if public is None else _two_looks(public, public_n, board, facts, options)
    scale = _scale_of(board, shares=facts["se"] is None)
    dt = None
    if sampler is None:
        how = {"rule": options["rule"]}
        best, diagnostics, more = _estimate_of_best(board, options)
    else:
        how = {"sampler": sampler}
        dt, best, diagnostics, more = _best_of(board, sampler, options)
    free = lb.sota.winner(board, rho=options["rho"], prob=options["prob"])
    result = {
        **how,
        **scale,
        "n": board.attrs.get("n"),
        "rho": board.attrs.get("rho", 0.0) if options["rho"] is None else options["rho"],
        "m": int(best["m"]),
        **{key: float(best[key]) for key in ESTIMATED},
        "teams_above": int(best["teams_above"]),
        "law_free": {key: number(float(free[key])) for key in LAW_FREE}
        | {key: free.attrs[key] for key in ("winner", "message")}
        | {"apart": apart(float(best["theta_sota"]), *(float(free[key]) for key in LAW_FREE[:2]))},
        "diagnostics": diagnostics,
        **({} if looks is None else {"two_looks": looks}),
        "warnings": said + more,
    }
    if out is not None:
        write_sota(out, board, best, dt, result, asked)
    converged = diagnostics.get("converged", True)
    finish(as_json, result, print_sota, result, best, options["prob"], converged=converged)


def _scale_of(board: "xr.DataArray", *, shares: bool) -> dict[str, str]:
    """Say, where less is better, what became of the scores, shares of answers or others."""
    if board.attrs.get("higher_is_better", 1):
        return {}
    turned = "1 - score" if shares else "-score"
    return {"scale": f"Less is better of these scores; what follows is of {turned}."}


def _two_looks(
    file: str, n: Any, private: "xr.DataArray", facts: dict[str, Any], options: dict[str, Any]
) -> dict[str, Any]:
    """Say what the public board promised."""
    import leaderbayes as lb

    public = lb.sota.read_board(file, **facts | {"n": n})
    found = lb.sota.two_looks(
        public, private, rho=options["rho"], seed=options["seed"], prob=options["prob"]
    )
    return {str(name): number(float(value)) for name, value in found.items()} | found.attrs


def _alien(answers: bool, sampler: str | None) -> str | None:
    """Name the first option that was given and that these scores, or what is asked, lack."""
    params = click.get_current_context().params
    others = POSTERIOR_ONLY if sampler is None else ESTIMATE_ONLY
    for name in typed(params):
        option = f"--{name.replace('_', '-')}"
        if answers and name in SCORES_ONLY:
            return f"{option} is of a table of scores: leave it or --answers out."
        if not answers and name in ANSWERS_ONLY:
            return f"{option} is of --answers: leave it out, or give that."
        if name == "seed" and params["public"] is not None:
            continue  # of the interval of what was lost
        if name in others and (name, params[name]) != ("dependence", "boland"):
            if sampler is None:
                return f"{option} is of a posterior: give --sampler exact or abc-smc, too."
            return f"{option} is of the estimate: leave it or --sampler out."
        if name == "public" and (answers or params["se"] is not None):
            return "--public is of two boards of accuracies with --n: leave it out."
        if name == "public" and params["public_n"] is None:
            return "--public needs --public-n, the instances of FILE2, or lattice."
        if name == "public_n" and params["public"] is None:
            return "--public-n is of --public: leave it out, or give that."
        if name == "variants":
            return "--variants is of one score in place of FILE: leave it out."
        if name == "epsilon" and sampler == "exact":
            return "--epsilon is for --sampler abc-smc, not exact."
    return None


def _estimate_of_best(
    board: "xr.DataArray", options: dict[str, Any]
) -> tuple["xr.Dataset", dict[str, Any], list[str]]:
    """Shrink or crop; with diagnostics, and no warnings."""
    import leaderbayes as lb

    best = lb.sota.shrink(board, **{k: v for k, v in options.items() if k not in POSTERIOR_ONLY})
    diagnostics = {
        "solved": bool(best.attrs["solved"]),
        "message": best.attrs["message"],
        "excluded": int(best["excluded"]),
        **{key: float(best[key]) for key in ("expected_max", "max_lower", "max_upper", "bias")},
    }
    return best, diagnostics, []


def _best_of(
    board: "xr.DataArray", sampler: Any, options: dict[str, Any]
) -> tuple["xr.DataTree", "xr.Dataset", dict[str, Any], list[str]]:
    """Draw and summarise, with the three likeliest teams; diagnostics, and warnings."""
    import leaderbayes as lb

    asked = {k: v for k, v in options.items() if k not in ESTIMATE_ONLY and k != "prob"}
    with redirect_stdout(sys.stderr):
        dt = lb.sota.posterior(board, sampler=sampler, progressbar=sys.stderr.isatty(), **asked)
    best = lb.sota.summary(dt, prob=options["prob"])
    likely = lb.leaderboard(dt).sort_values("p_sota", ascending=False, kind="stable")[:3]
    best.attrs["likely"] = list(zip(likely["team"].astype(str), likely["p_sota"], strict=True))
    diagnostics = {
        "converged": bool(dt.attrs["converged"]),
        **{key: number(dt.attrs[key]) for key in RELIABILITY if key in dt.attrs},
        **{key: float(best[key]) for key in ("expected_max", "max_lower", "max_upper")},
        "seed": dt.attrs["seed"],
    }
    return dt, best, diagnostics, json.loads(dt.attrs["warnings"])
