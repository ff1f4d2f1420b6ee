"""Options of the edit commands. An omitted option changes nothing, and `none` removes the stored value."""

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from almanac.composition.installation import zone_name
from almanac.identity.access.directory import CACHE_SECONDS
from almanac.identity.audit import Clerk
from almanac.kernel.clock import Clock
from almanac.kernel.errors import InvalidInput
from almanac.local.user import user
from almanac.platform.store.port import Store

Command = TypeVar("Command", bound=Callable[..., Any])
WEEK_STARTS = ["monday", "sunday"]
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,6})?) ?(|b|[kmgt]i?b?)")
_FACTORS = {"": 1, "b": 1} | {
    f"{letter}{middle}{end}": (1024 if middle else 1000) ** power
    for power, letter in enumerate("kmgt", 1)
    for middle in ("", "i")
    for end in ("", "b")
}


class _Removed:
    """The value of `none` on the command line."""


REMOVED = _Removed()


class OrNone(click.ParamType[Any]):
    """Option type that accepts what `inner` accepts, or `none`."""

    def __init__(self, inner: click.ParamType[Any]) -> None:
        self._inner = inner
        self.name = f"{inner.name} or none"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, _Removed) or (isinstance(value, str) and value.lower() == "none"):
            return REMOVED
        return self._inner.convert(value, param, ctx)


class Zone(click.ParamType[str]):
    """Option type for an IANA time zone in any case. The value is spelt as in the tz database."""

    name = "zone"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ARG002
        try:
            return zone_name(str(value))
        except InvalidInput as unknown:
            raise InvalidInput(unknown.message, unknown.hint, path="timezone") from unknown


class Size(click.ParamType[int]):
    """Option type for a number of bytes, such as 500MB, 1.5 GiB or 2000000."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        found = _SIZE.fullmatch(str(value).strip().lower())
        if found is None or (size := int(float(found[1]) * _FACTORS[found[2]])) < 1:
            self.fail(f"{value!r} is no size: write it like 500MB or 20GB.", param, ctx)
        return size


def zone_options(command: Command) -> Command:
    """Add --timezone and --week-start, both of which accept `none` to use the value of the project or tenant."""
    zone = click.option(
        "--timezone", type=OrNone(Zone()), help="An IANA time zone; none: that of the project or tenant."
    )
    week = click.option(
        "--week-start",
        type=OrNone(click.Choice(WEEK_STARTS)),
        help="none: that of the project or tenant.",
    )
    return zone(week(command))


def limit_options(command: Command) -> Command:
    minute = click.option("--per-minute", type=OrNone(click.IntRange(min=1)), help="Requests per minute, or none.")
    day = click.option("--per-day", type=OrNone(click.IntRange(min=1)), help="Requests per day of UTC, or none.")
    return minute(day(command))


def changes(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given options, with None for `none`. Raises a usage error if no option was given."""
    edits = {
        name: None if isinstance(value, _Removed) else value for name, value in options.items() if value is not None
    }
    if not edits:
        raise click.UsageError("Give at least one option to change; --help lists them.")
    return edits


def clerk(store: Store, clock: Clock) -> Clerk:
    """Return a clerk that records commands in the audit trail under the name of this machine's user."""
    return Clerk(store, clock, os.urandom, user())


def note_delay(table: str | None) -> None:
    """Tell the user about a delay on AWS, where functions cache keys."""
    if table is not None:
        click.echo(f"It holds within {CACHE_SECONDS} seconds.", err=True)


def confirm_deletion(what: str, name: str, *, yes: bool) -> None:
    """Ask the user to type the name of what will be deleted, unless `yes` is true. Raises a usage error for any other
    name."""
    if yes:
        return
    typed = click.prompt(f"This deletes {what} with everything in it, for good. Type {name} to go on", err=True)
    if typed != name:
        raise click.UsageError("That is not its name; nothing was deleted.")


def place(options: Mapping[str, Any]) -> tuple[Path | None, str | None, str | None]:
    """Return the values of --data, --table and --region, which `store_options` adds."""
    return options["data"], options["table"], options["region"]
