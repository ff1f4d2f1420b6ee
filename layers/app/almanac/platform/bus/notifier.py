"""Waking the workers: bells that a write rings, so that its events are handled at once."""

import threading
from collections.abc import Sequence
from typing import Protocol, Unpack

from almanac.platform.store.keys import Key, Partition
from almanac.platform.store.port import Change, Event, Item, Narrowing, Page, Store


class Notifier:
    """Rung by any thread, listened to by one."""

    def __init__(self) -> None:
        self._rung = threading.Event()

    def ring(self) -> None:
        self._rung.set()

    def wait(self, milliseconds: int) -> None:
        """Returns when it rings, when it has rung since the last wait, or after that time."""
        self._rung.wait(milliseconds / 1000)
        self._rung.clear()


class Notifiers:
    """One bell for each worker, rung together."""

    def __init__(self) -> None:
        self._bells: list[Notifier] = []

    def another(self) -> Notifier:
        bell = Notifier()
        self._bells.append(bell)
        return bell

    def ring(self) -> None:
        for bell in self._bells:
            bell.ring()


class Notifies(Protocol):
    def ring(self) -> None: ...


class NotifyingStore:
    """The store behind, whose events ring the bell once they are written."""

    def __init__(self, store: Store, bell: Notifies) -> None:
        self._store = store
        self._bell = bell

    def get(self, key: Key) -> Item | None:
        return self._store.get(key)

    def get_many(self, keys: Sequence[Key]) -> tuple[Item | None, ...]:
        return self._store.get_many(keys)

    def snapshot(self, keys: Sequence[Key]) -> tuple[Item | None, ...]:
        return self._store.snapshot(keys)

    def query(self, partition: Partition, **narrowing: Unpack[Narrowing]) -> Page:
        return self._store.query(partition, **narrowing)

    def write(self, changes: Sequence[Change]) -> None:
        self._store.write(changes)
        if any(isinstance(change, Event) for change in changes):
            self._bell.ring()
