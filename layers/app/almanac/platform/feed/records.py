"""Records of the live feed: the last day's events of each project in order, and the listeners on AWS.

Instants are milliseconds since 1970.
"""

from collections.abc import Sequence

import msgspec

from almanac.kernel.caller import Scope
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import Item
from almanac.platform.store.records import Record, Table


class LoggedEvent(Record, frozen=True, kw_only=True):
    """One event in its project's log. `event` is its JSON text, and `sequence` counts from 1 without gaps."""

    sequence: int
    event: str
    expires_at: int


class LogHead(Record, frozen=True, kw_only=True):
    """The head of a project's log: the sequence of the last event, and the ids of the last few, newest first.

    With the ids, an event that is delivered again is not logged twice.
    """

    sequence: int
    recent: Sequence[str] = ()


class Listener(Record, frozen=True, kw_only=True):
    """An authorized connection in its project, with its subscription and the position of the last event sent to it.

    `key_id` is the key that authorized it. `failures` counts consecutive failed sends. `session` is the browser session
    of a page, which is only notified that something changed. It is None for other listeners.
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
    """An open connection of the live feed, found by its id alone. `tenant` and `key_id` are None until it sends a key.

    It is stored outside of any tenant, in the partition S#sockets, with its id as the sort key. `places` are the holder
    and number of each place that it occupies. `families` are those of the key, None for all. `session` is the same as
    for a listener.
    """

    tenant: str | None
    project: str | None
    key_id: str | None
    expires_at: int
    places: Sequence[tuple[str, int]] = ()
    families: Sequence[str] | None = None
    session: str | None = None


class ListenersPlace(Record, frozen=True, kw_only=True):
    """One of the limited places for connections of a tenant or a key. `holder` is the tenant or key."""

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
