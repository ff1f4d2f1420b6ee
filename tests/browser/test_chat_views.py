"""The views inside a chat, in a host of our own: the frame, the policy and the messages that the extension asks for."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Frame, Page, expect

from almanac.gateway.chat_views import CHAT_VIEWS
from tests.browser.conftest import Example, OpenTab, Tab, keep, violations

Json = dict[str, Any]

HOSTILE = '<img src=x onerror="parent.hacked=1"><script>parent.hacked=1</script> \u202eevil\u200b'
_POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; media-src 'self' data:; connect-src 'none'"
)
_HOST = """([html, tool, given, result, calls]) => {
    window.heard = [];
    document.body.innerHTML = '<iframe title="View" sandbox="allow-scripts" style="width:100%;border:0"></iframe>';
    const frame = document.querySelector('iframe');
    const send = message => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*');
    window.tell = (method, params) => send({ method, params });
    addEventListener('message', async ({ source, data }) => {
        if (source !== frame.contentWindow) return;
        heard.push(data);
        if (data.method === 'ui/initialize') send({ id: data.id, result: {
            protocolVersion: '2026-01-26', hostInfo: { name: 'host', version: '1' },
            hostCapabilities: calls ? { serverTools: {} } : {},
            hostContext: { theme: 'light', toolInfo: { tool: { name: tool } }, locale: 'en-GB' } } });
        if (data.method === 'ui/notifications/initialized') {
            tell('ui/notifications/tool-input', { arguments: given });
            if (result) tell('ui/notifications/tool-result', result);
        }
        if (data.method === 'ui/notifications/size-changed') frame.style.height = data.params.height + 'px';
        if (data.method !== 'tools/call') return;
        send({ id: data.id, result: await callTool(data.params.name, data.params.arguments) });
    });
    frame.srcdoc = html;
}"""

_SMALL = """() => [...document.querySelectorAll('#controls button, summary')]
    .filter(e => Math.min(e.offsetWidth, e.offsetHeight) < 44).map(e => e.outerHTML)"""


@dataclass
class Host:
    """A chat over the example's server."""

    example: Example
    tab: Tab
    called: list[str] = field(default_factory=list[str])

    def call(self, name: str, given: Json) -> Json:
        self.called.append(name)
        return self.example.ask("tools/call", {"name": name, "arguments": given})

    def show(self, tool: str, given: Json, *, calls: bool = True, answers: bool = True) -> Frame:
        """Show the tool's view in a frame, with the tool's answer."""
        listed = {one["name"]: one for one in self.example.ask("tools/list", {})["tools"]}
        uri = listed[tool]["_meta"]["ui"]["resourceUri"]
        contents = self.example.ask("resources/read", {"uri": uri})["contents"][0]
        assert contents["mimeType"] == "text/html;profile=mcp-app"
        page = f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        html = contents["text"].replace("<head>", f"<head>{page}")
        result = self.call(tool, given) if answers else None
        self.tab.page.evaluate(_HOST, [html, tool, given, result, calls])
        expect(self.tab.page.frame_locator("iframe").locator("h1")).to_be_visible()
        return self.tab.page.frames[1]

    @property
    def heard_methods(self) -> list[str]:
        return self.tab.page.evaluate("heard.map(each => each.method)")


@pytest.fixture
def open_host(open_tab: OpenTab, example: Example) -> Callable[..., Host]:
    def open_view(**how: Any) -> Host:
        host = Host(example, open_tab(signed=False, **how))
        host.tab.page.expose_function("callTool", host.call)  # pyright: ignore[reportUnknownMemberType]
        return host

    return open_view


def _week(host: Host, *, tool: str = "calendar_list_events", title: str = "Chat about views") -> tuple[Json, Json]:
    """Return the arguments for a week that has one more event."""
    start, event = "2031-03-10", {"title": title, "date": "2031-03-12", "time": "10:00", "durationMinutes": 30}
    made = host.call("calendar_create_event", event)["structuredContent"]["data"]
    given: Json = {"dateFrom": start, "dateTo": "2031-03-16"}
    if tool in {"list_events", "find_free_slots"}:
        given = {"calendar_id": "primary", "start": f"{start}T00:00:00+01:00", "end": "2031-03-17T00:00:00+01:00"}
    return ({"startDate": start, "days": 7} if tool == "daily_overview" else given), made


