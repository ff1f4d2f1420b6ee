"""What time drives."""

from pathlib import Path

import pytest

from almanac.gateway.chores import Chore, do_chores
from almanac.gateway.console import ConsoleTelemetry
from almanac.gateway.reactions import services_for
from almanac.gateway.schedule_door import schedule_handler
from almanac.identity.tenants import Tenants
from almanac.kernel.caller import Scope
from almanac.kernel.clock import SystemClock
from almanac.platform.services import Services
from almanac.platform.store.sqlite import SqliteStore

SCOPES = [Scope("acme", "app"), Scope("acme", "default"), Scope("beta", "default")]


@pytest.fixture
def services(tmp_path: Path) -> Services:
    store, clock = SqliteStore(tmp_path / "store.db", clock=SystemClock(), cursor_secret=bytes(32)), SystemClock()
    tenants = Tenants(store, clock)
    tenants.create("acme")
    tenants.create_project("acme", "app")
    tenants.create("beta")
    return services_for(store, clock)


def test_a_chore_runs_for_every_project_of_every_tenant(services: Services):
    seen: list[Scope] = []
    do_chores([Chore("look", 1, lambda _, scope: seen.append(scope))], services, report=_unexpected)

    assert seen == SCOPES


def test_a_chore_that_fails_is_reported_and_the_rest_goes_on(services: Services):
    seen: list[Scope] = []
    reports: list[str] = []

    def fail(_: Services, scope: Scope) -> None:
        raise ValueError(scope.project)

    chores = [Chore("fail", 1, fail), Chore("look", 1, lambda _, scope: seen.append(scope))]
    do_chores(chores, services, report=lambda where, error: reports.append(f"{where}: {error}"))

    assert seen == SCOPES
    assert reports[0] == "the chore fail in acme/app: app"
    assert len(reports) == 3


def test_a_schedule_rings_all_chores_and_opens_the_services_once(services: Services):
    seen: list[Scope] = []
    opened: list[Services] = []

    def open_services() -> Services:
        opened.append(services)
        return services

    handler = schedule_handler(
        [Chore("look", 1, lambda _, scope: seen.append(scope))], open_services, ConsoleTelemetry()
    )
    handler({"source": "aws.scheduler"}, None)
    handler({}, None)

    assert seen == SCOPES * 2
    assert len(opened) == 1


def _unexpected(where: str, error: BaseException) -> None:
    raise AssertionError(where) from error
