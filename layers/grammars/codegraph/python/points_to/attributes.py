"""Attributes of modules, classes, instances, `super()`, and external objects."""

from collections.abc import Callable

from codegraph.python.points_to.classes import Orders
from codegraph.python.points_to.flow import Flow, Watcher
from codegraph.python.points_to.program import Program, Site
from codegraph.python.points_to.values import Values
from codegraph.python.summary.facts import Key

METHODS_OF_CONTAINERS = frozenset(
    {"append", "add", "appendleft", "insert", "extend", "extendleft", "update", "get", "pop", "popitem", "popleft",
     "setdefault", "values", "items", "keys", "copy", "union"}
)  # fmt: skip


class Lookup:
    """Lookup of a name on a receiver. `slot` has the values found. Properties among them are called for each load."""

    __slots__ = ("loads", "properties", "search", "slot")

    def __init__(self, slot: int, search: tuple[str, int, int, int]) -> None:
        self.slot = slot
        self.search = search
        """Name, receiver or -1, class, and the class after which to look or -1."""
        self.loads: list[Watcher] = []
        self.properties: list[int] = []


class Attributes:
    def __init__(self, program: Program, flow: Flow, values: Values) -> None:
        self.program = program
        self.flow = flow
        self.values = values
        self.orders = Orders(program, flow)
        self.fields: dict[tuple[int, Key], int] = {}
        self.new_bases: set[int] = set()
        """Classes of which a base was found since the last look."""
        self._lookups: dict[tuple[int, str], Lookup] = {}
        self.invoke: Callable[[Site, int], None] = _nobody
        """Call a value at a site: given by who calls."""
        self.missing: list[tuple[int, str, int]] = []
        """Loads from instances whose class has a base outside: number of the class, name, result."""
        self._loads: dict[str, Callable[[int, Watcher], None]] = {
            "module": self._of_module,
            "class": self._of_class,
            "instance": self._of_instance,
            "super": self._of_super,
            "external": self._of_external,
            "made": self._of_external,
            "constant": self._of_constant,
            "container": self._of_container,
            "function": self._of_function,
            "unknown": self._of_unknown,
        }

    def field(self, value: int, key: Key) -> int:
        """Return the slot of an attribute of a value, or of an item of a container."""
        slot = self.fields.get((value, key))
        if slot is None:
            slot = self.fields[value, key] = self.flow.slot()
        return slot

    def load(self, watcher: Watcher, number: int) -> None:
        """Watch an object: (load, name, result, file, line, scope)."""
        handler = self._loads.get(self.values.all[number].kind)
        if handler is not None:
            handler(number, watcher)

    def store(self, watcher: Watcher, number: int) -> None:
        """Watch an object: (store, name, slot of the value)."""
        value = self.values.all[number]
        target = -1
        if value.kind == "module":
            target = self.program.module_slot(str(value.first), watcher[1])
        if value.kind in _HOLDERS:
            self.flow.connect(watcher[2], target if target > 0 else self.field(number, watcher[1]))

    def class_cells(self, number: int, name: str, after: int = -1) -> list[int]:
        """Return slots where a class may find an attribute, up to the first class whose body binds it. With `after`,
        search only the classes that follow that one in the order."""
        order = self.orders.of(number)
        if after >= 0:
            order = order[order.index(after) + 1 :] if after in order else ()
        found: list[int] = []
        for each in order:
            known = self.program.classes[each]
            found.append(self.field(self.values.number("class", each), name))
            slot = known.fact.names.get(name)
            if slot is not None:
                found.append(slot + known.file.base)
                return found
            if known.outside:
                break
        return found

    def defines(self, number: int, name: str) -> bool:
        classes = self.program.classes
        return any(name in classes[each].fact.names for each in self.orders.of(number))

    def bind(self, watcher: Watcher, number: int) -> None:
        """Watch what a class holds: (bind, receiver, class, lookup). A receiver of -1 is the class itself."""
        _, receiver, owner, lookup = watcher
        value = self.values.all[number]
        kind = self.program.functions[int(value.first)].fact.kind if value.kind == "function" else "static"
        if kind == "class":
            number = self.values.number("bound", value.first, self.values.number("class", owner))
        elif kind == "property" and receiver >= 0:
            self._add_property(lookup, self.values.number("bound", value.first, receiver))
            return
        elif kind != "static" and receiver >= 0:
            number = self.values.number("bound", value.first, receiver)
        self.flow.add(lookup.slot, number)

    def _add_property(self, lookup: Lookup, number: int) -> None:
        if number not in lookup.properties:
            lookup.properties.append(number)
            for load in lookup.loads:
                self.invoke(self.implicit_site(load, load[2]), number)

    def _use(self, lookup: Lookup, load: Watcher) -> None:
        """Pass to a load what is found for its receiver and name, and call the properties among it."""
        lookup.loads.append(load)
        self.flow.connect(lookup.slot, load[2])
        for number in lookup.properties:
            self.invoke(self.implicit_site(load, load[2]), number)

    def _lookup(self, key: tuple[int, str], receiver: int, owner: int, after: int = -1) -> Lookup:
        """Return the lookup of a name on one receiver. Each is searched once."""
        lookup = self._lookups.get(key)
        if lookup is None:
            lookup = self._lookups[key] = Lookup(self.flow.slot(), (key[1], receiver, owner, after))
            self._search(lookup)
        return lookup

    def _search(self, lookup: Lookup) -> None:
        name, receiver, owner, after = lookup.search
        for slot in self.class_cells(owner, name, after):
            self.flow.watch(slot, (self.bind, receiver, owner, lookup))
        if receiver >= 0 and after < 0:
            for each in self.orders.of(owner):
                self.flow.connect(self.field(self.values.number("instance", each), name), lookup.slot)

    def settle_bases(self) -> bool:
        """Repeat lookups that ran before bases of their class were known. Return false if no base is new."""
        if not self.new_bases:
            return False
        self.orders.forget()
        self.flow.budget -= len(self._lookups)
        for lookup in list(self._lookups.values()):
            if not self.new_bases.isdisjoint(self.orders.of(lookup.search[2])):
                self._search(lookup)
        self.new_bases.clear()
        return True

    def implicit_site(self, load: Watcher, result: int) -> Site:
        """Return the site of a call that the source does not write as one. A load ends with its file, line and
        scope."""
        return self.program.site(load[-3], load[-1], load[-2], -1, result)

    # One method for each kind of value

    def _of_module(self, number: int, watcher: Watcher) -> None:
        value = self.values.all[number]
        name, result = watcher[1], watcher[2]
        module = str(value.first)
        slot = self.program.module_slot(module, name)
        inner = f"{module}.{name}" if module else name
        if slot > 0:
            self.flow.connect(slot, result)
        elif self.program.has_module(inner):
            self.flow.add(result, self.values.number("module", inner))
        elif module in self.program.modules:
            self.flow.connect(self.field(number, name), result)
        else:
            self.flow.add(result, self.values.external(inner))

    def _of_class(self, number: int, watcher: Watcher) -> None:
        value = self.values.all[number]
        owner = int(value.first)
        self._use(self._lookup((number, watcher[1]), -1, owner), watcher)
        self._maybe_outside(owner, watcher)

    def _of_instance(self, number: int, watcher: Watcher) -> None:
        value = self.values.all[number]
        owner, name = int(value.first), watcher[1]
        self._use(self._lookup((number, name), number, owner), watcher)
        self._maybe_outside(owner, watcher)

    def _maybe_outside(self, owner: int, watcher: Watcher) -> None:
        if self.orders.outside(owner) and not self.defines(owner, watcher[1]):
            self.missing.append((owner, watcher[1], watcher[2]))

    def _of_super(self, number: int, watcher: Watcher) -> None:
        value = self.values.all[number]
        after, receiver = int(value.first), int(value.second)
        owner = int(self.values.all[receiver].first)
        bound = receiver if self.values.all[receiver].kind == "instance" else -1
        self._use(self._lookup((number, watcher[1]), bound, owner, after), watcher)
        rest = self.orders.of(owner)
        rest = rest[rest.index(after) :] if after in rest else ()
        outside = [name for each in rest for name in self.program.classes[each].outside]
        names = [self.program.classes[each].fact.names for each in rest[1:]]
        if outside and not any(watcher[1] in each for each in names):
            self.flow.add(watcher[2], self.values.external(f"{outside[0]}.{watcher[1]}"))

    def _of_external(self, number: int, watcher: Watcher) -> None:
        value = self.values.all[number]
        self.flow.add(watcher[2], self.values.external(f"{value.first}.{watcher[1]}"))

    def _of_constant(self, number: int, watcher: Watcher) -> None:
        value = self.values.all[number]
        name = type(value.first).__name__
        self.flow.add(watcher[2], self.values.external(f"builtins.{name}.{watcher[1]}"))

    def _of_container(self, number: int, watcher: Watcher) -> None:
        if watcher[1] in METHODS_OF_CONTAINERS:
            self.flow.add(watcher[2], self.values.number("method", number, watcher[1]))
        else:
            self.flow.add(watcher[2], self.values.unknown)

    def _of_function(self, number: int, watcher: Watcher) -> None:
        self.flow.connect(self.field(number, watcher[1]), watcher[2])

    def _of_unknown(self, number: int, watcher: Watcher) -> None:
        self.flow.add(watcher[2], number)


_HOLDERS = frozenset({"module", "class", "instance", "function"})


def _nobody(site: Site, number: int) -> None:
    raise LookupError(f"nobody calls value {number} at line {site.line}")
