"""Search documents of code: one for each part of a file."""

from collections.abc import Iterator, Sequence
from itertools import islice

from almanac.families.code.core.code import file_of_part, part_id
from almanac.families.code.core.codec import VALUES, Part, unpacked
from almanac.families.code.core.names import last_name
from almanac.families.code.core.records import FILES, TEXTS, CodeFile, CodeText
from almanac.kernel.caller import Scope
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from almanac.search.port import Document
from almanac.search.source import Source

KIND = "code"
_AT_ONCE = 8
"""Files, of 1 MB at most, that one read brings."""


def document_of(file: CodeFile, part: Part) -> Document:
    """The repository, path, language and kind can be filtered by, and the last part of the symbol's name, without
    regard to case; `lines` say where it stands to whoever shows it. The names that it sets are tags, spelled alike."""
    return Document(
        id=part_id(file.id, part.name),
        kind=KIND,
        profile="code",
        version=file.version,
        title=part.title,
        text=part.text,
        at=file.changed_at,
        tags=tuple(dict.fromkeys(last_name(each) for each in part.sets)),
        fields={
            "repo": file.repo_id,
            "path": file.path,
            "lang": file.language,
            "kind": part.kind,
            # Values within a definition are not what its name is asked for.
            "name": "" if part.kind == VALUES else last_name(part.symbol),
            "lines": f"{part.start}-{part.end}",
        },
    )


def parts_of(text: CodeText) -> list[Part]:
    return unpacked(text.parts, list[Part])


def _read(services: Services, scope: Scope, ids: Sequence[str]) -> list[Document]:
    wanted = set(ids)
    found = _documents(services.get(Store), scope, list(dict.fromkeys(map(file_of_part, ids))))
    return [document for document in found if document.id in wanted]


def _every(services: Services, scope: Scope, after: str) -> Iterator[Document]:
    store = services.get(Store)
    # Ids of one file begin with its own: the parts left of the file that `after` lies in, then those behind it.
    files = FILES.within(store, scope).every(since=file_of_part(after) or None, page=100)
    while some := list(islice(files, _AT_ONCE)):
        found = _documents(store, scope, [file.id for file in some])
        yield from (document for document in sorted(found, key=lambda one: one.id) if document.id > after)


def _documents(store: Store, scope: Scope, file_ids: Sequence[str]) -> Iterator[Document]:
    files, texts = FILES.within(store, scope), TEXTS.within(store, scope)
    for start in range(0, len(file_ids), _AT_ONCE):
        some = file_ids[start : start + _AT_ONCE]
        stored = texts.by_id(some)
        for file in files.by_id(some).values():
            text = stored.get(file.id)
            # A text of another version was read in the midst of a write: the later read brings both.
            if text is not None and text.version == file.version:
                yield from (document_of(file, part) for part in parts_of(text))


SOURCES = (Source(kind=KIND, profile="code", read=_read, every=_every),)
