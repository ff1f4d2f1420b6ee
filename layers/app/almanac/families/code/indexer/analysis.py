"""Analysis of a file's text before it is stored: its symbols, the parts that search finds, and its summary."""

from collections.abc import Callable, Collection, Sequence

from msgspec import Struct

from almanac.families.code.chunks.chunk import part_of
from almanac.families.code.chunks.splitter import chunks_of
from almanac.families.code.core.codec import Part, packed
from codegraph import FileSummary, Outline, language_of, read_source


class FileAnalysis(Struct, frozen=True, kw_only=True):
    """`language` is "text" where nothing is known of it. `parsed` false: its language could not read it whole. `names`
    are those that it defines or uses, and the last ones of what it imports; `defined` those of them that it defines.
    `summary` is a packed FileSummary. `reason`: why it is not parsed, in words."""

    language: str
    parsed: bool
    symbols: int
    parts: Sequence[Part]
    names: Collection[str]
    summary: bytes
    defined: Collection[str] = ()
    reason: str | None = None


Analyse = Callable[[str, str], FileAnalysis]
"""Of a path and a text."""


def analyse(path: str, text: str) -> FileAnalysis:
    """Pure, and bounded in CPU, whatever the text is."""
    facts = read_source(path, text)
    outline, summary = facts.outline, facts.summary
    return FileAnalysis(
        language=outline.language,
        parsed=facts.unparsed is None,
        symbols=len(outline.definitions),
        parts=[part_of(chunk) for chunk in chunks_of(path, text, outline).chunks],
        names=summary.names(),
        summary=_packed(summary),
        defined=summary.defined(),
        reason=facts.unparsed,
    )


def as_text(path: str, text: str) -> FileAnalysis:
    """The parts of a file that is not parsed."""
    language = language_of(path, text)
    chunks = chunks_of(path, text, Outline(language=language)).chunks
    parts = [part_of(chunk) for chunk in chunks]
    return FileAnalysis(
        language=language, parsed=False, symbols=0, parts=parts, names=(), summary=packed(FileSummary())
    )


def _packed(summary: FileSummary) -> bytes:
    """Nothing of a file that has names which are no text: half of a pair of surrogates, escaped in a literal."""
    try:
        return packed(summary)
    except UnicodeEncodeError:
        return packed(FileSummary())
