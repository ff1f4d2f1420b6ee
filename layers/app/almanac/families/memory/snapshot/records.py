"""Stored records of snapshots: the time of each actor's last snapshot of a project.

P#<tenant>#<project>#snapshot_marks   <actor>   SnapshotMark
"""

from almanac.platform.store.records import Record, Table


class SnapshotMark(Record, frozen=True, kw_only=True):
    """The last snapshot of an actor. Changes from `at` on, in milliseconds since 1970, are new to the actor."""

    actor: str
    at: int


MARKS = Table(SnapshotMark, "snapshot_marks", sort=("actor",))
