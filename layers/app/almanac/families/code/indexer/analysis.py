"""Analysis of a file's text before it is stored: its symbols, the parts that search finds, and its summary."""

from collections.abc import Callable, Collection, Sequence

from msgspec import Struct

from almanac.families.code.chunks.chunk import part_of
from almanac.families.code.chunks.splitter import chunks_of
from almanac.families.code.core.codec import Part, pack
from codegraph import FileSummary, Outline, language_of, read_source


class FileAnalysis(Struct, frozen=True, kw_only=True):
    """The analysis of a file. `language` is "text" if unknown. With `parsed` false the language's parser failed, for
    the `reason`. `names` are the names that the file defines or uses, and the last parts of imported names; `defined`
    are those that it defines. `summary` is a packed FileSummary."""

    language: str
    parsed: bool
    symbols: int
    parts: Sequence[Part]
    names: Collection[str]
    summary: bytes
    defined: Collection[str] = ()
    reason: str | None = None


Analyse = Callable[[str, str], FileAnalysis]
"""An analysis of a path and a text."""


def analyse(path: str, text: str) -> FileAnalysis:
    """Analyse a file. The function is pure, and bounded in CPU for any text."""
    facts = read_source(path, text)
    outline, summary = facts.outline, facts.summary
    return FileAnalysis(
        language=outline.language,
        parsed=facts.unparsed is None,
        symbols=len(outline.definitions),
        parts=[part_of(chunk) for chunk in chunks_of(path, text, outline).chunks],
        names=summary.names(),
        summary=_pack_summary(summary),
        defined=summary.defined(),
        reason=facts.unparsed,
    )


def analyse_as_text(path: str, text: str) -> FileAnalysis:
    """Return the analysis of a file that is not parsed."""
    language = language_of(path, text)
    chunks = chunks_of(path, text, Outline(language=language)).chunks
    parts = [part_of(chunk) for chunk in chunks]
    return FileAnalysis(language=language, parsed=False, symbols=0, parts=parts, names=(), summary=pack(FileSummary()))


def _pack_summary(summary: FileSummary) -> bytes:
    """Pack the summary. A name with a lone surrogate, escaped in a literal, cannot be encoded; such a file gets an
    empty summary."""
    try:
        return pack(summary)
    except UnicodeEncodeError:
        return pack(FileSummary())
