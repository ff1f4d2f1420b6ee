"""The built functions under AWS's own runtime interface emulator.

The emulator comes with SAM CLI in .tools/sam, its Python client is runtime.lock of this folder in .tools/runtime.
There is no memory limit and no share of a processor here: the figures are lower bounds of a real Lambda's.
"""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import page
from fresh_process import HERE, ROOT
from messages import HANDSHAKE, call, listing, refuse_an_error
from servers.api_gateway import event

EMULATORS = ROOT / ".tools/sam/lib"
RUNTIME = ROOT / ".tools/runtime"
COLD, WARM = 8, 300


@dataclass(frozen=True)
class Function:
    title: str
    folder: str
    handler: str
    path: str


FUNCTIONS = (
    Function("an empty handler", str(HERE / "empty_function"), "handle_nothing.handler", "/"),
    Function("**time**", "TimeFunction", "handle_http.handler", "/mcp/time"),
    Function("**hub**", "HubFunction", "handle_http.handler", "/mcp"),
)


class Emulator:
    """One execution environment: it takes one invocation at a time."""

    def __init__(self, process: subprocess.Popen[bytes], port: int) -> None:
        self.process = process
        self._url = f"http://127.0.0.1:{port}/2015-03-31/functions/function/invocations"

    def invoke(self, request: dict[str, Any]) -> tuple[dict[str, Any], float]:
        """The function's answer and the milliseconds it took."""
        body = json.dumps(request).encode()
        began = time.perf_counter()
        with urllib.request.urlopen(self._url, body, timeout=30) as answer:
            read = answer.read()
        return json.loads(read), (time.perf_counter() - began) * 1000

    def megabytes(self) -> float:
        """Resident memory of the Python process alone."""
        # The emulator has several threads, any of which may have started it.
        tasks = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        (python,) = " ".join(task.read_text() for task in tasks).split()
        status = Path(f"/proc/{python}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024


@contextmanager
def emulator(build: Path, function: Function) -> Generator[Emulator]:
    port, runtime_port = _free_port(), _free_port()
    task = build / function.folder
    environment = {
        "PATH": os.environ["PATH"],
        "LAMBDA_TASK_ROOT": str(task),
        "PYTHONPATH": os.pathsep.join(
            map(str, (task, build / "AppLayer/python", build / "VendorLayer/python", RUNTIME))
        ),
        "AWS_LAMBDA_FUNCTION_NAME": "bench",
        "AWS_LAMBDA_FUNCTION_TIMEOUT": "10",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "512",
        "AWS_REGION": "us-east-1",
        "ALMANAC_TABLE": "almanac",
        "POWERTOOLS_SERVICE_NAME": "bench",
        "POWERTOOLS_METRICS_NAMESPACE": "Almanac",
    }
    (binary,) = EMULATORS.glob(f"*/site-packages/samcli/local/rapid/aws-lambda-rie-{os.uname().machine}")
    addresses = ["--runtime-interface-emulator-address", f"127.0.0.1:{port}"]
    addresses += ["--runtime-api-address", f"127.0.0.1:{runtime_port}"]
    # -S: the layers have to hold everything that the function imports.
    python = [sys.executable, "-S", "-m", "awslambdaric", function.handler]
    process = subprocess.Popen(
        [binary, "--log-level", "error", *addresses, *python],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(port)
        yield Emulator(process, port)
    finally:
        process.terminate()
        process.wait(10)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def _wait_for(port: int) -> None:
    for _ in range(500):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.01)
        else:
            return
    raise SystemExit("The emulator did not start.")


def measure(build: Path, function: Function) -> list[str]:
    calling = event(function.path, *call(HANDSHAKE))
    asking = event(function.path, *listing(HANDSHAKE))
    cold: list[float] = []
    for _ in range(COLD):
        with emulator(build, function) as one:
            cold.append(_answered(one, calling, function.title))
    with emulator(build, function) as one:
        for _ in range(20):
            one.invoke(calling)
        _answered(one, asking, function.title)
        calls = sorted(one.invoke(calling)[1] for _ in range(WARM))
        lists = sorted(one.invoke(asking)[1] for _ in range(WARM))
        megabytes = one.megabytes()
    p99 = WARM * 99 // 100
    cells = (min(cold), median(cold), max(cold), median(calls), calls[p99], median(lists), lists[p99])
    return [function.title, *(f"{cell:.1f}" for cell in cells), f"{megabytes:.0f}"]


def _answered(one: Emulator, request: dict[str, Any], title: str) -> float:
    answer, milliseconds = one.invoke(request)
    refuse_an_error(answer.get("body", json.dumps(answer)), title)
    return milliseconds


def table(build: Path) -> page.Table:
    return page.Table(
        "Under Lambda's runtime interface emulator",
        f"Milliseconds from request to answer over loopback. Cold: the first call of {COLD} fresh environments, "
        f"from the built layers. Warm: {WARM} calls.",
        ["function", "cold min", "median", "max", "call p50", "p99", "list p50", "p99", "memory, MB"],
        [measure(build, function) for function in FUNCTIONS],
    )
