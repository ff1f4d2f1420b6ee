"""`almanac events`"""

import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from almanac.identity.tenants import Tenants
from almanac.kernel.clock import Clock, SystemClock
from almanac.kernel.errors import NotFound
from almanac.kernel.instants import iso
from almanac.local.hints import in_use
from almanac.local.listings import name_unreadable, show
from almanac.local.options import json_option, open_store, store_options
from almanac.platform.bus.dead_letters import DeadLetter, dead_letters, dead_letters_of_event, retry
from almanac.platform.store.port import Store

_COLUMNS = ("event", "kind", "tenant", "reaction", "attempts", "parked", "error")
_PAGE = 100

_tenant = click.option("--tenant", callback=in_use("--tenant"), help="One tenant; by default all of them.")
_limit = click.option("--limit", default=100, show_default=True, type=click.IntRange(1, 10_000), help="Maximum number.")


@click.group(short_help="Show and retry events that a reaction gave up on.")
def events() -> None:
    """Show and retry events that a reaction gave up on.

    An event is parked when a reaction to it has failed several times. Later events of the same key go on without it.
    """


@events.command()
@_tenant
@_limit
@store_options
@json_option
def parked(
    tenant: str | None, limit: int, data: Path | None, table: str | None, region: str | None, as_json: bool
) -> None:
    """List parked events, by tenant, the oldest first."""
    clock = SystemClock()
    unreadable: list[str] = []
    found = _parked_letters(open_store(data, table, region, clock), tenant, clock, unreadable)
    rows = [_row(each) for each in itertools.islice(found, limit)]
    show(rows, _COLUMNS, as_json=as_json, none="No events are parked.")
    name_unreadable(unreadable)
    if next(found, None) is not None:
        click.echo(f"There are more than {limit}: raise --limit, or name one --tenant.", err=True)


@events.command("retry")
@click.argument("event_id", required=False)
@click.option("--all", "every", is_flag=True, help="Every parked event instead of one.")
@click.option("--reaction", help="Only for this reaction.")
@_tenant
@_limit
@store_options
@json_option
def retry_events(
    event_id: str | None,
    every: bool,
    reaction: str | None,
    tenant: str | None,
    limit: int,
    data: Path | None,
    table: str | None,
    region: str | None,
    as_json: bool,
) -> None:
    """Send the parked event EVENT_ID, or with --all every one, again to the reactions that gave up on it.

    It is handled after events that came later. If it fails again, it is parked again.
    """
    if every == (event_id is not None):
        raise click.UsageError("Name one event, or say --all.")
    clock = SystemClock()
    store = open_store(data, table, region, clock)
    # Look up all events before sending the first, because an event that fails again at once would be listed again.
    found = list(itertools.islice(_choose_letters(store, event_id, tenant, reaction, clock), limit))
    if event_id is not None and not found:
        raise NotFound(f"The event {event_id} is not parked.", "`almanac events parked` lists the parked events.")
    with click.progressbar(found, label="Retrying", file=sys.stderr, hidden=as_json or len(found) < _PAGE) as bar:
        sent = [_row(each) for each in bar if retry(store, clock, each)]
    show(sent, _COLUMNS[:4], as_json=as_json, none="No events are parked.")


def _choose_letters(
    store: Store, event_id: str | None, tenant: str | None, reaction: str | None, clock: Clock
) -> Iterator[DeadLetter]:
    if event_id is None:
        letters = _parked_letters(store, tenant, clock)
    else:
        tenants = _tenants(store, tenant, clock)
        letters = (each for one in tenants for each in dead_letters_of_event(store, one, event_id.upper()))
    return (each for each in letters if reaction in (None, each.record.reaction))


def _parked_letters(
    store: Store, tenant: str | None, clock: Clock, unreadable: list[str] | None = None
) -> Iterator[DeadLetter]:
    """Yield the dead letters of one tenant or of all, and add the names of unreadable ones to `unreadable`."""
    for one in _tenants(store, tenant, clock):
        cursor = None
        while True:
            page = dead_letters(store, one, limit=_PAGE, cursor=cursor)
            yield from page.events
            if unreadable is not None:
                unreadable += page.unreadable
            if (cursor := page.cursor) is None:
                break


def _tenants(store: Store, tenant: str | None, clock: Clock) -> list[str]:
    known = Tenants(store, clock)
    if tenant is None:
        return [one.id for one in known.all()]
    if not known.exists(tenant):
        raise NotFound(f"There is no tenant {tenant}.", "`almanac tenants list` shows them.")
    return [tenant]


def _row(each: DeadLetter) -> dict[str, Any]:
    event, record = each.message.event, each.record
    return {
        "event": event.id,
        "kind": event.kind,
        "tenant": event.tenant,
        "project": event.project,
        "key": event.key,
        "actor": event.actor,
        "at": iso(event.at),
        "reaction": record.reaction,
        "attempts": record.attempts,
        "first_failed": iso(record.first_at),
        "parked": iso(record.parked_at),
        "error": record.error,
    }
