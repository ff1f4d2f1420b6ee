"""Test that times are read in the zone in which this caller sees them."""

from typing import Any

import pytest
from msgspec.structs import replace

from almanac.families.planner.core.records import CARDS
from tests.app import Json, ToolRefusal
from tests.project_app import ProjectApp

NEW_YORK, BERLIN, TOKYO, KATHMANDU = "America/New_York", "Europe/Berlin", "Asia/Tokyo", "Asia/Kathmandu"
HELSINKI = "Europe/Helsinki"


def do(app: ProjectApp, zone: str, tool: str, **arguments: Any) -> Json:
    return app.do(tool, timezone=zone, **arguments)


def make(app: ProjectApp, zone: str, **arguments: Any) -> Json:
    return do(
        app, zone, "calendar_create_event", **{"title": "Call", "date": "2026-03-02", "type": "event"} | arguments
    )


def list_events(app: ProjectApp, zone: str) -> list[Json]:
    return do(app, zone, "calendar_list_events", dateFrom="2026-01-01", dateTo="2026-12-31", limit=100)["events"]


def test_a_time_that_is_written_back_from_another_zone_stays(app: ProjectApp) -> None:
    made = make(app, BERLIN, time="16:00")
    shown = list_events(app, NEW_YORK)[0]
    assert (shown["date"], shown["time"], shown["timezone"]) == ("2026-03-02", "10:00", NEW_YORK)

    do(app, NEW_YORK, "calendar_update_event", eventId=made["id"], date=shown["date"], time="10:00")

    assert list_events(app, BERLIN)[0]["start"] == made["start"]


@pytest.mark.parametrize(
    ("written", "start"),
    [
        ({"time": "11:30"}, "2026-03-02T11:30:00-05:00"),
        ({"date": "2026-03-20"}, "2026-03-20T10:00:00-04:00"),
        ({"date": "2026-03-01", "time": "23:00"}, "2026-03-01T23:00:00-05:00"),
        ({"date": "2026-03-02T09:00:00+09:00"}, "2026-03-01T19:00:00-05:00"),
    ],
)
def test_a_change_is_at_exactly_the_time_that_was_written(app: ProjectApp, written: Json, start: str) -> None:
    made = make(app, BERLIN, time="16:00", durationMinutes=45)

    changed = do(app, NEW_YORK, "calendar_update_event", eventId=made["id"], **written)

    assert (changed["start"], changed["durationMinutes"]) == (start, 45)


def test_a_whole_day_keeps_its_date_for_everybody_and_takes_the_day_that_is_shown(app: ProjectApp) -> None:
    made = make(app, TOKYO, time="08:00")

    changed = do(app, NEW_YORK, "calendar_update_event", eventId=made["id"], time="")

    assert changed["date"] == "2026-03-01"
    assert {one["date"] for zone in (NEW_YORK, BERLIN, TOKYO) for one in list_events(app, zone)} == {"2026-03-01"}


@pytest.mark.parametrize("scope", ["all", "this_and_following"])
def test_a_series_keeps_to_its_zone_and_the_named_instance_to_what_was_written(app: ProjectApp, scope: str) -> None:
    make(app, BERLIN, time="16:00", recurrence={"frequency": "weekly", "count": 6})
    # From 8 to 29 March clocks in New York are ahead already, and those in Berlin are not.
    assert [one["time"] for one in list_events(app, NEW_YORK)] == ["10:00", "11:00", "11:00", "11:00", "10:00", "10:00"]
    first = list_events(app, NEW_YORK)[0]

    do(app, NEW_YORK, "calendar_update_event", eventId=first["id"], scope=scope, time="12:00")

    assert [one["time"] for one in list_events(app, NEW_YORK)] == ["12:00", "13:00", "13:00", "13:00", "12:00", "12:00"]
    assert {one["time"] for one in list_events(app, BERLIN)} == {"18:00"}
    assert {one["recurrence"]["timezone"] for one in list_events(app, TOKYO)} == {BERLIN}


