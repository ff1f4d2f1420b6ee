"""CalDAV servers other than Radicale, each with the one user ann, whose password is `password`."""

import hashlib
import os
import shutil
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.integration.caldav.conftest import install_tool
from tests.integration.caldav.cyrus import cyrus
from tests.integration.caldav.davical import davical
from tests.integration.caldav.processes import PASSWORD, USER, run_process
from tests.ports import reserve_port

XANDIKOS = "xandikos==0.4.10"
_SABRE = Path("/usr/share/php/Sabre/autoload.php")
_TABLES = Path("/usr/share/doc/php-sabre-dav/examples/sql")
_HERE = Path(__file__).parent
_ELSEWHERE = "ALMANAC_TEST_CALDAV_URL"


@contextmanager
def xandikos(repository: Path, folder: Path) -> Generator[str]:
    """Stores in Git. Takes any password."""
    python = install_tool(repository, "xandikos", XANDIKOS)
    port = reserve_port()
    serve = ["-m", "xandikos", "serve", "--defaults", "-d", str(folder / "files"), "-l", "127.0.0.1", "-p", str(port)]
    state = ["--state-dir", str(folder / "state"), "--no-detect-systemd", "--current-user-principal", f"/{USER}/"]
    with run_process([str(python), *serve, *state], port, folder / "log", {"HOME": str(folder)}):
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
    port = reserve_port()
    settings = {"SABRE_DB": str(database), "PHP_CLI_SERVER_WORKERS": "8"}
    with run_process([php, "-S", f"127.0.0.1:{port}", str(_HERE / "sabre.php")], port, folder / "log", settings):
        yield f"http://127.0.0.1:{port}/"


@contextmanager
def elsewhere(_repository: Path, _folder: Path) -> Generator[str]:
    """Return a server that another program runs. It has a user ann with that password, and only empty calendars."""
    url = os.environ.get(_ELSEWHERE)
    if not url:
        pytest.skip(f"{_ELSEWHERE} names no other server.")
    yield url


SERVERS = {
    "xandikos": xandikos,
    "sabredav": sabredav,
    "davical": davical,
    "cyrus": cyrus,
    "elsewhere": elsewhere,
}
