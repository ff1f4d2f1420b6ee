"""What API Gateway's events say of a request, in either payload format; authorizer events say it in the same places."""

from collections.abc import Mapping
from typing import Any

Event = Mapping[str, Any]


def read_headers(event: Event) -> dict[str, str]:
    """Names in lower case, values stripped, repeated ones joined by a comma."""
    repeated: Mapping[str, Any] = event.get("multiValueHeaders") or {}
    joined = {name: ",".join(map(str, values or ())) for name, values in repeated.items()}
    plain: Mapping[str, Any] = event.get("headers") or {}
    # A REST API says each header in both places.
    joined |= {name: str(plain[name]) for name in plain.keys() - joined.keys() if plain[name] is not None}
    return {name.strip().lower(): value.strip() for name, value in joined.items()}


def read_path(event: Event) -> str:
    facts: Mapping[str, Any] = event.get("requestContext") or {}
    path = str(event.get("path") or event.get("rawPath") or "/")
    stage = f"/{facts.get('stage') or '$default'}"
    return path[len(stage) :] or "/" if path == stage or path.startswith(stage + "/") else path


def read_address(event: Event) -> str:
    facts: Mapping[str, Any] = event.get("requestContext") or {}
    source: Mapping[str, Any] = facts.get("identity") or facts.get("http") or {}
    return str(source.get("sourceIp") or "unknown")
