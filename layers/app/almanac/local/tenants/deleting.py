"""Deleting a tenant or a project from the terminal: how far it is, and that it can go on."""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from almanac.identity.access.directory import REMEMBERED_SECONDS
from almanac.identity.audit import Clerk
from almanac.identity.transfer.deletion import Deletion
from almanac.kernel.clock import Clock
from almanac.local.tenants.editing import clerk
from almanac.local.tenants.installation import House, open_house
from almanac.local.tenants.progress import moving_bar


def delete_all(
    make: Callable[[House, Clerk], Deletion],
    name: str,
    place: tuple[Path | None, str | None, str | None],
    bucket: str | None,
    clock: Clock,
) -> dict[str, Any]:
    """Runs what `make` makes; how many items went, for the answer."""
    house = open_house(*place, bucket, clock)
    _, table, _ = place

    def pause() -> None:
        if table is not None:
            click.echo(f"Its keys are gone; functions may remember them for {REMEMBERED_SECONDS} seconds.", err=True)
            time.sleep(REMEMBERED_SECONDS)

    try:
        with moving_bar(f"Deleting {name}", None, 100) as moved:
            gone = make(house, clerk(house.store, clock)).run(moved, pause)
    except KeyboardInterrupt:
        sys.stderr.write("\nStopped. Its keys do not work any more; the same command goes on.\n")
        raise
    return {"items": gone, "state": "deleted"}
