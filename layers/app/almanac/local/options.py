"""Options that several commands share, and the types of their values."""

import re
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from almanac.composition.variables import text_of, texts
from almanac.identity.api_key import parse_api_key
from almanac.kernel.clock import Clock
from almanac.kernel.errors import InvalidInput
from almanac.local.client.server_address import DEFAULT_URL
from almanac.local.data_folder import (
    FIRST_TENANT,
    VARIABLE,
    DataFolder,
    default_cache_folder,
    default_data_folder,
)
from almanac.local.hints import in_use

# Some commands never open a store, so the store is not imported here.
if TYPE_CHECKING:
    from almanac.composition.settings import Settings
    from almanac.platform.store.port import Store

Command = TypeVar("Command", bound=Callable[..., Any])

_SPAN = re.compile(r"(\d{1,6})(s|m|h|d)")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def data_option(command: Command) -> Command:
    return click.option(
        "--data",
        envvar="ALMANAC_DATA",
        type=click.Path(file_okay=True, path_type=Path),
        callback=in_use("--data"),
        help="The data folder; by default the platform's folder for user data.",
    )(command)


def json_option(command: Command) -> Command:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def store_options(command: Command) -> Command:
    """Add the options for the place of tenants and keys: a data folder on this machine, or a table on AWS."""
    table = click.option(
        "--table",
        envvar="ALMANAC_TABLE",
        callback=in_use("--table"),
        help="A DynamoDB table instead of the data folder.",
    )
    region = click.option("--region", envvar="AWS_REGION", callback=in_use("--region"), help="The table's AWS region.")
    return data_option(table(region(command)))


def tenant_option(command: Command) -> Command:
    chosen = click.option("--tenant", default=FIRST_TENANT, show_default=True, callback=in_use("--tenant"))
    return chosen(command)


def data_folder(chosen: Path | None) -> DataFolder:
    settings, platform, home = texts(), sys.platform, Path.home()
    return DataFolder(
        chosen or default_data_folder(settings, platform, home), default_cache_folder(settings, platform, home)
    )


def url_option(command: Command) -> Command:
    chosen = click.option(
        "--url",
        envvar="ALMANAC_URL",
        default=DEFAULT_URL,
        show_default=True,
        callback=in_use("--url"),
        help="The server's address.",
    )
    return chosen(command)


def server_options(command: Command) -> Command:
    """Add the options for a server and the key to call it with: `url`, `key` and `data`."""
    key = click.option("--key", help="The API key. ALMANAC_API_KEY is safer: other users of the machine cannot see it.")
    return url_option(key(data_option(command)))


def api_key(data: Path | None, given_key: str | None = None) -> str:
    """Return the key to call a server with: `given_key`, the environment's, or the one stored in the data folder.

    Raises InvalidInput if all are missing, or if the value is malformed."""
    key = given_key or text_of("api_key") or data_folder(data).stored_key()
    if not key:
        raise InvalidInput(
            "No API key is known here.", f"Set {VARIABLE}, or name the server's data folder with --data."
        )
    parse_api_key(key)
    return key


def open_store(data: Path | None, table: str | None, region: str | None, clock: Clock) -> "Store":
    if table is None:
        return data_folder(data).open_whole_store(clock)
    if region is None:
        raise click.UsageError("A table needs --region, or AWS_REGION.")
    from almanac.composition.aws import open_whole_store  # noqa: PLC0415 - only for AWS

    return open_whole_store(settings_for(table, region))


def settings_for(table: str, region: str) -> "Settings":
    """Return the settings of the environment, with the table and the region of a command's options."""
    from msgspec.structs import replace  # noqa: PLC0415 - only for AWS

    from almanac.composition.settings import read_settings  # noqa: PLC0415 - only for AWS

    return replace(read_settings(), table=table, region=region)


class Span(click.ParamType[timedelta]):
    """A span of time such as `90s`, `15m`, `24h` or `30d`."""

    name = "span"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> timedelta:
        if isinstance(value, timedelta):
            return value
        found = _SPAN.fullmatch(str(value))
        if found is None:
            self.fail(f"{value!r} is no span of time. Write 90s, 15m, 24h or 30d.", param, ctx)
        return timedelta(**{_UNITS[found[2]]: int(found[1])})


class Expiry(click.ParamType[datetime]):
    """An instant such as `2027-01-31T00:00:00Z` (a date alone is midnight UTC), or a span from now."""

    name = "when"

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        if isinstance(value, datetime):
            return value
        if found := _SPAN.fullmatch(str(value)):
            return self._clock.now() + timedelta(**{_UNITS[found[2]]: int(found[1])})
        try:
            instant = datetime.fromisoformat(str(value))
        except ValueError:
            self.fail(f"{value!r} is no instant. Write 2027-01-31, 2027-01-31T12:00:00Z or 90d.", param, ctx)
        return instant if instant.tzinfo else instant.replace(tzinfo=UTC)
