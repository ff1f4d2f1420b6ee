"""Test that cards follow their linked events, unless a person changed the card."""

from typing import Any

from tests.project_app import ProjectApp


def event(app: ProjectApp, **more: Any) -> str:
    asked = {"title": "Talk", "date": "2026-02-20", "time": "14:00", "type": "event"} | more
    return app.do("calendar_create_event", **asked)["id"]


def card(app: ProjectApp, **more: Any) -> str:
    return app.do("kanban_create_card", **({"columnId": "col_todo", "title": "Talk"} | more))["id"]


def schedule(app: ProjectApp, card_id: str, event_id: str) -> None:
    app.do(
        "items_link",
        fromItemId=card_id,
        fromItemType="task",
        toItemId=event_id,
        toItemType="event",
        relationType="scheduled_for",
    )
    app.react()


def parse_day_time(app: ProjectApp, card_id: str) -> tuple[str, str | None, str | None]:
    (found,) = [one for one in app.do("kanban_list_cards")["cards"] if one["id"] == card_id]
    return found["title"], found["dueDate"], found["dueTime"]


def test_a_card_scheduled_for_an_event_is_due_with_it(app: ProjectApp) -> None:
    talk, prepare = event(app), card(app, title="Prepare")
    schedule(app, prepare, talk)
    assert parse_day_time(app, prepare) == ("Prepare", "2026-02-20", "14:00")
    app.do("calendar_update_event", eventId=talk, date="2026-02-23", time="09:30", title="Speech")
    app.react()
    assert parse_day_time(app, prepare) == ("Prepare", "2026-02-23", "09:30")
    app.do("calendar_update_event", eventId=talk, time="")
    app.react()
    assert parse_day_time(app, prepare) == ("Prepare", "2026-02-23", None)


def test_a_card_that_said_the_same_as_its_event_follows_title_and_day(app: ProjectApp) -> None:
    talk = event(app, time=None)
    same = card(app, dueDate="2026-02-20", eventLinks=[talk])
    other = card(app, title="Buy water", dueDate="2026-02-19", eventLinks=[talk])
    for title, day in (("Speech", "2026-02-24"), ("Lecture", "2026-02-25")):
        app.do("calendar_update_event", eventId=talk, title=title, date=day)
    app.react()
    assert parse_day_time(app, same) == ("Lecture", "2026-02-25", None)
    assert parse_day_time(app, other) == ("Buy water", "2026-02-19", None)


def test_what_is_written_on_the_card_itself_wins(app: ProjectApp) -> None:
    talk, mine = event(app), card(app)
    schedule(app, mine, talk)
    app.do("kanban_update_card", cardId=mine, dueDate="2026-02-19")
    app.do("calendar_update_event", eventId=talk, date="2026-02-23", title="Speech")
    app.react()
    assert parse_day_time(app, mine) == ("Speech", "2026-02-19", "14:00")
    app.do("kanban_update_card", cardId=mine, title="My own")
    app.do("calendar_update_event", eventId=talk, title="Lecture")
    app.react()
    assert parse_day_time(app, mine)[0] == "My own"


def test_cards_of_instances_follow_the_series(app: ProjectApp) -> None:
    series = app.do(
        "calendar_create_event",
        title="Run",
        date="2026-02-20",
        time="07:00",
        type="event",
        recurrence={"frequency": "daily", "count": 60},
    )["recurrenceSeriesId"]
    rows = app.do("calendar_list_events", limit=60)["events"]
    cards = [card(app, title="Run") for _ in rows]
    for one, row in zip(cards, rows, strict=True):
        schedule(app, one, row["id"])
    app.do("calendar_update_event", eventId=series, scope="all", time="08:15", title="Jog")
    app.react()
    assert [parse_day_time(app, one) for one in cards] == [("Jog", row["date"], "08:15") for row in rows]


def test_a_card_keeps_what_it_says_when_its_event_goes_and_tells_so(app: ProjectApp) -> None:
    talk, mine = event(app), card(app)
    schedule(app, mine, talk)
    app.do("calendar_delete_event", eventId=talk)
    app.react()
    (found,) = app.do("kanban_list_cards")["cards"]
    assert (found["dueDate"], found["followsEventId"], found["eventGone"]) == ("2026-02-20", talk, True)
    assert found["eventLinks"] == []


def test_done_cards_stay_as_they_are_and_following_comes_to_an_end(app: ProjectApp) -> None:
    talk, done = event(app), card(app)
    schedule(app, done, talk)
    app.do("kanban_move_card", cardId=done, columnId="col_done")
    app.do("calendar_update_event", eventId=talk, date="2026-02-23")
    app.react()
    assert parse_day_time(app, done) == ("Talk", "2026-02-20", "14:00")
    before = len(app.events())
    app.react()
    assert len(app.events()) == before


def test_a_booking_that_is_moved_in_the_calendar_takes_its_card_along(app: ProjectApp) -> None:
    times = {"start": "2026-02-20T14:00:00-05:00", "end": "2026-02-20T15:00:00-05:00"}
    booked = app.do("book_slot", calendar_id="primary", summary="Call", **times)
    prepare = card(app, title="Prepare")
    schedule(app, prepare, booked["event_id"])
    app.do(
        "reschedule_booking",
        calendar_id="primary",
        booking_id=booked["booking_id"],
        start="2026-02-21T10:00:00-05:00",
        end="2026-02-21T11:00:00-05:00",
    )
    app.react()
    assert parse_day_time(app, prepare) == ("Prepare", "2026-02-21", "10:00")
