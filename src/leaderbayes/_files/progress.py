"""How far a long job is: a bar on standard error, or in a notebook one that needs no widgets."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any


@contextmanager
def progress(shown: bool, what: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar, if at all; what comes back advances it, by (done, of).

    Parameters
    ----------
    shown : bool
        Whether there is one.
    what : str
        What is counted, such as "Tournaments".
    """
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeElapsedColumn

    console = Console(stderr=True)
    if shown and console.is_jupyter:
        # Rich's own asks for ipywidgets there.
        yield _in_notebook(what)
        return
    columns = (*Progress.get_default_columns(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not shown) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, of: bar.update(task, advance=done, total=of)


def _in_notebook(what: str) -> Callable[[int, int], None]:
    """Open a bar of HTML in the output of the cell."""
    shown = import_module("IPython.display")  # has no types

    def bar(done: int, of: int) -> Any:
        of = max(of, 1)
        text = f"{what}: {done} of {of}"
        return shown.HTML(
            f'<progress value="{done}" max="{of}" aria-label="{text}"></progress> {text}'
        )

    all_done = 0
    handle = shown.display(bar(0, 1), display_id=True)

    def advance(done: int, of: int) -> None:
        nonlocal all_done
        all_done += done
        handle.update(bar(all_done, of))

    return advance
