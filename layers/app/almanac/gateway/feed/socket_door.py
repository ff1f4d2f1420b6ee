"""Handler of the live feed's WebSocket API on AWS: connections, frames and disconnections.

`feed/push_door.py` sends the events. A new subscription wakes it by an event of its own.
"""

import os
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from almanac.gateway.feed.admission import FeedLimits, NoPlace, admit, admit_by_frame, has_key, no_place_frame
from almanac.gateway.feed.sockets import CONNECTED_MS, Sockets
from almanac.gateway.http.facts import read_address, read_headers
from almanac.gateway.observability.telemetry import Telemetry, defect_reporter, telemetry_for
from almanac.identity.access.gatekeeper import Gatekeeper
from almanac.identity.access.refusals import Refusal
from almanac.identity.browser_sessions import BrowserSessions
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.kernel.errors import InvalidInput, Unavailable
from almanac.kernel.events import new_event
from almanac.kernel.ids import RandomBytes
from almanac.kernel.instants import now_ms
from almanac.platform.bus.outbox import outbox
from almanac.platform.feed.frames import (
    FOLLOWING,
    Authenticate,
    Follow,
    Places,
    Subscribe,
    error_frame,
    read_frame,
    ready_frame,
    refusal_frame,
    subscribed_frame,
    subscription,
)
from almanac.platform.feed.log import Log
from almanac.platform.feed.port import Gone, Sender
from almanac.platform.feed.records import LISTENERS, Connection, Listener, scope_of
from almanac.platform.feed.sink import SUBSCRIBED
from almanac.platform.store.cursors import Cursors
from almanac.platform.store.port import Change, Store
from almanac.protocol.message import origin

Handler = Callable[[Mapping[str, Any], object], dict[str, Any]]
Answer = dict[str, Any]


class SocketParts(Struct, frozen=True):
    """Collaborators of the handler. Pages of `allowed_origins` may listen."""

    store: Store
    gatekeeper: Gatekeeper
    cursors: Cursors
    sender: Sender
    clock: Clock
    random_bytes: RandomBytes
    limits: FeedLimits = FeedLimits()
    allowed_origins: frozenset[str] = frozenset()


def socket_handler(open_parts: Callable[[], SocketParts], telemetry: Telemetry | None = None) -> Handler:
    """Return a Lambda handler for the routes $connect, $default and $disconnect. It opens the parts at the first
    event."""
    report = defect_reporter(telemetry or telemetry_for(os.environ))
    opened: list[SocketDoor] = []

    def handle(event: Mapping[str, Any], context: object) -> Answer:  # noqa: ARG001 - Lambda's signature
        if not opened:
            opened.append(SocketDoor(open_parts()))
        try:
            return opened[0].handle(event)
        except Gone:
            # The client disconnected before its answer arrived.
            return _status(410)
        except Unavailable as outage:
            report("live feed", outage)
            return _status(503)

    return handle


