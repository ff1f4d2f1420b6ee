"""Test the zone and start of the week of a caller, from key, project, tenant or installation."""

import msgspec
import pytest

from almanac.identity.access.authorize import authorize
from almanac.identity.access.directory import StoredDirectory
from almanac.identity.access.principal import Principal
from almanac.identity.access.refusals import BAD_KEY
from almanac.identity.api_key import ApiKey
from almanac.identity.keys import ApiKeys
from almanac.identity.records import Grant, Tenant, from_attributes, key_key, project_key, tenant_key
from almanac.identity.tenants import Tenants
from almanac.kernel.caller import Caller
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import InvalidInput, NotFound
from almanac.kernel.instants import now_ms
from almanac.platform.store.port import Put, Store
from almanac.platform.store.values import Value


def caller_of(store: Store, clock: FixedClock, key: ApiKey, installation: str | None = None, **headers: str) -> Caller:
    verdict = authorize({"x-api-key": key.text, **headers}, "/mcp", StoredDirectory(store), now_ms(clock), installation)
    assert isinstance(verdict, Principal)
    return verdict.caller


@pytest.mark.parametrize(
    ("of_key", "of_project", "of_tenant", "of_installation", "holds"),
    [
        ("Asia/Tokyo", "Europe/Berlin", "America/Lima", "Africa/Cairo", "Asia/Tokyo"),
        (None, "Europe/Berlin", "America/Lima", "Africa/Cairo", "Europe/Berlin"),
        (None, None, "America/Lima", "Africa/Cairo", "America/Lima"),
        (None, None, None, "Africa/Cairo", "Africa/Cairo"),
        (None, None, None, None, None),
        ("UTC", "Europe/Berlin", None, None, "UTC"),
    ],
)
def test_the_nearest_zone_that_is_set_holds(
    keys: ApiKeys,
    tenants: Tenants,
    grant: Grant,
    store: Store,
    clock: FixedClock,
    of_key: str | None,
    of_project: str | None,
    of_tenant: str | None,
    of_installation: str | None,
    holds: str | None,
) -> None:
    key = keys.issue(msgspec.structs.replace(grant, default_timezone=of_key)).key
    tenants.edit_project("acme", "default", default_timezone=of_project)
    tenants.edit("acme", default_timezone=of_tenant)
    caller = caller_of(store, clock, key, of_installation)
    assert caller.default_timezone == holds
    assert caller.project_timezone == (of_project or of_tenant or of_installation)


def test_a_key_of_all_projects_takes_the_zone_of_the_one_it_names(
    keys: ApiKeys, tenants: Tenants, grant: Grant, store: Store, clock: FixedClock
) -> None:
    key = keys.issue(msgspec.structs.replace(grant, project="*")).key
    tenants.edit_project("acme", "moon", default_timezone="Asia/Tokyo", week_start="sunday")
    there = caller_of(store, clock, key, "Europe/Paris", **{"x-almanac-project": "moon"})
    here = caller_of(store, clock, key, "Europe/Paris", **{"x-almanac-project": "default"})
    assert (there.default_timezone, there.week_start) == ("Asia/Tokyo", "sunday")
    assert (here.default_timezone, here.week_start) == ("Europe/Paris", "monday")


def test_a_key_of_before_keeps_the_zone_and_week_it_was_issued_with(
    tenants: Tenants, store: Store, clock: FixedClock
) -> None:
    """Its record as the first version wrote it, and its tenant's and project's too."""
    key = ApiKey("oldkey", "o" * 40)
    grant: dict[str, Value] = {
        "tenant": "old",
        "project": "main",
        "actor": "ann",
        "label": "",
        "families": None,
        "readonly": False,
    }
    terms: dict[str, Value] = {"default_timezone": "Europe/Berlin", "week_start": "sunday", "expires_at": None}
    limits: dict[str, Value] = {"per_minute": None, "per_day": None}
    record: dict[str, Value] = {
        "id": key.id,
        "digest": key.digest,
        "grant": {**grant, **terms, **limits},
        "created_at": 1,
    }
    store.write(
        [
            Put(key_key(key.id), {**record, "revoked_at": None, "replaced_by": None}),
            Put(tenant_key("old"), {"id": "old", "name": "old", "created_at": 1, "tier": "standard"}),
            Put(project_key("old", "main"), {"id": "main", "created_at": 1}),
        ]
    )
    tenants.edit("old", default_timezone="Asia/Tokyo")
    caller = caller_of(store, clock, key, "Africa/Cairo")
    assert (caller.default_timezone, caller.week_start) == ("Europe/Berlin", "sunday")
    edited = ApiKeys(store, clock, bytes).edit(key.id, default_timezone=None)
    assert edited.version == 1
    assert caller_of(store, clock, key, "Africa/Cairo").default_timezone == "Asia/Tokyo"


def test_a_key_whose_tenant_or_project_is_gone_is_like_one_that_never_was(
    keys: ApiKeys, grant: Grant, store: Store, clock: FixedClock
) -> None:
    key = keys.issue(grant).key
    item = store.get(tenant_key("acme"))
    assert item is not None
    marked = msgspec.structs.replace(from_attributes(item.attributes, Tenant), deleting_at=1)
    store.write([Put(tenant_key("acme"), msgspec.to_builtins(marked))])
    assert authorize({"x-api-key": key.text}, "/mcp", StoredDirectory(store), now_ms(clock)) == BAD_KEY
    with pytest.raises(NotFound):
        keys.issue(grant)


@pytest.mark.parametrize(
    "settings",
    [
        {"default_timezone": "Mars/Olympus"},
        {"default_timezone": "../../etc/passwd"},
        {"week_start": "tuesday"},
        {"per_minute": 0},
        {"name": "x" * 201},
        {"name": "a\x1b[2J"},
    ],
)
def test_settings_out_of_bounds_are_refused_and_change_nothing(tenants: Tenants, settings: dict[str, object]) -> None:
    before = tenants.find("acme")
    with pytest.raises(InvalidInput):
        tenants.edit("acme", **settings)
    assert tenants.find("acme") == before


def test_an_edit_of_what_is_not_there_says_so(tenants: Tenants) -> None:
    with pytest.raises(NotFound, match="no tenant nobody"):
        tenants.edit("nobody", week_start="sunday")
    with pytest.raises(NotFound, match="no project mars"):
        tenants.edit_project("acme", "mars", week_start="sunday")
