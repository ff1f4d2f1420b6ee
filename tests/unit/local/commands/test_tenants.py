"""`almanac tenants`"""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from almanac.kernel.errors import NotFound
from almanac.local.commands.tenants import tenants


def _run(path: Path, *arguments: str) -> Result:
    return CliRunner().invoke(tenants, [*arguments, "--data", str(path)])


def test_a_tenant_is_created_in_a_tier_and_moved_to_another(tmp_path: Path) -> None:
    created = _run(tmp_path, "create", "acme", "--tier", "trial", "--json")
    assert json.loads(created.stdout)["tier"] == "trial"
    assert _run(tmp_path, "tier", "acme", "premium").stdout == "acme is in the tier premium.\n"
    (listed,) = json.loads(_run(tmp_path, "list", "--json").stdout)
    assert (listed["tenant"], listed["tier"]) == ("acme", "premium")


@pytest.mark.parametrize("arguments", [("create", "acme", "--tier", "free"), ("tier", "acme", "free")])
def test_a_tier_that_there_is_not_is_refused_with_those_that_there_are(tmp_path: Path, arguments: list[str]) -> None:
    refused = _run(tmp_path, *arguments)
    assert refused.exit_code == 2
    assert "'trial', 'standard', 'premium'" in refused.stderr


def test_a_tenant_that_does_not_exist_cannot_be_moved(tmp_path: Path) -> None:
    assert isinstance(_run(tmp_path, "tier", "nobody", "trial").exception, NotFound)


def test_storage_limits_are_set_shown_and_taken_away(tmp_path: Path) -> None:
    _run(tmp_path, "create", "acme")
    (before,) = json.loads(_run(tmp_path, "list", "--json").stdout)
    limits = ("--max-storage", "1.5GB", "--max-documents", "10")
    edited = json.loads(_run(tmp_path, "edit", "acme", *limits, "--json").stdout)
    (listed,) = json.loads(_run(tmp_path, "list", "--json").stdout)

    assert before["max_storage_bytes"] == 20_000_000_000
    assert 0 < before["storage_bytes"] < 10_000
    assert (edited["max_storage"], edited["max_documents"]) == ("1.5 GB", 10)
    assert listed["storage"].endswith(" of 1.5 GB")
    assert listed["documents"] == "0 of 10"
    taken = _run(tmp_path, "edit", "acme", "--max-storage", "none", "--max-documents", "none", "--json")
    assert json.loads(taken.stdout)["max_storage"] == "20 GB"


@pytest.mark.parametrize(
    ("written", "size"),
    [
        ("500", 500),
        ("500MB", 500_000_000),
        ("20 gb", 20 * 10**9),
        ("1GiB", 2**30),
        ("1.5k", 1500),
        ("2t", 2 * 10**12),
    ],
)
def test_a_size_is_written_as_people_write_it(tmp_path: Path, written: str, size: int) -> None:
    _run(tmp_path, "create", "acme")
    _run(tmp_path, "edit", "acme", "--max-storage", written)
    (listed,) = json.loads(_run(tmp_path, "list", "--json").stdout)
    assert listed["max_storage_bytes"] == size


@pytest.mark.parametrize("written", ["0", "much", "-5MB", "5 pounds", "0.1", "1e9"])
def test_what_is_no_size_is_refused(tmp_path: Path, written: str) -> None:
    _run(tmp_path, "create", "acme")
    refused = _run(tmp_path, "edit", "acme", f"--max-storage={written}")
    assert (refused.exit_code, "write it like 500MB or 20GB" in refused.stderr) == (2, True)
