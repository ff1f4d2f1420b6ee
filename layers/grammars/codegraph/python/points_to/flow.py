"""Worklist that moves values along edges between slots until nothing new arrives, or the budget is spent."""

from collections import deque
from typing import Any

WIDEST = 16
"""Most values that a slot holds. More of them say nothing about a call."""

Watcher = tuple[Any, ...]
"""Function of (watcher, number of a value), with whatever else it needs."""


class Flow:
    def __init__(self, slots: int, budget: int) -> None:
        self.values: list[set[int] | None] = [None] * slots
        self.edges: list[list[int] | None] = [None] * slots
        self.watchers: list[list[Watcher] | None] = [None] * slots
        self.budget = budget
        self.cut = False
        self._arrived: dict[int, list[int]] = {}
        self._slots: deque[int] = deque()
        self._reactions: deque[tuple[Watcher, int]] = deque()
        self._dynamic: set[tuple[int, int]] = set()

    def slot(self) -> int:
        self.values.append(None)
        self.edges.append(None)
        self.watchers.append(None)
        return len(self.values) - 1

    def of(self, slot: int) -> list[int]:
        """Return the values of a slot, in the order of their numbers."""
        found = self.values[slot] if slot > 0 else None
        return sorted(found) if found else []

    def add(self, slot: int, value: int) -> None:
        held = self.values[slot]
        if held is None:
            self.values[slot] = {value}
        elif value in held or len(held) >= WIDEST:
            return
        else:
            held.add(value)
        arrived = self._arrived.get(slot)
        if arrived is None:
            self._arrived[slot] = [value]
            self._slots.append(slot)
        else:
            arrived.append(value)

    def connect(self, source: int, target: int) -> None:
        """Pass present and future values of `source` to `target`."""
        if source <= 0 or target <= 0 or source == target or (source, target) in self._dynamic:
            return
        self._dynamic.add((source, target))
        self.budget -= 1
        edges = self.edges[source]
        if edges is None:
            self.edges[source] = [target]
        else:
            edges.append(target)
        held = self.values[source]
        if held:
            for value in sorted(held):
                self.add(target, value)

    def watch(self, slot: int, watcher: Watcher) -> None:
        """Call the watcher for each present and future value of a slot."""
        if slot <= 0:
            return
        self.budget -= 1
        watchers = self.watchers[slot]
        if watchers is None:
            self.watchers[slot] = [watcher]
        else:
            watchers.append(watcher)
        held = self.values[slot]
        if held:
            late = self._arrived.get(slot, ())
            if len(late) < len(held):
                self._reactions.extend([(watcher, value) for value in sorted(held.difference(late))])

    def later(self, watcher: Watcher, value: int) -> None:
        """Call a watcher once when its turn comes, so that long chains do not nest."""
        self._reactions.append((watcher, value))

    def run(self) -> None:
        """Move values until none is left to move. `cut` is set if the budget ended first."""
        slots, reactions = self._slots, self._reactions
        while slots or reactions:
            if self.budget <= 0:
                self.cut = True
                return
            while reactions and self.budget > 0:
                self.budget -= 1
                watcher, value = reactions.popleft()
                watcher[0](watcher, value)
            if slots:
                self._move(slots.popleft())

    def _move(self, slot: int) -> None:
        arrived = self._arrived.pop(slot)
        edges = self.edges[slot]
        if edges:
            self.budget -= len(edges) * len(arrived)
            for target in edges:
                for value in arrived:
                    self.add(target, value)
        watchers = self.watchers[slot]
        if watchers:
            self.budget -= len(watchers) * len(arrived)
            self._reactions.extend([(watcher, value) for watcher in watchers for value in arrived])
