"""The caller of a tool. The API key determines it; no argument can."""

from dataclasses import dataclass

SHARED_PROJECT = "_shared"
"""Pseudo-project for the data that all projects of a tenant share.

Project names begin with a letter or digit, so no project can have this name.
"""


@dataclass(frozen=True, slots=True)
class Scope:
    """The tenant and project of data. Every stored key and every search filter is built from a scope."""

    tenant: str
    project: str

    @property
    def shared(self) -> "Scope":
        """Scope of the data that all projects of the tenant share."""
        return Scope(self.tenant, SHARED_PROJECT)


@dataclass(frozen=True, slots=True)
class Caller:
    """The identity behind a call.

    `families` is None when the key may use every family. `default_timezone` is an IANA name or None; nothing falls back
    to UTC silently. `project_timezone` ignores the key's own zone: it is the zone of the project, the tenant or the
    installation. `week_start` is "monday" or "sunday". `shares_memory` is true if the caller reads and writes the
    memory that the tenant's projects share. `trusted_installers` are the actors whose skills the project trusts.
    `is_person` is true for a person who signed in to the dashboard, or whose key was issued for a person. Programs with
    any other key are agents. `storage_full` describes the storage limit that the tenant has reached; it is set on AWS
    only.
    """

    scope: Scope
    actor: str
    key_id: str
    families: frozenset[str] | None = None
    readonly: bool = False
    default_timezone: str | None = None
    week_start: str = "monday"
    shares_memory: bool = False
    trusted_installers: frozenset[str] = frozenset()
    project_timezone: str | None = None
    is_person: bool = False
    storage_full: str = ""

    def may_use(self, family: str) -> bool:
        return self.families is None or family in self.families
