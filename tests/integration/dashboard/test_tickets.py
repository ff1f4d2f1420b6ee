"""Test tickets, with which a page on AWS opens the live feed's socket, as its cookie does not reach that address."""

import os
import re
from datetime import timedelta

import pytest

from almanac.identity.browser_sessions import BrowserSessions
from almanac.identity.keys import ApiKeys
from almanac.identity.records import Grant
from almanac.kernel.clock import FixedClock
from almanac.platform.store.port import Store
from tests.integration.dashboard.browser import Browser, Page

ASKED = "/ui/ticket"


@pytest.fixture
def feed() -> str:
    return "wss://abc123.execute-api.eu-central-1.amazonaws.com/feed"


@pytest.fixture
def sessions(store: Store, clock: FixedClock) -> BrowserSessions:
    return BrowserSessions(store, clock, os.urandom)


def _token(page: Page) -> str:
    return page.forms[0]["token"]


def test_a_page_names_the_feed_and_may_connect_to_it_alone(browser: Browser) -> None:
    page = browser.get("/ui/")
    assert 'data-live="wss://abc123.execute-api.eu-central-1.amazonaws.com/feed"' in page.text
    policy = page.headers["content-security-policy"]
    assert "connect-src 'self' wss://abc123.execute-api.eu-central-1.amazonaws.com; " in policy
    assert "connect-src 'self'; " in Browser(browser.door).get("/ui/").headers["content-security-policy"]


def test_a_ticket_stands_for_the_session_of_the_page_once(browser: Browser, sessions: BrowserSessions) -> None:
    page = browser.post(ASKED, {"token": _token(browser.get("/ui/"))})
    assert (page.status, page.headers["content-type"]) == (200, "text/plain; charset=utf-8")
    assert page.headers["cache-control"] == "no-store"
    assert re.fullmatch(r"[a-z2-7]{32}", page.text)
    signed = sessions.redeem_ticket(page.text)
    assert signed is not None
    assert f"_{signed.session.id}_" in browser.cookies["almanac_local_8787"]
    assert sessions.redeem_ticket(page.text) is None


def test_other_sites_strangers_and_forms_of_other_sessions_get_no_ticket(
    browser: Browser, keys: ApiKeys, other_tenant: str
) -> None:
    token = _token(browser.get("/ui/"))
    assert browser.get(ASKED).status == 404
    assert browser.post(ASKED, {"token": token}, sec_fetch_site="cross-site").status == 403
    assert browser.post(ASKED, {"token": token}, origin="https://evil.example", sec_fetch_site=None).status == 403
    assert browser.post(ASKED, {"token": token}, host="evil.example").status == 421
    assert browser.post(ASKED, {}).status == 403
    stranger = Browser(browser.door).post(ASKED, {"token": token})
    assert "Sign in to Almanac" in stranger.text
    other = Browser(browser.door)
    other.sign_in(keys.issue(Grant(tenant=other_tenant, project="default", actor="eve")).key.text)
    assert other.post(ASKED, {"token": token}).status == 403


def test_asking_for_tickets_is_no_use_of_a_session(browser: Browser, clock: FixedClock) -> None:
    token = _token(browser.get("/ui/"))
    answers: list[Page] = []
    for _ in range(12):
        clock.instant += timedelta(hours=1)
        answers.append(browser.post(ASKED, {"token": token}))
    assert len({each.text for each in answers[:-1]}) == 11
    assert "Sign in to Almanac" in answers[-1].text


@pytest.mark.parametrize("feed", [""])
def test_a_server_without_such_a_socket_gives_no_tickets(browser: Browser) -> None:
    page = browser.get("/ui/")
    assert "data-live" not in page.text
    assert browser.post(ASKED, {"token": _token(page)}).status == 404
