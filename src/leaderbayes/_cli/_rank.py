"""The command rank: fit, leaderboard, and all that is written of them."""

import json
from inspect import signature
from typing import TYPE_CHECKING, Any

import click

from leaderbayes._cli._options import (
    ARGUMENTS,
    command,
    fitting,
    reading,
    scaling,
    together,
    writing,
)
from leaderbayes._cli._output import check_out, write_out
from leaderbayes._cli._print import (
    collecting,
    diagnostics,
    finish,
    number,
    print_effects,
    print_leaderboard,
    print_reliability,
    records,
    warned,
)
from leaderbayes._cli._read import Data, fit, read
from leaderbayes._cli._values import anchored, typed

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

_OF_VOTES = ("ties", "order_effect", "covariates", "cluster")
_OF_ESTIMATES = ("model", "within_round", "weight", *_OF_VOTES)


@command("rank scores.csv --seed 1 --out results")
@reading
@click.option("--ml", is_flag=True, help="Estimate by maximum likelihood, without sampling.")
@together(scaling, fitting, writing)
def rank(**given: Any) -> None:
    """Rank the players of a table of scores or votes."""
    import leaderbayes as lb
    from leaderbayes._answers.votes import effects

    check_out(given)
    data = read(given)
    with collecting() as texts:
        dt: Any = _estimate(data, given) if given["ml"] else fit(data, given)
        table = lb.leaderboard(dt, prob=given["prob"], **anchored(given))
        sways = effects(dt, given["prob"])
        deviance = _deviance(dt) if {"epp", "elo"} & {*table} else None
    attrs = dt.attrs
    result = {
        "model": str(attrs["model"]),
        "arguments": json.loads(attrs.get("arguments", "{}")),
        "seed": attrs.get("seed"),
        "players": records(table),
        "estimand": table.attrs.get("estimand"),
        "disagreement": table.attrs.get("disagreement"),
        "deviance": deviance,
        **({} if sways is None else {"effects": records(sways)}),
        "diagnostics": diagnostics(dt),
        "warnings": warned(dt, data.warnings, texts),
        "read": data.what,
    }
    converged = result["diagnostics"]["converged"]
    if given["ml"]:
        write_out(given, result, converged=converged, tables={"leaderboard": table})
    elif given["out"] is not None:
        _write(given, result, dt, table)
    finish(given["as_json"], result, _print, table, result, given["prob"], converged=converged)


def _estimate(data: Data, given: dict[str, Any]) -> "xr.Dataset":
    """Estimate by maximum likelihood, by default in the first model that has an estimate."""
    import leaderbayes as lb
    from leaderbayes.models._registry import MODELS

    if alien := typed([name for name in ARGUMENTS if name not in _OF_ESTIMATES]):
        option = alien[0].removesuffix("s") if alien[0] == "options" else alien[0]
        raise lb.LeaderbayesError(f"--ml has no --{option.replace('_', '-')}; omit one of them.")
    first = next(name for name in MODELS if hasattr(lb.likelihood, name))
    model = first if given["model"] == "auto" else given["model"]
    function = getattr(lb.likelihood, model, None)
    if function is None or model not in MODELS:
        raise lb.LeaderbayesError(f"--ml has no model {model!r}; omit --ml, or use another.")
    played, asked = data.given.estimable(given, typed(_OF_VOTES))
    if unknown := asked.keys() - signature(function).parameters:
        raise lb.LeaderbayesError(f"--ml --model {model} has no {' and no '.join(unknown)}.")
    estimate: xr.Dataset = function(played, **asked)
    return estimate


def _deviance(dt: Any) -> dict[str, Any]:
    import leaderbayes as lb

    found = lb.deviance(dt)
    values = {k: number(float(found[k])) for k in ("value", "p_value", "standardised")}
    return values | {"df": int(found["df"])}


def _write(
    given: dict[str, Any], result: dict[str, Any], dt: "xr.DataTree", table: "pd.DataFrame"
) -> None:
    """Write tables, the posterior and figures."""
    import pandas as pd

    import leaderbayes as lb
    from leaderbayes._fits.file import encoded
    from leaderbayes._fits.posterior import Posterior

    tables: dict[str, Any] = {
        "leaderboard": table,
        "win_probability": lb.win_probability(dt)["mean"],
    }
    if "effects" in result:
        tables["effects"] = pd.DataFrame(result["effects"])
    figures = ["leaderboard", "groups", "win_probability", "rank_distribution"]
    asked, names = {"prob": given["prob"], **anchored(given)}, Posterior(dt).tournaments
    if each := {name: lb.leaderboard(lb.study.select(dt, name), **asked) for name in names}:
        tables["tournaments"] = pd.concat(each, names=["tournament"]).reset_index("tournament")
    elif result["deviance"] is not None:
        figures.append("record")
    figures += [] if result["deviance"] is None else ["deviance"]
    run = {k: v for k, v in result.items() if k != "players"}
    run["versions"] = json.loads(dt.attrs["versions"])
    write_out(
        given, run, converged=result["diagnostics"]["converged"], tables=tables,
        figures=dict.fromkeys(figures, dt)
        | dict.fromkeys(figures[:2], (dt, anchored(given))),
        files={"posterior.nc": encoded(dt)},
    )  # fmt: skip


def _print(table: "pd.DataFrame", result: dict[str, Any], prob: float) -> None:
    """Print the leaderboard, and how far it can be trusted."""
    fresh = "test_fraction" in result["arguments"]
    about = " for new data sets of this size" if fresh else ""
    print_leaderboard(table, f"{result['model']}, {prob:.0%} intervals{about}")
    if result["estimand"]:
        click.echo(result["estimand"])
    if "effects" in result:
        print_effects(result["effects"], prob)
    print_reliability(result["diagnostics"], result["model"], result["seed"])
