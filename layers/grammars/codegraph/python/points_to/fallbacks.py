"""Assumptions about values that remain unknown after all known values were followed."""

from codegraph.python.points_to.attributes import Attributes
from codegraph.python.points_to.containers import Containers
from codegraph.python.points_to.flow import Watcher
from codegraph.python.points_to.program import Program


class Fallbacks:
    def __init__(self, program: Program, attributes: Attributes, containers: Containers) -> None:
        self._program = program
        self._attributes = attributes
        self._containers = containers
        self._flow = attributes.flow
        self._values = attributes.values

    def assume(self) -> None:
        self._containers.without_keys()
        self._assume_defaults()
        self._assume_undecorated()
        self._assume_annotations()
        self._assume_outside()

    def _assume_defaults(self) -> None:
        """Assume that parameters of a function without known callers have their defaults."""
        for function in self._program.functions:
            if not function.called:
                for default, slot in zip(function.fact.defaults, function.fact.slots, strict=True):
                    if default > 0:
                        self._flow.connect(function.at(default), function.at(slot))

    def _assume_undecorated(self) -> None:
        """Assume that a decorator with an unknown result returns the definition that it got."""
        for site in self._program.sites:
            if site.decorates > 0 and not self._flow.values[site.result]:
                self._flow.connect(site.args[0], site.result)

    def _assume_annotations(self) -> None:
        for file in self._program.files:
            for slot, hint in file.summary.hints:
                self._hint(slot + file.base, hint + file.base)
        for function in self._program.functions:
            fact = function.fact
            if fact.result > 0 and fact.yields < 0:
                self._hint(function.at(fact.returns), function.at(fact.result))

    def _hint(self, slot: int, hint: int) -> None:
        held = self._flow.values[slot]
        if not held or held == {self._values.unknown}:
            self._flow.watch(hint, (self._instance, slot))

    def _instance(self, watcher: Watcher, number: int) -> None:
        value = self._values.all[number]
        if value.kind == "class":
            self._flow.add(watcher[1], self._values.number("instance", value.first))
        elif value.kind == "external":
            self._flow.add(watcher[1], self._values.number("made", value.first))

    def _assume_outside(self) -> None:
        """Assume that an attribute which no class of the set has belongs to an external base."""
        for owner, name, result in self._attributes.missing:
            if not self._flow.values[result]:
                outside = self._attributes.orders.outside(owner)
                self._flow.add(result, self._values.external(f"{outside}.{name}"))
