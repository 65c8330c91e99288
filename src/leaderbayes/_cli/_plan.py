"""The command plan: how many more rounds would decide."""

import json
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from leaderbayes._cli._console import finish, number, print_doubt, print_table, probability, short
from leaderbayes._cli._options import (
    LIKELIHOODS,
    SAMPLERS,
    WEIGHT,
    as_json,
    names_of,
    prob,
    reading,
    seed,
    ties,
    typed,
    weight,
)
from leaderbayes._cli._votes import (
    are_votes,
    how_votes_count,
    read_board_of,
    voting,
    what_votes_were_read,
)
from leaderbayes._numerics.decimals import decimals

if TYPE_CHECKING:
    import xarray as xr


def counts(text: str) -> list[int]:
    """Read whole numbers with commas between them."""
    try:
        return [int(count) for count in text.split(",")]
    except ValueError:
        raise click.BadParameter(f"{text!r}: give whole numbers, such as 5,10,20.") from None


@click.command()
@reading
@voting
@click.option("--a", metavar="PLAYER", help="Tell A apart from B; without both, the leader from "
              "everybody.")  # fmt: skip
@click.option("--b", metavar="PLAYER")
@click.option("--rounds", type=counts, metavar="N,N,...",
              help="Numbers of further rounds.  [default: 5,10,20,40,80; of items as there are "
              "many]")  # fmt: skip
@click.option("--votes", type=counts, metavar="N,N,...",
              help="Of votes: numbers of further votes.  [default: from a quarter of those that "
              "there are to four times as many]")  # fmt: skip
@click.option("--target", type=float, callback=probability, default=0.8, show_default=True,
              help="Wanted probability of a decision.")  # fmt: skip
@click.option("--width", type=float, metavar="W",
              help="Of mean scores: wanted width of the interval of the difference, in the "
              "metric's unit.")  # fmt: skip
@click.option("--more-runs", type=counts, metavar="N,N,...",
              help="Of mean scores of repeated runs: further runs of the same rounds.  "
              "[default: 1,2,4]")  # fmt: skip
@prob
@click.option("--only-players", multiple=True, metavar="PLAYER",
              help="Once for each: run these alone, instead of A and B or those tied for top.",
              )  # fmt: skip
@click.option("--model",
              type=click.Choice(["bradley_terry", "mean_score", "davidson", "round_intercept"]),
              default="bradley_terry", show_default=True,
              help="Who wins, or by how much, in the metric's unit; davidson and round_intercept "
              "are of votes.")  # fmt: skip
@click.option("--likelihood", type=click.Choice(LIKELIHOODS),
              help="Of mean_score: dirichlet for items that are right or wrong, or other bounded "
              "scores; normal for others.  [default: by the scores]")  # fmt: skip
@click.option("--weight", type=weight, metavar=WEIGHT, default="composite",
              show_default=True, help="Power of the likelihood; 1 is as published.")  # fmt: skip
@ties
@click.option("--sampler", type=click.Choice(SAMPLERS), default="auto", show_default=True,
              help="Of the posterior now, as for rank. Further runs are fitted by laplace.",
              )  # fmt: skip
@click.option("--simulations", type=click.IntRange(1), default=200, show_default=True,
              help="Further runs that are simulated, and fitted at each length and for each way to "
              "spend them: half a minute by default.")  # fmt: skip
