"""Test that families have exactly their declared parts, and that unused parts are never loaded."""

import importlib
import json
import os
import pkgutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import pytest

import almanac.families
from almanac.composition.families import FAMILIES, declaration, every_job, every_reaction, rule_sources
from almanac.families.team.core.rule_sources import installation
from almanac.families.team.rules.actions import TOOLS
from almanac.kernel.events import EventKind
from almanac.platform.declaration.family import RuleSources
from almanac.platform.declaration.jobs import never
from almanac.platform.feed.port import KINDS
from almanac.platform.store.records import Table
from almanac.search.engine.consistency_check import SAMPLE

PORT = {f"almanac.families.calendar{rest}" for rest in ("", ".accounts", ".accounts.providers")}
"""Names what reaches providers of calendars, and imports nothing."""
family_name = pytest.mark.parametrize("name", FAMILIES)


def test_every_folder_of_a_family_is_in_the_list() -> None:
    assert {each.name for each in pkgutil.iter_modules(almanac.families.__path__)} == set(FAMILIES)


@family_name
def test_a_family_is_called_what_its_folder_is_called(name: str) -> None:
    assert declaration(name).name == name


@family_name
def test_every_table_of_a_family_is_declared(name: str) -> None:
    declared = {id(table) for module in declaration(name).records() for table in _tables(module)}
    package = importlib.import_module(f"almanac.families.{name}")
    modules = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    own = [table for each in modules for table in _tables(importlib.import_module(each.name))]
    assert {table.own.name for table in own if _family_of(table) == name and id(table) not in declared} == set()


@family_name
def test_a_family_names_the_kinds_of_its_documents_that_search_finds(name: str) -> None:
    family = declaration(name)
    assert tuple(source.kind for source in family.searchable()) == family.searched_kinds


def test_tables_wake_the_jobs_that_say_when_they_are_due_next_and_no_others() -> None:
    tables = [table for name in FAMILIES for module in declaration(name).records() for table in _tables(module)]
    due = {job.name for job in every_job() if job.next_due is not never}
    assert {job for table in tables for job in table.wakes} == due - {SAMPLE.name}
    assert {job.name for job in every_job()} - due == {job.name for job in every_job() if job.everywhere}


def test_names_of_reactions_and_jobs_and_kinds_are_used_once() -> None:
    sources = rule_sources()
    for names in (
        [each.name for each in every_reaction()],
        [each.name for each in every_job()],
        [each.name for each in sources.kinds],
    ):
        assert sorted(set(names)) == sorted(names)


def test_what_a_rule_may_do_here_is_what_families_do_of_the_contract() -> None:
    assert set(rule_sources().actions) <= set(TOOLS)


def test_rules_are_made_of_what_the_families_here_bring_and_of_nothing_else() -> None:
    here = installation(RuleSources((EventKind("bell_rung", "", {}),), {}))
    assert here.reason_not_runnable("bell_rung", []) is None
    assert here.reason_not_runnable("slot_booked", []) is not None
    assert here.reason_not_runnable("bell_rung", ["set_broadcast"]) is not None


@pytest.mark.parametrize(("door", "family"), [("time", "time"), ("calendar", "calendar"), ("team", "team")])
def test_a_function_that_serves_one_family_imports_no_other_and_nothing_that_reacts(
    repository: Path, door: str, family: str
) -> None:
    imported = _imported_modules(repository / "functions" / door / "handle_http.py")
    allowed = {family, "time"} if family == "calendar" else {family}
    foreign = {each for each in imported if each.count(".") > 1 and each.startswith("almanac.families.")}
    assert {each for each in foreign - PORT if each.split(".")[2] not in allowed} == set()
    assert not imported & {f"almanac.families.{family}.jobs", f"almanac.families.{family}.reactions"}
    assert "almanac.platform.bus.delivery" not in imported


def test_the_function_that_carries_events_imports_no_family_s_machinery(repository: Path) -> None:
    imported = _imported_modules(repository / "functions/feed/handle_stream.py")
    assert {each for each in imported if each.startswith("almanac.families.")} <= PORT


def _tables(module: ModuleType) -> list[Table[Any]]:
    return [cast(Table[Any], value) for value in vars(module).values() if isinstance(value, Table)]


def _family_of(table: Table[Any]) -> str:
    return table.record.__module__.split(".")[2]


def _imported_modules(door: Path) -> set[str]:
    program = "import runpy, sys, json; runpy.run_path(sys.argv[1]); print(json.dumps(sorted(sys.modules)))"
    settings = {"ALMANAC_TABLE": "t", "AWS_REGION": "eu-west-1", "ALMANAC_EVENT_QUEUE": "q", "ALMANAC_EVENT_BUS": "b"}
    command, environment = [sys.executable, "-c", program, door], {**os.environ, **settings}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def test_listeners_are_told_of_every_kind_of_event_that_rules_may_be_for() -> None:
    assert {kind.name for kind in rule_sources().kinds} <= KINDS
