"""Kinds of definitions in users' words. A struct is a type in some languages, and a class in the others."""

from collections.abc import Mapping

WITH_STRUCTS = frozenset({"go", "rust", "c", "cpp", "csharp"})
"""Languages in which users call classes, interfaces and enums types."""
_TYPES = frozenset({"class", "interface", "enum"})
_OTHER_NAMES: Mapping[str, str] = {"struct": "class", "trait": "interface", "protocol": "interface", "alias": "type"}


def kind_of(name: str) -> str:
    """Return the stored kind: `struct` becomes class, `trait` becomes interface."""
    return _OTHER_NAMES.get(name, name)


def further_kinds(kind: str) -> frozenset[str]:
    """Return the kinds that a query for `kind` also means in WITH_STRUCTS."""
    return _TYPES if kind == "type" else frozenset()


def is_kind(kind: str, stored_kind: str, language: str) -> bool:
    """Return whether a definition with the stored kind `marked` counts as `kind` in its language."""
    return stored_kind == kind or (language in WITH_STRUCTS and stored_kind in further_kinds(kind))
