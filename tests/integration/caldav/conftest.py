"""A real CalDAV server: Radicale, in an environment of its own, on loopback, with its files in a temporary folder."""

import itertools
import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import NamedTuple

import pytest

from almanac.families.calendar.providers.caldav.calendars import CalDavProvider
from almanac.families.calendar.providers.caldav.dav import Dav
from almanac.families.calendar.providers.caldav.discovery import find_home
from almanac.families.calendar.providers.port import RemoteCalendar
from almanac.families.calendar.providers.transport.addresses import AddressBook, NetworkPolicy
from almanac.families.calendar.providers.transport.http import HttpClient
from tests.installation import installation_lock
from tests.integration.caldav.processes import run_process
from tests.ports import reserve_port

RADICALE = "radicale==3.9.0"
_RADICALE = """\
import socketserver
# Its own queue holds five connections: of more that come at once, some are reset.
socketserver.TCPServer.request_queue_size = 128
from radicale.__main__ import run
run()
"""
_numbers = itertools.count()
_SETTINGS = """\
[server]
hosts = 127.0.0.1:{port}
max_connections = 100
[auth]
type = none
[rights]
type = owner_only
[storage]
filesystem_folder = {folder}
[logging]
level = error
"""


def install_tool(repository: Path, tool: str, *packages: str) -> Path:
    """The Python of `.tools/<tool>`, made where it is missing; the test is skipped where it cannot be."""
    folder = repository / ".tools" / tool
    python = folder / "bin" / "python"
    with installation_lock(folder):
        if (folder / "ready").exists():
            return python
        try:
            subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, capture_output=True, timeout=120)
            install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
            subprocess.run(install, check=True, capture_output=True, timeout=300)
        except (OSError, subprocess.SubprocessError) as problem:
            pytest.skip(f"{' '.join(packages)} cannot be installed: {problem}")
        (folder / "ready").touch()
        return python


@pytest.fixture(scope="session")
def radicale(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    """Its address, ending in a slash. Every user's password is right."""
    python = install_tool(repository, "radicale", RADICALE)
    folder = tmp_path_factory.mktemp("radicale")
    port = reserve_port()
    settings = folder / "settings"
    settings.write_text(_SETTINGS.format(port=port, folder=folder / "files"), "utf-8")
    command = [str(python), "-c", _RADICALE, "-C", str(settings)]
    with run_process(command, port, folder / "log", {"HOME": str(folder)}):
        yield f"http://127.0.0.1:{port}/"


@pytest.fixture(scope="session")
def http() -> Generator[HttpClient]:
    client = HttpClient("The server", AddressBook(NetworkPolicy(private=True)))
    yield client
    client.close()


class Account(NamedTuple):
    """A user of the server with one calendar, "work", which lies at `collection`, and our provider in the user's
    name."""

    url: str
    user: str
    dav: Dav
    provider: CalDavProvider
    work: RemoteCalendar
    collection: str


def open_account(http: HttpClient, url: str, user: str) -> Account:
    """The account of a user whose password is `password`, with an empty calendar "work"."""
    dav = Dav(http, "The server", url, user, "password")
    home = find_home(dav, url)
    collection = f"{home.url}work/"
    made = dav.send("MKCALENDAR", collection)
    assert made.status == 201, made
    provider = CalDavProvider(dav, home)
    (work,) = [one for one in provider.calendars() if one.id == "work"]
    return Account(url, user, dav, provider, work, collection)


@pytest.fixture
def account(request: pytest.FixtureRequest, http: HttpClient) -> Generator[Account]:
    """At Radicale; or, as the user ann, at the server that ALMANAC_TEST_CALDAV_URL names."""
    elsewhere = os.environ.get("ALMANAC_TEST_CALDAV_URL")
    url = elsewhere or request.getfixturevalue("radicale")
    made = open_account(http, url, "ann" if elsewhere else f"user{next(_numbers)}")
    yield made
    made.dav.send("DELETE", made.collection)
