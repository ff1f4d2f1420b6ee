"""Changes that make a document searchable, for the atomic write of the document. One item is both entry and event.

    searchable = document_change(document_of(note), caller.scope, actor=..., at=..., random_bytes=...)
    store.write([notes.put(note), searchable])

This module needs neither numpy nor an embedder, so that writing does not load what only search needs.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from almanac.kernel.caller import Scope
from almanac.kernel.events import PAYLOAD_BYTES, Event, new_event
from almanac.kernel.ids import RandomBytes
from almanac.platform.bus.messages import Message, encode_message
from almanac.platform.project import event_key
from almanac.platform.store.port import Change, OutboxPut
from almanac.platform.store.values import Value
from almanac.search.engine.records import FRESH, DocumentWrite, FreshDocument, encode_write
from almanac.search.port import Document

DOCUMENT_WRITTEN = "document_written"
WHOLE_BYTES = 2048
"""Texts of up to this length together are stored with the fresh document, because reading them again costs more."""
TOGETHER = 100
"""Number of documents that fit into an event's payload, however long their ids and versions are."""
MOST_TOGETHER = 250
"""Largest number of documents in one event, if they are brief enough. The index takes many at once a third faster."""
_PAYLOAD_BYTES = PAYLOAD_BYTES - 1024


_json = msgspec.json.Encoder().encode


def document_change(
    document: Document, scope: Scope, *, actor: str, at: int, random_bytes: RandomBytes, also: Sequence[Event] = ()
) -> Change:
    """Return the change that makes a document searchable from this write on.

    `at` is the current instant in milliseconds since 1970. `also` are other events of the same write, which then need
    no item of their own.
    """
    if len(document.title.encode()) + len(document.text.encode()) > WHOLE_BYTES:
        write = DocumentWrite(replace(document, title="", text=""), "cut")
    else:
        write = DocumentWrite(document)
    return _fresh(write, scope, actor, at, random_bytes, also)


def removal_change(
    last: Document, scope: Scope, *, actor: str, at: int, random_bytes: RandomBytes, also: Sequence[Event] = ()
) -> Change:
    """Return the change that removes a document from search.

    `last` is the last version of the document. The removal has the next version.
    """
    return _fresh(DocumentWrite(_tombstone(last), "removed"), scope, actor, at, random_bytes, also)


def batch_changes(
    documents: Sequence[Document],
    gone: Sequence[Document],
    scope: Scope,
    *,
    key: str,
    actor: str,
    at: int,
    random_bytes: RandomBytes,
) -> list[Change]:
    """Return the changes for documents that change in one write, such as the parts of a file; see `document_change`
    and `removal_change`.

    Each 100 of them, or more if they are brief, become one item and one event about `key`. Their texts are read from
    their source.
    """
    writes = [DocumentWrite(replace(each, title="", text=""), "cut") for each in documents]
    writes += [DocumentWrite(_tombstone(each), "removed") for each in gone]
    return [
        _fresh(replace(first, more=tuple(more)), scope, actor, at, random_bytes, (), key)
        for first, *more in _together(writes)
    ]


def _together(writes: Sequence[DocumentWrite]) -> Iterator[list[DocumentWrite]]:
    """Split documents into batches, each small enough for one event."""
    some: list[DocumentWrite] = []
    size = 0
    for one in writes:
        size += len(_json(_batch_payload(one, some[0] if some else None))) + 1
        if some and (size > _PAYLOAD_BYTES or len(some) == MOST_TOGETHER):
            yield some
            some, size = [], len(_json(_payload(one)))
        some.append(one)
    if some:
        yield some


def _fresh(
    write: DocumentWrite,
    scope: Scope,
    actor: str,
    at: int,
    random_bytes: RandomBytes,
    also: Sequence[Event],
    key: str = "",
) -> OutboxPut:
    event = new_event(
        DOCUMENT_WRITTEN,
        scope,
        key=event_key(key or write.document.id),
        actor=actor,
        at=at,
        random_bytes=random_bytes,
        payload={**_payload(write), "more": [_batch_payload(each, write) for each in write.more]}
        if write.more
        else _payload(write),
    )
    messages = tuple(encode_message(Message(each)) for each in (event, *also))
    fresh = FreshDocument(id=event.id, written=encode_write(write), messages=messages)
    attributes: dict[str, Value] = msgspec.to_builtins(fresh)
    return OutboxPut(FRESH.key(scope, FRESH.own, (event.id,)), attributes)


def _tombstone(last: Document) -> Document:
    return Document(id=last.id, kind=last.kind, profile=last.profile, version=last.version + 1)


def _payload(write: DocumentWrite) -> dict[str, str | int | bool]:
    document = write.document
    payload: dict[str, str | int | bool] = {"id": document.id, "kind": document.kind, "profile": document.profile}
    payload["version"] = document.version
    return {**payload, "removed": True} if write.state == "removed" else payload


def _batch_payload(one: DocumentWrite, first: DocumentWrite | None) -> dict[str, str | int | bool]:
    """Return the payload of a document in a batch: the values that differ from the first one's (see `documents_in`)."""
    payload = _payload(one)
    if first is None:
        return payload
    said = _payload(first)
    return {name: value for name, value in payload.items() if name in ("id", "removed") or value != said[name]}


def documents_in(payload: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the documents of an event, each with id, kind, profile and version, and `removed` if it was removed."""
    shared = {name: payload[name] for name in ("kind", "profile", "version")}
    return [payload, *({**shared, **each} for each in payload.get("more", ()))]
