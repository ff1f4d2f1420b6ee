"""Test that an imported tenant file is checked against the stored types, so that no reader breaks."""

import json
import os
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from almanac.composition.families import every_family
from almanac.composition.services import services_for
from almanac.identity.keys import ApiKeys
from almanac.identity.records import Grant, key_key, to_attributes
from almanac.identity.tenants import Tenants
from almanac.identity.transfer.tenant_import import TenantImport
from almanac.kernel.clock import FixedClock, SystemClock
from almanac.kernel.errors import InvalidInput
from almanac.kernel.events import Event
from almanac.local.commands.audit import audit
from almanac.local.commands.events import events
from almanac.local.commands.keys import keys
from almanac.local.data_folder import DataFolder
from almanac.local.tenants.stored_types import StoredTypes
from almanac.platform.bus.dead_letters import dead_letters
from almanac.platform.bus.messages import Message, encode_message
from almanac.platform.bus.records import DEAD_LETTERS
from almanac.platform.portability.lines import Header, ItemLine, KeyLine, Line, attributes_to_json
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import Indexes, Item, Put
from tests.bench.scale.typical_calls import AT_PROVIDERS
from tests.contract.installations import Installation
from tests.contract.tenancy.consequences import follow_all
from tests.contract.tenancy.crossings import live
from tests.contract.tenancy.world import World
from tests.unit.identity.portability.files import ACME, HEADER, file_of

EVENT = Event(id="01" * 13, kind="note", tenant="acme", project="default", key="k", at=1, actor="ann", payload={})


def parked_line(message: str = encode_message(Message(EVENT)), **more: Any) -> ItemLine:
    attributes = {"event_id": EVENT.id, "reaction": "log", "message": message, "attempts": 1, "error": "x"}
    attributes |= {"first_at": 1, "parked_at": 1}
    sort = sort_key(EVENT.id, "log")
    return ItemLine(partition=("T", "parked_events"), sort=sort, attributes=attributes | more)


def entry(**more: Any) -> ItemLine:
    attributes = {"id": "A" * 26, "at": 1, "actor": "ann", "key_id": "k", "project": "default", "tool": "t"}
    attributes |= {"outcome": "done", "code": None, "duration_ms": 1.5, "expires_at": 99, "subject": None}
    return ItemLine(partition=("T", "audit"), sort=sort_key("A" * 26), attributes=attributes | more)


def key(**more: Any) -> KeyLine:
    grant = to_attributes(Grant(tenant="acme", project="default", actor="ann"))
    record = {"id": "abcdef", "digest": b"d" * 32, "grant": grant, "created_at": 1}
    return KeyLine(attributes=attributes_to_json(record | more))


CALENDAR_EVENT = {
    "calendar": "primary",
    "reach": "near",
    "start": 1,
    "id": "e",
    "end": 2,
    "busy": True,
    "event": "{",
    "rules": "2026f",
}
CRAFTED: dict[str, Line] = {
    "a parked event that is no message": parked_line("{"),
    "a parked event of another tenant": parked_line(encode_message(Message(replace(EVENT, tenant="rival")))),
    "a parked event of no year": parked_line(parked_at=10**18),
    "a parked event without a reaction": ItemLine(partition=("T", "parked_events"), sort="x", attributes={"a": 1}),
    "an audit entry of another form": entry(at="yesterday"),
    "an audit entry that ended in no known way": entry(outcome="perhaps"),
    "an audit entry at another place": ItemLine(partition=("T", "audit"), sort="zz", attributes=entry().attributes),
    "a key of no year": key(created_at=10**18),
    "a key revoked in no year": key(revoked_at=-5),
    "a collection that nobody has": ItemLine(partition=("P", "default", "nonsense"), sort="a", attributes={"a": 1}),
    "a claim that is none": ItemLine(partition=("P", "default", "claims"), sort="a", attributes={"a": 1}),
    "a calendar event that is no event": ItemLine(
        partition=("P", "default", "calendar_entries", "primary"), sort="near#1#e", attributes=CALENDAR_EVENT
    ),
    "keys where only their index stands": ItemLine(partition=("T", "keys"), sort="a", attributes={"a": 1}),
}


