"""Listing of an index's contents without a question: counts, documents by id, documents without context, tombstones."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from almanac.kernel.caller import Scope
from almanac.search.opensearch import layout, queries
from almanac.search.opensearch.calls import Calls, encoded
from almanac.search.opensearch.writer import Write
from almanac.search.port import DocumentState, Lookup, Place, Profile

MAX_PAGE = 10_000
"""Largest number of hits that OpenSearch returns for one search."""

_SLICE = 500


class _Values(Struct, frozen=True):
    id: tuple[str]
    version: tuple[int]
    gone: Sequence[str] = ()
    enriched: Sequence[bool] = ()


class _Hit(Struct, frozen=True):
    fields: _Values


class _Hits(Struct, frozen=True):
    hits: list[_Hit]


class _Page(Struct, frozen=True):
    hits: _Hits


class _Count(Struct, frozen=True):
    doc_count: int


class _Total(Struct, frozen=True):
    value: int


class _Counted(Struct, frozen=True):
    total: _Total


class _Counts(Struct, frozen=True):
    hits: _Counted
    aggregations: Mapping[str, _Count]


class _Gone(Struct, frozen=True, rename={"source": "_source"}):
    source: Mapping[str, Any]


class _GoneHits(Struct, frozen=True):
    hits: list[_Gone]


class _GonePage(Struct, frozen=True):
    hits: _GoneHits


class _PlaceValues(Struct, frozen=True):
    id: tuple[str]
    at: tuple[int]


class _PlaceHit(Struct, frozen=True):
    fields: _PlaceValues


class _PlaceHits(Struct, frozen=True):
    hits: list[_PlaceHit]


class _PlacePage(Struct, frozen=True):
    hits: _PlaceHits


class DocumentListing:
    """Lists documents of the index behind `alias`. Every method raises IndexMissing if there is none yet."""

    def __init__(self, calls: Calls, alias: str) -> None:
        self._calls = calls
        self._alias = alias

    def count_documents(self, scope: Scope) -> tuple[int, int, int]:
        """Return the numbers of documents, of documents with context, and of removed documents."""
        key = layout.scope_key(scope)
        counts = self._calls.call("POST", self._of(key), _Counts, encoded(queries.counts(key)))
        removed = counts.aggregations["removed"].doc_count
        return counts.hits.total.value - removed, counts.aggregations["enriched"].doc_count, removed

    def list_states(self, scope: Scope, profile: Profile, after: str, limit: int) -> Sequence[DocumentState]:
        corpus = layout.corpus_key(scope, profile)
        return self._read_states(corpus, queries.states_of_corpus(corpus, after, min(limit, MAX_PAGE)))

    def states_of(self, scope: Scope, profile: Profile, ids: Sequence[str]) -> Sequence[DocumentState]:
        corpus = layout.corpus_key(scope, profile)
        return self._read_states(corpus, queries.states_of_ids(corpus, ids))

    def find_places(self, scope: Scope, profile: Profile, lookup: Lookup) -> Sequence[Place]:
        corpus = layout.corpus_key(scope, profile)
        page = self._calls.call("POST", self._of(corpus), _PlacePage, encoded(queries.exact_words(corpus, lookup)))
        return [Place(hit.fields.at[0], hit.fields.id[0]) for hit in page.hits.hits]

    def list_unenriched(self, scope: Scope, limit: int) -> Sequence[DocumentState]:
        key = layout.scope_key(scope)
        return self._read_states(key, queries.unenriched(key, min(limit, MAX_PAGE)))

    def every(self, scope: Scope, profile: Profile) -> Iterator[Sequence[DocumentState]]:
        """Yield everything that `list_states` returns, in slices."""
        after = ""
        while some := self.list_states(scope, profile, after, _SLICE):
            yield some
            after = some[-1].id

    def iterate_tombstones(self, since: int) -> Iterator[Sequence[Write]]:
        """Yield the tombstones of all tenants from an instant on, in slices."""
        after: Sequence[str] = ()
        while True:
            body = encoded(queries.tombstones(since, after, _SLICE))
            page = self._calls.call("POST", f"/{self._alias}/_search", _GonePage, body)
            writes = [Write(hit.source["gone"], hit.source) for hit in page.hits.hits]
            if writes:
                yield writes
                after = (writes[-1].corpus, writes[-1].body["id"])
            if len(writes) < _SLICE:
                return

    def _read_states(self, key: str, body: queries.Body) -> list[DocumentState]:
        page = self._calls.call("POST", self._of(key), _Page, encoded(body))
        return [_state_of(hit.fields) for hit in page.hits.hits]

    def _of(self, key: str) -> str:
        """Return the path of a search in the shard of a scope or corpus."""
        return f"/{self._alias}/_search?routing={layout.routing_of(key)}"


def _state_of(values: _Values) -> DocumentState:
    return DocumentState(values.id[0], values.version[0], removed=bool(values.gone), enriched=any(values.enriched))
