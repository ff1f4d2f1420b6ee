"""Test that pages follow agents' changes and do not disturb a person's work."""

import json
import re

from playwright.sync_api import Route, WebSocketRoute, expect

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


FEED = "wss://feed.example/feed"


def test_a_page_on_aws_follows_by_a_socket_with_a_ticket_for_each_connection(
    open_tab: OpenTab, example: Example
) -> None:
    """The feed and its tickets are played here; the page and its script are ours."""
    tab = open_tab()
    tickets, said, open_ones = iter("abc"), list[str](), list[WebSocketRoute]()

    def as_on_aws(route: Route) -> None:
        answer = route.fetch()
        body = re.sub('data-live="[^"]*"', f'data-live="{FEED}"', answer.text())
        route.fulfill(response=answer, body=body)

    def give(route: Route) -> None:
        assert re.fullmatch(r"token=[0-9a-f]{32}", route.request.post_data or "")
        route.fulfill(status=200, content_type="text/plain", body=next(tickets) * 32)

    def feed(socket: WebSocketRoute) -> None:
        open_ones.append(socket)

        def hear(frame: str | bytes) -> None:
            said.append(str(frame))
            socket.send('{"type":"following"}')

        socket.on_message(hear)

    tab.page.route("**/ui/team", as_on_aws)
    tab.page.route("**/ui/ticket", give)
    tab.page.route_web_socket(FEED, feed)
    # Whatever happened before the page followed, it asks for itself once.
    with tab.page.expect_response(lambda answer: answer.request.resource_type == "fetch" and "/ui/team" in answer.url):
        tab.go("/ui/team")
    example.call("claim", "key=file:told/by/socket.py", "holder=agent", "ttl_ms=60000")
    open_ones[0].send('{"type":"changed"}')
    expect(tab.page.locator("code", has_text="file:told/by/socket.py").first).to_be_attached()
    # A connection that ends is opened anew, with another ticket.
    example.call("claim", "key=file:while/away.py", "holder=agent", "ttl_ms=60000")
    open_ones[0].close()
    expect(tab.page.locator("code", has_text="file:while/away.py").first).to_be_attached()
    with tab.page.expect_response("**/ui/ticket"):
        pass
    example.call("claim", "key=file:told/again.py", "holder=agent", "ttl_ms=60000")
    open_ones[1].send('{"type":"changed"}')
    expect(tab.page.locator("code", has_text="file:told/again.py").first).to_be_attached()
    assert [json.loads(each) for each in said] == [{"type": "follow", "ticket": each * 32} for each in "ab"]
    assert tab.complaints == []
