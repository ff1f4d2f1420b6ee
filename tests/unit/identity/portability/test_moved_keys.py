"""API keys move with their tenant when they are asked for, and open nothing before it is whole."""

import os
from io import BytesIO

from almanac.identity.access.directory import StoredDirectory
from almanac.identity.api_key import ApiKey
from almanac.identity.keys import ApiKeys
from almanac.identity.records import Grant
from almanac.identity.tenants import Tenants
from almanac.platform.portability.file import read_lines
from almanac.platform.portability.lines import Header
from tests.contract.installations import Installation
from tests.unit.identity.portability.files import file_of, refusal


def _keys(installation: Installation) -> ApiKeys:
    return ApiKeys(installation.store, installation.clock, os.urandom)


def _issue_key(installation: Installation) -> ApiKey:
    return _keys(installation).issue(Grant(tenant="acme", project="default", actor="ann", families=("time",))).key


def test_keys_stay_at_home_unless_asked_for(here: Installation, there: Installation):
    key = _issue_key(here)

    content = here.export("acme")
    there.restore(content)

    assert StoredDirectory(there.store).key(key.id) is None
    assert key.id.encode() not in content


def test_keys_that_are_asked_for_open_the_restored_tenant(here: Installation, there: Installation):
    key = _issue_key(here)
    content = here.export("acme", with_keys=True)

    there.restore(content, into="birch")

    record = StoredDirectory(there.store).key(key.id)
    assert record is not None
    assert key.opens(record.digest)
    assert record.grant.tenant == "birch"
    assert record.grant.families == ("time",)
    assert [each.id for each in _keys(there).of_tenant("birch")] == [key.id]
    assert key.secret.encode() not in content


def test_a_key_that_somebody_else_has_stops_the_import_before_any_key_is_written(
    here: Installation, there: Installation
):
    keys = sorted((_issue_key(here) for _ in range(3)), key=lambda key: key.id)
    content = here.export("acme", with_keys=True)
    Tenants(there.store, there.clock).create("acme")
    _keys(there).issue(Grant(tenant="acme", project="default", actor="eve"), keys[-1])

    refused = refusal(there, content, into="birch")

    assert refused.code == "key_exists"
    assert keys[-1].id in refused.message
    assert not Tenants(there.store, there.clock).exists("birch")
    assert [StoredDirectory(there.store).key(key.id) for key in keys[:-1]] == [None, None]


def test_an_import_that_a_key_has_stopped_goes_on_without_keys(here: Installation):
    key = _issue_key(here)
    content = here.export("acme", with_keys=True)
    refusal(here, content, into="birch")

    imported = here.restore(content, into="birch", with_keys=False)

    assert (imported.already, imported.counts.keys) == (False, 0)
    assert len(here.items("birch")) == len(here.items("acme"))
    assert list(_keys(here).of_tenant("birch")) == []
    assert [each.id for each in _keys(here).of_tenant("acme")] == [key.id]


def test_a_key_of_another_tenant_cannot_come_with_the_file(here: Installation, there: Installation):
    _issue_key(here)
    lines = [each.line for each in read_lines(BytesIO(here.export("acme", with_keys=True)))][1:-1]
    other = Header(format=1, tenant="birch", name="birch", created_at=1, exported_at=2)

    refused = refusal(there, file_of(other, *lines))

    assert "the key belongs to another tenant" in refused.message


def test_keys_do_not_open_a_tenant_whose_file_is_damaged_at_the_end(here: Installation, there: Installation):
    key = _issue_key(here)
    content = here.export("acme", with_keys=True)

    refusal(there, content[:-20])

    assert StoredDirectory(there.store).key(key.id) is None
