"""Windows of a text: each sentence, and each two that follow each other."""

from collections.abc import Iterator
from dataclasses import dataclass

from almanac.content.injections.features import FeaturesOfSentence, across, grouped
from almanac.content.injections.sentences import sentences


@dataclass(frozen=True, slots=True)
class Window:
    """Part of a text with its features; `start` to `end` is where it stands, `first` its first word of `words`."""

    start: int
    end: int
    first: str
    words: int
    present: tuple[int, ...]
    lexical: set[int]
    conceptual: set[int]


def windows(text: str) -> Iterator[Window]:
    """Yield the windows of `text`, which is lower case without accents, in order."""
    known: dict[str, tuple[int, ...]] = {}
    before: FeaturesOfSentence | None = None
    start, first, words = 0, "", 0
    for sentence in sentences(text):
        one = FeaturesOfSentence(sentence, known)
        if len(one.present) > 1:
            together = one.conceptual | grouped(one.present)
            yield Window(
                sentence.start, sentence.end, sentence.words[0], len(sentence.words), one.present, one.lexical, together
            )
        if before is not None and before.present and one.present and len(before.present) + len(one.present) > 2:
            present = tuple(dict.fromkeys((*before.present, *one.present)))
            together = before.conceptual | one.conceptual | across(before, one) | grouped(present)
            yield Window(
                start, sentence.end, first, words + len(sentence.words), present, before.lexical | one.lexical, together
            )
        before, start, first, words = one, sentence.start, sentence.words[0], len(sentence.words)
