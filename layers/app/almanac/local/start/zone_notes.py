"""Notes on time zones in the announcement: the first key's zone, and stored zones that overrule TIMEZONE."""

import warnings
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

from almanac.composition.installation import installation_zone, zone_name
from almanac.composition.settings import Settings
from almanac.identity.api_key import read_api_key
from almanac.identity.keys import ApiKeys
from almanac.identity.records import ANY_PROJECT, Grant, Project, Tenant
from almanac.identity.tenants import DEFAULT_PROJECT, Tenants
from almanac.kernel.errors import InvalidInput

_NOBODYS = ("UTC", "GMT")

_LOOKED_AT = 50


class Zones(NamedTuple):
    """Time zones of TIMEZONE (`installation`) and of the operating system (`machine`, if it names a place)."""

    installation: str | None = None
    machine: str | None = None

    @property
    def of_first_tenant(self) -> str | None:
        """Return the time zone to create the first tenant with. TIMEZONE applies without being stored and may change
        with each start, so it gives None."""
        return None if self.installation is not None else self.machine


NO_ZONES = Zones()


def zones_here(settings: Settings) -> Zones:
    """Read both time zones. Raises InvalidInput if TIMEZONE is no time zone."""
    return Zones(installation_zone(settings), machine_zone())


class _StoredZone(NamedTuple):
    zone: str
    by: str
    change: str


def zone_notes(tenants: Tenants, keys: ApiKeys, zones: Zones, first: str | None, tenant: str) -> list[str]:
    """Return the lines for the announcement. `first` is the key in use, and `tenant` is the first tenant."""
    record = _record(keys, first)
    grant = record or Grant(tenant=tenant, project=DEFAULT_PROJECT, actor="owner")
    stored_zones = list(_chain(tenants, grant, record is not None and first is not None, first))
    lines = [_holds(stored_zones, zones, grant.tenant)]
    if zones.installation is not None:
        stored_zones += [each for each in _others(tenants) if each not in stored_zones]
        lines += [_overruled_note(each, zones.installation) for each in stored_zones if each.zone != zones.installation]
    return lines


def _record(keys: ApiKeys, first: str | None) -> Grant | None:
    key = read_api_key(first) if first else None
    record = keys.find(key.id) if key else None
    return record.grant if record else None


def _chain(tenants: Tenants, grant: Grant, by_key: bool, first: str | None) -> Iterator[_StoredZone]:
    """Return the zones stored for the key, the effective one first."""
    if by_key and grant.default_timezone is not None and (key := read_api_key(first or "")) is not None:
        yield _StoredZone(grant.default_timezone, f"the key {key.id}", f"almanac keys edit {key.id}")
    project = DEFAULT_PROJECT if grant.project == ANY_PROJECT else grant.project
    if tenants.exists(grant.tenant):
        known = {one.id: one for one in islice(tenants.projects(grant.tenant), _LOOKED_AT)}
        if project in known:
            yield from _of_project(grant.tenant, known[project])
        yield from _of_tenant(tenants.find(grant.tenant))


def _others(tenants: Tenants) -> Iterator[_StoredZone]:
    for one in islice(tenants.all(), _LOOKED_AT):
        yield from _of_tenant(one)
        for project in islice(tenants.projects(one.id), _LOOKED_AT):
            yield from _of_project(one.id, project)


def _of_tenant(one: Tenant) -> Iterator[_StoredZone]:
    if one.default_timezone is not None:
        yield _StoredZone(one.default_timezone, f"the tenant {one.id}", f"almanac tenants edit {one.id}")


def _of_project(tenant: str, one: Project) -> Iterator[_StoredZone]:
    if one.default_timezone is not None:
        command = f"almanac projects edit {one.id} --tenant {tenant}"
        yield _StoredZone(one.default_timezone, f"the project {one.id} of the tenant {tenant}", command)


def _holds(stored_zones: list[_StoredZone], zones: Zones, tenant: str) -> str:
    if stored_zones:
        return f"Time zone: {stored_zones[0].zone}, of {stored_zones[0].by}"
    if zones.installation is not None:
        return f"Time zone: {zones.installation}, of TIMEZONE"
    example = zones.machine or "Europe/Berlin"
    whose = f"the machine's is {zones.machine}" if zones.machine else "this machine runs on UTC"
    return (
        f"Time zone: none is set, {whose}. Tools that need one ask for it. Set it: "
        f"almanac tenants edit {tenant} --timezone {example}"
    )


def _overruled_note(each: _StoredZone, installation: str) -> str:
    return (
        f"TIMEZONE={installation} does not hold for {each.by}, which stores {each.zone} and wins. Change that: "
        f"{each.change} --timezone {installation} (or --timezone none, to follow TIMEZONE)"
    )


def own_zone() -> str | None:
    """Return the operating system's time zone, or None if it names none."""
    import tzlocal  # noqa: PLC0415 - only a start without TIMEZONE needs it

    with warnings.catch_warnings():
        # Without a configured zone tzlocal warns and returns UTC, which `machine_zone` ignores.
        warnings.simplefilter("ignore")
        try:
            return tzlocal.get_localzone_name()
        except (ValueError, LookupError, OSError):
            return None


def machine_zone(ask_system: Callable[[], str | None] = own_zone) -> str | None:
    """Return the machine's IANA time zone. Return None if it has none, or if it is UTC, which does not tell where the
    user is."""
    name = ask_system()
    try:
        zone = zone_name(name) if name else None
    except InvalidInput:
        return None
    return None if zone is None or zone in _NOBODYS or zone.startswith("Etc/") else zone