@seed
@as_json
def plan(a: str | None, b: str | None, as_json: bool, **options: Any) -> None:
    """Say how many more rounds, or votes, would tell players apart."""
    import leaderbayes as lb
    from leaderbayes._scores.read import what_was_read

    if (a is None) != (b is None):
        raise lb.LeaderbayesError("--a and --b belong together.")
    asked_of = None if a is None or b is None else (a, b)
    scores, said = read_board_of(options | {"as_json": as_json})
    if are_votes(scores):
        _of_votes(scores, asked_of, options, said, as_json=as_json)
        return
    if options["votes"] is not None:
        raise lb.LeaderbayesError(f"{options['file']} holds scores: --votes is of votes.")
    if options["model"] in ("davidson", "round_intercept"):
        raise lb.LeaderbayesError(
            f"{options['file']} holds scores, whose further rounds are planned by --model "
            f"bradley_terry or mean_score; --model {options['model']} is of votes here."
        )
    if "tournament" in scores.dims:
        raise lb.ScoresError(
            f"{options['file']}: several tournaments; pick one with --only: {names_of(scores)}"
        )
    # PyMC draws its progress bar on standard output, which is for results here.
    of_scores = options["model"] == "mean_score"
    own = typed(["weight", "likelihood"]) if of_scores else ["weight", *typed(["likelihood"])]
    with redirect_stdout(sys.stderr), _of_folds():
        fit = lb.fit(
            scores,
            options["model"],
            replicates=1,
            progressbar=sys.stderr.isatty(),
            **{name: options[name] for name in ("sampler", "ties", "seed", *own)},
        )
    asked = partial(
        lb.plan,
        fit,
        asked_of,
        prob=options["prob"],
        target=options["target"],
        width=options["width"],
        more_runs=options["more_runs"],
        players=options["only_players"] or None,
        simulations=options["simulations"],
        seed=fit.attrs["seed"],
        progressbar=sys.stderr.isatty(),
    )
    plan = asked(rounds=())
    # What is decided already (0 rounds are needed, not an unknown number) needs no simulation; of
    # mean scores that costs little, and widths are asked for all the same.
    if of_scores or plan["rounds_needed"].any():
        plan = asked(rounds=options["rounds"])
    planned = _planned(plan, fit.attrs["seed"], said) | {"read": what_was_read(scores)}
    converged = bool(fit.attrs["converged"])
    finish(as_json, planned, _print, planned, converged, converged=converged)