def test_each_view_is_small_and_complete_in_itself() -> None:
    for view in CHAT_VIEWS:
        html = view.read()
        assert len(html.encode()) <= 30_000, view.uri
        assert "<!--" not in html
        assert not {"http://", "https://", "@import", "url("} & set(html.split())


@pytest.mark.parametrize("tool", ["calendar_list_events", "daily_overview", "find_free_slots", "list_events"])
def test_the_week_draws_what_each_of_its_tools_answers(open_host: Callable[..., Host], tool: str) -> None:
    host = open_host()
    given, made = _week(host, tool=tool)
    frame = host.show(tool, given)
    wanted = "free, " if tool == "find_free_slots" else "10:00 Chat about views"
    expect(frame.locator(".item", has_text=wanted).first).to_be_visible()
    expect(frame.get_by_role("region", name="Wednesday 12 March")).to_contain_text(wanted)
    _has_no_fault(host, frame, f"week-{tool}")
    host.call("calendar_delete_event", {"eventId": made["id"]})


@pytest.mark.parametrize(
    ("tool", "wanted"),
    [
        ("kanban_list_cards", "Load test of the new queue"),
        ("list_claims", "file:src/billing/queue.py"),
        ("get_focus_map", "src/billing/queue.py"),
    ],
)
def test_a_board_and_claims_are_drawn(open_host: Callable[..., Host], tool: str, wanted: str) -> None:
    host = open_host()
    frame = host.show(tool, {})
    expect(frame.locator("#drawn")).to_contain_text(wanted)
    _has_no_fault(host, frame, tool)


@pytest.mark.parametrize("tool", ["calendar_list_events", "list_events"])
def test_an_event_is_moved_from_the_chat_and_back(open_host: Callable[..., Host], tool: str) -> None:
    host = open_host()
    given, made = _week(host, tool=tool, title=f"Moved by {tool}")
    frame = host.show(tool, given)
    frame.get_by_role("button", name=f"Moved by {tool}").click()
    frame.get_by_role("button", name="A day later").click()
    expect(frame.get_by_role("region", name="Thursday 13 March")).to_contain_text(f"Moved by {tool}")
    expect(frame.locator("#notice")).to_contain_text("Thursday 13 March")
    frame.get_by_role("button", name="Undo").click()
    expect(frame.get_by_role("region", name="Wednesday 12 March")).to_contain_text(f"10:00 Moved by {tool}")
    frame.get_by_role("button", name="Later", exact=True).click()
    expect(frame.locator("#drawn")).to_contain_text("17 March")
    expect(frame.locator(".item")).to_have_count(0)
    host.call("calendar_delete_event", {"eventId": made["id"]})
    assert host.tab.complaints == []


def test_a_card_is_moved_from_the_chat_and_back(open_host: Callable[..., Host]) -> None:
    host = open_host()
    board = _board(host)
    card = host.call("kanban_create_card", {"columnId": board["columns"][0]["id"], "title": "Move me"})
    frame = host.show("kanban_list_cards", {"boardId": board["id"]})
    moved = frame.locator(".card", has_text="Move me")
    moved.locator("summary").click()
    moved.get_by_role("button", name=board["columns"][1]["title"], exact=True).click()
    second = frame.get_by_role("region", name=board["columns"][1]["title"], exact=True)
    expect(second).to_contain_text("Move me")
    frame.get_by_role("button", name="Undo").click()
    expect(frame.get_by_role("region", name=board["columns"][0]["title"], exact=True)).to_contain_text("Move me")
    host.call("kanban_delete_card", {"cardId": card["structuredContent"]["data"]["id"]})


def test_a_host_that_calls_no_tools_gets_no_controls(open_host: Callable[..., Host]) -> None:
    host = open_host()
    frame = host.show("kanban_list_cards", {}, calls=False)
    expect(frame.locator(".card").first).to_be_visible()
    assert frame.get_by_role("button").count() == frame.locator("summary").count() == 0


