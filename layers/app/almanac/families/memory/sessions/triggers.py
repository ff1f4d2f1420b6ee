"""Triggers of summaries: recorded turns, the clock, and forgotten or restored memories."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC
from zlib import crc32

from almanac.families.memory.core.event_kinds import (
    MEMORY_FORGOTTEN,
    MEMORY_RESTORED,
    MEMORY_SUPERSEDED,
    TURN_RECORDED,
)
from almanac.families.memory.core.memory import MemoryProject, system_memory
from almanac.families.memory.core.records import DUE_SESSIONS, SESSIONS, Turn
from almanac.families.memory.sessions.consolidation import SkippedConsolidation, consolidate
from almanac.families.memory.sessions.records import (
    FROM_HOUR,
    QUIET_MS,
    QUIET_SESSIONS,
    REFLECTION_DAYS,
    WINDOWS,
    night_after,
)
from almanac.families.memory.sessions.reflections import reflect_nightly
from almanac.families.memory.sessions.summary_rewrites import rewrites_after_summary, rewrites_after_turn
from almanac.families.memory.sessions.windows import DUE_TURNS, is_due
from almanac.kernel.caller import Scope
from almanac.kernel.errors import AlmanacError
from almanac.kernel.events import Event
from almanac.platform.bus.port import Reaction
from almanac.platform.declaration.jobs import Job
from almanac.platform.due.next_due import earliest
from almanac.platform.due.records import due_put
from almanac.platform.due.scheduling_store import Schedule
from almanac.platform.services import Services
from almanac.platform.store.port import Change

SESSIONS_OF_A_RUN = 100
_DAY_MS, _HOUR_MS = 86_400_000, 3_600_000
_first_open = earliest(WINDOWS, "open_at", "gsi1")
WINDOWS_OF_A_SESSION = 10
"""Most windows of a session that are summarised in one run. A long imported session takes several runs."""


def summarise_when_due(event: Event, services: Services) -> Sequence[Change]:
    """Summarise the session of a turn once 20 of its turns wait, and schedule the job for turns that are due later.

    The function itself writes the summary, apart from the returned changes. A repeated reaction finds nothing to do,
    and turns that arrive meanwhile do not stop it."""
    session_id = event.payload.get("session_id")
    if isinstance(session_id, str) and session_id:
        project = system_memory(services, event.scope)
        session = project.rows(SESSIONS).get(session_id)
        if session is not None and session.turns - session.summarised >= DUE_TURNS:
            consolidate(project, session_id)
        if session is not None:
            schedule = services.get(Schedule)
            due = schedule.needed_items(SESSIONS.wakes_of(event.scope, session))
            return [due_put(schedule.store, each) for each in due]
    return ()


def summarise_again(event: Event, services: Services) -> Sequence[Change]:
    """Rewrite the summaries and reflections of a turn or summary that was forgotten, restored or superseded."""
    project = system_memory(services, event.scope)
    record = project.find(str(event.payload.get("memory_id")))
    if isinstance(record, Turn):
        return rewrites_after_turn(project, record)
    return rewrites_after_summary(project, record) if record is not None and record.kind == "consolidated" else ()


def summarise_due(services: Services, scope: Scope) -> None:
    """Summarise the sessions that are due, the longest waiting first."""
    project = system_memory(services, scope)
    due = project.rows(SESSIONS).query(until=project.now() + 1, index="gsi1", limit=SESSIONS_OF_A_RUN).records
    for session in due:
        # A session that cannot be summarised now must not keep the others waiting.
        with suppress(AlmanacError):
            _summarise(project, session.id)


def reflect(services: Services, scope: Scope) -> None:
    """Merge the summaries of quiet sessions, once a day."""
    reflect_nightly(system_memory(services, scope))


def _summarise(project: MemoryProject, session_id: str) -> None:
    for _ in range(WINDOWS_OF_A_SESSION):
        result = consolidate(project, session_id)
        session = project.rows(SESSIONS).get(session_id)
        if (
            session is None
            or not is_due(session, project.now())
            or (isinstance(result, SkippedConsolidation) and not result.passed_over)
        ):
            return


REACTIONS = (
    Reaction("memory.summarise_turns", frozenset([TURN_RECORDED]), summarise_when_due, repeatable=True),
    Reaction(
        "memory.summarise_again",
        frozenset([MEMORY_FORGOTTEN, MEMORY_RESTORED, MEMORY_SUPERSEDED]),
        summarise_again,
    ),
)


def next_night(services: Services, scope: Scope) -> int | None:
    """Return the instant of the next reflections, in the night after the first waiting session becomes quiet.

    Projects are spread over the hour. None if no session waits."""
    first = _first_open(services, scope)
    if first is None:
        return None
    project = system_memory(services, scope)
    now, last = project.clock.now().astimezone(UTC), project.rows(REFLECTION_DAYS).get()
    is_over = now.hour < FROM_HOUR or (last is not None and last.day >= now.date().isoformat())
    since = project.now() if is_over else project.now() - _DAY_MS
    return night_after(max(first + QUIET_MS, since)) + crc32(f"{scope.tenant}/{scope.project}".encode()) % _HOUR_MS


JOBS = (
    Job(DUE_SESSIONS, 60, summarise_due, earliest(SESSIONS, "due_at", "gsi1")),
    Job(QUIET_SESSIONS, 600, reflect, next_night),
)
