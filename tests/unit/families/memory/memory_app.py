"""A memory over a store of its own, its tools called the way an agent calls them, with what follows from each call."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from almanac.composition.families import every_reaction, open_families
from almanac.composition.search import indexing_over
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
from almanac.platform.search.engine.index_reaction import FOLLOW
from almanac.platform.services import Services
from almanac.platform.store.sqlite.changes import SqliteChanges
from almanac.platform.store.sqlite.store import SqliteStore
from almanac.protocol.invoke import Outcome
from tests.app import App, refusal_of, result_of
from tests.doubles.search_index import MemoryIndex

MORNING = datetime(2026, 2, 18, 14, 30, tzinfo=UTC)
"""Wednesday, 09:30 in New York."""

ZONE = "America/New_York"
Json = dict[str, Any]


class MemoryApp:
    """One project with the tools of memory, planner and team, and an index that follows when it is told to."""

    def __init__(self, folder: Path, scope: Scope | None = None) -> None:
        self.clock = FixedClock(MORNING)
        self.store = SqliteStore(folder / "almanac.db", clock=self.clock, cursor_secret=b"c" * 32)
        self.index = MemoryIndex()
        indexing = indexing_over(self.index, None)
        self.services: Services = services_for(self.store, self.clock, open_indexing=lambda: indexing)
        self.caller = Caller(
            scope or Scope("acme", "web"), actor="ann", key_id="key", default_timezone=ZONE, shares_memory=True
        )
        self.defects: list[BaseException] = []
        self._families = open_families(self.services)
        self._path = folder / "almanac.db"
        self._reactions = every_reaction()
        self._reached = {"reactions": 0, "search": 0}

    @property
    def now(self) -> int:
        """Milliseconds since 1970."""
        return milliseconds(self.clock.now())

    def open_again(self) -> None:
        """The tools over `services`, where they were exchanged."""
        self._families = open_families(self.services)

    def wait(self, **span: float) -> None:
        """Let time pass: `wait(days=3)`."""
        self.clock.instant = self.clock.now() + timedelta(**span)

    def outcome(self, tool: str, arguments: Mapping[str, Any], caller: Caller | None = None) -> Outcome:
        return App.of(self._families, self.clock, self.caller).outcome(tool, arguments, caller)

    def do(self, tool: str, /, *, caller: Caller | None = None, **arguments: Any) -> Json:
        """The result of a call that is not refused."""
        outcome = self.outcome(tool, arguments, caller)
        assert not outcome.is_error, outcome.content
        return result_of(outcome)

    def refused(self, tool: str, /, *, caller: Caller | None = None, **arguments: Any) -> str:
        """The text of a refusal."""
        return refusal_of(self.outcome(tool, arguments, caller))

    def told(self, kind: str | None = None) -> list[Event]:
        """Every event that was written so far, of one kind or of all, in order."""
        events = [message.event for _, message in self._messages(0)]
        return [event for event in events if kind in (None, event.kind)]

    def react(self) -> None:
        """What reactions of all families do, but for search, until there is nothing more for them to do."""
        self._deliver("reactions")

    def follow(self) -> None:
        """What the index does."""
        self._deliver("search")

    def run_jobs(self) -> None:
        """Every scheduled job of memory and context, once, in the project and in what the projects share."""
        for job in (*memory_family.jobs(), *context_family.jobs()):
            for scope in (self.caller.scope, self.caller.scope.shared):
                job.run(self.services, scope)

    def _deliver(self, what: str) -> None:
        chosen = [FOLLOW] if what == "search" else [each for each in self._reactions if each is not FOLLOW]
        delivery = Delivery(self.store, self.services, self.clock, report=lambda _, error: self.defects.append(error))
        while found := list(self._messages(self._reached[what])):
            for sequence, message in found:
                for reaction in chosen:
                    if reaction.wants(message):
                        assert delivery.deliver(message, reaction, tried=True) is None, self.defects
                self._reached[what] = sequence

    def _messages(self, after: int) -> Iterator[tuple[int, Message]]:
        with closing(SqliteChanges(self._path)) as changes:
            for change in changes.read(after, 10_000):
                for message in messages_in(change.attributes):
                    yield change.sequence, message
