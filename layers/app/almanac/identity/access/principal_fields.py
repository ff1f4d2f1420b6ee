"""Conversion of a principal to flat text and back. API Gateway passes only text from an authorizer to a function."""

from collections.abc import Mapping
from typing import Any

from almanac.identity.access.principal import Principal
from almanac.identity.records import is_actor
from almanac.kernel.caller import Caller, Scope

_ALL = "*"
_LIMITS = ("per_minute", "per_day", "tenant_per_minute", "tenant_per_day", "default_per_minute", "calls_at_once")
_SEPARATOR = ","
"""No name of an actor contains it: see `check_actor`."""


def to_context(allowed: Principal) -> dict[str, str]:
    caller = allowed.caller
    return {
        "tenant": caller.scope.tenant,
        "project": caller.scope.project,
        "actor": caller.actor,
        "key_id": caller.key_id,
        "families": _ALL if caller.families is None else ",".join(sorted(caller.families)),
        "readonly": "true" if caller.readonly else "false",
        "default_timezone": caller.default_timezone or "",
        "project_timezone": caller.project_timezone or "",
        "week_start": caller.week_start,
        "shares_memory": "true" if caller.shares_memory else "false",
        "is_person": "true" if caller.is_person else "false",
        "storage_full": caller.storage_full,
        "trusted_installers": _SEPARATOR.join(sorted(caller.trusted_installers)),
        "per_minute": _text(allowed.per_minute),
        "per_day": _text(allowed.per_day),
        "tenant_per_minute": _text(allowed.tenant_per_minute),
        "tenant_per_day": _text(allowed.tenant_per_day),
        "default_per_minute": _text(allowed.default_per_minute),
        "calls_at_once": _text(allowed.calls_at_once),
    }


def from_context(context: Mapping[str, Any]) -> Principal | None:
    """Return the principal that `to_context` wrote. None if the context has none."""
    if not context.get("tenant") or not context.get("project") or not context.get("key_id"):
        return None
    families = str(context.get("families", ""))
    caller = Caller(
        scope=Scope(str(context["tenant"]), str(context["project"])),
        actor=str(context.get("actor", "")),
        key_id=str(context["key_id"]),
        families=None if families == _ALL else frozenset(filter(None, families.split(","))),
        # Anything but a plain "false" narrows: a damaged context must not widen what a key may do.
        readonly=str(context.get("readonly")).lower() != "false",
        default_timezone=str(context.get("default_timezone") or "") or None,
        week_start=str(context.get("week_start") or "monday"),
        shares_memory=str(context.get("shares_memory")).lower() == "true",
        trusted_installers=_actors(context.get("trusted_installers")),
        project_timezone=str(context.get("project_timezone") or "") or None,
        is_person=str(context.get("is_person")).lower() == "true",
        storage_full=str(context.get("storage_full") or ""),
    )
    return Principal(caller, *(_limit(context.get(name)) for name in _LIMITS))


def _actors(value: Any) -> frozenset[str]:
    """Return the trusted actors; none if any name is not an actor, because damaged text must not grant trust."""
    names = value.split(_SEPARATOR) if isinstance(value, str) and value else []
    return frozenset(names) if all(map(is_actor, names)) else frozenset()


def _text(limit: int | None) -> str:
    return "" if limit is None else str(limit)


def _limit(value: Any) -> int | None:
    return int(value) if value not in (None, "") else None
