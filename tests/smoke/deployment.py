"""The deployment under check: its address and key, and the facts that an operator's AWS credentials give access to."""

# boto3 carries no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3

from tests.e2e import emulator_gaps
from tests.e2e.target import Target

_ALMANAC = Path(sys.executable).parent / "almanac"
_EMULATOR = "/_aws/execute-api/"
_STEP_SECONDS = 900


class StepFailed(Exception):
    """A command failed. The message has the end of its output."""


@dataclass(frozen=True)
class Operator:
    """Commands and calls to AWS for the stack `system`, with the credentials of this process."""

    system: str
    outputs: Mapping[str, str]

    def almanac(self, *arguments: str) -> str:
        """Return the output of an `almanac` command on the stack's table."""
        settings = {
            "ALMANAC_TABLE": self.outputs["TableName"],
            "ALMANAC_BUCKET": self.outputs["LargeValuesBucket"],
            "ALMANAC_SEARCH_ENDPOINT": self.outputs.get("SearchEndpoint", ""),
            "ALMANAC_SEARCH_NAME": self.outputs.get("SearchName", self.system),
        }
        environment = os.environ | {name: value for name, value in settings.items() if value}
        done = subprocess.run(
            [str(_ALMANAC), *arguments],
            env=environment,
            capture_output=True,
            text=True,
            timeout=_STEP_SECONDS,
            check=False,
        )
        if done.returncode:
            raise StepFailed(f"almanac {' '.join(arguments)}: {(done.stdout + done.stderr)[-300:]}")
        return done.stdout

    def client(self, service: str) -> Any:
        """boto3's."""
        return boto3.client(service)


@dataclass(frozen=True)
class Deployment:
    """`target` has the key that the checks use. `operator` is None where no stack was named. `emulated`: it is on an
    emulator of AWS. `disturbs`: a function may be stopped for some seconds."""

    target: Target
    operator: Operator | None
    emulated: bool
    disturbs: bool


def deployment(url: str, key: str, feed_url: str | None, system: str, *, disturbs: bool) -> Deployment:
    """Return the deployment, with the outputs of the stack `system` if one is named."""
    emulated = _EMULATOR in url
    operator = None
    if system:
        (found,) = boto3.client("cloudformation").describe_stacks(StackName=system)["Stacks"]
        outputs: dict[str, str] = {output["OutputKey"]: output["OutputValue"] for output in found["Outputs"]}
        operator = Operator(system, outputs)
        feed_url = feed_url or _feed_url(url, outputs["FeedUrl"], emulated=emulated)
    return Deployment(Target(url.rstrip("/"), key, feed_url), operator, emulated, disturbs)


def _feed_url(url: str, told: str, *, emulated: bool) -> str:
    """The emulator serves every API under its own address."""
    if not emulated:
        return told
    return emulator_gaps.served_address(url.partition(_EMULATOR)[0], told).url.replace("http", "ws", 1)
