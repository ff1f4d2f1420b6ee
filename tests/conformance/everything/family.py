"""The fixture family: everything that the public suites ask for, declared as any family declares it."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import msgspec

from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import Clock, FixedClock
from almanac.protocol.elicitation import Elicitation
from almanac.protocol.family import Family, Icon, tools_in
from almanac.protocol.invoke import Host
from almanac.protocol.progress import Log, Progress
from almanac.protocol.tool import Call, Effect, tool
from almanac.protocol.toolset import Toolset
from almanac.protocol.wire.http import HttpEndpoint
from almanac.protocol.wire.server_info import ServerInfo
from tests.conformance.everything import content_tools, elicitation_tools, pages
from tests.conformance.everything.skills import FixtureSkills

CALLER = Caller(Scope("tenant", "project"), actor="tester", key_id="key")


class Sum(msgspec.Struct):
    total: int
    """What comes out."""
    asked_at: str


@tool(title="Add", effect=Effect.READS, aliases=("math.add",))
def add(left: int, right: int = 1, *, clock: Clock) -> Sum:
    """Add two whole numbers, and say when."""
    return Sum(left + right, clock.now().isoformat())


class Sparse(msgspec.Struct):
    ended_at: str | None
    nested: dict[str, int | None]


@tool(title="Nulls", effect=Effect.READS)
def nulls() -> Sparse:
    """Answer with fields that are null."""
    return Sparse(None, {"a": None, "b": 1})


@tool(title="Store", effect=Effect.SETS)
def store(value: str) -> Sum:
    """Pretend to keep a value."""
    return Sum(len(value), "")


@tool(title="Break", effect=Effect.REMOVES, open_world=True)
def fall_over(secret: str = "hunter2") -> Sum:
    """Be defective."""
    raise RuntimeError(f"the password is {secret}")


def family() -> Family:
    return Family(
        name="everything",
        title="Everything",
        instructions="For tests only.",
        icon=ICON,
        tools=(*tools_in(content_tools, elicitation_tools), add, nulls, store, fall_over),
        resources=pages.RESOURCES,
        resource_templates=pages.TEMPLATES,
        prompts=pages.PROMPTS,
        skills=FixtureSkills(),
    )


ICON = Icon("https://example.com/icon.svg", "image/svg+xml")

SERVER = ServerInfo(
    name="everything",
    title="Everything",
    version="1.0.0",
    icons=(ICON,),
    website_url="https://example.com",
)


class Defects:
    """Records reported defects."""

    def __init__(self) -> None:
        self.reported: list[tuple[str, str, BaseException]] = []

    def report(self, reference: str, where: str, cause: BaseException) -> None:
        self.reported.append((reference, where, cause))


def host(defects: Defects | None = None) -> Host:
    collaborators: dict[type, Callable[[Call], Any]] = {
        Clock: lambda call: call.clock,
        Progress: lambda call: call.progress,
        Log: lambda call: call.log,
        Elicitation: lambda call: call.elicitation,
    }
    return Host(
        clock=FixedClock(datetime(2026, 11, 21, 12, 0, tzinfo=UTC)),
        collaborators=collaborators,
        new_reference=lambda: "REF-1",
        report_defect=(defects or Defects()).report,
        state_secret=b"for tests only",
    )


def endpoint(defects: Defects | None = None) -> HttpEndpoint:
    return HttpEndpoint(Toolset([family()]), host(defects), server=SERVER)
