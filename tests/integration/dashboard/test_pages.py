"""Test every page with and without data: its calls, its contents and its forms."""

import html
import re
from typing import Any

import pytest
from jinja2 import UndefinedError

from almanac.families.team.core.roles import ROLES, actor_roles
from almanac.gateway.dashboard.dashboard import MORE, PAGES
from almanac.gateway.dashboard.renderer import Templates
from almanac.gateway.dashboard.tools import whole
from almanac.identity.keys import ApiKeys
from almanac.identity.records import Grant
from almanac.kernel.caller import Scope
from almanac.platform.store.port import Store
from tests.integration.dashboard.browser import Browser, Page
from tests.integration.dashboard.seen_telemetry import StrictTelemetry

HOSTILE = '<script>alert(1)</script> "><img src=x onerror=alert(2)> \u202egpj.exe\u200b'
EVERY = sorted((*PAGES, *MORE))
BESIDE = ("/ui/team?show=files", "/ui/inbox?show=all", "/ui/memory?q=x")
"""Other views of pages."""


def test_every_page_opens_where_there_is_nothing_yet(browser: Browser, watched_telemetry: StrictTelemetry) -> None:
    for path in (*EVERY, *BESIDE):
        watched_telemetry.called_tools.clear()
        page = browser.get(path)
        assert page.status == 200, path
        assert len(watched_telemetry.called_tools) <= 4, path
        assert 'aria-current="page"' in page.text or path in MORE
        assert "read_inbox" in watched_telemetry.called_tools or len(watched_telemetry.called_tools) == 4, path


def test_the_navigation_leads_to_every_page(browser: Browser) -> None:
    text = browser.get("/ui/").text
    for path in PAGES:
        assert f'<li><a href="{path}"' in text


def test_a_card_is_added_moved_edited_and_deleted_with_undo(browser: Browser) -> None:
    page = browser.submit(browser.get("/ui/board").form("kanban_edit_board"), title="Work", columns="Next, Done")
    page = browser.submit(page.form("kanban_create_card"), title=HOSTILE)
    assert_harmless(page)
    moving = page.form("kanban_move_card")
    done = page.text.split('<option value="')[2].partition('"')[0]
    page = browser.submit(moving, columnId=done, position="0")
    assert "Moved" in page.text
    assert page.form("kanban_move_card")["a.cardId"] == moving["a.cardId"]
    page = undone(browser, page)
    assert "back where it was" in page.text
    page = browser.submit(page.form("kanban_update_card"), title="Plain", description="two\nlines")
    assert "<strong" in page.text
    assert "Plain" in page.text
    stale = browser.submit(moving, columnId=done, position="0")
    assert stale.status == 409
    assert "has changed since you read it" in stale.text
    assert 'role="alert"' in stale.text
    page = browser.submit(browser.get("/ui/board").form("kanban_delete_card"))
    assert "data-card" not in page.text
    assert "Plain" in undone(browser, page).text


def test_what_a_tool_warns_of_is_shown_once(browser: Browser) -> None:
    form = browser.get("/ui/calendar").form("calendar_create_event")
    first = browser.submit(form, title="Dentist", date="2026-02-18", time="16:00")
    assert "It overlaps" not in first.text
    second = browser.submit(form, title=HOSTILE, date="2026-02-18", time="16:15")
    third = browser.submit(form, title="Late", date="2026-02-18", time="16:20")
    assert "It overlaps “Dentist”." in html.unescape(second.text)
    assert "It overlaps “Dentist”, “" in html.unescape(third.text)
    assert_harmless(third)
    assert "It overlaps" not in browser.get("/ui/calendar").text
    assert "It overlaps" not in browser.get("/ui/history").text

    board = browser.submit(browser.get("/ui/board").form("kanban_edit_board"), title="Work", columns="Next, Done")
    column = board.form("kanban_create_card")["a.columnId"]
    browser.submit(board.form("kanban_edit_board"), action="update_column", columnId=column, wipLimit="1", title="Next")
    for title in ("one", "two"):
        board = browser.submit(browser.get("/ui/board").form("kanban_create_card"), title=title)
    assert "over its WIP limit of 1" in board.text


