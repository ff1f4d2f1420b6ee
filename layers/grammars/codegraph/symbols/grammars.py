"""Definitions in the syntax of each language: queries of tree-sitter, and rules over their text.

A capture is named by the kind that it finds; `@name` is the node of the name, or `@declarator` what it stands in as C
writes it. `@scope` has no definition of its own: what stands in it belongs to the type it names. `@owner` names the
type that a method outside of it belongs to. `@outer` begins with decorators; `@exported` is a range that exports what
it declares, `@export` a name that is exported elsewhere.
"""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from codegraph.symbols import queries


class Grammar(Struct, frozen=True, kw_only=True):
    """`query` finds definitions. `separator` stands between the parts of a written name. `exported` and `hidden` are
    searched for in signatures, `constant` in those of variables and fields. `comment` begins a line of one, `attribute`
    one of an annotation. `exports`: what is exported is said by statements; `capitals`: by a capital letter;
    `underscores`: what begins with one is not. `shouts`: constants are written in capitals."""

    query: str
    separator: str = "."
    exported: str = ""
    hidden: str = ""
    constant: str = ""
    comment: str = "//"
    attribute: str = "@"
    exports: bool = False
    capitals: bool = False
    underscores: bool = False
    shouts: bool = False


_TYPESCRIPT = Grammar(query=queries.TYPESCRIPT, hidden=r"\b(?:private|protected)\b|^(?:\w+\s+)*#", exports=True)

GRAMMARS: Final[Mapping[str, Grammar]] = {
    "python": Grammar(query=queries.PYTHON, comment="#", underscores=True, shouts=True),
    "ruby": Grammar(query=queries.RUBY, separator="::", comment="#", attribute=""),
    "javascript": Grammar(query=queries.JAVASCRIPT, hidden=r"^(?:\w+\s+)*#", exports=True),
    "typescript": _TYPESCRIPT,
    "tsx": _TYPESCRIPT,
    "go": Grammar(query=queries.GO, attribute="", capitals=True),
    "rust": Grammar(query=queries.RUST, separator="::", exported=r"^pub\b", attribute="#["),
    "java": Grammar(
        query=queries.JAVA, exported=r"\bpublic\b", constant=r"\bstatic\b.*\bfinal\b|\bfinal\b.*\bstatic\b"
    ),
    "csharp": Grammar(query=queries.CSHARP, exported=r"\bpublic\b", constant=r"\bconst\b", attribute="["),
    "c": Grammar(query=queries.C, hidden=r"^static\b", attribute=""),
    "cpp": Grammar(query=queries.CPP, separator="::", hidden=r"^static\b", attribute="["),
}
