import os
from collections.abc import Generator
from pathlib import Path

import pytest

from almanac.families.calendar.accounts.credentials import ACCOUNTS, AccountRecord, Accounts, Server
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Forbidden, InvalidInput
from almanac.platform.encryption.key_file import KeyFileSealer
from almanac.platform.store.sqlite.store import SqliteStore

HERE, THERE = Scope("acme", "main"), Scope("acme", "other")


@pytest.fixture
def store(tmp_path: Path, clock: FixedClock) -> Generator[SqliteStore]:
    opened = SqliteStore(tmp_path / "store.db", clock=clock, cursor_secret=b"the secret of these tests")
    yield opened
    opened.close()


def accounts(store: SqliteStore, tmp_path: Path, clock: FixedClock, scope: Scope = HERE) -> Accounts:
    return Accounts(store, scope, KeyFileSealer(tmp_path / "key", os.urandom), clock)


def test_an_account_is_kept_and_its_secret_opens(store: SqliteStore, tmp_path: Path, clock: FixedClock) -> None:
    kept = accounts(store, tmp_path, clock)
    kept.keep("caldav", "home", b"hunter2", Server(url="https://dav.example.com/", user="ann"))
    found = accounts(store, tmp_path, clock).find("caldav", "home")
    assert (found.user, kept.secret(found)) == ("ann", b"hunter2")


def test_no_secret_shows_in_listings_or_on_disk(store: SqliteStore, tmp_path: Path, clock: FixedClock) -> None:
    kept = accounts(store, tmp_path, clock)
    record = kept.keep("caldav", "home", b"hunter2-and-more", Server(user="ann"))
    assert repr(record) == "AccountRecord(caldav/home)"
    assert "sealed" not in repr(kept.list_accounts())
    store.close()
    assert b"hunter2-and-more" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())


def test_a_record_that_is_carried_to_another_project_or_name_does_not_open(
    store: SqliteStore, tmp_path: Path, clock: FixedClock
) -> None:
    record = accounts(store, tmp_path, clock).keep("caldav", "home", b"hunter2")
    stolen = AccountRecord(provider="caldav", id="mine", sealed=record.sealed, created_at=0)
    store.write([ACCOUNTS.within(store, THERE).put(record), ACCOUNTS.within(store, HERE).put(stolen)])
    with pytest.raises(Forbidden):
        accounts(store, tmp_path, clock, THERE).secret(record)
    with pytest.raises(Forbidden):
        accounts(store, tmp_path, clock).secret(stolen)


def test_accounts_are_their_projects_own_and_can_be_forgotten(
    store: SqliteStore, tmp_path: Path, clock: FixedClock
) -> None:
    kept = accounts(store, tmp_path, clock)
    kept.keep("caldav", "home", b"x")
    kept.keep("google", "work", b"y")
    assert accounts(store, tmp_path, clock, THERE).list_accounts() == []
    kept.forget("caldav", "home")
    kept.forget("caldav", "home")
    assert [(one.provider, one.id) for one in kept.list_accounts()] == [("google", "work")]
    with pytest.raises(Forbidden, match="connect caldav"):
        kept.find("caldav", "home")


@pytest.mark.parametrize("name", ["", "a/b", "a" * 65, "-x", "two words"])
def test_a_name_that_is_none_is_refused(store: SqliteStore, tmp_path: Path, clock: FixedClock, name: str) -> None:
    with pytest.raises(InvalidInput):
        accounts(store, tmp_path, clock).keep("caldav", name, b"x")
