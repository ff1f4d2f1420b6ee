"""Fresh documents and their keys: what was written and may not be in the index yet. Instants are milliseconds since
1970.

    P#<tenant>#<project>#search_fresh     <event>   FreshDocument
    P#<tenant>#<project>#search_sampled   <kind>    Sampled
"""

from functools import cached_property
from typing import Literal

import msgspec
from msgspec import Struct

from almanac.platform.store.records import Record, Table
from almanac.search.port import Document

State = Literal["whole", "cut", "removed"]


class DocumentWrite(Struct, frozen=True, omit_defaults=True):
    """`cut`: the texts are too long to be written twice and are read from the source. `removed`: of the document only
    id, kind, profile and version are known. `more` were written together with it; they have none themselves."""

    document: Document
    state: State = "whole"
    more: "tuple[DocumentWrite, ...]" = ()


class FreshDocument(Record, frozen=True, kw_only=True, dict=True):
    """A version of a document, or of several that were written together, until the index has it. `id` is that of its
    event, `messages` carry that event on.

    `written` is the JSON text of a DocumentWrite. `visible_at`: from then on the index has it for certain; 0 as long as
    it was not indexed. Where searches of the index lag behind it, `expires_at` ends it in case no later event does.
    """

    id: str
    written: str
    messages: tuple[str, ...] = ()
    visible_at: int = 0
    expires_at: int | None = None

    @cached_property
    def parsed(self) -> tuple[DocumentWrite, ...]:
        first = _decode(self.written)
        return (first, *first.more)

    def check_inside(self) -> None:
        _decode(self.written)


class SamplePosition(Record, frozen=True, kw_only=True):
    """The documents of `kind` were compared with the index up to the id `reached`, "" when all of them were."""

    kind: str
    reached: str


def encode_write(written: DocumentWrite) -> str:
    return _encode(written).decode()


FRESH = Table(FreshDocument, "search_fresh", sort=("id",), expires="expires_at")
SAMPLED = Table(SamplePosition, "search_sampled", sort=("kind",))

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(DocumentWrite).decode
