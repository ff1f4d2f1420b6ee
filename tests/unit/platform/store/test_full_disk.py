"""Test a full disk. Data stays readable, writes say how to help, and nothing is lost."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from almanac.identity.access.limits import RequestLimits
from almanac.identity.access.principal import Principal
from almanac.kernel.errors import Unavailable
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import DISK_FULL, Put
from almanac.platform.store.shared_secret import shared_secret
from almanac.platform.store.sqlite import connections, schema
from almanac.platform.store.sqlite.store import SqliteStore
from tests.app import Json
from tests.project_app import ProjectApp

Fill = Callable[[Path, SqliteStore], None]


@pytest.fixture
def fill(monkeypatch: pytest.MonkeyPatch) -> Fill:
    """Let the file of a store grow no more: SQLite answers as on a full disk."""

    def fill(path: Path, store: SqliteStore) -> None:
        with sqlite3.connect(path) as connection:
            pages = connection.execute("PRAGMA page_count").fetchone()[0]

        def connect_capped(path: Path, synchronous: schema.Synchronous, busy_seconds: float) -> sqlite3.Connection:
            connection = schema.connect(path, synchronous, busy_seconds)
            connection.execute(f"PRAGMA max_page_count={pages}")
            return connection

        store.close()
        opened = connections.Connections(path, "NORMAL", 1.0, connect_capped)
        monkeypatch.setattr(store, "_connections", opened)
        # What is left on the pages that the file has.
        filler = Partition.system("filler")
        for size in (3000, 300, 30):
            for number in range(1000):
                try:
                    store.write([Put(Key(filler, sort_key(size, number)), {"text": "x" * size})])
                except Unavailable:
                    break

    return fill


READING: list[tuple[str, Json]] = [
    ("list_recent_turns", {"limit": 2}),
    ("search_memory", {"query": "which database"}),
    ("synthesize", {"query": "which database"}),
    ("get_snapshot", {}),
    ("context_orient", {}),
    ("context_getCurrent", {}),
    ("context_recall", {"query": "database", "limit": 1, "threshold": 0}),
    ("context_list", {"limit": 1}),
    ("query_facts", {"limit": 1}),
    ("list_claims", {}),
    ("list_rules", {}),
]


@pytest.fixture
def full(tmp_path: Path, fill: Fill) -> ProjectApp:
    app = ProjectApp(tmp_path)
    shared_secret(app.store, "cursors", lambda size: b"s" * size)
    for number in range(5):
        app.do("record_turn", role="user", content=f"Decision {number}: the database is Postgres", session_id="s")
        app.do("context_store", type="decision", content=f"Service {number} uses the database")
        app.do("record_fact", subject=f"Service {number}", predicate="uses", object="Postgres")
    app.follow()
    fill(tmp_path / "almanac.db", app.database)
    return app


@pytest.mark.parametrize(("tool", "arguments"), READING)
def test_what_is_stored_can_be_read(full: ProjectApp, tool: str, arguments: Json) -> None:
    assert full.do(tool, **arguments)


def test_lists_go_on_to_their_next_page(full: ProjectApp) -> None:
    first = full.do("list_recent_turns", limit=2)
    second = full.do("list_recent_turns", limit=2, cursor=first["next_cursor"])

    assert len({turn["id"] for turn in (*first["turns"], *second["turns"])}) == 4


def test_a_write_says_what_to_do(full: ProjectApp) -> None:
    refused = full.refusal("record_turn", role="user", content="word " * 3000, session_id="s")

    assert refused == f"{DISK_FULL}: The disk of the store is full. Free some space, then repeat the call."


def test_a_key_with_a_limit_can_read_while_nothing_can_be_counted(full: ProjectApp) -> None:
    limits = RequestLimits(lambda: full.store, full.clock)

    assert limits.admit(Principal(full.caller, per_minute=1)) is None
