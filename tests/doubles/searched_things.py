"""The smallest searchable family: things that tests write, search and index in the background."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec import UNSET, UnsetType

from almanac.composition.search import open_search
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock, FixedClock
from almanac.kernel.instants import now_ms
from almanac.platform.bus.delivery import Delivery, RetryPolicy
from almanac.platform.bus.outbox import messages_in
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from almanac.platform.store.records import Table, VersionedRecord
from almanac.platform.store.sqlite.changes import SqliteChanges
from almanac.platform.store.sqlite.store import SqliteStore
from almanac.search.engine.document_writes import batch_changes, document_change, removal_change
from almanac.search.engine.index_reaction import FOLLOW
from almanac.search.engine.lazy_analyzer import Derivers
from almanac.search.engine.maintenance import Upkeep
from almanac.search.engine.parts import IndexParts
from almanac.search.engine.records import FRESH, FreshDocument
from almanac.search.port import Document, Profile, SearchIndex
from almanac.search.questions.port import Answer, Search, SearchRequest
from almanac.search.source import Source

SCOPE = Scope("acme", "main")


class Thing(VersionedRecord, frozen=True, kw_only=True):
    id: str
    title: str
    text: str
    tags: tuple[str, ...] = ()
    session: str = ""
    position: int = 0
    at: int = 0


THINGS = Table(Thing, "things", sort=("id",))


def document_of(thing: Thing, profile: Profile = "documents") -> Document:
    return Document(
        id=thing.id,
        kind="thing",
        profile=profile,
        version=thing.version,
        title=thing.title,
        text=thing.text,
        tags=thing.tags,
        session=thing.session,
        position=thing.position,
        at=thing.at,
    )


def source(profile: Profile = "documents") -> Source:
    def read(services: Services, scope: Scope, ids: Sequence[str]) -> list[Document]:
        found = THINGS.within(services.get(Store), scope).by_id(ids)
        return [document_of(one, profile) for one in found.values()]

    def every(services: Services, scope: Scope, after: str) -> Iterator[Document]:
        things = THINGS.within(services.get(Store), scope).every(since=f"{after}0" if after else None)
        return (document_of(one, profile) for one in things)

    return Source(kind="thing", profile=profile, read=read, every=every)


class Things:
    """Things of one store and the search over them. `deliver` does the work of a background worker."""

    def __init__(
        self,
        folder: Path,
        index: SearchIndex | None,
        *,
        clock: Clock | None = None,
        profile: Profile = "documents",
        store: Store | None = None,
    ) -> None:
        self.still = FixedClock(datetime(2026, 11, 23, 9, 0, tzinfo=UTC))
        self.clock: Clock = clock or self.still
        self.path = folder / "almanac.db"
        self.store: Store = store or SqliteStore(self.path, clock=self.clock, cursor_secret=b"c" * 32)
        self.profile: Profile = profile
        self._delivered = 0
        self._number = int.from_bytes(os.urandom(6), "big") << 24 if clock else 0
        self.reports: list[BaseException] = []
        self.open(index)

    def open(self, index: SearchIndex | None, *, vectors_of: str = "a table") -> None:
        """Open the search over this index, as a process does that starts."""
        self.index = index
        sources = {"thing": source(self.profile)}
        deriver = Derivers(None)
        self.open_with(IndexParts(index=index, deriver=deriver, sources=sources, vectors_of=lambda: vectors_of))

    def open_with(self, indexing: IndexParts) -> None:
        self.indexing = indexing
        self.services: Services = Services(
            {
                Store: lambda: self.store,
                Clock: lambda: self.clock,
                IndexParts: lambda: self.indexing,
                Search: lambda: open_search(self.services),
            }
        )

    @property
    def upkeep(self) -> Upkeep:
        assert self.index is not None
        return Upkeep(self.index, self.indexing, self.services)

    def write(
        self, thing: str, text: str | UnsetType = UNSET, *, scope: Scope = SCOPE, title: str = "", **more: Any
    ) -> Thing:
        """Write a new thing, or the next version of a stored thing."""
        rows = THINGS.within(self.store, scope)
        known = rows.get(thing)
        version = known.version + 1 if known else 1
        new = Thing(id=thing, title=title, text=thing if text is UNSET else text, version=version, **more)
        self.store.write([rows.put(new), document_change(document_of(new, self.profile), scope, **self._stamp())])
        return new

    def drop(self, thing: str, scope: Scope = SCOPE) -> None:
        rows = THINGS.within(self.store, scope)
        known = rows.get(thing)
        assert known is not None
        gone = removal_change(document_of(known, self.profile), scope, **self._stamp())
        self.store.write([rows.delete(thing), gone])

    def write_together(self, texts: Mapping[str, str], gone: Sequence[str] = (), scope: Scope = SCOPE) -> None:
        """Write the next versions of several things and delete those of `gone`, in a single write."""
        rows = THINGS.within(self.store, scope)
        known = rows.by_id([*texts, *gone])
        new = [
            Thing(id=name, title="", text=text, version=known[name].version + 1 if name in known else 1)
            for name, text in texts.items()
        ]
        found = batch_changes(
            [document_of(each, self.profile) for each in new],
            [document_of(known[name], self.profile) for name in gone],
            scope,
            key="a file",
            **self._stamp(),
        )
        self.store.write([*map(rows.put, new), *(rows.delete(name) for name in gone), *found])

    def deliver(self, most: int = 10_000) -> int:
        """Deliver the events written since the last delivery to the index in order. Return their number."""
        delivery = Delivery(
            self.store,
            self.services,
            self.clock,
            report=lambda _, error: self.reports.append(error),
            retries=RetryPolicy(faults=1),
        )
        done = 0
        with closing(SqliteChanges(self.path)) as changes:
            for change in changes.read(self._delivered, most):
                for message in messages_in(change.attributes):
                    if FOLLOW.wants(message):
                        assert delivery.deliver(message, FOLLOW, tried=True) is None, self.reports
                        done += 1
                self._delivered = change.sequence
        return done

    def deliver_together(self, most: int) -> None:
        """Deliver up to `most` events at a time, as a worker does with events of one project."""
        delivery = Delivery(self.store, self.services, self.clock, report=lambda _, error: self.reports.append(error))
        with closing(SqliteChanges(self.path)) as changes:
            read = changes.read(self._delivered, 10_000)
        messages = [each for one in read for each in messages_in(one.attributes) if FOLLOW.wants(each)]
        for start in range(0, len(messages), most):
            assert delivery.deliver_together(messages[start : start + most], FOLLOW)
        self._delivered = read[-1].sequence if read else self._delivered

    def forget_events(self, scope: Scope = SCOPE) -> None:
        """Forget fresh documents, as if a version without search had written them or their events were lost."""
        rows = FRESH.within(self.store, scope)
        for fresh in self.fresh(scope):
            self.store.write([rows.delete(fresh.id)])

    def repeat(self) -> int:
        """Deliver all events again, as if none had been delivered. Return their number."""
        with closing(SqliteChanges(self.path)) as changes:
            events = [message.event for each in changes.read(0, 10_000) for message in messages_in(each.attributes)]
        for event in events:
            self.store.write(FOLLOW.handle(event, self.services))
        return len(events)

    def answer(self, text: str, *, scope: Scope = SCOPE, **request: Any) -> Answer:
        query = SearchRequest(text=text, profile=self.profile, **request)
        return self.services.get(Search).search(scope, query)

    def search_ids(self, text: str, *, scope: Scope = SCOPE, **request: Any) -> list[str]:
        return [hit.id for hit in self.answer(text, scope=scope, **request).hits]

    def fresh(self, scope: Scope = SCOPE) -> list[FreshDocument]:
        return list(FRESH.within(self.store, scope).every())

    def _stamp(self) -> dict[str, Any]:
        return {"actor": "ann", "at": now_ms(self.clock), "random_bytes": self._random_bytes}

    def _random_bytes(self, length: int) -> bytes:
        """Return ever greater bytes, so that later writes have greater ids while the clock stands still."""
        self._number += 1
        return self._number.to_bytes(length, "big")
