"""Servers of one machine share their word vectors, and compare by meaning from the first call on."""

import threading
from pathlib import Path

import pytest

from almanac.platform.embedder.packaged_model import DIMENSIONS, SHARED_TABLE
from almanac.platform.embedder.table_file import open_table
from tests.integration.local.server_process import ALMANAC, Server, call_message, run_server

pytestmark = pytest.mark.slow


def search_contents(server: Server, query: str) -> list[str]:
    """Record two turns, and return the contents found for a query that shares no word with them."""
    for content in ("The puppy is fast asleep.", "Parliament votes on the new tax today."):
        assert "error" not in server.post(call_message("record_turn", content=content, session_id="s")).json
    answer = server.post(call_message("search_memory", query=query, k=1, mode="chunks")).json["result"][
        "structuredContent"
    ]
    assert not answer.get("notes")
    return [hit["content"] for hit in answer["hits"]]


def serve_until_logged(folder: Path, cache: Path, texts: list[str]) -> str:
    """The log of a server of a new folder, which stops once it has said each of the texts."""
    with run_server([ALMANAC, "serve", "--port", "0", "--data", folder], ALMANAC_CACHE=str(cache)) as server:
        assert search_contents(server, "Is the dog tired?") == ["The puppy is fast asleep."]
        ticks = threading.Event()
        while not all(text in "".join(server.log) for text in texts):
            assert server.process.poll() is None
            ticks.wait(0.2)
        assert server.stop() == 0
        return "".join(server.log)


def test_the_first_folder_makes_the_table_and_the_next_ones_only_read_it(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert "made once for this machine" in serve_until_logged(tmp_path / "one", cache, ["search vectors are ready"])
    assert open_table(cache / SHARED_TABLE).shape == (30_522, DIMENSIONS)
    assert "search vectors" not in serve_until_logged(tmp_path / "two", cache, [])
    assert not (tmp_path / "two" / "embedder").exists()


def test_where_there_can_be_no_cache_the_folder_keeps_its_own_and_answers_all_the_same(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.write_bytes(b"a file where the folder is to be")
    log = serve_until_logged(tmp_path / "one", cache, ["search vectors are ready"])
    assert f"search vectors cannot be kept in {cache}" in log
    assert len(open_table(tmp_path / "one" / "embedder" / "static.table")) == 30_522


def test_of_two_servers_that_start_at_once_one_makes_the_table(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    one = [ALMANAC, "serve", "--port", "0", "--data", tmp_path / "one"]
    other = [ALMANAC, "serve", "--port", "0", "--data", tmp_path / "two"]
    with run_server(one, ALMANAC_CACHE=str(cache)) as first, run_server(other, ALMANAC_CACHE=str(cache)) as second:
        for server in (first, second):
            assert search_contents(server, "Is the dog tired?") == ["The puppy is fast asleep."]
        ticks = threading.Event()
        while not any("search vectors are ready" in line for line in [*first.log, *second.log]):
            ticks.wait(0.2)
        for server in (first, second):
            assert search_contents(server, "Is the dog tired?") == ["The puppy is fast asleep."]
            assert server.stop() == 0
    assert sum("made once" in line for line in [*first.log, *second.log]) == 1
    assert len(open_table(cache / SHARED_TABLE)) == 30_522
