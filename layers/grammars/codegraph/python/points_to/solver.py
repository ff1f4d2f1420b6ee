"""Solve a program. All facts of its files become edges and watchers of one flow."""

from codegraph.python.points_to.attributes import Attributes
from codegraph.python.points_to.builtin_functions import NAMES
from codegraph.python.points_to.calls import Calls
from codegraph.python.points_to.containers import Containers
from codegraph.python.points_to.fallbacks import Fallbacks
from codegraph.python.points_to.flow import Flow, Watcher
from codegraph.python.points_to.program import File, Program, is_exported
from codegraph.python.points_to.protocols import Protocols
from codegraph.python.points_to.values import Values
from codegraph.python.summary.facts import NOTHING, ImportFact, PythonSummary

MOST_BASES = 16
_ROUNDS = 3
"""Number of rounds in which the solver makes assumptions about unknown values, and follows them."""


class Solver:
    def __init__(self, summaries: list[PythonSummary], budget: int) -> None:
        self.program = Program(summaries)
        self.flow = Flow(self.program.slots, budget)
        self.values = Values()
        self.attributes = Attributes(self.program, self.flow, self.values)
        self.containers = Containers(self.attributes, {})
        self._calls = Calls(self.attributes, self.containers)
        self._protocols = Protocols(self.attributes, self.containers, self._calls)
        self.written = 0
        """Sites of the files themselves; those after them are implicit."""

    def solve(self) -> None:
        for file in self.program.files:
            self._link(file)
        self._definitions()
        self._run()
        for file in self.program.files:
            self._follow(file)
        self.written = len(self.program.sites)
        self._receivers()
        self._run()
        fallbacks = Fallbacks(self.program, self.attributes, self.containers)
        for _ in range(_ROUNDS):
            if self.flow.cut:
                return
            fallbacks.assume()
            self._run()

    def _run(self) -> None:
        self.flow.run()
        while not self.flow.cut and self.attributes.settle_bases():
            self.flow.run()

    def _link(self, file: File) -> None:
        """Add copies, constants, imports and loads, through which classes may be found."""
        summary, base, flow = file.summary, file.base, self.flow
        edges = flow.edges
        copies = iter(summary.copies)
        for source, target in zip(copies, copies, strict=True):
            held = edges[source + base]
            if held is None:
                edges[source + base] = [target + base]
            else:
                held.append(target + base)
        for slot, key in summary.constants:
            flow.add(slot + base, self.values.number("constant", key))
        for slot, name in summary.instances:
            flow.add(slot + base, self.values.number("made", f"builtins.{name}"))
        for slot, kind, length in summary.containers:
            made = self.values.number("container", slot + base)
            self.containers.lengths[made] = (kind, length)
            flow.add(slot + base, made)
        for fact in summary.modules:
            self._import(fact, base)
        for name, slot in summary.outer:
            self._outer(summary, name, slot + base)
        load = self.attributes.load
        for thing, name, result, line, scope in summary.loads:
            flow.watch(thing + base, (load, name, result + base, file, line, scope))

    def _import(self, fact: ImportFact, base: int) -> None:
        slot = fact.slot + base
        if fact.name == "*":
            return
        module, name = fact.module, fact.name
        if not name:
            known = self.program.has_module(module)
            self.flow.add(slot, self.values.number("module", module) if known else self.values.external(module))
        elif self.program.module_slot(module, name) == slot and self.program.has_module(f"{module}.{name}"):
            # The package imports one of its own modules by its own name.
            self.flow.add(slot, self.values.number("module", f"{module}.{name}"))
        elif self.program.has_module(module):
            watcher = (self.attributes.load, name, slot, None, fact.line, fact.scope)
            self.attributes.load(watcher, self.values.number("module", module))
        else:
            self.flow.add(slot, self.values.external(f"{module}.{name}" if module else name))

    def _outer(self, summary: PythonSummary, name: str, slot: int) -> None:
        for star in summary.stars:
            source = self.program.modules.get(star)
            if source is not None and is_exported(source.summary, name):
                found = self.program.module_slot(star, name)
                if found > 0:
                    self.flow.connect(found, slot)
                    return
        if name in NAMES:
            self.flow.add(slot, self.values.external(f"builtins.{name}"))

    def _definitions(self) -> None:
        for function in self.program.functions:
            self.flow.add(function.at(function.fact.slot), self.values.number("function", function.number))
        for number, each in enumerate(self.program.classes):
            self.flow.add(each.fact.slot + each.file.base, self.values.number("class", number))
            for base in each.fact.bases[:MOST_BASES]:
                if base > 0:
                    self.flow.watch(base + each.file.base, (self._base, number))

    def _base(self, watcher: Watcher, number: int) -> None:
        known = self.program.classes[int(watcher[1])]
        value = self.values.all[number]
        if value.kind == "class" and value.first not in known.bases and len(known.bases) < MOST_BASES:
            known.bases.append(int(value.first))
            self.attributes.new_bases.add(watcher[1])
        elif value.kind == "external" and value.first != "builtins.object":
            known.outside.append(str(value.first))

    def _follow(self, file: File) -> None:
        """Watch everything in a file that may lead to a call."""
        summary, base, flow, protocols = file.summary, file.base, self.flow, self._protocols
        for fact in summary.calls:
            site = self.program.call_site(file, fact)
            flow.watch(site.function, (self._calls.react, site))
        for thing, name, value in summary.stores:
            flow.watch(thing + base, (self.attributes.store, name, value + base))
        for thing, key, result, line, scope in summary.gets:
            flow.watch(thing + base, (protocols.get, _at(key, base), result + base, file, line, scope))
        for thing, key, value, line, scope in summary.puts:
            flow.watch(thing + base, (protocols.put, _at(key, base), _at(value, base), file, line, scope))
        for thing, first, end, result in summary.slices:
            flow.watch(thing + base, (protocols.slice, first, end, result + base))
        for thing, result, line, scope in summary.iterations:
            flow.watch(thing + base, (protocols.iterate, result + base, file, line, scope))
        for thing, result, line, scope in summary.contexts:
            flow.watch(thing + base, (protocols.enter, result + base, file, line, scope))
        for left, method, right, result, line, scope in summary.operations:
            operands = (_at(right, base), result + base)
            flow.watch(left + base, (protocols.operate, method, *operands, file, line, scope))
        for thing, line, scope in summary.raised:
            flow.watch(thing + base, (protocols.raise_value, file, line, scope))

    def _receivers(self) -> None:
        """Add the class of each method, or an instance of it, to the method's first parameter, whoever else calls it.
        `super()` looks after that class."""
        for function in self.program.functions:
            fact = function.fact
            if function.owner >= 0 and fact.slots and fact.kind != "static" and fact.positional:
                kind = "class" if fact.kind == "class" else "instance"
                self.flow.add(function.at(fact.slots[0]), self.values.number(kind, function.owner))
        first_class = 0
        for file in self.program.files:
            for result, owner, receiver in file.summary.supers:
                watcher = (self._super, first_class + owner, result + file.base)
                self.flow.watch(_at(receiver, file.base), watcher)
            first_class += len(file.summary.classes)

    def _super(self, watcher: Watcher, number: int) -> None:
        if self.values.all[number].kind in {"instance", "class"}:
            self.flow.add(watcher[2], self.values.number("super", watcher[1], number))


def _at(slot: int, base: int) -> int:
    return slot + base if slot > 0 else NOTHING
