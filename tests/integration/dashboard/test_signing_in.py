"""Test signing in to the dashboard, and protection against foreign forms, frames and redirects."""

import os
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from almanac.composition.families import every_family
from almanac.composition.laptop import laptop_services
from almanac.gateway.dashboard.tools import ToolCalls
from almanac.identity.access.call_leases import CallLeases
from almanac.identity.access.directory import StoredDirectory
from almanac.identity.access.gatekeeper import Gatekeeper
from almanac.identity.access.limits import RequestLimits
from almanac.identity.access.principal import Principal
from almanac.identity.access.tiers import TierLimits
from almanac.identity.browser_sessions import BrowserSessions
from almanac.identity.keys import ApiKeys
from almanac.identity.records import ANY_PROJECT, Grant
from almanac.kernel.clock import FixedClock
from almanac.platform.store.port import Store
from tests.integration.dashboard.browser import Browser
from tests.integration.dashboard.seen_telemetry import StrictTelemetry

GRANT = Grant(tenant="acme", project="default", actor="bob")


def test_without_a_session_every_page_is_the_form_to_sign_in(stranger: Browser) -> None:
    page = stranger.get("/ui/board?board=7")
    assert page.status == 200
    assert 'name="key" type="password"' in page.text
    assert page.headers["cache-control"] == "no-store"


def test_a_key_signs_in_and_out(stranger: Browser, key: str) -> None:
    answer = stranger.sign_in(key)
    assert (answer.status, answer.headers["location"]) == (303, "/ui/")
    assert answer.headers["set-cookie"].startswith("almanac_local_8787=abs_")
    assert "HttpOnly" in answer.headers["set-cookie"]
    assert "SameSite=Strict" in answer.headers["set-cookie"]
    page = stranger.get("/ui/")
    assert "<h1>Today</h1>" in page.text
    kept = dict(stranger.cookies)
    assert stranger.submit(next(form for form in page.forms if form["@"] == "/ui/logout")).status == 200
    stranger.cookies = kept
    assert "Sign in to Almanac" in stranger.get("/ui/").text


@pytest.mark.parametrize("wrong", ["", "nonsense", "alm_abcd_" + "x" * 48, "\x00", "é" * 300])
def test_what_is_no_key_does_not_sign_in(stranger: Browser, wrong: str) -> None:
    page = stranger.sign_in(wrong)
    assert page.status == 401
    assert "Not signed in." in page.text
    assert wrong == "" or wrong not in page.text


def test_guessing_keys_here_is_counted_as_everywhere(stranger: Browser, key: str) -> None:
    pages = [stranger.sign_in("alm_abcd_" + "x" * 48) for _ in range(31)]
    assert "Too many requests" in pages[-1].text
    assert "Too many requests" in stranger.sign_in(key).text


def test_a_session_ends_with_its_key(browser: Browser, key: str, keys: ApiKeys) -> None:
    assert "<h1>Today</h1>" in browser.get("/ui/").text
    keys.revoke(key.split("_")[1])
    assert "Sign in to Almanac" in browser.get("/ui/").text


def test_a_key_for_several_projects_says_which(stranger: Browser, keys: ApiKeys) -> None:
    wide = keys.issue(msgspec.structs.replace(GRANT, project=ANY_PROJECT)).key.text
    assert "choose one" in stranger.sign_in(wide).text
    stranger.post("/ui/login", {"key": wide, "project": "moon"})
    assert "<strong>moon</strong>" in stranger.get("/ui/").text


def test_a_one_time_code_signs_in_once(stranger: Browser, keys: ApiKeys, store: Store, clock: FixedClock) -> None:
    record = keys.issue(GRANT).record
    sessions = BrowserSessions(store, clock, os.urandom)
    code = sessions.new_code(record.id, operator=True)
    assert stranger.post("/ui/login", {"code": code}).status == 303
    assert [session.operator for session in sessions.of_key(record.id)] == [True]
    assert stranger.post("/ui/login", {"code": code}).status == 401
    late = sessions.new_code(record.id, operator=True)
    clock.instant += timedelta(seconds=61)
    assert stranger.post("/ui/login", {"code": late}).status == 401


