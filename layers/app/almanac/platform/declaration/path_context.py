"""Port by which a claim shows what other families know about its path. Composition provides the implementation."""

from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct

from almanac.kernel.caller import Scope
from almanac.platform.store.port import Store

NoteKind = Literal["decision", "constraint", "memory", "fact", "note", "booking", "review", "message"]


class PathNote(Struct, frozen=True, kw_only=True):
    """A text that names a path. `at` is in milliseconds since 1970. Notes with a lower `rank` come first."""

    kind: NoteKind
    id: str
    text: str
    at: int
    actor: str
    rank: int


MOST_READ = 100
"""Number of a kind's latest records to read when search does not find the others."""


class PathQuestion(Struct, frozen=True):
    """A query for texts about paths.

    `names` returns whether a text names one of the paths. `most` limits the latest records that are read of a kind that
    search also finds.
    """

    store: Store
    scope: Scope
    now: int
    names: Callable[[str], bool]
    most: int = MOST_READ


class LatestNotes(Struct, frozen=True):
    """Notes from a limited number of the latest records. `is_cut` is true if there are older records."""

    notes: Sequence[PathNote]
    is_cut: bool = False


AboutPaths = Callable[[PathQuestion], LatestNotes]
