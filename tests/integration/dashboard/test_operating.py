"""Test the operators' pages, and that other people cannot see or use them."""

import os
import re
from datetime import timedelta

import msgspec
import pytest

from almanac.gateway.dashboard.actions import Notice, Notices, Undo
from almanac.gateway.dashboard.dashboard import Dashboard
from almanac.gateway.dashboard.door import DashboardDoor
from almanac.gateway.dashboard.renderer import device
from almanac.gateway.dashboard.requests import local_origins
from almanac.gateway.dashboard.tools import ToolCalls
from almanac.gateway.hooks.records import HOOK_SESSIONS, KEPT_MS, HookSession
from almanac.identity.access.directory import StoredDirectory
from almanac.identity.access.gatekeeper import Gatekeeper
from almanac.identity.access.limits import RequestLimits
from almanac.identity.access.storage import StorageLimits
from almanac.identity.keys import ApiKeys
from almanac.identity.oauth.attempts import Attempts
from almanac.identity.oauth.records import Attempt
from almanac.identity.records import Grant
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.kernel.events import new_event
from almanac.kernel.instants import now_ms
from almanac.platform.bus.messages import Message, encode_message
from almanac.platform.bus.records import DEAD_LETTERS, DeadLetterRecord
from almanac.platform.store.port import Store
from tests.integration.dashboard.browser import Browser, Page
from tests.integration.dashboard.seen_telemetry import StrictTelemetry

_CHROME = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)"
GRANT = Grant(tenant="acme", project="default", actor="root", operator=True)


@pytest.fixture
def operator_browser(stranger: Browser, keys: ApiKeys) -> Browser:
    stranger.sign_in(keys.issue(GRANT).key.text)
    return stranger


def test_others_see_how_to_connect_and_nothing_of_keys(browser: Browser, key: str) -> None:
    for path in ("/ui/connect", "/ui/usage", "/ui/history"):
        page = browser.get(path)
        assert "The rest is for operators" in page.text
        assert key.split("_")[1] not in page.text
    assert "almanac connect claude-code" in browser.get("/ui/connect").text
    text = browser.get("/ui/connect").text
    assert "<dt>Any other MCP client</dt><dd><code>http://127.0.0.1:8787/mcp?set=core</code>" in text
    assert "<code>http://127.0.0.1:8787/mcp</code>, which lists all tools. Claude Code does so" in text


def test_an_operator_sees_who_changed_what(operator_browser: Browser, keys: ApiKeys) -> None:
    form = operator_browser.get("/ui/board").form("kanban_edit_board")
    operator_browser.submit(form, title="Work", columns="Next, Done")
    history = operator_browser.get("/ui/history").text
    assert "<code>kanban_edit_board</code>" in history
    assert "sign in" in history
    usage = operator_browser.get("/ui/usage").text
    assert "<svg" in usage
    assert "<td><code>kanban_edit_board</code></td><td>1</td>" in usage
    (row,) = re.findall(r"<tr[^>]*><td><code>kanban_edit_board</code>.*?</tr>", usage)
    tokens = int(re.findall(r"<td>([\d,]+)</td>", row)[-1].replace(",", ""))
    assert tokens > 20
    assert f"About {tokens} tokens, of the calls above;" in usage
    assert "kanban_edit_board" in operator_browser.get("/ui/connect").text
    assert operator_browser.get("/ui/history?before=nonsense").status == 200