@pytest.fixture
def there(tmp_path: Path, clock: FixedClock) -> Installation:
    return Installation.on_sqlite(tmp_path / "there", clock)


def restore(here: Installation, content: bytes, into: str | None = None, trust: bool = True) -> None:
    importing = TenantImport(here.store, here.blobs, here.signer, StoredTypes)
    importing.read(BytesIO(content), into=into, trust=trust, progress=lambda end: None)


@pytest.mark.parametrize("problem", CRAFTED)
def test_a_record_that_nobody_here_writes_is_refused_by_its_line(there: Installation, problem: str):
    project = ItemLine(partition=("T", "projects"), sort="default", attributes={"id": "default", "created_at": 1})

    with pytest.raises(InvalidInput) as refused:
        restore(there, file_of(HEADER, project, CRAFTED[problem]))

    assert refused.value.message.startswith("Line 3: ")
    assert refused.value.code == "bad_export"
    assert not Tenants(there.store, there.clock).exists("acme")
    assert there.items("acme") == []


@pytest.mark.parametrize("more", [{"created_at": 10**18}, {"tenant": "A B"}, {"default_timezone": "Mars/Base"}])
def test_a_tenant_that_could_not_be_made_here_is_refused_at_its_line(there: Installation, more: dict[str, Any]):
    told: dict[str, Any] = {"format": 2, "tenant": "acme", "name": "acme", "created_at": 1, "exported_at": 2} | more
    with pytest.raises(InvalidInput, match=r"^Line 1: "):
        restore(there, file_of(Header(**told)))


@pytest.mark.slow
def test_whatever_the_tools_of_all_families_write_comes_in_again(tmp_path: Path, there: Installation):
    (tmp_path / "here").mkdir()
    world = World(
        tmp_path / "here" / "almanac.db", lambda store, clock: every_family(services_for(store, clock)), follow_all
    )
    live(world, world.settle("acme", "moon"), 1, failing=AT_PROVIDERS)
    here = Installation.on_sqlite(tmp_path / "here", world.clock)
    here.store.write([DEAD_LETTERS.within(here.store, ACME).put(DEAD_LETTERS.read(_item(parked_line())))])

    restore(there, here.export("acme", with_keys=True))

    assert len(there.items("acme")) == len(here.items("acme"))
    assert len({_kind(item) for item in here.items("acme")}) > 20


def test_a_parked_event_belongs_to_the_tenant_under_its_new_name(there: Installation):
    restore(there, file_of(HEADER, parked_line()), into="birch")

    (one,) = dead_letters(there.store, "birch").events
    assert one.message.event.tenant == "birch"


def _kind(item: Item) -> str:
    """Return the kind of data in a partition, e.g. notes. A partition's name has tenant, project and kind."""
    return item.key.partition.text.split("#")[3] if item.key.partition.text.startswith("P#") else "tenant"


def _item(line: ItemLine) -> Item:
    return Item(Key(Partition.in_tenant(ACME, "parked_events"), line.sort), line.attributes)


class SignedExport:
    """An installation with a tenant whose signed export tests change and import."""

    def __init__(self, here: Installation) -> None:
        self.here = here
        Tenants(here.store, here.clock).create("acme", default_timezone="Asia/Tokyo", week_start="sunday")
        self.content = here.export("acme")

    def code(self, here: Installation, content: bytes) -> str:
        with pytest.raises(InvalidInput) as refused:
            restore(here, content, into="copy", trust=False)
        return refused.value.code


@pytest.fixture
def signed_export(tmp_path: Path, clock: FixedClock) -> SignedExport:
    return SignedExport(Installation.on_sqlite(tmp_path / "here", clock))


