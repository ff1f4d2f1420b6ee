"""Port of the search index: documents to index, questions to answer, and the frames that ranking reads.

    index(scope, entries)   remove(scope, removals)   enrich(scope, contexts)
    candidates(scope, profile, question, filters, legs, size)   find_places(scope, profile, lookup)
    status(scope)   list_states(...)   states_of(...)   list_unenriched(scope, limit)   forget(scope)
    drop_removed(before)   start_rebuild()   resume_rebuild()   rebuild_place(...)   finish_rebuild()

An index is derived from the store. It may lag behind the store, and a rebuild can always make it again. Every method
names its scope. No document and no statistic of another tenant or project takes part in an answer. Instants are
milliseconds since 1970.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol

from msgspec import Struct

from almanac.kernel.caller import Scope

if TYPE_CHECKING:
    from almanac.search.frame import Frame, Vector

Profile = Literal["talk", "documents", "code"]
"""Ways to read and rank documents. Each has its own statistics, because words that are rare in talk may fill code."""
Leg = Literal["words", "meaning"]
LEGS: tuple[Leg, Leg] = ("words", "meaning")
Fusion = Literal["sum", "rrf"]
"""Ways to combine the legs: add their scores, or add 1 / (60 + rank) of each.

Reciprocal ranks are worse wherever one leg is better than the other.
"""
MAX_PIECES = 256
"""Largest number of a text's word pieces that an index keeps for comparison by meaning."""
GONE_KEPT_MS = 7_200_000
"""Time during which an index remembers removals, in milliseconds.

It is twice the age up to which indexing takes a text from its fresh document instead of from the source.
"""

CONTEXT_BYTES = 48
"""Size of one word piece's context bits, in bytes."""


