"""The records of the live feed: the last day's events of each project in one order, and listeners on AWS.

Instants are milliseconds since 1970.
"""

from collections.abc import Sequence

import msgspec

from almanac.kernel.caller import Scope
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import Item
from almanac.platform.store.records import Record, Table


class LoggedEvent(Record, frozen=True, kw_only=True):
    """One event in its project's log: `event` is its JSON text, `sequence` counts without a gap from 1."""

    sequence: int
    event: str
    expires_at: int


class LogHead(Record, frozen=True, kw_only=True):
    """The sequence of the last event of a project's log, and the ids of the last few, the newest first, so that one
    that is delivered again is not logged twice."""

    sequence: int
    recent: Sequence[str] = ()


class Listener(Record, frozen=True, kw_only=True):
    """A connection that was let in, in its project: its subscription, and the last event that it got.

    `key_id` is the key that let it in; `failures` counts sendings that failed in a row. `session` is the browser's
    session of a page, which is told only that something changed; None for others.
    """

    connection: str
    key_id: str
    kinds: list[str]
    keys: list[str]
    position: int
    failures: int
    expires_at: int
    session: str | None = None


class Connection(msgspec.Struct, frozen=True, kw_only=True):
    """Open connection of the live feed, found by its id alone. `tenant` and `key_id` are None until it sends a key.

    It is stored outside any tenant: partition S#sockets, sort key the connection's id. `places` are the keys of the
    places that it occupies, as holder and number. `families` are those of the key, None for all. `session` is as for a
    listener.
    """

    tenant: str | None
    project: str | None
    key_id: str | None
    expires_at: int
    places: Sequence[tuple[str, int]] = ()
    families: Sequence[str] | None = None
    session: str | None = None


class ListenersPlace(Record, frozen=True, kw_only=True):
    """One of the places that a tenant, or a key of it, has for connections. `holder` says which of them, `number` is
    that of the place."""

    holder: str
    number: int
    connection: str
    expires_at: int


LOG = Table(LoggedEvent, "feed_log", sort=("sequence",), expires="expires_at")
HEAD = Table(LogHead, "feed_head")
LISTENERS = Table(Listener, "feed_listeners", sort=("connection",), expires="expires_at")
PLACES = Table(ListenersPlace, "feed_places", sort=("holder", "number"), expires="expires_at", level="tenant")
SOCKETS = Partition.system("sockets")


def socket_key(connection: str) -> Key:
    return Key(SOCKETS, sort_key(connection))


def read_connection(item: Item) -> Connection:
    return msgspec.convert(dict(item.attributes), Connection)


def scope_of(connection: Connection) -> Scope | None:
    if connection.tenant is None or connection.project is None:
        return None
    return Scope(connection.tenant, connection.project)