@pytest.mark.parametrize("weekdays", [None, ["monday", "thursday"], ["SU"]])
def test_a_series_moves_to_other_days_of_its_zone_with_its_rule(app: ProjectApp, weekdays: list[str] | None) -> None:
    rule = {"frequency": "weekly", "interval": 2, "count": 5} | ({"weekdays": weekdays} if weekdays else {})
    made = make(app, BERLIN, time="02:00", recurrence=rule)
    note = app.do("notes_create", title="Plan")
    linked = list_events(app, NEW_YORK)[2]
    app.do("items_link", fromItemId=note["id"], fromItemType="note", toItemId=linked["id"], toItemType="event")
    app.do("calendar_update_event", eventId=list_events(app, NEW_YORK)[1]["id"], title="Moved", timezone=NEW_YORK)
    before = [one["date"] for one in list_events(app, NEW_YORK)]
    first = list_events(app, NEW_YORK)[0]
    assert first["time"] == "20:00"

    changed = do(app, NEW_YORK, "calendar_update_event", eventId=first["id"], scope="all", time="15:00")

    after = list_events(app, NEW_YORK)
    assert changed["start"][:16] == f"{first['date']}T15:00"
    assert [one["date"] for one in after] == before
    assert [one["time"][3:] for one in after] == ["00"] * 5
    assert [one["title"] for one in after] == ["Call", "Moved", "Call", "Call", "Call"]
    assert after[0]["recurrence"]["timezone"] == BERLIN
    links = app.do("items_list_links", itemId=note["id"])["links"]
    assert [one["itemId"] for one in links] == [after[2]["id"]]
    assert made["recurrenceSeriesId"] == after[0]["recurrenceSeriesId"]


def ids_and_titles(app: ProjectApp) -> list[tuple[str, str]]:
    """Return id and title of each listed event, read under the id that the list gives it."""
    listed = list_events(app, BERLIN)
    assert len({one["id"] for one in listed}) == len(listed)
    read = [do(app, BERLIN, "calendar_get_event", eventId=one["id"]) for one in listed]
    assert [(one["id"], one["start"]) for one in read] == [(one["id"], one["start"]) for one in listed]
    return [(one["id"], one["title"]) for one in read]


def test_no_instance_has_the_id_of_an_exception_after_its_series_moved_to_other_days(app: ProjectApp) -> None:
    make(app, BERLIN, date="2026-03-01", time="23:30", recurrence={"frequency": "daily", "count": 4})
    _, second, third, _ = list_events(app, BERLIN)
    note = app.do("notes_create", title="Plan")
    app.do("items_link", fromItemId=note["id"], fromItemType="note", toItemId=third["id"], toItemType="event")
    do(app, BERLIN, "calendar_update_event", eventId=second["id"], title="Own", time="22:00")

    for time in ("08:00", "20:00", "09:00"):
        eastern = list_events(app, TOKYO)[0]["id"]
        do(app, TOKYO, "calendar_update_event", eventId=eastern, scope="all", time=time)
        named = ids_and_titles(app)
        assert sorted(title for _, title in named) == ["Call", "Call", "Call", "Own"]
        assert (second["id"], "Own") in named

        links = app.do("items_list_links", itemId=note["id"])["links"]
        assert [one["itemId"] for one in links] == [[name for name, title in named if title == "Call"][1]]

    last = ids_and_titles(app)[-1][0]
    do(app, BERLIN, "calendar_update_event", eventId=last, title="Last")
    app.do("calendar_delete_event", eventId=ids_and_titles(app)[0][0], scope="this")
    assert [title for _, title in ids_and_titles(app)] == ["Own", "Call", "Last"]


