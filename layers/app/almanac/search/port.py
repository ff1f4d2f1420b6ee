"""The search port: what is indexed, what is asked, and what an index answers to a ranking.

    index(scope, entries)   remove(scope, removals)   enrich(scope, contexts)
    candidates(scope, profile, question, filters, legs, size)   matching(scope, profile, lookup)
    status(scope)   held(...)   held_among(...)   lacking(scope, limit)   forget(scope)
    drop_removed(before)   start_rebuild()   resume_rebuild()   rebuild_place(...)   finish_rebuild()

An index is derived: it follows the store, may be behind, and can always be made again. Every method names its scope,
and nothing of another tenant or project has any part in an answer: neither as a document nor as a statistic. Instants
are milliseconds since 1970.
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
"""Word pieces of a text that are kept for its meaning."""
GONE_KEPT_MS = 7_200_000
"""Time during which an index remembers removals, in milliseconds.

It is twice the time for which a written text counts without a look at its source.
"""

CONTEXT_BYTES = 48
"""Bytes that the bits of one word piece take."""


class Document(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A document that search can find. `id` is unique in the project for good; of two versions the greater one holds.

    `title` and `text` are searched as two fields: a name or a signature counts more than what stands below it.
    Documents of one `session` stand beside each other by `position`, with gaps where some were removed; without a
    session there are no neighbours. `role` is user, assistant or tool; `speaker` a person's name. `fields` are further
    values to filter by, such as actor or path.

    The rest is for answers alone, and no part of an index: `known_as` is the id by which tools know it, where that is
    another one, `recorded_at` when it became known, where `at` is another time, `details` what is said of it.
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
    """A document is gone since `at`: `version` is greater than any that it had, and no older one brings it back."""

    id: str
    profile: Profile
    version: int
    at: int = 0


class FieldEntry(Struct, frozen=True, kw_only=True):
    """The entry that is derived from a field of a document.

    `terms` are its index terms with how often each occurs, `length` their number. `pieces` are the ids of the first 256
    word pieces that are kept, as little-endian uint16; `kept` counts those of the whole text. `vector` is the unit
    vector of the static table, as little-endian float16, empty where the text has none or no table was there.
    """

    terms: Mapping[str, int] = {}
    length: int = 0
    pieces: bytes = b""
    kept: int = 0
    vector: bytes = b""


class Entry(Struct, frozen=True, kw_only=True):
    """A document as it is indexed: its place and what is derived from its texts, never the texts.

    `asks`: it ends in a question mark. `names` counts capitalised words inside a turn of talk, and is 0 for all else.
    `embedder` names what made the pieces and vectors; "" where there was none. `words` are the exact words of both
    fields, which `SearchIndex.matching` looks up.
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
    """The reading of a field by a model that reads whole texts: `vector` is its unit vector as little-endian float16,
    `bits` are the signs of each kept piece's state, 48 bytes each, in the order of `FieldEntry.pieces`."""

    vector: bytes = b""
    bits: bytes = b""


class Context(Struct, frozen=True, kw_only=True):
    """Added to a document later. It is ignored where the document has another version, or is gone."""

    id: str
    profile: Profile
    version: int
    title: FieldContext
    text: FieldContext


