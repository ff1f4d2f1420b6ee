"""Who is calling: established by the API key, never by an argument."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scope:
    """Where data lives. Every stored key and every search filter is built from one."""

    tenant: str
    project: str


@dataclass(frozen=True, slots=True)
class Caller:
    """The identity behind a call.

    `families` is None when the key may use every family. `default_timezone` is an IANA name or None: nothing
    falls back to UTC in silence. `week_start` is "monday" or "sunday".
    """

    scope: Scope
    actor: str
    key_id: str
    families: frozenset[str] | None = None
    readonly: bool = False
    default_timezone: str | None = None
    week_start: str = "monday"

    def may_use(self, family: str) -> bool:
        return self.families is None or family in self.families
