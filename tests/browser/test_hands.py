"""Test moving events and cards by pointer, undo, and letters as shortcuts."""

import json
import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Example, OpenTab

WEEK = "/ui/calendar?at=2031-05-14"


def _create_event(example: Example, title: str) -> None:
    arguments = ("date=2031-05-14", "time=10:00", "durationMinutes=60", "timezone=Europe/Berlin")
    example.call("calendar_create_event", f"title={title}", *arguments)


def _drag(page: Page, what: Locator, x: float, y: float, *, bottom: bool = False) -> None:
    """Drag `what` so far, by its middle or its lower edge."""
    what.scroll_into_view_if_needed()
    what.hover()
    box = what.bounding_box()
    assert box is not None
    at = (box["x"] + box["width"] / 2, box["y"] + (box["height"] - 3 if bottom else box["height"] / 2))
    page.mouse.move(*at)
    page.mouse.down()
    page.mouse.move(at[0] + x / 2, at[1] + y / 2, steps=3)
    page.mouse.move(at[0] + x, at[1] + y, steps=3)


def _day(page: Page, date: str) -> Locator:
    return page.locator(f".day[data-date='{date}']")


def test_an_event_is_moved_and_resized_by_pointer_and_back(open_tab: OpenTab, example: Example) -> None:
    _create_event(example, "Carried")
    tab = open_tab()
    tab.go(WEEK)
    page = tab.page
    slot = page.locator("[data-event]", has_text="Carried")
    beside = _day(page, "2031-05-15").bounding_box()
    assert beside is not None
    _drag(page, slot, beside["width"], 48)
    expect(page.locator(".drop-mark")).to_have_text("11:00 Carried")
    page.mouse.up()
    expect(page.locator("#notice")).to_contain_text("Moved “Carried”.")
    moved = _day(page, "2031-05-15").locator("[data-event]", has_text="Carried")
    expect(moved).to_contain_text("11:00\N{EN DASH}12:00")
    page.keyboard.press("z")
    expect(page.locator("#notice")).to_contain_text("It is back where it was.")
    moved = _day(page, "2031-05-14").locator("[data-event]", has_text="Carried")
    expect(moved).to_contain_text("10:00\N{EN DASH}11:00")
    _drag(page, slot, 0, 24, bottom=True)
    page.mouse.up()
    expect(slot).to_contain_text("10:00\N{EN DASH}11:30")
    page.get_by_role("button", name="Undo").click()
    expect(slot).to_contain_text("10:00\N{EN DASH}11:00")
    _drag(page, slot, 0, 96)
    page.keyboard.press("Escape")
    page.mouse.up()
    expect(page.locator("#said")).to_have_text("It stays where it was.")
    expect(page.locator(".drop-mark")).to_have_count(0)
    slot.locator("a").click()
    expect(page.get_by_role("heading", level=1, name="Carried")).to_be_visible()
    assert (tab.complaints, tab.foreign) == ([], [])


def test_a_move_that_somebody_else_made_first_is_not_undone(open_tab: OpenTab, example: Example) -> None:
    _create_event(example, "Contested")
    tab = open_tab()
    tab.go(WEEK)
    slot = tab.page.locator("[data-event]", has_text="Contested")
    _drag(tab.page, slot, 0, 48)
    found = slot.get_attribute("data-event")
    example.call("calendar_update_event", f"eventId={found}", "time=15:00", "timezone=Europe/Berlin")
    tab.page.mouse.up()
    expect(tab.page.get_by_role("alert")).to_contain_text("has changed since you read it")
    tab.go(WEEK)
    expect(slot).to_contain_text("15:00\N{EN DASH}16:00")


def test_a_card_is_moved_by_pointer_and_back(open_tab: OpenTab, example: Example) -> None:
    boards: dict[str, Any] = json.loads(example.call("kanban_list_boards"))
    billing = next(each for each in boards["data"]["boards"] if each["title"] == "Billing")
    example.call("kanban_create_card", f"columnId={billing['columns'][0]['id']}", "title=Carry me")
    tab = open_tab()
    tab.go(f"/ui/board?board={billing['id']}")
    page = tab.page
    card, columns = page.locator("[data-card]", has_text="Carry me"), page.locator("[data-column]")
    box, target = card.bounding_box(), columns.nth(3).bounding_box()
    assert box is not None
    assert target is not None
    _drag(page, card.locator("strong"), target["x"] - box["x"], target["y"] - box["y"] + 20)
    page.mouse.up()
    expect(page.locator("#notice")).to_contain_text("Moved “Carry me”.")
    expect(columns.nth(3).locator("[data-card]").first).to_contain_text("Carry me")
    page.get_by_role("button", name="Undo").click()
    expect(columns.nth(0)).to_contain_text("Carry me")
    assert (tab.complaints, tab.foreign) == ([], [])


