"""`almanac calendar`"""

import os
import sys
from pathlib import Path
from typing import Any, BinaryIO

import click

from almanac.families.calendar.connecting import Connector
from almanac.families.calendar.credentials import AccountRecord
from almanac.families.calendar.exchange import export_text, import_text
from almanac.families.calendar.providers.addresses import AddressBook, Reach
from almanac.families.calendar.providers.google_token import GoogleSecret
from almanac.families.calendar.records import CalendarRecord
from almanac.identity.tenants import DEFAULT_PROJECT, Tenants
from almanac.kernel.caller import Scope
from almanac.kernel.clock import SystemClock
from almanac.kernel.errors import AlmanacError, NotFound
from almanac.kernel.instants import iso
from almanac.local.calendar_accounts import calendars_with, open_connector, read_secret
from almanac.local.first_key import FIRST_TENANT, OWNER
from almanac.local.google_consent import Client, ask_consent, read_client
from almanac.local.listings import show, show_one
from almanac.local.options import Command, json_option, store_options

_CLOCK = SystemClock()
_CALENDAR_COLUMNS = ("id", "name", "timezone", "access_role", "account")
_CONSENT_SECONDS = 300.0


def _place_options(command: Command) -> Command:
    """Whose calendars."""
    tenant = click.option("--tenant", default=FIRST_TENANT, show_default=True)
    project = click.option("--project", default=DEFAULT_PROJECT, show_default=True)
    return tenant(project(store_options(command)))


@click.group(short_help="Connect calendars at providers; import and export .ics files.")
def calendar() -> None:
    """Connect calendars at providers; import and export .ics files."""


@calendar.group()
def connect() -> None:
    """Connect an account at a provider: its calendars then show beside the native ones.

    Passwords and tokens are asked for, piped in, or taken from the environment; they are stored sealed.
    """


@connect.command()
@click.argument("url")
@click.option("--user", required=True, help="Who logs in there.")
@click.option("--account", default="default", show_default=True, help="What the account is called here.")
@click.option("--timezone", help="For calendars of which the server does not say one: an IANA time zone.")
@_place_options
@json_option
def caldav(url: str, user: str, account: str, timezone: str | None, as_json: bool, **place: Any) -> None:
    """Connect the CalDAV account of --user at URL (https, or http on this machine).

    The password, or better an app password, is ALMANAC_CALDAV_PASSWORD, standard input, or asked for.
    """
    connector, _ = _opened(**place)
    password = read_secret("Password", "ALMANAC_CALDAV_PASSWORD")
    _show_calendars(connector.connect_caldav(account, url, user, password, timezone=timezone), as_json)


@connect.command()
@click.option("--client", type=click.File("rb"), help="The client file of a desktop app, from Google Cloud's console.")
@click.option("--account", default="default", show_default=True, help="What the account is called here.")
@click.option("--port", envvar="OAUTH_REDIRECT_PORT", default=8085, show_default=True, help="Where Google answers.")
@_place_options
@json_option
def google(client: BinaryIO | None, account: str, port: int, as_json: bool, **place: Any) -> None:
    """Connect a Google account: agree in the browser, at the address that is shown.

    Without --client the client is GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET. Where GOOGLE_REFRESH_TOKEN is set, that
    permission is used and nobody is asked.
    """
    connector, _ = _opened(**place)
    known = read_client(client.read()) if client is not None else _client()
    token = os.environ.get("GOOGLE_REFRESH_TOKEN")
    secret = GoogleSecret(known.client_id, known.client_secret, token) if token else _consented(known, port)
    _show_calendars(connector.connect_google(account, secret), as_json)


@calendar.command()
@_place_options
@json_option
def accounts(as_json: bool, **place: Any) -> None:
    """List the accounts that are connected, and how old what is known of their calendars is."""
    connector, _ = _opened(**place)
    rows = [_account_row(connector, account) for account in connector.accounts.listed()]
    columns = ("provider", "account", "user", "url", "calendars", "read")
    show(rows, columns, as_json=as_json, none="No accounts are connected: almanac calendar connect")


@calendar.command()
@click.argument("provider", type=click.Choice(["caldav", "google"]))
@click.option("--account", default="default", show_default=True)
@_place_options
@json_option
def disconnect(provider: str, account: str, as_json: bool, **place: Any) -> None:
    """Forget an account, its password and what was read of its calendars. The provider keeps everything."""
    connector, _ = _opened(**place)
    known = connector.accounts.listed()
    record = next((one for one in known if (one.provider, one.id) == (provider, account)), None)
    if record is None and not connector.calendars_of(provider, account):
        raise NotFound(f"There is no {provider} account {account}.", "`almanac calendar accounts` lists them.")
    gone = connector.disconnect("google" if provider == "google" else "caldav", account)
    show_one({"provider": provider, "account": account, "calendars": gone}, as_json=as_json)


@calendar.command()
@click.option("--calendar", "wanted", multiple=True, help="Repeatable; by default every calendar at a provider.")
@_place_options
@json_option
def sync(wanted: tuple[str, ...], as_json: bool, **place: Any) -> None:
    """Ask providers for new calendars and read what changed in them; exit status 1 where one does not answer."""
    connector, _ = _opened(**place)
    rows: list[dict[str, Any]] = []
    for account in connector.accounts.listed():
        try:
            connector.list_calendars(account)
        except AlmanacError as problem:
            rows.append(_sync_row(f"{account.provider} account {account.id}", problem=str(problem)))
    remote = [one for one in connector.calendars.listed() if one.has_shadow and (not wanted or one.id in wanted)]
    rows += [_synced(connector, one) for one in remote]
    columns = ("calendar", "changed", "removed", "unreadable", "problem")
    show(rows, columns, as_json=as_json, none="There are no calendars at providers: almanac calendar connect")
    if any(row["problem"] for row in rows):
        sys.exit(1)


