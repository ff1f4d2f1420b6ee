"""The audit trail: which actor called a changing tool or ran a command, when, and how it ended. It holds no arguments.

A tenant's trail is kept for 90 days and shared by its projects. The deletion of a tenant is recorded outside of it:

    S#audit#<tenant>   <id>   AuditEntry
"""

import re
from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import DecodeError, Struct, ValidationError, json

from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.kernel.errors import InvalidInput
from almanac.kernel.ids import RandomBytes, ulid
from almanac.kernel.instants import now_ms
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import Put, Span, Store
from almanac.platform.store.records import Record, Table, readable
from almanac.protocol.invoke import DEFECT, Outcome
from almanac.protocol.tool import Call, Effect, Tool

KEPT_MS = 90 * 24 * 3600 * 1000
MAX_ENTRIES = 1000

_SUBJECT = re.compile(r"[\w.@:+=-]{1,128}", re.ASCII)
_ID = re.compile("[0-9A-HJKMNP-TV-Z]{26}")

Ending = Literal["done", "refused", "failed"]


class AuditEntry(Record, frozen=True, kw_only=True):
    """One call of a tool that may change something, or one command on keys, projects or the tenant.

    `subject` is the id of the thing that a call created or changed, if its answer names one. For a command, `tool` is
    the command's name, `actor` is `cli:` and the user of the machine, `key_id` is empty, and `subject` is the thing
    that the command changed. `outcome` is `done`, `refused` (with the error's `code`) for an error that the caller can
    avoid, or `failed` for a defect of the server. `answered` counts the characters of the answer's text; it is 0 for
    calls stored before they were counted. Calls of the same millisecond come in any order.
    """

    id: str
    at: int
    actor: str
    key_id: str
    project: str
    tool: str
    outcome: Ending
    code: str | None = None
    duration_ms: float
    expires_at: int
    subject: str | None = None
    answered: int = 0


AUDIT = Table(AuditEntry, "audit", sort=("id",), expires="expires_at", level="tenant")


class AuditPage(Struct, frozen=True):
    """Entries, newest first. Pass `before` to get the next page; it is None on the last one.

    `unreadable` are the sort keys of items in the trail that are not valid entries.
    """

    entries: Sequence[AuditEntry]
    before: str | None
    unreadable: Sequence[str] = ()


class Clerk:
    """Makes the audit entries for changes of keys, projects and tenants.

    An entry is written in the same atomic write as its change. `actor` makes the changes.
    """

    def __init__(self, store: Store, clock: Clock, random_bytes: RandomBytes, actor: str) -> None:
        self._store = store
        self._clock = clock
        self._random_bytes = random_bytes
        self._actor = actor

    def entry(self, tenant: str, command: str, *, project: str = "", subject: str | None = None) -> Put:
        """Return the change that adds an entry for a command to the tenant's trail."""
        return AUDIT.within(self._store, Scope(tenant, "")).put(self._new_entry(command, project, subject))

    def outside(self, tenant: str, command: str) -> Put:
        """Return the change that adds an entry to the trail outside of the tenant, which survives the tenant."""
        put = AUDIT.within(self._store, Scope(tenant, "")).put(self._new_entry(command, "", tenant))
        return Put(Key(outside_trail(tenant), put.key.sort), put.attributes, expires_at=put.expires_at)

    def note(self, tenant: str, command: str, *, subject: str | None = None) -> None:
        """Write an entry for a command that changes nothing, such as an export."""
        self._store.write([self.entry(tenant, command, subject=subject)])

    def _new_entry(self, command: str, project: str, subject: str | None) -> AuditEntry:
        at = now_ms(self._clock)
        return AuditEntry(
            id=ulid(at, self._random_bytes),
            at=at,
            actor=self._actor,
            key_id="",
            project=project,
            tool=command,
            outcome="done",
            duration_ms=0.0,
            expires_at=at + KEPT_MS,
            subject=subject,
        )


def outside_trail(tenant: str) -> Partition:
    return Partition.system("audit", tenant)


