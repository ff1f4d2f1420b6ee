"""Seconds of CPU and bytes of log that calls take, measured once by `make scale-measure` and kept in measured.json.

CPU time is that of this process alone, with DynamoDB's client and without its server: tools run against an emulator.
Costs are computed from the kept figures, so that they are the same on every machine.
"""

import contextlib
import io
import os
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import median

import msgspec

from almanac.gateway.observability.powertools import PowertoolsTelemetry
from almanac.kernel.clock import FixedClock
from almanac.platform.store.dynamodb.calls import Calls, connect
from almanac.platform.store.dynamodb.store import DynamoStore
from almanac.platform.store.port import Change, OutboxPut
from almanac.platform.store.retries import Retries
from almanac.platform.store.wrapper import StoreWrapper
from tests.bench.metered_store import MeteredStore
from tests.bench.page import machine
from tests.bench.scale.system import PARTS, System
from tests.bench.scale.tenant_contents import furnish
from tests.bench.scale.typical_calls import CALLS, TypicalCalls
from tests.bench.scale.units import MORNING, passage
from tests.contract.backends import REGION, SECRET, TABLE, dynoxide
from tests.dynamodb_table import table_definition

FILE = Path(__file__).with_name("measured.json")
ROUNDS = 9
_PATIENCE = 600
"""Seconds for an answer of the emulator: how busy the machine is must not end what counts processor time."""


class Measurement(msgspec.Struct, frozen=True):
    """`door` is milliseconds of CPU by tool, `parts` of the other functions by event; `log_bytes` of one call."""

    date: str
    machine: str
    door: dict[str, float]
    parts: dict[str, float]
    log_bytes: int


def read_measured() -> Measurement:
    return msgspec.json.decode(FILE.read_bytes(), type=Measurement)


class UnmeteredStore(MeteredStore):
    """Only notes the events: counting is work that the deployed system does not do."""

    get, get_many = StoreWrapper.get, StoreWrapper.get_many
    snapshot, query = StoreWrapper.snapshot, StoreWrapper.query

    def write(self, changes: Sequence[Change]) -> None:
        StoreWrapper.write(self, changes)
        self.events += [change for change in changes if isinstance(change, OutboxPut)]


def measure(date: str) -> Measurement:
    """Takes a minute; needs the emulator that `make tools` installs."""
    with dynoxide() as address:
        system = System(UnmeteredStore(_open_store(address)), FixedClock(MORNING))
        typical = TypicalCalls(system, furnish(system, Random(5)))
        taken: dict[str, list[float]] = {part: [] for part in PARTS}
        door = {tool: _milliseconds(system, typical, tool, taken) for tool in CALLS}
        # Of the calls so far no rule was told.
        action = {"tool": "set_broadcast", "args": {"key": "last", "value": "${payload.value}"}}
        system.do("install_rule", name="measured", on_kind="broadcast_set", actions=[action])
        _milliseconds(system, typical, "set_broadcast", taken)
    parts = {part: round(median(taken[part]), 2) for part in PARTS if part != "door"}
    return Measurement(date, machine(), door, parts, _log_bytes(system))


def _milliseconds(system: System, typical: TypicalCalls, tool: str, taken: dict[str, list[float]]) -> float:
    """Return the median milliseconds of the door, and add those of the other functions to `taken`."""
    door: list[float] = []
    for _ in range(ROUNDS):
        through = passage(system, typical, tool)
        door.append(through.cpu["door"] * 1000)
        for part, count in through.invocations.items():
            taken[part].append(through.cpu[part] * 1000 / count)
    return round(median(door), 2)


def _open_store(address: str) -> DynamoStore:
    retries = Retries(time.sleep, random.random, time.monotonic, patience_seconds=_PATIENCE)
    connection = connect(REGION, address, seconds=_PATIENCE)
    Calls(connection, retries).call("CreateTable", table_definition(TABLE), repeatable=False)
    return DynamoStore(
        TABLE,
        connection=connection,
        clock=FixedClock(MORNING),
        cursor_secret=SECRET,
        random_bytes=os.urandom,
        retries=retries,
    )


def _log_bytes(system: System) -> int:
    """Return the size of the door's log lines of its last call."""
    assert system.telemetry.report is not None
    with contextlib.redirect_stdout(io.StringIO()) as said:
        PowertoolsTelemetry({}).record_request(system.telemetry.report)
    return len(said.getvalue().encode())


def main() -> int:
    os.environ |= {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_EC2_METADATA_DISABLED": "true"}
    measured = measure(time.strftime("%Y-%m-%d"))
    FILE.write_bytes(msgspec.json.format(msgspec.json.encode(measured), indent=2) + b"\n")
    sys.stdout.write(f"{measured}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
