"""Scopes: `almanac` for all that the key may do, `<family>:read` and `<family>:write` for parts of it."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

ALL = "almanac"
OFFLINE = "offline_access"
MOST_SCOPE_TEXT = 4000


class Wish(Struct, frozen=True):
    """Request of a client for access. `families` None means all; `writes` is true if it asks to change data in each of
    them.

    A grant reads or writes as a whole, and never allows more than the client asked for.
    """

    families: tuple[str, ...] | None = None
    writes: bool = True


def read_scopes(text: str, families: Sequence[str]) -> Wish:
    """Return what a scope parameter asks for. Unknown words are dropped; without any known word it asks for all
    families.

    `x:write` implies `x:read`.
    """
    words = set(text[:MOST_SCOPE_TEXT].split())
    named = [family for family in families if words & {f"{family}:read", f"{family}:write"}]
    if ALL in words or not named:
        return Wish()
    return Wish(tuple(named), all(f"{family}:write" in words for family in named))


def granted_scope(families: Iterable[str] | None, *, readonly: bool, every: Sequence[str]) -> str:
    """The scope of an answer: what was granted, which may differ from what was asked."""
    if families is None and not readonly:
        return ALL
    names = every if families is None else sorted(families)
    return " ".join(f"{family}:{'read' if readonly else 'write'}" for family in names)


def supported_scopes(families: Iterable[str]) -> list[str]:
    """Return all scopes, for the metadata of the authorization server."""
    return [ALL, *(f"{family}:{access}" for family in families for access in ("read", "write")), OFFLINE]
