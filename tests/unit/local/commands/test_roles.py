"""`almanac roles`, as typed, and the mail that follows."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from almanac.families.team.core.project import Project
from almanac.families.team.messages.mail import InboxFilter, Mail, open_mail
from almanac.families.team.messages.mail_records import Letter
from almanac.identity.audit import AUDIT
from almanac.identity.tenants import Tenants
from almanac.kernel.caller import Scope
from almanac.kernel.clock import SystemClock
from almanac.kernel.errors import AlmanacError
from almanac.local.commands.roles import roles
from almanac.local.data_folder import DataFolder
from almanac.platform.store.port import Store
from tests.unit.families.team.teams import open_project


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = DataFolder(tmp_path).open_store(SystemClock())
    Tenants(store, SystemClock()).create("acme")
    yield store
    store.close()


def run(path: Path, *arguments: str, project: str = "default") -> Result:
    where = ["--tenant", "acme", "--project", project, "--data", str(path), "--json"]
    return CliRunner().invoke(roles, [*arguments, *where])


def project_of(store: Store, actor: str) -> Project:
    return open_project(store, SystemClock(), actor=actor, scope=Scope("acme", "default"))


def test_mail_to_a_role_reaches_who_has_it_and_nobody_from_whom_it_was_taken(tmp_path: Path, store: Store) -> None:
    given = json.loads(run(tmp_path, "set", "Bob@Example.org", "Reviewer,release").stdout)
    assert (given["actor"], given["roles"]) == ("bob@example.org", ["release", "reviewer"])
    assert json.loads(run(tmp_path, "list").stdout) == [given]
    Mail(project_of(store, "ann")).send(Letter(to=["role:reviewer"], subject="Look", body=""))
    [received] = open_mail(project_of(store, "bob@example.org")).read(InboxFilter(), limit=5, position="").received
    assert received.message.subject == "Look"

    run(tmp_path, "set", "bob@example.org", "none")
    assert json.loads(run(tmp_path, "list").stdout) == []
    assert not open_mail(project_of(store, "bob@example.org")).read(InboxFilter(), limit=5, position="").received
    noted = [each.tool for each in AUDIT.within(store, Scope("acme", "")).every()]
    assert noted.count("roles set") == 2


@pytest.mark.parametrize("names", ["a b", "_x", ",", "a,b,c,d,e,f,g,h,i", "x" * 65])
def test_names_that_cannot_be_roles_are_refused(tmp_path: Path, store: Store, names: str) -> None:
    refused = run(tmp_path, "set", "bob", names)
    assert isinstance(refused.exception, AlmanacError)
    assert json.loads(run(tmp_path, "list").stdout) == []


def test_roles_of_an_unknown_project_are_refused(tmp_path: Path, store: Store) -> None:
    assert "no project" in str(run(tmp_path, "set", "bob", "reviewer", project="moon").exception)
