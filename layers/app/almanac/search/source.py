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
    """The documents of one `kind`, as they stand in the store.

    `read` answers those of up to 100 ids that exist, in any order; `every` all of a project in the order of their ids,
    from the first id behind a text on, a few read at a time. Whoever changes one writes what `writing` says in the same
    atomic write. `then` reads as of an instant; None where documents never change. `changed`
    answers a bounded number of ids of documents that said something else then which is kept, whatever they say now.
    `unindexed` answers a bounded number of documents that are read for each question, as nothing tells an index that
    they ended.
    """

    kind: str
    profile: Profile
    read: Read
    every: Every
    then: ReadThen | None = None
    changed: ChangedSince | None = None
    unindexed: ReadUnindexed | None = None


class LateSources(Mapping[str, Source]):
    """Sources by their kind. Calling what `load` has for a kind imports the source, with others of its family."""

    def __init__(self, load: Mapping[str, Callable[[], Sequence[Source]]]) -> None:
        self._load = load

    def __getitem__(self, kind: str) -> Source:
        return next(source for source in self._load[kind]() if source.kind == kind)

    def __iter__(self) -> Iterator[str]:
        return iter(self._load)

    def __len__(self) -> int:
        return len(self._load)
