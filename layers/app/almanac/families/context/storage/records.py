"""Stored records of layer 1: what each session works with. Instants are milliseconds since 1970.

P#<tenant>#<project>#working_sets   <name>   WorkingSet
"""

from msgspec import Struct

from almanac.platform.store.records import Table, VersionedRecord


class WorkingEntry(Struct, frozen=True, array_like=True):
    """A working memory of the set. Two with the same `mark` are about the same slot, or say the same."""

    id: str
    mark: str
    lapses_at: int


class WorkingSet(VersionedRecord, frozen=True, kw_only=True):
    """The working memories of a session, or of none, the oldest first, some of which may be gone by now. It ends with
    the last of them, so that sessions that are named once leave nothing."""

    name: str
    entries: tuple[WorkingEntry, ...]
    expires_at: int


WORKING_SETS = Table(WorkingSet, "working_sets", sort=("name",), expires="expires_at")


def set_name(session: str | None) -> str:
    return "none" if session is None else f"session:{session}"
