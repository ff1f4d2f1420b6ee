"""Test which code may name keys outside a scope, and the technologies."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import almanac

PACKAGE = Path(almanac.__file__).parent


def _folders_naming(pattern: str) -> set[str]:
    """The folders of the package, at most two deep, in which a module has text of this pattern."""
    found = [path for path in PACKAGE.rglob("*.py") if re.search(pattern, path.read_text())]
    return {"/".join(path.relative_to(PACKAGE).parts[:-1][:2]) for path in found}


def test_only_adapters_make_partitions_of_stored_text():
    assert _folders_naming(r"Partition\.as_stored") <= {"platform/store", "platform/blobs"}


def test_only_what_serves_every_tenant_uses_the_system_space():
    assert _folders_naming(r"Partition\.system\(") <= {
        "identity",
        "identity/access",
        "identity/oauth",
        "identity/transfer",
        "platform/blobs",
        "platform/bus",
        "platform/due",
        "platform/feed",
        "platform/store",
    }


def test_only_the_adapters_of_aws_name_its_libraries():
    inside = [path.parent.name for path in (PACKAGE / "platform/store").rglob("*.py") if "pynamodb" in path.read_text()]
    assert set(inside) == {"dynamodb"}
    assert _folders_naming(r"^(from|import) pynamodb") <= {"platform/store"}


@pytest.mark.parametrize(
    "module", ["store.sqlite.store", "store.records", "store.dynamodb.items", "blobs.large_values"]
)
def test_the_store_is_imported_without_what_aws_needs(module: str):
    heavy = {"pynamodb", "botocore", "boto3", "asyncio", "pydantic", "multiprocessing"}
    program = f"import sys, almanac.platform.{module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not heavy & set(done.stdout.split())
