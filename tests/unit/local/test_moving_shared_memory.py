"""Test that a tenant's shared memory is exported, imported and deleted with it."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from almanac.composition.services import services_for
from almanac.families.memory.core.memory import MemoryProject, open_memory
from almanac.families.memory.core.records import MEMORIES
from almanac.families.memory.memories.new_memory import new_memory
from almanac.families.memory.memories.write_plan import write_memory
from almanac.identity.tenants import Tenants
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import SystemClock
from almanac.local.commands.export import export
from almanac.local.commands.import_ import import_
from almanac.local.commands.projects import projects
from almanac.local.commands.search import search
from almanac.local.commands.tenants import tenants
from almanac.local.data_folder import DataFolder

RULE = "Every service of the company logs in UTC."


def open_shared_memory(folder: Path) -> MemoryProject:
    store = DataFolder(folder).open_store(SystemClock())
    caller = Caller(Scope("acme", "web"), actor="ann", key_id="k", shares_memory=True)
    found = open_memory(services_for(store, SystemClock()), caller, SystemClock()).shared
    assert found is not None
    return found


def contents(folder: Path) -> list[str]:
    return [memory.content for memory in open_shared_memory(folder).rows(MEMORIES).every()]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    folder = tmp_path / "here"
    known = Tenants(DataFolder(folder).open_store(SystemClock()), SystemClock())
    known.create("acme", project="web")
    known.create_project("acme", "api")
    write_memory(open_shared_memory(folder), new_memory("pinned", RULE))
    return folder


def test_it_moves_to_another_folder(here: Path, tmp_path: Path) -> None:
    file, there = str(tmp_path / "acme.jsonl"), tmp_path / "there"
    CliRunner().invoke(export, ["acme", file, "--data", str(here)], catch_exceptions=False)
    CliRunner().invoke(import_, [file, "--trust", "--data", str(there)], catch_exceptions=False)
    assert contents(there) == [RULE]
    counted = CliRunner().invoke(search, ["status", "--tenant", "acme", "--json", "--data", str(there)])
    assert "_shared" in counted.stdout


def test_it_stays_where_a_project_is_deleted_and_goes_with_the_tenant(here: Path) -> None:
    CliRunner().invoke(
        projects, ["delete", "web", "--tenant", "acme", "--yes", "--data", str(here)], catch_exceptions=False
    )
    assert contents(here) == [RULE]
    CliRunner().invoke(tenants, ["delete", "acme", "--yes", "--data", str(here)], catch_exceptions=False)
    assert contents(here) == []
