"""Copies of calendars at providers that cannot be read now: they are named as stale as soon as that is known."""

import pytest

from almanac.families.calendar.accounts.sync_records import PULL_FAILURES, PullFailure
from almanac.families.planner.events.agendas import open_agendas
from almanac.families.planner.factory import open_planner
from almanac.kernel.instants import now_ms
from tests.project_app import ProjectApp
from tests.unit.families.planner.test_all_calendars import connect


@pytest.mark.parametrize(("age_minutes", "named"), [(0.5, False), (2, True), (14, True)])
def test_a_copy_whose_provider_does_not_answer_is_named_before_it_is_old(
    app: ProjectApp, age_minutes: float, named: bool
) -> None:
    connect(app, "caldav/work", age_ms=int(age_minutes * 60_000))
    stale = app.do("calendar_list_events")["staleCalendars"]
    assert [one["calendarId"] for one in stale] == (["caldav/work"] if named else [])


@pytest.mark.parametrize("pulled_since", [False, True])
def test_a_process_that_asks_no_provider_names_a_copy_whose_last_pull_failed(
    app: ProjectApp, pulled_since: bool
) -> None:
    connect(app, "caldav/work", age_ms=2 * 60_000)
    now = now_ms(app.clock)
    failure = PullFailure(
        calendar="caldav/work",
        failed_at=now - (180_000 if pulled_since else 60_000),
        waits=600_000,
        again_at=now + 600_000,
        expires_at=now + 900_000,
    )
    app.store.write([PULL_FAILURES.within(app.store, app.caller.scope).put(failure)])
    planner = open_planner(app.services, app.caller, app.clock, ask_providers=False)
    assert [one.calendar_id for one in open_agendas(planner).stale] == ([] if pulled_since else ["caldav/work"])
