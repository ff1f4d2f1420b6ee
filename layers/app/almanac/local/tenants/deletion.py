"""Delete a tenant or a project from the command line, with progress. An interrupted deletion can be continued."""

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
    """Run the deletion that `make` returns, and remove the projects `scopes` from the search index. Return the result
    to print, with the number of deleted items."""
    forget = forget_later(place, scopes, clock)
    # Do this before the deletion too, because a continued deletion may no longer find the projects.
    forget()
    installation = open_installation(*place, bucket, clock)
    _, table, _ = place

    def pause() -> None:
        if table is not None:
            click.echo(f"Its keys are gone; functions may remember them for {CACHE_SECONDS} seconds.", err=True)
            time.sleep(CACHE_SECONDS)

    try:
        with progress_bar(f"Deleting {name}", None, 100) as progress:
            item_count = make(installation, clerk(installation.store, clock)).run(progress, pause)
    except KeyboardInterrupt:
        sys.stderr.write("\nStopped. Its keys do not work any more; the same command goes on.\n")
        raise
    forget()
    return {"items": item_count, "state": "deleted"}
