"""Find the values of the first names of a chain."""

from collections.abc import Callable
from itertools import takewhile

from codegraph.extraction.summary import MARK_LINKS, UNKNOWN
from codegraph.lookup import IMPLICIT_THIS, Lookup
from codegraph.members import Members
from codegraph.symbol_index import Entity, File
from codegraph.values import DefinedValue, Instance, Module, Rank, Thing

LONGEST_PATH = 6


class Heads:
    """Finds the value at the start of a chain. `value` returns what a name holds."""

    def __init__(self, lookup: Lookup, members: Members, value: Callable[[Entity], Thing | None]) -> None:
        self._lookup = lookup
        self._index = lookup.index
        self._members = members
        self._value = value

    def find(self, file: File, scope: int, links: list[str], line: int) -> tuple[Thing | None, int]:
        """Return the value of the first link or the first few links, and how many links that took."""
        thing = self._head(file, scope, links[0], line)
        if thing is None and file.group in IMPLICIT_THIS:
            return self._by_path(file, scope, links)
        return thing, 1

    def _by_path(self, file: File, scope: int, links: list[str]) -> tuple[Thing | None, int]:
        """Return what a name with its namespaces or package before it means, and how many links that takes."""
        names = list(takewhile(lambda link: link not in MARK_LINKS and link != UNKNOWN, links[:LONGEST_PATH]))
        for length in range(len(names), 1, -1):
            found = self._lookup.around(file, scope, ".".join(names[:length]))
            if found is not None:
                return found, length
        return None, 1

    def _head(self, file: File, scope: int, name: str, line: int) -> Thing | None:
        if name == UNKNOWN or not name:
            return None
        if name in ("this", "super", "Self"):
            return self._itself(file, scope, name)
        if file.group == "rust" and name in ("crate", "self", "super"):
            return self._lookup.rust(file, name, scope)
        found, where = self._lookup.in_scopes(file, scope, name, line)
        if found is None and file.group in IMPLICIT_THIS:
            found = self._inherited_member(file, scope, name)
        if found is None and where < 0:
            found = self._lookup.around(file, scope, name)
        if found is None and file.group == "rust" and ("rust", name) in self._index.by_module:
            found = Module(name, "rust", Rank.IMPORT)
        if isinstance(found, DefinedValue) and self._index.binding(found.entity).kind == "type_parameter":
            return self._value(found.entity)
        return found

    def _inherited_member(self, file: File, scope: int, name: str) -> Thing | None:
        """Return a member that the source may name without `this`."""
        while scope >= 0:
            if file.scope(scope).kind in ("class", "extension"):
                owner = self._class_of(file, scope)
                found = self._members.find(owner, name)[0] if owner else None
                if found is not None:
                    return found
            scope = file.scope(scope).parent
        return None

    def _class_of(self, file: File, scope: int) -> Entity | None:
        """Return the class or object to whose body a scope belongs."""
        if file.scope(scope).kind == "extension":
            return self._members.owner(file, scope)
        place = file.opened.get(scope)
        return Entity(file.at, place) if place is not None else None

    def _itself(self, file: File, scope: int, name: str) -> Thing | None:
        """Return what `this`, `super` or `Self` means in the class around."""
        through_function = False
        while scope >= 0:
            kind = file.scope(scope).kind
            if kind in ("class", "extension", "object"):
                owner = self._class_of(file, scope)
                if owner is None:
                    return None
                known = Rank.SCOPE
                return DefinedValue(owner, known) if name == "Self" else Instance(owner, known, above=name == "super")
            if kind == "function":
                if through_function and file.group == "scripts":
                    return None
                through_function = True
            scope = file.scope(scope).parent
            if kind == "lambda" and scope >= 0 and file.scope(scope).kind == "object":
                scope = file.scope(scope).parent
        return None
