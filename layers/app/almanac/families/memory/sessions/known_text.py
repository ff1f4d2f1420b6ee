"""Text that a project's memory already has. It is no news if a session repeats it."""

from collections.abc import Iterable, Iterator

from almanac.families.memory.core.likeness import same_words
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, Memory, is_remembered
from almanac.families.memory.sessions.records import WINDOWS
from almanac.families.memory.statements.sentences import sentences_of

PINS = 100
EARLIER_WINDOWS = 8


def earlier_summaries(project: MemoryProject, session: str, before: int) -> list[Memory]:
    """Return the latest summaries of the session's turns before position `before`."""
    windows = project.rows(WINDOWS).query(session, until=before, reverse=True, limit=EARLIER_WINDOWS).records
    found = project.rows(MEMORIES).by_id(window.memory for window in windows if window.written)
    return [memory for memory in found.values() if is_remembered(memory, project.now())]


def known_sentences(memories: Iterable[Memory]) -> frozenset[str]:
    """Return the sentences of memories in the form of `same_words`, with and without the speaker's name before them."""
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
