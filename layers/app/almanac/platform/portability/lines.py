"""The lines of a tenant's file. Every line is a JSON object that ends in its own `check` (see `chain`).

{"kind":"tenant", "format":2, "tenant":"acme", ...}     once, first
{"kind":"blob", "id":"0f3a...", "part":0, "parts":2, "data":"<base64>"}     the parts of a large value of the
                                                        item that follows
{"kind":"item", "partition":["P","web","notes"], "sort":"...", "attributes":{...}}
{"kind":"key", "attributes":{...}}                      after all items
{"kind":"end", "items":3, "blobs":1, "keys":0, "signature":"..."}   once, last
"""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from almanac.kernel.errors import InvalidInput
from almanac.platform.portability.partitions import within_tenant, without_tenant
from almanac.platform.portability.typed_json import from_json, to_json
from almanac.platform.store.keys import Key
from almanac.platform.store.port import Index, Item, Put
from almanac.platform.store.values import Value

FORMAT = 2
FORMATS = (1, FORMAT)
"""Those that are read. Files of format 1 carry no signature, and no settings of the tenant."""


class Header(Struct, frozen=True, kw_only=True, tag_field="kind", tag="tenant"):
    """A later format may know more fields. Instants are milliseconds since 1970.

    What is unset is not written: the checks of a file's lines depend on it.
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
        """The tenant's settings that the file names."""
        names = ("default_timezone", "week_start", "per_minute", "per_day")
        return {name: value for name in names if (value := getattr(self, name)) is not UNSET}


class Placed(Struct, frozen=True, forbid_unknown_fields=True):
    """A key whose tenant is left out."""

    partition: tuple[str, ...]
    sort: str


class ItemLine(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="kind", tag="item"
):
    partition: tuple[str, ...]
    sort: str
    attributes: dict[str, Any]
    expires_at: int | None = None
    indexes: dict[Index, Placed] = {}


class BlobLine(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="blob"):
    """`part` counts from 0."""

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

# Sorted, since DynamoDB does not keep the order of a dict: equal items make equal lines.
encode = msgspec.json.Encoder(order="deterministic").encode
decode = msgspec.json.Decoder(Line).decode


def line_of(item: Item, tenant: str) -> ItemLine:
    """Raises ValueError for an item, or an index entry, outside the tenant."""
    return ItemLine(
        partition=without_tenant(item.key.partition, tenant),
        sort=item.key.sort,
        attributes=attributes_to_json(item.attributes),
        expires_at=item.expires_at,
        indexes={
            index: Placed(without_tenant(key.partition, tenant), key.sort)
            for index, key in sorted(item.indexes.items())
        },
    )


def put_of(line: ItemLine, tenant: str) -> Put:
    """The line's item as a change in `tenant`; no event, so that nothing reacts twice to what happened once.

    Raises ValueError or InvalidInput for what no export writes.
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
    """Raises ValueError for what `attributes_to_json` never writes."""
    return {name: from_json(value) for name, value in attributes.items()}


def wrong_line(number: int, problem: str) -> InvalidInput:
    """The error for line `number`, counted from 1."""
    return InvalidInput(
        f"Line {number}: {problem}.",
        "Take the file as it was exported; where it is damaged, export again.",
        path=f"line {number}",
        code="bad_export",
    )
