"""Test the restore drill of docs/operating.md: a tenant out of the table's point-in-time recovery, command by command.

The emulator restores the table as it is now, at any named moment.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from secrets import token_hex
from typing import Any

import boto3  # pyright: ignore[reportMissingTypeStubs]
import msgspec
import pytest

from almanac.composition.families import open_families
from almanac.composition.services import services_for
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import SystemClock
from almanac.platform.blobs.large_values import LargeValues
from almanac.platform.blobs.s3 import S3Blobs
from tests.app import App
from tests.contract.backends import REGION, TABLE, Place
from tests.dynamodb_table import table_definition
from tests.unit.families.skills.installed import skill_md

ALMANAC = Path(sys.executable).parent / "almanac"
DRILL = "almanac-drill"
Run = Callable[..., Any]

pytestmark = pytest.mark.soak


@pytest.fixture
def client(ministack_address: str) -> Callable[[str], Any]:
    return lambda service: boto3.client(service, region_name=REGION, endpoint_url=ministack_address)  # pyright: ignore[reportUnknownMemberType, reportUnknownLambdaType]


@pytest.fixture
def bucket(client: Callable[[str], Any]) -> str:
    name = f"drill-{token_hex(4)}"
    client("s3").create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": REGION})
    return name


@pytest.fixture
def run(ministack_address: str, bucket: str, tmp_path: Path) -> Run:
    """Run `almanac` as an operator who has set the page's variables, and return its JSON."""
    named = {"AWS_ENDPOINT_URL": ministack_address, "AWS_REGION": REGION, "ALMANAC_TABLE": TABLE}
    environment = os.environ | named | {"ALMANAC_BUCKET": bucket, "ALMANAC_DATA": str(tmp_path / "data")}

    def almanac(*arguments: str) -> Any:
        command = [str(ALMANAC), *arguments, "--json"]
        done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return msgspec.json.decode(done.stdout)

    return almanac


def test_a_tenant_comes_out_of_the_recovery_as_it_was(
    ministack_address: str, client: Callable[[str], Any], bucket: str, run: Run, tmp_path: Path
) -> None:
    tenant = f"acme-{token_hex(4)}"
    run("tenants", "create", tenant)
    run("keys", "issue", "--tenant", tenant)
    clock, blobs = SystemClock(), S3Blobs(client("s3"), bucket)
    store = LargeValues(Place("ministack", ministack_address).open(clock), blobs, os.urandom)
    services = services_for(store, clock)
    app = App.of(open_families(services, ("planner", "skills")), clock, Caller(Scope(tenant, "default"), "ann", "k"))
    note = app.call("notes_create", title="Plan", body="What was said. " * 40)["data"]
    app.call("install_skill", skill_md=skill_md(), files={"data.txt": "x" * 400_000})
    assert list(blobs.list_blobs()), "a value is large enough to be in the bucket"

    dynamodb = client("dynamodb")
    dynamodb.restore_table_to_point_in_time(SourceTableName=TABLE, TargetTableName=DRILL, UseLatestRestorableTime=True)
    dynamodb.get_waiter("table_exists").wait(TableName=DRILL)
    try:
        restored = dynamodb.describe_table(TableName=DRILL)["Table"]
        expected = {index["IndexName"] for index in table_definition(TABLE)["GlobalSecondaryIndexes"]}
        assert {index["IndexName"] for index in restored["GlobalSecondaryIndexes"]} == expected
        # What happens after the moment is not in the recovery.
        assert app.call("notes_delete", noteId=note["id"])["ok"]

        assert tenant in {row["tenant"] for row in run("tenants", "list", "--table", DRILL)}
        exported = run("export", tenant, "drill.jsonl", "--table", DRILL)
        imported = run("import", "drill.jsonl", "--into", f"{tenant}-drill", "--without-keys")
        again = run("export", f"{tenant}-drill", "again.jsonl")
        assert _counts(exported) == _counts(imported)
        # The import itself is in the tenant's audit trail.
        assert _counts(again) == {**_counts(exported), "items": exported["items"] + 1}
        assert len(_contents(tmp_path / "drill.jsonl", tenant)) > exported["items"] / 2
        assert _contents(tmp_path / "drill.jsonl", tenant) == _contents(tmp_path / "again.jsonl", f"{tenant}-drill")

        seen = App.of(
            open_families(services, ("planner", "skills")), clock, Caller(Scope(f"{tenant}-drill", "default"), "b", "k")
        )
        assert seen.call("notes_get", noteId=note["id"])["data"]["title"] == "Plan"
        run("tenants", "delete", f"{tenant}-drill", "--yes")
    finally:
        dynamodb.delete_table(TableName=DRILL)


def _counts(row: dict[str, Any]) -> dict[str, Any]:
    return {name: count for name, count in row.items() if name not in ("tenant", "file", "already", "keys")}


def _contents(file: Path, tenant: str) -> list[str]:
    """Return the items and large values of an export, with neutral names for the tenant and the ids of values.

    An import notes itself in the audit trail, and prevents old events from being announced again.
    """
    lines = re.sub(r'"[0-9a-f]{32}"', '"ID"', file.read_text().replace(tenant, "TENANT")).splitlines()
    stored = [line for line in lines if '"kind":"blob"' in line or '"kind":"item"' in line]
    return sorted(line for line in stored if not re.search(r'"(audit|outbox|search_fresh)"\]', line))
