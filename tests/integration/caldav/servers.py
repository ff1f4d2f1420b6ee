"""CalDAV servers other than Radicale, each with the one user ann, whose password is `password`."""

import hashlib
import os
import shutil
import socket
import sqlite3
import subprocess
import time
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.integration.caldav.conftest import installed

XANDIKOS = "xandikos==0.4.10"
USER = "ann"
PASSWORD = "password"
_SABRE = Path("/usr/share/php/Sabre/autoload.php")
_TABLES = Path("/usr/share/doc/php-sabre-dav/examples/sql")
_HERE = Path(__file__).parent
_ELSEWHERE = "ALMANAC_TEST_CALDAV_URL"


@contextmanager
def xandikos(repository: Path, folder: Path) -> Generator[str]:
    """Stores in Git. Takes any password."""
    python = installed(repository, "xandikos", XANDIKOS)
    port = free_port()
    serve = ["-m", "xandikos", "serve", "--defaults", "-d", str(folder / "files"), "-l", "127.0.0.1", "-p", str(port)]
    state = ["--state-dir", str(folder / "state"), "--no-detect-systemd", "--current-user-principal", f"/{USER}/"]
    with _running([str(python), *serve, *state], port, folder, {"HOME": str(folder)}):
        yield f"http://127.0.0.1:{port}/"


@contextmanager
def sabredav(_repository: Path, folder: Path) -> Generator[str]:
    """Asks for Digest, and knows no sync-collection in this version. Debian: php-sabre-dav php-cli php-sqlite3."""
    php = shutil.which("php")
    if php is None or not _SABRE.exists() or not _TABLES.exists():
        pytest.skip("SabreDAV is not installed (Debian: php-sabre-dav php-cli php-sqlite3 php-xml php-mbstring).")
    database = folder / "sabre.db"
    with closing(sqlite3.connect(database)) as tables:
        for name in ("calendars", "users", "principals"):
            tables.executescript((_TABLES / f"sqlite.{name}.sql").read_text("utf-8"))
        digest = hashlib.md5(f"{USER}:SabreDAV:{PASSWORD}".encode(), usedforsecurity=False).hexdigest()
        tables.execute("INSERT INTO users (username, digesta1) VALUES (?, ?)", (USER, digest))
        principal = (f"principals/{USER}", "ann@example.com", "Ann")
        tables.execute("INSERT INTO principals (uri, email, displayname) VALUES (?, ?, ?)", principal)
        tables.commit()
    port = free_port()
    settings = {"SABRE_DB": str(database), "PHP_CLI_SERVER_WORKERS": "8"}
    with _running([php, "-S", f"127.0.0.1:{port}", str(_HERE / "sabre.php")], port, folder, settings):
        yield f"http://127.0.0.1:{port}/"


@contextmanager
def elsewhere(_repository: Path, _folder: Path) -> Generator[str]:
    """A server that somebody else runs: with a user ann of that password, and no calendar but empty ones."""
    url = os.environ.get(_ELSEWHERE)
    if not url:
        pytest.skip(f"{_ELSEWHERE} names no other server (DAViCal and Cyrus need one that is set up).")
    yield url


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


@contextmanager
def _running(command: list[str], port: int, folder: Path, settings: dict[str, str]) -> Generator[None]:
    environment = {"PATH": os.environ["PATH"], **settings}
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, env=environment, start_new_session=True)
    try:
        _await(port, server, command[0])
        yield
    finally:
        # Workers of its own go with it.
        os.killpg(server.pid, 15)
        server.wait(10)


def _await(port: int, server: "subprocess.Popen[bytes]", name: str) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 0.2).close()
        except OSError:
            time.sleep(0.05)  # no test waits: a server starts
        else:
            return
    pytest.skip(f"{name} does not start here.")


SERVERS = {"xandikos": xandikos, "sabredav": sabredav, "elsewhere": elsewhere}
