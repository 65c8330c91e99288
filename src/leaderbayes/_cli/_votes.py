"""Votes on the command line: options, reading, fitting, and what is printed of them alone."""

import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any, NoReturn

import click

from leaderbayes._cli._console import collecting, records, short
from leaderbayes._cli._options import read_file, scores_read, together, typed

if TYPE_CHECKING:
    import numpy as np
    import xarray as xr

MODELS = ("bradley_terry", "davidson", "round_intercept")
CLUSTERS = ("auto", "none", "judge", "prompt")
COLUMNS = ("first", "second", "outcome", "prompt", "judge")
OF_VOTES = (*COLUMNS, "count", "covariate", "order_effect", "both_bad")
# What is of scores, and has no meaning for votes.
OF_SCORES = (
    "player", "round_", "score", "repeat", "higher_is_better", "weight", "test_fraction",
    "likelihood", "of", "statistic", "across_rounds", "eliminate",
)  # fmt: skip
voting = together(
    click.option("--first", metavar="COLUMN", help="Of votes (who beat whom): column of the player "
                 "shown first, on the left, or at home."),
    click.option("--second", metavar="COLUMN", help="Of votes: column of the other player."),
    click.option("--outcome", metavar="COLUMN",
                 help="Of votes: column that says who won; or two, of scores: X,Y, of which the "
                      "larger wins, or --outcome=-X,-Y, of which the smaller does."),
    click.option("--prompt", metavar="COLUMN",
                 help="Of votes: column of what was judged, or none."),
    click.option("--judge", metavar="COLUMN", help="Of votes: column of who judged, or none."),
    click.option("--count", metavar="COLUMN",
                 help="Of votes: column of how many votes a row stands for, or none."),
    click.option("--covariate", multiple=True, metavar="NAME",
                 help="Of votes, once for each: what may sway them, such as length; a column of "
                 "differences, or the name that two columns begin with (NAME_a, NAME_b)."),
    click.option("--order-effect", is_flag=True,
                 help="Of votes: let whoever is shown first have an advantage."),
    click.option("--both-bad", type=click.Choice(["tie", "drop", "own"]), default="tie",
                 show_default=True, help="Of votes that both are bad: ties, left out, or counted "
                 "by themselves."),
)  # fmt: skip


def read_board_of(options: dict[str, Any]) -> tuple[Any, list[str]]:
    """Read votes (Dataset), where the table is one, or else scores; and the warnings of either.

    Raises
    ------
    LeaderbayesError
        If an option is of the other kind.
    """
    import leaderbayes as lb

    if typed([*COLUMNS, "count", "covariate", "both_bad"]):
        if alien := typed(["player", "round_", "score", "repeat", "format_"]):
            raise lb.LeaderbayesError(
                f"--{_called(typed(OF_VOTES)[0])} is of votes, and --{_called(alien[0])} of "
                "scores: leave out one of the two."
            )
        with collecting() as said:
            votes = lb.read_votes(options["file"], **_reading(options))
        return _picked(votes, options), said
    with collecting() as said:
        board = read_file(options)
    if are_votes(board):
        return _picked(board, options), said
    if typed(["order_effect"]):
        raise lb.LeaderbayesError(
            f"{options['file']}: --order-effect is of votes, and this was read as scores; name the "
            "columns of votes: --first, --second, --outcome."
        )
    return scores_read(board, options), said


def _reading(options: dict[str, Any]) -> dict[str, Any]:
    """Give arguments of `leaderbayes.read_votes`."""
    names = (*COLUMNS, "tournament", "both_bad", "max_mb")
    return {name: options[name] for name in names} | {
        "weight": options["count"],
        "covariates": list(options["covariate"]) or None,
    }


def _models_of_command() -> list[str]:
    """List the models of votes that the command takes."""
    params = click.get_current_context().command.params
    taken = next(param.type for param in params if param.name == "model")
    return [model for model in MODELS if model in getattr(taken, "choices", MODELS)]


def _picked(votes: "xr.Dataset", options: dict[str, Any]) -> "xr.Dataset":
    """Say what was read, check the options, and take the one tournament that is asked for."""
    if not options["as_json"]:
        click.echo(f"read as votes: {short(describe_votes(votes), longest=1000)}", err=True)
    for name in typed(OF_SCORES):
        _refuse(options, f"--{_called(name)} is of scores")
    if (model := options.get("model", MODELS[0])) not in MODELS:
        there = ", ".join(_models_of_command())
        _refuse(options, f"--model {model} is of scores; of votes there are {there}")
    if options["ties"] not in ("half", "drop"):
        _refuse(options, f"--ties {options['ties']} is of scores; of votes there are half and drop")
    if options["cluster"] not in (None, *CLUSTERS):
        _refuse(
            options,
            f"--cluster is {', '.join(CLUSTERS[:-1])} or prompt, not {options['cluster'][:60]!r}; "
            "name columns by --judge and --prompt",
        )
    only, names = options["only"], tournaments_of(votes)
    if only is None:
        takes_all = typed(["store", "each", "ml"])
        if len(names) > 1 and not takes_all:
            known = {each.name: each for each in click.get_current_context().command.params}
            ways = " rank each with --each," if "each" in known else ""
            _refuse(
                options,
                f"several tournaments; pick one with --only,{ways} or leave --tournament out to "
                f"take all votes for those of one: {', '.join(names[:8])}",
            )
        return votes
    if not names:
        _refuse(options, f"--only {only[:60]!r}, and no column of tournaments: give --tournament")
    if only not in names:
        _refuse(options, f"no tournament {only[:60]!r}; the first are {', '.join(names[:8])}")
    return part_of(votes, only)


