"""Stored records of layer 1: the working memories of each session. Instants are milliseconds since 1970."""

from msgspec import Struct

from almanac.platform.store.records import Table, VersionedRecord


class WorkingEntry(Struct, frozen=True, array_like=True):
    """A working memory in a set. Entries with the same `mark` have the same slot or the same text."""

    id: str
    mark: str
    lapses_at: int


class WorkingSet(VersionedRecord, frozen=True, kw_only=True):
    """The working memories of a session, or of calls without one, the oldest first. Some may be gone already. The set
    expires with its last memory, so that sessions used once leave nothing behind."""

    name: str
    entries: tuple[WorkingEntry, ...]
    expires_at: int


WORKING_SETS = Table(WorkingSet, "working_sets", sort=("name",), expires="expires_at")


def set_name(session: str | None) -> str:
    return "none" if session is None else f"session:{session}"
