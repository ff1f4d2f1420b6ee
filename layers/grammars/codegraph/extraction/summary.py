"""Summary of one file for the graph: enough to resolve its names later, and no text of it.

A *chain* is an expression as written, its links joined by dots: `a.b.()` is `a.b()`. Besides names its links are

    ()  called     []  an element of it     ^   an instance of it     ~   unwrapped (await, `?`, `!`)
    +[] many of it, in a collection         +~  perhaps or later it (Option, Promise)
    this  super  Self                       ?   something that no name leads to
"""

from typing import Literal

from msgspec import Struct

CALL, ELEMENT, INSTANCE, UNWRAPPED, MANY, MAYBE, UNKNOWN = "()", "[]", "^", "~", "+[]", "+~", "?"

MARK_LINKS = (CALL, ELEMENT, INSTANCE, UNWRAPPED, MANY, MAYBE)

ScopeKind = Literal["module", "namespace", "class", "extension", "object", "function", "lambda", "block"]
Kind = Literal[
    "namespace", "class", "interface", "enum", "type", "function", "method", "constant", "field", "variable",
    "parameter", "prototype", "type_parameter", "lambda",
]  # fmt: skip

NAMED: frozenset[Kind] = frozenset(
    ("namespace", "class", "interface", "enum", "type", "function", "method", "constant", "lambda")
)
TYPES: frozenset[Kind] = frozenset(("class", "interface", "enum", "type"))
CALLABLE: frozenset[Kind] = frozenset(("function", "method", "lambda"))


class Scope(Struct, array_like=True):
    """Scope that binds names. `name` is its part of dotted names, empty if it has none. For an extension (a Rust impl,
    a Go receiver, a C++ `A::f`), `owner` is the chain of the type that its names belong to, and `bases` are the bases
    that it gives to that type."""

    parent: int
    kind: ScopeKind
    name: str = ""
    owner: str = ""
    bases: tuple[str, ...] = ()


class Binding(Struct, array_like=True):
    """Name in a scope. `value` is the chain of what it holds, or for a function of what a call returns. It is read in
    scope `at`, or in the name's own scope if that is -1. `opens` is the scope of its body. `bases` are chains. `hidden`
    names are visible in this file only."""

    scope: int
    name: str
    kind: Kind
    line: int
    value: str = ""
    opens: int = -1
    at: int = -1
    bases: tuple[str, ...] = ()
    hidden: bool = False


class ImportedName(Struct, array_like=True):
    """Import as written. `name` is what the file takes from `module`: "" for the module itself, "*" for all of it, "="
    for what a CommonJS module exports. `alias` is the name in this file, "" if the import binds none."""

    scope: int
    line: int
    module: str
    name: str = ""
    alias: str = ""


class ExportedName(Struct, array_like=True):
    """`name` as other files can import it ("*": everything of `module`). It is the chain `local` of this file, or the
    name `local` of `module`."""

    name: str
    local: str = ""
    module: str = ""


class Use(Struct, array_like=True):
    scope: int
    line: int
    chain: str
    call: bool = False


class Summary(Struct, kw_only=True):
    """Summary of one file. `package` is the package or namespace that it declares, dotted. `errors`: parts of its text
    did not parse. `cut`: the file was too large, and the rest was not read.

    `names_defined`, `names_used` (last names of calls and references) and `imports` (modules as written) are sorted,
    without duplicates. An index uses them to choose files that belong together.
    """

    path: str
    language: str
    package: str = ""
    scopes: list[Scope] = []
    bindings: list[Binding] = []
    imported: list[ImportedName] = []
    exported: list[ExportedName] = []
    uses: list[Use] = []
    names_defined: list[str] = []
    names_used: list[str] = []
    imports: list[str] = []
    errors: bool = False
    cut: bool = False
