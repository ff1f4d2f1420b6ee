"""Calls that Python makes by itself, for loops, `with`, items, operators and `raise`."""

from codegraph.python.points_to.attributes import Attributes
from codegraph.python.points_to.calls import Calls
from codegraph.python.points_to.containers import Containers
from codegraph.python.points_to.flow import Watcher
from codegraph.python.points_to.program import File, Site
from codegraph.python.summary.facts import NOTHING


class Protocols:
    def __init__(self, attributes: Attributes, containers: Containers, calls: Calls) -> None:
        self._attributes = attributes
        self._containers = containers
        self._calls = calls
        self._flow = attributes.flow
        self._values = attributes.values
        self._program = attributes.program
        calls.builtins.iterate = self._elements

    def _site(self, watcher: Watcher, result: int, args: tuple[int, ...] = ()) -> Site:
        """Return a site at the file, line and scope with which a watcher ends."""
        file: File = watcher[-3]
        site = self._program.site(file, watcher[-1], watcher[-2], NOTHING, result)
        site.args = args
        return site

    def iterate(self, watcher: Watcher, number: int) -> None:
        """Watch what is iterated over: (iterate, element, file, line, scope)."""
        value = self._values.all[number]
        target = watcher[1]
        if value.kind == "container":
            self._containers.elements(number, target)
        elif value.kind == "instance":
            self._instance(watcher, number)
        elif value.kind == "class":
            self._flow.add(target, self._values.number("instance", value.first))
        elif value.kind in {"unknown", "external", "made"}:
            self._flow.add(target, self._values.unknown)

    def _elements(self, site: Site, number: int, target: int) -> None:
        self.iterate((self.iterate, target, site.file, site.line, site.scope), number)

    def _instance(self, watcher: Watcher, number: int) -> None:
        iterator = self._flow.slot()
        for name, after in (("__iter__", "__next__"), ("__aiter__", "__anext__")):
            if self._calls.method(self._site(watcher, iterator), number, name):
                self._flow.watch(iterator, (self._next, after, *watcher[1:]))
                return
        key = self._site(watcher, watcher[1])
        self._calls.method(key, number, "__getitem__")

    def _next(self, watcher: Watcher, number: int) -> None:
        """Watch an iterator: (next, name of the method, element, file, line, scope)."""
        if self._values.all[number].kind == "instance":
            self._calls.method(self._site(watcher, watcher[2]), number, watcher[1])
        else:
            self.iterate((self.iterate, *watcher[2:]), number)

    def enter(self, watcher: Watcher, number: int) -> None:
        """Watch a context manager: (enter, what it gives, file, line, scope)."""
        value = self._values.all[number]
        if value.kind == "instance":
            for names in (("__enter__", "__exit__"), ("__aenter__", "__aexit__")):
                self._calls.method(self._site(watcher, watcher[1]), number, names[0])
                self._calls.method(self._site(watcher, self._flow.slot()), number, names[1])
        elif value.kind == "container":
            self._containers.elements(number, watcher[1])
        elif value.kind in {"unknown", "made", "external"}:
            self._flow.add(watcher[1], self._values.unknown)

    def get(self, watcher: Watcher, number: int) -> None:
        """Watch an object from which an item is read: (get, key, result, file, line, scope)."""
        key, result = watcher[1], watcher[2]
        value = self._values.all[number]
        if value.kind == "container":
            self._containers.at_key(number, key, result, put=False)
        elif value.kind == "instance":
            self._calls.method(self._site(watcher, result, (key,)), number, "__getitem__")
        elif value.kind in {"class", "external"}:
            self._flow.add(result, number)
        elif value.kind in {"unknown", "made"}:
            self._flow.add(result, self._values.unknown)

    def put(self, watcher: Watcher, number: int) -> None:
        """Watch an object to which an item is written: (put, key, value, file, line, scope)."""
        kind = self._values.all[number].kind
        if kind == "container":
            self._containers.at_key(number, watcher[1], watcher[2], put=True)
        elif kind == "instance":
            site = self._site(watcher, self._flow.slot(), (watcher[1], watcher[2]))
            self._calls.method(site, number, "__setitem__")

    def slice(self, watcher: Watcher, number: int) -> None:
        """Watch an object that is sliced: (slice, first, end, result)."""
        if self._values.all[number].kind == "container":
            self._containers.slice(number, *watcher[1:])
        else:
            self._flow.add(watcher[3], number)

    def operate(self, watcher: Watcher, number: int) -> None:
        """Watch a left side: (operate, method, right side, result, file, line, scope)."""
        kind = self._values.all[number].kind
        if kind == "instance":
            self._calls.method(self._site(watcher, watcher[3], (watcher[2],)), number, watcher[1])
        elif kind == "container" and watcher[1] in {"__add__", "__or__"}:
            self._flow.add(watcher[3], number)
            self._flow.connect(watcher[2], watcher[3])
        elif kind in {"unknown", "made"}:
            self._flow.add(watcher[3], self._values.unknown)

    def raise_value(self, watcher: Watcher, number: int) -> None:
        """Watch what is raised: (raise_value, file, line, scope). A class is called."""
        if self._values.all[number].kind == "class":
            self._calls.invoke(self._site(watcher, self._flow.slot()), number)
