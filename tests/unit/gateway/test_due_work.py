"""Test that writes of tools wake the jobs that have work because of them."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from almanac.composition.families import every_job
from almanac.gateway.events.job_rounds import run_due
from almanac.identity.tenants import Tenants
from tests.project_app import ProjectApp
from tests.unit.families.memory.memory_builder import memories_of
from tests.unit.families.memory.sessions.talks import talk


def _forget(app: ProjectApp) -> None:
    app.do("pin_memory", content="The old office is in Kiel.")
    (pinned,) = memories_of(app, "pinned")
    app.do("forget_memory", memory_id=pinned.id)


def _tell_on_the_tenth(app: ProjectApp) -> None:
    does = {"tool": "set_broadcast", "args": {"key": "tenth", "value": "${payload.local}"}}
    app.do("install_rule", name="tenth", on_kind="schedule_due", on_schedule="0 12 10 * *", actions=[does])


def _two_quiet_sessions(app: ProjectApp) -> None:
    for session in ("s1", "s2"):
        talk(app, 20, session)
    app.react()


WORK: dict[str, tuple[Callable[[ProjectApp], object], str]] = {
    "a claim": (lambda app: app.do("claim", key="file:a.py", holder="ann#1", ttl_ms=60_000), "claim_expired"),
    "a review": (lambda app: app.do("request_review", subject="Merge it?", deadline_ms=60_000), "review_lapsed"),
    "a memory for a while": (
        lambda app: app.do("pin_memory", content="The lift is broken.", ttl_ms=3_600_000),
        "memory_forgotten",
    ),
    "turns of a session": (lambda app: talk(app, 3), "consolidation_completed"),
    "something forgotten": (_forget, "memory_purged"),
    "a rule with a schedule": (_tell_on_the_tenth, "schedule_due"),
}


@pytest.fixture
def app(tmp_path: Path) -> ProjectApp:
    made = ProjectApp(tmp_path)
    Tenants(made.store, made.clock).create("acme", project="web")
    return made


@pytest.mark.parametrize("what", WORK)
def test_a_job_comes_for_it_when_its_time_has_come(app: ProjectApp, what: str) -> None:
    write, kind = WORK[what]
    write(app)
    app.react()
    _round(app)
    assert app.events(kind) == []
    _days_of_rounds(app, 31)
    assert len(app.events(kind)) == 1


def test_sessions_that_are_quiet_are_reflected_on_in_the_night_that_follows(app: ProjectApp) -> None:
    _two_quiet_sessions(app)
    app.wait(days=1)
    _round(app)
    assert memories_of(app, "reflection") == []
    _days_of_rounds(app, 2)
    assert len(memories_of(app, "reflection")) == 1


def _days_of_rounds(app: ProjectApp, days: int) -> None:
    for _ in range(days * 8):
        app.clock.instant += timedelta(hours=3)
        _round(app)


def _round(app: ProjectApp) -> None:
    run_due([job for job in every_job() if not job.everywhere], app.services, _fail)


def _fail(where: str, error: BaseException) -> None:
    raise AssertionError(where) from error
