"""Stored records of reports: earlier reports and the sessions of agents. Instants are milliseconds since 1970.

P#<tenant>#<project>#reported_before   <digest>   ReportedBefore
P#<tenant>#<project>#work_sessions     <id>       WorkSession
"""

from almanac.platform.store.records import Record, Table, VersionedRecord

REMEMBERED_MS = 400 * 86_400_000
SESSION_MS = 7 * 86_400_000
"""Time without reports after which a session is over."""


class ReportedBefore(Record, frozen=True, kw_only=True):
    """The memory that a report created. Equal reports have equal digests."""

    digest: str
    memory: str
    expires_at: int


class WorkSession(VersionedRecord, frozen=True, kw_only=True):
    """A session of an agent. `id` is a digest of its name. `started_at` is None if no program reported the start,
    `ended_at` while it goes on. The remaining fields count reports."""

    id: str
    cli: str
    first_at: int
    last_at: int
    expires_at: int
    started_at: int | None = None
    ended_at: int | None = None
    place: str | None = None
    files: int = 0
    commands: int = 0
    errors: int = 0
    decisions: int = 0
    patterns: int = 0
    feedback: int = 0


BEFORE = Table(ReportedBefore, "reported_before", sort=("digest",), expires="expires_at")
WORK_SESSIONS = Table(WorkSession, "work_sessions", sort=("id",), expires="expires_at")