class Filters(Struct, frozen=True, kw_only=True):
    """Conditions that a found document must meet; empty ones allow all.

    `kinds`, `sessions`, `roles` and `speakers` each name the allowed ones, in any case for speakers. `tags` must all be
    there, and one of `any_tags`. `since`, included, and `until`, excluded, bound `at`. `fields` must all be equal, each
    of `among` must have one of the values, which may be thousands; "" is that of a document without the field.
    `except_ids` are left out, and what has one of `except_fields`.
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
    """The parts of a question that an index needs: its different terms, and its vectors if there are any."""

    terms: tuple[str, ...]
    vector: "Vector | None" = None
    context: "Vector | None" = None


class Place(Struct, frozen=True, order=True):
    """The place of a document among all, by time and then by id."""

    at: int
    id: str


Order = Literal["id", "at"]
"""Sort order, descending: by id alone, or by `at` and then by id."""


class Lookup(Struct, frozen=True, kw_only=True):
    """A page of all documents that have each of the exact `words` and, for each of `prefixes`, a word that begins with
    it. The page begins behind `after` and has at most `size` documents. `exact_words_of` cuts texts into such words."""

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
        """The greatest key comes first."""
        return (place.at if self.order == "at" else 0), place.id


class DocumentState(Struct, frozen=True):
    """The state of a document in an index. `removed`: the index has only its tombstone. `enriched`: with its
    context."""

    id: str
    version: int
    removed: bool = False
    enriched: bool = False


class Status(Struct, frozen=True, kw_only=True):
    """`documents` can be found, `enriched` of them with their context, `removed` are remembered as gone. `rebuilding`:
    a second index is being made beside the one that answers. `bytes` is what all of it takes, None where nobody knows.
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

    Of two rebuilds at once, only one is finished. Raises Unavailable when the backing service does not answer, after
    retries, and no other error that waiting could fix.
    """

    visible_after_ms: int
    """Time after `index` until search is certain to find a document, in milliseconds."""

    def index(self, scope: Scope, entries: Sequence[Entry]) -> None:
        """Write up to 1,250 entries. One that is not newer than what is there, removals included, changes nothing."""
        ...

    def remove(self, scope: Scope, removals: Sequence[Removal]) -> None:
        """Forget up to 1,250 documents, and remember that they are gone."""
        ...

    def enrich(self, scope: Scope, contexts: Sequence[Context]) -> None:
        """Add up to 500 contexts to the documents that they were made of."""
        ...

    def candidates(
        self, scope: Scope, profile: Profile, question: Question, filters: Filters, legs: Sequence[Leg], size: int
    ) -> "Frame":
        """About the best `size` documents of each of `legs`, with their neighbours, and what a ranking needs of them.

        Filters hold inside each leg, so that as many are found as there are. Neighbours are of the same session and
        pass no filter: they help to find, and are not found themselves.
        """
        ...

    def matching(self, scope: Scope, profile: Profile, lookup: Lookup) -> Sequence[Place] | None:
        """The page of a lookup; shorter than `size` only where no document follows. An index may leave out a prefix
        that thousands of words have: callers compare the texts. None where documents may be missing for good, because
        no rebuild has gone through the store."""
        ...

    def enriched_share(self, scope: Scope, profile: Profile) -> float:
        """About which share of the documents has its context, 0 to 1: of a profile, or of all."""
        ...

    def status(self, scope: Scope) -> Status: ...

    def held(self, scope: Scope, profile: Profile, *, after: str = "", limit: int = 1000) -> Sequence[DocumentState]:
        """Return what the index holds in the order of ids, beginning behind `after`. On OpenSearch it may be a second
        behind."""
        ...

    def held_among(self, scope: Scope, profile: Profile, ids: Sequence[str]) -> Sequence[DocumentState]:
        """Return what the index holds of up to 100 documents."""
        ...

    def lacking(self, scope: Scope, limit: int) -> Sequence[DocumentState]:
        """Up to `limit` documents without their context, the newest first."""
        ...

    def forget(self, scope: Scope) -> None:
        """Drop all of a deleted project, what is gone as well: the same ids may come back from a file, older."""
        ...

    def drop_removed(self, before: int) -> int:
        """Forget, in all projects, what was removed before an instant; returns how many documents that was."""
        ...

    def start_rebuild(self, gone_since: int = 0) -> None:
        """Begin an empty index, of all tenants, beside the one that answers; an earlier unfinished one is dropped.
        Until it is finished, writes go to both. Both methods must be given the same `gone_since`."""
        ...

    def resume_rebuild(self) -> bool:
        """Go on with a rebuild that was begun and not finished. False where there is none that can be gone on with:
        then one has to be started."""
        ...

    def rebuild_place(self, scope: Scope, kind: str) -> RebuildPlace:
        """Return the progress of the new index with the documents of a kind."""
        ...

    def keep_rebuild_place(self, scope: Scope, kind: str, place: RebuildPlace) -> None:
        """Remember that, where a rebuild can be gone on with."""
        ...

    def finish_rebuild(self, gone_since: int = 0) -> None:
        """The index that was begun answers from now on, and the former one is dropped. What that one remembers as gone
        stays so, from `gone_since` on. Raises Unavailable where none is begun, or another rebuild has replaced it."""
        ...
