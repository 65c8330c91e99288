"""The commands rank and compare."""

import json
import re
import sys
from contextlib import redirect_stdout
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from leaderbayes._cli._console import (
    collecting,
    finish,
    number,
    print_comparison,
    print_leaderboard,
    records,
    short,
)
from leaderbayes._cli._options import CLUSTERED, figures, fitting, names_of, reading, typed
from leaderbayes._cli._output import check_out, draw, say_older, write_run, write_table
from leaderbayes._cli._votes import (
    are_votes,
    effects_of_fit,
    estimate_votes,
    fit_votes,
    part_of,
    read_board_of,
    tournaments_of,
    voting,
    what_votes_were_read,
)
from leaderbayes._files.write import check_folder, writing
from leaderbayes._fits.kinds import OF_SCORES, OF_SEVERAL

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

SAMPLED_ONLY = (
    "sampler", "draws", "chains", "test_fraction", "likelihood", "of", "statistic",
)  # fmt: skip
FIGURES = ("leaderboard", "win_probability", "rank_distribution", "record", "deviance")
FIGURES_OF_SCORES = FIGURES[:3]  # of mean scores, which have no matches to hold against a model


@click.command()
@reading
@click.option("--ml", is_flag=True, help="Estimate by maximum likelihood; nothing is sampled.")
@click.option("--eliminate", type=click.Choice(["rigorous", "accelerated", "heuristic"]),
              help="With --ml --model round_intercept: drop effects that do not differ "
              "from the weakest player's.")  # fmt: skip
@fitting
@voting
@click.option(
    "--out", type=click.Path(path_type=Path), help="Write tables, posterior and figures here."
)
@figures
@click.option("--each", is_flag=True, help="Rank each tournament of the table by itself.")
def rank(ml: bool, out: Path | None, each: bool, **options: Any) -> None:
    """Rank the players of a table of scores, or of votes (who beat whom)."""
    import leaderbayes as lb

    if ml and (alien := typed(SAMPLED_ONLY)):
        option = alien[0].replace("_", "-")
        raise lb.LeaderbayesError(f"--ml has no --{option}: leave out one of the two.")
    if options["eliminate"] and not (ml and options["model"] == "round_intercept"):
        raise lb.LeaderbayesError("--eliminate is for --ml --model round_intercept.")
    if out is not None and ml:
        check_folder(out)  # of estimates there are no figures
    elif out is not None:
        check_out(out, options)
    scores, said = read_board_of(options)
    options |= {"ml": ml, "said": said}
    of_votes = are_votes(scores)
    if of_votes:
        # All together, unless each is asked for.
        several = each and bool(tournaments_of(scores))
    else:
        several = "tournament" in scores.dims
    if each and (not several or options["model"] in OF_SEVERAL):
        raise lb.LeaderbayesError("--each is for a table of several tournaments, each by itself.")
    if several and not each and options["model"] not in OF_SEVERAL:
        as_one = "as clusters of one board with --cluster task, "
        raise lb.ScoresError(
            f"{options['file']}: several tournaments; pick one with --only, rank each with --each, "
            f"{as_one if CLUSTERED.get(options['format_']) == 'task' else ''}"
            "or all together with --model tournaments or score_tournaments: "
            f"{names_of(scores)}"
        )
    if not each:
        table, result = _estimate_one(scores, out, options)
        shown = (table, result, options["prob"])
        converged = result["diagnostics"]["converged"]
        finish(options["as_json"], result, print_leaderboard, *shown, converged=converged)
        return
    results, failed = [], False
    names = tournaments_of(scores) if of_votes else scores["tournament"].to_numpy()
    for position, name in enumerate(names, 1):
        place = None if out is None else out / f"{position:03d}_{_file_name(str(name))}"
        one = part_of(scores, name) if of_votes else scores.sel(tournament=name, drop=True)
        whose = f"tournament {str(name)[:60]!r}: "
        try:
            table, result = _estimate_one(one, place, options, whose)
        except lb.LeaderbayesError as problem:
            failed = True
            click.echo(f"Error: {whose}{problem}", err=True)
            continue
        results.append({"tournament": str(name), **result})
        if not options["as_json"]:
            click.echo(f"Tournament {short(str(name))}")
            print_leaderboard(table, result, options["prob"])
    converged = all(result["diagnostics"]["converged"] for result in results)
    # Each table stands already below its tournament's name.
    finish(
        options["as_json"], {"tournaments": results}, lambda: None, converged=converged,
        failed=failed,
    )  # fmt: skip


