"""The caller of a tool, as its API key says, never an argument."""

from dataclasses import dataclass

SHARED_PROJECT = "_shared"
"""Pseudo-project that holds what the projects of a tenant share. Project names begin with a letter or digit, so no
project can have this name.
"""


@dataclass(frozen=True, slots=True)
class Scope:
    """The tenant and project of data. Every stored key and every search filter is built from a scope."""

    tenant: str
    project: str

    @property
    def shared(self) -> "Scope":
        """The scope of what all projects of the tenant share."""
        return Scope(self.tenant, SHARED_PROJECT)


@dataclass(frozen=True, slots=True)
class Caller:
    """The identity behind a call.

    `families` is None when the key may use every family. `default_timezone` is an IANA name or None: nothing
    falls back to UTC in silence. `project_timezone` is the zone without what the key says: that of the project, the
    tenant or the installation. `week_start` is "monday" or "sunday". `shares_memory`: he reads and writes what the
    projects of his tenant share. `trusted_installers`: actors whose skills his project trusts. `is_person`: a person
    calls, who signed in to the pages or has a key that was made for a person; programs with any other key are agents.
    `storage_full`: the limit of storage that his tenant was found to have reached, in words; on AWS only.
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
