"""Records and keys of fresh documents, which the index may not have yet.

Instants are milliseconds since 1970.

    P#<tenant>#<project>#search_fresh     <event>   FreshDocument
    P#<tenant>#<project>#search_sampled   <kind>    SamplePosition
"""

from functools import cached_property
from typing import Literal

import msgspec
from msgspec import Struct

from almanac.platform.store.records import Record, Table
from almanac.search.port import Document

State = Literal["whole", "cut", "removed"]


class DocumentWrite(Struct, frozen=True, omit_defaults=True):
    """A written version of a document.

    `state` is "cut" if the texts are too long to be stored twice and are read from the source. It is "removed" if only
    id, kind, profile and version of the document are known. `more` are the documents written in the same batch. They
    have no `more` of their own.
    """

    document: Document
    state: State = "whole"
    more: "tuple[DocumentWrite, ...]" = ()


class FreshDocument(Record, frozen=True, kw_only=True, dict=True):
    """A version of a document, or a batch of documents, kept until the index has it.

    `id` is the id of its event, and `messages` pass that event on. `written` is the JSON text of a DocumentWrite.
    `visible_at` is the instant from which searches of the index see the version, and 0 until it is indexed. If these
    searches lag behind, `expires_at` deletes the record in case no later event does.
    """

    id: str
    written: str
    messages: tuple[str, ...] = ()
    visible_at: int = 0
    expires_at: int | None = None

    @cached_property
    def writes(self) -> tuple[DocumentWrite, ...]:
        first = _decode(self.written)
        return (first, *first.more)

    def check_inside(self) -> None:
        _decode(self.written)


class SamplePosition(Record, frozen=True, kw_only=True):
    """Progress of the comparison with the index. The documents of `kind` have been compared up to the id `reached`,
    which is "" after all of them."""

    kind: str
    reached: str


def encode_write(written: DocumentWrite) -> str:
    return _encode(written).decode()


FRESH = Table(FreshDocument, "search_fresh", sort=("id",), expires="expires_at")
SAMPLED = Table(SamplePosition, "search_sampled", sort=("kind",))

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(DocumentWrite).decode
