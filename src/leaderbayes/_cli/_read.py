"""Read what a command names: scores or votes, one tournament or all."""

import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from leaderbayes._cli._options import ARGUMENTS, typed
from leaderbayes._cli._print import collecting, short

if TYPE_CHECKING:
    import xarray as xr

_SCORES = ("player", "round_", "score", "repeat", "round_weight", "drop", "keep")
_VOTES = ("first", "second", "outcome", "prompt", "judge", "count")
_OF_FITTED = ("file", "a", "b", "prob", "rope", "as_json", "out", "figures", "control")
_KINDS = ("vote", "player", "judge", "prompt", "tournament")


class Data(NamedTuple):
    """Scores or votes, and the warnings of reading them."""

    values: Any
    warnings: list[str]
    known: dict[str, Any] | None = None  # what was read, where it is known

    @property
    def of_votes(self) -> bool:
        """Whether these are votes."""
        return bool(self.values.attrs.get("kind") == "votes")

    @property
    def what(self) -> dict[str, Any]:
        """What was read, ready for JSON."""
        from leaderbayes._scores.read import what_was_read

        if self.known is not None:
            return self.known
        return _of_votes(self.values) if self.of_votes else what_was_read(self.values)


def read(given: Mapping[str, Any], *, several: bool = True) -> Data:
    """Read the file, print what was read, and take the tournament that is asked for."""
    from leaderbayes._scores.read import describe

    with collecting() as texts:
        data = Data(_read(given), texts)
    if not given["as_json"]:
        said = _describe(data.what) if data.of_votes else describe(data.values)
        kind = "read as votes" if data.of_votes else "read"
        click.echo(f"{kind}: {short(said, longest=1000)}", err=True)
    data = data._replace(values=_picked(data, given))
    if not several:
        _check_one(data, given)
    return data


def _read(given: Mapping[str, Any]) -> Any:
    import leaderbayes as lb
    from leaderbayes._scores.votes import Options, read_board

    if given["format_"] != "table":
        return _adapted(given)
    file, tournament, max_mb = given["file"], given["tournament"], given["max_mb"]
    if of_votes := typed([*_VOTES, "both_bad"]):
        if alien := typed(_SCORES):
            raise lb.LeaderbayesError(
                f"{_flag(of_votes[0])} is for votes, and {_flag(alien[0])} for scores: leave out "
                "one of the two."
            )
        columns = {name: given[name] for name in _VOTES if name != "count"}
        return lb.read_votes(
            file, **columns, weight=given["count"], covariates=given.get("covariates"),
            both_bad=given["both_bad"], tournament=tournament, max_mb=max_mb,
        )  # fmt: skip
    cluster = None if given.get("cluster") == "none" else given.get("cluster")
    roles = {"player": given["player"], "round": given["round_"], "repeat": given["repeat"]}
    return read_board(
        file, votes=Options(tournament=tournament, covariates=given.get("covariates")),
        score=given["score"], tournament=tournament, cluster=cluster,
        round_weight=given.get("round_weight"),
        higher_is_better=given["higher_is_better"], drop=given["drop"], keep=given["keep"],
        max_mb=max_mb, **roles,
    )  # fmt: skip


def _adapted(given: Mapping[str, Any]) -> "xr.DataArray":
    """Read results as another program writes them."""
    import leaderbayes as lb

    reader = getattr(lb.adapters, f"from_{given['format_'].replace('-', '_')}")
    cluster = given.get("cluster")
    asked = {
        "score": ("metric", given["score"]),
        "higher_is_better": ("higher_is_better", given["higher_is_better"]),
        "cluster": ("clusters", None if cluster is None else cluster != "none"),
    }
    known = signature(reader).parameters
    alien = typed(["player", "round_", "tournament", "repeat", "drop", "keep", "round_weight"])
    alien += typed(_VOTES)
    alien += [k for k, (name, value) in asked.items() if value is not None and name not in known]
    if alien:
        raise lb.LeaderbayesError(
            f"{_flag(alien[0])} is for --format table, and has no meaning for --format "
            f"{given['format_']}."
        )
    arguments = {name: value for name, value in asked.values() if value is not None}
    scores: xr.DataArray = reader(given["file"], max_mb=given["max_mb"], **arguments)
    return scores


def _picked(data: Data, given: Mapping[str, Any]) -> Any:
    """Take the one tournament that is asked for."""
    import leaderbayes as lb
    from leaderbayes._scores.tables import suggest

    only, values = given["only"], data.values
    found = tournaments_of(data)
    if only is None and (data.of_votes or len(found) != 1):
        return values
    only = found[0] if only is None else only
    if not found and only == values.attrs.get("tournament"):
        return values
    if only not in found:
        hint = suggest(only, found) if found else "there is one, without a name; leave it out."
        raise lb.LeaderbayesError(f"{given['file']}: no tournament {only[:60]!r}; {hint}")
    if data.of_votes:
        own = values["tournament"].to_numpy().astype(str) == only
        values = values.isel(vote=own).drop_vars("tournament")
    else:
        values = values.sel(tournament=only, drop=True)
    return values.assign_attrs(tournament=only)


