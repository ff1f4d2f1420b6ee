"""Stored records of snapshots: when each actor was last told what a project remembers.

P#<tenant>#<project>#snapshot_marks   <actor>   SnapshotMark
"""

from almanac.platform.store.records import Record, Table


class SnapshotMark(Record, frozen=True, kw_only=True):
    """`at`, in milliseconds since 1970: what changed from then on is new to the actor."""

    actor: str
    at: int


MARKS = Table(SnapshotMark, "snapshot_marks", sort=("actor",))
