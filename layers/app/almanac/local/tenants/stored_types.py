"""Check a tenant's exported file against the types that identity, platform and families declare for their records.

Each table declares the keys and the fields of its records. Anything else is rejected, so that an import never stores a
record that its own readers cannot read.
"""

import dataclasses
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, cast

import msgspec
from msgspec.structs import replace

from almanac.composition.families import FAMILIES, declaration
from almanac.gateway.hooks.records import HOOK_SESSIONS
from almanac.identity.audit import AUDIT
from almanac.identity.transfer.imported_records import LAST_INSTANT, check_instants, read_item
from almanac.kernel.caller import Scope
from almanac.kernel.errors import InvalidInput
from almanac.platform.blobs.large_values import MARK
from almanac.platform.bus import records as bus
from almanac.platform.bus.messages import Message, decode_message, encode_message
from almanac.platform.feed import records as feed
from almanac.platform.portability.lines import BlobLine, ItemLine, wrong_line
from almanac.platform.redactions import records as redactions
from almanac.platform.store import page_cursors
from almanac.platform.store.port import Item, Put
from almanac.platform.store.records import Record, Table
from almanac.platform.store.values import Value
from almanac.search.engine import records as search

_PROJECT, _TENANT = "P", "T"
_PROJECTS = ["projects"]


class StoredTypes:
    """Checks the items of an exported file. `exported` is the tenant in the file, and `tenant` its name here."""

    def __init__(self, exported: str, tenant: str) -> None:
        self._exported = exported
        self._tenant = tenant
        self._values: dict[str, bytearray] = {}

    def value(self, part: BlobLine) -> None:
        self._values.setdefault(part.id, bytearray()).extend(part.data)

    def item(self, line: ItemLine, number: int) -> None:
        put = read_item(line, self._exported, number)
        values, self._values = self._values, {}
        level, *names = line.partition
        scope = Scope(self._exported, names.pop(0) if level == _PROJECT and names else "")
        if (level, names) == (_TENANT, _PROJECTS):
            return  # The code that restores projects checks these.
        tables = _tables().get((level, names[0] if names else ""), ())
        if not tables and not (level == _PROJECT and names and names[0] in _keys_only()):
            raise wrong_line(number, f"nothing called {' '.join(names)[:80] or 'so'} is stored here")
        if tables and not any(self._fits(table, scope, put, values) for table in tables):
            raise wrong_line(number, f"it is not a record of {names[0]}")

    def restored_put(self, put: Put) -> Put:
        """Return the item to write. Dead letters get the new name of the tenant in their events, because they could not
        be sent again otherwise."""
        if put.key.partition != bus.DEAD_LETTERS.partition(Scope(self._tenant, ""), bus.DEAD_LETTERS.own, ()):
            return put
        message = decode_message(str(put.attributes["message"]))
        event = dataclasses.replace(message.event, tenant=self._tenant)
        text = encode_message(replace(message, event=event))
        return replace(put, attributes={**put.attributes, "message": text})

    def _fits(self, table: Table[Any], scope: Scope, put: Put, values: Mapping[str, bytearray]) -> bool:
        """Return whether an item is a record of the table, stored under the keys that the table gives to it."""
        attributes = {name: _whole(value, values) for name, value in put.attributes.items()}
        try:
            record: Record = table.read(Item(put.key, attributes))
            check_instants(*_instants(record))
            self._check_inside(record)
            places = {index: table.place_of(scope, place, record) for index, place in table.indexes.items()}
            own = table.place_of(scope, table.own, record)
        except (ValueError, InvalidInput, RecursionError, OverflowError):
            return False
        return own == put.key and all(places.get(index) == key for index, key in put.indexes.items())

    def _check_inside(self, record: Record) -> None:
        """Check the parts of a record that are stored as text. Raises ValueError or InvalidInput."""
        match record:
            case bus.DeadLetterRecord(message=text):
                self._check_message(decode_message(text))
            case bus.Outboxed(messages=texts) | search.FreshDocument(messages=texts):
                for text in texts:
                    self._check_message(decode_message(text))
                record.check_inside()
            case _:
                record.check_inside()

    def _check_message(self, message: Message) -> None:
        if message.event.tenant != self._exported:
            raise ValueError("an event of somebody else")
        check_instants(message.event.at)


def _instants(record: Record) -> Iterator[int | None]:
    for name in record.__struct_fields__:
        value = getattr(record, name)
        if (name == "at" or name.endswith("_at")) and isinstance(value, int) and value > LAST_INSTANT:
            yield value


def _whole(value: Value, values: Mapping[str, bytearray]) -> Value:
    if isinstance(value, dict) and isinstance(held_name := value.get(MARK), str) and held_name in values:
        return msgspec.msgpack.decode(bytes(values[held_name]))
    return value


@cache
def _tables() -> Mapping[tuple[str, str], tuple[Table[Any], ...]]:
    """Return all declared tables by level and name."""
    tables_of: dict[tuple[str, str], dict[int, Table[Any]]] = {}
    modules = [module for name in FAMILIES for module in declaration(name).records()]
    own = {"audit": AUDIT, "hook_sessions": HOOK_SESSIONS}
    for names in (own, vars(bus), vars(feed), vars(search), vars(redactions), vars(page_cursors), *map(vars, modules)):
        for value in names.values():
            if isinstance(value, Table):
                table = cast(Table[Any], value)
                level = _TENANT if table.level == "tenant" else _PROJECT
                tables_of.setdefault((level, table.own.name), {})[id(table)] = table
    return {place: tuple(tables.values()) for place, tables in tables_of.items()}


@cache
def _keys_only() -> frozenset[str]:
    return frozenset(kept for name in FAMILIES for kept in declaration(name).keys_only)
