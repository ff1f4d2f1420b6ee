"""Files made ready to be stored: without their secrets, analysed, and packed. Most of the work of indexing is here, and
it is pure, so that other processes may do it."""

from collections.abc import Callable, Generator, Sequence

from almanac.families.code.core.codec import packed
from almanac.families.code.core.signatures import signature_of
from almanac.families.code.indexer.analysis import Analyse, analyse, as_text
from almanac.families.code.indexer.preparation import Preparation, PreparedFile
from almanac.families.code.indexer.redaction import without_secrets

MAX_PARTS = 300
"""Of a file; what lies behind them is not found by search."""


def prepared(path: str, text: str, analyse: Analyse = analyse) -> PreparedFile:
    """Pure, and bounded in CPU, whatever the text is."""
    redacted = without_secrets(path, text)
    analysed = analyse(path, redacted.text)
    return PreparedFile(
        language=analysed.language,
        parsed=analysed.parsed,
        symbols=analysed.symbols,
        content=packed(redacted.text),
        parts=packed(list(analysed.parts)[:MAX_PARTS]),
        summary=analysed.summary,
        names=signature_of(analysed.names, analysed.defined),
        findings=redacted.findings,
        reason=analysed.reason,
    )


def unparsed(path: str, text: str) -> PreparedFile:
    """The same of a file that nothing can parse: its text is found, and nothing else is known of it."""
    return prepared(path, text, as_text)


def unread(path: str) -> PreparedFile:
    """The same of a file whose text cannot even be searched for secrets: nothing of it is stored."""
    return prepared(path, "", as_text)


def one_by_one(prepare: Callable[[str, str], PreparedFile] = prepared) -> Preparation:
    """In this process."""

    def each(files: Sequence[tuple[str, str]]) -> Generator[PreparedFile]:
        for path, text in files:
            yield prepare(path, text)

    return each
