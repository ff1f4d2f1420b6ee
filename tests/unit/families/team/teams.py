"""Helpers for tests of the team family: a project whose members call its tools."""

import os
import random
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from almanac.composition.services import services_for
from almanac.families.team.core.project import Project
from almanac.families.team.family import family as team_family
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import Clock, FixedClock
from almanac.platform.store.contention import Backoff
from almanac.platform.store.port import Store
from almanac.platform.store.sqlite.store import SqliteStore
from tests.app import App
from tests.project_app import ProjectApp

SCOPE = Scope("tenant", "project")
SECONDS = 1000
MINUTES = 60_000


def open_store(folder: Path, clock: Clock) -> SqliteStore:
    return SqliteStore(folder / "store.db", clock=clock, cursor_secret=b"a secret of the tests")


def open_project(store: Store, clock: Clock, *, actor: str = "ann", scope: Scope = SCOPE) -> Project:
    """Open a project that does not sleep between its attempts."""
    backoff = Backoff(sleep=lambda _: None, random=random.random)
    return Project(store=store, scope=scope, actor=actor, clock=clock, random_bytes=os.urandom, backoff=backoff)


def team_tools(store: Store, scope: Scope, clock: Clock) -> App:
    """Open the team's tools over a store of any technology."""
    return App.of([team_family.open(services_for(store, clock))], clock, Caller(scope, actor="ann", key_id="key"))


class Team(ProjectApp):
    """A project whose members call the team's tools: Ann, unless a call names another actor."""

    def __init__(self, folder: Path, clock: FixedClock) -> None:
        super().__init__(folder, SCOPE, clock=clock, families=("team",), search=False)

    def project(self, actor: str = "ann", scope: Scope = SCOPE) -> Project:
        return open_project(self.store, self.clock, actor=actor, scope=scope)

    # The actor and scope are of type Any, as tests unpack dictionaries of texts into these arguments.
    def call(
        self, tool: str, /, *, caller: Any = None, actor: Any = "ann", scope: Any = SCOPE, **arguments: Any
    ) -> Any:
        return super().call(tool, caller=caller or self._member(actor, scope), **arguments)

    def refusal(
        self, tool: str, /, *, caller: Any = None, actor: Any = "ann", scope: Any = SCOPE, **arguments: Any
    ) -> str:
        return super().refusal(tool, caller=caller or self._member(actor, scope), **arguments)

    def _member(self, actor: str, scope: Scope) -> Caller:
        return replace(self.caller, actor=actor, scope=scope)

    def claim(self, key: str, holder: str, ttl_ms: int = 60 * SECONDS, **more: Any) -> Any:
        return self.call("claim", key=key, holder=holder, ttl_ms=ttl_ms, **more)

    def release(self, key: str, holder: str) -> Any:
        return self.call("release", key=key, holder=holder)

    def extend(self, key: str, holder: str, ttl_ms: int = 60 * SECONDS) -> Any:
        return self.call("extend", key=key, holder=holder, ttl_ms=ttl_ms)

    def holders(self, **arguments: Any) -> dict[str, str]:
        """Return holders by key."""
        return {one["key"]: one["holder"] for one in self.call("list_claims", **arguments)["claims"]}

    def stored_bytes(self) -> bytes:
        """Return everything in the store except its journal, to see whether a call wrote to it."""
        with closing(sqlite3.connect(self.path)) as connection:
            return msgspec.msgpack.encode(connection.execute("SELECT * FROM items ORDER BY partition, sort").fetchall())
