"""Tools whose contract gives errors a structure, and arguments a spelling of its own."""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from almanac.kernel.caller import Caller
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Conflict
from almanac.protocol.invoke import Host, Outcome, invoke
from almanac.protocol.progress import NoProgress
from almanac.protocol.tool import Call, Effect, tool


class PlannerResult(msgspec.Struct):
    ok: bool
    due: str | None = None
    error: str | None = None


def refuse(sentence: str) -> PlannerResult:
    return PlannerResult(ok=False, error=sentence)


@tool(title="Keep", effect=Effect.SETS, refusal=refuse, naming="camel")
def keep(
    item_count: int,
    due_date: Annotated[str | UnsetType | None, Meta(description="null clears it.")] = UNSET,
    note: str | None = None,
) -> PlannerResult:
    """Keep a date."""
    if item_count > 5:
        raise Conflict("There are five already.", "Take one away.")
    if item_count < 0:
        raise ZeroDivisionError("a secret of the server")
    return PlannerResult(ok=True, due="cleared" if due_date is None else "as it was" if due_date is UNSET else due_date)


def call(arguments: dict[str, Any], caller: Caller, clock: FixedClock) -> Outcome:
    host = Host(clock=clock, collaborators={}, new_reference=lambda: "ref", report_defect=ignore_defect)
    return invoke(keep, arguments, Call(caller, clock, NoProgress()), host)


def ignore_defect(_reference: str, _where: str, _cause: BaseException) -> None: ...


def structured_content(outcome: Outcome) -> PlannerResult:
    assert outcome.structured is not None
    assert outcome.content == [{"type": "text", "text": outcome.structured}]
    return msgspec.json.decode(outcome.structured, type=PlannerResult)


def test_a_refusal_is_a_structured_result_and_an_error(caller: Caller, clock: FixedClock) -> None:
    outcome = call({"itemCount": 6}, caller, clock)
    assert outcome.is_error
    assert structured_content(outcome) == PlannerResult(ok=False, error="There are five already. Take one away.")
    assert outcome.meta == {"almanac/error": {"code": "conflict", "retryable": False}}


def test_wrong_arguments_are_refused_in_the_same_structure(caller: Caller, clock: FixedClock) -> None:
    for arguments in ({"itemCount": "many"}, {}, {"items": 1}):
        outcome = call(arguments, caller, clock)
        assert outcome.is_error
        assert not structured_content(outcome).ok


def test_a_defect_leaks_nothing_in_the_structure_either(caller: Caller, clock: FixedClock) -> None:
    outcome = call({"itemCount": -1}, caller, clock)
    said = structured_content(outcome).error or ""
    assert "reference ref" in said
    assert "secret" not in said


def test_a_null_that_means_something_is_told_from_an_argument_left_out(caller: Caller, clock: FixedClock) -> None:
    assert structured_content(call({"itemCount": 1}, caller, clock)).due == "as it was"
    assert structured_content(call({"itemCount": 1, "dueDate": None}, caller, clock)).due == "cleared"
    assert structured_content(call({"itemCount": "1", "dueDate": None, "note": None}, caller, clock)).due == "cleared"


def test_the_schema_says_where_null_means_something() -> None:
    properties = keep.input_schema["properties"]
    assert properties.keys() == {"itemCount", "dueDate", "note"}
    assert {branch["type"] for branch in properties["dueDate"]["anyOf"]} == {"string", "null"}
    assert properties["note"] == {"type": "string"}
