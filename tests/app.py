"""Tools called as an agent calls them: arguments in, the outcome out, and a defect raised where it happened."""

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

_OF_EVERY_FAMILY: Collaborators = {
    Clock: lambda call: call.clock,
    Caller: lambda call: call.caller,
    Elicitation: lambda call: call.elicitation,
}


@dataclass
class App:
    """The tools by name, and who calls them unless a call says otherwise."""

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
            collaborators={**_OF_EVERY_FAMILY, **self.collaborators},
            new_reference=lambda: "reference",
            report_defect=_raise,
        )
        return invoke(self.tools[tool], dict(arguments), Call(caller or self.caller, self.clock, NoProgress()), host)

    def call(self, tool: str, /, **arguments: Any) -> Any:
        """The structured result, also of a refusal that the tool declares."""
        return result_of(self.outcome(tool, arguments))

    def refused(self, tool: str, /, **arguments: Any) -> str:
        """The text of a refusal."""
        return refusal_of(self.outcome(tool, arguments))


def result_of(outcome: Outcome) -> Any:
    assert outcome.structured is not None, outcome.content
    return msgspec.json.decode(outcome.structured)


def refusal_of(outcome: Outcome) -> str:
    assert outcome.is_error, outcome.content
    return outcome.content[0]["text"]


def _raise(_reference: str, _where: str, cause: BaseException) -> None:
    raise cause
