"""Servers that tests start: processes on loopback, with a folder of their own."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

USER = "ann"
PASSWORD = "password"


def run_as(command: list[str], user: str) -> list[str]:
    """The command as that user, where root would run it: some servers refuse to be root."""
    if os.geteuid() != 0:
        return command
    ids = pwd.getpwnam(user)
    return ["setpriv", f"--reuid={ids.pw_uid}", f"--regid={ids.pw_gid}", "--clear-groups", *command]


def runs_as(user: str) -> str:
    """Return the name of the user that `demoted` runs programs as."""
    return user if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name


@contextmanager
def folder_of(user: str) -> Generator[Path]:
    """Yield a folder that the user may enter, with a path short enough for the address of a socket."""
    folder = Path(tempfile.mkdtemp(prefix="almanac-caldav-"))
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, user)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run(command: list[str], settings: Mapping[str, str], *, said: str = "") -> None:
    done = subprocess.run(
        command, input=said, env=environment(settings), check=False, capture_output=True, timeout=60, text=True
    )
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"


@contextmanager
def run_process(command: list[str], port: int, log: Path, settings: Mapping[str, str]) -> Generator[None]:
    """The server that the command starts, once it listens at `port`."""
    with log.open("ab") as written:
        server = subprocess.Popen(
            command, stdout=written, stderr=written, env=environment(settings), start_new_session=True
        )
    try:
        _await(port, server, command[0])
        yield
    finally:
        # Workers of its own go with it.
        os.killpg(server.pid, 15)
        server.wait(60)


def environment(settings: Mapping[str, str]) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], **settings}


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