def test_letters_do_what_is_done_often_and_can_be_turned_off(open_tab: OpenTab, example: Example) -> None:
    _create_event(example, "By letter")
    _create_event(example, "By another")
    tab = open_tab()
    tab.go(WEEK)
    page = tab.page

    def press(key: str, url: str) -> None:
        page.keyboard.press(key)
        expect(page).to_have_url(re.compile(url))
        page.wait_for_load_state()  # before that the page has no script, and its next letter would be lost

    for key, view in (("d", "day"), ("w", "week"), ("m", "month"), ("a", "agenda")):
        press(key, f"view={view}")
    tab.go(WEEK)
    press("j", "at=2031-05-21")
    press("PageUp", "at=2031-05-14")
    events = page.locator("[data-event] a")
    events.first.focus()
    page.keyboard.press("End")
    expect(events.last).to_be_focused()
    page.keyboard.press("Home")
    expect(events.first).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(events.nth(1)).to_be_focused()
    page.keyboard.press("e")
    expect(page).to_have_url(re.compile("/ui/event"))
    tab.go(WEEK)
    page.keyboard.press("c")
    expect(page.get_by_label("Title")).to_be_focused()
    page.keyboard.type("tjk")
    expect(page.get_by_label("Title")).to_have_value("tjk")
    tab.go("/ui/notes")
    page.keyboard.press("/")
    expect(page.get_by_role("search").get_by_role("textbox")).to_be_focused()
    tab.go(WEEK)
    page.keyboard.press("?")
    page.get_by_role("checkbox", name="Single letters").uncheck()
    page.get_by_role("button", name="Close").click()
    page.keyboard.press("j")
    page.keyboard.press("PageDown")
    expect(page).to_have_url(re.compile("at=2031-05-21"))


def test_a_card_is_lifted_by_space_and_carried_by_arrows(open_tab: OpenTab, example: Example) -> None:
    made = example.ask(
        "tools/call",
        {
            "name": "kanban_edit_board",
            "arguments": {"action": "create_board", "title": "By keys", "columns": ["Open", "Work", "Done"]},
        },
    )["structuredContent"]["data"]["board"]
    columns = [column["id"] for column in made["columns"]]
    for title in ("Below", "Lift me"):
        example.call("kanban_create_card", f"title={title}", f"columnId={columns[0]}")
    tab = open_tab()
    tab.go(f"/ui/board?board={made['id']}")
    page, said = tab.page, tab.page.locator("#said")
    handle = page.get_by_role("button", name="Lift Lift me")

    handle.focus()
    page.keyboard.press("Space")
    expect(handle).to_have_attribute("aria-pressed", "true")
    expect(said).to_contain_text("Lifted Lift me. Column Open, 1 of 2.")
    page.keyboard.press("ArrowDown")
    expect(said).to_have_text("Column Open, 2 of 2.")
    page.keyboard.press("ArrowRight")
    expect(said).to_have_text("Column Work, 1 of 1.")
    page.keyboard.press("Escape")
    expect(said).to_have_text("It stays where it was.")
    expect(handle).to_have_attribute("aria-pressed", "false")
    expect(page.locator(".drop-mark")).to_have_count(0)

    page.keyboard.press("Space")
    # What others change meanwhile lets the card where it is carried.
    example.call("kanban_create_card", "title=From an agent", f"columnId={columns[1]}")
    expect(page.locator("[data-card]", has_text="From an agent")).to_be_visible()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(said).to_have_text("Column Work, 2 of 2.")
    page.keyboard.press("Space")
    expect(page.locator("#notice")).to_contain_text("Moved “Lift me”.")
    cards = page.locator(f"[data-column='{columns[1]}'] [data-card] strong")
    expect(cards).to_have_text(["From an agent", "Lift me"])
    expect(handle).to_be_focused()

    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    expect(said).to_have_text("It stays where it was.")
    page.keyboard.press("z")
    expect(page.locator("#notice")).to_contain_text("It is back where it was.")
    assert tab.complaints == []
