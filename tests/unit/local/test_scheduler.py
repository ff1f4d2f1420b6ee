"""When which job is due."""

import threading
from pathlib import Path

from almanac.composition.services import services_for
from almanac.identity.tenants import Tenants
from almanac.kernel.caller import Scope
from almanac.kernel.clock import SystemClock
from almanac.local.background.scheduler import Scheduler, Task, run_jobs
from almanac.platform.declaration.jobs import Job
from almanac.platform.services import Services
from almanac.platform.store.sqlite.store import SqliteStore


def test_each_job_is_due_at_once_and_then_at_its_own_pace():
    now = 100.0
    often, seldom = Task(1, list), Task(60, list)
    scheduler = Scheduler([often, seldom], lambda: now)

    assert scheduler.take_due() == [often, seldom]
    assert (scheduler.take_due(), scheduler.idle_seconds()) == ([], 1.0)
    now = 101.0
    assert scheduler.take_due() == [often]
    now = 200.0
    assert (scheduler.idle_seconds(), scheduler.take_due()) == (0.0, [often, seldom])


def test_jobs_run_until_the_end_of_the_block_whatever_one_of_them_raises(tmp_path: Path):
    store, clock = SqliteStore(tmp_path / "store.db", clock=SystemClock(), cursor_secret=bytes(32)), SystemClock()
    Tenants(store, clock).create("acme")
    thrice, failed = threading.Semaphore(0), threading.Event()

    def fail(_: Services, scope: Scope) -> None:
        thrice.release()
        raise ValueError(scope.tenant)

    def report(where: str, error: BaseException) -> None:
        failed.set()

    with run_jobs([Job("fail", 0.001, fail, everywhere=True)], services_for(store, clock), report):
        assert all(thrice.acquire(timeout=60) for _ in range(3))
        assert failed.wait(60)

    assert not [thread for thread in threading.enumerate() if thread.name == "scheduled jobs"]
