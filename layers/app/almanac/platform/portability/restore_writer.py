"""The writer of imported items.

It writes many at once, within the store's limits, and names the lines of invalid ones.
"""

from collections.abc import Callable, Sequence

from almanac.kernel.errors import InvalidInput
from almanac.platform.portability.lines import wrong_line
from almanac.platform.store.bounds import check_write
from almanac.platform.store.keys import Key
from almanac.platform.store.port import MAX_CHANGES, Change, Put, Store
from almanac.platform.store.values import check_attributes

GUARDS = 2
"""Number of changes in each write that are reserved for `guard`."""

_BYTES = 3 * 1024 * 1024  # the item that reaches it still fits into the 4 MB of a write


class RestoreWriter:
    """Collects puts, and writes them together with the changes that `guard` returns for the last line among them."""

    def __init__(self, store: Store, guard: Callable[[int], Sequence[Change]]) -> None:
        self._store = store
        self._guard = guard
        self._puts: dict[Key, Put] = {}
        self._bytes = 0
        self._last = 0

    def add(self, put: Put, number: int) -> None:
        """Add an item. Raises InvalidInput, naming line `number`, if it is invalid or came just before."""
        if put.key in self._puts:
            raise wrong_line(number, "the same item appears in the file twice")
        try:
            check_write([put])
        except InvalidInput as wrong:
            raise wrong_line(number, f"the item is not one that can be stored. {wrong.message.rstrip('.')}") from wrong
        self._puts[put.key] = put
        places = (put.key, *put.indexes.values())
        self._bytes += check_attributes(put.attributes)[1] + sum(
            len(place.partition.text + place.sort) for place in places
        )
        self._last = number
        if len(self._puts) == MAX_CHANGES - GUARDS or self._bytes > _BYTES:
            self.flush()

    def flush(self) -> None:
        """Write the collected items. Raises ConditionFailed if a change of the guard fails; they come first."""
        if self._puts:
            self._store.write([*self._guard(self._last), *self._puts.values()])
            self._puts.clear()
            self._bytes = 0
