"""Events reported the way programs report them."""

from typing import Any

from almanac.families.context.core.context import Context, open_context
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, Memory, is_remembered
from almanac.kernel.caller import Caller
from tests.app import Json
from tests.project_app import ProjectApp

SESSION = "session-abc-123"


def report_event(app: ProjectApp, kind: str, payload: Any, *, caller: Caller | None = None, **more: Any) -> Json:
    return app.do("context_reportEvent", caller=caller, event=event_of(app, kind, payload, **more))


def event_of(app: ProjectApp, kind: str, payload: Any, **more: Any) -> Json:
    """An event of now in one session of Claude Code, unless `more` says otherwise."""
    at = app.clock.now().isoformat()
    return {"type": kind, "payload": payload, "timestamp": at, "sessionId": SESSION, "cliType": "claude-code", **more}


def context_of(app: ProjectApp, caller: Caller | None = None) -> Context:
    return open_context(app.services, caller or app.caller, app.clock)


def memory_of_report(app: ProjectApp, answer: Json, name: str = "memoryId") -> Memory:
    return context_of(app).find(answer[name]).memory


def remembered_memories(project: MemoryProject) -> list[Memory]:
    """Return all remembered memories of a project or of the shared memory."""
    return [one for one in project.rows(MEMORIES).every() if is_remembered(one, project.now())]
