"""Sender of new entries of a project's log to its listeners on AWS, to each from its own position."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from msgspec import Struct

from almanac.gateway.feed.socket_door import wake_changes
from almanac.gateway.feed.sockets import Sockets
from almanac.identity.access.authorize import Directory
from almanac.identity.browser_sessions import BrowserSessions
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.kernel.errors import Unavailable
from almanac.kernel.ids import RandomBytes
from almanac.kernel.instants import now_ms
from almanac.kernel.owners import visible_event_kinds
from almanac.platform.bus.delivery import Report
from almanac.platform.feed.frames import CHANGED, Places, error_frame, event_frames, event_text
from almanac.platform.feed.log import Log
from almanac.platform.feed.port import Gone, Sender, Stretch, Subscription
from almanac.platform.feed.records import LISTENERS, Listener
from almanac.platform.store.conditions import Equals
from almanac.platform.store.cursors import Cursors
from almanac.platform.store.port import ConditionFailed, Store, Update

AT_ONCE = 16
MAX_STRETCHES = 20
"""Most stretches of 200 events that a listener receives in one go. It receives the rest after the other listeners."""

MAX_FAILURES = 5


class PushParts(Struct, frozen=True):
    """Collaborators of `Push`."""

    store: Store
    cursors: Cursors
    sender: Sender
    directory: Directory
    clock: Clock
    random_bytes: RandomBytes


class Push:
    def __init__(self, parts: PushParts, report: Report) -> None:
        self._parts = parts
        self._store = parts.store
        self._log = Log(parts.store)
        self._sockets = Sockets(parts.store, parts.clock, parts.random_bytes)
        self._browsers = BrowserSessions(parts.store, parts.clock, parts.random_bytes)
        self._report = report

    def push(self, scope: Scope) -> None:
        """Send every listener of the project what it has not received. Two calls for one project must not overlap."""
        reads = _LogReads(self._log, scope)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            texts = [pool.submit(self._push_to, each, scope, reads) for each in self._listeners(scope)]
        for each in texts:
            each.result()

    def _listeners(self, scope: Scope) -> Iterator[Listener]:
        rows = LISTENERS.within(self._store, scope)
        page = rows.query(limit=1000)
        yield from page.records
        while page.cursor is not None:
            page = rows.query(limit=1000, cursor=page.cursor)
            yield from page.records

    def _push_to(self, listener: Listener, scope: Scope, project: "_LogReads") -> None:
        record = self._parts.directory.key(listener.key_id)
        if record is None or not record.works_at(now_ms(self._parts.clock)):
            self._end(listener, scope, error_frame("unauthorized", "The API key works no longer.", "Use another key."))
            return
        if listener.session is not None and not self._browsers.holds(listener.key_id, listener.session):
            self._end(listener, scope, error_frame("unauthorized", "The session has ended.", "Sign in again."))
            return
        subscription = Subscription(
            frozenset(listener.kinds), tuple(listener.keys), visible_event_kinds(record.grant.families)
        )
        places = Places(self._parts.cursors, scope)
        position = listener.position
        try:
            for _ in range(MAX_STRETCHES):
                stretch = project.after(position)
                if not stretch.whole:
                    hint = "Read the present state with the tools, then subscribe without since."
                    message = "Events after this cursor are no longer kept."
                    self._end(listener, scope, error_frame("cursor_expired", message, hint))
                    return
                if not stretch.entries:
                    break
                wanted = [entry for entry in stretch.entries if subscription.wants(entry.event)]
                frames = event_frames(event_text(entry, places) for entry in wanted)
                if listener.session is not None:
                    frames = [CHANGED] if wanted else []
                for frame in frames:
                    self._parts.sender.send(listener.connection, frame)
                position = stretch.entries[-1].sequence
            else:
                self._continue_later(listener, scope)
            self._keep(listener, scope, position, 0)
        except Gone:
            self._forget(listener, scope)
        except Unavailable as outage:
            self._report("live feed", outage)
            self._count_failure(listener, scope, position)

    def _count_failure(self, listener: Listener, scope: Scope, position: int) -> None:
        """Count a failed delivery. It is retried at the next event, so other listeners need not wait, and ends after
        MAX_FAILURES."""
        if listener.failures + 1 >= MAX_FAILURES:
            self._end(listener, scope, error_frame("fell_behind", "You fell behind: replay from the cursor.", ""))
        else:
            self._keep(listener, scope, position, listener.failures + 1)

    def _keep(self, listener: Listener, scope: Scope, position: int, failures: int) -> None:
        if (position, failures) == (listener.position, listener.failures):
            return
        key = LISTENERS.within(self._store, scope).key(listener.connection)
        changed = {"position": position, "failures": failures}
        try:
            self._store.write([Update(key, set=changed, condition=Equals("position", listener.position))])
        except ConditionFailed:
            # The listener is gone, or has subscribed again from another position.
            return

    def _continue_later(self, listener: Listener, scope: Scope) -> None:
        at = now_ms(self._parts.clock)
        self._store.write(wake_changes(scope, listener.connection, at, self._parts.random_bytes))

    def _end(self, listener: Listener, scope: Scope, frame: str) -> None:
        try:
            self._parts.sender.send(listener.connection, frame)
            self._parts.sender.close(listener.connection)
        except Gone:
            pass
        except Unavailable as outage:
            self._report("live feed", outage)
        self._forget(listener, scope)

    def _forget(self, listener: Listener, scope: Scope) -> None:
        self._sockets.forget(listener.connection, scope)


class _LogReads:
    """Reads of a project's log, cached for its listeners because most have the same position."""

    def __init__(self, log: Log, scope: Scope) -> None:
        self._log = log
        self._scope = scope
        self._read: dict[int, Stretch] = {}

    def after(self, position: int) -> Stretch:
        stretch = self._read.get(position)
        if stretch is None:
            stretch = self._read[position] = self._log.after(self._scope, position)
        return stretch