@pytest.mark.parametrize(
    "leads",
    [
        "https://evil.example/",
        "//evil.example/",
        "/ui//evil.example",
        "/\\evil.example",
        "/ui/../mcp",
        "/ui/\r\nset-cookie: a=b",
        "javascript:alert(1)",
        "/uix",
        "http://[",
    ],
)
def test_signing_in_leads_nowhere_else(stranger: Browser, key: str, leads: str) -> None:
    assert stranger.post("/ui/login", {"key": key, "next": leads}).headers["location"] == "/ui/"


def test_signing_in_leads_to_the_page_that_was_asked_for(stranger: Browser, key: str) -> None:
    assert stranger.post("/ui/login", {"key": key, "next": "/ui/board"}).headers["location"] == "/ui/board"


@pytest.mark.parametrize(
    "headers",
    [
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"sec_fetch_site": None},
        {"sec_fetch_site": None, "origin": None},
        {"origin": "https://evil.example"},
        {"origin": "http://127.0.0.1:9999", "sec_fetch_site": None},
        {"origin": "https://127.0.0.1:8787"},
    ],
)
def test_forms_of_other_pages_are_refused(browser: Browser, headers: dict[str, str | None], key: str) -> None:
    form = browser.get("/ui/").form("notes_create")
    fields = {**form, "a.title": "planted"}
    assert browser.post("/ui/do", fields, **headers).status == 403
    assert browser.post("/ui/login", {"key": key}, **headers).status == 403
    assert "planted" not in browser.get("/ui/").text


def test_a_form_of_another_session_is_refused(browser: Browser, key: str) -> None:
    form = browser.get("/ui/").form("notes_create")
    other = Browser(browser.door)
    other.sign_in(key)
    assert other.post("/ui/do", {**form, "a.title": "planted"}).status == 403
    assert other.post("/ui/do", {"tool": "notes_create", "a.title": "planted"}).status == 403


@pytest.mark.parametrize(
    "name", ["evil.example:8787", "127.0.0.1:9999", "localhost", "127.0.0.1.evil.example:8787", ""]
)
def test_a_name_that_was_rebound_to_this_machine_shows_nothing(browser: Browser, name: str) -> None:
    assert browser.get("/ui/", host=name).status == 421
    assert browser.get("/ui/static/x/almanac.css", host=name).status == 421


@pytest.mark.parametrize("name", ["localhost:8787", "[::1]:8787", "LOCALHOST:8787"])
def test_the_machines_own_names_are_served(browser: Browser, name: str) -> None:
    assert browser.get("/ui/", host=name).status == 200


@pytest.mark.parametrize("name", ["mcp.example.com", "MCP.example.com:443"])
def test_behind_a_proxy_pages_are_served_at_the_public_url_with_cookies_bound_to_it(
    stranger: Browser, key: str, name: str
) -> None:
    fields = {"key": key, "next": "/ui/"}
    answer = stranger.post("/ui/login", fields, host=name, origin="https://mcp.example.com")
    assert answer.status == 303
    assert answer.headers["set-cookie"].startswith("__Host-almanac=abs_")
    assert {"Secure", "HttpOnly", "Path=/", "SameSite=Lax"} <= {*answer.headers["set-cookie"].split("; ")}
    assert "<h1>Today</h1>" in stranger.get("/ui/", host=name).text
    # The cookie of one address is not that of the other.
    assert "Sign in to Almanac" in stranger.get("/ui/").text


def test_a_proxy_that_names_this_machine_may_send_forms_of_the_public_url(stranger: Browser, key: str) -> None:
    fields = {"key": key, "next": "/ui/"}
    assert stranger.post("/ui/login", fields, origin="https://mcp.example.com").status == 303
    assert stranger.post("/ui/login", fields, origin="http://mcp.example.com").status == 403
    assert stranger.post("/ui/login", fields, origin="https://evil.example").status == 403