def test_history_takes_back_what_anybody_did_where_that_is_possible(
    operator_browser: Browser, browser_of_ann: Browser, clock: FixedClock
) -> None:
    ann = browser_of_ann
    page = ann.submit(ann.get("/ui/memory").form("pin_memory"), content="Staging resets at three.")
    clock.instant += timedelta(seconds=1)
    ann.submit(page.form("forget_memory"))
    clock.instant += timedelta(seconds=1)
    ann.submit(ann.get("/ui/").form("notes_create"), title="A note")
    ann.submit(ann.get("/ui/inbox").form("send_message"), to="root", subject="Plans", body="")
    ann.submit(ann.get("/ui/knowledge").form("record_fact"), subject="a", predicate="is", object="b")

    page = operator_browser.get("/ui/history")
    assert {form["tool"] for form in page.forms if "tool" in form} == {
        "forget_memory",
        "notes_delete",
        "invalidate_fact",
    }
    assert len([form for form in page.forms if form.get("tool") == "forget_memory"]) == 1, "only the last of one memory"
    clock.instant += timedelta(seconds=1)
    page = operator_browser.submit(page.form("forget_memory"))
    assert "It is remembered again." in page.text
    assert "Staging resets at three." in ann.get("/ui/memory").text
    clock.instant += timedelta(seconds=1)
    page = operator_browser.submit(page.form("notes_delete"))
    assert "A note" not in ann.get("/ui/notes").text
    assert "notes_delete" not in {form.get("tool") for form in page.forms}
    assert "other projects have pages of their own" in page.text


def test_a_browser_takes_back_its_moves_and_deletions_later(browser: Browser, clock: FixedClock) -> None:
    page = browser.submit(browser.get("/ui/board").form("kanban_edit_board"), title="Work", columns="Next, Done")
    page = browser.submit(page.form("kanban_create_card"), title="Ship it")
    done = page.text.split('<option value="')[2].partition('"')[0]
    clock.instant += timedelta(seconds=1)
    page = browser.submit(page.form("kanban_move_card"), columnId=done, position="0")
    clock.instant += timedelta(seconds=1)
    event = browser.submit(
        browser.get("/ui/calendar").form("calendar_create_event"), title="Call", date="2026-02-18", time="16:00"
    )
    assert "/ui/event" in event.text
    browser.get("/ui/history")
    history = browser.get("/ui/history")
    assert "The rest is for operators" in history.text
    undone = [form["tool"] for form in history.forms if "undoes" in form]
    assert undone[:3] == ["calendar_delete_event", "kanban_move_card", "kanban_delete_card"]
    history = browser.submit(next(form for form in history.forms if form.get("tool") == "kanban_move_card"))
    assert "back where it was" in history.text
    assert "kanban_move_card" not in {form.get("tool") for form in history.forms}
    assert f'<option value="{done}" selected' not in browser.get("/ui/board").text
    other = Browser(browser.door)
    other.sign_in("nobody")
    assert "Ship it" not in other.get("/ui/history").text


def test_a_warning_is_shown_once_and_not_kept_with_what_can_be_undone() -> None:
    moved = Notice("It was moved.", undo=Undo("kanban_move_card", {}), at=1, warning="Too many cards.")
    kept = Notices().after(moved, "")
    assert (kept.fresh, [one.text for one in kept.past]) == (moved, ["It was moved."])
    assert kept.past[0].warning == ""


def test_usage_tells_tokens_that_hooks_told_and_what_each_family_stores(
    operator_browser: Browser, store: Store, clock: FixedClock, storage: StorageLimits
) -> None:
    assert "No hook told an agent anything" in operator_browser.get("/ui/usage").text
    assert "It is being counted." in operator_browser.get("/ui/usage").text
    for session, client, project, tokens in (
        ("a", "codex", "default", 700),
        ("b", "<b>", "default", 34),
        ("c", "x", "moon", 9),
    ):
        told = HookSession(
            session=session,
            client=client,
            key_id="k",
            at=now_ms(clock),
            expires_at=now_ms(clock) + KEPT_MS,
            tokens=tokens,
        )
        store.write([HOOK_SESSIONS.within(store, Scope("acme", project)).insert(told)])
    old = now_ms(clock) - 20 * 86_400_000
    gone = HookSession(session="d", client="old", key_id="k", at=old, expires_at=now_ms(clock) + KEPT_MS, tokens=50)
    store.write([HOOK_SESSIONS.within(store, Scope("acme", "default")).insert(gone)])
    operator_browser.submit(operator_browser.get("/ui/memory").form("pin_memory"), content="A long memory " * 300)
    operator_browser.submit(
        operator_browser.get("/ui/board").form("kanban_edit_board"), title="Work", columns="Next, Done"
    )
    storage.recount()
    text = operator_browser.get("/ui/usage").text
    assert "About 734 tokens in project default" in text
    assert "<td><code>codex</code></td><td>700</td>" in text
    assert "<td><code>&lt;b&gt;</code></td><td>34</td>" in text
    assert "Tokens by day:" in text
    counted = text.partition('id="storage"')[2]
    families = re.findall(r'data-key="family-([a-z]*)"', counted)
    assert families[0] == "memory"
    assert {"planner", ""} <= set(families)
    assert "of 20 GB" in counted


