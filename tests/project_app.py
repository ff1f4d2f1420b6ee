"""A project with a store of its own, whose tools tests call as an agent does, and whose events they deliver."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from almanac.composition.families import FAMILIES, every_reaction, open_families, rule_sources
from almanac.composition.search import index_parts, without_index
from almanac.composition.services import services_for
from almanac.families.context.family import family as context_family
from almanac.families.memory.family import family as memory_family
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import FixedClock
from almanac.kernel.events import Event
from almanac.kernel.instants import milliseconds
from almanac.platform.bus.delivery import Delivery
from almanac.platform.bus.messages import Message
from almanac.platform.bus.outbox import messages_in
from almanac.platform.bus.port import Reaction
from almanac.platform.language_model.port import ChosenModel
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from almanac.platform.store.sqlite.changes import SqliteChanges
from almanac.platform.store.sqlite.store import SqliteStore
from almanac.protocol.invoke import Outcome
from almanac.protocol.tool import Tool
from almanac.search.engine.index_reaction import FOLLOW
from almanac.search.engine.maintenance import Upkeep, VerificationResult
from almanac.search.engine.parts import IndexParts
from tests.app import App, ToolCaller
from tests.doubles.search_index import MemoryIndex

MORNING = datetime(2026, 2, 18, 14, 30, tzinfo=UTC)
"""Wednesday, 09:30 in New York."""

ZONE = "America/New_York"


class ProjectApp(ToolCaller):
    """The tools of `families` in the project `acme/web`, called by Ann in New York, with a clock that tests set.

    A call writes its events to the outbox. `react` delivers them to reactions, and `follow` to the search index.
    Without `search` nothing is indexed, and tests look in the store.
    """

    def __init__(
        self,
        folder: Path,
        scope: Scope | None = None,
        *,
        clock: FixedClock | None = None,
        store: Store | None = None,
        families: Sequence[str] = FAMILIES,
        search: bool = True,
    ) -> None:
        self.clock = clock or FixedClock(MORNING)
        self.store: Store = store or SqliteStore(folder / "almanac.db", clock=self.clock, cursor_secret=b"c" * 32)
        self.index = MemoryIndex()
        self.caller = Caller(
            scope or Scope("acme", "web"), actor="ann", key_id="key", default_timezone=ZONE, shares_memory=True
        )
        self.defects: list[BaseException] = []
        self._names = families
        self.path = folder / "almanac.db"
        self._reactions = [each for each in every_reaction() if each is not FOLLOW]
        self._reached = {"reactions": 0, "search": 0}
        self._indexing = index_parts(self.index, None) if search else without_index()
        self.open_again()

    def open_again(
        self,
        *,
        store: Store | None = None,
        indexing: IndexParts | None = None,
        model: ChosenModel | None = None,
        also: Mapping[type, object] = MappingProxyType({}),
    ) -> None:
        """Open the tools again, as a restart would, optionally with another store, index or model.

        `also` holds services that only some installations have.
        """
        used, chosen = indexing or self._indexing, model or ChosenModel()
        self.open_with(
            services_for(
                store or self.store, self.clock, open_indexing=lambda: used, open_model=lambda: chosen, also=also
            )
        )

    def open_with(self, services: Services) -> None:
        """Open the tools with these services."""
        self.services = services
        self.families = open_families(services, self._names)

    @property
    def now(self) -> int:
        """Milliseconds since 1970."""
        return milliseconds(self.clock.now())

    @property
    def database(self) -> SqliteStore:
        """The SQLite store in the folder. Fails if the project was given another store."""
        assert isinstance(self.store, SqliteStore)
        return self.store

    @property
    def tools(self) -> dict[str, Tool]:
        return self._app.tools

    @property
    def _app(self) -> App:
        return App.of(self.families, self.clock, self.caller)

    def wait(self, **span: float) -> None:
        """Let time pass: `wait(days=3)`."""
        self.clock.instant = self.clock.now() + timedelta(**span)

    def outcome(self, tool: str, arguments: Mapping[str, Any], caller: Caller | None = None) -> Outcome:
        return self._app.outcome(tool, arguments, caller)

    def events(self, kind: str | None = None) -> list[Event]:
        """Return the events written so far in order, of one kind or of all."""
        events = [message.event for _, message in self._messages(0)]
        return [event for event in events if kind in (None, event.kind)]

    def react(self) -> None:
        """Deliver waiting events to the reactions of all families except search, until none is left."""
        self._deliver("reactions", self._reactions)

    def follow(self) -> None:
        """Deliver waiting events to the search index."""
        self._deliver("search", [FOLLOW])

    def rebuild_index(self) -> None:
        """Rebuild the project's index from the store."""
        self._upkeep.rebuild([self.caller.scope], lambda _: None)

    def verify_index(self) -> VerificationResult:
        """Compare the project's index with the store, and correct differences."""
        return self._upkeep.verify(self.caller.scope, lambda _: None)

    @property
    def _upkeep(self) -> Upkeep:
        parts = self.services.get(IndexParts)
        assert parts.index is not None
        return Upkeep(parts.index, parts, self.services)

    def run_jobs(self) -> None:
        """Run every scheduled job of memory and context once, in the project and in its tenant's shared memory."""
        for job in (*memory_family.jobs(), *context_family.jobs()):
            for scope in (self.caller.scope, self.caller.scope.shared):
                job.run(self.services, scope)

    def _deliver(self, what: str, reactions: Sequence[Reaction]) -> None:
        delivery = Delivery(self.store, self.services, self.clock, report=lambda _, error: self.defects.append(error))
        while found := list(self._messages(self._reached[what])):
            for sequence, message in found:
                for reaction in reactions:
                    if reaction.wants(message):
                        assert delivery.deliver(message, reaction, tried=True) is None, self.defects
                self._reached[what] = sequence

    def _messages(self, after: int) -> Iterator[tuple[int, Message]]:
        with closing(SqliteChanges(self.path)) as changes:
            for change in changes.read(after, 10_000):
                for message in messages_in(change.attributes):
                    _assert_declared(message.event)
                    yield change.sequence, message


@cache
def _fields_of_kinds() -> Mapping[str, frozenset[str]]:
    return {kind.name: frozenset([*kind.sample, *kind.others]) for kind in rule_sources().kinds}


def _assert_declared(event: Event) -> None:
    """Fail for a field of a payload that the event's kind does not declare, because rules could not learn of it."""
    declared = _fields_of_kinds().get(event.kind)
    undeclared = set[str]() if declared is None else event.payload.keys() - declared - {"caused_by"}
    assert not undeclared, f"{event.kind} has {undeclared}"


def planner_app(folder: Path, *, store: Store | None = None, scope: Scope | None = None) -> ProjectApp:
    """Return a project with the tools of planner and calendar only."""
    return ProjectApp(folder, scope, store=store, families=("calendar", "planner"), search=False)
