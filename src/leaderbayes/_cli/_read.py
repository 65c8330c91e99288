"""Read what a command names: scores or votes, one tournament or all."""

import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from leaderbayes._cli._options import ARGUMENTS
from leaderbayes._cli._print import collecting, short
from leaderbayes._cli._values import typed

if TYPE_CHECKING:
    import xarray as xr

    from leaderbayes.models._registry import Scores, Votes

_SCORES = ("player", "round_", "score", "repeat", "round_weight", "period", "drop", "keep",
           "scheme")  # fmt: skip
_NO_COLUMN = ("none", "same", "new")  # what clusters are asked for, not a column that has them
_VOTES = ("first", "second", "outcome", "prompt", "judge", "count")
_OF_FITTED = ("file", "a", "b", "prob", "rope", "as_json", "out", "figures", "control", "cost",
              "cost_column", "max_mb")  # fmt: skip


class Data(NamedTuple):
    """Scores or votes, and the warnings of reading them."""

    given: Any  # Scores or Votes; of a posterior None
    warnings: list[str]
    what: dict[str, Any]  # was read, ready for JSON


def read(given: Mapping[str, Any], *, several: bool = True) -> Data:
    """Read the file, print what was read, and take the tournament that is asked for."""
    from leaderbayes.models._registry import data_of

    with collecting() as texts:
        data = data_of(_read(given))
    if not given["as_json"]:
        click.echo(f"{data.read_as}: {short(data.said(), longest=1000)}", err=True)
    data = data_of(_picked(data, given))
    if not several:
        _check_one(data, given)
    return Data(data, texts, data.facts())


def _read(given: Mapping[str, Any]) -> Any:
    import leaderbayes as lb
    from leaderbayes._scores.votes import Options, read_board

    if given["format_"] != "table":
        return _adapted(given)
    file, tournament, max_mb = given["file"], given["tournament"], given["max_mb"]
    if of_votes := typed([*_VOTES, "both_bad"]):
        if alien := typed(_SCORES):
            raise lb.LeaderbayesError(
                f"{_flag(of_votes[0])} is for votes, and {_flag(alien[0])} for scores; omit one "
                "of them."
            )
        columns = {name: given[name] for name in _VOTES if name != "count"}
        return lb.read_votes(
            file, **columns, weight=given["count"], covariates=given.get("covariates"),
            both_bad=given["both_bad"], tournament=tournament, max_mb=max_mb,
        )  # fmt: skip
    cluster = None if given.get("cluster") in _NO_COLUMN else given.get("cluster")
    roles = {"player": given["player"], "round": given["round_"], "repeat": given["repeat"]}
    return read_board(
        file, votes=Options(tournament=tournament, covariates=given.get("covariates")),
        score=given["score"], tournament=tournament, cluster=cluster,
        round_weight=given.get("round_weight"), period=given["period"],
        higher_is_better=given["higher_is_better"], drop=given["drop"], keep=given["keep"],
        max_mb=max_mb, scheme=given["scheme"], **roles,
    )  # fmt: skip


def _adapted(given: Mapping[str, Any]) -> "xr.DataArray":
    """Read results as another program writes them."""
    import leaderbayes as lb
    from leaderbayes._adapters.read import PROGRAMS

    cluster = given.get("cluster")
    asked = {
        "score": ("metric", given["score"]),
        "higher_is_better": ("higher_is_better", given["higher_is_better"]),
        "cluster": ("clusters", None if cluster is None else cluster != "none"),
    }
    known = PROGRAMS[given["format_"]].options
    alien = [name for name in typed((*_SCORES, "tournament", *_VOTES)) if name not in asked]
    alien += [k for k, (name, value) in asked.items() if value is not None and name not in known]
    if alien:
        raise lb.LeaderbayesError(
            f"{_flag(alien[0])} is for --format table, not for --format {given['format_']}."
        )
    arguments = {name: value for name, value in asked.values() if value is not None}
    return lb.read_results(given["file"], given["format_"], max_mb=given["max_mb"], **arguments)


