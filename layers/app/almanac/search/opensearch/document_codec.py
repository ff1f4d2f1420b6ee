"""Documents as OpenSearch stores them, encoded from entries and contexts, and decoded to the values for ranking.

    {"scope", "corpus", "id", "version", ... "packed", "vectors"}    a document
    {"scope", "gone", "id", "version", "at"}                        its tombstone, with the instant of removal

`packed` and `vectors` are msgpack. `packed` holds each term as a digest of six bytes and a count of two bytes. That is
enough for ranking, which knows the terms of its question.
"""

import base64
from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import Any, TypeVar

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from almanac.kernel.caller import Scope
from almanac.search.opensearch import layout
from almanac.search.port import Context, Entry, FieldEntry, Removal

Body = dict[str, Any]

MAX_COUNT = 0xFFFF


# One answer has thousands of these. They contain no reference cycles, so the garbage collector can skip them (`gc`).


class PackedField(Struct, frozen=True, array_like=True, gc=False):
    """Packed field of a document. `terms` are numbers of eight bytes, little-endian, with a digest above 16 bits of
    count."""

    length: int
    terms: bytes
    pieces: bytes
    kept: int
    bits: bytes = b""


class PackedDocument(Struct, frozen=True, array_like=True, gc=False):
    """The part of an entry that is read of candidates and neighbours."""

    id: str
    kind: str
    version: int
    session: str
    position: int
    role: str
    speaker: str
    at: int
    asks: bool
    names: int
    title: PackedField
    text: PackedField
    padding: bytes = b""


class PackedVectors(Struct, frozen=True, array_like=True, gc=False):
    """The part of an entry that is read only of candidates. It takes two thirds of all bytes. Vectors have the same
    form as in an entry and a context."""

    title: bytes = b""
    text: bytes = b""
    title_context: bytes = b""
    text_context: bytes = b""
    padding: bytes = b""


_P = TypeVar("_P", PackedDocument, PackedVectors)

_encode = msgspec.msgpack.Encoder().encode
unpack_document = msgspec.msgpack.Decoder(PackedDocument).decode
unpack_vectors = msgspec.msgpack.Decoder(PackedVectors).decode


def body_of(scope: Scope, entry: Entry) -> Body:
    corpus = layout.corpus_key(scope, entry.profile)
    packed = PackedDocument(
        id=entry.id,
        kind=entry.kind,
        version=entry.version,
        session=entry.session,
        position=entry.position,
        role=entry.role,
        speaker=entry.speaker,
        at=entry.at,
        asks=entry.asks,
        names=entry.names,
        title=_pack_field(entry.title),
        text=_pack_field(entry.text),
    )
    body = {
        "scope": layout.scope_key(scope),
        "corpus": corpus,
        "id": entry.id,
        "version": entry.version,
        "at": entry.at,
        "kind": layout.exact(entry.kind),
        "session": layout.exact(entry.session),
        "role": layout.exact(entry.role),
        "speaker": layout.exact(entry.speaker.casefold()),
        "tags": [layout.exact(tag) for tag in entry.tags],
        "fields": [layout.attribute(name, value) for name, value in entry.fields.items()],
        "title": _words(entry.title),
        "text": _words(entry.text),
    }
    if entry.words:
        body["words"] = " ".join(map(layout.token, entry.words))
    if entry.session:
        body["place"] = layout.place_key(layout.session_key(corpus, entry.session), entry.position)
    vectors = PackedVectors(entry.title.vector, entry.text.vector)
    return body | _lengths(entry) | {"packed": _encode_padded(packed)} | _of_vectors(vectors)


def tombstone_of(scope: Scope, removal: Removal) -> Body:
    gone = layout.corpus_key(scope, removal.profile)
    key = layout.scope_key(scope)
    return {"scope": key, "gone": gone, "id": removal.id, "version": removal.version, "at": removal.at}


def with_context(body: Mapping[str, Any], context: Context) -> Body:
    """Return a stored document with the context from a model."""
    packed = unpack_document(base64.b64decode(body["packed"]))
    vectors = unpack_vectors(base64.b64decode(body["vectors"]))
    bits = replace(
        packed,
        title=replace(packed.title, bits=context.title.bits),
        text=replace(packed.text, bits=context.text.bits),
    )
    enriched = replace(vectors, title_context=context.title.vector, text_context=context.text.vector)
    return {**body, "enriched": True, "packed": _encode_padded(bits), **_of_vectors(enriched)}


def _pack_field(field: FieldEntry) -> PackedField:
    numbers = [digest_of(term) | min(count, MAX_COUNT) for term, count in field.terms.items()]
    terms = np.array(numbers, dtype="<u8").tobytes()
    return PackedField(field.length, terms, field.pieces, field.kept)


def _encode_padded(packed: _P) -> bytes:
    """Encode with padding to a multiple of three bytes, because OpenSearch omits the padding of base64."""
    bare = replace(packed, padding=b"")
    return _encode(replace(packed, padding=b"\0" * (-len(_encode(bare)) % 3)))


@lru_cache(maxsize=4096)
def digest_of(term: str) -> int:
    """Return the number that stands for a term, with zeros in its last 16 bits."""
    return int.from_bytes(blake2b(term.encode(), digest_size=6).digest(), "little") << 16


def _words(field: FieldEntry) -> str:
    return " ".join(" ".join([layout.token(term)] * count) for term, count in field.terms.items())


def _lengths(entry: Entry) -> Body:
    lengths = {"title_length": entry.title.length, "text_length": entry.text.length}
    return {name: length for name, length in lengths.items() if length}


def _of_vectors(vectors: PackedVectors) -> Body:
    """Return a document's vectors in two forms, for reading and for searching."""
    searched = {
        "title_vector": _numbers(vectors.title, layout.STATIC_DIMENSIONS),
        "text_vector": _numbers(vectors.text, layout.STATIC_DIMENSIONS),
        "title_context": _numbers(vectors.title_context, layout.CONTEXT_DIMENSIONS),
        "text_context": _numbers(vectors.text_context, layout.CONTEXT_DIMENSIONS),
    }
    kept: Body = {name: vector for name, vector in searched.items() if vector is not None}
    return kept | {"vectors": _encode_padded(vectors)}


def _numbers(stored: bytes, dimensions: int) -> list[float] | None:
    return numbers_of(np.frombuffer(stored, dtype="<f2").astype(np.float32), dimensions)


def numbers_of(vector: NDArray[np.float32], dimensions: int) -> list[float] | None:
    """Return a vector for a k-NN field, filled up with zeros, which change no cosine. Return None for a vector of
    zeros."""
    if not vector.any():
        return None
    filled = np.zeros(dimensions)
    filled[: len(vector)] = np.round(vector / np.linalg.norm(vector), 5)
    return filled.tolist()
