"""Helpers for tests of the team family: a project in a file, callers of its tools, and the events it wrote."""

import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from almanac.composition.families import path_contexts
from almanac.families.memory.turns.activity import TurnActivity
from almanac.families.team.claims.claims import Claims
from almanac.families.team.claims.surroundings import Surroundings
from almanac.families.team.core.project import Project
from almanac.families.team.messages.mail import Mail, open_mail
from almanac.families.team.messages.reviews import Reviews
from almanac.families.team.presence.heartbeats import RecordedWork
from almanac.families.team.tools import broadcasts, claims, mail, presence, reviews, settings
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import Clock
from almanac.kernel.events import Event
from almanac.platform.bus.outbox import messages_in
from almanac.platform.services import Services
from almanac.platform.store.contention import Backoff
from almanac.platform.store.port import Store
from almanac.platform.store.sqlite.changes import SqliteChanges
from almanac.platform.store.sqlite.store import SqliteStore
from almanac.protocol.family import tools_in
from almanac.protocol.invoke import Outcome
from almanac.protocol.tool import Collaborators
from tests.app import App, refusal_of, result_of

SCOPE = Scope("tenant", "project")
SECONDS = 1000
MINUTES = 60_000
TOOLS = {tool.name: tool for tool in tools_in(broadcasts, claims, mail, presence, reviews, settings)}


def open_store(folder: Path, clock: Clock) -> SqliteStore:
    return SqliteStore(folder / "store.db", clock=clock, cursor_secret=b"a secret of the tests")


def open_project(store: Store, clock: Clock, *, actor: str = "ann", scope: Scope = SCOPE) -> Project:
    """One that does not sleep between its attempts."""
    backoff = Backoff(sleep=lambda _: None, random=random.random)
    return Project(store=store, scope=scope, actor=actor, clock=clock, random_bytes=os.urandom, backoff=backoff)


def services_of(store: Store, clock: Clock) -> Services:
    return Services({Store: lambda: store, Clock: lambda: clock})


def read_events(folder: Path) -> list[Event]:
    """Return every event written so far, in order."""
    changes = SqliteChanges(folder / "store.db")
    found = [message.event for change in changes.read(0, 10_000) for message in messages_in(change.attributes)]
    changes.close()
    return found


def invoke_tool(name: str, arguments: dict[str, Any], project: Project) -> Outcome:
    """Return the outcome of a tool call by the actor of `project`. A defect is raised."""
    collaborators: Collaborators = {
        Project: lambda _: project,
        Claims: lambda _: Claims(project),
        Surroundings: lambda call: Surroundings(project, call.caller, path_contexts()),
        Mail: lambda _: open_mail(project),
        Reviews: lambda _: Reviews(project),
        RecordedWork: lambda call: RecordedWork(TurnActivity(project.store), call.caller),
    }
    caller = Caller(project.scope, actor=project.actor, key_id="key")
    return App(TOOLS, collaborators, project.clock, caller).outcome(name, arguments)


def tool_caller(store: Store, scope: Scope, clock: Clock) -> Callable[[str, dict[str, Any]], dict[str, Any]]:
    """Return a function that calls a tool over `store` and returns its structured result. It really pauses between
    attempts."""
    project = replace(open_project(store, clock, scope=scope), backoff=Backoff(sleep=time.sleep, random=random.random))

    def ask(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return result_of(invoke_tool(name, arguments, project))

    return ask


class Team:
    """Project and its members, who call its tools."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self.folder = folder
        self.clock = clock
        self.store = open_store(folder, clock)

    def project(self, actor: str = "ann", scope: Scope = SCOPE) -> Project:
        return open_project(self.store, self.clock, actor=actor, scope=scope)

    def now(self) -> int:
        return self.project().now()

    def events(self, kind: str | None = None) -> list[Event]:
        return [event for event in read_events(self.folder) if kind in (None, event.kind)]

    def outcome(self, name: str, /, actor: str = "ann", scope: Scope = SCOPE, **arguments: Any) -> Outcome:
        return invoke_tool(name, arguments, self.project(actor, scope))

    def call(self, name: str, /, actor: str = "ann", scope: Scope = SCOPE, **arguments: Any) -> Any:
        return result_of(self.outcome(name, actor, scope, **arguments))

    def refusal(self, name: str, /, **arguments: Any) -> str:
        return refusal_of(self.outcome(name, **arguments))

    def claim(self, key: str, holder: str, ttl_ms: int = 60 * SECONDS, **more: Any) -> Any:
        return self.call("claim", key=key, holder=holder, ttl_ms=ttl_ms, **more)

    def release(self, key: str, holder: str) -> Any:
        return self.call("release", key=key, holder=holder)

    def extend(self, key: str, holder: str, ttl_ms: int = 60 * SECONDS) -> Any:
        return self.call("extend", key=key, holder=holder, ttl_ms=ttl_ms)

    def holders(self, **arguments: Any) -> dict[str, str]:
        """Return holders by key."""
        return {one["key"]: one["holder"] for one in self.call("list_claims", **arguments)["claims"]}


def stored_bytes(store: SqliteStore, folder: Path) -> bytes:
    """Return everything in the store except its journal, to see whether a call wrote to it."""
    import sqlite3  # noqa: PLC0415

    with sqlite3.connect(folder / "store.db") as connection:
        rows = connection.execute("SELECT * FROM items ORDER BY partition, sort").fetchall()
    connection.close()
    return msgspec.msgpack.encode(rows)
