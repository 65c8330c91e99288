"""What `leaderbayes sota 0.931` says: one published score, in place of a board."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from leaderbayes._cli._console import collecting, finish
from leaderbayes._cli._options import typed

# Options that a score has; all others are of a board.
OF_A_CLAIM = ("n", "se", "variants", "prob", "as_json", "file")


def score_of(file: str) -> float | None:
    """Give the number that stands in place of a file, if it is one and no such file exists."""
    with suppress(ValueError):
        return None if Path(file).exists() else float(file)
    return None


def variants_of(text: str | None) -> Any:
    """Read a number of variants, or the ends of those that are equally probable: 1-50."""
    import leaderbayes as lb

    if text is None:
        return None
    ends = text.split("-")
    if not all(end.isdigit() and int(end) >= 1 for end in ends) or len(ends) > 2:
        raise lb.LeaderbayesError(
            f"--variants {text}: give a number from 1 up, such as 27, or two, such as 1-50."
        )
    first, *last = map(int, ends)
    if not last:
        return first
    if last[0] < first:
        raise lb.LeaderbayesError(f"--variants {text}: the second number is below the first.")
    from scipy.stats import randint

    return randint(first, last[0] + 1)


def say_claim(score: float, options: dict[str, Any], as_json: bool) -> None:
    """Print what a score is worth, the best of so many variants."""
    import leaderbayes as lb

    for name in typed(click.get_current_context().params):
        if name not in OF_A_CLAIM:
            raise lb.LeaderbayesError(
                f"--{name.replace('_', '-')} is of a board: leave it out, or give the file of one "
                f"in place of the score {score:g}."
            )
    for name in ("n", "se"):
        if isinstance(options[name], str):
            raise lb.LeaderbayesError(
                f"--{name} {options[name]}: give a number; there is no board."
            )
    with collecting() as said:
        found = lb.sota.claim(
            score,
            k=1 if options["variants"] is None else variants_of(options["variants"]),
            n=options["n"],
            se=options["se"],
            prob=options["prob"],
        )
    result = {
        **{str(name): float(value) for name, value in found.items()},
        **{name: found.attrs[name] for name in ("k", "prob", "message")},
        "n": options["n"],
        "warnings": said,
    }
    finish(as_json, result, _print_claim, result, converged=True)


def _print_claim(result: dict[str, Any]) -> None:
    from leaderbayes._numerics.decimals import decimals_of_best

    form = f".{decimals_of_best(result['theta_lower'], result['theta_upper'])}f"
    click.echo(result["message"])
    click.echo(f"Were it the only one it would be worth {result['alone']:{form}}.")
    click.echo(
        "With nothing assumed of the variants, the best of them is between "
        f"{result['law_free_lower']:{form}} and {result['law_free_upper']:{form}}."
    )
