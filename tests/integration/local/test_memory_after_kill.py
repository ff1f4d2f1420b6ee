"""Test that a laptop keeps every acknowledged memory once after its server was killed, and none that was forgotten."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.integration.local.server_process import ALMANAC, Server, call_message, run_server

Json = dict[str, Any]
Ask = Callable[..., Json]

TURNS = [
    {"role": "user", "content": "The heron sleeps in the reeds.", "client_turn_id": "one"},
    {"role": "assistant", "content": "The ferry to the island leaves at noon."},
    {"role": "user", "content": "My password = kV9x2Lq7Zt, remember it.", "client_turn_id": "three"},
]


@contextmanager
def _serve(folder: Path, key: str | None = None) -> Generator[tuple[Ask, Server, str]]:
    """A server on the data of `folder`, killed at the end."""
    with run_server([ALMANAC, "serve", "--port", "0", "--data", folder]) as server:
        used = server.key or key or ""

        def ask(tool: str, /, **arguments: Any) -> Json:
            result = server.post(call_message(tool, **arguments), x_api_key=used).json["result"]
            assert not result.get("isError"), result
            return result["structuredContent"]

        yield ask, server, used


@pytest.mark.slow
def test_what_was_acknowledged_is_there_once_and_what_was_forgotten_is_not(tmp_path: Path) -> None:
    with _serve(tmp_path) as (ask, _, key):
        recorded = [one["turn_id"] for one in ask("record_turns", turns=TURNS, session_id="s")["results"]]
        pinned = ask("pin_memory", content="Ferries leave at noon.", derived_from_turn_ids=[recorded[1]])["memory"][
            "id"
        ]
        ask("forget_memory", memory_id=recorded[0])

    with _serve(tmp_path, key) as (ask, _, key):
        again = ask("record_turns", turns=TURNS[1:], session_id="s")["results"]
        assert [(one["turn_id"], one["deduped"]) for one in again] == [(one, True) for one in recorded[1:]]
        hits = [hit["id"] for hit in ask("search_memory", query="When does the ferry leave?")["hits"]]
        assert set(hits[:2]) == {recorded[1], pinned}
        assert [
            hit["id"] for hit in ask("search_memory", query="heron in the reeds")["hits"] if hit["id"] == recorded[0]
        ] == []
        assert [turn["id"] for turn in ask("list_recent_turns", session_id="s")["turns"]] == recorded[:0:-1]
        ask("forget_memory", memory_id=recorded[0], restore=True)

    with _serve(tmp_path, key) as (ask, _, key):
        assert recorded[0] in [hit["id"] for hit in ask("search_memory", query="heron in the reeds")["hits"]]
        assert [one["id"] for one in ask("get_snapshot")["pinned"]] == [pinned]
    assert b"kV9x2Lq7Zt" not in b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
