"""Count the activity of people and agents from their recorded turns."""

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
        """Return the activity between two instants, latest first.

        This reads at most 1,000 turns and about 2 MB of text. Forgotten turns do not count."""
        activities: dict[_Key, Activity] = {}
        partition = TURNS.partition(scope, TURNS.indexes["gsi1"], ())
        span = Span(sort_key(since), sort_key(until))
        characters = 0
        items = every_item(self._store, partition, span=span, index="gsi1", reverse=True, page=_PAGE)
        for turns_read, turn in enumerate(map(TURNS.read, items)):
            if turns_read == MOST_TURNS or characters > MOST_CHARACTERS:
                break
            characters += len(turn.content)
            if turn.forgotten_at is None:
                key = turn.actor, turn.session, turn.tool, file_of(turn.metadata)
                activities[key] = _add_turn(activities.get(key), turn, key)
        return sorted(activities.values(), key=lambda activity: -activity.last_at)


def _add_turn(before: Activity | None, turn: Turn, key: _Key) -> Activity:
    actor, session, tool, file = key
    last_at = turn.at if before is None else before.last_at
    count = 1 if before is None else before.count + 1
    return Activity(actor=actor, session=session, tool=tool, file=file, last_at=last_at, count=count)
