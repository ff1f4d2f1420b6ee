"""Tools of the family, asked at one moment by callers with a zone and without."""

from datetime import UTC, datetime
from typing import Any

import msgspec

from almanac.families.time.family import family
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import Clock, FixedClock
from almanac.platform.services import Services
from almanac.protocol.invoke import Host, invoke
from almanac.protocol.progress import NoProgress
from almanac.protocol.tool import Call

TOOLS = {tool.name: tool for tool in family.open(Services({})).tools}
NOON = FixedClock(datetime(2026, 2, 18, 14, 30, tzinfo=UTC))
NEW_YORKER = Caller(Scope("t", "p"), "tester", "key", default_timezone="America/New_York")
NOBODY = Caller(Scope("t", "p"), "tester", "key")


def no_defect(reference: str, where: str, cause: BaseException) -> None:
    raise AssertionError(f"defect in {where}") from cause


HOST = Host(
    clock=NOON,
    collaborators={Clock: lambda call: call.clock, Caller: lambda call: call.caller},
    new_reference=lambda: "reference",
    report_defect=no_defect,
)


def outcome(tool: str, caller: Caller = NEW_YORKER, **arguments: Any):
    return invoke(TOOLS[tool], arguments, Call(caller, NOON, NoProgress()), HOST)


def answer(tool: str, caller: Caller = NEW_YORKER, **arguments: Any) -> dict[str, Any]:
    result = outcome(tool, caller, **arguments)
    assert not result.is_error, result.content
    assert result.structured is not None
    return msgspec.json.decode(result.structured)


def refusal(tool: str, caller: Caller = NEW_YORKER, **arguments: Any) -> str:
    result = outcome(tool, caller, **arguments)
    assert result.is_error
    assert result.structured is None
    return result.content[0]["text"]
