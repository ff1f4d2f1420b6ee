"""`almanac projects`, as typed."""

import json
import os
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from almanac.identity.access.authorize import authorize
from almanac.identity.access.directory import StoredDirectory
from almanac.identity.access.principal import Principal
from almanac.identity.keys import ApiKeys
from almanac.identity.records import Grant
from almanac.identity.tenants import Tenants
from almanac.kernel.caller import SHARED_PROJECT, Scope
from almanac.kernel.clock import SystemClock
from almanac.kernel.errors import AlmanacError
from almanac.kernel.instants import now_ms
from almanac.local.commands.keys import keys
from almanac.local.commands.projects import projects
from almanac.local.data_folder import DataFolder
from almanac.local.search.services import scopes_of
from almanac.platform.store.port import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = DataFolder(tmp_path).open_store(SystemClock())
    Tenants(store, SystemClock()).create("acme")
    return store


def run(path: Path, command: click.Command, *arguments: str) -> Result:
    return CliRunner().invoke(command, [*arguments, "--tenant", "acme", "--data", str(path)])


def shares(store: Store, headers: dict[str, str]) -> bool:
    allowed = authorize(headers, "/mcp", StoredDirectory(store), now_ms(SystemClock()))
    assert isinstance(allowed, Principal)
    return allowed.caller.shares_memory


def test_a_project_is_closed_off_and_opened_again_at_once(tmp_path: Path, store: Store) -> None:
    grant = Grant(tenant="acme", project="default", actor="ann@example.org")
    headers = {"x-api-key": ApiKeys(store, SystemClock(), os.urandom).issue(grant).key.text}
    seen = [shares(store, headers)]
    for setting in ("off", "on"):
        edited = run(tmp_path, projects, "edit", "default", "--shared-memory", setting, "--json")
        assert json.loads(edited.stdout)["shared_memory"] == setting
        (listed,) = json.loads(run(tmp_path, projects, "list", "--json").stdout)
        assert listed["shared_memory"] == setting
        seen.append(shares(store, headers))
    assert seen == [True, False, True]


def trusted_installers(store: Store, headers: dict[str, str]) -> frozenset[str]:
    allowed = authorize(headers, "/mcp", StoredDirectory(store), now_ms(SystemClock()))
    assert isinstance(allowed, Principal)
    return allowed.caller.trusted_installers


def test_whose_skills_a_project_trusts_holds_for_each_of_its_keys_at_once(tmp_path: Path, store: Store) -> None:
    Tenants(store, SystemClock()).create_project("acme", "api")
    issued = ApiKeys(store, SystemClock(), os.urandom)
    web, api = (
        {"x-api-key": issued.issue(Grant(tenant="acme", project=name, actor="ann@example.org")).key.text}
        for name in ("default", "api")
    )
    assert trusted_installers(store, web) == frozenset()
    for said, listed, names in (
        ("ci, ann@x.org", "ann@x.org, ci", {"ci", "ann@x.org"}),
        ("ci", "ci", {"ci"}),
        ("none", None, set[str]()),
    ):
        edited = run(tmp_path, projects, "edit", "default", "--trust-skills-of", said, "--json")
        assert json.loads(edited.stdout)["trusts_skills_of"] == listed
        assert (trusted_installers(store, web), trusted_installers(store, api)) == (names, frozenset())


@pytest.mark.parametrize("said", ["", "ann bob", "ann,", "*", "ann\nci", ",".join(f"actor{n}" for n in range(51))])
def test_nobody_is_trusted_who_can_be_no_actor(tmp_path: Path, store: Store, said: str) -> None:
    run(tmp_path, projects, "edit", "default", "--trust-skills-of", "ci")
    refused = run(tmp_path, projects, "edit", "default", "--trust-skills-of", said)
    assert isinstance(refused.exception, AlmanacError)
    assert Tenants(store, SystemClock()).find_project("acme", "default").trusted_installers == ("ci",)


def test_kinds_of_candidates_that_need_no_review_are_named_and_taken_away(tmp_path: Path, store: Store) -> None:
    for said, listed in (("decision, constraint", "constraint, decision"), ("decision", "decision"), ("none", None)):
        edited = run(tmp_path, projects, "edit", "default", "--auto-accept", said, "--json")
        assert json.loads(edited.stdout)["auto_accept"] == listed
    run(tmp_path, projects, "edit", "default", "--auto-accept", "decision")
    for wrong in ("", "question", "decision,", "Decision"):
        refused = run(tmp_path, projects, "edit", "default", "--auto-accept", wrong)
        assert isinstance(refused.exception, AlmanacError)
    run(tmp_path, projects, "edit", "default", "--name", "Web")
    assert Tenants(store, SystemClock()).find_project("acme", "default").auto_accept == ("decision",)


def test_an_edit_of_something_else_leaves_it_as_it_is(tmp_path: Path, store: Store) -> None:
    run(tmp_path, projects, "edit", "default", "--shared-memory", "off")
    run(tmp_path, projects, "edit", "default", "--name", "Web")
    project = Tenants(store, SystemClock()).find_project("acme", "default")
    assert (project.name, project.shared_memory) == ("Web", False)


def test_no_project_and_no_key_is_of_what_projects_share(tmp_path: Path, store: Store) -> None:
    created = run(tmp_path, projects, "create", SHARED_PROJECT)
    assert isinstance(created.exception, AlmanacError)
    issued = run(tmp_path, keys, "issue", "--project", SHARED_PROJECT, "--actor", "ann@example.org")
    assert issued.exit_code != 0
    assert isinstance(issued.exception, AlmanacError | SystemExit)
    for command in ("edit", "delete"):
        options = ["--name", "x"] if command == "edit" else ["--yes"]
        assert isinstance(run(tmp_path, projects, command, SHARED_PROJECT, *options).exception, AlmanacError)
    assert [one.id for one in Tenants(store, SystemClock()).projects("acme")] == ["default"]


def test_no_header_leads_to_what_projects_share(store: Store) -> None:
    for project in ("*", "default"):
        grant = Grant(tenant="acme", project=project, actor="ann@example.org")
        headers = {
            "x-api-key": ApiKeys(store, SystemClock(), os.urandom).issue(grant).key.text,
            "x-almanac-project": SHARED_PROJECT,
        }
        refused = authorize(headers, "/mcp", StoredDirectory(store), now_ms(SystemClock()))
        assert not isinstance(refused, Principal)
        assert refused.status == 403


def test_what_goes_over_all_projects_goes_over_what_they_share(store: Store) -> None:
    Tenants(store, SystemClock()).create_project("acme", "api")
    Tenants(store, SystemClock()).create("globex")
    assert scopes_of(store, SystemClock(), "acme") == [
        Scope("acme", "api"),
        Scope("acme", "default"),
        Scope("acme", SHARED_PROJECT),
    ]
    assert Scope("globex", SHARED_PROJECT) in scopes_of(store, SystemClock())
