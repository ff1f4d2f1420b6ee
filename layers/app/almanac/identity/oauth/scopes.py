"""OAuth scopes: `almanac` for all permissions of the key, `<family>:read` and `<family>:write` for parts of them."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

ALL = "almanac"
OFFLINE = "offline_access"
MOST_SCOPE_TEXT = 4000


class RequestedAccess(Struct, frozen=True):
    """Access that a client asks for.

    `families` None means all. `writes` is true if the client asks to change data in each of them. A grant reads or
    writes as a whole, and never allows more than the client asked for.
    """

    families: tuple[str, ...] | None = None
    writes: bool = True


def read_scopes(text: str, families: Sequence[str]) -> RequestedAccess:
    """Parse a scope parameter. Unknown words are ignored; without any known word it asks for everything.

    `x:write` implies `x:read`.
    """
    words = set(text[:MOST_SCOPE_TEXT].split())
    named = [family for family in families if words & {f"{family}:read", f"{family}:write"}]
    if ALL in words or not named:
        return RequestedAccess()
    return RequestedAccess(tuple(named), all(f"{family}:write" in words for family in named))


def granted_scope(families: Iterable[str] | None, *, readonly: bool, every: Sequence[str]) -> str:
    """Return the scope parameter of an answer. It names the granted access, which may be less than requested."""
    if families is None and not readonly:
        return ALL
    names = every if families is None else sorted(families)
    return " ".join(f"{family}:{'read' if readonly else 'write'}" for family in names)


def supported_scopes(families: Iterable[str]) -> list[str]:
    """Return all scopes, for the metadata of the authorization server."""
    return [ALL, *(f"{family}:{access}" for family in families for access in ("read", "write")), OFFLINE]