@pytest.mark.parametrize(("time", "zone"), [("02:00", NEW_YORK), ("20:00", TOKYO)])
def test_links_follow_instances_when_the_series_moves_to_the_zone_of_another_rule(
    app: ProjectApp, time: str, zone: str
) -> None:
    make(app, BERLIN, time=time, recurrence={"frequency": "daily", "count": 5})
    note, linked = app.do("notes_create", title="Plan"), list_events(app, BERLIN)
    for one in linked[1:3]:
        app.do("items_link", fromItemId=note["id"], fromItemType="note", toItemId=one["id"], toItemType="event")

    rule = {"frequency": "daily", "count": 6}
    first = list_events(app, zone)[0]
    do(app, zone, "calendar_update_event", eventId=first["id"], scope="all", recurrence=rule)

    now = {one["id"]: one["start"] for one in list_events(app, BERLIN)}
    links = app.do("items_list_links", itemId=note["id"])["links"]
    assert sorted(now[one["itemId"]] for one in links) == [one["start"] for one in linked[1:3]]


def test_a_series_that_goes_on_does_not_take_the_ids_of_its_former_second_part(app: ProjectApp) -> None:
    make(app, BERLIN, date="2026-03-02", time="09:00", recurrence={"frequency": "daily", "count": 5})
    days = list_events(app, BERLIN)
    do(app, BERLIN, "calendar_update_event", eventId=days[3]["id"], title="Own")
    do(app, BERLIN, "calendar_update_event", eventId=days[2]["id"], scope="this_and_following", title="Rest")

    rule = {"frequency": "daily", "count": 5}
    do(app, BERLIN, "calendar_update_event", eventId=days[0]["id"], scope="all", recurrence=rule)

    titles = [title for _, title in ids_and_titles(app)]
    assert sorted(titles) == ["Call"] * 5 + ["Own", "Rest", "Rest"]


def test_a_rule_that_cannot_move_to_other_days_is_refused_with_what_to_do(app: ProjectApp) -> None:
    make(app, BERLIN, date="2026-03-01", time="02:00", recurrence={"frequency": "monthly", "count": 3})
    first = list_events(app, NEW_YORK)[0]

    with pytest.raises(ToolRefusal, match="another day there") as refused:
        do(app, NEW_YORK, "calendar_update_event", eventId=first["id"], scope="all", time="15:00")

    assert "recurrence" in str(refused.value)
    assert list_events(app, NEW_YORK)[0] == first


def test_another_recurrence_is_meant_on_the_clocks_of_who_says_it(app: ProjectApp) -> None:
    make(app, BERLIN, time="02:00", recurrence={"frequency": "weekly", "count": 3})
    first = list_events(app, NEW_YORK)[0]
    rule = {"frequency": "weekly", "weekdays": ["sunday"], "count": 5}

    do(app, NEW_YORK, "calendar_update_event", eventId=first["id"], scope="all", recurrence=rule)

    after = list_events(app, NEW_YORK)
    assert [(one["dayOfWeek"], one["time"]) for one in after] == [("Sunday", "20:00")] * 5
    assert after[0]["recurrence"]["timezone"] == NEW_YORK


@pytest.mark.parametrize(
    "rule",
    [
        {"frequency": "weekly", "weekdays": ["monday", "WE"], "count": 4},
        {"frequency": "monthly", "weekdays": ["2MO"], "count": 4},
        {"frequency": "daily", "until": "2026-03-09"},
        {"rrule": "FREQ=MONTHLY;BYDAY=-1FR;COUNT=3"},
        {"rrule": "FREQ=DAILY;UNTIL=20260305T080000Z"},
        {"frequency": "weekly", "rrule": "FREQ=WEEKLY;COUNT=2", "count": 2, "interval": 1, "weekdays": None},
    ],
)
@pytest.mark.parametrize("time", ["09:00", ""])
def test_a_recurrence_is_taken_as_it_was_answered(app: ProjectApp, rule: Json, time: str) -> None:
    if not time and "T" in rule.get("rrule", ""):
        rule = {"rrule": "FREQ=DAILY;UNTIL=20260305"}
    made = make(app, BERLIN, time=time, recurrence=rule)

    again = make(app, BERLIN, time=time, title="Again", recurrence=made["recurrence"])
    same = do(app, NEW_YORK, "calendar_update_event", eventId=made["id"], scope="all", recurrence=made["recurrence"])

    assert again["recurrence"] == made["recurrence"]
    assert same["revision"] == made["revision"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"count": 4}, "count contradicts the rrule"),
        ({"weekdays": ["TU"]}, "weekdays contradicts the rrule"),
        ({"until": "2026-05-01"}, "until contradicts the rrule"),
        ({"interval": 2}, "interval contradicts the rrule"),
    ],
)
def test_a_rule_and_parts_that_contradict_it_are_refused(app: ProjectApp, more: Json, said: str) -> None:
    with pytest.raises(ToolRefusal, match=said):
        make(app, BERLIN, time="09:00", recurrence={"rrule": "FREQ=WEEKLY;BYDAY=MO;COUNT=3"} | more)


