"""Settings for every key of a project: the project's, else its tenant's, else the installation's."""

from msgspec import Struct

from almanac.identity.records import STANDARD, Grant, Project, Tenant
from almanac.identity.storage_limit import StoredTotal, full_limit, limit_of

WEEK_START = "monday"


class EffectiveSettings(Struct, frozen=True):
    """A project that is there, and its tenant. Zone and start of the week are None where neither says one; limits and
    the tier are the tenant's. `shared_memory`: the project takes part in what the tenant's projects share.
    `trusted_installers`: actors whose skills it trusts. `storage_full`: the limit of storage that the tenant was found
    to have reached, in words."""

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


def zone_for(grant: Grant, place: EffectiveSettings, installation: str | None) -> str | None:
    """The default zone of whoever calls: the key's, the project's, the tenant's, that of TIMEZONE."""
    return grant.default_timezone or project_zone(place, installation)


def project_zone(place: EffectiveSettings, installation: str | None) -> str | None:
    """Return the default zone of a project for all keys: the project's, the tenant's, that of TIMEZONE."""
    return place.default_timezone or installation


def week_start_for(grant: Grant, place: EffectiveSettings) -> str:
    return grant.week_start or place.week_start or WEEK_START
