"""A real CalDAV server: Radicale, in an environment of its own, on loopback, with its files in a temporary folder."""

import itertools
import os
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import NamedTuple

import pytest

from almanac.families.calendar.providers.caldav.calendars import CalDavProvider
from almanac.families.calendar.providers.caldav.dav import Dav
from almanac.families.calendar.providers.caldav.discovery import find_home
from almanac.families.calendar.providers.port import RemoteCalendar
from almanac.families.calendar.providers.transport.addresses import AddressBook, Reach
from almanac.families.calendar.providers.transport.http import HttpClient
from tests.installing import one_at_a_time

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


def installed(repository: Path, tool: str, *packages: str) -> Path:
    """The Python of `.tools/<tool>`, made where it is missing; the test is skipped where it cannot be."""
    folder = repository / ".tools" / tool
    python = folder / "bin" / "python"
    with one_at_a_time(folder):
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
    python = installed(repository, "radicale", RADICALE)
    folder = tmp_path_factory.mktemp("radicale")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = folder / "settings"
    settings.write_text(_SETTINGS.format(port=port, folder=folder / "files"), "utf-8")
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    with (folder / "log").open("wb") as log:
        command = [python, "-c", _RADICALE, "-C", settings]
        server = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
    try:
        _await(port, server)
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.terminate()
        server.wait(10)


@pytest.fixture(scope="session")
def http() -> Generator[HttpClient]:
    client = HttpClient("Radicale", AddressBook(Reach(private=True)))
    yield client
    client.close()


class Account(NamedTuple):
    """A user of the server with one calendar, "work", and our provider in the user's name."""

    url: str
    user: str
    dav: Dav
    provider: CalDavProvider
    work: RemoteCalendar


@pytest.fixture
def account(radicale: str, http: HttpClient) -> Account:
    user = f"user{next(_numbers)}"
    dav = Dav(http, "Radicale", radicale, user, "password")
    made = dav.send("MKCALENDAR", f"{radicale}{user}/work/")
    assert made.status == 201
    provider = CalDavProvider(dav, find_home(dav, radicale))
    return Account(radicale, user, dav, provider, provider.calendars()[0])


def _await(port: int, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 20
    while time.monotonic() < until and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 0.2).close()
        except OSError:
            time.sleep(0.05)  # no test waits: a server starts
        else:
            return
    pytest.skip("Radicale does not start here.")
