"""Selection of the memories to summarise: old, unpinned ones of a layer that name no future day."""

from itertools import islice

from msgspec import Struct

from almanac.families.context.core.types import type_of
from almanac.families.memory.core.documents import place_tags
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, Memory, is_remembered
from almanac.families.memory.memories.salience import last_day_ends

SUMMARY = "summary"
MOST = 200
"""Maximum originals of one summary."""
MOST_READ = 5_000
"""Memories read in one call. Originals of earlier summaries come last."""
_PAGE = 100


class Choice(Struct, frozen=True, kw_only=True):
    """The memories to summarise: from before `until`, in milliseconds since 1970. `types` None means all types except
    `without`. `place` limits them to that path and those inside it."""

    until: int
    types: frozenset[str] | None = None
    without: frozenset[str] = frozenset()
    place: str | None = None


class Originals(Struct, frozen=True):
    """The selected memories, the oldest first. `more`: there are others, or the read limit was reached."""

    memories: tuple[Memory, ...]
    more: bool


def originals(project: MemoryProject, choice: Choice) -> Originals:
    """Return the latest 200 memories to summarise. Older ones are left for the next call."""
    found: list[Memory] = []
    now = project.now()
    rows = project.rows(MEMORIES).every("semantic", until=choice.until, index="gsi1", reverse=True, page=_PAGE)
    read = 0
    for memory in islice(rows, MOST_READ):
        read += 1
        if _is_chosen(memory, choice, now):
            if len(found) == MOST:
                return Originals(tuple(reversed(found)), more=True)
            found.append(memory)
    return Originals(tuple(reversed(found)), more=read == MOST_READ)


def _is_chosen(memory: Memory, choice: Choice, now: int) -> bool:
    kind = type_of(memory)
    if not is_remembered(memory, now) or kind == SUMMARY or kind in choice.without:
        return False
    # A memory that lapses must leave no text behind in a summary.
    if memory.lapses_at is not None or (choice.types is not None and kind not in choice.types):
        return False
    if choice.place is not None and place_tags(choice.place)[-1] not in place_tags(memory.place):
        return False
    ends = last_day_ends(memory)
    return ends is None or ends <= now
