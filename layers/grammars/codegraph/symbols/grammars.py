"""Find definitions in each language: queries of tree-sitter, and rules about the text.

A capture has the name of the kind that it finds. `@name` is the node of the name, and `@declarator` the node around it
in C. `@scope` is no definition: its content belongs to the type it names. `@owner` names the type of a method outside
that type. `@outer` begins with decorators. `@exported` is a range that exports what it declares, `@export` a name that
is exported elsewhere.
"""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from codegraph.symbols import queries


class Grammar(Struct, frozen=True, kw_only=True):
    """Rules of one language. `query` finds definitions. `separator` stands between the parts of a written name.
    `exported` and `hidden` are searched for in signatures, `constant` in those of variables and fields. `comment`
    begins a comment line, `attribute` a line of annotation. Exports are marked by statements (`exports`), by a capital
    letter (`capitals`), or by the lack of a leading underscore (`underscores`). `shouts`: constants are written in
    capitals."""

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
