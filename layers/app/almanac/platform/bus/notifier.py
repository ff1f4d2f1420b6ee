"""Wakes the workers when events are written, so that these are handled at once."""

import threading
from collections.abc import Sequence
from typing import Protocol, Unpack

from almanac.platform.store.keys import Key, Partition
from almanac.platform.store.port import Change, Event, Item, Narrowing, Page, Store


class Notifier:
    """Notified by any thread, waited on by one."""

    def __init__(self) -> None:
        self._notified = threading.Event()

    def notify(self) -> None:
        self._notified.set()

    def wait(self, milliseconds: int) -> None:
        """Return when notified, when notified since the last wait, or after that time."""
        self._notified.wait(milliseconds / 1000)
        self._notified.clear()


class Notifiers:
    """One notifier for each worker, all notified together."""

    def __init__(self) -> None:
        self._notifiers: list[Notifier] = []

    def another(self) -> Notifier:
        notifier = Notifier()
        self._notifiers.append(notifier)
        return notifier

    def notify(self) -> None:
        for notifier in self._notifiers:
            notifier.notify()


class Notifies(Protocol):
    def notify(self) -> None: ...


class NotifyingStore:
    """The store behind, which notifies the workers of events once they are written."""

    def __init__(self, store: Store, notifier: Notifies) -> None:
        self._store = store
        self._notifier = notifier

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
            self._notifier.notify()