def _estimate_one(
    scores: Any,
    out: Path | None,
    options: dict[str, Any],
    whose: str = "",
) -> tuple["pd.DataFrame", dict[str, Any]]:
    """Estimate, and write the results where they are wanted; warnings begin with ``whose``."""
    import leaderbayes as lb
    from leaderbayes._scores.read import what_was_read

    of_votes = are_votes(scores)
    with collecting(whose) as said:
        fit: Any = _estimate(scores, options) if options["ml"] else fit_board(scores, options)
        effects = effects_of_fit(fit, options["prob"]) if of_votes else []
        table = lb.leaderboard(fit, prob=options["prob"])
        deviance = None if fit.attrs["model"] in OF_SCORES else _deviance(lb.deviance(fit))
    attrs, ml = fit.attrs, options["ml"]
    known = {} if ml else json.loads(attrs["arguments"])
    result = {
        "model": attrs["model"],
        **{name: known[name] for name in ("likelihood", "of", "statistic") if name in known},
        **({"test_fraction": known["test_fraction"]} if known.get("test_fraction") else {}),
        "weight": (1.0 if attrs["covariance"] == "model" else None) if ml else attrs.get("weight"),
        "seed": options["seed"] if ml else attrs["seed"],
        "players": records(table),
        "disagreement": table.attrs.get("disagreement"),
        "deviance": deviance,
        "diagnostics": {
            "max_rhat": number(attrs.get("max_rhat", nan)),
            "min_ess": number(attrs.get("min_ess", nan)),
            "divergences": attrs.get("divergences"),
            "p_check": number(attrs.get("p_check", nan)),
            "converged": bool(attrs["converged"]),
            "sampler": attrs.get("sampler"),
            "why_nuts": attrs.get("why_nuts"),
        },
        # Those of reading, and what a fit does not keep itself.
        "warnings": list(dict.fromkeys(options["said"] + json.loads(attrs["warnings"]) + said)),
        **(_of_estimate(fit) if ml else {}),
        **({"effects": effects, "cluster": table.attrs.get("cluster")} if of_votes else {}),
        "read": what_votes_were_read(scores) if of_votes else what_was_read(scores),
    }
    if out is not None:
        _write(out, fit, table, result, options)
    return table, result


@click.command()
@reading
@click.argument("a")
@click.argument("b")
@click.option("--rope", type=float, help="Win probabilities this near to 1/2 are equivalent; of "
              "mean scores differences up to this, in the metric's unit.")  # fmt: skip
@fitting
@voting
def compare(a: str, b: str, rope: float | None, **options: Any) -> None:
    """Say how probably player A is better than player B."""
    import leaderbayes as lb
    from leaderbayes._answers.compare import check_comparison
    from leaderbayes._scores.read import what_was_read

    check_comparison(a, b, rope, of_scores=options["model"] in OF_SCORES)
    scores, said = read_board_of(options)
    of_votes = are_votes(scores)
    if "tournament" in scores.dims and options["model"] not in OF_SEVERAL:
        raise lb.ScoresError(
            f"{options['file']}: several tournaments; pick one with --only, or take all together "
            f"with --model tournaments or score_tournaments: {names_of(scores)}"
        )
    for name in (a, b):
        if name not in scores["player"]:
            raise lb.ScoresError(
                f"{options['file']}: there is no player {name!r}; the first are "
                + ", ".join(repr(str(p)[:60]) for p in scores["player"].to_numpy()[:8])
            )
    fit = fit_board(scores, options)
    result = lb.compare(fit, a, b, rope=rope, prob=options["prob"])
    converged = bool(result.attrs["converged"])
    printed = {
        "player": a,
        "opponent": b,
        **{str(name): float(value) for name, value in result.data_vars.items()},
        "seed": fit.attrs["seed"],
        "converged": converged,
        "warnings": said + json.loads(result.attrs["warnings"]),
        "read": what_votes_were_read(scores) if of_votes else what_was_read(scores),
    }
    shown = (result, options["prob"], of_votes, fit.attrs["model"] in OF_SEVERAL)
    finish(options["as_json"], printed, print_comparison, *shown, converged=converged)


def fit_board(scores: Any, options: dict[str, Any]) -> "xr.DataTree":
    """Fit scores or votes as the options say."""
    import leaderbayes as lb

    if are_votes(scores):
        return fit_votes(scores, options)
    asked = {
        k: options[k]
        for k in ("ties", "draws", "tune", "target_accept", "chains", "seed", "sampler")
    }
    own = ("weight", "test_fraction", "likelihood", "of", "statistic")
    asked |= {k: options[k] for k in own if options[k] is not None}
    within, shown = not options["across_rounds"], sys.stderr.isatty()
    # PyMC draws its progress bar on standard output, which is for results here.
    with redirect_stdout(sys.stderr):
        return lb.fit(scores, options["model"], within_round=within, progressbar=shown, **asked)


