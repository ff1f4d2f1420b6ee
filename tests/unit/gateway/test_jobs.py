"""Test scheduled jobs."""

import queue
import threading
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from almanac.composition.families import every_job
from almanac.composition.services import services_for
from almanac.families.team.claims.claims import Claims
from almanac.families.team.core.project import system_project
from almanac.families.team.messages.reviews import Reviews
from almanac.gateway.events.job_rounds import TURN_SECONDS, JobRunner, run_due, run_survey
from almanac.gateway.events.schedule_door import schedule_handler
from almanac.gateway.observability.console import ConsoleTelemetry
from almanac.identity.tenant_sweep import TenantSweep
from almanac.identity.tenants import Tenants
from almanac.kernel.caller import SHARED_PROJECT, Scope
from almanac.kernel.clock import Clock, FixedClock, SystemClock
from almanac.platform.bus.outbox import messages_in
from almanac.platform.declaration.jobs import Job
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from almanac.platform.store.sqlite.changes import SqliteChanges
from almanac.platform.store.sqlite.store import SqliteStore
from tests.unit.gateway.invocation import Invocation

ACME = [Scope("acme", "app"), Scope("acme", "default"), Scope("acme", SHARED_PROJECT)]
BETA = [Scope("beta", "default"), Scope("beta", SHARED_PROJECT)]
"""In the order of their turns."""


def in_order(scopes: Sequence[Scope]) -> list[Scope]:
    return sorted(scopes, key=lambda scope: (scope.tenant, scope.project))


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return _two_tenants(tmp_path, SystemClock())


def _two_tenants(folder: Path, clock: Clock) -> Services:
    store = SqliteStore(folder / "store.db", clock=clock, cursor_secret=bytes(32))
    tenants = Tenants(store, clock)
    tenants.create("acme")
    tenants.create_project("acme", "app")
    tenants.create("beta")
    return services_for(store, clock)


def test_a_job_runs_for_every_project_of_every_tenant(services: Services):
    seen: list[Scope] = []
    run_survey([Job("look", 1, lambda _, scope: seen.append(scope))], services, report=_fail)

    assert in_order(seen) == in_order(ACME + BETA)


def test_a_job_that_fails_is_reported_and_the_rest_goes_on(services: Services):
    seen: list[Scope] = []
    reports: list[str] = []

    def fail(_: Services, scope: Scope) -> None:
        raise ValueError(scope.project)

    jobs = [Job("fail", 1, fail), Job("look", 1, lambda _, scope: seen.append(scope))]
    run_survey(jobs, services, report=lambda where, error: reports.append(f"{where}: {error}"))

    assert in_order(seen) == in_order(ACME + BETA)
    assert min(reports) == "the job fail in acme/_shared: _shared"
    assert len(reports) == 5


def test_a_schedule_surveys_all_projects_once_a_day_and_opens_the_services_once(tmp_path: Path, clock: FixedClock):
    services = _two_tenants(tmp_path, clock)
    seen: list[Scope] = []
    opened: list[Services] = []

    def open_services() -> Services:
        opened.append(services)
        return services

    handler = schedule_handler([Job("look", 1, lambda _, scope: seen.append(scope))], open_services, ConsoleTelemetry())
    handler({"source": "aws.scheduler"}, Invocation())
    handler({}, Invocation())
    assert in_order(seen) == in_order(ACME + BETA)

    clock.instant += timedelta(days=1)
    handler({}, Invocation())
    assert in_order(seen) == in_order((ACME + BETA) * 2)
    assert len(opened) == 1


def test_the_first_survey_takes_what_time_there_is_and_later_ones_a_slice_a_minute(tmp_path: Path, clock: FixedClock):
    services = _two_tenants(tmp_path, clock)
    _create(services, 250)
    seen: list[Scope] = []
    job = Job("look", 1, lambda _, scope: seen.append(scope))
    handler = schedule_handler([job], lambda: services, ConsoleTelemetry())
    for tenants in (100, 200, 252):
        handler({}, Invocation(times=2))  # one look at the index, one slice
        assert len({scope.tenant for scope in seen}) == tenants
    assert len(set(seen)) == len(seen) == 505  # acme has two projects, each tenant what they share
    clock.instant += timedelta(days=1)
    for tenants in (100, 200, 252):
        handler({}, Invocation())
        assert len({scope.tenant for scope in seen[505:]}) == tenants
    handler({}, Invocation())
    assert len(seen) == 2 * 505


