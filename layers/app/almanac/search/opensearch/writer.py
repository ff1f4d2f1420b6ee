"""Versioned writes to the current index and to the one that a rebuild makes, in one request for all documents."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from almanac.kernel.caller import Scope
from almanac.kernel.errors import Unavailable
from almanac.search.opensearch import document_codec, layout
from almanac.search.opensearch.calls import NO_INDEX, Calls, IndexMissing, encoded, lines
from almanac.search.opensearch.generations import Generations
from almanac.search.port import Context, RebuildPlace

VersionType = Literal["external", "external_gte"]
"""Condition of a write: it replaces only older versions, or also the same version."""

_WHICH = "errors,items.*.status,items.*.error.type"
_ATTEMPTS = 3


class Write(Struct, frozen=True):
    """A document to write. It is identified by `corpus` and its id. All documents of a tenant are in one shard."""

    corpus: str
    body: Mapping[str, Any]


class _Error(Struct, frozen=True):
    type: str


class _Outcome(Struct, frozen=True):
    status: int
    error: _Error | None = None


class _Written(Struct, frozen=True):
    errors: bool
    items: list[Mapping[str, _Outcome]] = []
    """Outcomes, each under the name of its action."""


class _Marker(Struct, frozen=True):
    """Marker document with the progress of a rebuild. It has no searchable field, so no search finds it."""

    rebuilt: RebuildPlace


class _Marked(Struct, frozen=True, rename={"source": "_source"}):
    source: _Marker | None = None


class _Stored(Struct, frozen=True, rename={"source": "_source"}):
    found: bool = False
    source: Mapping[str, Any] = {}


class _Documents(Struct, frozen=True):
    docs: list[_Stored]


class IndexWriter:
    def __init__(self, calls: Calls, generations: Generations) -> None:
        self._calls = calls
        self._generations = generations

    def write(self, writes: Sequence[Write], version_type: VersionType = "external") -> None:
        """Write documents. Raises Unavailable if a write failed, but not if the stored document is as new or newer."""
        failed = ""
        for _ in range(_ATTEMPTS if writes else 0):
            failed = self._try(writes, version_type)
            if not failed:
                return
            # An alias is missing, because nothing was ever written or a rebuild ended meanwhile.
            if failed != NO_INDEX:
                break
            self._generations.prepare()
        if failed:
            raise Unavailable(
                f"The search index stored only a part of the documents ({failed}).", "Repeat the call in a moment."
            )

    def enrich(self, scope: Scope, contexts: Sequence[Context]) -> None:
        """Add contexts to documents.

        Each document is read and written again as a whole, at the same version. A partial update would count as a
        version of its own, and the next version would be refused.
        """
        corpora = [layout.corpus_key(scope, context.profile) for context in contexts]
        documents = [(corpus, context.id) for corpus, context in zip(corpora, contexts, strict=True)]
        stored = self._read_documents(scope, documents)
        self.write(
            [
                Write(corpus, document_codec.with_context(document.source, context))
                for corpus, context, document in zip(corpora, contexts, stored, strict=True)
                if document.source.get("corpus") == corpus and document.source["version"] == context.version
            ],
            "external_gte",
        )

    def _try(self, writes: Sequence[Write], version_type: VersionType) -> str:
        """Write once. Return the reason of the first refused write, "" if none was refused."""
        body = b"".join(
            lines([_action(alias, write, version_type), write.body])
            for alias in self._generations.writable()
            for write in writes
        )
        path = f"/_bulk?require_alias=true&filter_path={_WHICH}"
        said = self._calls.call("POST", path, _Written, body, writes=True)
        return _refusal_of(said, but=409)

    def delete(self, alias: str, corpus: str, ids: Sequence[str]) -> None:
        """Delete documents without leaving tombstones. Raises Unavailable if some are left."""
        routing = layout.routing_of(corpus)
        keys = [layout.document_key(corpus, each) for each in ids]
        body = lines([{"delete": {"_index": alias, "_id": key, "routing": routing}} for key in keys])
        said = self._calls.call("POST", f"/_bulk?filter_path={_WHICH}", _Written, body, writes=True)
        failed = _refusal_of(said, but=404)
        if failed:
            raise Unavailable(
                f"The search index deleted only a part of the documents ({failed}).", "Repeat the call in a moment."
            )

    def place(self, scope: Scope, kind: str) -> RebuildPlace:
        """Return the progress of the new index. It is read by id, so it includes the last write."""
        path = f"/{self._generations.next}/_doc/{_marker_key(scope, kind)}?routing={_marker_routing(scope)}"
        try:
            marked = self._calls.call("GET", path, _Marked)
        except IndexMissing:
            return RebuildPlace()
        return marked.source.rebuilt if marked.source else RebuildPlace()

    def keep_place(self, scope: Scope, kind: str, place: RebuildPlace) -> None:
        path = f"/{self._generations.next}/_doc/{_marker_key(scope, kind)}"
        query = f"?routing={_marker_routing(scope)}&require_alias=true"
        try:
            self._calls.call("PUT", path + query, dict, encoded(_Marker(place)), writes=True)
        except IndexMissing as missing:
            raise Unavailable(
                "The index that was being rebuilt is gone: another rebuild ended.", "Begin again."
            ) from missing

    def _read_documents(self, scope: Scope, documents: Sequence[tuple[str, str]]) -> list[_Stored]:
        """Read documents by id. This includes the last write, even if searches do not see it yet."""
        if not documents:
            return []
        body = encoded({"ids": [layout.document_key(*document) for document in documents]})
        routing = layout.routing_of(layout.scope_key(scope))
        # The searched vectors are computed again from the packed ones.
        left_out = ",".join(layout.VECTORS)
        path = f"/{self._generations.answering}/_mget?routing={routing}&_source_excludes={left_out}"
        return self._calls.call("POST", path, _Documents, body, writes=True).docs


def _refusal_of(said: _Written, but: int) -> str:
    """Return the reason of the first refused write whose status is not `but`, "" if there is none."""
    outcomes = [outcome for item in said.items for outcome in item.values()]
    return next((each.error.type for each in outcomes if each.error and each.status != but), "")


def _marker_key(scope: Scope, kind: str) -> str:
    return layout.document_key(layout.scope_key(scope), f"rebuilt {kind}")


def _marker_routing(scope: Scope) -> str:
    return layout.routing_of(layout.scope_key(scope))


def _action(alias: str, write: Write, version_type: VersionType) -> Mapping[str, Any]:
    key, version = layout.document_key(write.corpus, write.body["id"]), write.body["version"]
    which = {"_index": alias, "_id": key, "routing": layout.routing_of(write.corpus)}
    return {"index": {**which, "version": version, "version_type": version_type}}
