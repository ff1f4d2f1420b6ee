"""Progress and summary of commands on whole tenants."""

import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from almanac.local.listings import show_one

Command = TypeVar("Command", bound=Callable[..., Any])


def bucket_option(command: Command) -> Command:
    return click.option("--bucket", envvar="ALMANAC_BUCKET", help="The S3 bucket of a table's large values.")(command)


@contextmanager
def progress_bar(label: str, length: int | None, step: int) -> Generator[Callable[[int], None]]:
    """Show a progress bar on standard error, redrawn every `step`. It yields a function to call with the work done so
    far. `length` is None if the total is unknown."""
    done = 0
    steps: list[int] = []
    with click.progressbar(steps, length=length, label=label, file=sys.stderr, update_min_steps=step) as bar:

        def advance(to: int) -> None:
            nonlocal done
            bar.update(to - done)
            done = to

        yield advance


def print_summary(row: Mapping[str, Any], *, as_json: bool, aside: bool = False) -> None:
    """Print the result. With `aside` it goes to standard error, because standard output carries the data."""
    if aside:
        click.echo(", ".join(f"{name} {value}" for name, value in row.items()), err=True)
    else:
        show_one(row, as_json=as_json)
