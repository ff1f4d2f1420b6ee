"""Pages follow what agents do, and leave alone what a person is doing."""

from playwright.sync_api import expect

from tests.browser.conftest import Example, OpenTab


def test_an_agent_is_seen_at_work_while_a_person_types(open_tab: OpenTab, example: Example) -> None:
    tab = open_tab(height=400)
    with tab.page.expect_response(f"{tab.url}/ui/live"):
        tab.go("/ui/team")
    field = tab.page.get_by_label("Claim a file or a ticket for an hour")
    field.press_sequentially("file:half")
    scrolled = tab.page.evaluate("scrollY")
    example.call("claim", "key=file:by/an/agent.py", "holder=agent", "ttl_ms=60000")
    expect(tab.page.locator("code", has_text="file:by/an/agent.py").first).to_be_attached()
    expect(field).to_be_focused()
    expect(field).to_have_value("file:half")
    assert tab.page.evaluate("scrollY") >= scrolled
    button = tab.page.get_by_role("button", name="Release: file:by/an/agent.py")
    button.focus()
    example.call("claim", "key=file:before/it.py", "holder=agent", "ttl_ms=60000")
    expect(tab.page.locator("code", has_text="file:before/it.py").first).to_be_attached()
    expect(button).to_be_focused()
    assert tab.complaints == []


def test_a_page_that_is_told_it_was_signed_out_asks_to_sign_in(open_tab: OpenTab, example: Example) -> None:
    tab = open_tab(signed=False)
    tab.page.goto(example.sign_in_address())
    tab.page.wait_for_url(f"{tab.url}/ui/")
    other = tab.page.context.new_page()
    other.goto(f"{tab.url}/ui/team")
    other.get_by_role("button", name="Sign out").click()
    tab.page.bring_to_front()
    expect(tab.page.get_by_role("heading", name="Sign in to Almanac")).to_be_visible()