def are_votes(board: Any) -> bool:
    """Say whether these are votes, and no scores."""
    return bool(board.attrs.get("kind") == "votes")


def _refuse(options: dict[str, Any], problem: str) -> NoReturn:
    import leaderbayes as lb

    raise lb.LeaderbayesError(f"{options['file']} was read as votes: {problem}.")


def tournaments_of(votes: "xr.Dataset") -> list[str]:
    """List what votes may be told apart by, in order of appearance."""
    if "tournament" not in votes.coords:
        return []
    return list(dict.fromkeys(str(name) for name in votes["tournament"].to_numpy()))


def part_of(votes: "xr.Dataset", tournament: str) -> "xr.Dataset":
    """Take the votes of one tournament."""
    own: np.ndarray = votes["tournament"].to_numpy().astype(str) == tournament
    return votes.isel(vote=own).drop_vars("tournament").assign_attrs(tournament=tournament)


def what_votes_were_read(votes: "xr.Dataset") -> dict[str, Any]:
    """Count and name what was read; ready for JSON."""
    from leaderbayes._scores.vote_matches import number_of

    return {
        "kind": "votes",
        "columns": str(votes.attrs["read_as"]),
        **({"unused": votes.attrs["unused"]} if "unused" in votes.attrs else {}),
        "votes": _number_of(votes),
        "players": votes.sizes["player"],
        **{
            f"{role}s": number_of(votes, role)
            for role in ("judge", "prompt", "tournament")
            if role in votes.coords
        },
    }


def _number_of(votes: "xr.Dataset") -> int:
    """Give how many votes there are, also of rows that stand for several."""
    return round(float(votes["weight"].sum())) if "weight" in votes else votes.sizes["vote"]


def describe_votes(votes: "xr.Dataset") -> str:
    """Say what was read in a line."""
    from leaderbayes._scores.tables import counted

    read = what_votes_were_read(votes)
    sizes = [
        counted(read[f"{name}s"], name)
        for name in ("vote", "player", "judge", "prompt", "tournament")
        if f"{name}s" in read
    ]
    unused = f"; not used: {read['unused']}" if "unused" in read else ""
    return f"{read['columns']}; {', '.join(sizes)}{unused}"


def how_votes_count(options: dict[str, Any]) -> dict[str, Any]:
    """Give arguments of `leaderbayes.fit`, and of maximum likelihood, that are of votes alone."""
    return {
        "ties": options["ties"],
        "cluster": options["cluster"] or "auto",
        # Of PMRA it is the model.
        "order_effect": options["order_effect"] or options.get("model") == "round_intercept",
        "covariates": list(options["covariate"]) or None,
    }


def fit_votes(votes: "xr.Dataset", options: dict[str, Any]) -> "xr.DataTree":
    """Fit votes."""
    import leaderbayes as lb

    asked = ("draws", "tune", "target_accept", "chains", "seed", "sampler")
    with redirect_stdout(sys.stderr):
        return lb.fit(
            votes, options.get("model", MODELS[0]), progressbar=sys.stderr.isatty(),
            **how_votes_count(options),
            **{name: options[name] for name in asked},
        )  # fmt: skip


def estimate_votes(votes: "xr.Dataset", options: dict[str, Any]) -> "xr.Dataset":
    """Estimate votes by maximum likelihood."""
    import leaderbayes as lb

    if options["model"] == "davidson":
        _refuse(options, f"--ml of votes has no model {options['model']}; leave --ml out")
    if options["model"] == "round_intercept":
        if alien := typed(["covariate", "cluster"]):
            _refuse(options, f"--{_called(alien[0])} is not of --ml --model round_intercept")
        return lb.likelihood.round_intercept(
            votes, ties="drop" if options["ties"] == "drop" else None
        )
    return lb.likelihood.bradley_terry(votes, **how_votes_count(options))


def effects_of_fit(fit: "xr.DataTree | xr.Dataset", prob: float) -> list[dict[str, Any]]:
    """Give what sways votes beside players to JSON."""
    from leaderbayes._answers.votes import effects

    table = effects(fit, prob)
    return [] if table is None else records(table)


def _called(name: str) -> str:
    return name.rstrip("_").replace("_", "-")
