"""Recorder of a file's facts during the walk, and of the scope that is walked."""

import ast
from collections.abc import Callable, Sequence
from typing import Any

from codegraph.python.summary.facts import NOTHING, Key, PythonSummary
from codegraph.python.summary.scope import Env, Scope

DEEPEST = 120
"""Deepest nesting of expressions and definitions that is followed."""
MOST_SLOTS = 400_000
LONGEST_CONSTANT = 60
MOST_ARGUMENTS = 200
"""Most parameters of a function, and arguments of a call, that are followed."""
_MOST_PATHS = 100
_MOST_MERGED = 20_000_000
"""Most variables that are carried through branches, about a second of work."""


Expressions = dict[type[ast.AST], Callable[["FactRecorder", Any], int]]
"""Function for each kind of expression, which returns the slot of its value."""
Statements = dict[type[ast.AST], Callable[["FactRecorder", Any], None]]


class TooMuch(Exception):
    """Raised if a file has more facts than a summary may hold."""


class FactRecorder:
    def __init__(self, summary: PythonSummary, expressions: Expressions, statements: Statements) -> None:
        self._expressions = expressions
        self._statements = statements
        self.facts = summary
        self.slots = 0
        self.depth = 0
        self.scope = Scope(0, "", "module")
        summary.scopes.append("")
        self.used: set[str] = set()
        self.merged = 0
        self._constants: dict[tuple[type, Key], int] = {}
        self._constant_slots: set[int] = set()
        self._types: dict[str, int] = {}

    # Walking

    def run(self, body: Sequence[ast.stmt]) -> None:
        for node in body:
            handler = self._statements.get(type(node))
            if handler is not None:
                handler(self, node)

    def value(self, node: ast.expr) -> int:
        """Return the slot of an expression's value, or `NOTHING`."""
        handler = self._expressions.get(type(node))
        if handler is None or self.depth > DEEPEST:
            return NOTHING
        self.depth += 1
        slot = handler(self, node)
        self.depth -= 1
        return slot

    def used_value(self, node: ast.expr) -> int:
        """Return the slot of a value that is passed on. A definition named there is used without a call."""
        slot = self.value(node)
        if slot > 0 and isinstance(node, ast.Name | ast.Attribute):
            name = node.id if isinstance(node, ast.Name) else node.attr
            if isinstance(node, ast.Attribute) or name not in self.scope.env or self.scope.kind != "function":
                self.facts.uses.append((slot, node.lineno, self.scope.index))
                self.used.add(name)
        return slot

    # Facts

    def slot(self) -> int:
        self.slots = found = self.slots + 1
        if found > MOST_SLOTS:
            raise TooMuch
        return found

    def copy(self, source: int, target: int) -> None:
        if source > 0:
            self.facts.copies += (source, target)

    def constant(self, key: Key) -> int:
        known = (type(key), key)
        slot = self._constants.get(known)
        if slot is None:
            slot = self._constants[known] = self.slot()
            self._constant_slots.add(slot)
            self.facts.constants.append((slot, key))
        return slot

    def is_constant(self, slot: int) -> bool:
        return slot in self._constant_slots

    def instance(self, type_name: str) -> int:
        slot = self._types.get(type_name)
        if slot is None:
            slot = self._types[type_name] = self.slot()
            self.facts.instances.append((slot, type_name))
        return slot

    def container(self, type_name: str, length: int = NOTHING) -> int:
        slot = self.slot()
        self.facts.containers.append((slot, type_name, length))
        return slot

    def put(self, container: int, key: int, item: int, line: int) -> None:
        self.facts.puts.append((container, key, item, line, self.scope.index))

    # Variables

    def read(self, name: str) -> int:
        scope = self.scope
        outside = scope.outside.get(name)
        if outside is not None:
            return self._pending_slot(outside if outside.kind == "module" else scope, name)
        slot = scope.env.get(name)
        if slot is None:
            return self._pending_slot(scope, name)
        for loop in scope.loops:
            if 0 < slot < loop.first:
                head = self.slot()
                self.copy(slot, head)
                loop.heads[name] = scope.env[name] = slot = head
        return slot

    def _pending_slot(self, scope: Scope, name: str) -> int:
        slot = scope.pending.get(name)
        if slot is None:
            slot = scope.pending[name] = self.slot()
        return slot

    def bind(self, name: str, slot: int) -> None:
        scope = self.scope
        outside = scope.outside.get(name)
        if outside is None:
            scope.bind(name, slot)
        else:
            outside.published.setdefault(name, []).append(slot)

    def carry(self, env: Env) -> Env:
        """Return a copy of the variables, for a branch."""
        self.merged += len(env)
        if self.merged > _MOST_MERGED:
            raise TooMuch
        return env.copy()

    def remember(self, thing: int, path: int | str, slot: int) -> None:
        """Give the same attribute or item the same slot, until a call or a branch may change it."""
        paths = self.scope.paths
        if len(paths) >= _MOST_PATHS:
            paths.clear()
        paths[thing, path] = slot

    def merge(self, envs: list[Env]) -> Env:
        """Return the variables where branches meet, with a new version for each name that has several."""
        if not envs:
            return {}
        merged = self.carry(envs[0])
        versions: dict[str, list[int]] = {}
        for env in envs[1:]:
            self.merged += len(env)
            for name, slot in env.items():
                known = merged.setdefault(name, slot)
                if known != slot:
                    versions.setdefault(name, [known]).append(slot)
        for name, slots in versions.items():
            met = self.slot()
            for slot in dict.fromkeys(slots):
                self.copy(slot, met)
            merged[name] = met
        return merged

    # Scopes

    def enter(self, scope: Scope) -> Scope:
        before, self.scope = self.scope, scope
        return before

    def new_scope(self, name: str, kind: str) -> Scope:
        index = len(self.facts.scopes)
        qualname = self.scope.inner(name)
        scope = Scope(index, qualname, "class" if kind == "class" else "function", self.scope)
        self.facts.scopes.append(qualname)
        return scope

    def leave(self, before: Scope) -> None:
        """Close the current scope. Names that it read and never bound are looked up in outer scopes."""
        scope = self.scope
        for name, slot in scope.pending.items():
            if name in scope.published and scope.kind == "function":
                self.copy(self.cell(scope, name), slot)
            else:
                self._outward(scope, name, slot)
        self.scope = before

    def _outward(self, scope: Scope, name: str, slot: int) -> None:
        parent = scope.parent
        while parent is not None and parent.kind == "class":
            parent = parent.parent
        if parent is None:
            self.facts.outer.append((name, slot))
            return
        known = parent.pending.get(name)
        if known is None:
            parent.pending[name] = slot
        else:
            self.copy(known, slot)

    def finish(self) -> None:
        """Close the module."""
        scope = self.scope
        self.facts.names = {name: self.cell(scope, name) for name in scope.published}
        for name, slot in scope.pending.items():
            if name in scope.published:
                self.copy(self.cell(scope, name), slot)
            else:
                self.facts.outer.append((name, slot))
        self.facts.slots = self.slots + 1

    def cell(self, scope: Scope, name: str) -> int:
        """Return the slot of all versions of a variable that others may see. Call this when its scope ends."""
        cell = scope.cells.get(name)
        if cell is not None:
            return cell
        versions = scope.published[name]
        if name in scope.env:
            versions.append(scope.env[name])
        versions = list(dict.fromkeys(each for each in versions if each > 0))
        cell = versions[0] if len(versions) == 1 else self.slot()
        if len(versions) != 1:
            for version in versions:
                self.copy(version, cell)
        scope.cells[name] = cell
        return cell
