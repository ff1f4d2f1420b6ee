"""Facts of a summary. A slot is a number for one version of a variable, or for the value of one expression.

`NOTHING` in the place of a slot: nothing is known of the value. Tuples and arrays keep a stored summary small.
"""

from msgspec import Struct

NOTHING = -1

Key = int | str
"""A constant by which an item is found; keys that are equal in Python are equal here."""


class FunctionFact(Struct, array_like=True):
    """A function or lambda. `slots` and `defaults` go with `params`, of which the first `positional` may be given by
    place. `passed`: places of the parameters that are returned as they came. `yields`: a slot in generators only."""

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
    """A class; `names` are the slots of what its body binds, `fields` what a generated constructor takes in order."""

    scope: int
    slot: int
    line: int
    bases: list[int]
    names: dict[str, int]
    fields: list[str] = []


class ImportFact(Struct, array_like=True):
    """`slot` gets a module, or a name of it. `written`: the module as written."""

    slot: int
    module: str
    name: str
    written: str
    line: int
    scope: int


class CallFact(Struct, array_like=True):
    """A call. `spread`: places of `args` that are given as `*args`. `doubled`: the slot given as `**kwargs`."""

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
    """Slot of the definition that the call decorates. The result is that definition if nothing else is known."""


class PythonSummary(Struct, kw_only=True, omit_defaults=True):
    """Facts about how values flow in a Python file. If `summarised` is false, `why` says the reason, and there are no
    facts.

    `names_defined` and `names_used` are last identifiers, `imports` modules as written, for indexes of the caller.
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
    """Names that the file does not bind: of builtins, or of a star import."""
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
    """Slot, line, scope: a definition that is named and not called."""
