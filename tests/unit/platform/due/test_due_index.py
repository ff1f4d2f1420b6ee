"""Test the due index against a model. A job runs for each due record, even if records move and processes die."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from almanac.composition.services import services_for
from almanac.gateway.events.job_rounds import JobRunner, run_due, run_survey
from almanac.gateway.events.schedule_door import schedule_handler
from almanac.gateway.observability.console import ConsoleTelemetry
from almanac.identity.tenants import Tenants
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock, FixedClock
from almanac.kernel.instants import now_ms
from almanac.platform.declaration.jobs import Job
from almanac.platform.due.next_due import earliest
from almanac.platform.due.records import DUE, SHARDS, Due, due_put, new_due
from almanac.platform.due.rounds import ATTEMPTS, LEASE_MS, SETTLED_MS, DueIndex
from almanac.platform.due.scheduling_store import MARGIN_MS, Schedule
from almanac.platform.services import Services
from almanac.platform.store.port import MAX_CHANGES, Change, ConditionFailed, Store
from almanac.platform.store.records import Place, Record, Table
from almanac.platform.store.sqlite.store import SqliteStore
from almanac.platform.store.wrapper import StoreWrapper
from tests.unit.gateway.invocation import Invocation

MORNING = datetime(2026, 2, 18, 8, 0, tzinfo=UTC)
ACME = Scope("acme", "default")
SCOPES = (ACME, Scope("acme", "app"), Scope("beta", "default"))


class Reminder(Record, frozen=True, kw_only=True):
    id: str
    rings_at: int | None


REMINDERS = Table(
    Reminder,
    "reminders",
    sort=("id",),
    indexes={"gsi1": Place("reminders_by_time", sort=("rings_at", "id"))},
    wakes={"ring": "rings_at"},
)


class Died(Exception):
    """The process ends in the middle of a job."""


class CountingStore(StoreWrapper):
    """Counts written items."""

    written = 0

    def write(self, changes: Sequence[Change]) -> None:
        super().write(changes)
        self.written += len(changes)


class World:
    """Tenants with reminders, which the job rings: it removes them and notes which."""

    def __init__(self, folder: Path) -> None:
        self.clock = FixedClock(MORNING)
        self.store = CountingStore(SqliteStore(folder / "store.db", clock=self.clock, cursor_secret=bytes(32)))
        tenants = Tenants(self.store, self.clock)
        tenants.create("acme")
        tenants.create_project("acme", "app")
        tenants.create("beta")
        self.rung: list[tuple[Scope, str]] = []
        self.runs = 0
        self.failing: Exception | None = None
        self.reports: list[str] = []
        self.job = Job("ring", 0.001, self._ring, earliest(REMINDERS, "rings_at", "gsi1"))
        self.restart()

    def restart(self) -> None:
        """Another process, which remembers nothing."""
        self.services = services_for(self.store, self.clock)

    def now(self) -> int:
        return now_ms(self.clock)

    def wait(self, seconds: float) -> None:
        self.clock.instant += timedelta(seconds=seconds)

    def remind(self, scope: Scope, id_: str, at: int | None) -> int:
        """Write a reminder, and return how many items that wrote."""
        before = self.store.written
        self.services.get(Store).write([REMINDERS.within(self.store, scope).put(Reminder(id=id_, rings_at=at))])
        return self.store.written - before

    def round(self) -> None:
        run_due([self.job], self.services, lambda where, _: self.reports.append(where))

    def survey(self) -> None:
        run_survey([self.job], self.services, lambda where, _: self.reports.append(where))

    def index(self) -> DueIndex:
        return DueIndex(self.services.get(Schedule), self.clock)

    def _ring(self, services: Services, scope: Scope) -> None:
        self.runs += 1
        if self.failing is not None:
            raise self.failing
        rows = REMINDERS.within(services.get(Store), scope)
        for reminder in rows.query(until=now_ms(services.get(Clock)) + 1, index="gsi1").records:
            services.get(Store).write([rows.delete(reminder.id)])
            self.rung.append((scope, reminder.id))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_a_round_in_which_nothing_is_due_reads_the_shards_and_no_project(world: World) -> None:
    world.remind(ACME, "later", world.now() + 3_600_000)
    world.round()
    assert (world.runs, world.rung) == (0, [])

    world.wait(3600)
    world.round()
    assert (world.runs, world.rung) == (1, [(ACME, "later")])


def test_what_an_earlier_item_covers_is_written_without_another_one(world: World) -> None:
    at = world.now() + 600_000
    assert world.remind(ACME, "first", at) == 2
    assert world.remind(ACME, "first", at + 60_000) == 1
    assert world.remind(ACME, "other", at + 1) == 1
    world.restart()
    assert world.remind(ACME, "third", at) == 1, "another process finds the item"
    assert world.remind(ACME, "sooner", at - 60_000) == 2
    world.wait(600 - MARGIN_MS / 1000)
    assert world.remind(ACME, "fourth", at + 30_000) == 2, "a round may be about to finish the item"


def test_a_covered_record_is_reached_although_its_cover_was_moved_away(world: World) -> None:
    at = world.now() + 600_000
    world.remind(ACME, "cover", at)
    world.remind(ACME, "covered", at + 300_000)
    world.remind(ACME, "cover", None)
    world.wait(601)
    world.round()
    assert world.rung == []
    world.wait(300)
    world.round()
    assert world.rung == [(ACME, "covered")]


def test_a_round_that_died_leaves_what_it_took_to_a_later_one(world: World) -> None:
    world.remind(ACME, "one", world.now())
    (due,) = world.index().every_ready()
    assert world.index().take(due) is not None
    assert world.index().take(due) is None
    world.round()
    assert world.rung == []
    world.wait(LEASE_MS / 1000)
    world.round()
    assert world.rung == [(ACME, "one")]


def test_what_was_written_again_while_it_was_done_is_done_again(world: World) -> None:
    at = world.now()
    world.remind(ACME, "one", at)
    (due,) = world.index().every_ready()
    taken = world.index().take(due)
    assert taken is not None
    world.remind(ACME, "two", at)
    world.index().finish(taken, None)
    world.round()
    assert world.rung == [(ACME, "one"), (ACME, "two")]


def test_failures_are_tried_again_ever_later_and_parked_in_the_end(world: World) -> None:
    world.remind(ACME, "one", world.now())
    world.failing = ValueError("broken")
    attempts: list[int] = []
    for minute in range(24 * 60):
        before = world.runs
        world.round()
        attempts += [minute] * (world.runs - before)
        world.wait(60)
    assert len(attempts) == ATTEMPTS
    pauses = [later - earlier for earlier, later in pairwise(attempts)]
    assert pauses == sorted(pauses)
    assert pauses[:3] == [1, 2, 4]
    assert max(pauses) == 60
    (parked,) = world.index().list_parked(ACME)
    assert parked.error == "ValueError: broken"
    assert len(world.reports) == ATTEMPTS + 1

    world.failing = None
    world.survey()
    assert world.rung == [(ACME, "one")]
    assert world.index().list_parked(ACME) == []


def test_a_survey_schedules_what_has_no_due_item_and_what_failed_in_it(world: World) -> None:
    rows = REMINDERS.within(world.store, ACME)
    world.store.write([rows.put(Reminder(id="old", rings_at=world.now() + 60_000))])
    world.failing = ValueError("the store is busy")
    world.survey()
    world.failing = None
    world.wait(61)
    world.round()
    assert world.rung == [(ACME, "old")]


def test_after_an_outage_of_days_everything_that_was_due_is_done_once(world: World) -> None:
    for number in range(30):
        world.remind(SCOPES[number % 3], f"r{number}", world.now() + number * 3_600_000)
    world.wait(5 * 86_400)
    world.round()
    assert set(world.rung) == {(SCOPES[number % 3], f"r{number}") for number in range(30)}
    assert len(world.rung) == 30
    assert world.runs == 3


def test_a_full_write_keeps_its_due_item_in_writes_of_its_own(world: World) -> None:
    rows = REMINDERS.within(world.store, ACME)
    full = [rows.put(Reminder(id=f"r{number}", rings_at=world.now() + 1000)) for number in range(MAX_CHANGES)]
    world.services.get(Store).write(full)
    world.wait(2)
    world.round()
    assert len(world.rung) == MAX_CHANGES


def test_a_condition_that_fails_names_its_change_by_its_own_position(world: World) -> None:
    rows = REMINDERS.within(world.store, ACME)
    world.remind(ACME, "there", None)
    with pytest.raises(ConditionFailed) as failed:
        world.services.get(Store).write(
            [rows.put(Reminder(id="new", rings_at=1)), rows.insert(Reminder(id="there", rings_at=2))]
        )
    assert failed.value.change == 1
    assert list(world.index().every_ready()) == []


def test_nothing_is_done_for_a_tenant_that_is_gone(world: World) -> None:
    gone = Scope("gone", "default")
    world.remind(gone, "one", world.now())
    world.round()
    assert (world.runs, list(world.index().every_ready())) == (0, [])


def test_a_job_that_this_version_does_not_have_is_forgotten(world: World) -> None:
    world.store.write([due_put(world.store, new_due(ACME, "of another version", 0, 0, random.randbytes))])
    world.round()
    assert list(world.index().every_ready()) == []


def test_each_tenant_with_something_due_gets_a_turn(world: World) -> None:
    world.remind(ACME, "slow", world.now())
    world.remind(SCOPES[2], "quick", world.now())
    with JobRunner(world.services, lambda where, _: world.reports.append(where)) as rounds:
        assert rounds.begin_due([world.job]) == 2
    assert set(world.rung) == {(ACME, "slow"), (SCOPES[2], "quick")}


def test_projects_are_spread_over_the_shards(world: World) -> None:
    for number in range(200):
        scope = Scope("acme", f"p{number}")
        world.store.write([due_put(world.store, new_due(scope, "ring", 0, 0, random.randbytes))])
    sizes = [len(list(world.index().ready(shard))) for shard in range(SHARDS)]
    assert sum(sizes) == 200
    assert min(sizes) > 10


def test_schedules_that_share_the_shards_do_everything_once(world: World) -> None:
    """As `infra/bus.yaml` shares them."""
    for scope in SCOPES:
        world.remind(scope, "one", world.now())
    handler = schedule_handler([world.job], lambda: world.services, ConsoleTelemetry())
    for shards in ([0, 1], [2, 3], [4, 5], [6, 7]):
        handler({"shards": shards}, Invocation())
    assert set(world.rung) == {(scope, "one") for scope in SCOPES}
    assert len(world.rung) == 3


scopes = st.sampled_from(SCOPES)
ids = st.sampled_from("abcd")
ahead = st.sampled_from([0, 1, 20, 45, 90, 600, 4000])


class DueMachine(RuleBasedStateMachine):
    """The model: a reminder for each scope and id, with its instant. Rounds come once a minute of the clock."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.world = World(Path(self.folder.name))
        self.model: dict[tuple[Scope, str], int] = {}
        self.latest = self.world.now()

    def teardown(self) -> None:
        self.folder.cleanup()

    @rule(scope=scopes, id_=ids, seconds=ahead)
    def write(self, scope: Scope, id_: str, seconds: int) -> None:
        at = self.world.now() + seconds * 1000
        assert self.world.remind(scope, id_, at) <= 2
        self.model[scope, id_] = at

    @rule(scope=scopes, id_=ids)
    def cancel(self, scope: Scope, id_: str) -> None:
        self.world.remind(scope, id_, None)
        self.model.pop((scope, id_), None)

    @rule()
    def restart(self) -> None:
        self.world.restart()

    @rule(seconds=st.sampled_from([1, 29, 31, 61, 299, 3599, 90_000]))
    def wait(self, seconds: int) -> None:
        self.world.wait(seconds)

    @rule(seconds=st.sampled_from([10, 120]))
    def clock_goes_back(self, seconds: int) -> None:
        self.world.wait(-seconds)

    @rule(stage=st.sampled_from(["taken", "failed"]))
    def die(self, stage: str) -> None:
        """End a process, or fail a job, after it took due records."""
        for due in list(self.world.index().every_ready()):
            taken = self.world.index().take(due)
            if taken is not None and stage == "failed":
                self.world.index().fail(taken, Died())

    @rule()
    def fire(self) -> None:
        self.world.round()
        self._compare()

    @precondition(lambda self: self.model)
    @rule()
    def everything_comes_in_the_end(self) -> None:
        """After the longest pause, whatever happened: no record is forgotten."""
        self.world.wait(2 * 86_400)
        self.world.round()
        self.world.wait(2 * SETTLED_MS / 1000)
        self.world.round()
        self._compare()
        assert self.model == {}

    def _compare(self) -> None:
        """Check that everything that rang was due, and that nothing rang twice."""
        for place in self.world.rung:
            assert self.model.pop(place) <= self.world.now()
        self.world.rung.clear()

    @invariant()
    def every_record_has_an_item_that_is_due_no_later(self) -> None:
        for (scope, _), at in self.model.items():
            items = DUE.within(self.world.store, scope).query("ring").records
            assert any(_reaches(each, at) for each in items), (at, items)


def _reaches(due: Due, at: int) -> bool:
    return due.shown_at is not None and (due.at <= at or due.written_at + SETTLED_MS >= due.at)


TestDueIndex = DueMachine.TestCase
TestDueIndex.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