def test_an_event_is_made_moved_and_cancelled_with_undo(browser: Browser) -> None:
    page = browser.get("/ui/calendar")
    page = browser.submit(page.form("calendar_create_event"), title=HOSTILE, date="2026-02-18", time="16:00")
    assert_harmless(page)
    assert "16:00" in page.text
    shown = browser.get(event_of(page))
    assert_harmless(shown)
    moved = browser.submit(
        shown.form("calendar_update_event", timezone="Europe/Berlin"), date="2026-02-19", time="17:30"
    )
    assert "Moved" in moved.text
    assert "17:30" in moved.text
    assert "16:00</time>" in undone(browser, moved).text
    cancelled = browser.submit(browser.get(event_of(page)).form("calendar_delete_event"))
    assert "/ui/event" not in cancelled.text
    assert "/ui/event" in undone(browser, cancelled).text


@pytest.mark.parametrize("view", ["day", "week", "month", "agenda"])
def test_every_view_of_the_calendar_shows_the_event(browser: Browser, view: str) -> None:
    form = browser.get("/ui/calendar").form("calendar_create_event")
    browser.submit(form, title="Dentist", date="2026-02-18", time="16:00")
    assert "Dentist" in browser.get(f"/ui/calendar?view={view}&at=2026-02-18").text


@pytest.mark.parametrize(("day", "hours"), [("2026-03-29", "23 hours"), ("2026-10-25", "25 hours")])
def test_a_day_on_which_the_clocks_change_has_its_real_hours(browser: Browser, day: str, hours: str) -> None:
    text = browser.get(f"/ui/calendar?view=day&at={day}").text
    assert hours in text
    assert text.count('class="hour ') == int(hours[:2])


def test_a_time_that_the_clocks_skip_is_asked_about(browser: Browser) -> None:
    form = browser.get("/ui/calendar").form("calendar_create_event")
    page = browser.submit(form, title="Early", date="2026-03-29", time="02:30")
    assert page.status == 422
    assert "2026-03-29 03:00" in page.text
    page = browser.submit(page.form("calendar_create_event", title="Early"))
    assert "The event is in the calendar" in page.text
    assert "03:00" in browser.get("/ui/calendar?view=agenda&at=2026-03-29").text


@pytest.mark.parametrize(("which", "instant"), [(0, "2026-10-25T00:30:00Z"), (1, "2026-10-25T01:30:00Z")])
def test_of_a_time_that_comes_twice_one_is_chosen(browser: Browser, which: int, instant: str) -> None:
    form = browser.get("/ui/calendar").form("calendar_create_event")
    page = browser.submit(form, title="Bedtime", date="2026-10-25", time="02:30")
    assert page.status == 422
    assert "Bedtime" not in browser.get("/ui/calendar?view=agenda&at=2026-10-25").text
    chosen = re.findall('type="radio" name="a.date" value="([^"]*)"', page.text)[which]
    page = browser.submit(page.form("calendar_create_event"), date=html.unescape(chosen))
    assert "The event is in the calendar" in page.text
    assert f'<time datetime="{instant}"' in browser.get("/ui/calendar?view=agenda&at=2026-10-25").text


def test_a_memory_is_pinned_found_forgotten_and_restored(browser: Browser) -> None:
    page = browser.submit(browser.get("/ui/memory").form("pin_memory"), content=HOSTILE, tags="a, b")
    assert_harmless(page)
    page = browser.submit(browser.get("/ui/memory").form("forget_memory"))
    assert "gpj.exe" not in page.text
    page = undone(browser, page)
    assert "gpj.exe" in page.text
    one = page.text.split('href="/ui/memory/one?')[1].partition('"')[0]
    assert_harmless(browser.get(f"/ui/memory/one?{one}"))
    assert browser.get("/ui/memory?q=alert").status == 200


def test_mail_is_read_answered_and_acknowledged(browser: Browser, keys: ApiKeys) -> None:
    other = Browser(browser.door)
    other.sign_in(keys.issue(Grant(tenant="acme", project="default", actor="ben")).key.text)
    page = browser.get("/ui/inbox")
    assert "All mail is acknowledged." in page.text
    for subject in (HOSTILE, "Plans"):
        page = browser.submit(page.form("send_message"), to="ben, role:reviewer", subject=subject, body="two\nlines")
        assert "The message is sent." in page.text

    read = other.get("/ui/inbox")
    assert_harmless(read)
    assert "<strong>2</strong> unread" in read.text
    answered = other.submit(next(one for one in read.forms if one.get("j.to") == '["ann"]'), body=HOSTILE)
    assert "The answer is sent." in answered.text
    left = other.submit(answered.form("acknowledge_message"))
    assert "<strong>1</strong> unread" in left.text
    assert "gpj.exe" in other.get("/ui/inbox?show=all").text

    page = browser.get("/ui/inbox")
    assert_harmless(page)
    assert "<strong>1</strong> unread" in page.text
    thread = page.text.split('href="/ui/inbox?thread=')[1].partition('"')[0]
    whole_thread = browser.get(f"/ui/inbox?thread={thread}")
    assert_harmless(whole_thread)
    assert whole_thread.text.count("<article") == 2


