"""`almanac calendar connect` and `almanac calendar subscribe`"""

import os
import sys
from typing import Any, BinaryIO, TextIO

import click

from almanac.composition.settings import read_settings
from almanac.families.calendar.entries.records import CalendarRecord
from almanac.families.calendar.providers.google.token import GoogleSecret
from almanac.families.calendar.providers.transport.addresses import AddressBook, NetworkPolicy
from almanac.kernel.errors import InvalidInput
from almanac.local.calendars.accounts import read_secret
from almanac.local.calendars.google_consent import Client, ask_consent, read_client
from almanac.local.calendars.target_options import open_target, place_options
from almanac.local.listings import show
from almanac.local.options import Command, json_option

_CALENDAR_COLUMNS = ("id", "name", "timezone", "access_role", "account")
_CONSENT_SECONDS = 300.0
_LONGEST_URL = 4096
_LONGEST_CERTIFICATES = 64 * 1024


def _zone_option(command: Command) -> Command:
    text = "IANA zone of calendars for which the provider names none. Default: the project's zone."
    return click.option("--timezone", help=text)(command)


@click.group()
def connect() -> None:
    """Connect an account at a provider. Its calendars are then listed next to the native ones.

    Passwords and tokens come from a prompt, standard input or the environment, and are stored encrypted.
    """


@connect.command()
@click.argument("url")
@click.option("--user", required=True, help="User name at the provider.")
@click.option("--account", default="default", show_default=True, help="Name of the account here.")
@_zone_option
@click.option(
    "--ca-file",
    type=click.File("r", encoding="ascii", errors="replace"),
    help="Certificate (PEM) to trust: the server's own if it is self-signed, or its authority's. It is stored.",
)
@click.option(
    "--trust-host",
    "trusted",
    multiple=True,
    help="Another host that may receive the password; may be repeated.",
)
@click.option(
    "--address",
    "addresses",
    multiple=True,
    help="Another e-mail address of --user, whose invitations can then be answered; may be repeated.",
)
@place_options
@json_option
def caldav(
    url: str,
    user: str,
    account: str,
    timezone: str | None,
    ca_file: TextIO | None,
    trusted: tuple[str, ...],
    addresses: tuple[str, ...],
    as_json: bool,
    **place: Any,
) -> None:
    """Connect the CalDAV account of --user at URL (https, or http on this machine).

    The password, preferably an app password, comes from ALMANAC_CALDAV_PASSWORD, standard input or a prompt.
    """
    connector, _ = open_target(**place)
    authority = ca_file.read(_LONGEST_CERTIFICATES + 1) if ca_file is not None else ""
    if len(authority) > _LONGEST_CERTIFICATES:
        raise InvalidInput("--ca-file is larger than 64 kB.", "Give the one certificate that the server needs.")
    if ca_file is not None and "BEGIN CERTIFICATE" not in authority:
        raise InvalidInput("--ca-file holds no certificate in PEM.", "It begins with -----BEGIN CERTIFICATE-----.")
    password = read_secret("Password", "caldav_password")
    calendars = connector.connect_caldav(
        account, url, user, password, timezone=timezone, authority=authority, trusted=trusted, addresses=addresses
    )
    _show_calendars(calendars, as_json)


@connect.command()
@click.option("--client", type=click.File("rb"), help="The client file of a desktop app, from Google Cloud's console.")
@click.option("--account", default="default", show_default=True, help="Name of the account here.")
@_zone_option
@click.option(
    "--port", envvar="OAUTH_REDIRECT_PORT", default=8085, show_default=True, help="Local port for Google's answer."
)
@place_options
@json_option
def google(client: BinaryIO | None, account: str, timezone: str | None, port: int, as_json: bool, **place: Any) -> None:
    """Connect a Google account. Open the address that is shown in a browser, and agree there.

    Without --client, GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET identify the client. If GOOGLE_REFRESH_TOKEN is set,
    that permission is used without a browser.
    """
    connector, _ = open_target(**place)
    known = read_client(client.read()) if client is not None else _client()
    token = read_settings().google_refresh_token
    secret = GoogleSecret(known.client_id, known.client_secret, token) if token else _ask_google(known, port)
    _show_calendars(connector.connect_google(account, secret, timezone=timezone), as_json)


@click.command()
@click.argument("url")
@click.option("--name", default="", help="Name of the calendar here. Default: its own name.")
@click.option("--account", help="Name of the subscription here. Default: made from the URL.")
@_zone_option
@place_options
@json_option
def subscribe(url: str, name: str, account: str | None, timezone: str | None, as_json: bool, **place: Any) -> None:
    """Subscribe to the calendar that is published at URL (webcal or https). It is read-only and kept up to date.

    The URL may be secret. Pass - to read it from standard input. It is stored encrypted.
    """
    connector, _ = open_target(**place)
    address = sys.stdin.readline(_LONGEST_URL).strip() if url == "-" else url
    calendars = connector.subscribe(address, account=account, name=name[:200], timezone=timezone)
    for calendar in calendars:
        connector.connected.sync(calendar)
    _show_calendars(calendars, as_json)


def _client() -> Client:
    client_id = read_settings().google_client_id
    if client_id is None:
        raise click.UsageError("Give the client with --client, or set GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET.")
    return Client(client_id, read_secret("Client secret", "google_client_secret"))


def _ask_google(client: Client, port: int) -> GoogleSecret:
    from almanac.families.calendar.providers.transport.http import HttpClient  # noqa: PLC0415 - rarely needed

    def show_address(address: str) -> None:
        click.echo(f"Open this address in a browser and agree:\n\n{address}\n", err=True)
        click.launch(address)

    http = HttpClient("Google", AddressBook(NetworkPolicy()))
    return ask_consent(client, http, port=port, show=show_address, random_bytes=os.urandom, seconds=_CONSENT_SECONDS)


def _show_calendars(calendars: list[CalendarRecord], as_json: bool) -> None:
    rows = [{name: getattr(calendar, name) for name in _CALENDAR_COLUMNS} for calendar in calendars]
    show(rows, _CALENDAR_COLUMNS, as_json=as_json, none="The account is connected; it has no calendars.")
