"""Layout of an index in OpenSearch: its template, and the form of keys that are compared.

A document has its words as two fields of its own terms, its vectors as four of k-NN, its place and its filters as
keywords, and in `packed` and `vectors` all that a ranking reads of it. All that can be found is chosen by `corpus`;
what is gone has `gone` in its place.
"""

from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import msgspec

from almanac.kernel.caller import Scope
from almanac.search.port import Profile

STATIC_DIMENSIONS = 256
CONTEXT_DIMENSIONS = 384
_MAX_EXACT = 256
"""Characters of a value that is compared as it is; of a longer one a digest is. A term of Lucene ends at 32 kB."""

# BM25 with k1 1.2 and b .9, but for what Lucene knows of all tenants together: the idf comes with the term, as its
# boost, and a mean length is assumed.
_SIMILARITY = "return query.boost * doc.freq / (doc.freq + 1.2 * (0.1 + 0.9 * doc.length / 40.0));"

_EXACT: Mapping[str, Any] = {"type": "keyword", "doc_values": False}
_SORTED: Mapping[str, Any] = {"type": "keyword"}
_LENGTH: Mapping[str, Any] = {"type": "integer", "index": False}
_WORDS: Mapping[str, Any] = {"type": "text", "analyzer": "terms", "similarity": "terms", "index_options": "freqs"}
_EXACT_WORDS: Mapping[str, Any] = {"type": "text", "analyzer": "terms", "index_options": "docs", "norms": False}


def _vectors(dimensions: int) -> Mapping[str, Any]:
    # The default engine is faiss. On a node without its native library, one write to such a field ends the node.
    method = {"name": "hnsw", "space_type": "cosinesimil", "engine": "lucene"}
    return {"type": "knn_vector", "dimension": dimensions, "method": method}


_PROPERTIES: Mapping[str, Any] = {
    "scope": _EXACT,
    "corpus": _EXACT,
    "gone": _SORTED,
    "id": _SORTED,
    "version": {"type": "long", "index": False},
    "kind": _EXACT,
    "session": _EXACT,
    "place": _EXACT,
    "role": _EXACT,
    "speaker": _EXACT,
    "at": {"type": "long"},
    "tags": _EXACT,
    "fields": _EXACT,
    "enriched": {"type": "boolean"},
    "title": _WORDS,
    "text": _WORDS,
    "words": _EXACT_WORDS,
    "title_length": _LENGTH,
    "text_length": _LENGTH,
    "title_vector": _vectors(STATIC_DIMENSIONS),
    "text_vector": _vectors(STATIC_DIMENSIONS),
    "title_context": _vectors(CONTEXT_DIMENSIONS),
    "text_context": _vectors(CONTEXT_DIMENSIONS),
    "packed": {"type": "binary", "doc_values": True},
    "vectors": {"type": "binary", "doc_values": True},
}
VECTORS = ("title_vector", "text_vector", "title_context", "text_context")


USUAL: Mapping[str, str] = {"index.number_of_shards": "1", "index.auto_expand_replicas": "0-1"}
"""Default layout of an index over nodes: one shard, and a copy of it on a second node."""

_ENTRIES = 1
"""Raise it where documents are made of the same texts otherwise, with the same fields."""


def form(template: Mapping[str, Any], settings: Mapping[str, str]) -> str:
    """The same for indices that the same rebuild makes."""
    return _digest(str(_ENTRIES), msgspec.json.encode((template, settings), order="deterministic").decode())


def template(pattern: str, refresh_ms: int) -> Mapping[str, Any]:
    """The index template for all indices whose names match."""
    settings = {
        "index.knn": True,
        # No graphs of faiss, whatever a field says.
        "index.knn.advanced.approximate_threshold": -1,
        **USUAL,
        # Set, so that an index that nobody has searched lately is refreshed too.
        "index.refresh_interval": f"{refresh_ms}ms",
        # What is gone is a document as well, for good. Deleted is only what is forgotten, and that at once.
        "index.gc_deletes": -1,
        # Where slow requests are logged at all, these are, without what is written.
        "index.search.slowlog.threshold.query.warn": "2s",
        "index.search.slowlog.threshold.fetch.warn": "1s",
        "index.indexing.slowlog.threshold.index.warn": "5s",
        "index.indexing.slowlog.source": "false",
        "index.similarity.terms": {"type": "scripted", "script": {"source": _SIMILARITY}},
        "index.analysis.analyzer.terms": {"type": "custom", "tokenizer": "whitespace"},
    }
    mappings = {"dynamic": False, "properties": _PROPERTIES}
    return {"index_patterns": [pattern], "priority": 200, "template": {"settings": settings, "mappings": mappings}}


def scope_key(scope: Scope) -> str:
    """Return the key that all documents of a project share and no others."""
    return _joined(scope.tenant, scope.project)


def corpus_key(scope: Scope, profile: Profile) -> str:
    """The same for those of one profile."""
    return _joined(scope.tenant, scope.project, profile)


@lru_cache(maxsize=4096)
def routing_of(key: str) -> str:
    """The same for all documents of a tenant, by the key of a scope or corpus of it: they share a shard, and searches
    ask that one alone."""
    tenant, *_ = msgspec.json.decode(key, type=list[str])
    return _digest(tenant)


def document_key(corpus: str, id: str) -> str:
    """Return a document's id in OpenSearch: at most 512 bytes."""
    return _digest(corpus, id)


@lru_cache(maxsize=4096)
def session_key(corpus: str, session: str) -> str:
    """Return the prefix of the places of a session."""
    return _digest(corpus, session)


def place_key(session: str, position: int) -> str:
    """A place; `session` is the key of one."""
    return f"{session}:{position}"


def attribute(name: str, value: str) -> str:
    """A field to filter by, with its value."""
    return exact(_joined(name, value))


def attribute_prefix(name: str) -> str:
    """Return the prefix of each `attribute` of this name."""
    return f"{_joined(name)[:-1]},"[:_MAX_EXACT]


def exact(value: str) -> str:
    """A value such that equal ones are equal and others differ, however long it is."""
    return value if len(value) <= _MAX_EXACT else f"{value[:_MAX_EXACT]}#{_digest(value)}"


def token(term: str) -> str:
    """A term that the analyzer keeps as one: it splits at blanks, and after 255 characters."""
    return term if len(term) <= 100 and not _has_blanks(term) else f"#{_digest(term)}"


def _has_blanks(term: str) -> bool:
    # Java's blanks are Python's, or control characters.
    return any(each.isspace() or each < " " for each in term)


def _digest(*texts: str) -> str:
    return blake2b(_joined(*texts).encode(), digest_size=20).hexdigest()


def _joined(*texts: str) -> str:
    """One text of several, so that no two lists give the same."""
    return msgspec.json.encode(texts).decode()
