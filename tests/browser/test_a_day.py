"""A day at the pages with nothing but a keyboard."""

from playwright.sync_api import Locator, expect

from tests.browser.conftest import Example, OpenTab, Tab

_MOST_STOPS = 250


def test_a_day_by_keyboard_alone(open_tab: OpenTab, example: Example) -> None:
    tab = open_tab(signed=False)
    page = tab.page
    tab.go("/ui/")
    expect(page.get_by_label("API key", exact=True)).to_be_focused()
    _type(tab, (example.folder / "api-key").read_text().strip(), "Enter")
    _is_at(tab, "Today")

    _to(tab, page.get_by_label("New event"))
    _type(tab, "Call with Ann", "Tab")
    _type(tab, "next Tuesday at 2pm", "Enter")
    _is_at(tab, "New event")
    _to(tab, page.get_by_role("button", name="Add it"), "Enter")
    _says(tab, "The event is in the calendar.")

    _go_to(tab, "Board")
    card = page.locator("[data-card]", has_text="Write the migration of invoices")
    _to(tab, card.locator("summary").first, "Enter")
    _to(tab, card.get_by_label("Column"), "ArrowDown")
    _to(tab, card.get_by_role("button", name="Move", exact=True), "Enter")
    _says(tab, "Moved “Write the migration of invoices”.")
    doing = page.locator("[data-column]", has=page.get_by_role("heading", name="Doing"))
    expect(doing.locator("[data-card]", has_text="Write the migration")).to_be_visible()

    _go_to(tab, "Team")
    _to(tab, page.get_by_label("Claim a file or a ticket for an hour"))
    _type(tab, "file:src/day.py", "Enter")
    _says(tab, "The claim is yours for an hour.")
    expect(page.locator("code", has_text="file:src/day.py").last).to_be_visible()

    _go_to(tab, "Memory")
    forget = page.get_by_role("button", name="Forget: The staging database is reset every night")
    _to(tab, forget, "Enter")
    _says(tab, "Forgotten: no agent is told it any more.")
    expect(forget).to_have_count(0)
    _to(tab, page.get_by_role("button", name="Undo"), "Enter")
    _says(tab, "It is remembered again.")
    expect(forget).to_have_count(1)

    proposed = page.locator("section", has=page.get_by_role("heading", name="Proposed, to be reviewed"))
    before = proposed.get_by_role("button", name="Keep: ").count()
    _to(tab, proposed.get_by_role("button", name="Keep: ").first, "Enter")
    _says(tab, "It is a memory now.")
    expect(proposed.get_by_role("button", name="Keep: ")).to_have_count(before - 1)
    assert (tab.complaints, tab.foreign) == ([], [])


def _to(tab: Tab, wanted: Locator, then: str = "") -> None:
    """Press Tab until the focus is there."""
    for _ in range(_MOST_STOPS):
        if wanted.evaluate("each => each === document.activeElement"):
            break
        tab.page.keyboard.press("Tab")
    expect(wanted).to_be_focused()
    if then:
        tab.page.keyboard.press(then)


def _type(tab: Tab, text: str, then: str) -> None:
    tab.page.keyboard.type(text)
    tab.page.keyboard.press(then)


def _go_to(tab: Tab, name: str) -> None:
    _to(tab, tab.page.get_by_role("navigation", name="Pages").get_by_role("link", name=name, exact=True), "Enter")
    _is_at(tab, name)


def _is_at(tab: Tab, title: str) -> None:
    expect(tab.page.get_by_role("heading", level=1, name=title)).to_be_visible()


def _says(tab: Tab, text: str) -> None:
    expect(tab.page.locator("#notice")).to_contain_text(text)
