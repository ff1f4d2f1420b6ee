"""A planner over a store of its own, its tools called the way an agent calls them."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from almanac.composition.services import services_for
from almanac.families.calendar.family import family as calendar_family
from almanac.families.planner.family import family as planner_family
from almanac.families.planner.reactions import REACTIONS
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import FixedClock
from almanac.kernel.events import Event
from almanac.platform.bus.delivery import Delivery
from almanac.platform.bus.messages import Message
from almanac.platform.bus.outbox import messages_in
from almanac.platform.store.port import Store
from almanac.platform.store.sqlite.changes import SqliteChanges
from almanac.platform.store.sqlite.store import SqliteStore
from almanac.protocol.invoke import Outcome
from almanac.protocol.tool import Tool
from tests.app import App, result_of

MORNING = datetime(2026, 2, 18, 14, 30, tzinfo=UTC)
"""Wednesday, 09:30 in New York."""

ZONE = "America/New_York"
Json = dict[str, Any]


class Refused(Exception):
    """What a refused call said; `code` is beside it in _meta."""

    def __init__(self, said: str, code: str) -> None:
        super().__init__(said)
        self.code = code


class PlannerApp:
    """One project with its store, and the tools of planner and calendar."""

    def __init__(self, folder: Path, *, store: Store | None = None, scope: Scope | None = None) -> None:
        self.clock = FixedClock(MORNING)
        self.store: Store = store or SqliteStore(folder / "almanac.db", clock=self.clock, cursor_secret=b"c" * 32)
        self.services = services_for(self.store, self.clock)
        self.families = (calendar_family.open(self.services), planner_family.open(self.services))
        self.caller = Caller(scope or Scope("acme", "web"), actor="ann", key_id="key", default_timezone=ZONE)
        self.defects: list[BaseException] = []
        self._path = folder / "almanac.db"
        self._reacted = 0

    @property
    def tools(self) -> dict[str, Tool]:
        return self._app.tools

    @property
    def _app(self) -> App:
        return App.of(self.families, self.clock, self.caller)

    def told(self) -> list[Event]:
        """Every event that was written so far, in order."""
        return [message.event for _, message in self._messages(0)]

    def react(self) -> None:
        """What reactions do, until there is nothing more for them to do."""

        def report(_where: str, error: BaseException) -> None:
            self.defects.append(error)

        delivery = Delivery(self.store, self.services, self.clock, report=report)
        while found := list(self._messages(self._reacted)):
            for sequence, message in found:
                for reaction in REACTIONS:
                    if reaction.wants(message):
                        assert delivery.deliver(message, reaction, tried=True) is None, self.defects
                self._reacted = sequence
        if self.defects:
            raise self.defects.pop()

    def _messages(self, after: int) -> Iterator[tuple[int, Message]]:
        with closing(SqliteChanges(self._path)) as changes:
            for change in changes.read(after, 10_000):
                for message in messages_in(change.attributes):
                    yield change.sequence, message

    def outcome(self, name: str, arguments: Mapping[str, Any], caller: Caller | None = None) -> Outcome:
        return self._app.outcome(name, arguments, caller)

    def answer(self, name: str, /, *, caller: Caller | None = None, **arguments: Any) -> Json:
        """The whole result of a call."""
        return result_of(self.outcome(name, arguments, caller))

    def do(self, name: str, /, **arguments: Any) -> Json:
        """The data of a call that is not refused; Refused otherwise."""
        outcome = self.outcome(name, arguments)
        result = result_of(outcome)
        if outcome.is_error:
            raise Refused(result["error"], (outcome.meta or {})["almanac/error"]["code"])
        return result["data"] if "ok" in result else result

    def days(self, **asked: Any) -> list[tuple[str, str | None, str]]:
        """Date, time and title of what calendar_list_events answers."""
        return [(one["date"], one["time"], one["title"]) for one in self.do("calendar_list_events", **asked)["events"]]
