"""Evaluate a chain link by link: names, members, calls, elements."""

from codegraph.budget import Budget
from codegraph.common_names import GIVING, KEEPING
from codegraph.extraction.summary import (
    CALL,
    CALLABLE,
    ELEMENT,
    INSTANCE,
    MANY,
    MAYBE,
    TYPES,
    UNWRAPPED,
)
from codegraph.lookup import Lookup
from codegraph.members import Members
from codegraph.receivers import Heads
from codegraph.symbol_index import Entity, File, SymbolIndex
from codegraph.values import (
    DefinedValue,
    HeldValue,
    Instance,
    Module,
    Outside,
    Rank,
    Several,
    Thing,
    with_rank,
)

DEEPEST = 24


class Evaluation:
    def __init__(self, index: SymbolIndex, budget: Budget) -> None:
        self.index = index
        self.budget = budget
        self.lookup = Lookup(index, budget)
        self.members = Members(self.lookup, self._read_base)
        self._heads = Heads(self.lookup, self.members, self.value)
        self._values: dict[Entity, Thing | None] = {}
        self._depth = 0

    def _read_base(self, file: File, scope: int, chain: str, line: int) -> Thing | None:
        return self.read(file, scope, chain, line)[0]

    def read(self, file: File, scope: int, chain: str, line: int) -> tuple[Thing | None, Thing | None]:
        """Return the value of a chain in a scope, and the value before its last link."""
        if self._depth >= DEEPEST or not chain:
            return None, None
        self._depth += 1
        try:
            links = chain.split(".")
            before: Thing | None = None
            thing, rest = self._heads.find(file, scope, links, line)
            for link in links[rest:]:
                if thing is None or not self.budget.take():
                    return None, thing
                before, thing = thing, self.step(file, thing, link)
            return thing, before
        finally:
            self._depth -= 1

    def step(self, file: File, thing: Thing, link: str) -> Thing | None:
        if link == CALL:
            return self.call_result(thing)
        if link == INSTANCE:
            return self.instance(thing)
        if link in (MANY, MAYBE):
            return HeldValue(thing, thing.rank, many=link == MANY)
        if link in (ELEMENT, UNWRAPPED):
            return self._unwrap(thing, link)
        return self.member(file, thing, link)

    def _unwrap(self, thing: Thing, link: str) -> Thing | None:
        held = self.held_value(thing)
        if isinstance(held, Instance) and self.index.binding(held.entity).kind == "type":
            held = self.value(held.entity)
        if isinstance(held, HeldValue) and held.many == (link == ELEMENT):
            return with_rank(held.inner, held.rank)
        if isinstance(held, Outside):
            return held
        return held if link == UNWRAPPED else None

    def held_value(self, thing: Thing | None) -> Thing | None:
        """Return the value that a variable holds. Any other thing is returned as it is."""
        if not isinstance(thing, DefinedValue):
            return thing
        binding = self.index.binding(thing.entity)
        if binding.kind in TYPES or binding.kind in CALLABLE or binding.kind in ("namespace", "prototype"):
            return thing
        if binding.opens >= 0 and not binding.value:
            return thing
        value = self.value(thing.entity)
        return with_rank(value, Rank.FLOW) if value is not None else None

    def value(self, entity: Entity) -> Thing | None:
        """Return the value that a variable holds, or that a call of a function returns."""
        if entity not in self._values:
            file, binding = self.index.files[entity.file], self.index.binding(entity)
            self._values[entity] = None
            scope = binding.at if binding.at >= 0 else binding.scope
            if binding.value != binding.name or scope != binding.scope:
                self._values[entity] = self.read(file, scope, binding.value, binding.line)[0]
        return self._values[entity]

    def call_result(self, thing: Thing) -> Thing | None:
        match thing:
            case Outside():
                return thing
            case HeldValue(gives=True):
                return with_rank(thing.inner, thing.rank)
            case Several():
                given = {self.call_result(DefinedValue(each, thing.rank)) for each in thing.entities}
                return given.pop() if len(given) == 1 else None
            case DefinedValue():
                binding = self.index.binding(thing.entity)
                if binding.kind in TYPES:
                    return self.instance(thing)
                if binding.kind in CALLABLE or binding.kind == "prototype":
                    given = self.value(thing.entity)
                    return with_rank(given, Rank.FLOW) if given is not None else None
                held = self.held_value(thing)
                return self.call_result(held) if held is not None and held != thing else None
            case _:
                return thing if isinstance(thing, Instance) else None

    def instance(self, thing: Thing) -> Thing | None:
        match thing:
            case DefinedValue():
                binding = self.index.binding(thing.entity)
                if binding.kind == "type" and binding.value and not self._has_methods(thing.entity):
                    value = self.value(thing.entity)
                    return with_rank(value, Rank.FLOW) if value is not None else Instance(thing.entity, Rank.FLOW)
                if binding.kind in TYPES or binding.kind in CALLABLE or binding.opens >= 0:
                    return Instance(thing.entity, Rank.FLOW)
                held = self.held_value(thing)
                return self.instance(held) if held is not None and held != thing else None
            case Several():
                return Several(thing.entities, Rank.FLOW)
            case Outside() | Instance() | HeldValue():
                return thing
            case _:
                return None

    def _has_methods(self, entity: Entity) -> bool:
        """Tell whether an alias of a type has methods of its own, as Go allows."""
        return any(file.scope(scope).kind == "extension" for file, scope in self.members.scopes(entity))

    def member(self, file: File, thing: Thing, name: str) -> Thing | None:
        match thing:
            case Outside():
                return Outside(f"{thing.name}.{name}", thing.rank)
            case Module():
                found = self.lookup.in_module(thing, name)
                return with_rank(found, thing.rank) if found else Outside(f"{thing.name}.{name}")
            case HeldValue():
                return self._member_of_many(thing, name)
            case Several():
                return self._member_of_any(file, thing, name)
            case Instance():
                return self._member_of_type(thing.entity, name, thing.rank, above=thing.above)
            case _:
                return self._member_of_named(file, thing, name)

    def _member_of_many(self, thing: HeldValue, name: str) -> Thing | None:
        if thing.gives:
            return None
        if name in GIVING:
            return HeldValue(thing.inner, Rank.FLOW, many=False, gives=True)
        if name in KEEPING:
            return HeldValue(HeldValue(thing.inner, Rank.FLOW, many=thing.many), Rank.FLOW, many=False, gives=True)
        return Outside(name)

    def _member_of_any(self, file: File, thing: Several, name: str) -> Thing | None:
        found = [self.member(file, DefinedValue(each, thing.rank), name) for each in thing.entities]
        defined = dict.fromkeys(each.entity for each in found if isinstance(each, DefinedValue))
        if len(defined) == 1:
            return DefinedValue(next(iter(defined)), Rank.FLOW)
        return Several(tuple(sorted(defined)), Rank.FLOW) if defined else None

    def _member_of_type(self, entity: Entity, name: str, rank: Rank, *, above: bool = False) -> Thing | None:
        found, complete = self.members.find(entity, name, above=above)
        if found is not None:
            return with_rank(found, rank)
        return Outside(f"{self.index.qualified_name(entity)}.{name}") if complete else None

    def _member_of_named(self, file: File, thing: DefinedValue, name: str) -> Thing | None:
        binding = self.index.binding(thing.entity)
        if binding.kind == "namespace":
            owner = self.index.files[thing.entity.file]
            found = owner.names[binding.opens].get(name) if binding.opens >= 0 else None
            if found:
                return DefinedValue(Entity(owner.at, found[0]), thing.rank)
            return self.lookup.find_named(owner, f"{self.index.qualified_name(thing.entity)}.{name}", thing.rank)
        if binding.kind in TYPES or binding.kind in CALLABLE or (binding.opens >= 0 and not binding.value):
            return self._member_of_type(thing.entity, name, thing.rank)
        held = self.held_value(thing)
        return self.member(file, held, name) if held is not None and held != thing else None
