"""A tenant in which every family has written is deleted, and nothing of it is left: no item, no large value."""

import os
import sqlite3
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from almanac.identity.audit import Clerk
from almanac.identity.browser_sessions import BrowserSessions
from almanac.identity.keys import ApiKeys
from almanac.identity.oauth.grants import ClientGrants, Redemption
from almanac.identity.oauth.records import Terms
from almanac.identity.records import Grant, projects_of
from almanac.identity.tenants import Tenants
from almanac.identity.transfer.deletion import TenantDeletion
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.platform.blobs.folder import FolderBlobs
from almanac.platform.blobs.large_values import LargeValues
from almanac.platform.blobs.port import Blobs
from almanac.platform.blobs.s3 import S3Blobs
from almanac.platform.store.keys import Key, Partition
from almanac.platform.store.port import Item, Put, Store
from almanac.platform.store.sqlite.scan import SqliteTenantScan
from almanac.platform.store.sqlite.store import SqliteStore
from almanac.platform.store.tenant_scan import TenantScan
from tests.contract.backends import REGION, s3_client
from tests.contract.metered_table import MeteredTable
from tests.contract.tenancy.planted import WORDS, Project

KEPT = "S#audit#acme"
"""Where it is kept that the tenant was deleted, when, and by whom."""


@pytest.fixture(scope="module")
def planted_project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("planted"))


@pytest.fixture(scope="module")
def items(planted_project: Project) -> list[Item]:
    """Return all items of the tenant, as its families wrote them."""
    return list(planted_project.world.holdings(planted_project.full).values())


VERIFIER = "a verifier of the client".replace(" ", "-").ljust(43, "-")


def sign_in(grants: ClientGrants, terms: Terms) -> None:
    """Let a client in, and have it renew its tokens once."""
    challenge = urlsafe_b64encode(sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
    about = {"client_id": "alc-one", "client_name": "", "client_host": "", "redirect_uri": "app:/", "attempt": "one"}
    code = grants.new_code(**about, challenge=challenge, resource="https://mcp.example.com/mcp", terms=terms)
    grants.refresh(grants.redeem(Redemption(code, "alc-one", "app:/", VERIFIER)).refresh, "alc-one")


class Deletion:
    """Deletion of a tenant beside a neighbour who writes the same kinds of things."""

    def __init__(self, store: Store, scan: TenantScan, blobs: Blobs, clock: FixedClock) -> None:
        self.store, self.scan, self.clock, self.blobs = store, scan, clock, blobs
        self.whole = LargeValues(store, self.blobs, os.urandom)
        self.key_ids: dict[str, str] = {}

    def settle(self, items: list[Item]) -> None:
        for tenant in ("acme", "acme2"):
            Tenants(self.store, self.clock).create(tenant, project="web")
            keys = ApiKeys(self.store, self.clock, os.urandom)
            key = keys.issue(Grant(tenant=tenant, project="*", actor="ann"))
            self.key_ids[tenant] = key.key.id
            record = keys.find(key.key.id)
            assert record is not None
            BrowserSessions(self.store, self.clock, os.urandom).begin(record, "web")
            sign_in(
                ClientGrants(self.store, self.clock, os.urandom), Terms(key_id=key.key.id, tenant=tenant, project="web")
            )
            shelf = Partition.in_project(Scope(tenant, "web"), "shelf", "one")
            self.whole.write([Put(Key(shelf, "a"), {"large": "x" * 400_000})])
            self.whole.write([Put(Key(shelf, "a"), {"large": "y" * 400_000})])
        written = [one for one in items if one.key.partition != projects_of("acme")]
        for start in range(0, len(written), 50):
            some = written[start : start + 50]
            self.store.write([Put(one.key, one.attributes, None, one.expires_at, one.indexes) for one in some])

    def delete(self) -> int:
        clerk = Clerk(self.store, self.clock, os.urandom, "ann")
        deletion = TenantDeletion(self.store, self.scan, self.blobs, self.clock, clerk, "acme")
        return deletion.run(lambda _: None, lambda: None)

    def values_of(self) -> set[str]:
        return {stored.name.path().split("/")[1] for stored in self.blobs.list_blobs()}


def test_on_a_laptop_nothing_is_left(items: list[Item], tmp_path: Path, clock: FixedClock):
    file = tmp_path / "almanac.db"
    store = SqliteStore(file, clock=clock, cursor_secret=b"a secret for tests")
    here = Deletion(store, SqliteTenantScan(file, clock=clock), FolderBlobs(tmp_path / "blobs"), clock)
    here.settle(items)

    assert here.delete() > len(items)
    with closing(sqlite3.connect(file)) as connection:
        rows = [(str(row[0]), bytes(row[2])) for row in connection.execute("SELECT partition, sort, body FROM items")]
    _assert_empty(((partition, repr(body)) for partition, body in rows), here)
    assert here.values_of() == {"acme2"}


def test_on_aws_nothing_is_left(items: list[Item], dynoxide_address: str, ministack_address: str, clock: FixedClock):
    table, bucket = MeteredTable(dynoxide_address, clock), "deleted-is-deleted"
    client = s3_client(ministack_address)
    client.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": REGION})
    client.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    here = Deletion(table.store, table.scan, S3Blobs(client, bucket), clock)
    here.settle(items)

    assert here.delete() > len(items)
    _assert_empty(((row["PK"]["S"], repr(row)) for row in table.all_items()), here)
    assert here.values_of() == {"acme2"}
    kept = client.list_object_versions(Bucket=bucket)
    assert {each["Key"].split("/")[1] for each in kept["Versions"]} == {"acme2"}
    assert not kept.get("DeleteMarkers")
    assert table.meter.scans == 0


def _assert_empty(rows: Iterator[tuple[str, str]], here: Deletion) -> None:
    everything = list(rows)
    # Sessions of browsers name no tenant, only their key.
    of_sessions = {text for text, _ in everything if text.startswith("S#browser_sessions#")}
    assert of_sessions == {f"S#browser_sessions#{here.key_ids['acme2']}"}
    rows = iter(everything)
    left = [(partition, text) for partition, text in rows if "acme2" not in partition]
    named = {partition for partition, text in left if "acme" in partition.split("#") or "'acme'" in text}
    assert named == {KEPT}
    assert not [partition for partition, text in left if any(word in text for word in WORDS)]
