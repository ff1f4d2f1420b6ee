"""What the calendar commands work with: a project's accounts, and the key that seals their secrets."""

import os
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

import click

from almanac.families.calendar.accounts.connecting import Connector, remotes_opener
from almanac.families.calendar.accounts.surroundings import Surroundings
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.providers.transport.addresses import Reach
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock, SystemClock
from almanac.kernel.errors import InvalidInput
from almanac.local.data_folder import DataFolder
from almanac.local.options import data_folder, open_store
from almanac.platform.sealing.key_file import KeyFileSealer
from almanac.platform.sealing.port import Sealer
from almanac.platform.store.port import Store

KEY_FILE = "credentials-key"
_KMS_KEY = "ALMANAC_CREDENTIALS_KEY"
_LONGEST_SECRET = 4096
CLOCK = SystemClock()


def open_connector(data: Path | None, table: str | None, region: str | None, scope: Scope, clock: Clock) -> Connector:
    """For one project. On this machine servers at private addresses are within reach; for a table on AWS they are
    not: what is connected here is used from there."""
    store = open_store(data, table, region, clock)
    around = Surroundings(clock, time.sleep, random.random, Reach(private=table is None))
    return Connector(store, scope, sealer=_sealer(data, table, region), around=around, random_bytes=os.urandom)


def open_remotes(folder: DataFolder, open_kept: Callable[[], Store]) -> Callable[[Scope, Clock], Connector]:
    """For the server on this machine: what the calendar family takes to reach the providers of connected accounts."""
    around = Surroundings(SystemClock(), time.sleep, random.random, Reach(private=True))
    sealer = KeyFileSealer(folder.path / KEY_FILE, os.urandom)
    return remotes_opener(open_kept, sealer=sealer, around=around, random_bytes=os.urandom)


def calendars_with(connector: Connector, scope: Scope, clock: Clock) -> Calendars:
    """The project's calendars, those at providers too."""
    return Calendars(connector.calendars.store, scope, clock=clock, remotes=connector.connected)


def read_secret(what: str, variable: str) -> str:
    """From the environment, else from standard input, else asked for without showing it: never an argument, which
    other users of the machine could read."""
    given = os.environ.get(variable)
    if given is None and sys.stdin.isatty():
        given = str(click.prompt(what, hide_input=True, err=True))
    elif given is None:
        given = sys.stdin.readline(_LONGEST_SECRET + 1).rstrip("\r\n")
    if not given or len(given) > _LONGEST_SECRET:
        raise InvalidInput(f"No {what.lower()} was given.", f"Type it when asked, pipe it in, or set {variable}.")
    return given


def _sealer(data: Path | None, table: str | None, region: str | None) -> Sealer:
    if table is None:
        return KeyFileSealer(data_folder(data).path / KEY_FILE, os.urandom)
    key = os.environ.get(_KMS_KEY)
    if not key:
        raise click.UsageError(f"A table needs {_KMS_KEY}, the KMS key that seals secrets.")
    from almanac.platform.sealing.kms import open_kms  # noqa: PLC0415 - only for AWS

    return open_kms(key, region)
