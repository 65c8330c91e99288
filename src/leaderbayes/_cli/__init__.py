"""Command line: parses, calls the public functions of the same names, and prints."""

import atexit
import errno
import gc
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from leaderbayes._cli._audit import audit
from leaderbayes._cli._compare import compare
from leaderbayes._cli._frontier import frontier
from leaderbayes._cli._plan import plan
from leaderbayes._cli._print import print_table, warnings_on_stderr
from leaderbayes._cli._rank import rank
from leaderbayes._cli._report import report
from leaderbayes._cli._sensitivity import sensitivity
from leaderbayes._cli._sota import sota
from leaderbayes._cli._tournaments import tournaments

# Exit statuses, as shells have them: click's own is that of doubtful results.
INTERRUPTED, UNREAD = 130, 141


@contextmanager
def _printing() -> Iterator[None]:
    """End without a traceback where nobody reads the output, or where its disk is full."""
    try:
        yield
    except OSError as problem:
        if problem.errno not in (errno.EPIPE, errno.ENOSPC) or problem.filename is not None:
            raise
        # Else the interpreter, as it ends, tries to write what is left.
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), 1)
        if problem.errno == errno.EPIPE:
            sys.exit(UNREAD)
        click.echo(f"Error: the output cannot be written ({problem.strerror}).", err=True)
        sys.exit(2)


class _Commands(click.Group):
    def make_context(self, *args: Any, **given: Any) -> click.Context:
        """Parse what was typed; --help and --version print here."""
        with _printing():
            return super().make_context(*args, **given)

    def invoke(self, ctx: click.Context) -> Any:
        """Call the command; an interrupted one has no result, and no doubtful one either."""
        try:
            with _printing():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("\nInterrupted.", err=True)
            ctx.exit(INTERRUPTED)


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="leaderbayes")
def cli() -> None:
    """Posterior leaderboards from benchmark scores."""


for command in (rank, compare, frontier, audit, sensitivity, tournaments, plan, sota, report):
    cli.add_command(command)


@cli.command()
def models() -> None:
    """List the models that --model accepts."""
    from leaderbayes.models._registry import FITTED

    columns = ("model", "called", "data", "ranks by")
    print_table(
        dict.fromkeys(columns, 0),
        [(m.name, m.label, ", ".join(m.data), m.parameter) for m in FITTED.values()],
        left=columns,
    )
    click.echo("Options: see help(leaderbayes.models.NAME); set them by --option NAME=VALUE.")


def main() -> None:
    """Run the command line; our errors end with status 2 and no traceback."""
    # What imports make stays: looking through it for garbage again and again is a tenth of `rank`.
    gc.set_threshold(100_000)
    # Nor is it looked through as the interpreter ends, which takes a sixth of `rank`.
    atexit.register(gc.freeze)
    # Several BLAS threads take up to twice the CPU time, and are no sooner done.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for stream in (sys.stdout, sys.stderr):
        # A name that the terminal cannot show is written with escapes.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        with warnings_on_stderr():
            cli(standalone_mode=True)
    except ValueError as problem:
        from leaderbayes._errors import LeaderbayesError

        if not isinstance(problem, LeaderbayesError):
            raise
        click.echo(f"Error: {problem}", err=True)
        sys.exit(2)