def test_a_host_is_spoken_to_as_the_extension_says(open_host: Callable[..., Host]) -> None:
    host = open_host()
    frame = host.show("list_claims", {}, answers=False)
    expect(frame.locator("#drawn")).to_contain_text("Waiting for the answer")
    host.tab.page.evaluate("tell('ui/notifications/tool-cancelled', { reason: 'The user stopped it.' })")
    expect(frame.locator("#drawn")).to_contain_text("The user stopped it.")
    host.tab.page.evaluate("tell('ui/notifications/host-context-changed', { theme: 'dark' })")
    expect(frame.locator("html")).to_have_attribute("data-theme", "dark")
    failed = {"isError": True, "content": [{"type": "text", "text": "forbidden: ask for a key"}]}
    host.tab.page.evaluate("result => tell('ui/notifications/tool-result', result)", failed)
    expect(frame.get_by_role("alert")).to_have_text("forbidden: ask for a key")
    host.tab.page.evaluate("""() => {
        const frame = document.querySelector('iframe').contentWindow;
        for (const method of ['ui/resource-teardown', 'other'])
            frame.postMessage({ jsonrpc: '2.0', id: method, method, params: {} }, '*');
    }""")
    host.tab.page.wait_for_function("heard.some(each => each.id === 'ui/resource-teardown' && each.result)")
    host.tab.page.wait_for_function("heard.some(each => each.id === 'other' && each.error.code === -32601)")
    assert host.heard_methods.index("ui/initialize") < host.heard_methods.index("ui/notifications/initialized")


def test_hostile_text_stays_text(open_host: Callable[..., Host]) -> None:
    host = open_host()
    given, made = _week(host, title=HOSTILE)
    board = _board(host)
    card = host.call("kanban_create_card", {"columnId": board["columns"][0]["id"], "title": HOSTILE})
    host.call(
        "claim", {"key": "file:hostile", "holder": "<b>bold</b>", "ttl_ms": 60000, "metadata": {"why": "<i>so</i>"}}
    )
    for tool, asked in (
        ("calendar_list_events", given),
        ("kanban_list_cards", {"boardId": board["id"]}),
        ("list_claims", {}),
    ):
        frame = host.show(tool, asked)
        expect(frame.locator("#drawn")).to_contain_text("<b>bold" if tool == "list_claims" else "<img src=x onerror")
        assert frame.locator("#drawn :is(img, script, b, i)").count() == 0
    claim: Json = {"key": HOSTILE, "holder": "h", "expires_in_ms": 1, "metadata": {}}
    shown: Json = {"content": [], "structuredContent": {"claims": [claim]}}
    host.tab.page.evaluate("result => tell('ui/notifications/tool-result', result)", shown)
    expect(frame.locator("#drawn")).to_contain_text("⟨U+202E⟩evil⟨U+200B⟩")
    assert host.tab.page.evaluate("window.hacked") is None
    assert (host.tab.complaints, host.tab.foreign) == ([], [])
    host.call("calendar_delete_event", {"eventId": made["id"]})
    host.call("kanban_delete_card", {"cardId": card["structuredContent"]["data"]["id"]})
    host.call("release", {"key": "file:hostile", "holder": "<b>bold</b>"})


def test_text_is_complete_without_a_view(open_host: Callable[..., Host]) -> None:
    host = open_host()
    given, made = _week(host)
    for tool, asked in (
        ("calendar_list_events", given),
        ("kanban_list_cards", {}),
        ("list_claims", {}),
        ("get_focus_map", {}),
    ):
        result = host.call(tool, asked)
        assert json.loads(result["content"][0]["text"]).keys() == result["structuredContent"].keys()
    host.call("calendar_delete_event", {"eventId": made["id"]})


def _board(host: Host) -> Json:
    boards = host.call("kanban_list_boards", {})["structuredContent"]["data"]["boards"]
    return next(each for each in boards if each["title"] == "Billing")


def _has_no_fault(host: Host, frame: Frame, name: str) -> None:
    """Check the view in both themes, as wide as a chat and as narrow as a telephone."""
    page: Page = host.tab.page
    for theme, width in (("light", 700), ("dark", 320)):
        page.set_viewport_size({"width": width, "height": 640})
        page.evaluate("theme => tell('ui/notifications/host-context-changed', { theme })", theme)
        expect(frame.locator("html")).to_have_attribute("data-theme", theme)
        keep(host.tab, f"/chat/{name}", f"{theme}-{width}")
        assert frame.evaluate("document.scrollingElement.scrollWidth <= innerWidth"), width
        assert frame.evaluate(_SMALL) == []
        assert violations(frame) == []
    assert (host.tab.complaints, host.tab.foreign) == ([], [])
