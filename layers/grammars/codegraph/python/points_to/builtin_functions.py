"""Model builtin functions that call, pass on or store their arguments."""

import builtins
from collections.abc import Callable
from functools import partial

from codegraph.python.points_to.attributes import Attributes
from codegraph.python.points_to.containers import ANY, Containers, item
from codegraph.python.points_to.flow import Watcher
from codegraph.python.points_to.program import Site
from codegraph.python.summary.facts import NOTHING

NAMES = frozenset(dir(builtins))
_COPIED = {"list": "list", "tuple": "tuple", "set": "set", "frozenset": "set", "reversed": "list"}


class Builtins:
    def __init__(self, attributes: Attributes, containers: Containers, invoke: Callable[[Site, int], None]) -> None:
        self._attributes = attributes
        self._containers = containers
        self._invoke = invoke
        self._flow = attributes.flow
        self._values = attributes.values
        self._program = attributes.program
        self._models: dict[str, Callable[[Site], None]] = {
            "map": self._map,
            "filter": self._filter,
            "sorted": self._model_sorted,
            "min": self._model_min_max,
            "max": self._model_min_max,
            "dict": self._dict,
            "enumerate": self._enumerate,
            "zip": self._zip,
            "iter": self._same,
            "next": self._next,
            "getattr": self._getattr,
            "setattr": self._setattr,
            "type": self._type,
        }
        for name, kind in _COPIED.items():
            self._models[name] = partial(self._model_copy, kind=kind)
        self.iterate: Callable[[Site, int, int], None] = _raise_unexpected
        """Put the elements of a value into a slot: given by who follows loops."""

    def call(self, site: Site, name: str) -> bool:
        """Model a call of a builtin. Return false if it has no model."""
        model = self._models.get(name)
        if model is None or (not site.args and name != "dict"):
            return False
        model(site)
        return True

    def _container(self, site: Site, kind: str) -> int:
        made = self._values.number("container", site.result, kind)
        self._containers.lengths[made] = (kind, NOTHING)
        self._flow.add(site.result, made)
        return made

    def _elements(self, site: Site, place: int) -> int:
        """Return the slot of the elements of an argument."""
        slot = self._flow.slot()
        if place < len(site.args):
            self._flow.watch(site.args[place], (self._element, site, slot))
        return slot

    def _element(self, watcher: Watcher, number: int) -> None:
        self.iterate(watcher[1], number, watcher[2])

    def _calls(self, site: Site, function: int, args: list[int]) -> int:
        """Call what is in a slot on behalf of a site, and return the slot of the results."""
        inner = self._program.site(site.file, site.scope, site.line, function, self._flow.slot())
        inner.args = args
        self._flow.watch(function, (self._invoke_found, inner))
        return inner.result

    def _invoke_found(self, watcher: Watcher, number: int) -> None:
        if self._values.all[number].kind in {"function", "bound", "class", "instance"}:
            self._invoke(watcher[1], number)

    def _map(self, site: Site) -> None:
        made = self._container(site, "generator")
        elements = [self._elements(site, place) for place in range(1, len(site.args))]
        self._flow.connect(self._calls(site, site.args[0], elements), self._containers.slot(made, ANY))

    def _filter(self, site: Site) -> None:
        made = self._container(site, "generator")
        elements = self._elements(site, 1)
        self._calls(site, site.args[0], [elements])
        self._flow.connect(elements, self._containers.slot(made, ANY))

    def _key(self, site: Site, elements: int) -> None:
        for keyword, slot in site.kwargs:
            if keyword == "key":
                self._calls(site, slot, [elements])

    def _model_sorted(self, site: Site) -> None:
        made = self._container(site, "list")
        elements = self._elements(site, 0)
        self._key(site, elements)
        self._flow.connect(elements, self._containers.slot(made, ANY))

    def _model_min_max(self, site: Site) -> None:
        if len(site.args) == 1:
            elements = self._elements(site, 0)
            self._key(site, elements)
            self._flow.connect(elements, site.result)
            return
        for each in site.args:
            self._key(site, each)
            self._flow.connect(each, site.result)

    def _model_copy(self, site: Site, kind: str) -> None:
        made = self._container(site, kind)
        self._flow.connect(self._elements(site, 0), self._containers.slot(made, ANY))

    def _dict(self, site: Site) -> None:
        made = self._container(site, "dict")
        for keyword, slot in site.kwargs:
            self._flow.connect(slot, self._containers.slot(made, item(keyword)))
        self._containers.call_method(site, made, "update")

    def _enumerate(self, site: Site) -> None:
        made = self._container(site, "generator")
        pair = self._pair(made, 2)
        self._flow.connect(self._elements(site, 0), self._containers.slot(pair, item(1)))

    def _zip(self, site: Site) -> None:
        made = self._container(site, "generator")
        row = self._pair(made, len(site.args))
        for place in range(len(site.args)):
            self._flow.connect(self._elements(site, place), self._containers.slot(row, item(place)))

    def _pair(self, made: int, length: int) -> int:
        pair = self._values.number("container", made, "pair")
        self._containers.lengths[pair] = ("tuple", length)
        self._flow.add(self._containers.slot(made, ANY), pair)
        return pair

    def _same(self, site: Site) -> None:
        self._flow.connect(site.args[0] if site.args else NOTHING, site.result)

    def _next(self, site: Site) -> None:
        self._flow.connect(self._elements(site, 0), site.result)
        self._flow.connect(site.args[1] if len(site.args) > 1 else NOTHING, site.result)

    def _names(self, site: Site) -> list[str]:
        names = [self._values.all[each] for each in self._flow.of(site.args[1])] if len(site.args) > 1 else []
        return [str(each.first) for each in names if each.kind == "constant"]

    def _getattr(self, site: Site) -> None:
        for each in self._names(site):
            load = (self._attributes.load, each, site.result, site.file, site.line, site.scope)
            self._flow.watch(site.args[0], load)
        self._flow.connect(site.args[2] if len(site.args) > 2 else NOTHING, site.result)

    def _setattr(self, site: Site) -> None:
        if len(site.args) > 2:
            for each in self._names(site):
                self._flow.watch(site.args[0], (self._attributes.store, each, site.args[2]))

    def _type(self, site: Site) -> None:
        if len(site.args) == 1:
            self._flow.watch(site.args[0], (self._class_of, site.result))

    def _class_of(self, watcher: Watcher, number: int) -> None:
        value = self._values.all[number]
        if value.kind == "instance":
            self._flow.add(watcher[1], self._values.number("class", value.first))


def _raise_unexpected(site: Site, number: int, target: int) -> None:
    raise LookupError(f"nobody iterates over value {number} of line {site.line} into {target}")
