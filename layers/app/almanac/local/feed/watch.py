"""Watches of projects' logs. All listeners of a project in this process share one reader."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from msgspec import Struct

from almanac.kernel.caller import Scope
from almanac.kernel.errors import Unavailable
from almanac.kernel.events import Event
from almanac.platform.bus.delivery import Report
from almanac.platform.feed.frames import Places, event_text
from almanac.platform.feed.log import Log
from almanac.platform.feed.port import Entry
from almanac.platform.store.cursors import Cursors

POLL_SECONDS = 0.05
OUTAGE_SECONDS = 1.0
RECENT = 1000
"""Number of recent entries kept in memory for a project's listeners. Listeners further behind are disconnected."""


class WatchEntry(Struct, frozen=True):
    """An entry of the log, with the text that is sent to every listener."""

    sequence: int
    event: Event
    text: str


class Watch:
    """The most recent entries of a project's log, kept while the project has listeners."""

    def __init__(self, log: Log, scope: Scope, places: Places, head: int) -> None:
        self._log = log
        self._scope = scope
        self.places = places
        self.head = head
        self._recent: deque[WatchEntry] = deque(maxlen=RECENT)
        self._changed = asyncio.Event()

    def recent(self, position: int) -> Sequence[WatchEntry] | None:
        """Return the entries after `position`, or None if some of them are no longer in memory."""
        missing = self.head - position
        if missing > len(self._recent):
            return None
        return [self._recent[place] for place in range(len(self._recent) - missing, len(self._recent))]

    async def replay(self, position: int) -> tuple[Sequence[WatchEntry], bool]:
        """Read up to 200 entries after `position` from the log. Return them, and whether none between is missing."""
        stretch = await asyncio.to_thread(self._log.after, self._scope, position)
        return [self._entry(entry) for entry in stretch.entries], stretch.whole

    async def beyond(self, position: int) -> None:
        """Wait until the log has an entry after `position`."""
        while self.head <= position:
            await self._changed.wait()

    async def look(self) -> bool:
        """Read new entries. Return False if there are none."""
        stretch = await asyncio.to_thread(self._log.after, self._scope, self.head)
        if not stretch.entries:
            return False
        if not stretch.whole:
            self._recent.clear()
        self._recent.extend(map(self._entry, stretch.entries))
        self.head = stretch.entries[-1].sequence
        self._changed.set()
        self._changed = asyncio.Event()
        return True

    def _entry(self, entry: Entry) -> WatchEntry:
        return WatchEntry(entry.sequence, entry.event, event_text(entry, self.places))


class Watches:
    """The watches of all projects with listeners, one for each."""

    def __init__(self, log: Log, cursors: Cursors, report: Report) -> None:
        self._log = log
        self._cursors = cursors
        self._report = report
        self._watches: dict[Scope, Watch] = {}
        self._listeners: dict[Scope, int] = {}
        self._tasks: dict[Scope, asyncio.Task[None]] = {}

    @asynccontextmanager
    async def of(self, scope: Scope) -> AsyncGenerator[Watch]:
        """Return the project's watch for the duration of the block, and create it for the first listener."""
        if scope not in self._watches:
            head = await asyncio.to_thread(self._log.head, scope)
            if scope not in self._watches:
                watch = Watch(self._log, scope, Places(self._cursors, scope), head)
                self._watches[scope] = watch
                self._tasks[scope] = asyncio.create_task(self._follow(watch))
        self._listeners[scope] = self._listeners.get(scope, 0) + 1
        try:
            yield self._watches[scope]
        finally:
            self._listeners[scope] -= 1
            if not self._listeners[scope]:
                del self._watches[scope], self._listeners[scope]
                self._tasks.pop(scope).cancel()

    async def _follow(self, watch: Watch) -> None:
        while True:
            try:
                if not await watch.look():
                    await asyncio.sleep(POLL_SECONDS)
            except Unavailable as outage:
                self._report("live feed", outage)
                await asyncio.sleep(OUTAGE_SECONDS)
