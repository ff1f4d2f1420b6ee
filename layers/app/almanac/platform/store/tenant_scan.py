"""The ports that read everything of one tenant, for exports and to count it. Stores implement them beside their own."""

from collections.abc import Iterator, Mapping
from typing import Protocol

from msgspec import Struct

from almanac.kernel.caller import Scope
from almanac.platform.store.keys import Partition, past
from almanac.platform.store.port import Item


class TenantScan(Protocol):
    """Both methods raise Unavailable when the backing service does not answer."""

    def items(self, tenant: str, *, expired: bool = False) -> Iterator[Item]:
        """Yield the live items in the partitions of the tenant and its projects; with `expired` also expired items not
        yet swept.

        Large values appear as the marks that the store keeps. SQLite reads as of the instant of the first item, in key
        order. DynamoDB reads in the table's order, and an item written meanwhile may appear in its older or newer form.
        """
        ...

    def count(self, tenant: str) -> int | None:
        """About how many items there are; None where only a scan could tell."""
        ...


class Usage(Struct, frozen=True):
    """Storage used by a tenant: `bytes` of items with their large values, and `documents`.

    Documents are the items of tables that hold what people and agents write, without derived data. `tables` are the
    bytes of each table that was counted.
    """

    bytes: int = 0
    documents: int = 0
    tables: Mapping[str, int] = {}

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(self.bytes + other.bytes, self.documents + other.documents, self.tables or other.tables)


class CountsUsage(Protocol):
    """Raises Unavailable when the backing service does not answer."""

    def usage(self, tenant: str) -> Usage:
        """Exactly what is stored now, without what has expired. It takes as long as reading the tenant's data."""
        ...

    def version(self) -> object:
        """Another value after every write, of whichever process."""
        ...


def registry_of(tenant: str) -> Partition:
    """The partition with the names of a tenant's partitions on DynamoDB; empty on SQLite. A scan needs them, so a
    deletion removes them last."""
    return Partition.system("partitions", tenant)


class TenantPartitions(Struct, frozen=True):
    """Partition texts of one tenant: all that begin with `prefixes`, and `own` itself."""

    own: str
    prefixes: tuple[str, str]

    def spans(self) -> tuple[tuple[str, str], ...]:
        """The same as ranges in order, each with its first text, included, and its end, excluded."""
        after_own = (self.own, self.own + "\0")
        return tuple(sorted([after_own, *((prefix, past(prefix) or "") for prefix in self.prefixes)]))


def partitions_of(tenant: str) -> TenantPartitions:
    """Raises InvalidInput for an empty name."""
    own = Partition.in_tenant(Scope(tenant, "")).text
    below = Partition.in_tenant(Scope(tenant, ""), "-").text.removesuffix("-")
    projects = Partition.in_project(Scope(tenant, "-")).text.removesuffix("-")
    return TenantPartitions(own, (projects, below))
