"""The laptop's server: how many calls, what each takes of the processor, and what one tenant's crowd costs another.

    PYTHONPATH=. .venv/bin/python tests/bench/laptop.py [--seconds 5]

Calls share the cores with the client: on a machine that does other work only the CPU times and the ratios say much.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from page import Table, times

from tests.doubles.slow_server import serve_slowly
from tests.integration.local.crowd import connect_to, crowd_server, key_of
from tests.integration.local.server_process import ALMANAC, HEADERS, Server, call_message, run_server

CLIENT = Path(__file__).with_name("lean_client.py")
CONNECTIONS = 16
BASE = "`GET /health`: no key, no thread"
CALLS = "`convert_timezone`"
CLAIMS = "`claim` and `release` of one key"
ALONE = "`convert_timezone`, one client alone"
CROWDED = "the same beside 34 clients that try slow rules and 40 that book at a server that drips"

Figures = dict[str, dict[str, float]]


@dataclass(frozen=True)
class Laptop:
    server: Server
    seconds: float

    def ask_clients(self, clients: list[list[str]]) -> dict[str, float]:
        wanted = {
            "port": self.server.port,
            "pid": self.server.process.pid,
            "seconds": self.seconds,
            "clients": clients,
        }
        done = subprocess.run(
            [sys.executable, CLIENT], input=json.dumps(wanted), capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(f"the clients failed:\n{done.stderr}")
        return json.loads(done.stdout)

    def request(self, key: str, message: dict[str, Any]) -> str:
        body = json.dumps(message)
        headers = HEADERS | {"host": "127.0.0.1", "x-api-key": key, "content-length": str(len(body))}
        return "".join(["POST /mcp HTTP/1.1\r\n", *(f"{n}: {v}\r\n" for n, v in headers.items()), "\r\n", body])


def measure(seconds: float) -> Figures:
    with tempfile.TemporaryDirectory() as folder, serve_slowly(b"HTTP/1.1 207 Multi-Status\r\n", b"x", 1.0) as drip:
        data = Path(folder, "data")
        calm, busy = key_of("calm", data), key_of("busy", data)
        connect_to(drip.port, "busy", data)
        with run_server([ALMANAC, "serve", "--port", "0", "--data", data]) as server:
            laptop = Laptop(server, seconds)
            convert = laptop.request(
                calm, call_message("convert_timezone", datetime="2026-11-22T12:00:00Z", target_timezone="Asia/Tokyo")
            )
            figures = {
                BASE: laptop.ask_clients([["GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"]] * CONNECTIONS),
                CALLS: laptop.ask_clients([[convert]] * CONNECTIONS),
                CLAIMS: laptop.ask_clients(
                    [_contending_requests(laptop, calm, number) for number in range(CONNECTIONS)]
                ),
                ALONE: laptop.ask_clients([[convert]]),
            }
            with crowd_server(server, busy):
                figures[CROWDED] = laptop.ask_clients([[convert]])
    return figures


def _contending_requests(laptop: Laptop, key: str, number: int) -> list[str]:
    claim = call_message("claim", key="story:1", holder=f"client-{number}", ttl_ms=5000)
    release = call_message("release", key="story:1", holder=f"client-{number}")
    return [laptop.request(key, claim), laptop.request(key, release)]


def table(figures: Figures) -> Table:
    base = figures[BASE]["cpu_us"]
    rows = [
        [
            what,
            f"{of['calls']:,.0f}",
            f"{of['cpu_us']:,.0f}",
            times(of["cpu_us"], base),
            f"{of['p50_ms']:.1f}",
            f"{of['p99_ms']:.1f}",
        ]
        for what, of in figures.items()
    ]
    return Table(
        "The laptop's server",
        f"`almanac serve` and its clients on one machine; {CONNECTIONS} keep-alive connections where no other number "
        "is said. CPU time is that of the server's process for a call, of all its tenants.",
        ["what is asked", "calls a second", "CPU us a call", "of /health", "p50, ms", "p99, ms"],
        rows,
    )


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=5.0)
    sys.stdout.write(f"{table(measure(options.parse_args().seconds)).markdown()}\n")
