"""Storage limit of a tenant, the stored result of a count, and the refusal of calls beyond the limit.

S#storage#<tenant>   total   StoredTotal; on AWS only, see `access.storage_total`
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from almanac.identity.records import Tenant, from_attributes, tenant_key
from almanac.kernel.errors import LimitExceeded
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import Item, Store, Update

if TYPE_CHECKING:
    from almanac.protocol.tool import Call, Tool

DEFAULT_BYTES = 20 * 1000**3
DEFAULT_DOCUMENTS = 5_000_000
_FREEING_BYTES = 1000

_encode = msgspec.msgpack.Encoder(enc_hook=str).encode


class StorageFull(LimitExceeded):
    """The tenant stores as much as it may."""

    code = "storage_full"
    retryable = False


class StorageLimit(Struct, frozen=True):
    bytes: int = DEFAULT_BYTES
    documents: int = DEFAULT_DOCUMENTS

    def exceeded_by(self, size: int, documents: int) -> str:
        """Return the limit that so much would exceed, in words; empty where there is none."""
        if size > self.bytes:
            return bytes_text(self.bytes)
        return f"{self.documents:,} documents" if documents > self.documents else ""


def limit_of(tenant: Tenant) -> StorageLimit:
    return StorageLimit(tenant.max_bytes or DEFAULT_BYTES, tenant.max_documents or DEFAULT_DOCUMENTS)


def stored_limit(store: Store, tenant: str) -> StorageLimit:
    """Return the limit that `almanac tenants edit` set for the tenant, else the default. A change applies at once."""
    item = store.get(tenant_key(tenant))
    return limit_of(from_attributes(item.attributes, Tenant)) if item is not None else StorageLimit()


class CountProgress(Struct, frozen=True):
    """A count under way: what was found in the partitions before `partition`, and in its own before `cursor`. What had
    been written when it began is in `written` and `created`; it took `spent_ms` so far."""

    written: int
    created: int
    partition: str = ""
    cursor: str | None = None
    bytes: int = 0
    documents: int = 0
    spent_ms: int = 0


class StoredTotal(Struct, frozen=True):
    """Last count of a tenant's storage, made `at` an instant; None before the first count.

    Since then at most `written` bytes and `created` documents were added. Once these reach `bytes_left` or
    `documents_left`, the tenant is counted again, but not before `rests_until`. `asked_at` is when a count was last
    requested.
    """

    bytes: int = 0
    documents: int = 0
    at: int | None = None
    written: int = 0
    created: int = 0
    bytes_left: int = 0
    documents_left: int = 0
    rests_until: int = 0
    asked_at: int = 0
    counting: CountProgress | None = None

    @property
    def is_due(self) -> bool:
        return self.at is None or self.written >= self.bytes_left or self.created >= self.documents_left


def total_key(tenant: str) -> Key:
    return Key(Partition.system("storage", tenant), sort_key("total"))


def total_in(item: Item | None) -> StoredTotal:
    """The total that an item holds; of no item, one that nobody counted."""
    return StoredTotal() if item is None else from_attributes(item.attributes, StoredTotal)


def counted_soon(tenant: str) -> Update:
    """The change by which the tenant is counted after its next write: when it needs that depends on its limits."""
    return Update(total_key(tenant), set={"bytes_left": 1, "documents_left": 1, "asked_at": 0})


def full_limit(total: StoredTotal, limit: StorageLimit) -> str:
    """Return the limit that the tenant has reached, in words; empty where it has not."""
    return "" if total.at is None else limit.exceeded_by(total.bytes + 1, total.documents + 1)


def admit_unless_full(tool: "Tool", call: "Call", arguments: Mapping[str, Any]) -> None:
    """Raise StorageFull for a call that would write, of a tenant of which a count found that it stores all it may."""
    if call.caller.storage_full and may_grow(tool, arguments):
        raise storage_full(call.caller.storage_full)


def may_grow(tool: "Tool", arguments: Mapping[str, Any]) -> bool:
    """Tell whether a call may add to what is stored: it neither only reads nor removes something and brings next to
    nothing."""
    from almanac.protocol.tool import Effect  # noqa: PLC0415 - who judges keys needs no tools

    return tool.effect is not Effect.READS and not (
        tool.effect is Effect.REMOVES and size_of(arguments) <= _FREEING_BYTES
    )


def storage_full(limit: str) -> StorageFull:
    """The refusal of a call that would exceed `limit`, which is in words."""
    return StorageFull(
        f"This tenant may store {limit}, and this call would exceed that.",
        "Delete what is not needed any more, e.g. with notes_delete, kanban_delete_card or remove_repository; what is "
        "forgotten counts until it is gone, 30 days later. Or ask the operator of this server for more: "
        f"almanac tenants edit TENANT --max-{'documents' if limit.endswith('documents') else 'storage'}.",
    )


def bytes_text(size: int) -> str:
    """`1.5 GB`."""
    for unit, factor in (("TB", 1000**4), ("GB", 1000**3), ("MB", 1000**2), ("kB", 1000)):
        if size >= factor:
            amount = size / factor
            return f"{amount:.0f} {unit}" if amount >= 100 or amount == int(amount) else f"{amount:.1f} {unit}"
    return f"{size} bytes"


def size_of(value: object) -> int:
    return len(_encode(value))
