"""Test the planner's events, which are part of the write that they report, and its reactions to other events."""

from typing import Any

from almanac.families.planner.event_kinds import KINDS
from almanac.families.planner.reactions import REACTIONS, forget_booking
from almanac.kernel.clock import Clock
from almanac.platform.bus.outbox import messages_in
from almanac.platform.bus.records import OUTBOX
from almanac.platform.services import Services
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import Store
from tests.project_app import ProjectApp


def last_event_of(app: ProjectApp, key: str) -> list[tuple[str, dict[str, Any]]]:
    """Return kind and payload of the last event under a key."""
    item = app.store.get(OUTBOX.key(app.caller.scope, OUTBOX.own, (key,)))
    assert item is not None
    return [(each.event.kind, dict(each.event.payload)) for each in messages_in(item.attributes)]


def last(app: ProjectApp, item: str) -> str:
    ((kind, payload),) = last_event_of(app, f"planner/{item}")
    assert payload["item_id"] == item
    return kind


def test_every_change_of_a_card_is_told(app: ProjectApp) -> None:
    card = app.do("kanban_create_card", columnId="col_todo", title="Card")["id"]
    assert last(app, card) == "item_created"
    app.do("kanban_update_card", cardId=card, title="Other")
    assert last(app, card) == "item_updated"
    app.do("kanban_move_card", cardId=card, columnId="col_doing")
    assert last_event_of(app, f"planner/{card}") == [
        (
            "item_moved",
            {
                "item_id": card,
                "item_type": "task",
                "title": "Other",
                "due": None,
                "due_time": None,
                "board_id": "board_default",
                "board_title": "Board",
                "column_id": "col_doing",
                "column_title": "In progress",
                "is_done": False,
                "from_board_id": "board_default",
                "from_board_title": "Board",
                "from_column_id": "col_todo",
                "from_column_title": "To do",
                "from_is_done": False,
            },
        )
    ]
    event = app.do("calendar_create_event", title="Event", date="today", type="event")["id"]
    app.do("items_link", fromItemId=card, fromItemType="task", toItemId=event, toItemType="event")
    assert last(app, card) == "item_linked"
    app.do("items_unlink", fromItemId=card, toItemId=event)
    assert last(app, card) == "item_unlinked"
    app.do("kanban_delete_card", cardId=card)
    assert last(app, card) == "item_deleted"


def test_rules_are_shown_all_that_events_of_cards_have(app: ProjectApp) -> None:
    samples = {kind.name: kind.sample for kind in KINDS}

    def assert_shown(kind: str, item: str) -> None:
        ((told, payload),) = last_event_of(app, f"planner/{item}")
        assert (told, set(payload)) == (kind, set(samples[kind]))

    card, other = (app.do("kanban_create_card", columnId="col_todo", title=title)["id"] for title in ("A", "B"))
    assert_shown("item_created", card)
    app.do("kanban_update_card", cardId=card, title="Other")
    assert_shown("item_updated", card)
    app.do("kanban_move_card", cardId=card, columnId="col_doing")
    assert_shown("item_moved", card)
    relation = samples["item_linked"]["relation_type"]
    ends = {"fromItemId": card, "toItemId": other}
    app.do("items_link", fromItemType="task", toItemType="task", relationType=relation, **ends)
    assert_shown("item_linked", card)
    app.do("items_unlink", relationType=relation, **ends)
    assert_shown("item_unlinked", card)
    app.do("kanban_delete_card", cardId=card)
    assert_shown("item_deleted", card)


def test_every_change_of_an_event_is_told(app: ProjectApp) -> None:
    made = app.do("calendar_create_event", title="Event", date="today")
    assert last(app, made["id"]) == "item_created"
    app.do("calendar_update_event", eventId=made["id"], title="Other")
    assert last(app, made["id"]) == "item_updated"
    app.do("calendar_delete_event", eventId=made["id"])
    assert last(app, made["id"]) == "item_deleted"


def test_news_of_an_event_say_what_when_and_what_it_was_before(app: ProjectApp) -> None:
    made = app.do("calendar_create_event", title="Call", date="2026-02-20", time="14:00", type="event")
    app.do("calendar_update_event", eventId=made["id"], title="Talk", time="15:00", status="done")
    ((kind, payload),) = last_event_of(app, f"planner/{made['id']}")
    assert (kind, payload) == (
        "item_updated",
        {
            "item_id": made["id"],
            "item_type": "event",
            "calendar_id": "primary",
            "title": "Talk",
            "start": "2026-02-20T15:00:00-05:00",
            "end": "2026-02-20T16:00:00-05:00",
            "timezone": "America/New_York",
            "all_day": False,
            "status": "done",
            "previous_title": "Call",
            "previous_start": "2026-02-20T14:00:00-05:00",
            "previous_all_day": False,
        },
    )
    card = app.do("kanban_create_card", columnId="col_todo", title="Card")["id"]
    app.do("items_link", fromItemId=card, fromItemType="task", toItemId=made["id"], toItemType="event")
    ((kind, payload),) = last_event_of(app, f"planner/{card}")
    assert (kind, payload["title"], payload["to_title"]) == ("item_linked", "Card", "Talk")


def test_a_split_tells_of_both_series(app: ProjectApp) -> None:
    recurrence = {"frequency": "daily", "count": 3}
    series = app.do("calendar_create_event", title="Run", date="today", recurrence=recurrence)["recurrenceSeriesId"]
    second = app.do("calendar_list_events")["events"][1]["id"]
    new = app.do("calendar_update_event", eventId=second, title="Walk", scope="this_and_following")
    ((kind, payload),) = last_event_of(app, f"planner/{series}")
    assert (kind, payload["continued_by"]) == ("item_updated", new["recurrenceSeriesId"])
    ((kind, payload),) = last_event_of(app, f"planner/{new['recurrenceSeriesId']}")
    assert (kind, payload["continues"]) == ("item_created", series)


def test_a_refused_call_tells_nothing(app: ProjectApp) -> None:
    card = app.do("kanban_create_card", columnId="col_todo", title="Card")["id"]
    before = last_event_of(app, f"planner/{card}")
    assert not app.call("kanban_update_card", cardId=card, title="x" * 500)["ok"]
    assert last_event_of(app, f"planner/{card}") == before


def test_a_booking_that_is_cancelled_in_the_calendar_leaves_no_link_behind(app: ProjectApp) -> None:
    booked = app.do(
        "book_slot",
        calendar_id="primary",
        start="2026-02-20T14:00:00-05:00",
        end="2026-02-20T15:00:00-05:00",
        summary="Call",
    )
    card = app.do("kanban_create_card", columnId="col_todo", title="Prepare", eventLinks=[booked["event_id"]])["id"]
    app.do("calendar_update_event", eventId=booked["event_id"], status="done")
    app.do("cancel_booking", calendar_id="primary", booking_id=booked["booking_id"])
    head = app.store.get(Key(Partition.in_project(app.caller.scope, "calendars"), sort_key("primary")))
    assert head is not None
    (message,) = messages_in(head.attributes)
    services = Services({Store: lambda: app.store, Clock: lambda: app.clock})
    assert [reaction.name for reaction in REACTIONS if reaction.wants(message)] == ["planner.forget_booking"]
    for _ in range(2):
        app.store.write(forget_booking(message.event, services))
        assert app.do("items_list_links", itemId=card)["links"] == []
        assert app.do("kanban_list_cards")["cards"][0]["eventLinks"] == []
