"""Storage limit of a tenant, the stored result of a count, and the refusal of calls that would exceed the limit.

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
    """The tenant has reached its storage limit."""

    code = "storage_full"
    retryable = False


class StorageLimit(Struct, frozen=True):
    bytes: int = DEFAULT_BYTES
    documents: int = DEFAULT_DOCUMENTS

    def exceeded_limit(self, size: int, documents: int) -> str:
        """Describe the limit that this much storage exceeds. Empty if it exceeds none."""
        if size > self.bytes:
            return bytes_text(self.bytes)
        return f"{self.documents:,} documents" if documents > self.documents else ""


def limit_of(tenant: Tenant) -> StorageLimit:
    return StorageLimit(tenant.max_bytes or DEFAULT_BYTES, tenant.max_documents or DEFAULT_DOCUMENTS)


def stored_limit(store: Store, tenant: str) -> StorageLimit:
    """Return the limit set by `almanac tenants edit`, or the default. Reads the store, so a change applies at once."""
    item = store.get(tenant_key(tenant))
    return limit_of(from_attributes(item.attributes, Tenant)) if item is not None else StorageLimit()


class CountProgress(Struct, frozen=True):
    """A count that has not finished. The next part of it starts in `partition`, at `cursor`.

    `bytes` and `documents` were counted up to there, in `spent_ms`. `written` and `created` are the additions that were
    known when the count began.
    """

    written: int
    created: int
    partition: str = ""
    cursor: str | None = None
    bytes: int = 0
    documents: int = 0
    spent_ms: int = 0


class StoredTotal(Struct, frozen=True):
    """The last count of a tenant's storage, and an upper bound of what was added since.

    `at` is the instant of the count, None before the first one. Since then at most `written` bytes and `created`
    documents were added. Once these reach `bytes_left` or `documents_left`, the tenant is counted again, but not before
    `rests_until`. `asked_at` is the instant at which a count was last requested.
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
    """Return the total that an item holds. Without an item, return a total that was never counted."""
    return StoredTotal() if item is None else from_attributes(item.attributes, StoredTotal)


def request_count(tenant: str) -> Update:
    """Return the change that has the tenant counted after its next write. Needed when the tenant's limits change."""
    return Update(total_key(tenant), set={"bytes_left": 1, "documents_left": 1, "asked_at": 0})


def full_limit(total: StoredTotal, limit: StorageLimit) -> str:
    """Describe the limit that the tenant has reached. Empty if it has reached none."""
    return "" if total.at is None else limit.exceeded_limit(total.bytes + 1, total.documents + 1)


def admit_unless_full(tool: "Tool", call: "Call", arguments: Mapping[str, Any]) -> None:
    """Raise StorageFull for a call that may write, if a count found that its tenant has reached its limit."""
    if call.caller.storage_full and may_grow(tool, arguments):
        raise storage_full(call.caller.storage_full)


def may_grow(tool: "Tool", arguments: Mapping[str, Any]) -> bool:
    """Return whether a call may add to the tenant's storage.

    Calls that only read cannot, and calls that remove something count as no growth if their arguments are tiny.
    """
    from almanac.protocol.tool import Effect  # noqa: PLC0415 - the authorizer loads no tools

    return tool.effect is not Effect.READS and not (
        tool.effect is Effect.REMOVES and size_of(arguments) <= _FREEING_BYTES
    )


def storage_full(limit: str) -> StorageFull:
    """Return the error for a call that would exceed `limit`, a description such as "20 GB"."""
    return StorageFull(
        f"This tenant may store {limit}, and this call would exceed that.",
        "Delete what is not needed any more, e.g. with notes_delete, kanban_delete_card or remove_repository; what is "
        "forgotten counts until it is gone, 30 days later. Or ask the operator of this server for more: "
        f"almanac tenants edit TENANT --max-{'documents' if limit.endswith('documents') else 'storage'}.",
    )


def bytes_text(size: int) -> str:
    """Format a size in decimal units, e.g. `1.5 GB`."""
    for unit, factor in (("TB", 1000**4), ("GB", 1000**3), ("MB", 1000**2), ("kB", 1000)):
        if size >= factor:
            amount = size / factor
            return f"{amount:.0f} {unit}" if amount >= 100 or amount == int(amount) else f"{amount:.1f} {unit}"
    return f"{size} bytes"


def size_of(value: object) -> int:
    return len(_encode(value))
