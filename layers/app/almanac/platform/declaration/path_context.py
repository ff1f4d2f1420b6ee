"""What families know about paths, for who claims them: composition fills this in."""

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


class PathQuestion(Struct, frozen=True):
    """`names` tells whether a text names one of the paths that are asked about."""

    store: Store
    scope: Scope
    now: int
    names: Callable[[str], bool]


class LatestNotes(Struct, frozen=True):
    """Those among a bounded number of the latest records; `is_cut`: there are older ones."""

    notes: Sequence[PathNote]
    is_cut: bool = False


AboutPaths = Callable[[PathQuestion], LatestNotes]
