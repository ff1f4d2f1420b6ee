"""Ports that read all data of one tenant, for exports and for counting. Each store adapter implements them."""

from collections.abc import Iterator, Mapping
from typing import Protocol

from msgspec import Struct

from almanac.kernel.caller import Scope
from almanac.platform.store.keys import Partition, past
from almanac.platform.store.port import Item


class TenantScan(Protocol):
    """Scan of one tenant's items. Both methods raise Unavailable if the backing service does not answer."""

    def items(self, tenant: str, *, expired: bool = False) -> Iterator[Item]:
        """Yield the items of the tenant and its projects. With `expired`, also expired ones that were not deleted yet.

        Large values appear as their marks. SQLite reads as of the instant of the first item, in key order. DynamoDB
        reads in the table's order, and an item that is written meanwhile may appear in its older or newer form.
        """
        ...

    def count(self, tenant: str) -> int | None:
        """Return the approximate number of items. None if only a scan could tell."""
        ...


class Usage(Struct, frozen=True):
    """Storage of a tenant: the `bytes` of its items with their large values, and its `documents`.

    Documents are the items of tables that hold the work of people and agents, without derived data. `tables` has the
    bytes of each table that was counted.
    """

    bytes: int = 0
    documents: int = 0
    tables: Mapping[str, int] = {}

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(self.bytes + other.bytes, self.documents + other.documents, self.tables or other.tables)


class CountsUsage(Protocol):
    """Port for counting storage. Raises Unavailable if the backing service does not answer."""

    def usage(self, tenant: str) -> Usage:
        """Count the tenant's stored items without expired ones. Takes as long as reading the tenant's data."""
        ...

    def version(self) -> object:
        """Return a value that changes with every write of any process."""
        ...


def registry_of(tenant: str) -> Partition:
    """Return the partition that registers a tenant's partitions on DynamoDB. It is empty on SQLite.

    Scans need it, so a deletion removes it last.
    """
    return Partition.system("partitions", tenant)


class TenantPartitions(Struct, frozen=True):
    """The partition texts of one tenant: `own` itself, and all texts that begin with one of `prefixes`."""

    own: str
    prefixes: tuple[str, str]

    def spans(self) -> tuple[tuple[str, str], ...]:
        """Return the texts as ordered ranges, each with its first text, included, and its end, excluded."""
        after_own = (self.own, self.own + "\0")
        return tuple(sorted([after_own, *((prefix, past(prefix) or "") for prefix in self.prefixes)]))


def partitions_of(tenant: str) -> TenantPartitions:
    """Return the partition texts of a tenant. Raises InvalidInput for an empty name."""
    own = Partition.in_tenant(Scope(tenant, "")).text
    below = Partition.in_tenant(Scope(tenant, ""), "-").text.removesuffix("-")
    projects = Partition.in_project(Scope(tenant, "-")).text.removesuffix("-")
    return TenantPartitions(own, (projects, below))
