"""A project's log of events. A reaction writes it; listeners and pages of recent events read it."""

from collections.abc import Sequence

import msgspec

from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.kernel.events import Event
from almanac.kernel.instants import now_ms
from almanac.platform.bus.port import Reaction
from almanac.platform.feed.port import KINDS, Entry, Stretch
from almanac.platform.feed.records import HEAD, LOG, LoggedEvent, LogHead
from almanac.platform.services import Services
from almanac.platform.store.conditions import Equals
from almanac.platform.store.port import Change, Store

KEPT_MS = 86_400_000
"""Time during which an event can be replayed, in milliseconds: one day."""

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Event).decode


RECENT = 16
"""Number of recent ids in the head of a log.

It exceeds the ten messages of a batch, which a queue may deliver again. A head with so many is still one write unit.
"""


def log_event(event: Event, services: Services) -> Sequence[Change]:
    """Return the changes that append the event to the log. None if it is one of the latest events there.

    Writers of one project's log wait for each other.
    """
    store = services.get(Store)
    heads = HEAD.within(store, event.scope)
    head = heads.get()
    if head and event.id in head.recent:
        return []
    sequence = head.sequence + 1 if head else 1
    new_head = LogHead(sequence=sequence, recent=[event.id, *(head.recent if head else ())][:RECENT])
    logged = LoggedEvent(
        sequence=sequence,
        event=_encode(event).decode(),
        expires_at=now_ms(services.get(Clock)) + KEPT_MS,
    )
    return [
        heads.put(new_head, Equals("sequence", head.sequence)) if head else heads.insert(new_head),
        LOG.within(store, event.scope).put(logged),
    ]


LOGGING = Reaction("feed.log", KINDS, log_event)
"""Reaction for a worker that resumes at a stored position, maybe thousands of events ago. It needs markers."""

LOGGING_FROM_QUEUE = Reaction(LOGGING.name, KINDS, log_event, repeatable=True)
"""Reaction for a queue that delivers one batch of a project at a time and recognizes duplicates for minutes.

It needs no markers, which would be a third of its writes.
"""


class Log:
    """The logs of all projects of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def head(self, scope: Scope) -> int:
        """Return the sequence of the last event, 0 before the first."""
        head = HEAD.within(self._store, scope).get()
        return head.sequence if head else 0

    def after(self, scope: Scope, sequence: int, limit: int = 200) -> Stretch:
        """Return the entries after `sequence`, at most `limit` (1 to 1000) of them."""
        entries = self._read(scope, sequence, limit)
        if not entries and self.head(scope) > sequence:
            # The entries have expired, or the first one was written between the two reads.
            entries = self._read(scope, sequence, limit)
            return Stretch(entries, whole=bool(entries) and entries[0].sequence == sequence + 1)
        return Stretch(entries, whole=not entries or entries[0].sequence == sequence + 1)

    def last(self, scope: Scope, limit: int) -> list[Entry]:
        """Return the last entries, at most `limit` (1 to 1000), newest first."""
        return [_entry(record) for record in LOG.within(self._store, scope).query(reverse=True, limit=limit).records]

    def _read(self, scope: Scope, sequence: int, limit: int) -> list[Entry]:
        page = LOG.within(self._store, scope).query(since=sequence + 1, limit=limit)
        return [_entry(record) for record in page.records]


def _entry(record: LoggedEvent) -> Entry:
    return Entry(record.sequence, _decode(record.event))
