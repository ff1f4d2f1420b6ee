"""Runs a measuring program in fresh processes, the subjects in turn, so that a busy moment hits them all."""

import marshal
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
APP = ROOT / "layers/app"


@dataclass(frozen=True)
class Subject:
    """`module` is one of servers/ or engines/. `door` is the folder of functions/ that it needs on its path."""

    title: str
    module: str
    python: Path = Path(sys.executable)
    door: str | None = None
    on_lambda: bool = False


def run(program: str, subject: Subject, request: Any) -> dict[str, Any]:
    """What `program` prints about `subject`; SystemExit where it fails."""
    if not subject.python.exists():
        raise SystemExit(f"{subject.python} is missing: `make bench` installs it.")
    folders = [APP, *([ROOT / "functions" / subject.door] if subject.door else [])]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "ALMANAC"))}
    environment["PYTHONPATH"] = os.pathsep.join(map(str, folders))
    environment |= {"ALMANAC_TABLE": "bench", "AWS_REGION": "eu-west-1"}
    if subject.on_lambda:
        environment |= {
            "AWS_LAMBDA_FUNCTION_NAME": "bench",
            "POWERTOOLS_SERVICE_NAME": "bench",
            "_X_AMZN_TRACE_ID": "Root=1-5e1b4151-5ac6c58ad6a2e5b1c1d7a6f4;Parent=53995c3f42cd8ad8;Sampled=0",
        }
    finished = subprocess.run(
        [subject.python, HERE / program, subject.module],
        input=marshal.dumps(request),
        capture_output=True,
        env=environment,
        check=False,
    )
    if finished.returncode:
        raise SystemExit(f"{program} {subject.module} failed:\n{finished.stderr.decode()}")
    return marshal.loads(finished.stdout)


def in_turn(program: str, requests: Mapping[Subject, Any], times: int) -> dict[Subject, list[dict[str, Any]]]:
    """`times` runs of each subject with its request, round by round."""
    runs: dict[Subject, list[dict[str, Any]]] = {subject: [] for subject in requests}
    for _ in range(times):
        for subject, request in requests.items():
            runs[subject].append(run(program, subject, request))
    return runs


def medians(runs: list[dict[str, Any]]) -> dict[str, float]:
    """The median of each figure over the runs."""
    names = [name for name, value in runs[0].items() if isinstance(value, int | float)]
    return {name: median(run[name] for run in runs) for name in names}


def quickest_runs(runs: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """For each input the run in which it took least: each run is a median already, and a neighbour only adds to it."""
    return {name: min((run[name] for run in runs), key=lambda one: one["us"]) for name in runs[0]}
