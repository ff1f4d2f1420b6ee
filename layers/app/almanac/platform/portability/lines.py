"""The lines of a tenant's file. Every line is a JSON object, whose last member is its `check` (see `file.Chain`).

{"kind":"tenant", "format":2, "tenant":"acme", ...}     once, first
{"kind":"blob", "id":"0f3a...", "part":0, "parts":2, "data":"<base64>"}     the parts of a large value of the
                                                        item that follows
{"kind":"item", "partition":["P","web","notes"], "sort":"...", "attributes":{...}}
{"kind":"key", "attributes":{...}}                      after all items
{"kind":"end", "items":3, "blobs":1, "keys":0, "signature":"..."}   once, last
"""

import re
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec
from msgspec import UNSET, Struct, UnsetType

from almanac.kernel.caller import Scope
from almanac.kernel.errors import InvalidInput
from almanac.platform.store.keys import Key, Partition
from almanac.platform.store.port import Index, Item, Put
from almanac.platform.store.values import Value

_BYTES = "$bytes"
_DICT = "$dict"

_PROJECT = "P"
_TENANT = "T"
_ESCAPED = re.compile("%([0-9A-F]{2})")

FORMAT = 2
FORMATS = (1, FORMAT)
"""Formats that can be read. Files of format 1 have no signature and no settings of the tenant."""


class Header(Struct, frozen=True, kw_only=True, tag_field="kind", tag="tenant"):
    """The first line of a file, with the tenant and its settings. Instants are milliseconds since 1970.

    A later format may have more fields. Unset fields are not written, because the checks of the lines depend on them.
    """

    format: int
    tenant: str
    name: str
    created_at: int
    exported_at: int
    tier: str = "standard"
    signer: str | UnsetType = UNSET
    default_timezone: str | UnsetType | None = UNSET
    week_start: str | UnsetType | None = UNSET
    per_minute: int | UnsetType | None = UNSET
    per_day: int | UnsetType | None = UNSET

    def settings(self) -> dict[str, Any]:
        """Return the tenant's settings in the file."""
        names = ("default_timezone", "week_start", "per_minute", "per_day")
        return {name: value for name in names if (value := getattr(self, name)) is not UNSET}


class TenantlessKey(Struct, frozen=True, forbid_unknown_fields=True):
    """A key without its tenant."""

    partition: tuple[str, ...]
    sort: str


class ItemLine(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="kind", tag="item"
):
    partition: tuple[str, ...]
    sort: str
    attributes: dict[str, Any]
    expires_at: int | None = None
    indexes: dict[Index, TenantlessKey] = {}


class BlobLine(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="blob"):
    """One part of a large value. `part` counts from 0."""

    id: str
    part: int
    parts: int
    data: bytes


class KeyLine(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="key"):
    attributes: dict[str, Any]


class Footer(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="end"):
    items: int
    blobs: int
    keys: int
    signature: str | UnsetType = UNSET


Line = Header | ItemLine | BlobLine | KeyLine | Footer

# Members are sorted, because DynamoDB does not keep the order of a dict. So equal items make equal lines.
encode = msgspec.json.Encoder(order="deterministic").encode
decode = msgspec.json.Decoder(Line).decode


def line_of(item: Item, tenant: str) -> ItemLine:
    """Return the line of an item. Raises ValueError if the item, or an index entry, is outside of the tenant."""
    return ItemLine(
        partition=without_tenant(item.key.partition, tenant),
        sort=item.key.sort,
        attributes=attributes_to_json(item.attributes),
        expires_at=item.expires_at,
        indexes={
            index: TenantlessKey(without_tenant(key.partition, tenant), key.sort)
            for index, key in sorted(item.indexes.items())
        },
    )


def put_of(line: ItemLine, tenant: str) -> Put:
    """Return the change that writes the line's item in `tenant`. It carries no event, so reactions do not run again.

    Raises ValueError or InvalidInput for an item that no export writes.
    """
    return Put(
        Key(within_tenant(line.partition, tenant), line.sort),
        attributes_from_json(line.attributes),
        expires_at=line.expires_at,
        indexes={
            index: Key(within_tenant(placed.partition, tenant), placed.sort) for index, placed in line.indexes.items()
        },
    )


def attributes_to_json(attributes: Mapping[str, Value]) -> dict[str, Any]:
    return {name: to_json(value) for name, value in attributes.items()}


def attributes_from_json(attributes: Mapping[str, Any]) -> dict[str, Value]:
    """Convert attributes from JSON. Raises ValueError for input that `attributes_to_json` never writes."""
    return {name: from_json(value) for name, value in attributes.items()}


def wrong_line(number: int, problem: str) -> InvalidInput:
    """Return the error for line `number`, counted from 1."""
    return InvalidInput(
        f"Line {number}: {problem}.",
        "Take the file as it was exported; where it is damaged, export again.",
        path=f"line {number}",
        code="bad_export",
    )


def without_tenant(partition: Partition, tenant: str) -> tuple[str, ...]:
    """Return the components of a partition without its tenant. Raises ValueError for any other tenant's partition."""
    level, *names = (_ESCAPED.sub(lambda found: chr(int(found[1], 16)), part) for part in partition.text.split("#"))
    if level not in (_PROJECT, _TENANT) or names[:1] != [tenant]:
        raise ValueError(f"{partition!r} is not of the tenant {tenant}")
    return (level, *names[1:])


def within_tenant(names: Sequence[str], tenant: str) -> Partition:
    """Return the partition with these components in `tenant`, the inverse of `without_tenant`.

    Raises ValueError for another form, InvalidInput for invalid names.
    """
    match names:
        case [level, project, *collection] if level == _PROJECT:
            return Partition.in_project(Scope(tenant, project), *collection)
        case [level, *collection] if level == _TENANT:
            return Partition.in_tenant(Scope(tenant, ""), *collection)
        case _:
            raise ValueError("a partition begins with P and a project, or with T")


def to_json(value: Value) -> Any:
    match value:
        case bytes():
            return {_BYTES: b64encode(value).decode()}
        case list():
            return [to_json(each) for each in value]
        case dict():
            plain = {name: to_json(each) for name, each in value.items()}
            return {_DICT: plain} if _is_marked(plain) else plain
        case _:
            return value


def from_json(value: Any) -> Value:
    """Convert a value from JSON. Raises ValueError for input that `to_json` never writes."""
    if isinstance(value, list):
        return [from_json(each) for each in cast(list[Any], value)]
    if not isinstance(value, dict):
        return value
    members = cast(dict[str, Any], value)
    if not _is_marked(members):
        return _dict(members)
    if len(members) == 1:
        ((mark, inner),) = members.items()
        if mark == _BYTES and isinstance(inner, str):
            return b64decode(inner, validate=True)
        if mark == _DICT and isinstance(inner, dict):
            return _dict(cast(dict[str, Any], inner))
    raise ValueError("a name that begins with $ is where it has no meaning")


def _dict(members: Mapping[str, Any]) -> dict[str, Value]:
    return {name: from_json(each) for name, each in members.items()}


def _is_marked(members: Mapping[str, Any]) -> bool:
    return any(name.startswith("$") for name in members)
