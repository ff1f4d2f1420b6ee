"""Sources, which read the documents of a family from the store, so that an index can always be rebuilt."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct

from almanac.kernel.caller import Scope
from almanac.platform.services import Services
from almanac.search.port import Document, Profile

Read = Callable[[Services, Scope, Sequence[str]], Sequence[Document]]
Every = Callable[[Services, Scope, str], Iterator[Document]]


class KnownThen(Struct, frozen=True):
    """Documents as they were at an instant.

    `lost` are the ids, as tools use them, of documents whose earlier version is not stored. Documents that did not
    exist yet are in neither list.
    """

    documents: Sequence[Document]
    lost: Sequence[str] = ()


class Unindexed(Struct, frozen=True):
    """Documents that are in no index, because they end by the clock. `note` tells the caller if some were left out."""

    documents: Sequence[Document] = ()
    note: str = ""


ReadThen = Callable[[Services, Scope, Sequence[str], int], KnownThen]
ChangedSince = Callable[[Services, Scope, int], Sequence[str]]
ReadUnindexed = Callable[[Services, Scope], Unindexed]


class Source(Struct, frozen=True, kw_only=True):
    """The documents of one `kind`, as they are in the store.

    `read` returns the existing documents among up to 100 ids, in any order. `every` yields all documents of a project
    in the order of their ids, starting behind an id, and reads a few at a time. A family that changes a document must
    add the change from `engine/document_writes.py` to the same atomic write.

    `then` reads documents as of an instant, and is None if documents never change. `changed` returns a bounded number
    of ids of documents that differed at an instant, if their earlier version is stored. `unindexed` returns a bounded
    number of documents that are read for each question, because no event tells an index that they ended.
    """

    kind: str
    profile: Profile
    read: Read
    every: Every
    then: ReadThen | None = None
    changed: ChangedSince | None = None
    unindexed: ReadUnindexed | None = None


class LateSources(Mapping[str, Source]):
    """Sources by their kind. Looking up a kind calls its function in `load`, which imports the sources of its
    family."""

    def __init__(self, load: Mapping[str, Callable[[], Sequence[Source]]]) -> None:
        self._load = load

    def __getitem__(self, kind: str) -> Source:
        return next(source for source in self._load[kind]() if source.kind == kind)

    def __iter__(self) -> Iterator[str]:
        return iter(self._load)

    def __len__(self) -> int:
        return len(self._load)
