"""Helpers for tests of storing: the view of another project of the tenant, and stored rows."""

from dataclasses import replace
from typing import Any

from almanac.families.context.core.context import Context, open_context
from almanac.families.memory.core.memory import open_memory
from almanac.families.memory.core.records import MEMORIES, Memory
from almanac.kernel.caller import Caller, Scope
from almanac.search.port import Filters
from almanac.search.questions.port import Search, SearchRequest
from tests.project_app import ProjectApp

Json = dict[str, Any]


def context_of(app: ProjectApp, caller: Caller | None = None) -> Context:
    return open_context(app.services, caller or app.caller, app.clock)


def neighbour(app: ProjectApp, project: str = "api") -> Caller:
    """A key of another project of the same tenant."""
    return replace(app.caller, scope=Scope(app.caller.scope.tenant, project), actor="ben")


def caller_without_sharing(app: ProjectApp) -> Caller:
    return replace(app.caller, shares_memory=False)


def store_memory(app: ProjectApp, content: str = "Use Zod for all input.", type: str = "decision", **more: Any) -> str:
    return app.do("context_store", type=type, content=content, **more)["id"]


def read(app: ProjectApp, memory_id: str, **more: Any) -> Json:
    return app.do("context_get", memoryId=memory_id, **more)


def rows_of(app: ProjectApp, scope: Scope | None = None) -> list[Memory]:
    """Every memory that the store has in a scope, hidden ones too."""
    project = open_memory(app.services, replace(app.caller, scope=scope or app.caller.scope), app.clock)
    return list(project.rows(MEMORIES).every())


def search_kinds(app: ProjectApp, text: str, scope: Scope | None = None) -> dict[str, str]:
    """The kinds of memories that search finds, by id."""
    request = SearchRequest(
        text=text, profile="talk", filters=Filters(kinds=("working", "pinned", "semantic")), limit=20
    )
    hits = app.services.get(Search).search(scope or app.caller.scope, request).hits
    return {hit.id: hit.kind for hit in hits}
