"""Selection of the code patterns that fit the current work."""

from collections.abc import Iterable

from almanac.families.context.core.types import type_of
from almanac.families.context.recall.matches import Match
from almanac.families.context.window.window_request import WindowRequest
from almanac.families.memory.core.documents import file_of, language_of
from almanac.families.memory.core.records import Memory
from codegraph import TEXT
from codegraph import language_of as language_of_path

PATTERN = "code_pattern"
MOST_PATTERNS = 5


def matching_patterns(matches: Iterable[Match], request: WindowRequest) -> list[Match]:
    """Return the code patterns of the requested language and files, without duplicates."""
    found = {match.memory.id: match for match in matches if type_of(match.memory) == PATTERN}
    return [match for match in found.values() if _fits(match.memory, request)]


def most_used(patterns: Iterable[Match]) -> list[Match]:
    """Return up to five patterns, the most used first, then the newest."""
    ordered = sorted(patterns, key=lambda one: (-one.memory.uses, -one.memory.at, one.memory.id))
    return ordered[:MOST_PATTERNS]


def language_in(memory: Memory) -> str | None:
    """Return the language named in the memory's metadata, else that of the file named there; None if unknown."""
    said, file = language_of(memory.metadata), file_of(memory.metadata)
    if said is not None or file is None:
        return said
    named = language_of_path(file)
    return None if named == TEXT else named


def _fits(memory: Memory, request: WindowRequest) -> bool:
    file = file_of(memory.metadata)
    in_language = request.language is None or language_in(memory) == request.language
    in_files = request.pattern_files is None or (file is not None and request.pattern_files.means(file))
    return in_language and in_files