@pytest.mark.parametrize(("accept", "owner"), [("true", "ann"), ("false", "ben")])
def test_work_that_was_handed_over_is_accepted_or_declined_in_the_inbox(
    browser: Browser, keys: ApiKeys, accept: str, owner: str
) -> None:
    giver = Browser(browser.door)
    giver.sign_in(keys.issue(Grant(tenant="acme", project="default", actor="ben")).key.text)
    page = giver.submit(giver.get("/ui/team").form("claim"), key="file:a.py")
    form = page.form("claim")
    handing = {"@": "/ui/do", "token": form["token"], "tool": "hand_over", "back": "/ui/team"}
    page = giver.submit(handing, to="ann", note="Please finish it", claims="file:a.py", holder="ben")
    assert page.status == 200

    for path in ("/ui/", "/ui/team"):
        text = browser.get(path).text
        assert "handed over to you" in text
        assert '<span class="count">1<' in text
    team = browser.get("/ui/team")
    assert "handed over, no answer yet" in team.text.partition('id="claims"')[2]
    assert "handed over, no answer yet" in giver.get("/ui/team").text
    page = browser.submit(
        (team if accept == "true" else browser.get("/ui/inbox")).form("answer_handover", accept=accept)
    )
    assert "The work is yours." in page.text or "went back" in page.text
    team = browser.get("/ui/team")
    assert f"({owner})" in team.text.partition('id="claims"')[2].partition('id="ready"')[0]
    assert "no answer yet" not in team.text


def test_roles_unread_mail_and_ready_work_are_shown_where_people_look(
    browser: Browser, store: Store, keys: ApiKeys
) -> None:
    store.write([ROLES.within(store, Scope("acme", "default")).put(actor_roles("ann", ["reviewer"]))])
    ben = Browser(browser.door)
    ben.sign_in(keys.issue(Grant(tenant="acme", project="default", actor="ben")).key.text)
    ben.submit(
        ben.get("/ui/inbox").form("send_message"),
        to="role:reviewer",
        subject=HOSTILE,
        body="please",
        ack_required="true",
    )
    browser.submit(browser.get("/ui/team").form("claim"), key="file:a.py")
    page = browser.submit(browser.get("/ui/board").form("kanban_edit_board"), title="Work", columns="Next, Doing, Done")
    for title in (HOSTILE, "Ship it"):
        page = browser.submit(page.form("kanban_create_card"), title=title)
    ship = re.findall(r'id="card-([^"]+)"', page.text.partition('<strong class="grow">Ship it')[0])[-1]
    gate = {**page.form("kanban_create_card"), "tool": "kanban_gate"}
    browser.submit({name: value for name, value in gate.items() if name != "a.columnId"}, cardId=ship, person="ann")

    for path in ("/ui/", "/ui/team"):
        page = browser.get(path)
        assert_harmless(page)
        assert all(
            said in page.text for said in ("You also get mail to reviewer", "asks for an answer", "a yes of ann")
        )
        assert "Ship it" not in page.text.split('id="ready"')[1].split("<h3>")[0]
        assert '<span class="count">1<' in page.text
    assert '<span class="tag">reviewer</span>' in browser.get("/ui/team").text
    assert '<span class="count">1<' in browser.get("/ui/notes").text
    assert '<span class="count">' not in ben.get("/ui/notes").text
    page = browser.submit(browser.get("/ui/").form("open_gate"))
    assert "The card may start." in page.text
    page = browser.submit(page.form("acknowledge_message"))
    assert "All mail is acknowledged." in page.text
    assert '<span class="count">' not in page.text


def test_a_key_that_only_reads_can_neither_write_nor_acknowledge(browser: Browser, keys: ApiKeys) -> None:
    reader = Browser(browser.door)
    reader.sign_in(keys.issue(Grant(tenant="acme", project="default", actor="ben", readonly=True)).key.text)
    browser.submit(browser.get("/ui/inbox").form("send_message"), to="ben", subject="Plans", body="")
    text = reader.get("/ui/inbox").text
    assert "Plans" in text
    assert 'action="/ui/do"' not in text