class AuditTrail:
    """Records calls of tools in the audit trail.

    If an entry cannot be written, the call has happened all the same and is answered. `report_lost` then gets the
    tool's name and the error.
    """

    def __init__(
        self, store: Store, clock: Clock, random_bytes: RandomBytes, report_lost: Callable[[str, BaseException], None]
    ) -> None:
        self._store = store
        self._clock = clock
        self._random_bytes = random_bytes
        self._report_lost = report_lost

    def record(self, tool: Tool, call: Call, outcome: Outcome, seconds: float) -> None:
        """Add an entry for a finished call, unless its tool only reads. Never raises."""
        if tool.effect is Effect.READS:
            return
        try:
            entry = self._entry(tool, call, outcome, seconds)
            self._store.write([AUDIT.within(self._store, call.caller.scope).insert(entry)])
        # The call was made, so the caller gets its answer even if the trail cannot be written.
        except Exception as lost:  # noqa: BLE001
            self._report_lost(tool.name, lost)

    def _entry(self, tool: Tool, call: Call, outcome: Outcome, seconds: float) -> AuditEntry:
        at = now_ms(self._clock)
        ending, code = _ending_of(outcome)
        return AuditEntry(
            id=ulid(at, self._random_bytes),
            at=at,
            actor=call.caller.actor,
            key_id=call.caller.key_id,
            project=call.caller.scope.project,
            tool=tool.name,
            outcome=ending,
            code=code,
            duration_ms=round(seconds * 1000, 3),
            expires_at=at + KEPT_MS,
            subject=_subject(outcome) if code is None else None,
            answered=sum(len(str(block.get("text", ""))) for block in outcome.content),
        )


def audit_page(
    store: Store, tenant: str, *, limit: int, before: str | None = None, is_deleted: bool = False
) -> AuditPage:
    """Return up to `limit` (1 to 1000) audit entries of the tenant that are older than the id `before`, newest first.

    With `is_deleted`, return the entries that outlive a deleted tenant.
    """
    if not 1 <= limit <= MAX_ENTRIES:
        raise InvalidInput(f"limit is 1 to {MAX_ENTRIES}, not {limit}.", "Read several pages.", path="limit")
    if before is not None and not _ID.fullmatch(before):
        raise InvalidInput(
            f"{before[:40]!r} is not the id of an entry.", "Use the one from the previous page.", path="before"
        )
    trail = outside_trail(tenant) if is_deleted else AUDIT.partition(Scope(tenant, ""), AUDIT.own, ())
    entries: list[AuditEntry] = []
    unreadable: list[str] = []
    cursor, last = None, before
    span = Span(None, sort_key(before) if before is not None else None)
    # A page of the store also ends at 1 MB, so read on until this page is full.
    while (left := limit - len(entries) - len(unreadable)) > 0:
        page = store.query(trail, span=span, reverse=True, limit=left, cursor=cursor)
        for item in page.items:
            entry = readable(item, AUDIT.read)
            entries.append(entry) if entry is not None else unreadable.append(item.key.sort[:64])
        if (cursor := page.cursor) is None:
            return AuditPage(entries, None, unreadable)
        last = page.items[-1].key.sort
    return AuditPage(entries, last, unreadable)


class _Id(Struct):
    id: str | None = None
    fact_id: str | None = None
    deleted: bool | list[str] = False


class _Answer(_Id):
    """Fields in which the answers of tools hold the id of a created or changed thing."""

    memory_id: str | None = None
    turn_id: str | None = None
    data: _Id | None = None
    memory: _Id | None = None
    fact: _Id | None = None
    message: _Id | None = None
    review: _Id | None = None


_decode_answer = json.Decoder(_Answer).decode


def _subject(outcome: Outcome) -> str | None:
    """Return the id of the thing that a call created or changed. None if the answer names none."""
    if outcome.structured is None:
        return None
    try:
        answer = _decode_answer(outcome.structured)
    except (DecodeError, ValidationError):
        return None
    inner = answer.data or answer.memory or answer.fact or answer.message or answer.review or answer
    deleted_id = inner.deleted[0] if isinstance(inner.deleted, list) and len(inner.deleted) == 1 else None
    subject = inner.fact_id or inner.id or answer.id or answer.memory_id or answer.turn_id or deleted_id
    return subject if subject is not None and _SUBJECT.fullmatch(subject) else None


def _ending_of(outcome: Outcome) -> tuple[Ending, str | None]:
    if outcome.error is None:
        return "done", None
    return ("failed", None) if outcome.error == DEFECT else ("refused", outcome.error)