class Document(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A document that search can find.

    `id` is unique in the project and never reused. Of two versions the greater one counts. `title` and `text` are
    searched as two fields, because a name or a signature counts more than the text below it.

    Documents of one `session` are neighbours in the order of `position`. Positions have gaps where documents were
    removed. A document without a session has no neighbours. `role` is user, assistant or tool, and `speaker` is a
    person's name. `fields` holds further values to filter by, such as actor or path.

    The remaining attributes are only for answers, and no index stores them. `known_as` is the id that tools use, if it
    differs from `id`. `recorded_at` is the instant at which the document became known, if it differs from `at`.
    `details` holds further values to show with the document.
    """

    id: str
    kind: str
    profile: Profile
    version: int
    title: str = ""
    text: str = ""
    session: str = ""
    position: int = 0
    role: str = ""
    speaker: str = ""
    at: int = 0
    tags: tuple[str, ...] = ()
    fields: Mapping[str, str] = {}
    known_as: str = ""
    recorded_at: int = 0
    details: Mapping[str, str] = {}


class Removal(Struct, frozen=True, kw_only=True):
    """Removal of a document at the instant `at`. `version` is greater than every version that the document had, and no
    older version brings it back."""

    id: str
    profile: Profile
    version: int
    at: int = 0


class FieldEntry(Struct, frozen=True, kw_only=True):
    """Index entry of one field of a document.

    `terms` maps each index term to its number of occurrences, and `length` is the sum of these numbers. `pieces` holds
    the ids of the first 256 word pieces that the index keeps, as little-endian uint16. `kept` is the number of such
    pieces in the whole text. `vector` is the unit vector from the static table, as little-endian float16. It is empty
    if the text has none or no table was loaded.
    """

    terms: Mapping[str, int] = {}
    length: int = 0
    pieces: bytes = b""
    kept: int = 0
    vector: bytes = b""


class Entry(Struct, frozen=True, kw_only=True):
    """A document as an index stores it, with the values derived from its texts but without the texts.

    `asks` is true if the text ends in a question mark. `names` is the number of capitalised words inside a turn of
    talk, and 0 for other documents. `embedder` names the embedder of the pieces and vectors, and is "" if there was
    none. `words` are the exact words of both fields, which `SearchIndex.find_places` looks up.
    """

    id: str
    kind: str
    profile: Profile
    version: int
    session: str
    position: int
    role: str
    speaker: str
    at: int
    tags: tuple[str, ...]
    fields: Mapping[str, str]
    title: FieldEntry
    text: FieldEntry
    asks: bool
    names: int
    embedder: str
    words: tuple[str, ...] = ()


class FieldContext(Struct, frozen=True, kw_only=True):
    """Context of a field, from a model that reads the whole text.

    `vector` is the field's unit vector, as little-endian float16. `bits` are the signs of each kept piece's state, 48
    bytes for each piece, in the order of `FieldEntry.pieces`.
    """

    vector: bytes = b""
    bits: bytes = b""


class Context(Struct, frozen=True, kw_only=True):
    """Context of a document, which is added later. An index ignores it if it has another version of the document, or if
    the document was removed."""

    id: str
    profile: Profile
    version: int
    title: FieldContext
    text: FieldContext


class Filters(Struct, frozen=True, kw_only=True):
    """Conditions that a found document must meet. Empty conditions allow all documents.

    `kinds`, `sessions`, `roles` and `speakers` list the allowed values. Case does not matter for speakers. A document
    must have all of `tags` and at least one of `any_tags`. Its `at` must not be before `since`, and must be before
    `until`. It must have all values in `fields`. For each field in `among` it must have one of the values, of which
    there may be thousands; "" allows a document without the field. `except_ids` excludes documents by id, and
    `except_fields` excludes documents that have any of its values.
    """

    kinds: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    any_tags: tuple[str, ...] = ()
    since: int | None = None
    until: int | None = None
    fields: Mapping[str, str] = {}
    among: Mapping[str, frozenset[str]] = {}
    except_ids: frozenset[str] = frozenset()
    except_fields: Mapping[str, str] = {}


class Question(Struct, frozen=True, kw_only=True):
    """Parts of a question that an index needs: its distinct terms, and its vectors if there are any."""

    terms: tuple[str, ...]
    vector: "Vector | None" = None
    context: "Vector | None" = None


class Place(Struct, frozen=True, order=True):
    """Position of a document among all documents, by time and then by id."""

    at: int
    id: str


Order = Literal["id", "at"]
"""Sort order, descending: by id alone, or by `at` and then by id."""


class Lookup(Struct, frozen=True, kw_only=True):
    """Request for one page of the documents that contain exact words.

    A document matches if it has each of `words` and, for each of `prefixes`, a word that begins with it.
    `exact_words_of` splits texts into such words. The page begins behind `after` and has at most `size` documents.
    """

    words: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    filters: Filters = Filters()
    order: Order = "id"
    after: Place | None = None
    size: int = 100

    def is_behind(self, place: Place) -> bool:
        """Return whether a place comes after the start of the page."""
        if self.after is None:
            return True
        return place < self.after if self.order == "at" else place.id < self.after.id

    def sort_key(self, place: Place) -> tuple[int, str]:
        """Return the sort key of a place. The place with the greatest key comes first."""
        return (place.at if self.order == "at" else 0), place.id


class DocumentState(Struct, frozen=True):
    """State of a document in an index. `removed` means that the index has only its tombstone, and `enriched` that the
    document has its context."""

    id: str
    version: int
    removed: bool = False
    enriched: bool = False


class Status(Struct, frozen=True, kw_only=True):
    """Status of an index, with the counts of one project.

    `documents` is the number of documents that can be found, and `enriched` the number of those with their context.
    `removed` is the number of remembered removals. `rebuilding` is true while a second index is built beside the
    current one. `bytes` is the size of the whole index, None if it is unknown.
    """

    documents: int
    enriched: int
    removed: int
    rebuilding: bool = False
    bytes: int | None = None


class RebuildPlace(Struct, frozen=True):
    """Progress of a rebuild for a kind of a project's documents: up to the id `after`, or `done`."""

    after: str = ""
    done: bool = False


class SearchIndex(Protocol):
    """Index of documents by words and meaning. Any thread or process may call its methods.

    If two rebuilds run at once, only one of them finishes. Methods raise Unavailable when the backing service does not
    answer after retries, and no other error that waiting could fix.
    """

    visible_after_ms: int
    """Time after `index` until search is certain to find a document, in milliseconds."""

    def index(self, scope: Scope, entries: Sequence[Entry]) -> None:
        """Write up to 1,250 entries. An entry changes nothing unless it is newer than the stored version, which may be
        a removal."""
        ...

    def remove(self, scope: Scope, removals: Sequence[Removal]) -> None:
        """Remove up to 1,250 documents, and remember their removals."""
        ...

    def enrich(self, scope: Scope, contexts: Sequence[Context]) -> None:
        """Add up to 500 contexts to the documents from which they were made."""
        ...

    def candidates(
        self, scope: Scope, profile: Profile, question: Question, filters: Filters, legs: Sequence[Leg], size: int
    ) -> "Frame":
        """Return about the best `size` documents of each of `legs`, with their neighbours and the values that ranking
        needs.

        Filters apply inside each leg, so a filtered search finds as many documents as there are. Neighbours belong to
        the same session and need not meet the filters. They help to score candidates, and are not hits themselves.
        """
        ...

    def find_places(self, scope: Scope, profile: Profile, lookup: Lookup) -> Sequence[Place] | None:
        """Return one page of a lookup, or None if documents may be missing because no rebuild has read the whole store.

        A page is shorter than `size` only if no document follows. An index may ignore a prefix that thousands of words
        have, so callers must compare the texts.
        """
        ...

    def enriched_share(self, scope: Scope, profile: Profile) -> float:
        """Return the approximate share of documents that have their context, from 0 to 1. It counts the documents of
        the profile, or of all profiles."""
        ...

    def status(self, scope: Scope) -> Status: ...

    def list_states(
        self, scope: Scope, profile: Profile, *, after: str = "", limit: int = 1000
    ) -> Sequence[DocumentState]:
        """Return the states of the documents that the index holds, in the order of their ids, beginning behind `after`.
        On OpenSearch the answer may be a second behind."""
        ...

    def states_of(self, scope: Scope, profile: Profile, ids: Sequence[str]) -> Sequence[DocumentState]:
        """Return the states of up to 100 documents, leaving out documents that the index does not hold."""
        ...

    def list_unenriched(self, scope: Scope, limit: int) -> Sequence[DocumentState]:
        """Return up to `limit` documents that lack their context, the newest first."""
        ...

    def forget(self, scope: Scope) -> None:
        """Delete everything about a deleted project, including its removals. The same ids may come back from an
        imported file with older versions."""
        ...

    def drop_removed(self, before: int) -> int:
        """Forget the removals that were made before an instant, in all projects. Return their number."""
        ...

    def start_rebuild(self, gone_since: int = 0) -> None:
        """Start an empty index for all tenants beside the current one, and drop an earlier unfinished one.

        Until the rebuild is finished, writes go to both indexes. Callers must pass the same `gone_since` to
        `finish_rebuild`.
        """
        ...

    def resume_rebuild(self) -> bool:
        """Continue an unfinished rebuild. Return False if there is none that can be continued. Then the caller must
        start one."""
        ...

    def rebuild_place(self, scope: Scope, kind: str) -> RebuildPlace:
        """Return the progress of the new index through the documents of a kind."""
        ...

    def keep_rebuild_place(self, scope: Scope, kind: str, place: RebuildPlace) -> None:
        """Store the progress of the new index through the documents of a kind, if the index can continue a rebuild."""
        ...

    def finish_rebuild(self, gone_since: int = 0) -> None:
        """Switch to the new index and drop the old one. The new one remembers removals since `gone_since`.

        Raises Unavailable if no rebuild was started, or if another rebuild has replaced it.
        """
        ...