def test_the_board_tells_which_cards_can_start_and_what_others_wait_for(
    browser: Browser, watched_telemetry: StrictTelemetry
) -> None:
    page = browser.submit(browser.get("/ui/board").form("kanban_edit_board"), title="Work", columns="Next, Doing, Done")
    for title in (HOSTILE, "Ship it"):
        page = browser.submit(page.form("kanban_create_card"), title=title)
    cards = page.text.partition('id="ready"')[0]
    ship = re.findall(r'id="card-([^"]+)"', cards.partition('<strong class="grow">Ship it')[0])[-1]
    form = {**page.form("kanban_create_card"), "tool": "kanban_gate"}
    for gate in ({"person": "ann"}, {"signal": HOSTILE}, {"until": "2026-12-24 at 9:00"}):
        page = browser.submit(
            {name: value for name, value in form.items() if name != "a.columnId"}, cardId=ship, **gate
        )
    watched_telemetry.called_tools.clear()
    page = browser.get("/ui/board")
    assert len(watched_telemetry.called_tools) <= 4
    assert_harmless(page)
    can_start, waits = page.text.split('id="blocked"')[0].split('id="ready"')[1], page.text.split('id="blocked"')[1]
    assert "Ship it" not in can_start
    assert all(said in waits for said in ("Ship it", "a yes of ann", "the signal", "until 2026-12-24"))

    page = browser.submit(page.form("open_gate"))
    assert "The card may start." in page.text
    assert "a yes of" not in page.text
    page = browser.submit(page.form("kanban_take"))
    assert "It is yours for an hour." in page.text
    assert "No card can start." in page.text


def test_a_claim_is_taken_and_released(browser: Browser) -> None:
    page = browser.submit(browser.get("/ui/team").form("claim"), key="file:a.py")
    assert "<code>file:a.py</code>" in page.text
    page = browser.submit(page.form("release"))
    assert "<code>file:a.py</code>" not in page.text


def test_what_a_form_says_is_for_the_page_that_follows_and_not_for_one_that_is_left(browser: Browser) -> None:
    fields = next(form for form in browser.get("/ui/team").forms if form.get("tool") == "claim")
    browser.post("/ui/do", {**fields, "a.key": "file:src/a.py"})
    assert 'id="notice"' not in browser.get("/ui/team", almanac_refresh="1").text
    assert 'id="notice"' in browser.get("/ui/team").text
    assert 'id="notice"' not in browser.get("/ui/team").text


def test_a_fact_is_recorded_ended_and_holds_again(browser: Browser) -> None:
    form = browser.get("/ui/knowledge").form("record_fact")
    page = browser.submit(form, subject=HOSTILE, predicate="is", object="odd")
    assert_harmless(page)
    page = browser.submit(page.form("invalidate_fact"))
    assert "holds no longer" in page.text
    assert "holds again" in undone(browser, page).text


def undone(browser: Browser, page: Page) -> Page:
    notice = page.text.partition('<div id="notice"')[2]
    return browser.submit(Page(200, {}, notice).forms[0])


def event_of(page: Page) -> str:
    return "/ui/event?" + page.text.split('href="/ui/event?')[1].partition('"')[0]


def assert_harmless(page: Page) -> None:
    assert page.status == 200
    assert "<script>alert" not in page.text
    assert "<img" not in page.text
    assert "alert(1)" in page.text
    assert not re.search("[\u202e\u200b]", re.sub(r"<[^>]*>|<textarea.*?</textarea>", "", page.text))


def test_a_template_that_names_what_no_answer_has_fails() -> None:
    schema: dict[str, Any] = {
        "properties": {"rows": {"type": "array", "items": {"properties": {"a": {}, "b": {}}, "required": ["a"]}}},
        "anyOf": [{"properties": {"other": {}}, "required": ["other"]}],
    }
    assert whole({"rows": [{"a": 1}]}, schema) == {"rows": [{"a": 1, "b": None}]}
    assert whole({"other": 1}, schema) == {"rows": None, "other": 1}
    with pytest.raises(UndefinedError):
        Templates({"file": str, "pages": []}).render("list.html", {"theme": "light", "title": "x"})
