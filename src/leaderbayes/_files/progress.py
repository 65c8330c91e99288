"""How far a long job is: a bar on standard error, or in a notebook one that needs no widgets."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from time import monotonic
from typing import Any

_LEAST = 0.1  # seconds between two states of a notebook's bar


@contextmanager
def progress(shown: bool, what: str, *, after: float = 0.0) -> Iterator[Callable[[int, int], None]]:
    """Show a bar after some seconds, if ``shown``; what comes back advances it, by (done, of)."""
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

    all_done, begin, last = 0, monotonic(), 0.0
    handle = None if after else shown.display(bar(0, 1), display_id=True)

    def advance(done: int, of: int) -> None:
        nonlocal all_done, handle, last
        all_done += done
        now = monotonic()
        if handle is None:
            if now - begin >= after:
                handle = shown.display(bar(all_done, of), display_id=True)
        elif now - last >= _LEAST or all_done >= of:
            handle.update(bar(all_done, of))
            last = now

    return advance
