"""Tool calls of pages, with the same scopes, limits, storage and audit trail as those of an agent's client."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol, cast

import msgspec

from almanac.gateway.http.hosts import host_for
from almanac.gateway.observability.telemetry import Telemetry
from almanac.identity.access.principal import Principal
from almanac.identity.access.refusals import Refusal
from almanac.kernel.clock import Clock
from almanac.platform.store.port import Store
from almanac.protocol.elicitation import InputRequired
from almanac.protocol.family import Family
from almanac.protocol.invoke import Json, Outcome, invoke
from almanac.protocol.progress import NoProgress
from almanac.protocol.tool import Call, Tool
from almanac.protocol.toolset import Toolset

_NO_PROGRESS = NoProgress()


class Admission(Protocol):
    def admit(self, allowed: Principal) -> Refusal | None: ...


class Result(msgspec.Struct, frozen=True):
    """The result of a call: `data`, or the problem with its error `code`."""

    data: Any = None
    problem: str | None = None
    code: str | None = None

    @property
    def is_good(self) -> bool:
        return self.problem is None

    @property
    def fields(self) -> dict[str, Any]:
        """Return `data` if it is an object, else an empty one."""
        given: object = self.data
        return cast("dict[str, Any]", given) if isinstance(given, dict) else {}


class Leases(Protocol):
    def hold(self, tenant: str, most: int) -> AbstractContextManager[Refusal | None]: ...


class ToolCalls:
    """All tools of these families. `admission` counts a call against the limits of its key. `admits` is explained at
    `Host`. `leases` bound the calls of a tenant to tools of the families named in `expensive`."""

    def __init__(
        self,
        families: Sequence[Family],
        clock: Clock,
        telemetry: Telemetry,
        *,
        audit_store: Callable[[], Store],
        admission: Callable[[], Admission],
        admits: Callable[[Tool, Call, Json], None] | None = None,
        leases: Callable[[], Leases] | None = None,
        expensive: frozenset[str] = frozenset(),
    ) -> None:
        self._toolset = Toolset(families)
        self._host = host_for(families, clock, telemetry, audit_store, admits)
        self._clock = clock
        self._open_admission = admission
        self._open_leases = leases
        costly = (family for family in families if family.name in expensive)
        self._expensive = frozenset(tool.name for family in costly for tool in family.tools)

    def of(self, principal: Principal) -> "CallerTools":
        return CallerTools(self, principal)

    def find(self, principal: Principal, name: str) -> Tool | None:
        found = self._toolset.view(principal.caller).by_name.get(name)
        return None if found is None else found.callable_tool

    def call(self, principal: Principal, name: str, arguments: Json) -> Result:
        tool = self.find(principal, name)
        if tool is None:
            why = self._toolset.view(principal.caller).exclusion_reasons.get(name, "there is no such tool")
            return Result(problem=f"{name} cannot be called here: {why}.", code="forbidden")
        if principal.is_limited and (refusal := self._open_admission().admit(principal)):
            return Result(problem=f"{refusal.message} {refusal.hint}", code=refusal.code)
        try:
            with self._lease(principal, name) as refusal:
                if refusal is not None:
                    return Result(problem=f"{refusal.message} {refusal.hint}", code=refusal.code)
                outcome = invoke(tool, arguments, Call(principal.caller, self._clock, _NO_PROGRESS), self._host)
        except InputRequired:
            return Result(problem=f"{name} has a question, which these pages cannot put. Say more.", code="question")
        return _read(outcome, tool.output_schema or {})

    def _lease(self, principal: Principal, name: str) -> AbstractContextManager[Refusal | None]:
        most = principal.calls_at_once
        if self._open_leases is None or most is None or name not in self._expensive:
            return nullcontext()
        return self._open_leases().hold(principal.caller.scope.tenant, most)


class CallerTools:
    """The tools as one caller may call them."""

    def __init__(self, calls: ToolCalls, principal: Principal) -> None:
        self.made = 0
        """Number of calls so far. A page makes at most four."""
        self._calls = calls
        self._principal = principal

    def can(self, name: str) -> bool:
        """Return whether the caller's key may call the tool."""
        return self._calls.find(self._principal, name) is not None

    def input_schema(self, name: str) -> Json:
        """Return the input schema of a tool, or an empty one if the caller may not call it."""
        found = self._calls.find(self._principal, name)
        return {} if found is None else found.input_schema

    def call(self, tool: str, /, **arguments: Any) -> Result:
        self.made += 1
        return self._calls.call(self._principal, tool, arguments)


def _read(outcome: Outcome, schema: Json) -> Result:
    text = outcome.structured
    if text is None:
        words = "\n".join(str(block.get("text", "")) for block in outcome.content)
        return Result(problem=words, code=outcome.error) if outcome.is_error else Result(words)
    answer = Result(whole(msgspec.json.decode(text), schema))
    if outcome.is_error:
        return Result(problem=str(answer.fields.get("error") or text), code=outcome.error)
    # The planner's tools wrap their result in an envelope.
    return Result(answer.fields["data"]) if {"ok", "data"} <= answer.fields.keys() else answer


def whole(value: Any, schema: Json) -> Any:
    """Return the value with None for each field that its schema has and it lacks. A template that names an unknown
    field then fails visibly."""
    options = [schema, *cast("Sequence[Json]", schema.get("anyOf") or ())]
    if isinstance(value, list):
        items = next((option["items"] for option in options if isinstance(option.get("items"), dict)), None)
        entries = cast("list[Any]", value)
        return entries if items is None else [whole(each, items) for each in entries]
    if not isinstance(value, dict):
        return value
    fields = cast("Json", value)
    fitting = [
        option for option in options if "properties" in option and fields.keys() >= {*option.get("required", ())}
    ]
    properties: Json = {name: each for one in fitting for name, each in one["properties"].items()}
    others = next(
        (option["additionalProperties"] for option in options if _is_schema(option.get("additionalProperties"))), None
    )
    given = {name: whole(each, properties.get(name, others or {})) for name, each in fields.items()}
    return {**dict.fromkeys(properties), **given}


def _is_schema(value: Any) -> bool:
    return isinstance(value, dict)
