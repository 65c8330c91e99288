"""How far a long job is: a bar on standard error, or in a notebook one that needs no widgets."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from time import monotonic
from typing import Any


@contextmanager
def progress(shown: bool, what: str, *, after: float = 0.0) -> Iterator[Callable[[int, int], None]]:
    """Show a bar, if at all; what comes back advances it, by (done, of).

    Parameters
    ----------
    shown : bool
        Whether there is one.
    what : str
        What is counted, such as "Tournaments".
    after : float
        Seconds before there is a bar: what is done by then needs none.
    """
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeElapsedColumn

    console = Console(stderr=True)
    if shown and console.is_jupyter:
        # Rich's own asks for ipywidgets there.
        yield _in_notebook(what, after)
        return
    columns = (*Progress.get_default_columns(), MofNCompleteColumn(), TimeElapsedColumn())
    bar = Progress(*columns, console=console, disable=not shown)
    task, begin = bar.add_task(what, total=None), monotonic()

    def advance(done: int, of: int) -> None:
        bar.update(task, advance=done, total=of)
        if monotonic() - begin >= after:
            bar.start()

    if not after:
        bar.start()
    try:
        yield advance
    finally:
        if bar.live.is_started:
            bar.stop()


def _in_notebook(what: str, after: float) -> Callable[[int, int], None]:
    """Open a bar of HTML in the output of the cell."""
    shown = import_module("IPython.display")  # has no types

    def bar(done: int, of: int) -> Any:
        of = max(of, 1)
        text = f"{what}: {done} of {of}"
        return shown.HTML(
            f'<progress value="{done}" max="{of}" aria-label="{text}"></progress> {text}'
        )

    all_done, begin = 0, monotonic()
    handle = None if after else shown.display(bar(0, 1), display_id=True)

    def advance(done: int, of: int) -> None:
        nonlocal all_done, handle
        all_done += done
        if handle is not None:
            handle.update(bar(all_done, of))
        elif monotonic() - begin >= after:
            handle = shown.display(bar(all_done, of), display_id=True)

    return advance
