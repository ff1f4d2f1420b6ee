"""Cards follow the events that they are linked to, unless somebody wrote something else on the card."""

from typing import Any

from tests.unit.families.planner.houses import House


def event(house: House, **more: Any) -> str:
    asked = {"title": "Talk", "date": "2026-02-20", "time": "14:00", "type": "event"} | more
    return house.do("calendar_create_event", **asked)["id"]


def card(house: House, **more: Any) -> str:
    return house.do("kanban_create_card", **({"columnId": "col_todo", "title": "Talk"} | more))["id"]


def schedule(house: House, card_id: str, event_id: str) -> None:
    house.do(
        "items_link",
        fromItemId=card_id,
        fromItemType="task",
        toItemId=event_id,
        toItemType="event",
        relationType="scheduled_for",
    )
    house.react()


def parse_day_time(house: House, card_id: str) -> tuple[str, str | None, str | None]:
    (found,) = [one for one in house.do("kanban_list_cards")["cards"] if one["id"] == card_id]
    return found["title"], found["dueDate"], found["dueTime"]


def test_a_card_scheduled_for_an_event_is_due_with_it(house: House) -> None:
    talk, prepare = event(house), card(house, title="Prepare")
    schedule(house, prepare, talk)
    assert parse_day_time(house, prepare) == ("Prepare", "2026-02-20", "14:00")
    house.do("calendar_update_event", eventId=talk, date="2026-02-23", time="09:30", title="Speech")
    house.react()
    assert parse_day_time(house, prepare) == ("Prepare", "2026-02-23", "09:30")
    house.do("calendar_update_event", eventId=talk, time="")
    house.react()
    assert parse_day_time(house, prepare) == ("Prepare", "2026-02-23", None)


def test_a_card_that_said_the_same_as_its_event_follows_title_and_day(house: House) -> None:
    talk = event(house, time=None)
    same = card(house, dueDate="2026-02-20", eventLinks=[talk])
    other = card(house, title="Buy water", dueDate="2026-02-19", eventLinks=[talk])
    for title, day in (("Speech", "2026-02-24"), ("Lecture", "2026-02-25")):
        house.do("calendar_update_event", eventId=talk, title=title, date=day)
    house.react()
    assert parse_day_time(house, same) == ("Lecture", "2026-02-25", None)
    assert parse_day_time(house, other) == ("Buy water", "2026-02-19", None)


def test_what_is_written_on_the_card_itself_wins(house: House) -> None:
    talk, mine = event(house), card(house)
    schedule(house, mine, talk)
    house.do("kanban_update_card", cardId=mine, dueDate="2026-02-19")
    house.do("calendar_update_event", eventId=talk, date="2026-02-23", title="Speech")
    house.react()
    assert parse_day_time(house, mine) == ("Speech", "2026-02-19", "14:00")
    house.do("kanban_update_card", cardId=mine, title="My own")
    house.do("calendar_update_event", eventId=talk, title="Lecture")
    house.react()
    assert parse_day_time(house, mine)[0] == "My own"


def test_cards_of_instances_follow_the_series(house: House) -> None:
    series = house.do(
        "calendar_create_event",
        title="Run",
        date="2026-02-20",
        time="07:00",
        type="event",
        recurrence={"frequency": "daily", "count": 60},
    )["recurrenceSeriesId"]
    rows = house.do("calendar_list_events", limit=60)["events"]
    cards = [card(house, title="Run") for _ in rows]
    for one, row in zip(cards, rows, strict=True):
        schedule(house, one, row["id"])
    house.do("calendar_update_event", eventId=series, scope="all", time="08:15", title="Jog")
    house.react()
    assert [parse_day_time(house, one) for one in cards] == [("Jog", row["date"], "08:15") for row in rows]


def test_a_card_keeps_what_it_says_when_its_event_goes_and_tells_so(house: House) -> None:
    talk, mine = event(house), card(house)
    schedule(house, mine, talk)
    house.do("calendar_delete_event", eventId=talk)
    house.react()
    (found,) = house.do("kanban_list_cards")["cards"]
    assert (found["dueDate"], found["followsEventId"], found["eventGone"]) == ("2026-02-20", talk, True)
    assert found["eventLinks"] == []


def test_done_cards_stay_as_they_are_and_following_comes_to_an_end(house: House) -> None:
    talk, done = event(house), card(house)
    schedule(house, done, talk)
    house.do("kanban_move_card", cardId=done, columnId="col_done")
    house.do("calendar_update_event", eventId=talk, date="2026-02-23")
    house.react()
    assert parse_day_time(house, done) == ("Talk", "2026-02-20", "14:00")
    before = len(house.told())
    house.react()
    assert len(house.told()) == before


def test_a_booking_that_is_moved_in_the_calendar_takes_its_card_along(house: House) -> None:
    times = {"start": "2026-02-20T14:00:00-05:00", "end": "2026-02-20T15:00:00-05:00"}
    booked = house.do("book_slot", calendar_id="primary", summary="Call", **times)
    prepare = card(house, title="Prepare")
    schedule(house, prepare, booked["event_id"])
    house.do(
        "reschedule_booking",
        calendar_id="primary",
        booking_id=booked["booking_id"],
        start="2026-02-21T10:00:00-05:00",
        end="2026-02-21T11:00:00-05:00",
    )
    house.react()
    assert parse_day_time(house, prepare) == ("Prepare", "2026-02-21", "10:00")
