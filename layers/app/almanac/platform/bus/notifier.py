"""Notifiers that wake workers when events are written, so that reactions run at once."""

import threading
from collections.abc import Sequence
from typing import Protocol

from almanac.platform.store.port import Change, OutboxPut, Store
from almanac.platform.store.wrapper import StoreWrapper


class Notifier:
    """Wakes one waiting thread. Any thread may notify it."""

    def __init__(self) -> None:
        self._notified = threading.Event()

    def notify(self) -> None:
        self._notified.set()

    def wait(self, milliseconds: int) -> None:
        """Wait until notified, but at most that long. Returns at once if notified since the last wait."""
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


class NotifyingStore(StoreWrapper):
    """A store that notifies the workers after it wrote events."""

    def __init__(self, store: Store, notifier: Notifies) -> None:
        super().__init__(store)
        self._notifier = notifier

    def write(self, changes: Sequence[Change]) -> None:
        super().write(changes)
        if any(isinstance(change, OutboxPut) for change in changes):
            self._notifier.notify()
