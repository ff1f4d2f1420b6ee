"""Merge the summaries of sessions that have been quiet for a day into reflections, once a night.

A reflection merges up to 20 summaries. The work of a run is bounded, and the rest waits for the next night. Each
summary is merged only once; its window names the reflection.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.families.memory.core.memory import MemoryProject, digest_of
from almanac.families.memory.core.records import MEMORIES, SESSIONS, Memory, Step, is_remembered
from almanac.families.memory.edges.sources import source_changes
from almanac.families.memory.memories.near_duplicates import near_duplicates_among_newest, newest
from almanac.families.memory.memories.salience import FIRST
from almanac.families.memory.sessions.consolidation import completion_event
from almanac.families.memory.sessions.known_text import PINS, comparable_sentences, split_speakers
from almanac.families.memory.sessions.records import (
    FROM_HOUR,
    QUIET_MS,
    REFLECTION_DAYS,
    WINDOWS,
    ReflectionDay,
    Window,
)
from almanac.families.memory.sessions.summary import Summary, summarise
from almanac.families.memory.statements.passages import SpokenTurn
from almanac.kernel.ids import ulid
from almanac.kernel.instants import instant_at
from almanac.platform.store.conditions import Absent, Equals, Less
from almanac.platform.store.port import Change, Check, ConditionFailed
from almanac.platform.store.records import replace

OF_A_REFLECTION = 20
REFLECTIONS_OF_A_RUN = 25
CHARACTERS = 2_400
_MOST_WINDOWS = 2_000
"""Most windows that are read in one run, merged or not."""


class Source(Struct, frozen=True):
    """A summary to merge, and its window."""

    window: Window
    memory: Memory


def reflect_nightly(project: MemoryProject) -> int:
    """Make reflections at the first call after 03:00 UTC of a day, and return their number. Other calls return 0."""
    now = project.clock.now().astimezone(UTC)
    if now.hour < FROM_HOUR or not _claim_day(project, now):
        return 0
    count = 0
    for batch in _batches(project):
        try:
            count += _merge(project, batch)
        except ConditionFailed:
            continue  # a source was forgotten or merged a moment ago; the rest of the batch waits for the next night
    return count


def reflection_of(project: MemoryProject, memories: Sequence[Memory]) -> Summary:
    """Return a summary of several summaries. Each line starts with its day."""
    lines = [
        SpokenTurn(memory.id, f"{_day(memory.from_at or memory.at)} {speaker}".strip(), text)
        for memory in memories
        for speaker, text in split_speakers(memory.content)
    ]
    return summarise(lines, comparable_sentences(newest(project, "pinned", PINS)), characters=CHARACTERS)


def _claim_day(project: MemoryProject, now: datetime) -> bool:
    """Claim the day for this call, and return whether no earlier call had claimed it."""
    rows, today = project.rows(REFLECTION_DAYS), now.date().isoformat()
    last = rows.get()
    if last is not None and last.day >= today:
        return False
    try:
        project.store.write([rows.put(ReflectionDay(day=today), Absent() | Less("day", today))])
    except ConditionFailed:
        return False
    return True


def _batches(project: MemoryProject) -> list[list[Source]]:
    """Return the oldest summaries of quiet sessions in batches. A single summary waits for others to join it."""
    until = project.now() - QUIET_MS
    windows = islice(project.rows(WINDOWS).every(until=until, index="gsi1", page=100), _MOST_WINDOWS)
    quiet: dict[str, bool] = {}
    quiet_windows: list[Window] = []
    for window in windows:
        if window.session not in quiet:
            quiet[window.session] = _is_quiet(project, window.session, until)
        if quiet[window.session]:
            quiet_windows.append(window)
        if len(quiet_windows) == OF_A_REFLECTION * REFLECTIONS_OF_A_RUN:
            break
    sources = _sources(project, quiet_windows)
    batches = [sources[start : start + OF_A_REFLECTION] for start in range(0, len(sources), OF_A_REFLECTION)]
    return [batch for batch in batches if len(batch) > 1]


def _is_quiet(project: MemoryProject, session_id: str, until: int) -> bool:
    session = project.rows(SESSIONS).get(session_id)
    return session is None or (session.last_at < until and session.due_at is None)


def _sources(project: MemoryProject, windows: Sequence[Window]) -> list[Source]:
    """Return the remembered summaries of the windows. If a memory was deleted, take its window off the waiting list."""
    memories = project.rows(MEMORIES).by_id(window.memory for window in windows)
    sources: list[Source] = []
    for window in windows:
        memory = memories.get(window.memory)
        if memory is None:
            with suppress(ConditionFailed):
                project.store.write([replace(project.rows(WINDOWS), altered(window, open_at=None))])
        elif is_remembered(memory, project.now()):
            sources.append(Source(window, memory))
    return sources


def _merge(project: MemoryProject, sources: Sequence[Source]) -> bool:
    memories = [source.memory for source in sources]
    summary = reflection_of(project, memories)
    if not summary.text:
        return False
    memory = _build_reflection(project, memories, summary)
    doubles = near_duplicates_among_newest(project, memory)
    turns = sum(int(one.metadata.get("turns", 0)) for one in memories)
    completion = completion_event(project, memory, turns, doubles)
    windows, stored = project.rows(WINDOWS), project.rows(MEMORIES)
    merged = (altered(source.window, open_at=None, reflection=memory.id) for source in sources)
    unchanged: list[Change] = [Check(stored.key(one.id), Equals("version", one.version)) for one in memories]
    project.store.write(
        [
            *project.put(memory, is_new=True, events=[completion]),
            *source_changes(project, memory),
            *(replace(windows, window) for window in merged),
            *unchanged,
        ]
    )
    return True


def _build_reflection(project: MemoryProject, memories: Sequence[Memory], summary: Summary) -> Memory:
    """Return the memory of the reflection.

    All merged memories are its sources, even those that it does not quote, because each is merged only once."""
    now = project.now()
    digest = bytes.fromhex(digest_of("reflection", *(one.id for one in memories)))
    last = max(one.to_at or one.at for one in memories)
    return Memory(
        id=ulid(now, lambda count: digest[:count]),
        kind="reflection",
        content=summary.text,
        at=last,
        recorded_at=now,
        salience=FIRST["reflection"],
        used_at=now,
        actor=project.actor,
        metadata={"memories": len(memories), "sessions": len({one.session for one in memories})},
        redacted=tuple(dict.fromkeys(kind for one in memories for kind in one.redacted)),
        derived_from=tuple(one.id for one in memories),
        from_at=min(one.from_at or one.at for one in memories),
        to_at=last,
        history=(Step(now, "recorded", project.actor),),
    )


def _day(at: int) -> str:
    return instant_at(at).date().isoformat()
