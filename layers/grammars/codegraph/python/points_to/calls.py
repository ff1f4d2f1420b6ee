"""Calls of functions, classes, instances and external objects. Arguments flow to parameters, and results flow back."""

from codegraph.python.points_to.attributes import Attributes
from codegraph.python.points_to.builtin_functions import Builtins
from codegraph.python.points_to.containers import ANY, MOST_ITEMS, Containers, item
from codegraph.python.points_to.flow import Watcher
from codegraph.python.points_to.program import Function, Site
from codegraph.python.summary.facts import NOTHING

_RETURNS_ITS_ARGUMENT = {
    "functools.partial": 0,
    "functools.partialmethod": 0,
    "typing.cast": 1,
    "copy.copy": 0,
    "copy.deepcopy": 0,
}


class Calls:
    def __init__(self, attributes: Attributes, containers: Containers) -> None:
        self._attributes = attributes
        self._containers = containers
        self._flow = attributes.flow
        self._values = attributes.values
        self._program = attributes.program
        self.builtins = Builtins(attributes, containers, self.invoke)
        self._bound: set[tuple[int, int, int]] = set()
        self._lengths = containers.lengths
        attributes.invoke = self.invoke
        self._kinds = {
            "function": self._function,
            "bound": self._method,
            "class": self._class,
            "instance": self._instance,
            "external": self._external,
            "made": self._call_instance,
            "method": self._of_container,
            "unknown": self._unknown,
        }

    def react(self, watcher: Watcher, number: int) -> None:
        """Watch what a site calls: (react, site)."""
        self.invoke(watcher[1], number)

    def invoke(self, site: Site, number: int) -> None:
        handler = self._kinds.get(self._values.all[number].kind)
        if handler is not None:
            handler(site, number)

    def method(self, site: Site, receiver: int, name: str) -> bool:
        """Call a method of an instance by name. Return false if its class has none."""
        owner = int(self._values.all[receiver].first)
        if not self._attributes.defines(owner, name):
            return False
        for slot in self._attributes.class_cells(owner, name):
            self._flow.watch(slot, (self._call_found_method, site, receiver))
        return True

    def _call_found_method(self, watcher: Watcher, number: int) -> None:
        _, site, receiver = watcher
        value = self._values.all[number]
        if value.kind == "function" and self._program.functions[int(value.first)].fact.kind != "static":
            number = self._values.number("bound", value.first, receiver)
        self.invoke(site, number)

    # One method for each kind of value

    def _function(self, site: Site, number: int) -> None:
        value = self._values.all[number]
        self._enter(site, self._program.functions[int(value.first)], NOTHING)

    def _method(self, site: Site, number: int) -> None:
        value = self._values.all[number]
        self._enter(site, self._program.functions[int(value.first)], int(value.second))

    def _class(self, site: Site, number: int) -> None:
        value = self._values.all[number]
        owner = int(value.first)
        site.made[owner] = None
        made = self._values.number("instance", owner)
        self._flow.add(site.result, made)
        known = self._program.classes[owner]
        for place, name in enumerate(known.fact.fields):
            field = self._attributes.field(made, name)
            if place < len(site.args):
                self._flow.connect(site.args[place], field)
            for keyword, slot in site.kwargs:
                if keyword == name:
                    self._flow.connect(slot, field)
        for name, receiver in (("__new__", number), ("__init__", made)):
            for slot in self._attributes.class_cells(owner, name):
                self._flow.watch(slot, (self._enter_constructor, site, receiver))

    def _enter_constructor(self, watcher: Watcher, number: int) -> None:
        _, site, receiver = watcher
        value = self._values.all[number]
        if value.kind == "function":
            self._enter(site, self._program.functions[int(value.first)], receiver, returns=False)

    def _instance(self, site: Site, number: int) -> None:
        self.method(site, number, "__call__")

    def _external(self, site: Site, number: int) -> None:
        value = self._values.all[number]
        name = str(value.first)
        site.externals[name] = None
        if name.startswith("builtins.") and self.builtins.call(site, name[9:]):
            return
        place = _RETURNS_ITS_ARGUMENT.get(name)
        if place is not None and place < len(site.args):
            self._flow.connect(site.args[place], site.result)
        if site.decorates > 0:
            self._flow.connect(site.args[0], site.result)
        elif name.rpartition(".")[2][:1].isupper():
            self._flow.add(site.result, self._values.number("made", name))
        elif place is None:
            self._flow.add(site.result, self._values.unknown)

    def _call_instance(self, site: Site, number: int) -> None:
        value = self._values.all[number]
        site.externals[f"{value.first}.__call__"] = None
        self._unknown(site, self._values.unknown)

    def _of_container(self, site: Site, number: int) -> None:
        value = self._values.all[number]
        container = int(value.first)
        kind = self._containers.type_of(container)
        site.externals[f"builtins.{kind}.{value.second}"] = None
        self._containers.call_method(site, container, str(value.second))

    def _unknown(self, site: Site, number: int) -> None:
        if site.decorates > 0:
            self._flow.connect(site.args[0], site.result)
        else:
            self._flow.add(site.result, number)

    # Functions of the set

    def _enter(self, site: Site, function: Function, receiver: int, *, returns: bool = True) -> None:
        known = (site.number, function.number, receiver)
        if known in self._bound:
            return
        self._bound.add(known)
        function.called = True
        site.targets[function.number] = None
        if receiver >= 0 and function.fact.slots:
            self._flow.add(function.at(function.fact.slots[0]), receiver)
            if returns and 0 in function.fact.passed:
                self._flow.add(site.result, receiver)
        self._arguments(site, function, int(receiver >= 0))
        if returns:
            self._results(site, function)

    def _results(self, site: Site, function: Function) -> None:
        fact = function.fact
        if fact.yields < 0:
            self._flow.connect(function.at(fact.returns), site.result)
            return
        made = self._values.number("container", -1 - function.number, "generator")
        self._lengths[made] = ("generator", NOTHING)
        self._flow.connect(function.at(fact.yields), self._containers.slot(made, ANY))
        self._flow.add(site.result, made)

    def _arguments(self, site: Site, function: Function, offset: int) -> None:
        fact = function.fact
        given = set(range(offset))
        maybe: set[int] = set()
        for place, slot in enumerate(site.args):
            if place in site.spread:
                self._spread(slot, function, place + offset)
                maybe.update(range(place + offset, fact.positional))
            elif site.spread and place > site.spread[0]:
                continue
            else:
                self._pass_by_place(site, function, place + offset, slot)
                given.add(place + offset)
        for name, slot in site.kwargs:
            if name in fact.params:
                place = fact.params.index(name)
                self._pass(site, function, place, slot)
                given.add(place)
            elif fact.kwarg > 0:
                self._flow.connect(slot, self._containers.slot(self._rest(function, "dict"), item(name)))
        self._pass_keywords(site, function, given)
        for place, default in enumerate(fact.defaults):
            if place not in given and place not in maybe:
                self._flow.connect(function.at(default), function.at(fact.slots[place]))

    def _pass_by_place(self, site: Site, function: Function, place: int, slot: int) -> None:
        fact = function.fact
        if place < fact.positional:
            self._pass(site, function, place, slot)
        elif fact.vararg > 0:
            self._flow.connect(
                slot, self._containers.slot(self._rest(function, "tuple"), item(place - fact.positional))
            )

    def _pass(self, site: Site, function: Function, place: int, slot: int) -> None:
        self._flow.connect(slot, function.at(function.fact.slots[place]))
        if place in function.fact.passed:
            self._flow.connect(slot, site.result)

    def _spread(self, slot: int, function: Function, first: int) -> None:
        fact = function.fact
        for place in range(first, min(fact.positional, first + MOST_ITEMS)):
            self._flow.watch(slot, (self._item, place - first, function.at(fact.slots[place])))
        if fact.vararg > 0:
            rest = self._rest(function, "tuple")
            self._flow.watch(slot, (self._rest_of, rest, max(fact.positional - first, 0)))

    def _pass_keywords(self, site: Site, function: Function, given: set[int]) -> None:
        if site.doubled < 0:
            return
        for place, name in enumerate(function.fact.params):
            if place not in given:
                target = function.at(function.fact.slots[place])
                self._flow.watch(site.doubled, (self._item, name, target))
        if function.fact.kwarg > 0:
            self._flow.connect(site.doubled, function.at(function.fact.kwarg))

    def _item(self, watcher: Watcher, number: int) -> None:
        if self._values.all[number].kind == "container":
            self._containers.get(number, watcher[1], watcher[2])

    def _rest_of(self, watcher: Watcher, number: int) -> None:
        if self._values.all[number].kind == "container":
            self._containers.follow(number, (self._rest_field, watcher[1], watcher[2]))

    def _rest_field(self, follower: Watcher, field: str, slot: int) -> None:
        _, rest, first = follower
        place = int(field[1:]) if field.startswith("i") else NOTHING
        if place < 0:
            self._flow.connect(slot, self._containers.slot(rest, ANY))
        elif place >= first:
            self._flow.connect(slot, self._containers.slot(rest, item(place - first)))

    def _rest(self, function: Function, kind: str) -> int:
        """Return the container of `*args` or `**kwargs` of a function."""
        slot = function.at(function.fact.vararg if kind == "tuple" else function.fact.kwarg)
        made = self._values.number("container", slot, "rest")
        self._lengths[made] = (kind, NOTHING)
        self._flow.add(slot, made)
        return made
