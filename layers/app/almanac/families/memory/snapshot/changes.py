"""Read the changes since a caller's last snapshot: of facts, and memories that were pinned or forgotten."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Literal, get_args

from msgspec import Struct

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import KEPT_FORGOTTEN_MS, MEMORIES, MemoryKind, is_remembered
from almanac.families.memory.memories.records import PURGES
from almanac.families.memory.snapshot.budget import Candidate
from almanac.families.memory.snapshot.records import MARKS, SnapshotMark
from almanac.families.team.core.quoted_texts import TextQuoter
from almanac.kernel.errors import AlmanacError
from almanac.kernel.ids import ulid
from almanac.platform.declaration.known_facts import FactChanges, KnownFacts

_MOST = 50
_ROWS_READ = 300
"""Most rows of each kind of change that are read. The answer says whether there are more."""

What = Literal["fact_recorded", "fact_superseded", "fact_ended", "fact_restored", "memory_pinned", "memory_forgotten"]
_CHANGE_NAMES: dict[str, What] = {
    "recorded": "fact_recorded",
    "superseded": "fact_superseded",
    "ended": "fact_ended",
    "restored": "fact_restored",
}


class SnapshotChange(Struct, frozen=True, omit_defaults=True):
    """`at`: when it happened. `text`: a fact with the time when it is true, or a memory; the text of a forgotten one is
    absent.
    """

    what: What
    id: str
    at: int
    text: str = ""
    cut: bool = False
    notes: tuple[str, ...] = ()


class Since(Struct, frozen=True):
    """The changes from `since` on, latest first, as candidates for rows. `more`: there are others.

    `since` is None if the caller sets no time and has had no snapshot before."""

    since: int | None = None
    candidates: tuple[Candidate, ...] = ()
    more: bool = False


def changes_since(project: MemoryProject, facts: KnownFacts | None, since: int | None) -> Since:
    """Return the changes from `since` on, or from the caller's last snapshot on if it is None.

    There are no changes if this is the caller's first snapshot."""
    if since is None:
        mark = project.rows(MARKS).get(project.actor)
        since = mark.at if mark is not None else None
    if since is None:
        return Since()
    fact_changes = facts.changes_since(project.scope, since, project.zone) if facts is not None else FactChanges()
    parts = [_list_pinned(project, since), _list_forgotten(project, since)]
    if project.shared is not None:
        parts += [_list_pinned(project.shared, since), _list_forgotten(project.shared, since, ("pinned",))]
    rows = [*_fact_changes(fact_changes), *(row for rows, _ in parts for row in rows)]
    rows.sort(key=lambda one: (-one.at, one.id))
    more = fact_changes.more or len(rows) > _MOST or any(unread for _, unread in parts)
    return Since(since, tuple(map(_candidate, rows[:_MOST])), more)


def mark(project: MemoryProject, at: int) -> None:
    """Store that the caller has seen the changes before `at`. A failure does not stop the answer."""
    with suppress(AlmanacError):
        project.store.write([project.rows(MARKS).put(SnapshotMark(actor=project.actor, at=at))])


def _fact_changes(changes: FactChanges) -> Iterator[SnapshotChange]:
    for one in changes.changes:
        yield SnapshotChange(_CHANGE_NAMES[one.what], one.fact.id, one.at, one.fact.sentence)


def _list_pinned(project: MemoryProject, since: int) -> tuple[list[SnapshotChange], bool]:
    """Return the memories pinned from `since` on, and whether older ones among them were left unread.

    Ids begin with the instant of recording, so the store can read from `since` on."""
    now = project.now()
    recorded = iter(project.rows(MEMORIES).every(since=ulid(since, bytes), reverse=True))
    rows = [
        SnapshotChange("memory_pinned", one.id, one.recorded_at, one.content)
        for one in islice(recorded, _ROWS_READ)
        if one.kind == "pinned" and is_remembered(one, now)
    ]
    return rows, next(recorded, None) is not None


def _list_forgotten(
    project: MemoryProject, since: int, kinds: Sequence[MemoryKind] = get_args(MemoryKind)
) -> tuple[list[SnapshotChange], bool]:
    """Return the memories forgotten from `since` on, and whether older ones among them were left unread.

    A forgotten memory is listed until its purge, which comes a fixed time later. The caller asks the shared project for
    pinned memories only, because the others fade by themselves, in large numbers."""
    purges = iter(project.rows(PURGES).every(since=since + KEPT_FORGOTTEN_MS, reverse=True))
    rows = [
        SnapshotChange("memory_forgotten", one.id, one.purge_at - KEPT_FORGOTTEN_MS)
        for one in islice(purges, _ROWS_READ)
        if one.kind in kinds
    ]
    return rows, next(purges, None) is not None


def _candidate(change: SnapshotChange) -> Candidate:
    def row(text: str, cut: bool) -> SnapshotChange:
        quoting = TextQuoter()
        quoted = quoting.text("text", text)
        return SnapshotChange(change.what, change.id, change.at, quoted, cut, quoting.notes)

    return Candidate(change.text, row)