def _picked(data: "Scores | Votes", given: Mapping[str, Any]) -> Any:
    """Take the one tournament that is asked for."""
    import leaderbayes as lb
    from leaderbayes._scores.tables import suggest

    only, values, found = given["only"], data.values, data.tournaments()
    if only is None and values.sizes.get("tournament") != 1:
        return values
    only = found[0] if only is None else only
    if not found and only == values.attrs.get("tournament"):
        return values
    if only not in found:
        hint = suggest(only, found) if found else "there is one, without a name; leave it out."
        raise lb.LeaderbayesError(f"{given['file']}: no tournament {only[:60]!r}; {hint}")
    return data.of(only).assign_attrs(tournament=only)


def _check_one(data: "Scores | Votes", given: Mapping[str, Any]) -> None:
    """Raise where there are scores of several tournaments, and one is needed."""
    import leaderbayes as lb

    if data.several:
        names, values = data.tournaments(), data.values
        first = ", ".join(name[:60] for name in names[:12]) + (", ..." if len(names) > 12 else "")
        raise lb.LeaderbayesError(
            f"{given['file']}: several tournaments; choose one with --only: {first}. To use them "
            f"as rounds of one board: --round {shlex.quote(_called(values, 'tournament'))} "
            f"--repeat {shlex.quote(_called(values, 'round'))} (scores are averaged)."
        )


def _called(values: Any, role: str) -> str:
    """Return the column of a role."""
    columns = dict(each.split("=", 1) for each in values.attrs["columns"].split(", "))
    return str(columns.get(role, "COLUMN"))


def fit_arguments(data: Data, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `leaderbayes.fit` that were asked for."""
    asked = {name: given[name] for name in ARGUMENTS if given.get(name) not in (None, ())}
    if "options" in asked:
        asked["options"] = dict(asked["options"])
    kept = {"cluster"} if asked.get("cluster") in _NO_COLUMN else set()  # else columns of the file
    return {k: value for k, value in asked.items() if k not in {*data.given.columns} - kept}


def fitted(given: Mapping[str, Any], players: Sequence[str] = ()) -> tuple["xr.DataTree", Data]:
    """Read and fit, or take the posterior of a folder that ``rank --out`` wrote."""
    import leaderbayes as lb

    path = Path(given["file"])
    if path.is_dir() and (path / "posterior.nc").is_file():
        if alien := [name for name in typed(given) if name not in _OF_FITTED]:
            raise lb.LeaderbayesError(
                f"{path} is a posterior, which is not fitted again: omit {_flag(alien[0])}."
            )
        dt = lb.read_fit(path / "posterior.nc")
        run = path / "run.json"
        what = json.loads(run.read_text("utf-8")).get("read", {}) if run.is_file() else {}
        _check_players(given, players, dt["posterior"])
        return dt, Data(None, [], what)
    data = read(given)
    _check_players(given, players, data.given.values)
    return fit(data, given), data


def _check_players(given: Mapping[str, Any], players: Sequence[str], values: Any) -> None:
    """Refuse unknown names."""
    import leaderbayes as lb

    for name in players:
        if name not in values["player"]:
            first = ", ".join(repr(str(p)[:60]) for p in values["player"].to_numpy()[:8])
            raise lb.LeaderbayesError(
                f"{given['file']}: there is no player {name!r}; the first are {first}"
            )


def fit(data: Data, given: Mapping[str, Any]) -> "xr.DataTree":
    """Fit what was read; print which model was taken, and why."""
    import leaderbayes as lb
    from leaderbayes._fits.posterior import Posterior
    from leaderbayes._inference.fit import say_model
    from leaderbayes.models._registry import MODELS

    if given["model"] in MODELS and not MODELS[given["model"]].several:
        _check_one(data.given, given)
    shown = sys.stderr.isatty()
    # PyMC draws its progress bar on standard output, which is for results here.
    with redirect_stdout(sys.stderr):
        dt = lb.fit(data.given.values, progressbar=shown, **fit_arguments(data, given))
    if given["model"] == "auto" and not shown and not given["as_json"]:
        say_model(Posterior(dt))
    return dt


def _flag(name: str) -> str:
    return "--" + name.rstrip("_").replace("_", "-")
