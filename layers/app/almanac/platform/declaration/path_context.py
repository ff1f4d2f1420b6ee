"""Port by which a claim shows what families know about its path; composition fills it in."""

from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct

from almanac.kernel.caller import Scope
from almanac.platform.store.port import Store

NoteKind = Literal["decision", "constraint", "memory", "fact", "note", "booking", "review", "message"]


class PathNote(Struct, frozen=True, kw_only=True):
    """A text that names a path. `at` is milliseconds since 1970; the lower `rank`, the earlier it is told."""

    kind: NoteKind
    id: str
    text: str
    at: int
    actor: str
    rank: int


MOST_READ = 100
"""Number of a kind's latest records to read when search does not find the others."""


class PathQuestion(Struct, frozen=True):
    """`names` tells whether a text names one of the paths that are asked about. `most` bounds what is read of a kind
    that search finds too, the latest first."""

    store: Store
    scope: Scope
    now: int
    names: Callable[[str], bool]
    most: int = MOST_READ


class LatestNotes(Struct, frozen=True):
    """Notes from a bounded number of the latest records. `is_cut`: there are older records."""

    notes: Sequence[PathNote]
    is_cut: bool = False


AboutPaths = Callable[[PathQuestion], LatestNotes]
