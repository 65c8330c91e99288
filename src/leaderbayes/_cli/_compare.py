"""The command compare: two players."""

from typing import Any

import click

from leaderbayes._cli._options import command, fitting, option, reading
from leaderbayes._cli._print import finish, warned
from leaderbayes._cli._read import fitted


@command("compare scores.csv svm forest --seed 1")
@reading
@click.argument("a")
@click.argument("b")
@option("rope", "Largest difference (of a win probability from 1/2) that counts as equivalent.",
        float)  # fmt: skip
@fitting
def compare(a: str, b: str, rope: float | None, **given: Any) -> None:
    """Compare two players, A and B."""
    import leaderbayes as lb

    dt, data = fitted(given, (a, b))
    found = lb.compare(dt, a, b, rope=rope, prob=given["prob"])
    converged = bool(found.attrs["converged"])
    result = {
        "player": a,
        "opponent": b,
        **{str(name): float(value) for name, value in found.data_vars.items()},
        "seed": dt.attrs["seed"],
        "converged": converged,
        "warnings": warned(found, data.warnings),
        "read": data.what,
    }
    finish(given["as_json"], result, click.echo, found.attrs["message"], converged=converged)
