"""Open a project's calendar accounts for the calendar commands, with the key that encrypts their secrets."""

import os
import random
import sys
import time
from pathlib import Path
from typing import Literal

import click

from almanac.composition.laptop import open_sealer
from almanac.composition.settings import read_settings
from almanac.composition.variables import VARIABLES
from almanac.families.calendar.accounts.connector import Connector
from almanac.families.calendar.accounts.environment import NetworkEnvironment
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.providers.transport.addresses import NetworkPolicy
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock, SystemClock
from almanac.kernel.errors import InvalidInput
from almanac.local.options import data_folder, open_store
from almanac.platform.encryption.port import Sealer

_LONGEST_SECRET = 4096
CLOCK = SystemClock()


def open_connector(data: Path | None, table: str | None, region: str | None, scope: Scope, clock: Clock) -> Connector:
    """Open the accounts of a project. For a store on this machine, servers at private addresses are allowed. For a
    table on AWS they are not, because functions on AWS will use the account."""
    store = open_store(data, table, region, clock)
    environment = NetworkEnvironment(clock, time.sleep, random.random, NetworkPolicy(private=table is None))
    return Connector(
        store, scope, sealer=_sealer(data, table, region), environment=environment, random_bytes=os.urandom
    )


def calendars_with(connector: Connector, scope: Scope, clock: Clock) -> Calendars:
    """Return the project's calendars, including those of connected accounts."""
    return Calendars(connector.calendars.store, scope, clock=clock, gateway=connector.connected)


def read_secret(what: str, setting: Literal["caldav_password", "google_client_secret"]) -> str:
    """Read a secret from the environment, from standard input, or from a prompt that hides it. Other users of the
    machine could read it in a command's arguments. Raises InvalidInput if it is empty or longer than 4096
    characters."""
    secret: str | None = getattr(read_settings(), setting)
    if secret is None and sys.stdin.isatty():
        secret = str(click.prompt(what, hide_input=True, err=True))
    elif secret is None:
        secret = sys.stdin.readline(_LONGEST_SECRET + 1).rstrip("\r\n")
    if not secret or len(secret) > _LONGEST_SECRET:
        hint = f"Type it when asked, pipe it in, or set {VARIABLES[setting].name}."
        raise InvalidInput(f"No {what.lower()} was given.", hint)
    return secret


def _sealer(data: Path | None, table: str | None, region: str | None) -> Sealer:
    if table is None:
        return open_sealer(data_folder(data).sealing_key_file)
    key = read_settings().credentials_key
    if key is None:
        name = VARIABLES["credentials_key"].name
        raise click.UsageError(f"A table needs {name}, the KMS key that seals secrets.")
    from almanac.platform.encryption.kms import open_kms  # noqa: PLC0415 - only for AWS

    return open_kms(key, region)