def test_an_operator_ends_a_key_and_a_session(operator_browser: Browser, browser_of_ann: Browser, key: str) -> None:
    name = key.split("_")[1]
    page = operator_browser.get("/ui/connect")
    session = next(form for form in page.forms if form.get("what") == "session" and form["name"].startswith(name))
    page = operator_browser.submit(session)
    assert "The browser is signed out." in page.text
    assert "Sign in to Almanac" in browser_of_ann.get("/ui/").text
    page = operator_browser.submit(next(form for form in page.forms if form.get("name") == name))
    assert "works no longer" in page.text
    assert "Not signed in" in browser_of_ann.sign_in(key).text


def test_a_server_that_may_not_write_keys_revokes_none(
    store: Store, clock: FixedClock, keys: ApiKeys, key: str, watched_telemetry: StrictTelemetry
) -> None:
    tools = ToolCalls(
        (), clock, watched_telemetry, audit_store=lambda: store, admission=lambda: RequestLimits(lambda: store, clock)
    )
    gatekeeper = Gatekeeper(StoredDirectory(store), store, clock)
    dashboard = Dashboard(tools, gatekeeper, store, clock, local_origins("127.0.0.1", 8787), ends_keys=False)
    browser = Browser(DashboardDoor(lambda: dashboard, watched_telemetry))
    browser.sign_in(keys.issue(GRANT).key.text)
    page = browser.get("/ui/connect")
    assert "almanac keys revoke" in page.text
    assert {form["what"] for form in page.forms if "what" in form} <= {"grant", "session"}
    logout = next(form for form in page.forms if form["@"] == "/ui/logout")
    name = key.split("_")[1]
    assert browser.submit({**logout, "@": "/ui/end", "what": "key", "name": name}).status == 404
    found = keys.find(name)
    assert found is not None
    assert found.revoked_at is None


@pytest.mark.parametrize("change", [{"operator": False}, {"readonly": True}])
def test_who_may_not_end_keys_is_refused(
    operator_browser: Browser, keys: ApiKeys, key: str, change: dict[str, bool]
) -> None:
    page = operator_browser.get("/ui/connect")
    ending = next(form for form in page.forms if form.get("name") == key.split("_")[1])
    own = next(record for record in keys.of_tenant("acme") if record.grant.actor == "root")
    keys.edit(own.id, **change)
    assert operator_browser.submit(ending).status == 403
    assert not [form for form in operator_browser.get("/ui/connect").forms if "what" in form]
    assert "Sign in to Almanac" not in operator_browser.get("/ui/").text


def test_keys_of_another_tenant_are_not_there(
    operator_browser: Browser, keys: ApiKeys, stores_other_tenant: str
) -> None:
    page = operator_browser.get("/ui/connect")
    assert stores_other_tenant not in page.text
    ending = next(form for form in page.forms if form.get("what") == "key")
    answer: Page = operator_browser.submit({**ending, "name": stores_other_tenant})
    assert answer.status == 404
    found = keys.find(stores_other_tenant)
    assert found is not None
    assert found.revoked_at is None


