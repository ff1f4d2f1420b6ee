"""Open connections of the live feed on AWS, their owners, and the places they take.

The places of a tenant are numbered, and so are those of a key. A listener takes one of each, so there are never more
listeners than places, however many connect at once. A place expires with its connection, in case API Gateway does not
report the disconnection.
"""

from contextlib import suppress

from msgspec import to_builtins

from almanac.gateway.feed.admission import FeedLimits, NoPlace
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import Clock
from almanac.kernel.errors import Unavailable
from almanac.kernel.ids import RandomBytes
from almanac.kernel.instants import now_ms
from almanac.platform.feed.records import (
    LISTENERS,
    PLACES,
    Connection,
    ListenersPlace,
    read_connection,
    scope_of,
    socket_key,
)
from almanac.platform.store.conditions import Present
from almanac.platform.store.port import Change, ConditionFailed, Delete, Put, Store

CONNECTED_MS = 130 * 60_000
"""A little over the two hours after which API Gateway ends every connection."""

UNKNOWN_MS = 60_000
"""Time within which a connection must send its key."""

_TENANT = "tenant"
_ATTEMPTS = 20


class Sockets:
    def __init__(self, store: Store, clock: Clock, random_bytes: RandomBytes, limits: FeedLimits | None = None) -> None:
        self._store = store
        self._clock = clock
        self._random_bytes = random_bytes
        self._limits = limits or FeedLimits()

    def find(self, connection: str) -> Connection | None:
        item = self._store.get(socket_key(connection))
        return read_connection(item) if item else None

    def open(self, connection: str) -> None:
        """Store a connection that has no owner yet."""
        expires_at = now_ms(self._clock) + UNKNOWN_MS
        unknown = Connection(tenant=None, project=None, key_id=None, expires_at=expires_at)
        self._store.write([_put(connection, unknown)])

    def admit(self, connection: str, caller: Caller, session: str | None = None) -> None:
        """Assign the connection and its places to the caller, or to a page of a browser session. Raises NoPlace."""
        rows = PLACES.within(self._store, caller.scope)
        bounds = [
            (f"key {caller.key_id}", self._limits.of_key, "this key"),
            (_TENANT, self._limits.of_tenant, "this tenant"),
        ]
        if session is not None:
            bounds.append((f"session {session}", self._limits.of_session, "this session"))
        for _ in range(_ATTEMPTS):
            expires_at = now_ms(self._clock) + CONNECTED_MS
            places = [
                ListenersPlace(
                    holder=holder,
                    number=self._free(caller.scope, holder, most, whose),
                    connection=connection,
                    expires_at=expires_at,
                )
                for holder, most, whose in bounds
            ]
            known = Connection(
                tenant=caller.scope.tenant,
                project=caller.scope.project,
                key_id=caller.key_id,
                expires_at=expires_at,
                places=[(place.holder, place.number) for place in places],
                families=None if caller.families is None else sorted(caller.families),
                session=session,
            )
            # Another connection took the place. The next read shows it.
            with suppress(ConditionFailed):
                self._store.write([*map(rows.insert, places), _put(connection, known)])
                return
        raise Unavailable("Too many connect at once.", "Connect again in a moment.")

    def forget(self, connection: str, scope: Scope | None = None) -> None:
        """Delete the connection, its listener in the project `scope`, and its places."""
        known = self.find(connection)
        changes: list[Change] = []
        if known is not None:
            scope = scope or scope_of(known)
            changes.append(Delete(socket_key(connection), Present()))
        if scope is not None:
            changes.append(LISTENERS.within(self._store, scope).delete(connection))
            taken = known.places if known is not None else ()
            changes += [PLACES.within(self._store, scope).delete(*place) for place in taken]
        if changes:
            # Another call deleted it already, and its places may belong to other connections now.
            with suppress(ConditionFailed):
                self._store.write(changes)

    def _free(self, scope: Scope, holder: str, most: int, whose: str) -> int:
        """Return the number of a free place. It is picked at random, so simultaneous calls rarely pick the same."""
        rows = PLACES.within(self._store, scope)
        taken = {place.number for place in rows.every(holder, page=most)}
        free = [number for number in range(most) if number not in taken]
        if not free:
            raise NoPlace(whose)
        return free[int.from_bytes(self._random_bytes(4), "big") % len(free)]


def _put(connection: str, state: Connection) -> Change:
    return Put(socket_key(connection), to_builtins(state), expires_at=state.expires_at)
