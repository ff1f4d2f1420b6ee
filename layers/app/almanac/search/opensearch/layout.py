"""Layout of an index in OpenSearch: its template, and the form of the keys that are compared.

A document has two fields with the words of its title and text, four k-NN fields with its vectors, and keyword fields
with its place and its filters. `packed` and `vectors` hold all values that ranking reads. `corpus` selects the
documents that can be found. A removed document has `gone` instead.
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
"""Number of characters up to which a value is compared as it is. A longer value is cut and gets a digest, because a
Lucene term may have at most 32 kB."""

# BM25 with k1 1.2 and b .9, but without Lucene's own statistics, which cover all tenants together. The idf comes with
# the term as its boost, and the mean length is assumed to be 40.
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
"""Version of the documents. Raise it when the same texts lead to other documents with the same fields."""


def form(template: Mapping[str, Any], settings: Mapping[str, str]) -> str:
    """Return a digest that is the same for indices that the same rebuild would make."""
    return _digest(str(_ENTRIES), msgspec.json.encode((template, settings), order="deterministic").decode())


def template(pattern: str, refresh_ms: int) -> Mapping[str, Any]:
    """Return the template for all indices whose names match `pattern`."""
    settings = {
        "index.knn": True,
        # Build no faiss graphs, whatever a field says.
        "index.knn.advanced.approximate_threshold": -1,
        **USUAL,
        # Set explicitly, because OpenSearch otherwise does not refresh an index without recent searches.
        "index.refresh_interval": f"{refresh_ms}ms",
        # Removed documents stay as tombstones. Only `forget` deletes documents, and their versions need not be kept.
        "index.gc_deletes": -1,
        # Limits for the slow log, if it is enabled. It contains no written documents.
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
    return _join_texts(scope.tenant, scope.project)


def corpus_key(scope: Scope, profile: Profile) -> str:
    """Return the key that all documents of a project's profile share and no others."""
    return _join_texts(scope.tenant, scope.project, profile)


@lru_cache(maxsize=4096)
def routing_of(key: str) -> str:
    """Return the routing value of a tenant, from the key of one of its scopes or corpora.

    All documents of a tenant share a shard, and its searches only ask that shard.
    """
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
    """Return the key of a place. `session` is the key of a session."""
    return f"{session}:{position}"


def attribute(name: str, value: str) -> str:
    """Return the term of a field to filter by and its value."""
    return exact(_join_texts(name, value))


def attribute_prefix(name: str) -> str:
    """Return the prefix of every `attribute` with this name."""
    return f"{_join_texts(name)[:-1]},"[:_MAX_EXACT]


def exact(value: str) -> str:
    """Return a term for a value of any length. Equal values have equal terms, and different values have different
    ones."""
    return value if len(value) <= _MAX_EXACT else f"{value[:_MAX_EXACT]}#{_digest(value)}"


def token(term: str) -> str:
    """Return a term that the analyzer keeps as one token. It splits texts at blanks and after 255 characters."""
    return term if len(term) <= 100 and not _has_blanks(term) else f"#{_digest(term)}"


def _has_blanks(term: str) -> bool:
    # Every blank of Java's is a blank to Python or a control character.
    return any(each.isspace() or each < " " for each in term)


def _digest(*texts: str) -> str:
    return blake2b(_join_texts(*texts).encode(), digest_size=20).hexdigest()


def _join_texts(*texts: str) -> str:
    """Return one text for several. Different lists have different texts."""
    return msgspec.json.encode(texts).decode()
