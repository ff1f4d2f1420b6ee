"""Call tools as an agent does. Arguments go in, the outcome comes out, and a defect is raised where it happened.

`App` has the tools of families that a test opened; `ProjectApp` of `tests/project_app.py` opens a project with them.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from almanac.kernel.caller import Caller
from almanac.kernel.clock import Clock
from almanac.protocol.elicitation import Elicitation
from almanac.protocol.family import Family
from almanac.protocol.invoke import Host, Outcome, invoke
from almanac.protocol.progress import NoProgress
from almanac.protocol.tool import Call, Collaborators, Tool

Json = dict[str, Any]

_COMMON_COLLABORATORS: Collaborators = {
    Clock: lambda call: call.clock,
    Caller: lambda call: call.caller,
    Elicitation: lambda call: call.elicitation,
}


class ToolRefusal(Exception):
    """A tool refused the call. The message is the text of its answer, `code` the code in `_meta`."""

    def __init__(self, text: str, code: str) -> None:
        super().__init__(text)
        self.code = code


class ToolCaller(ABC):
    """Calls tools by name and reads their answers."""

    @abstractmethod
    def outcome(self, tool: str, arguments: Mapping[str, Any], caller: Caller | None = None) -> Outcome:
        """Call a tool as `caller`, or as the usual caller."""

    # The caller is of type Any, as tests unpack dictionaries of texts into these arguments.
    def call(self, tool: str, /, *, caller: Any = None, **arguments: Any) -> Json:
        """Return the whole structured result, including that of a refusal which the tool declares."""
        return result_of(self.outcome(tool, arguments, caller))

    def do(self, tool: str, /, *, caller: Any = None, **arguments: Any) -> Json:
        """Return the result of a call; of a planner tool, return its `data`. Raises ToolRefusal."""
        outcome = self.outcome(tool, arguments, caller)
        if outcome.is_error:
            raise ToolRefusal(_refusal_sentence(outcome), (outcome.meta or {})["almanac/error"]["code"])
        result = result_of(outcome)
        return result["data"] if result.keys() >= {"ok", "data"} else result

    def refusal(self, tool: str, /, *, caller: Any = None, **arguments: Any) -> str:
        """Call a tool that refuses, and return the text of its refusal."""
        return refusal_of(self.outcome(tool, arguments, caller))


@dataclass
class App(ToolCaller):
    """Tools by name, and the caller that is used unless a call names another."""

    tools: dict[str, Tool]
    collaborators: Collaborators
    clock: Clock
    caller: Caller

    @staticmethod
    def of(families: Iterable[Family], clock: Clock, caller: Caller) -> "App":
        families = tuple(families)
        tools = {tool.name: tool for family in families for tool in family.tools}
        collaborators = {kind: one for family in families for kind, one in family.collaborators.items()}
        return App(tools, collaborators, clock, caller)

    def outcome(self, tool: str, arguments: Mapping[str, Any], caller: Caller | None = None) -> Outcome:
        host = Host(
            clock=self.clock,
            collaborators={**_COMMON_COLLABORATORS, **self.collaborators},
            new_reference=lambda: "reference",
            report_defect=_raise,
        )
        return invoke(self.tools[tool], dict(arguments), Call(caller or self.caller, self.clock, NoProgress()), host)


def result_of(outcome: Outcome) -> Any:
    assert outcome.structured is not None, outcome.content
    return msgspec.json.decode(outcome.structured)


def refusal_of(outcome: Outcome) -> str:
    assert outcome.is_error, outcome.content
    return outcome.content[0]["text"]


def _refusal_sentence(outcome: Outcome) -> str:
    """Return the sentence of a refusal. Planner tools have it in their result."""
    return refusal_of(outcome) if outcome.structured is None else result_of(outcome)["error"]


def _raise(_reference: str, _where: str, cause: BaseException) -> None:
    raise cause