@pytest.mark.parametrize(
    ("tool", "argument", "rest"),
    [
        ("calendar_create_event", "date", {"title": "x"}),
        ("calendar_list_events", "dateFrom", {}),
        ("journal_create", "date", {"title": "x"}),
        ("journal_list", "date", {}),
        ("daily_overview", "startDate", {}),
    ],
)
@pytest.mark.parametrize("text", ["03/04/2027", "3-4-2027", "3/4/27", "03/04", "on 3/4/2027 at 5pm", "03 / 04 / 2027"])
def test_a_date_of_two_readings_is_refused_with_both(
    app: ProjectApp, tool: str, argument: str, rest: Json, text: str
) -> None:
    with pytest.raises(ToolRefusal, match=r"03-04 .*04-03|is .*-03-04 .*-04-03"):
        app.do(tool, **{argument: text}, **rest)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("25/12/2027", "2027-12-25"),
        ("12/25/2027", "2027-12-25"),
        ("03.04.2027", "2027-04-03"),
        ("4/4/2027", "2027-04-04"),
        ("2027/04/03", "2027-04-03"),
        ("2027-04-03", "2027-04-03"),
    ],
)
def test_a_date_of_one_reading_is_taken(app: ProjectApp, text: str, day: str) -> None:
    assert make(app, NEW_YORK, date=text)["date"] == day


@pytest.fixture
def column(app: ProjectApp) -> str:
    return app.do("kanban_list_boards")["boards"][0]["columns"][0]["id"]


def due(card: Json) -> tuple[str | None, str | None, str | None]:
    return card["dueDate"], card["dueTime"], card["dueTimezone"]


def test_a_card_is_due_at_one_moment_told_to_each_on_his_clocks(app: ProjectApp, column: str) -> None:
    made = do(app, BERLIN, "kanban_create_card", columnId=column, title="Ship", dueDate="2026-03-20", dueTime="02:00")

    told = {zone: due(do(app, zone, "kanban_list_cards")["cards"][0]) for zone in (BERLIN, NEW_YORK, KATHMANDU)}

    assert due(made) == told[BERLIN] == ("2026-03-20", "02:00", BERLIN)
    assert told[NEW_YORK] == ("2026-03-19", "21:00", NEW_YORK)
    assert told[KATHMANDU] == ("2026-03-20", "06:45", KATHMANDU)
    day = do(app, NEW_YORK, "daily_overview", startDate="2026-03-19", days=1)
    assert [(one["date"], one["time"]) for one in day["items"]] == [("2026-03-19", "21:00")]
    assert do(app, NEW_YORK, "daily_overview", startDate="2026-03-20", days=1)["items"] == []