class SocketDoor:
    def __init__(self, parts: SocketParts) -> None:
        self._parts = parts
        self._store = parts.store
        self._sockets = Sockets(parts.store, parts.clock, parts.random_bytes, parts.limits)
        self._browsers = BrowserSessions(parts.store, parts.clock, parts.random_bytes)

    def handle(self, event: Mapping[str, Any]) -> Answer:
        facts: Mapping[str, Any] = event["requestContext"]
        connection = str(facts["connectionId"])
        match facts["routeKey"]:
            case "$connect":
                return self._connect(connection, event)
            case "$disconnect":
                self._sockets.forget(connection)
                return _status(200)
            case _:
                return self._hear(connection, str(event.get("body") or ""), read_address(event))

    def _connect(self, connection: str, event: Mapping[str, Any]) -> Answer:
        """Judge a key in a header, so that a wrong key gets no connection. A client without a key in the headers has a
        minute to send one."""
        headers = read_headers(event)
        if not origin.is_allowed(headers.get("origin"), headers.get("host", ""), self._parts.allowed_origins):
            return _status(403)
        if not has_key(headers):
            self._sockets.open(connection)
            return _status(200)
        verdict = admit(self._parts.gatekeeper, headers, read_address(event))
        if isinstance(verdict, Refusal):
            return _status(verdict.status)
        try:
            self._sockets.admit(connection, verdict)
        except NoPlace:
            return _status(429)
        return _status(200)

    def _hear(self, connection: str, text: str, address: str) -> Answer:
        known = self._sockets.find(connection)
        if known is None:
            return self._refuse(connection, error_frame("unauthorized", "No key came in time.", "Connect again."))
        try:
            frame = read_frame(text)
            scope = scope_of(known)
            if isinstance(frame, Authenticate) and scope is None:
                return self._authenticate(connection, frame, address)
            if isinstance(frame, Follow) and scope is None:
                return self._follow(connection, frame)
            # A page learns only that something changed, and may not subscribe to events.
            if isinstance(frame, Subscribe) and scope is not None and known.session is None:
                self._subscribe(connection, frame, scope, known)
                return _status(200)
        except InvalidInput as invalid:
            return self._refuse(connection, refusal_frame(invalid))
        if scope is None:
            hint = 'Send {"type": "authenticate", "key": "..."} before anything else.'
            return self._refuse(connection, error_frame("unauthorized", "No API key was sent.", hint))
        again = error_frame("invalid_input", "This socket is authenticated already.", "Open another socket.")
        return self._refuse(connection, again)

    def _authenticate(self, connection: str, frame: Authenticate, address: str) -> Answer:
        verdict = admit_by_frame(self._parts.gatekeeper, frame, address)
        if isinstance(verdict, Refusal):
            return self._refuse(connection, error_frame(verdict.code, verdict.message, verdict.hint))
        try:
            self._sockets.admit(connection, verdict)
        except NoPlace as none:
            return self._refuse(connection, no_place_frame(none))
        self._parts.sender.send(connection, ready_frame(verdict.scope))
        return _status(200)

    def _follow(self, connection: str, frame: Follow) -> Answer:
        """Admit a page by its session, whose key is judged as in every other request."""
        signed = self._browsers.redeem_ticket(frame.ticket)
        if signed is None:
            return self._refuse(
                connection, error_frame("unauthorized", "The ticket does not hold.", "Ask for another.")
            )
        verdict = self._parts.gatekeeper.admits(signed.key, signed.session.project)
        if isinstance(verdict, Refusal):
            return self._refuse(connection, error_frame(verdict.code, verdict.message, verdict.hint))
        caller = verdict.caller
        try:
            self._sockets.admit(connection, caller, signed.session.id)
        except NoPlace as none:
            return self._refuse(connection, no_place_frame(none))
        listener = Listener(
            connection=connection,
            key_id=caller.key_id,
            kinds=[],
            keys=[],
            position=Log(self._store).head(caller.scope),
            failures=0,
            expires_at=self._now() + CONNECTED_MS,
            session=signed.session.id,
        )
        self._parts.sender.send(connection, FOLLOWING)
        self._listen(listener, caller.scope)
        return _status(200)

    def _subscribe(self, connection: str, frame: Subscribe, scope: Scope, known: Connection) -> None:
        """Subscribe a connection. Raises InvalidInput for an unknown event kind or a cursor of another project."""
        wanted = subscription(frame, known.families)
        places = Places(self._parts.cursors, scope)
        position = Log(self._store).head(scope) if frame.since is None else places.open(frame.since)
        listener = Listener(
            connection=connection,
            key_id=known.key_id or "",
            kinds=sorted(wanted.kinds),
            keys=list(wanted.keys),
            position=position,
            failures=0,
            expires_at=known.expires_at,
        )
        self._parts.sender.send(connection, subscribed_frame(wanted, places.seal(position)))
        self._listen(listener, scope)

    def _listen(self, listener: Listener, scope: Scope) -> None:
        events = wake_changes(scope, listener.connection, self._now(), self._parts.random_bytes)
        self._store.write([LISTENERS.within(self._store, scope).put(listener), *events])

    def _refuse(self, connection: str, frame: str) -> Answer:
        try:
            self._parts.sender.send(connection, frame)
            self._parts.sender.close(connection)
        except Gone:
            pass
        self._sockets.forget(connection)
        return _status(403)

    def _now(self) -> int:
        return now_ms(self._parts.clock)


def wake_changes(scope: Scope, connection: str, at: int, random_bytes: RandomBytes) -> list[Change]:
    """Return the store changes that make the push handler serve one listener."""
    events = new_event(SUBSCRIBED, scope, key=f"socket/{connection}", actor="almanac", at=at, random_bytes=random_bytes)
    return outbox([events])


def _status(status: int) -> Answer:
    return {"statusCode": status}
