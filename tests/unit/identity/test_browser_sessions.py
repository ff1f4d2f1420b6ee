"""Sessions of browsers: they begin with a key or a code, hold while they are used, and end with their key."""

import os
from datetime import timedelta

import msgspec
import pytest

from almanac.identity.access.directory import StoredDirectory
from almanac.identity.access.gatekeeper import Gatekeeper
from almanac.identity.access.principal import Principal
from almanac.identity.access.refusals import BAD_KEY, PROJECT_NEEDED, Refusal
from almanac.identity.audit import AUDIT
from almanac.identity.browser_sessions import BrowserSessions, sessions_of
from almanac.identity.keys import ApiKeys
from almanac.identity.records import ANY_PROJECT, Grant, KeyRecord
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.platform.store.port import Store
from almanac.platform.store.queries import every_item


@pytest.fixture
def sessions(store: Store, clock: FixedClock) -> BrowserSessions:
    return BrowserSessions(store, clock, os.urandom)


@pytest.fixture
def key(keys: ApiKeys, grant: Grant) -> KeyRecord:
    return keys.issue(grant).record


def test_a_cookie_finds_its_session_and_key(sessions: BrowserSessions, key: KeyRecord) -> None:
    cookie = sessions.begin(key, "default", device="Firefox\x1b[31m")
    found = sessions.find(cookie)
    assert found is not None
    assert (found.key, found.session.project, found.session.operator) == (key, "default", False)
    assert found.session.device == "Firefox[31m"


def test_the_store_never_holds_the_secret_of_a_cookie(sessions: BrowserSessions, key: KeyRecord, store: Store) -> None:
    secret = sessions.begin(key, "default").rpartition("_")[2]
    assert secret not in str(list(every_item(store, sessions_of(key.id), page=10)))


@pytest.mark.parametrize("wrong", ["", "abs_", "nonsense", "alm_" + "a" * 60, "x" * 5000])
def test_what_is_no_cookie_finds_nothing(sessions: BrowserSessions, wrong: str) -> None:
    assert sessions.find(wrong) is None


def test_a_cookie_with_another_secret_finds_nothing(sessions: BrowserSessions, key: KeyRecord) -> None:
    one, other = sessions.begin(key, "default"), sessions.begin(key, "default")
    assert sessions.find(one.rpartition("_")[0] + "_" + other.rpartition("_")[2]) is None


def test_a_session_holds_while_it_is_used_and_30_days_at_most(
    sessions: BrowserSessions, key: KeyRecord, clock: FixedClock
) -> None:
    cookie = sessions.begin(key, "default")
    hours = 0
    while sessions.find(cookie):
        clock.instant += timedelta(hours=11)
        hours += 11
    assert 30 * 24 - 11 < hours <= 30 * 24 + 11


def test_a_session_that_is_not_used_ends_after_12_hours(
    sessions: BrowserSessions, key: KeyRecord, clock: FixedClock
) -> None:
    cookie = sessions.begin(key, "default")
    clock.instant += timedelta(hours=12)
    assert sessions.find(cookie) is None
    assert list(sessions.of_key(key.id)) == []


def test_a_session_is_listed_and_ended(sessions: BrowserSessions, key: KeyRecord) -> None:
    cookie, kept = sessions.begin(key, "default"), sessions.begin(key, "default")
    found = sessions.find(cookie)
    assert found is not None
    assert len(list(sessions.of_key(key.id))) == 2
    sessions.end(key, found.session.id)
    sessions.end(key, found.session.id)
    assert sessions.find(cookie) is None
    assert sessions.find(kept) is not None
    assert sessions.edit(found.session, timezone="Asia/Tokyo") is None


def test_a_zone_that_was_chosen_stays(sessions: BrowserSessions, key: KeyRecord) -> None:
    cookie = sessions.begin(key, "default")
    found = sessions.find(cookie)
    assert found is not None
    sessions.edit(found.session, timezone="Asia/Tokyo")
    again = sessions.find(cookie)
    assert again is not None
    assert again.session.timezone == "Asia/Tokyo"


def test_a_code_signs_in_once_within_a_minute(sessions: BrowserSessions, key: KeyRecord, clock: FixedClock) -> None:
    code = sessions.new_code(key.id, operator=True)
    assert sessions.redeem(f" {code[:8].upper()}-{code[8:]}\n") == (key, True)
    assert sessions.redeem(code) is None
    late = sessions.new_code(key.id, operator=False)
    clock.instant += timedelta(seconds=60)
    assert sessions.redeem(late) is None
    assert sessions.redeem("a" * 16) is None
    assert sessions.redeem("é" * 16) is None


def test_a_session_is_an_operators_as_long_as_its_key_is(
    sessions: BrowserSessions, keys: ApiKeys, grant: Grant
) -> None:
    record = keys.issue(msgspec.structs.replace(grant, operator=True)).record
    cookie = sessions.begin(record, "default")
    found = sessions.find(cookie)
    assert found is not None
    assert found.is_operator
    keys.edit(record.id, operator=False)
    found = sessions.find(cookie)
    assert found is not None
    assert not found.is_operator


def test_who_signs_in_and_out_is_in_the_audit_trail(sessions: BrowserSessions, key: KeyRecord, store: Store) -> None:
    found = sessions.find(sessions.begin(key, "default"))
    assert found is not None
    sessions.end(key, found.session.id)
    entries = AUDIT.within(store, Scope("acme", "")).every()
    assert {(one.tool, one.subject, one.actor) for one in entries} == {
        ("sign in", found.session.id, "ann"),
        ("sign out", found.session.id, "ann"),
    }


def test_a_proven_key_is_let_in_as_if_it_had_been_sent(
    keys: ApiKeys, key: KeyRecord, grant: Grant, store: Store, clock: FixedClock
) -> None:
    gatekeeper = Gatekeeper(StoredDirectory(store), store, clock)
    allowed = gatekeeper.admits(key, "")
    assert isinstance(allowed, Principal)
    assert allowed.caller.scope == Scope("acme", "default")
    assert isinstance(gatekeeper.admits(key, "moon"), Refusal)
    wide = keys.issue(msgspec.structs.replace(grant, project=ANY_PROJECT)).record
    assert gatekeeper.admits(wide, "") == PROJECT_NEEDED
    chosen = gatekeeper.admits(wide, "moon")
    assert isinstance(chosen, Principal)
    assert chosen.caller.scope.project == "moon"
    assert gatekeeper.admits(keys.revoke(key.id), "") == BAD_KEY
