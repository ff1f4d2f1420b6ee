"""Preparation of files for storage: remove secrets, analyse, and pack. It is most of the work of indexing, and pure, so
that other processes may do it."""

from collections.abc import Callable, Generator, Sequence

from almanac.families.code.core.codec import pack
from almanac.families.code.core.signatures import signature_of
from almanac.families.code.indexer.analysis import Analyse, analyse, analyse_as_text
from almanac.families.code.indexer.preparation import Preparation, PreparedFile
from almanac.families.code.indexer.redaction import remove_secrets

MAX_PARTS = 300
"""Limit per file. Search does not find the parts after it."""


def prepare_file(path: str, text: str, analyse: Analyse = analyse) -> PreparedFile:
    """Prepare a file. The function is pure, and bounded in CPU for any text."""
    redacted = remove_secrets(path, text)
    analysed = analyse(path, redacted.text)
    return PreparedFile(
        language=analysed.language,
        parsed=analysed.parsed,
        symbols=analysed.symbols,
        content=pack(redacted.text),
        parts=pack(list(analysed.parts)[:MAX_PARTS]),
        summary=analysed.summary,
        names=signature_of(analysed.names, analysed.defined),
        findings=redacted.findings,
        reason=analysed.reason,
    )


def prepare_as_text(path: str, text: str) -> PreparedFile:
    """Prepare a file that no parser can handle. Its text is searchable, and nothing else is known."""
    return prepare_file(path, text, analyse_as_text)


def prepare_empty(path: str) -> PreparedFile:
    """Prepare a file whose text cannot even be searched for secrets. None of the text is stored."""
    return prepare_file(path, "", analyse_as_text)


def one_by_one(prepare: Callable[[str, str], PreparedFile] = prepare_file) -> Preparation:
    """Return a preparation that runs in this process."""

    def each(files: Sequence[tuple[str, str]]) -> Generator[PreparedFile]:
        for path, text in files:
            yield prepare(path, text)

    return each