def _of_estimate(estimate: Any) -> dict[str, Any]:
    """Give what only some estimates by maximum likelihood have."""
    result: dict[str, Any] = {}
    if estimate.attrs["model"] == "round_intercept":
        names = ("intercept", "sd_judge" if "sd_judge" in estimate else "sd_round")
        result |= {name: float(estimate[name]) for name in names}
    if "eliminated" in estimate:
        steps = estimate[[f"step_{name}" for name in ("player", "test", "p_value", "loglik")]]
        result |= {
            "eliminated": [str(p) for p in estimate["player"].to_numpy()[estimate["eliminated"]]],
            "steps": [
                {str(k).removeprefix("step_"): v for k, v in row.items()}
                for row in steps.to_dataframe().to_dict("records")
            ],
        }
    return result


def _estimate(scores: Any, options: dict[str, Any]) -> "xr.Dataset":
    """Estimate by maximum likelihood."""
    import leaderbayes as lb

    if are_votes(scores):
        return estimate_votes(scores, options)
    model, ties, within = options["model"], options["ties"], not options["across_rounds"]
    if model not in ("bradley_terry", "plackett_luce", "round_intercept"):
        raise lb.LeaderbayesError(f"--ml has no model {model!r}; leave --ml out, or take another.")
    if options["weight"] not in (None, "composite", 1.0):
        raise lb.LeaderbayesError(
            "--ml knows --weight composite (covariance clustered by round) and --weight 1 "
            "(independent matches, as published)."
        )
    met = lb.matches(scores, within_round=within, ties=ties, pairs=model == "bradley_terry")
    if model == "round_intercept":
        if options["weight"] == "composite":
            raise lb.LeaderbayesError(
                "Maximum likelihood of round_intercept has no --weight composite; use --weight 1."
            )
        if options["eliminate"]:
            return lb.likelihood.eliminate(met, method=options["eliminate"])
        return lb.likelihood.round_intercept(met)
    independent = options["weight"] == 1.0 or (
        model == "plackett_luce" and options["weight"] is None
    )
    covariance: Literal["clustered", "model"] = "model" if independent else "clustered"
    if model == "plackett_luce":
        return lb.likelihood.plackett_luce(met, covariance=covariance)
    return lb.likelihood.bradley_terry(met, covariance=covariance)


def _deviance(deviance: "xr.Dataset") -> dict[str, Any]:
    names = ("value", "p_value", "standardised")
    value, p_value, standardised = (number(float(deviance[name])) for name in names)
    df = int(deviance["df"])
    return {"value": value, "df": df, "p_value": p_value, "standardised": standardised}


def _write(
    out: Path,
    fit: Any,
    table: "pd.DataFrame",
    result: dict[str, Any],
    options: dict[str, Any],
) -> None:
    """Write tables, the posterior and figures."""
    import pandas as pd

    import leaderbayes as lb
    from leaderbayes._fits.file import encoded

    run = {k: v for k, v in result.items() if k != "players"}
    trusted = {"converged": result["diagnostics"]["converged"], "warnings": result["warnings"]}
    asked = {k: v for k, v in options.items() if k != "said"}
    with writing(out) as part:
        write_table(part / "leaderboard.csv", table, trusted)
        if not options["ml"]:
            run["versions"] = json.loads(fit.attrs["versions"])
            mean = lb.win_probability(fit)["mean"]
            write_table(part / "win_probability.csv", mean, trusted)
            if result.get("effects"):
                write_table(part / "effects.csv", pd.DataFrame(result["effects"]), trusted)
            (part / "posterior.nc").write_bytes(encoded(fit))
            if fit.attrs["model"] in OF_SEVERAL:
                each = _by_tournament(fit, options["prob"])
                write_table(part / "tournaments.csv", each, trusted)
            figures = FIGURES_OF_SCORES if fit.attrs["model"] in OF_SCORES else FIGURES
            draw(part, dict.fromkeys(figures, fit), options["figures"], seed=fit.attrs["seed"])
        write_run(part, asked, run)
        say_older(out, part)


def _by_tournament(fit: "xr.DataTree", prob: float) -> "pd.DataFrame":
    """Make the leaderboards of all tournaments of a fit, one below the other."""
    import pandas as pd

    import leaderbayes as lb

    names = fit["constant_data"]["tournament"].to_numpy()
    tables = {str(name): lb.leaderboard(lb.study.select(fit, name), prob=prob) for name in names}
    return pd.concat(tables, names=["tournament"]).reset_index("tournament")


def _file_name(name: str) -> str:
    """Turn a name into part of a file's name."""
    return re.sub(r"[^\w.-]+", "_", name)[:60]