@contextmanager
def _of_folds() -> Iterator[None]:
    """Say what a plan makes of folds, in place of a remedy that plans do not have."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        text = str(warning.message)
        if text.startswith("LB017"):
            text = (
                "LB017 rounds look like folds of the same data, which share training rows. Further "
                "rounds are taken for independent ones here: what is said holds for data sets of "
                "their own, and more folds of these data may never decide."
            )
        warnings.warn(text, warning.category, stacklevel=2)


def _of_votes(
    votes: "xr.Dataset",
    asked_of: tuple[str, str] | None,
    options: dict[str, Any],
    said: list[str],
    *,
    as_json: bool,
) -> None:
    """Say how many more votes would tell players apart."""
    import leaderbayes as lb

    if alien := typed(["rounds", "width", "more_runs", "simulations"]):
        raise lb.LeaderbayesError(
            f"{options['file']} was read as votes: --{alien[0].replace('_', '-')} is of scores."
        )
    if options["model"] == "mean_score":
        raise lb.LeaderbayesError(
            f"{options['file']} was read as votes: --model mean_score is of scores."
        )
    with redirect_stdout(sys.stderr):
        fit = lb.fit(
            votes, options["model"], replicates=1, progressbar=sys.stderr.isatty(),
            sampler=options["sampler"], seed=options["seed"], **how_votes_count(options),
        )  # fmt: skip
    plan = lb.plan(
        fit, asked_of, prob=options["prob"], target=options["target"], votes=options["votes"],
        players=options["only_players"] or None, seed=fit.attrs["seed"],
    )  # fmt: skip
    shared = ("question", "message", "prob", "target", "cluster")
    over_votes = plan[[name for name in plan.data_vars if "votes" in plan[name].dims]]
    planned = {
        **{key: plan.attrs[key] for key in shared},
        "seed": fit.attrs["seed"],
        "contested": json.loads(plan.attrs["contested"]),
        "p_now": float(plan["p_now"]),
        "width_now": float(plan["width_now"]),
        "ways": [
            row | {name: number(row[name]) for name in ("votes_needed", "p_any_votes")}
            for row in plan[["votes_needed", "p_any_votes"]]
            .to_dataframe()[["votes_needed", "p_any_votes"]]
            .reset_index()
            .to_dict("records")
        ],
        "rows": over_votes.to_dataframe().reset_index().to_dict("records"),
        "warnings": said + json.loads(plan.attrs["warnings"]),
        "read": what_votes_were_read(votes),
    }
    converged = bool(fit.attrs["converged"])
    finish(as_json, planned, _print_of_votes, planned, converged, converged=converged)


def _planned(plan: "xr.Dataset", seed: int, said: list[str]) -> dict[str, Any]:
    """Give a plan as JSON: a row for each way and number of rounds."""
    shared = ("question", "message", "prob", "target", "simulations")
    over_rounds = plan[[name for name in plan.data_vars if "rounds" in plan[name].dims]]
    scalars = ("rounds_for_width", "run_share", "width_any_runs", "runs_for_width")
    return {
        **{key: plan.attrs[key] for key in shared},
        "seed": seed,
        "contested": json.loads(plan.attrs["contested"]),
        "p_now": float(plan["p_now"]),
        "width_now": float(plan["width_now"]),
        "rounds_needed": {
            str(who): number(float(plan["rounds_needed"].sel(who=who)))
            for who in plan["who"].to_numpy()
        },
        **{name: number(float(plan[name])) for name in scalars if name in plan},
        **({"width_runs": plan["width_runs"].to_series().to_dict()} if "run_share" in plan else {}),
        **({"unit": plan.attrs["unit"]} if plan.attrs["model"] == "mean_score" else {}),
        "rows": over_rounds.to_dataframe().reset_index().to_dict("records"),
        "warnings": said + json.loads(plan.attrs["warnings"]),
    }


def _print(planned: dict[str, Any], converged: bool) -> None:
    """Tabulate a plan, and say what it comes to."""
    unit = planned.get("unit", "round")
    columns = ("who", f"{unit}s", "runs", "P(decided)", "simulated", "P(correct)", "width")
    # Log-odds, or the metric's unit.
    digits = f".{decimals([planned['width_now']])}f" if "unit" in planned else ".2f"
    rows = [
        (
            row["who"],
            f"+{row['rounds']}",
            str(row["runs"]),
            f"{row['p_decided']:.2f}",
            f"{row['p_decided_lower']:.2f} to {row['p_decided_upper']:.2f}",
            f"{row['p_correct']:.2f}",
            f"{row['width']:{digits}}",
        )
        for row in planned["rows"]
    ]
    again = [
        (f"the same {unit}s", "", f"+{runs} each", "", "", "", f"{width:{digits}}")
        for runs, width in planned.get("width_runs", {}).items()
    ]
    now = ("", "now", "", "", "", "", f"{planned['width_now']:{digits}}")
    console = print_table(dict.fromkeys(columns, 0), [now, *rows, *again], left=("who",))
    names = ", ".join(short(name) for name in planned["contested"])
    console.print(f"Contested: {names}.", soft_wrap=True)
    console.print(short(planned["message"], longest=1000), soft_wrap=True)
    if not converged:
        print_doubt()


def _print_of_votes(planned: dict[str, Any], converged: bool) -> None:
    """Tabulate a plan of votes, and say what it comes to."""
    by = "by" if planned["cluster"] == "none" else f"{planned['cluster']}s"
    columns = ("pairs", by, "votes", "P(decided)", "width")
    rows = [
        (
            {"all": "as they are", "contested": "contested"}[row["who"]],
            row["clusters"],
            f"+{row['votes']}",
            f"{row['p_decided']:.2f}",
            f"{row['width']:.2f}",
        )
        for row in planned["rows"]
    ]
    now = ("", "", "now", "", f"{planned['width_now']:.2f}")
    console = print_table(dict.fromkeys(columns, 0), [now, *rows], left=columns[:2])
    names = ", ".join(short(name) for name in planned["contested"])
    console.print(f"Contested: {names}.", soft_wrap=True)
    console.print(short(planned["message"], longest=1000), soft_wrap=True)
    if not converged:
        print_doubt()