@pytest.mark.parametrize(
    ("asked", "time", "warning"),
    [
        ({"dueDate": "2026-03-29", "dueTime": "03:30"}, "04:00", "does not exist on 2026-03-29 in Europe/Helsinki"),
        ({"dueDate": "2026-03-29 at 3:30am"}, "04:00", "the card is due at 04:00"),
        ({"dueDate": "2026-10-25", "dueTime": "03:30"}, "03:30", "happens twice on 2026-10-25 in Europe/Helsinki"),
        ({"dueDate": "2026-03-29", "dueTime": "04:30"}, "04:30", None),
        ({"dueDate": "2026-03-29"}, None, None),
    ],
)
def test_a_due_time_that_clocks_skip_or_repeat_is_answered_with_a_warning(
    app: ProjectApp, column: str, asked: Json, time: str | None, warning: str | None
) -> None:
    made = do(app, HELSINKI, "kanban_create_card", columnId=column, title="Ship", **asked)
    other = do(app, HELSINKI, "kanban_create_card", columnId=column, title="Other")
    edited = do(app, HELSINKI, "kanban_update_card", cardId=other["id"], **asked)

    for one in (made, edited):
        assert one["dueTime"] == time
        assert warning in one["warning"] if warning is not None else one["warning"] is None


@pytest.mark.parametrize("zone", [BERLIN, NEW_YORK, KATHMANDU])
def test_a_due_date_that_is_written_back_keeps_its_time(app: ProjectApp, column: str, zone: str) -> None:
    do(app, BERLIN, "kanban_create_card", columnId=column, title="Ship", dueDate="2026-03-20 17:00")
    shown = do(app, zone, "kanban_list_cards")["cards"][0]
    for written in (
        {"dueDate": shown["dueDate"]},
        {"dueTime": shown["dueTime"]},
        {"dueDate": shown["dueDate"], "dueTime": shown["dueTime"]},
        {"dueDate": f"{shown['dueDate']} {shown['dueTime']}"},
        {"dueDate": f"{shown['dueDate']}T{shown['dueTime']}"},
    ):
        assert do(app, zone, "kanban_update_card", cardId=shown["id"], **written)["revision"] == shown["revision"]
    moved = do(app, zone, "kanban_update_card", cardId=shown["id"], dueDate="2026-03-27")
    assert due(moved) == ("2026-03-27", shown["dueTime"], zone)


@pytest.mark.parametrize("nothing", [None, ""])
def test_null_and_an_empty_text_clear_what_they_name(app: ProjectApp, column: str, nothing: str | None) -> None:
    card = app.do("kanban_create_card", columnId=column, title="Ship", dueDate="2026-03-20", dueTime="17:00")

    timeless = app.do("kanban_update_card", cardId=card["id"], dueTime=nothing)
    cleared = app.do("kanban_update_card", cardId=card["id"], dueDate=nothing)

    assert due(timeless) == ("2026-03-20", None, None)
    assert due(cleared) == (None, None, None)
    with pytest.raises(ToolRefusal, match="needs a dueDate"):
        app.do("kanban_update_card", cardId=card["id"], dueTime="17:00")


def test_a_card_of_before_times_had_zones_is_due_then_on_any_clock(app: ProjectApp, column: str) -> None:
    made = app.do("kanban_create_card", columnId=column, title="Ship", dueDate="2026-03-20", dueTime="17:00")
    rows = CARDS.within(app.store, app.caller.scope)
    card = next(one for one in rows.query(made["boardId"]).records if one.id == made["id"])
    app.store.write([rows.put(replace(card, due_zone=None))])

    for zone in (NEW_YORK, TOKYO):
        assert due(do(app, zone, "kanban_list_cards")["cards"][0]) == ("2026-03-20", "17:00", zone)


def test_a_card_is_overdue_once_the_callers_day_is_past_its_own(app: ProjectApp, column: str) -> None:
    do(app, TOKYO, "kanban_create_card", columnId=column, title="Ship", dueDate="2026-02-18", dueTime="10:00")

    # It is 23:30 of 18 February in Tokyo, and 09:30 in New York, where it was due at 20:00 of the day before.
    assert do(app, TOKYO, "daily_overview")["overdue"] == []
    assert [one["date"] for one in do(app, NEW_YORK, "daily_overview")["overdue"]] == ["2026-02-17"]
