"""Deletion of a tenant or a project in the terminal: progress, and that it can go on."""

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from almanac.identity.access.directory import CACHE_SECONDS
from almanac.identity.audit import Clerk
from almanac.identity.transfer.deletion import Deletion
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.local.search.services import forget_later
from almanac.local.tenants.edit_options import clerk
from almanac.local.tenants.installation import Installation, open_installation
from almanac.local.tenants.progress import progress_bar


def delete_all(
    make: Callable[[Installation, Clerk], Deletion],
    name: str,
    place: tuple[Path | None, str | None, str | None],
    bucket: str | None,
    clock: Clock,
    scopes: Sequence[Scope],
) -> dict[str, Any]:
    """Run the deletion that `make` makes, of these projects, and take them out of the index of search; return how many
    items went, for the answer."""
    forget = forget_later(place, scopes, clock)
    # Also before: a deletion that goes on after it was stopped may not know the projects any more.
    forget()
    installation = open_installation(*place, bucket, clock)
    _, table, _ = place

    def pause() -> None:
        if table is not None:
            click.echo(f"Its keys are gone; functions may remember them for {CACHE_SECONDS} seconds.", err=True)
            time.sleep(CACHE_SECONDS)

    try:
        with progress_bar(f"Deleting {name}", None, 100) as progress:
            gone = make(installation, clerk(installation.store, clock)).run(progress, pause)
    except KeyboardInterrupt:
        sys.stderr.write("\nStopped. Its keys do not work any more; the same command goes on.\n")
        raise
    forget()
    return {"items": gone, "state": "deleted"}
