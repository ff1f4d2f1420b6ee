"""Versions of resources (RFC 9110, 8.8.3). What lies between a server and us may mark them as weak."""


def same_version(one: str, other: str) -> bool:
    """Whether two tags mean one version: in a list, a header or from behind a proxy they may look different."""
    return _opaque(one) == _opaque(other)


def if_match(etag: str) -> str:
    """The condition that a resource still has that version. A weak tag matches nothing: the strong one that was
    weakened on the way stands beside it."""
    return f"{etag}, {etag.removeprefix('W/')}" if etag.startswith("W/") else etag


def _opaque(etag: str) -> str:
    return etag.removeprefix("W/").strip('"')
