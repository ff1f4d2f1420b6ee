"""DAViCal, as Debian packages it, in PHP's own web server over a PostgreSQL of its own."""

import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.integration.caldav.processes import PASSWORD, USER, folder_of, run, run_as, run_process
from tests.ports import reserve_port

_DAVICAL = Path("/usr/share/davical")
_POSTGRES = Path("/usr/lib/postgresql")
_SETTINGS = Path("/etc/davical/config.php")
_ROUTES = Path(__file__).with_name("davical.php")
_OWNER = "postgres"
_ANN = f"""\
INSERT INTO dav_principal (username, password, fullname, displayname, email, type_id)
VALUES ('{USER}', '**{PASSWORD}', 'Ann', 'Ann', '{USER}@example.com', 1)
"""


@contextmanager
def davical(_repository: Path, _folder: Path) -> Generator[str]:
    programs = max(_POSTGRES.glob("*/bin"), default=None)
    php = shutil.which("php")
    if php is None or programs is None or not _SETTINGS.exists():
        pytest.skip("DAViCal is not installed (Debian: davical postgresql php-cli php-pgsql).")
    with folder_of(_OWNER) as folder, _database(folder, programs) as own:
        run(["psql", "-q", "-c", _ANN, "davical"], own)
        routes = folder / "routes.php"
        shutil.copy(_ROUTES, routes)
        routes.chmod(0o644)
        port = reserve_port()
        quiet = ["-d", "error_reporting=E_ERROR", "-d", "display_errors=0"]
        serve = [php, *quiet, "-S", f"127.0.0.1:{port}", "-t", str(_DAVICAL / "htdocs"), str(routes)]
        with run_process(run_as(serve, _OWNER), port, folder / "log", {**own, "PHP_CLI_SERVER_WORKERS": "8"}):
            yield f"http://127.0.0.1:{port}/"


@contextmanager
def _database(folder: Path, programs: Path) -> Generator[dict[str, str]]:
    """Listens at a socket in the folder. Gives the settings that lead there."""
    own = {"PATH": f"{programs}:{os.environ['PATH']}", "PGHOST": str(folder), "PGUSER": _OWNER, "LC_ALL": "C"}
    data = str(folder / "data")
    control = [str(programs / "pg_ctl"), "-D", data, "-w"]
    run(run_as([str(programs / "initdb"), "-D", data, "-U", _OWNER, "-A", "trust", "-N"], _OWNER), own)
    options = f"-c listen_addresses= -c fsync=off -k {folder}"
    run(run_as([*control, "-l", str(folder / "postgres.log"), "-o", options, "start"], _OWNER), own)
    try:
        run(run_as(["sh", str(_DAVICAL / "dba/create-database.sh"), "davical", "admin"], _OWNER), own)
        yield own
    finally:
        run(run_as([*control, "-m", "immediate", "stop"], _OWNER), own)