def test_a_file_that_was_exported_here_needs_no_trust(signed_export: SignedExport):
    restore(signed_export.here, signed_export.content, into="copy", trust=False)

    copy = Tenants(signed_export.here.store, signed_export.here.clock).find("copy")
    assert (copy.default_timezone, copy.week_start) == ("Asia/Tokyo", "sunday")


def test_a_file_of_another_installation_needs_trust(signed_export: SignedExport, there: Installation):
    assert signed_export.code(there, signed_export.content) == "untrusted_export"
    restore(there, signed_export.content, into="copy", trust=True)


def test_a_file_that_was_changed_with_all_its_checks_is_told(signed_export: SignedExport):
    """Whoever knows the format can make every line fit again, but not the signature."""
    header = Header(
        format=2,
        tenant="acme",
        name="acme",
        created_at=1,
        exported_at=2,
        signer=signed_export.here.signer.signer,
    )
    forged = file_of(header)
    assert signed_export.code(signed_export.here, forged) == "untrusted_export"
    with pytest.raises(InvalidInput, match="was changed since"):
        restore(signed_export.here, forged, into="copy", trust=False)


FIRST_VERSION = (
    b'{"kind":"tenant","format":1,"tenant":"acme","name":"Acme","created_at":1,"exported_at":2,"tier":"sta'
    b'ndard","check":"9c319e6ce0a1de4e1e910b175d5b100f"}\n'
    b'{"kind":"item","partition":["T","projects"],"sort":"default","attributes":{"created_at":1,"id":"defa'
    b'ult"},"check":"14d921e2a959c2955e4aa1e4de822bb6"}\n'
    b'{"kind":"end","items":1,"blobs":0,"keys":0,"check":"57379266b4d9c314eb1ac6446591bcdc"}\n'
)
"""As the first version exported a tenant."""


def test_a_file_of_the_first_version_comes_in_with_trust(there: Installation):
    with pytest.raises(InvalidInput, match="not signed"):
        restore(there, FIRST_VERSION, trust=False)
    restore(there, FIRST_VERSION)
    assert Tenants(there.store, there.clock).exists("acme")


def test_listings_name_what_they_cannot_read_and_go_on(tmp_path: Path):
    """Such records are in stores whose tenants were imported before files were judged."""
    clock = SystemClock()
    store = DataFolder(tmp_path).open_store(clock)
    Tenants(store, clock).create("acme")
    Tenants(store, clock).create("birch")
    good = ApiKeys(store, clock, os.urandom).issue(Grant(tenant="acme", project="default", actor="ann")).record
    bad: dict[str, Any] = to_attributes(good) | {"id": "broken", "grant": {"tenant": "acme"}}
    index: Indexes = {"gsi1": Key(Partition.in_tenant(ACME, "keys"), "broken")}
    late = parked_line(parked_at=10**18)
    rubbish: list[tuple[str, str, Any]] = [
        ("parked_events", "broken", {"message": "{"}),
        ("parked_events", late.sort, late.attributes),
        ("audit", "A", {"at": "?"}),
    ]
    store.write([Put(Key(Partition.in_tenant(ACME, name), sort), what) for name, sort, what in rubbish])
    store.write([Put(key_key("broken"), bad, indexes=index)])

    def run(command: Any, *arguments: str) -> tuple[list[Any], str]:
        result = CliRunner().invoke(command, [*arguments, "--json", "--data", str(tmp_path)], catch_exceptions=False)
        assert result.exit_code == 0
        return json.loads(result.stdout), result.stderr

    rows, said = run(events, "parked")
    assert ([row["event"] for row in rows], "parked_events broken" in said) == ([EVENT.id], True)
    rows, said = run(keys, "list", "--tenant", "acme")
    assert ([row["id"] for row in rows], "S#keys#broken" in said) == ([good.id], True)
    rows, said = run(audit, "--tenant", "acme")
    assert (rows, "A" in said) == ([], True)
