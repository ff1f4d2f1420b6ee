"""Tenants, keys and limits on every technology that the store has."""

import os
from datetime import timedelta

import msgspec
import pytest

from almanac.identity.access.authorize import authorize
from almanac.identity.access.directory import StoredDirectory
from almanac.identity.access.limits import RequestLimits
from almanac.identity.access.principal import Principal
from almanac.identity.access.refusals import BAD_KEY, Refusal
from almanac.identity.keys import ApiKeys
from almanac.identity.records import Grant
from almanac.identity.tenants import Tenants
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Conflict
from almanac.kernel.instants import now_ms
from almanac.platform.store.port import Store


@pytest.fixture
def grant(store: Store, clock: FixedClock, scope: Scope) -> Grant:
    """Terms in a tenant of its own."""
    Tenants(store, clock).create(scope.tenant, project=scope.project)
    return Grant(tenant=scope.tenant, project=scope.project, actor="ann", families=("time",), default_timezone="UTC")


@pytest.fixture
def keys(store: Store, clock: FixedClock) -> ApiKeys:
    return ApiKeys(store, clock, os.urandom)


def judge(store: Store, text: str, clock: FixedClock, project: str = "") -> Principal | Refusal:
    headers = {"x-api-key": text, "x-almanac-project": project}
    return authorize(headers, "/mcp/time", StoredDirectory(store), now_ms(clock))


def test_a_key_lives_from_issue_to_revocation(store: Store, keys: ApiKeys, grant: Grant, clock: FixedClock) -> None:
    issued = keys.issue(grant)
    verdict = judge(store, issued.key.text, clock)
    assert isinstance(verdict, Principal)
    assert verdict.caller.scope == Scope(grant.tenant, grant.project)
    assert verdict.caller.families == {"time"}
    keys.revoke(issued.key.id)
    assert judge(store, issued.key.text, clock) is BAD_KEY


def test_a_rotation_overlaps(store: Store, keys: ApiKeys, grant: Grant, clock: FixedClock) -> None:
    old = keys.issue(grant)
    new = keys.rotate(old.key.id, overlap_seconds=60)
    assert isinstance(judge(store, old.key.text, clock), Principal)
    clock.instant += timedelta(seconds=60)
    assert judge(store, old.key.text, clock) is BAD_KEY
    assert isinstance(judge(store, new.key.text, clock), Principal)


def test_an_id_is_taken_once(keys: ApiKeys, grant: Grant) -> None:
    issued = keys.issue(grant)
    with pytest.raises(Conflict, match="exists"):
        keys.issue(grant, issued.key)


def test_a_tenants_keys_and_projects_are_listed(store: Store, keys: ApiKeys, grant: Grant, clock: FixedClock) -> None:
    tenants = Tenants(store, clock)
    tenants.create_project(grant.tenant, "zoo")
    mine = sorted(keys.issue(grant).key.id for _ in range(3))
    assert [record.id for record in keys.of_tenant(grant.tenant)] == mine
    assert [project.id for project in tenants.projects(grant.tenant)] == [grant.project, "zoo"]


def test_a_key_of_all_projects_reaches_its_tenants_and_no_others(
    store: Store, keys: ApiKeys, grant: Grant, clock: FixedClock
) -> None:
    Tenants(store, clock).create(grant.tenant + "-other", project="elsewhere")
    key = keys.issue(msgspec.structs.replace(grant, project="*")).key.text
    assert isinstance(judge(store, key, clock, grant.project), Principal)
    assert isinstance(judge(store, key, clock, "elsewhere"), Refusal)


def test_limits_are_exact(store: Store, keys: ApiKeys, grant: Grant, clock: FixedClock) -> None:
    issued = keys.issue(msgspec.structs.replace(grant, per_minute=3, per_day=5))
    allowed = judge(store, issued.key.text, clock)
    assert isinstance(allowed, Principal)
    limits = RequestLimits(lambda: store, clock)
    first = [limits.admit(allowed) is None for _ in range(4)]
    clock.instant += timedelta(minutes=1)
    second = [limits.admit(allowed) is None for _ in range(4)]
    assert (first, second) == ([True, True, True, False], [True, True, False, False])