def test_an_operator_sees_where_each_sign_in_of_a_program_ended(
    operator_browser: Browser, store: Store, clock: FixedClock, other_tenant: str
) -> None:
    assert "No program has tried to sign in." in operator_browser.get("/ui/connect").text
    attempts = Attempts(store, clock, os.urandom)

    def note(attempt: str, step: str, outcome: str, tenant: str = "acme", **more: str) -> None:
        clock.instant += timedelta(milliseconds=1)
        attempts.note(Attempt(id="", at=0, attempt=attempt, step=step, outcome=outcome, tenant=tenant, **more))

    note("one", "key", "accepted", client_host="claude.ai", redirect="claude.ai", scope="almanac", key_id="k1")
    note("one", "consent", "allowed", client_host="claude.ai")
    note("one", "token", "the code_verifier does not match the code_challenge", client_id="https://claude.ai/<b>")
    note("two", "key", "accepted", client_id="alc-two")
    note("three", "key", "accepted", tenant=other_tenant, client_host="not.ours.example.com")
    note("four", "authorize", "the page was shown", tenant="", client_host="nobodys.example.com")
    page = operator_browser.get("/ui/connect").text
    ended = page[page.index('data-key="one"') :]
    for told in (
        "<strong>claude.ai</strong>",
        "the code_verifier does not match the code_challenge, ",
        "answered at claude.ai",
        "k1",
    ):
        assert told in ended
    assert "key: accepted → consent: allowed → token: the code_verifier does not match the code_challenge" in ended
    assert "alc-two" in page
    assert "not.ours" not in page
    assert "nobodys" not in page
    clock.instant += timedelta(days=7)
    operator_browser.sign_in(ApiKeys(store, clock, os.urandom).issue(GRANT).key.text)
    assert "No program has tried to sign in." in operator_browser.get("/ui/connect").text
    assert list(attempts.latest()) == []


@pytest.fixture
def browser_of_ann(operator_browser: Browser, key: str) -> Browser:
    """Another browser, signed in with ann's key."""
    another = Browser(operator_browser.door)
    another.sign_in(key)
    return another


@pytest.fixture
def stores_other_tenant(operator_browser: Browser, keys: ApiKeys, other_tenant: str) -> str:
    return keys.issue(msgspec.structs.replace(GRANT, tenant=other_tenant)).record.id


def test_an_operator_sends_an_event_again_that_was_given_up_on(
    operator_browser: Browser, store: Store, clock: FixedClock
) -> None:
    assert "every reaction has followed" in operator_browser.get("/ui/usage").text
    scope, at = Scope("acme", "default"), now_ms(clock)
    happened = new_event("item_created", scope, key="k", actor="ann", at=at, random_bytes=os.urandom)
    message = Message(happened)
    letter = DeadLetterRecord(
        event_id=message.event.id,
        reaction="index",
        message=encode_message(message),
        attempts=6,
        error="<b>down</b>",
        first_at=at,
        parked_at=at,
    )
    store.write([DEAD_LETTERS.within(store, message.event.scope).put(letter)])
    page = operator_browser.get("/ui/usage")
    assert "&lt;b&gt;down&lt;/b&gt;" in page.text
    page = operator_browser.submit(next(form for form in page.forms if form.get("what") == "event"))
    assert "The event was sent again." in page.text
    assert "every reaction has followed" in page.text
    assert "events retry" in operator_browser.get("/ui/history").text


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        (f"{_CHROME} Chrome/131.0.0.0 Safari/537.36", "Chrome 131 on Windows"),
        (f"{_CHROME} Chrome/131.0.0.0 Safari/537.36 Edg/130.0.0.0", "Edge 130 on Windows"),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0", "Firefox 143 on Linux"),
        (
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
                "Version/17.5 Mobile/15E148 Safari/604.1"
            ),
            "Safari 17 on iPhone",
        ),
        (
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) "
                "Version/18.1 Safari/605.1.15"
            ),
            "Safari 18 on macOS",
        ),
        ("curl/8.5.0", "curl 8.5.0"),
        ("claude-code/2.1.227 (cli)", "claude-code 2.1.227"),
        ("Mozilla/5.0", "A browser"),
        ("<script>", "A browser"),
        ("", "A browser"),
    ],
)
def test_a_browser_is_named_by_what_it_sends(user_agent: str, name: str) -> None:
    assert device(user_agent) == name


def test_an_operator_reads_names_of_browsers_and_the_rest_as_a_detail(stranger: Browser, keys: ApiKeys) -> None:
    said = f"{_CHROME} Chrome/131.0.0.0 Safari/537.36"
    stranger.post("/ui/login", {"key": keys.issue(GRANT).key.text}, user_agent=said)
    text = stranger.get("/ui/connect").text
    assert "Chrome 131 on Windows <span" in text
    assert f"<code>{said}</code></details>" in text
