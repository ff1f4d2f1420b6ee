"""Activity of people and agents, counted from their recorded turns."""

from collections.abc import Sequence

from almanac.families.memory.core.documents import file_of
from almanac.families.memory.core.records import TURNS, Turn
from almanac.kernel.caller import Scope
from almanac.platform.declaration.recorded_activity import Activity
from almanac.platform.store.keys import sort_key
from almanac.platform.store.port import Span, Store
from almanac.platform.store.queries import every_item

MOST_TURNS = 1000
MOST_CHARACTERS = 2 * 1024 * 1024
_PAGE = 100

_Key = tuple[str, str | None, str | None, str | None]


class TurnActivity:
    """Implementation of `RecordedActivity` over the turns of one store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def since(self, scope: Scope, since: int, until: int) -> Sequence[Activity]:
        """Return the activity between two instants. At most 1,000 turns and about 2 MB of text are read. Forgotten
        turns do not count."""
        counted: dict[_Key, Activity] = {}
        partition = TURNS.partition(scope, TURNS.indexes["gsi1"], ())
        span = Span(sort_key(since), sort_key(until))
        characters = 0
        items = every_item(self._store, partition, span=span, index="gsi1", reverse=True, page=_PAGE)
        for read, turn in enumerate(map(TURNS.read, items)):
            if read == MOST_TURNS or characters > MOST_CHARACTERS:
                break
            characters += len(turn.content)
            if turn.forgotten_at is None:
                key = turn.actor, turn.session, turn.tool, file_of(turn.metadata)
                counted[key] = _with(counted.get(key), turn, key)
        return sorted(counted.values(), key=lambda one: -one.last_at)


def _with(known: Activity | None, turn: Turn, key: _Key) -> Activity:
    actor, session, tool, file = key
    last_at = turn.at if known is None else known.last_at
    count = 1 if known is None else known.count + 1
    return Activity(actor=actor, session=session, tool=tool, file=file, last_at=last_at, count=count)
