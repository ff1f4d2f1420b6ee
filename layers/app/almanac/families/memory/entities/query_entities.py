"""Match entities with a query: by normal form, by its beginning, or by a later part of a path or name."""

from typing import Literal

from msgspec import Struct

from almanac.content import clean
from almanac.content.entities import entities
from almanac.families.memory.entities.records import NORMAL_BYTES, within_bytes

Match = Literal["exact", "prefix", "part"]
MATCHES: tuple[Match, ...] = ("exact", "prefix", "part")

_MOST_FORMS = 8
_JOINTS = ("/", ".", "::", "->", "#", "\\")


class Forms(Struct, frozen=True):
    """A parsed query. `exact` has the normal forms that it may stand for, and `begin` is the prefix to search for."""

    exact: tuple[str, ...]
    begin: str


def forms_of(query: str) -> Forms | None:
    """Parse a query; return None if it is blank. A sentence stands for the entities that it names."""
    text = " ".join(clean(query).text.split())
    if not text:
        return None
    bare = text.strip("`'\"").removesuffix("()").replace("\\", "/") or text
    while bare.startswith("./") and len(bare) > 2:
        bare = bare[2:]
    query_entities = entities(text)[:_MOST_FORMS]
    # The normal form of a URL has no scheme.
    bare = (
        query_entities[0].normal
        if query_entities and query_entities[0].kind == "url" and query_entities[0].text == text
        else bare
    )
    begin = within_bytes(bare.casefold(), NORMAL_BYTES)
    normal_forms = [within_bytes(each.normal, NORMAL_BYTES) for each in query_entities]
    return Forms(tuple(dict.fromkeys([begin, begin.rstrip("/") or begin, *normal_forms])), begin)


def match_of(kind: str, normal: str, forms: Forms) -> Match | None:
    """Return how an entity matches the query; None if it does not."""
    if normal in forms.exact:
        return "exact"
    if normal.startswith(forms.begin):
        return "prefix"
    return "part" if _has_part(kind, normal, forms.begin) else None


def _has_part(kind: str, normal: str, begin: str) -> bool:
    """Return whether a later part of a path or dotted name begins with `begin`."""
    if kind not in ("file", "symbol"):
        return False
    joints = ("/",) if kind == "file" else _JOINTS
    return any(f"{joint}{begin}" in normal for joint in joints)
