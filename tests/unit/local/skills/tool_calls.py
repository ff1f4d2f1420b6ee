"""The tools of skills, called as a server answers them, with faults on the way."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from almanac.composition.laptop import with_large_values
from almanac.local.client.patient_calls import PatientCalls
from almanac.local.client.tool_calls import Answer, Failed
from almanac.local.skills.server import SkillServer
from almanac.protocol.invoke import Outcome
from tests.app import result_of
from tests.project_app import ProjectApp

Json = dict[str, Any]


class ToolCalls:
    """`fail` may raise before a call, `bend` may change its answer. `sent` has the calls, oldest first."""

    def __init__(self, folder: Path) -> None:
        self.app = ProjectApp(folder)
        store = with_large_values(self.app.store, folder / "blobs")
        self.app.open_again(store=store)
        self.reset()

    def reset(self) -> "ToolCalls":
        """Forget the recorded calls and faults."""
        self.fail: Callable[[str], Failed | None] = lambda _: None
        self.bend: Callable[[str, Json], Json] = lambda _, answer: answer
        self.sent: list[tuple[str, Json]] = []
        return self

    @property
    def server(self) -> SkillServer:
        return SkillServer(PatientCalls(self, pause=lambda _: None).ask)

    def call(self, tool: str, arguments: Json) -> Answer:
        self.sent.append((tool, arguments))
        if (failed := self.fail(tool)) is not None:
            raise failed
        outcome: Outcome = self.app.outcome(tool, arguments)
        if outcome.is_error:
            return Answer(outcome.content[0]["text"], None, is_error=True)
        return Answer("", self.bend(tool, result_of(outcome)), is_error=False)
