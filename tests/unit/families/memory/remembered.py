"""Turns and memories for tests, written as the parts of memory write them."""

import os
from typing import Any, TypeVar

from almanac.families.memory.core.event_kinds import TURN_RECORDED
from almanac.families.memory.core.memory import MemoryProject, open_memory
from almanac.families.memory.core.records import Memory, Step, Turn
from almanac.kernel.caller import Caller, Scope
from almanac.platform.store.records import Record, Table
from almanac.search.questions.port import Search, SearchRequest
from tests.project_app import ZONE, ProjectApp

R = TypeVar("R", bound=Record)

OTHER_PROJECT = Caller(Scope("acme", "shop"), actor="ann", key_id="key", default_timezone=ZONE)
OTHER_TENANT = Caller(Scope("rival", "web"), actor="eve", key_id="key", default_timezone=ZONE)
BEN = Caller(Scope("acme", "web"), actor="ben", key_id="other", default_timezone=ZONE)


def project_of(app: ProjectApp, caller: Caller | None = None) -> MemoryProject:
    return open_memory(app.services, caller or app.caller, app.clock)


def record_turn(app: ProjectApp, content: str, *, caller: Caller | None = None, **more: Any) -> Turn:
    """A turn, stored and told of."""
    project = project_of(app, caller)
    turn = Turn(
        id=project.new_id(app.now),
        content=content,
        at=app.now,
        recorded_at=app.now,
        actor=project.actor,
        role="user",
        history=(Step(app.now, "recorded", project.actor),),
        **more,
    )
    payload = {"turn_id": turn.id, "role": "user", "content_preview": content, "metadata": turn.metadata}
    event = project.event(TURN_RECORDED, turn.id, payload, at=app.now)
    project.store.write(project.put(turn, is_new=True, events=[event]))
    return turn


def memory(content: str = "The office is in Berlin.", **more: Any) -> Memory:
    """A semantic memory that is in no store."""
    given: dict[str, Any] = {
        "id": os.urandom(8).hex(),
        "kind": "semantic",
        "at": 0,
        "recorded_at": 0,
        "actor": "ann",
    } | more
    return Memory(content=content, **given)


def all_of(app: ProjectApp, table: Table[R], caller: Caller | None = None) -> list[R]:
    """Return the project's rows of a table that has no further partitions."""
    return list(table.within(app.store, (caller or app.caller).scope).every())


def search_ids(app: ProjectApp, text: str) -> list[str]:
    """Return the ids of turns and deliberately made memories that search finds."""
    answer = app.services.get(Search).search(app.caller.scope, SearchRequest(text=text, profile="talk"))
    return [hit.id for hit in answer.hits]
