"""The command models: a table of all models."""

import click

from leaderbayes._cli._print import print_table


@click.command()
def models() -> None:
    """List the models that --model takes."""
    from leaderbayes.models._registry import FITTED

    columns = ("model", "called", "data", "ranks by")
    print_table(
        dict.fromkeys(columns, 0),
        [(m.name, m.label, ", ".join(m.data), m.parameter) for m in FITTED.values()],
        left=columns,
    )
    click.echo("Options of each: help(leaderbayes.models.NAME); give them by --option NAME=VALUE.")
