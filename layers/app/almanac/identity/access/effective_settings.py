"""Settings in force in a project: the project's own, else its tenant's, else the installation's."""

from msgspec import Struct

from almanac.identity.records import STANDARD, Grant, Project, Tenant
from almanac.identity.storage_limit import StoredTotal, full_limit, limit_of

WEEK_START = "monday"


class EffectiveSettings(Struct, frozen=True):
    """Settings of an existing project, completed by those of its tenant.

    Zone and start of the week are None if neither sets one. Limits and the tier are the tenant's. `shared_memory` is
    true if the project reads and writes the memory that the tenant's projects share. `trusted_installers` are the
    actors whose skills it trusts. `storage_full` describes the storage limit that the tenant has reached; empty if
    none.
    """

    default_timezone: str | None = None
    week_start: str | None = None
    per_minute: int | None = None
    per_day: int | None = None
    shared_memory: bool = True
    trusted_installers: tuple[str, ...] = ()
    tier: str = STANDARD
    calls_at_once: int | None = None
    storage_full: str = ""


def settings_for(tenant: Tenant | None, project: Project | None, total: StoredTotal) -> EffectiveSettings | None:
    """Return the settings in force in a project; None if the tenant or project is missing or being deleted."""
    if tenant is None or project is None or tenant.deleting_at is not None or project.deleting_at is not None:
        return None
    return EffectiveSettings(
        project.default_timezone or tenant.default_timezone,
        project.week_start or tenant.week_start,
        tenant.per_minute,
        tenant.per_day,
        project.shared_memory,
        project.trusted_installers,
        tenant.tier,
        tenant.calls_at_once,
        full_limit(total, limit_of(tenant)),
    )


def zone_for(grant: Grant, settings: EffectiveSettings, installation: str | None) -> str | None:
    """Return a caller's default zone: the key's, else the project's, else the tenant's, else the setting TIMEZONE."""
    return grant.default_timezone or project_zone(settings, installation)


def project_zone(settings: EffectiveSettings, installation: str | None) -> str | None:
    """Return a project's default zone for all keys: its own, else the tenant's, else the setting TIMEZONE."""
    return settings.default_timezone or installation


def week_start_for(grant: Grant, settings: EffectiveSettings) -> str:
    return grant.week_start or settings.week_start or WEEK_START