@calendar.command("import")
@click.argument("file", type=click.File("rb"))
@click.option("--calendar", "calendar_id", default="primary", show_default=True, help="A native calendar.")
@click.option("--actor", default=OWNER, show_default=True, help="Who imports.")
@_place_options
@json_option
def import_file(file: BinaryIO, calendar_id: str, actor: str, as_json: bool, **place: Any) -> None:
    """Import the events of an iCalendar FILE (- for standard input); again for what changed in it.

    Exit status 1 where some could not be read; the others are imported.
    """
    connector, scope = _opened(**place)
    text = file.read()
    with click.progressbar(length=1, label="Importing", file=sys.stderr, hidden=as_json) as bar:

        def progress(done: int, of: int) -> None:
            bar.length = of
            bar.update(done - bar.pos)

        calendars = calendars_with(connector, scope, _CLOCK)
        report = import_text(calendars, calendar_id, text, actor=actor, random_bytes=os.urandom, on_progress=progress)
    row = {"calendar": calendar_id, "written": report.written, "unchanged": report.unchanged}
    details = {"problems": list(report.problems), "dense": list(report.dense)}
    show_one(row | details if as_json else row, as_json=as_json)
    for problem in () if as_json else report.problems:
        click.echo(problem, err=True)
    for series in () if as_json else report.dense:
        click.echo(f'"{series}" repeats too often to be written out: all of its time is taken.', err=True)
    if report.problems:
        sys.exit(1)


@calendar.command("export")
@click.argument("file", type=click.File("wb", lazy=True))
@click.option("--calendar", "calendar_id", default="primary", show_default=True)
@_place_options
@json_option
def export_file(file: BinaryIO, calendar_id: str, as_json: bool, **place: Any) -> None:
    """Write every event of a calendar to an iCalendar FILE (- for standard output)."""
    connector, scope = _opened(**place)
    text, count = export_text(calendars_with(connector, scope, _CLOCK), calendar_id)
    file.write(text)
    if file.name != "-":
        show_one({"calendar": calendar_id, "events": count, "file": file.name}, as_json=as_json)


def _opened(
    data: Path | None, table: str | None, region: str | None, tenant: str, project: str
) -> tuple[Connector, Scope]:
    scope = Scope(tenant, project)
    connector = open_connector(data, table, region, scope, _CLOCK)
    tenants = Tenants(connector.calendars.store, _CLOCK)
    known = tenants.exists(tenant) and any(one.id == project for one in tenants.projects(tenant))
    if not known and (tenant, project) != (FIRST_TENANT, DEFAULT_PROJECT):
        raise NotFound(f"There is no project {project} of the tenant {tenant}.", "`almanac projects list` shows them.")
    return connector, scope


def _client() -> Client:
    client_id = os.environ.get("GOOGLE_CLIENT_ID")
    if not client_id:
        raise click.UsageError("Give the client with --client, or set GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET.")
    return Client(client_id, read_secret("Client secret", "GOOGLE_CLIENT_SECRET"))


def _consented(client: Client, port: int) -> GoogleSecret:
    from almanac.families.calendar.providers.http import HttpClient  # noqa: PLC0415 - rarely needed

    def shown(address: str) -> None:
        click.echo(f"Open this address in a browser and agree:\n\n{address}\n", err=True)
        click.launch(address)

    http = HttpClient("Google", AddressBook(Reach()))
    return ask_consent(client, http, port=port, show=shown, random_bytes=os.urandom, seconds=_CONSENT_SECONDS)


def _show_calendars(found: list[CalendarRecord], as_json: bool) -> None:
    rows = [{name: getattr(one, name) for name in _CALENDAR_COLUMNS} for one in found]
    show(rows, _CALENDAR_COLUMNS, as_json=as_json, none="The account is connected; it has no calendars.")


def _account_row(connector: Connector, account: AccountRecord) -> dict[str, Any]:
    held = connector.calendars_of(account.provider, account.id)
    states = [connector.connected.state(one) for one in held if one.has_shadow]
    read = [state.pulled_at for state in states if state is not None]
    return {
        "provider": account.provider,
        "account": account.id,
        "user": account.user,
        "url": account.url,
        "calendars": [one.id for one in held],
        "connected": iso(account.created_at),
        "read": iso(min(read)) if read and len(read) == len(states) else None,
    }


def _synced(connector: Connector, record: CalendarRecord) -> dict[str, Any]:
    try:
        report = connector.connected.sync(record)
    except AlmanacError as problem:
        return _sync_row(record.id, problem=str(problem))
    return _sync_row(record.id, changed=report.changed, removed=report.removed, unreadable=list(report.unreadable))


def _sync_row(
    name: str, *, changed: int = 0, removed: int = 0, unreadable: list[str] | None = None, problem: str = ""
) -> dict[str, Any]:
    return {
        "calendar": name,
        "changed": changed,
        "removed": removed,
        "unreadable": unreadable or [],
        "problem": problem,
    }
