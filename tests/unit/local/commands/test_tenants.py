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
    assert _run(tmp_path, "tier", "acme", "premium").stdout == "acme is of the tier premium.\n"
    (listed,) = json.loads(_run(tmp_path, "list", "--json").stdout)
    assert (listed["tenant"], listed["tier"]) == ("acme", "premium")


@pytest.mark.parametrize("arguments", [("create", "acme", "--tier", "free"), ("tier", "acme", "free")])
def test_a_tier_that_there_is_not_is_refused_with_those_that_there_are(tmp_path: Path, arguments: list[str]) -> None:
    refused = _run(tmp_path, *arguments)
    assert refused.exit_code == 2
    assert "'trial', 'standard', 'premium'" in refused.stderr


def test_a_tenant_that_does_not_exist_cannot_be_moved(tmp_path: Path) -> None:
    assert isinstance(_run(tmp_path, "tier", "nobody", "trial").exception, NotFound)
