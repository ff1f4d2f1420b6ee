"""Find the members of classes: their own, those defined elsewhere, and inherited ones."""

from collections.abc import Callable, Iterator

from codegraph.extraction.summary import CALLABLE
from codegraph.lookup import Lookup
from codegraph.symbol_index import Entity, File
from codegraph.values import DefinedValue, Instance, Rank, Several, Thing

MOST_BASES = 64

Evaluate = Callable[[File, int, str, int], Thing | None]


class Members:
    """Finds members of types. `evaluate` returns the value of a base class's chain."""

    def __init__(self, lookup: Lookup, evaluate: Evaluate) -> None:
        self._lookup = lookup
        self._index = lookup.index
        self._evaluate = evaluate
        self._bases: dict[Entity, tuple[tuple[Entity, ...], bool]] = {}
        self._scopes: dict[Entity, tuple[tuple[File, int], ...]] = {}
        self._owners: dict[tuple[int, int], Entity | None] = {}

    def find(self, entity: Entity, name: str, *, above: bool = False) -> tuple[Thing | None, bool]:
        """Return the member of a type, and whether all its bases are known. An unknown base may have the member."""
        waiting, seen, complete, own = [entity], {entity}, True, True
        while waiting and len(seen) < MOST_BASES:
            each = waiting.pop(0)
            if not self._lookup.budget.take():
                return None, False
            found = None if above and own else self._own(each, name)
            if found is not None:
                return DefinedValue(found, Rank.SCOPE if own else Rank.FLOW), True
            bases, known = self.bases(each)
            complete = complete and known
            waiting += [base for base in bases if base not in seen]
            seen.update(bases)
            own = False
        return None, complete

    def _own(self, entity: Entity, name: str) -> Entity | None:
        declared: Entity | None = None
        for file, scope in self.scopes(entity):
            for place in file.names[scope].get(name, ()):
                found = Entity(file.at, place)
                if file.binding(place).opens >= 0 or file.binding(place).kind not in CALLABLE:
                    return found
                declared = declared or found
        return declared

    def scopes(self, entity: Entity) -> tuple[tuple[File, int], ...]:
        """Return the scopes that bind members of a type: its body, its other parts, its extensions."""
        if entity not in self._scopes:
            self._scopes[entity] = tuple(self._find_scopes(entity))
        return self._scopes[entity]

    def _find_scopes(self, entity: Entity) -> Iterator[tuple[File, int]]:
        file, binding = self._index.files[entity.file], self._index.binding(entity)
        if binding.opens >= 0:
            yield file, binding.opens
        for part in self._index.named.get((file.group, file.qualified_name(binding)), ()):
            opens = self._index.binding(part).opens
            if part != entity and opens >= 0:
                yield self._index.files[part.file], opens
        for other, scope in self._index.extensions.get((file.group, binding.name), ()):
            owner = self.owner(other, scope)
            if owner == entity or (owner and self._index.qualified_name(owner) == file.qualified_name(binding)):
                yield other, scope

    def owner(self, file: File, scope: int) -> Entity | None:
        """Return the type that an extension belongs to."""
        key = (file.at, scope)
        if key not in self._owners:
            self._owners[key] = None
            extension = file.scope(scope)
            found = self._evaluate(file, max(extension.parent, 0), extension.owner, 1 << 30)
            self._owners[key] = found.entity if isinstance(found, DefinedValue) else None
        return self._owners[key]

    def bases(self, entity: Entity) -> tuple[tuple[Entity, ...], bool]:
        """Return the bases that are in the set, and whether there are no others."""
        if entity not in self._bases:
            self._bases[entity] = ((), False)
            self._bases[entity] = self._find_bases(entity)
        return self._bases[entity]

    def _find_bases(self, entity: Entity) -> tuple[tuple[Entity, ...], bool]:
        file, binding = self._index.files[entity.file], self._index.binding(entity)
        written = [(file, binding.scope, chain) for chain in binding.bases]
        for other, scope in self.scopes(entity):
            written += [(other, max(other.scope(scope).parent, 0), chain) for chain in other.scope(scope).bases]
        found, complete = list[Entity](), True
        for place, scope, chain in written:
            base = self._evaluate(place, scope, chain, 1 << 30)
            match base:
                case DefinedValue() | Instance():
                    found.append(base.entity)
                case Several():
                    found += base.entities
                case _:
                    complete = False
        return tuple(dict.fromkeys(each for each in found if each != entity)), complete
