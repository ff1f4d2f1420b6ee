"""Parts of a file's outline."""

from typing import Literal

from msgspec import Struct

from codegraph.languages.names import OUTLINED

Kind = Literal[
    "function",
    "method",
    "class",
    "interface",
    "type",
    "enum",
    "constant",
    "variable",
    "field",
    "module",
    "macro",
]
"""A struct, record, union or object type is a class; a trait, protocol or annotation type an interface; a namespace or
package inside a file a module; a property or attribute a field; a member of an enum a constant."""


class Definition(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Definition of a name in a file. Lines are counted from 1.

    `line` is where its name stands; `start_line` that of its first decorator, annotation or attribute, or of the
    definition itself; `end_line` its last. `qualified` is its name within the file, `Class.method`, and `parent` the
    qualified name of what it stands in, "" at the top; both are dotted in every language. Methods of Rust and Go
    stand in their type, wherever in the file that is.

    `signature` is one line, up to the body. `doc` is its docstring or the comment above it, without the signs of
    comments; `doc_line` the first line of that comment, 0 without one. `exported`: by the language's own rule, or its
    convention, it can be used from outside its file (Go: its package; in a class: its class).
    """

    name: str
    qualified: str
    kind: Kind
    line: int
    start_line: int
    end_line: int
    signature: str
    doc: str = ""
    doc_line: int = 0
    exported: bool = False
    parent: str = ""


class Outline(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The definitions of a file in the order of their lines.

    `parsed`: there is a parser for the language, and it read the file; else there are no definitions. `errors` counts
    the places that it could not make sense of, at most 1,000. `left_out` counts definitions beyond the bounds: 10,000
    in a file, 32 in one another.
    """

    language: str
    definitions: tuple[Definition, ...] = ()
    parsed: bool = False
    errors: int = 0
    left_out: int = 0

    @property
    def has_parser(self) -> bool:
        """Tell whether there is a parser for the language."""
        return self.language in OUTLINED