def test_invocations_at_the_same_time_share_a_round(services: Services):
    _create(services, 450)
    store, clock = services.get(Store), services.get(Clock)
    one, other = (TenantSweep("survey", store, clock, every_ms=1).slices(lambda: True) for _ in range(2))
    nobody: Sequence[str] = ()
    seen = [tenant for turn in (one, other, one, other, one, other) for tenant in next(turn, nobody)]

    assert len(seen) == len(set(seen)) == 452
    assert list(one) == list(other) == []


def test_claims_that_ran_out_and_reviews_that_nobody_decided_are_announced(tmp_path: Path, clock: FixedClock):
    store = SqliteStore(tmp_path / "store.db", clock=clock, cursor_secret=bytes(32))
    Tenants(store, clock).create("acme")
    services = services_for(store, clock)
    project = system_project(services, Scope("acme", "default"))
    Claims(project).acquire("story:1", "codex@ann#1", 5000)
    Reviews(project).request("Merge it?", deadline_ms=60_000)
    clock.instant += timedelta(minutes=1)
    run_due(every_job(), services, report=_fail)
    run_due(every_job(), services, report=_fail)

    changes = SqliteChanges(tmp_path / "store.db")
    told = [message.event.kind for change in changes.read(0, 100) for message in messages_in(change.attributes)]
    changes.close()
    assert sorted(told) == ["claim_acquired", "claim_expired", "review_lapsed", "review_requested"]


def _create(services: Services, count: int) -> None:
    """Besides acme and beta."""
    known = Tenants(services.get(Store), services.get(Clock))
    for number in range(count):
        known.create(f"tenant-{number:04}")


def _fail(where: str, error: BaseException) -> None:
    raise AssertionError(where) from error


class HeldJob:
    """A job that blocks in one tenant's project until the test lets it go on."""

    def __init__(self, services: Services) -> None:
        self.go_on, self.held = threading.Event(), threading.Event()
        self.seen: queue.Queue[Scope] = queue.Queue()
        self.rounds = JobRunner(services, report=_fail)
        self.job = Job("look", 1, self._look)

    def _look(self, _: Services, scope: Scope) -> None:
        if scope == ACME[0]:
            self.held.set()
            assert self.go_on.wait(30)
        self.seen.put(scope)


def test_a_slow_project_keeps_its_tenant_waiting_and_nobody_else(services: Services):
    held = HeldJob(services)
    with held.rounds as rounds:
        for _ in range(3):
            rounds.begin([held.job])
            assert held.held.wait(30)
            assert [held.seen.get(timeout=30) for _ in BETA] == BETA
        held.go_on.set()
    rest = {held.seen.get_nowait() for _ in range(held.seen.qsize())}
    assert rest == set(ACME)


def test_what_asks_providers_does_not_hold_up_what_does_not(services: Services):
    held, told = HeldJob(services), threading.Event()
    asking = Job("ask", 1, held.job.run, asks_others=True)
    with held.rounds as rounds:
        rounds.begin([asking, Job("tell", 1, lambda _, scope: told.set() if scope == ACME[0] else None)])
        assert held.held.wait(30)
        assert told.wait(30)
        held.go_on.set()


def test_a_tenants_round_ends_in_time_and_the_next_goes_on_with_what_was_left(services: Services):
    seconds, seen = [0.0], list[Scope]()

    def slow(_: Services, scope: Scope) -> None:
        seconds[0] += TURN_SECONDS
        seen.append(scope)

    rounds = JobRunner(services, _fail, lambda: seconds[0])
    for _ in range(3):
        rounds.begin([Job("slow", 1, slow)], ["acme"])
        while rounds.is_busy:
            pass
    with rounds:
        assert seen == ACME
