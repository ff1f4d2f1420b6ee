"""AWS's own runtime interface emulator: one execution environment of Lambda, without its walls.

It comes with SAM CLI in .tools/sam; its Python client is runtime.lock of this folder in .tools/runtime. It stops a call
at the function's time limit and refuses answers over 6 MB; it gives out no memory limit and no share of a processor.
"""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fresh_process import ROOT

EMULATORS = ROOT / ".tools/sam/lib"
RUNTIME = ROOT / ".tools/runtime"


@dataclass(frozen=True)
class Function:
    """`paths` is what its imports are looked for in, first to last; `seconds` its time limit."""

    title: str
    handler: str
    paths: tuple[Path, ...]
    environment: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    seconds: int = 10
    megabytes: int = 512


class Emulator:
    """One execution environment: it takes one invocation at a time."""

    def __init__(self, process: subprocess.Popen[bytes], port: int) -> None:
        self.process = process
        self._url = f"http://127.0.0.1:{port}/2015-03-31/functions/function/invocations"

    def invoke(self, event: Mapping[str, Any]) -> tuple[str, float]:
        """What comes back for the event, also where Lambda refuses it, and the milliseconds it took."""
        body = json.dumps(event).encode()
        began = time.perf_counter()
        try:
            with urllib.request.urlopen(self._url, body, timeout=60) as answer:
                read = answer.read()
        except urllib.error.HTTPError as refused:
            read = refused.read()
        return read.decode(), (time.perf_counter() - began) * 1000

    def peak_megabytes(self) -> float:
        """The most memory that the Python process alone has held until now."""
        status = (self._python() / "status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024

    def cpu_milliseconds(self) -> float:
        """What the Python process alone has used of the processors until now."""
        threads = (self._python() / "task").glob("*/schedstat")
        return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e6

    def _python(self) -> Path:
        # The emulator has several threads, any of which may have started it.
        tasks = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        (python,) = " ".join(task.read_text() for task in tasks).split()
        return Path("/proc") / python


@contextmanager
def emulator(function: Function) -> Generator[Emulator]:
    port, runtime_port = _free_port(), _free_port()
    environment = {
        "PATH": os.environ["PATH"],
        "LAMBDA_TASK_ROOT": str(function.paths[0]),
        "PYTHONPATH": os.pathsep.join(map(str, (*function.paths, RUNTIME))),
        "AWS_LAMBDA_FUNCTION_NAME": "bench",
        "AWS_LAMBDA_FUNCTION_TIMEOUT": str(function.seconds),
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(function.megabytes),
        # By it the runtime decides how to write answers: in UTF-8, as all of those do that the template allows.
        "AWS_EXECUTION_ENV": "AWS_Lambda_python3.13",
        "AWS_REGION": "us-east-1",
        "POWERTOOLS_SERVICE_NAME": "bench",
        "POWERTOOLS_METRICS_NAMESPACE": "Almanac",
        **function.environment,
    }
    (binary,) = EMULATORS.glob(f"*/site-packages/samcli/local/rapid/aws-lambda-rie-{os.uname().machine}")
    addresses = ["--runtime-interface-emulator-address", f"127.0.0.1:{port}"]
    addresses += ["--runtime-api-address", f"127.0.0.1:{runtime_port}"]
    # -S: the function's paths have to hold everything that it imports.
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
