"""The contract's names for languages and kinds of symbols."""

from collections.abc import Callable, Mapping
from typing import Literal

from almanac.families.code.search.kinds import is_kind
from codegraph import Definition, language_of

SymbolKind = Literal["function", "class", "interface", "type", "enum", "const", "export", "method"]

_OURS: Mapping[str, str] = {"const": "constant"}
_SHOWN: Mapping[str, str] = {"constant": "const"}
_FAMILIES: Mapping[str, frozenset[str]] = {"typescript": frozenset({"typescript", "tsx"})}
"""Languages of the index that share one name in the contract."""
_OTHER_NAMES: Mapping[str, str] = {"c++": "cpp", "c#": "csharp", "golang": "go", "shell": "bash", "objc": "objective-c"}


def languages_of(name: str) -> frozenset[str]:
    """Return the languages in the index that a name stands for. `ts`, `TypeScript` and `typescript` are the same."""
    folded_name = name.strip().casefold()
    known = _OTHER_NAMES.get(folded_name, folded_name)
    by_extension = language_of(f"x.{known}") if known.isalnum() else "text"
    language = known if by_extension == "text" else by_extension
    return _FAMILIES.get(language, frozenset({language}))


def kind_in_index(kind: SymbolKind | None) -> str | None:
    """Return the kind that search can filter by; None if it cannot."""
    return None if kind in (None, "export") else _OURS.get(kind, kind)


def kind_test(kind: SymbolKind | None) -> Callable[[Definition, str], bool]:
    """Return a test for definitions of this kind in a given language. Structs count as types."""
    if kind is None:
        return lambda _definition, _language: True
    if kind == "export":
        return lambda definition, _language: definition.exported
    ours = kind_in_index(kind) or kind
    return lambda definition, language: is_kind(ours, definition.kind, language)


def contract_kind(kind: str) -> str:
    return _SHOWN.get(kind, kind)