def tournaments_of(data: Data) -> list[str]:
    """List the tournaments that the data tell apart, in order of appearance."""
    if "tournament" not in (data.values.coords if data.of_votes else data.values.dims):
        return []
    return list(dict.fromkeys(str(name) for name in data.values["tournament"].to_numpy()))


def _check_one(data: Data, given: Mapping[str, Any]) -> None:
    """Raise where there are scores of several tournaments, and one is needed."""
    import leaderbayes as lb

    names = tournaments_of(data)
    if len(names) > 1 and not data.of_votes:
        first = ", ".join(name[:60] for name in names[:12]) + (", ..." if len(names) > 12 else "")
        raise lb.LeaderbayesError(
            f"{given['file']}: several tournaments; pick one with --only: {first}. If they are "
            f"the rounds of one board: --round {shlex.quote(_called(data, 'tournament'))}"
            f" --repeat {shlex.quote(_called(data, 'round'))}, whose scores are averaged."
        )


def _called(data: Data, role: str) -> str:
    """Return the column that was taken for a role."""
    columns = dict(each.split("=", 1) for each in data.values.attrs["columns"].split(", "))
    return str(columns.get(role, "COLUMN"))


def _of_votes(votes: "xr.Dataset") -> dict[str, Any]:
    """Count and name what was read as votes; ready for JSON."""
    count = float(votes["weight"].sum()) if "weight" in votes else votes.sizes["vote"]
    what: dict[str, Any] = {"kind": "votes", "columns": str(votes.attrs["read_as"])}
    what |= {"unused": votes.attrs["unused"]} if "unused" in votes.attrs else {}
    what |= {"votes": round(count), "players": votes.sizes["player"]}
    known = [name for name in _KINDS if name in votes.coords and name != "player"]
    return what | {f"{name}s": len(set(votes[name].to_numpy().tolist())) for name in known}


def _describe(what: Mapping[str, Any]) -> str:
    """Describe in a line what was read as votes."""
    from leaderbayes._scores.tables import counted

    sizes = [counted(what[f"{kind}s"], kind) for kind in _KINDS if f"{kind}s" in what]
    unused = f"; not used: {what['unused']}" if "unused" in what else ""
    return f"{what['columns']}; {', '.join(sizes)}{unused}"


def fit_arguments(data: Data, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `leaderbayes.fit` that were asked for."""
    asked = {name: given[name] for name in ARGUMENTS if given.get(name) not in (None, ())}
    if "options" in asked:
        asked["options"] = dict(asked["options"])
    if not data.of_votes:  # columns that were read
        asked.pop("round_weight", None)
        if asked.get("cluster") != "none":
            asked.pop("cluster", None)
    return asked


def fitted(given: Mapping[str, Any], players: Sequence[str] = ()) -> tuple["xr.DataTree", Data]:
    """Read and fit, or take the posterior of a folder that ``rank --out`` wrote."""
    import leaderbayes as lb

    path = Path(given["file"])
    if path.is_dir() and (path / "posterior.nc").is_file():
        if alien := [name for name in typed(given) if name not in _OF_FITTED]:
            raise lb.LeaderbayesError(
                f"{path} holds a posterior, which is not fitted again: leave out {_flag(alien[0])}."
            )
        dt = lb.read_fit(path / "posterior.nc")
        run = path / "run.json"
        what = json.loads(run.read_text("utf-8")).get("read", {}) if run.is_file() else {}
        _check_players(given, players, dt["posterior"])
        return dt, Data(dt, [], what)
    data = read(given)
    _check_players(given, players, data.values)
    return fit(data, given), data


def _check_players(given: Mapping[str, Any], players: Sequence[str], values: Any) -> None:
    """Refuse names that nobody has."""
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
    from leaderbayes.models._registry import MODELS

    if given["model"] in MODELS and not MODELS[given["model"]].several:
        _check_one(data, given)
    # PyMC draws its progress bar on standard output, which is for results here.
    with redirect_stdout(sys.stderr):
        dt = lb.fit(data.values, progressbar=sys.stderr.isatty(), **fit_arguments(data, given))
    if given["model"] == "auto" and not given["as_json"]:
        say_model(dt)
    return dt


def say_model(dt: "xr.DataTree") -> None:
    """Print which model was taken by itself, and why."""
    from leaderbayes._fits.posterior import Posterior

    post = Posterior(dt)
    several = ", over several tournaments" if post.several else ""
    known = post.of_votes and post.constant.sizes["clustering"] > 0
    alone = ", each by itself: no judge is known" if post.of_votes and not known else ""
    click.echo(
        f"model: {post.model.name} ({post.kind.said}{several}{alone}); others: leaderbayes models",
        err=True,
    )


def _flag(name: str) -> str:
    return "--" + name.rstrip("_").replace("_", "-")
