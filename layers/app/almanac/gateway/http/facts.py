"""Headers, path, address and public URL of a request, read from API Gateway's events in either payload format.

Authorizer events have them in the same fields.
"""

import re
from collections.abc import Mapping
from typing import Any

Event = Mapping[str, Any]
HUB = "/mcp"
"""The path of all families. Each family has a path below it."""
HOOKS = "/hooks"
"""The path of the hooks of coding agents. Each client has a path below it."""
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)+")
_BASE = re.compile(r"(?:/[A-Za-z0-9$_.+!*'()-]+){0,8}")
"""A stage, or the base path of a domain."""


def read_headers(event: Event) -> dict[str, str]:
    """Return the headers: names in lower case, values stripped, and repeated values joined by a comma."""
    repeated: Mapping[str, Any] = event.get("multiValueHeaders") or {}
    joined = {name: ",".join(map(str, values or ())) for name, values in repeated.items()}
    plain: Mapping[str, Any] = event.get("headers") or {}
    # A REST API sends each header in both fields.
    joined |= {name: str(plain[name]) for name in plain.keys() - joined.keys() if plain[name] is not None}
    return {name.strip().lower(): value.strip() for name, value in joined.items()}


def read_path(event: Event) -> str:
    facts: Mapping[str, Any] = event.get("requestContext") or {}
    path = str(event.get("path") or event.get("rawPath") or "/")
    stage = f"/{facts.get('stage') or '$default'}"
    return path[len(stage) :] or "/" if path == stage or path.startswith(stage + "/") else path


def read_hub_url(event: Event) -> str | None:
    """Return the URL at which clients reach all families, or None without API Gateway, as on a laptop.

    It comes from the name, stage and base path for which API Gateway accepted this request, never from a header."""
    facts: Mapping[str, Any] = event.get("requestContext") or {}
    name, path = str(facts.get("domainName") or ""), str(facts.get("path") or event.get("rawPath") or "")
    within = read_path(event)
    before = path.removesuffix(within)
    if before == path or not f"{within}/".startswith(f"{HUB}/"):
        return None
    return f"https://{name}{before}{HUB}" if _NAME.fullmatch(name) and _BASE.fullmatch(before) else None


def read_address(event: Event) -> str:
    facts: Mapping[str, Any] = event.get("requestContext") or {}
    source: Mapping[str, Any] = facts.get("identity") or facts.get("http") or {}
    return str(source.get("sourceIp") or "unknown")
