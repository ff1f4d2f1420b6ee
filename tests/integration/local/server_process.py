"""A server in a process of its own, on a free port."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from click.testing import CliRunner

from almanac.local.cli import cli

ROOT = Path(__file__).parents[3]
ALMANAC = Path(sys.executable).parent / "almanac"
HEADERS = {"content-type": "application/json", "mcp-protocol-version": "2025-11-25"}


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.body)


@dataclass
class Server:
    process: subprocess.Popen[str]
    announced: str
    url: str
    key: str | None
    log: list[str] = field(default_factory=list[str])

    @property
    def port(self) -> int:
        return urlsplit(self.url).port or 0

    def request(self, method: str, path: str, body: bytes | str = b"", **headers: str) -> Reply:
        """One request; keyword names are header names with underscores. ConnectionError, where the server ends before
        its answer does."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body.encode() if isinstance(body, str) else body, HEADERS | named)
            response = connection.getresponse()
            return Reply(response.status, {n.lower(): v for n, v in response.getheaders()}, response.read())
        except http.client.HTTPException as problem:  # only its head came, or nothing
            raise ConnectionError from problem
        finally:
            connection.close()

    def post(self, message: Mapping[str, Any] | str, path: str = "/mcp", **headers: str) -> Reply:
        """A message with the server's own key, unless the headers name another."""
        sent = message if isinstance(message, str) else json.dumps(message)
        return self.request("POST", path, sent, **({"x_api_key": self.key or ""} | headers))

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(timeout=30)


def call_message(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def environment(**more: str) -> dict[str, str]:
    """Return this process's environment without variables of Almanac and AWS, except the tests' shared cache.

    Keys that servers create have a time zone.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ALMANAC_", "AWS_"))}
    if cache := os.environ.get("ALMANAC_CACHE"):
        kept["ALMANAC_CACHE"] = cache
    return {**kept, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error", "TIMEZONE": "Europe/Berlin", **more}


@contextmanager
def run_server(command: Sequence[str | Path], **more: str) -> Generator[Server]:
    """A server that is ready; killed at the end if it still runs."""
    with subprocess.Popen(
        [str(part) for part in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(**more),
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            announced = _announcement(process)
            url = re.search(r"is ready at (\S+)", announced)
            key = re.search(r"^Key: (alm_\S+)", announced, re.MULTILINE)
            assert url is not None, announced
            server = Server(process, announced, url[1], key[1] if key else None)
            # A full pipe would stop the server: somebody must read what it logs.
            reader = threading.Thread(target=lambda: server.log.extend(process.stderr or ()))
            reader.start()
            yield server
        finally:
            process.kill()
            process.wait()
        reader.join()


def _announcement(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    lines: list[str] = []
    for line in process.stdout:
        lines.append(line)
        if line.startswith("Stop with"):
            return "".join(lines)
    assert process.stderr is not None
    raise AssertionError(f"the server ended before it was ready: {process.stderr.read()}")


def clockwork(folder: Path, stop_seconds: int = 30, **more: str) -> AbstractContextManager[Server]:
    """A server of the tests' own families."""
    program = ROOT / "tests/integration/local/clockwork_server.py"
    return run_server([sys.executable, program, folder, str(stop_seconds)], **more)


def last_line_of(program: str, *names: str) -> str:
    """Run `program` in a process of its own, with the names of modules as arguments, and return its last line."""
    command = [sys.executable, "-c", program, *names]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, env=environment())
    return done.stdout.splitlines()[-1]


def type_command(*arguments: str | Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run an `almanac` command in this process, which is faster and serves tests of its effects, not of its exit."""
    others = environment()
    cleared = dict.fromkeys(name for name in os.environ if name not in others)
    runner = CliRunner(env={**cleared, "TIMEZONE": "Europe/Berlin", **more})
    done = runner.invoke(cli, [str(one) for one in arguments], prog_name="almanac", catch_exceptions=False)
    return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)


def almanac(*arguments: str | Path, **more: str) -> subprocess.CompletedProcess[str]:
    """The command line, to its end."""
    return subprocess.run(
        [str(ALMANAC), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=environment(**more),
    )
