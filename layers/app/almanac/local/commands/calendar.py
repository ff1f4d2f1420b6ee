"""`almanac calendar`"""

import sys
from typing import Any, cast

import click

from almanac.families.calendar.accounts.connector import Connector
from almanac.families.calendar.accounts.credentials import PROVIDERS, AccountRecord, RemoteName
from almanac.families.calendar.entries.records import CalendarRecord
from almanac.families.calendar.entries.unreadable_events import UnreadableCount
from almanac.kernel.errors import AlmanacError, NotFound
from almanac.kernel.instants import iso
from almanac.local.calendars.connect_command import connect, subscribe
from almanac.local.calendars.exchange_commands import export_file, import_file
from almanac.local.calendars.target_options import open_target, place_options
from almanac.local.listings import show, show_one
from almanac.local.options import json_option


@click.group(short_help="Connect and subscribe to calendars; import and export .ics files.")
def calendar() -> None:
    """Connect calendars at providers, subscribe to published ones, and import and export .ics files."""


calendar.add_command(connect)
calendar.add_command(subscribe)
calendar.add_command(import_file)
calendar.add_command(export_file)


@calendar.command()
@place_options
@json_option
def accounts(as_json: bool, **place: Any) -> None:
    """List the connected accounts, and when their calendars were last read."""
    connector, _ = open_target(**place)
    rows = [_account_row(connector, account) for account in connector.accounts.list_accounts()]
    columns = ("provider", "account", "user", "url", "calendars", "read")
    show(rows, columns, as_json=as_json, none="No accounts are connected: almanac calendar connect")


@calendar.command()
@click.argument("provider", type=click.Choice(PROVIDERS))
@click.option("--account", default="default", show_default=True)
@place_options
@json_option
def disconnect(provider: str, account: str, as_json: bool, **place: Any) -> None:
    """Remove an account, its password and the copies of its calendars. The provider keeps everything."""
    connector, _ = open_target(**place)
    known = connector.accounts.list_accounts()
    record = next((one for one in known if (one.provider, one.id) == (provider, account)), None)
    if record is None and not connector.calendars_of(provider, account):
        raise NotFound(f"There is no {provider} account {account}.", "`almanac calendar accounts` lists them.")
    calendars = connector.disconnect(cast(RemoteName, provider), account)
    show_one({"provider": provider, "account": account, "calendars": calendars}, as_json=as_json)


@calendar.command()
@click.option(
    "--calendar",
    "chosen",
    multiple=True,
    help="A calendar to read; may be repeated. Default: every calendar at a provider.",
)
@place_options
@json_option
def sync(chosen: tuple[str, ...], as_json: bool, **place: Any) -> None:
    """Read new calendars and changes from providers. The exit status is 1 if one does not answer."""
    connector, _ = open_target(**place)
    rows: list[dict[str, Any]] = []
    for account in connector.accounts.list_accounts():
        try:
            connector.list_calendars(account)
        except AlmanacError as problem:
            rows.append(_sync_row(f"{account.provider} account {account.id}", problem=str(problem)))
    remote = [
        one for one in connector.calendars.list_calendars() if one.has_shadow and (not chosen or one.id in chosen)
    ]
    rows += [_sync_calendar(connector, one) for one in remote]
    columns = ("calendar", "changed", "removed", "unreadable", "problem")
    show(rows, columns, as_json=as_json, none="There are no calendars at providers: almanac calendar connect")
    for line in () if as_json else (f"{row['calendar']}: {one}" for row in rows for one in row["unread"]):
        click.echo(line, err=True)
    if any(row["problem"] for row in rows):
        sys.exit(1)


def _account_row(connector: Connector, account: AccountRecord) -> dict[str, Any]:
    calendars = connector.calendars_of(account.provider, account.id)
    states = [connector.connected.state(one) for one in calendars if one.has_shadow]
    read = [state.pulled_at for state in states if state is not None]
    return {
        "provider": account.provider,
        "account": account.id,
        "user": account.user,
        "url": account.url,
        "calendars": [one.id for one in calendars],
        "connected": iso(account.created_at),
        "read": iso(min(read)) if read and len(read) == len(states) else None,
    }


def _sync_calendar(connector: Connector, record: CalendarRecord) -> dict[str, Any]:
    try:
        report = connector.connected.sync(record)
    except AlmanacError as problem:
        return _sync_row(record.id, problem=str(problem))
    return _sync_row(record.id, changed=report.changed, removed=report.removed, unread=report.unread)


def _sync_row(
    name: str, *, changed: int = 0, removed: int = 0, unread: UnreadableCount | None = None, problem: str = ""
) -> dict[str, Any]:
    return {
        "calendar": name,
        "changed": changed,
        "removed": removed,
        "unreadable": unread.count if unread is not None else 0,
        "unread": list(unread.named) if unread is not None else [],
        "problem": problem,
    }
