"""Kinds of definitions as people ask for them: a struct is a type in some languages and a class in none."""

from collections.abc import Mapping

WITH_STRUCTS = frozenset({"go", "rust", "c", "cpp", "csharp"})
"""Languages whose definitions of the kind class, interface and enum are called types."""
_TYPES = frozenset({"class", "interface", "enum"})
_OTHER_NAMES: Mapping[str, str] = {"struct": "class", "trait": "interface", "protocol": "interface", "alias": "type"}


def kind_of(name: str) -> str:
    """The kind that definitions are marked with: `struct` is a class here, `trait` an interface."""
    return _OTHER_NAMES.get(name, name)


def further_kinds(kind: str) -> frozenset[str]:
    """Kinds that one means as well in WITH_STRUCTS."""
    return _TYPES if kind == "type" else frozenset()


def is_kind(kind: str, marked: str, language: str) -> bool:
    """Tell whether a definition that is marked so, in a language, is of a kind."""
    return marked == kind or (language in WITH_STRUCTS and marked in further_kinds(kind))
