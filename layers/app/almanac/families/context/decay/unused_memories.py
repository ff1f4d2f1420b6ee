"""Decay of layer 3: a memory that no caller used for weeks is forgotten. It can be restored like any other.

    score = .3 exp(-age / 2D) + .7 exp(-since last use / D) + min(uses / 10, .5), D = 14 days

A memory with a score below .2 is forgotten. Pinned memories never decay. A memory that names a future day does not
decay before that day is over. Layer 2 does not decay.
"""

import math
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from almanac.families.context.decay.records import ROUNDS, FadingRound
from almanac.families.memory.core.memory import MemoryProject, system_memory
from almanac.families.memory.core.records import FADED_MEMORIES, FADES_AFTER_MS, MEMORIES, Memory, is_remembered
from almanac.families.memory.memories.forget_and_restore import fade_changes
from almanac.families.memory.memories.salience import last_day_ends
from almanac.kernel.caller import Scope
from almanac.platform.declaration.jobs import Job
from almanac.platform.services import Services
from almanac.platform.store.port import ConditionFailed

DAY_MS = 86_400_000
D_MS = 14 * DAY_MS
LEAST = 0.2
_HOUR_MS = 3_600_000
_LOOKED_AT = 500
_FORGOTTEN = 100


def score(memory: Memory, now: int) -> float:
    """Return how present a memory of layer 3 is, from 0 to 1.5."""
    age = max(0, now - memory.at)
    unused = max(0, now - max(memory.at, memory.used_at))
    return 0.3 * math.exp(-age / (2 * D_MS)) + 0.7 * math.exp(-unused / D_MS) + min(memory.uses / 10, 0.5)


def fades(memory: Memory, now: int) -> bool:
    """Return whether the memory has decayed enough to be forgotten now."""
    if memory.kind != "semantic" or not is_remembered(memory, now) or score(memory, now) >= LEAST:
        return False
    ends = last_day_ends(memory)
    return ends is None or ends <= now


def forget_faded(services: Services, scope: Scope) -> None:
    """Check up to 500 shared memories from where the last run ended, and forget up to 100."""
    if scope != scope.shared:
        return
    project = system_memory(services, scope)
    rounds = project.rows(ROUNDS)
    start = rounds.get() or FadingRound(next_at=0)
    following = _forget_from(project, start)
    if following != start:
        project.store.write([rounds.put(following)])


def _forget_from(project: MemoryProject, start: FadingRound) -> FadingRound:
    """Forget decayed memories, and return where the next run begins; at 0 after the last one."""
    now, gone, looked_at, reached = project.now(), 0, 0, start
    for memory in islice(_memories(project, start, now - FADES_AFTER_MS), _LOOKED_AT):
        looked_at, reached = looked_at + 1, FadingRound(next_at=memory.at, after=memory.id)
        if fades(memory, now):
            # Another writer used, changed or forgot it at the same moment.
            with suppress(ConditionFailed):
                project.store.write(fade_changes(project, memory))
            gone += 1
        if gone == _FORGOTTEN:
            return reached
    return FadingRound(next_at=0) if looked_at < _LOOKED_AT else reached


def _memories(project: MemoryProject, start: FadingRound, until: int) -> Iterator[Memory]:
    """Yield memories in the order of time and id, from where the last run ended. Many may have the same time."""
    rows, at = project.rows(MEMORIES), start.next_at
    if start.after and at < until:
        # Appending "0" gives the smallest id that sorts after this one.
        yield from rows.every("semantic", at, since=f"{start.after}0", index="gsi1")
        at += 1
    yield from rows.every("semantic", since=at, until=until, index="gsi1")


def next_fading(services: Services, scope: Scope) -> int | None:
    """Return when the job runs next: in an hour during a round, otherwise in a day or when the oldest memory may
    decay."""
    if scope != scope.shared:
        return None
    project = system_memory(services, scope)
    oldest = project.rows(MEMORIES).query("semantic", index="gsi1", limit=1).records
    if not oldest:
        return None
    if (running := project.rows(ROUNDS).get()) is not None and running.next_at:
        return project.now() + _HOUR_MS
    return max(oldest[0].at + FADES_AFTER_MS, project.now() + DAY_MS)


FADE = Job(FADED_MEMORIES, 3600, forget_faded, next_fading)
