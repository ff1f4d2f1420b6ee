"""Read text that a project's memory already has. A summary leaves it out when a session repeats it."""

from collections.abc import Iterable, Iterator

from almanac.families.memory.core.likeness import same_words
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, Memory, is_remembered
from almanac.families.memory.sessions.records import WINDOWS
from almanac.families.memory.statements.sentences import sentences_of

PINS = 100
EARLIER_WINDOWS = 8


def earlier_summaries(project: MemoryProject, session: str, before: int) -> list[Memory]:
    """Return the latest remembered summaries of the session's turns before position `before`."""
    windows = project.rows(WINDOWS).query(session, until=before, reverse=True, limit=EARLIER_WINDOWS).records
    memories = project.rows(MEMORIES).by_id(window.memory for window in windows if window.written)
    return [memory for memory in memories.values() if is_remembered(memory, project.now())]


def comparable_sentences(memories: Iterable[Memory]) -> frozenset[str]:
    """Return the sentences of memories in the normal form of `same_words`, so that repetitions compare as equal.

    Each sentence of a summary is included with and without its speaker's name."""
    sentences: set[str] = set()
    for memory in memories:
        quotes = (text for _, text in split_speakers(memory.content))
        for text in (memory.content, *quotes):
            sentences.update(map(same_words, (text, *sentences_of(text))))
    return frozenset(sentences - {""})


def split_speakers(summary: str) -> Iterator[tuple[str, str]]:
    """Yield the speaker and the words of each line of a summary; the speaker is "" if the line names none."""
    for line in summary.splitlines():
        speaker, colon, text = line.partition(": ")
        yield (speaker, text) if colon else ("", line)