@pytest.mark.parametrize("path", ["/ui/", "/ui/nothing", "/ui/static/0/almanac.js", "/ui", "/ui/static/0/../../x"])
def test_every_answer_keeps_the_page_to_itself(browser: Browser, path: str) -> None:
    headers = browser.get(path).headers
    policy = headers["content-security-policy"]
    for part in ("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"):
        assert part in policy
    assert "unsafe" not in policy
    assert headers["x-frame-options"] == "DENY"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == "same-origin"


def test_a_read_only_key_sees_no_controls_and_is_refused_anyway(stranger: Browser, keys: ApiKeys) -> None:
    stranger.sign_in(keys.issue(msgspec.structs.replace(GRANT, readonly=True)).key.text)
    page = stranger.get("/ui/")
    assert "read-only" in page.text
    assert not [form for form in page.forms if form["@"] == "/ui/do"]
    token = page.forms[0]["token"]
    refused = stranger.post("/ui/do", {"token": token, "tool": "notes_create", "a.title": "x"})
    assert refused.status == 403
    assert "read-only" in refused.text


def test_a_key_of_one_family_sees_why_the_rest_is_not_shown(stranger: Browser, keys: ApiKeys) -> None:
    stranger.sign_in(keys.issue(msgspec.structs.replace(GRANT, families=("team",))).key.text)
    page = stranger.get("/ui/")
    assert page.status == 200
    assert "may use only the families team" in page.text


def test_the_limit_of_a_key_counts_the_calls_of_a_page(stranger: Browser, keys: ApiKeys) -> None:
    stranger.sign_in(keys.issue(msgspec.structs.replace(GRANT, per_minute=2)).key.text)
    assert "Too many requests" in stranger.get("/ui/").text


def test_the_zone_of_the_pages_is_chosen_and_named(browser: Browser) -> None:
    page = browser.get("/ui/")
    assert "Europe/Berlin, UTC+1" in page.text
    settings = next(form for form in page.forms if "zone" in form)
    page = browser.submit({**settings, "zone": "Asia/Tokyo"})
    assert "Asia/Tokyo, UTC+9" in page.text
    assert browser.post("/ui/settings", {**settings, "zone": "Nowhere/Land"}).status == 422


def test_what_only_an_attacker_could_have_put_into_the_notice_is_not_shown(browser: Browser) -> None:
    browser.cookies["almanac_notice"] = "eyJ0ZXh0IjoicGxhbnRlZCJ9.0000"
    assert "planted" not in browser.get("/ui/").text


def test_a_page_that_did_not_change_is_not_sent_again(browser: Browser) -> None:
    page = browser.get("/ui/")
    again = browser.get("/ui/", if_none_match=page.headers["etag"])
    assert (again.status, again.text) == (304, "")


def test_a_page_holds_a_lease_of_its_tenant_for_each_call_of_an_expensive_family(
    store: Store, clock: FixedClock, tmp_path: Path, keys: ApiKeys, watched_telemetry: StrictTelemetry
) -> None:
    families = every_family(laptop_services(store, clock, tmp_path / "sealing", 30))
    leases = CallLeases(store, clock, os.urandom)
    tools = ToolCalls(
        families,
        clock,
        watched_telemetry,
        audit_store=lambda: store,
        admission=lambda: RequestLimits(lambda: store, clock),
        leases=lambda: leases,
        expensive=frozenset({"memory"}),
    )
    record = keys.issue(GRANT).key.id
    found = keys.find(record)
    assert found is not None
    tiers = {"standard": TierLimits(None, 1)}
    principal = Gatekeeper(StoredDirectory(store), store, clock, tiers=tiers).admits(found, "default")
    assert isinstance(principal, Principal)
    assert tools.call(principal, "get_snapshot", {}).is_good
    with leases.hold("acme", 1):
        refused = tools.call(principal, "get_snapshot", {})
        assert refused.problem is not None
        assert "1 expensive call" in refused.problem
        assert tools.call(principal, "list_calendars", {}).is_good
