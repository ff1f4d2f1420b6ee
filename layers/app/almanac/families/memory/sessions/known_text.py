"""Text that a project's memory already has, which is no news when a session repeats it."""

from collections.abc import Iterable, Iterator

from almanac.families.memory.core.likeness import nearly_same, same_words
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, Memory, MemoryKind, is_remembered
from almanac.families.memory.sessions.records import WINDOWS
from almanac.families.memory.statements.sentences import sentences_of

PINS = 100
EARLIER_WINDOWS = 8
COMPARED = 200
REPORTED = 20
_LASTING: tuple[MemoryKind, ...] = ("pinned", "semantic", "consolidated")


def newest(project: MemoryProject, kind: MemoryKind, limit: int) -> list[Memory]:
    """The newest memories of a kind that are remembered: of `limit`, and of what one read of the store brings."""
    page = project.rows(MEMORIES).query(kind, index="gsi1", reverse=True, limit=limit)
    return [memory for memory in page.records if is_remembered(memory, project.now())]


def alike_among_newest(project: MemoryProject, memory: Memory) -> list[tuple[str, str]]:
    """Pairs of its id and that of another, the most alike first; of the newest 200 memories of the project. They are
    reported, never merged."""
    others = [one for kind in _LASTING for one in newest(project, kind, COMPARED) if one.id != memory.id]
    others.sort(key=lambda one: one.at, reverse=True)
    found = sorted(nearly_same(memory, others[:COMPARED]), key=lambda one: (-one[0], one[1].id))
    return [(memory.id, other.id) for _, other in found[:REPORTED]]


def earlier_summaries(project: MemoryProject, session: str, before: int) -> list[Memory]:
    """The latest summaries of the session's turns before position `before`."""
    windows = project.rows(WINDOWS).query(session, until=before, reverse=True, limit=EARLIER_WINDOWS).records
    found = project.rows(MEMORIES).by_id(window.memory for window in windows if window.written)
    return [memory for memory in found.values() if is_remembered(memory, project.now())]


def known_sentences(memories: Iterable[Memory]) -> frozenset[str]:
    """Their sentences as `same_words`, with and without the name before them that says who said it."""
    said: set[str] = set()
    for memory in memories:
        spoken = (text for _, text in quoted_lines(memory.content))
        for text in (memory.content, *spoken):
            said.update(map(same_words, (text, *sentences_of(text))))
    return frozenset(said - {""})


def quoted_lines(summary: str) -> Iterator[tuple[str, str]]:
    """Yield the speaker and the words of each line of a summary."""
    for line in summary.splitlines():
        speaker, colon, text = line.partition(": ")
        yield (speaker, text) if colon else ("", line)
