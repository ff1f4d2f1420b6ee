"""Facts of a summary. A slot is a number for one version of a variable, or for the value of one expression.

`NOTHING` instead of a slot means that nothing is known about the value. Tuples and arrays keep a stored summary small.
"""

from msgspec import Struct

NOTHING = -1

Key = int | str
"""Constant that identifies an item. Keys that are equal in Python are equal here."""


class FunctionFact(Struct, array_like=True):
    """Function or lambda. `slots` and `defaults` match `params`, of which the first `positional` may be passed by
    position. `passed` are places of the parameters that are returned unchanged. `yields` is a slot in generators
    only."""

    scope: int
    slot: int
    line: int
    params: list[str]
    slots: list[int]
    defaults: list[int]
    positional: int
    vararg: int
    kwarg: int
    returns: int
    yields: int
    kind: str = ""
    """"", "static", "class", "property" or "lambda"."""
    owner: int = NOTHING
    """Place of its class in `classes`."""
    passed: list[int] = []
    result: int = NOTHING
    """Slot of the annotation of its result."""


class ClassFact(Struct, array_like=True):
    """Class. `names` are the slots of what its body binds, `fields` the parameters of a generated constructor in
    order."""

    scope: int
    slot: int
    line: int
    bases: list[int]
    names: dict[str, int]
    fields: list[str] = []


class ImportFact(Struct, array_like=True):
    """Import. `slot` gets a module, or a name in it. `written` is the module as written."""

    slot: int
    module: str
    name: str
    written: str
    line: int
    scope: int


class CallFact(Struct, array_like=True):
    """Call. `spread` are places of `args` that are passed as `*args`. `doubled` is the slot passed as `**kwargs`."""

    scope: int
    line: int
    function: int
    written: str
    result: int
    args: list[int] = []
    kwargs: list[tuple[str, int]] = []
    spread: list[int] = []
    doubled: int = NOTHING
    decorates: int = NOTHING
    """Slot of the definition that the call decorates. It is the result if nothing else is known."""


class PythonSummary(Struct, kw_only=True, omit_defaults=True):
    """Facts about how values flow in a Python file. If `summarised` is false, `why` says the reason, and there are no
    facts.

    `names_defined` and `names_used` are last identifiers, and `imports` modules as written, for indexes of the caller.
    """

    module: str
    path: str
    is_package: bool = False
    summarised: bool = True
    why: str = ""
    version: int = 1
    names_defined: list[str] = []
    names_used: list[str] = []
    imports: list[str] = []
    slots: int = 0
    scopes: list[str] = []
    """Qualified names within the module; the first is the module itself, "". """
    functions: list[FunctionFact] = []
    classes: list[ClassFact] = []
    modules: list[ImportFact] = []
    stars: list[str] = []
    exports: list[str] | None = None
    names: dict[str, int] = {}
    """Slots of what the module binds."""
    outer: list[tuple[str, int]] = []
    """Names that the file uses but does not bind, from builtins or a star import."""
    copies: list[int] = []
    """From, to, from, to …"""
    constants: list[tuple[int, Key]] = []
    instances: list[tuple[int, str]] = []
    """Slots of values of a builtin type."""
    containers: list[tuple[int, str, int]] = []
    """Slot, builtin type, length or `NOTHING`."""
    loads: list[tuple[int, str, int, int, int]] = []
    """Object, attribute, result, line, scope."""
    stores: list[tuple[int, str, int]] = []
    """Object, attribute, value."""
    gets: list[tuple[int, int, int, int, int]] = []
    """Container, key, result, line, scope. A key of `NOTHING` is not known."""
    puts: list[tuple[int, int, int, int, int]] = []
    """Container, key, value, line, scope."""
    slices: list[tuple[int, int, int, int]] = []
    """Container, first, end or `NOTHING`, result."""
    calls: list[CallFact] = []
    supers: list[tuple[int, int, int]] = []
    """Result, class, slot of the first parameter."""
    iterations: list[tuple[int, int, int, int]] = []
    """Iterated value, element, line, scope."""
    contexts: list[tuple[int, int, int, int]] = []
    """Context manager, what it gives, line, scope."""
    operations: list[tuple[int, str, int, int, int, int]] = []
    """Left side, method, right side, result, line, scope."""
    raised: list[tuple[int, int, int]] = []
    """Slot, line, scope."""
    hints: list[tuple[int, int]] = []
    """Slot, annotation: an instance of that class, where nothing better is known."""
    uses: list[tuple[int, int, int]] = []
    """Slot, line, scope: a definition that is named but not called."""
