"""Search documents of code, one for each part of a file."""

from collections.abc import Iterator, Sequence
from itertools import islice

from almanac.families.code.core.code import file_of_part, part_id
from almanac.families.code.core.codec import VALUES, Part, unpack
from almanac.families.code.core.names import last_name
from almanac.families.code.core.records import FILES, TEXTS, CodeFile, CodeText
from almanac.kernel.caller import Scope
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from almanac.search.port import Document
from almanac.search.source import Source

KIND = "code"
_AT_ONCE = 8
"""Files per read, each of at most 1 MB."""


def document_of(file: CodeFile, part: Part) -> Document:
    """Return the search document of a part. Repository, path, language, kind and the symbol's last name, without regard
    to case, are filters. `lines` is for display. The names that it sets are tags, in the same spelling."""
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
            # A query for the definition's name is not about the values within it.
            "name": "" if part.kind == VALUES else last_name(part.symbol),
            "lines": f"{part.start}-{part.end}",
        },
    )


def parts_of(text: CodeText) -> list[Part]:
    return unpack(text.parts, list[Part])


def _read(services: Services, scope: Scope, ids: Sequence[str]) -> list[Document]:
    wanted = set(ids)
    found = _documents(services.get(Store), scope, list(dict.fromkeys(map(file_of_part, ids))))
    return [document for document in found if document.id in wanted]


def _every(services: Services, scope: Scope, after: str) -> Iterator[Document]:
    store = services.get(Store)
    # Part ids begin with the file's id: first the remaining parts of the file of `after`, then the next files.
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
            # A text of another version was read in the middle of a write. The write that follows reads both again.
            if text is not None and text.version == file.version:
                yield from (document_of(file, part) for part in parts_of(text))


SOURCES = (Source(kind=KIND, profile="code", read=_read, every=_every),)
