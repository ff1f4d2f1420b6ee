"""Files that are made to take long, indexed at a server: other tenants do not notice."""

import threading
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.integration.local.crowd import key_of
from tests.integration.local.server_process import ALMANAC, Server, call_message, run_server

SIZE = 120_000
MOST_LATER = 0.25
"""Seconds that a ping may take longer while bombs are indexed."""
PINGS = 40


def _nest(opening: str, closing: str, core: str) -> str:
    times = SIZE // len(opening + closing)
    return opening * times + core + closing * times


BOMBS = {
    "Parens.java": "class A { int f() { return " + _nest("(", ")", "a") + "; } }\n",
    "parens.js": "x = " + _nest("(", ")", "a") + ";\n",
    "shallow.ts": ("x = " + "(" * 190 + "a" + ")" * 190 + ";\n") * (SIZE // 390),
    "Chain.java": "class A {\n" + ("int f() { return a()" + ".b()" * 100 + "; }\n") * (SIZE // 430) + "}\n",
    "chain.rs": ("fn f() { let x = a()" + "\n.b()" * 100 + "; }\n") * (SIZE // 530),
    "generics.cs": "class A { " + _nest("A<", ">", "int") + " f; }\n",
    "lists.py": "x = " + _nest("[", "]", "a") + "\n",
    "open.c": "int f() { return " + "(" * SIZE,
    "quotes.rb": '"' * SIZE,
}


@pytest.fixture(scope="module")
def victim_server(tmp_path_factory: pytest.TempPathFactory) -> Generator[tuple[Server, str]]:
    folder: Path = tmp_path_factory.mktemp("bombs")
    with run_server([ALMANAC, "serve", "--port", "0", "--data", folder]) as server:
        yield server, key_of("victim", folder)


def _ping_seconds(server: Server, key: str) -> float:
    began = time.perf_counter()
    reply = server.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, x_api_key=key)
    assert reply.json["result"] == {}
    return time.perf_counter() - began


def test_bombs_of_one_tenant_do_not_delay_the_ping_of_another(victim_server: tuple[Server, str]) -> None:
    server, key = victim_server
    files = [{"path": path, "content": text} for path, text in BOMBS.items()]
    # So starts the worker, and what a first call loads.
    server.post(call_message("index_files", repo_id="warm", files=[{"path": "a.py", "content": "x = 1\n"}]))
    quiet = max(_ping_seconds(server, key) for _ in range(PINGS))
    answers: list[dict[str, object]] = []
    indexing = threading.Thread(
        target=lambda: answers.extend(
            server.post(call_message("index_files", repo_id="bombs", files=some)).json["result"]["structuredContent"]
            for some in (files, files[:1])
        )
    )
    indexing.start()
    slowest, count = 0.0, 0
    while indexing.is_alive() or count < PINGS:
        slowest, count = max(slowest, _ping_seconds(server, key)), count + 1
    indexing.join()
    assert answers[0]["indexed"] == len(BOMBS)
    assert slowest <= quiet + MOST_LATER
    rows = server.post(call_message("list_files", repo_id="bombs")).json["result"]["structuredContent"]["files"]
    unparsed = {row["path"]: row["reason"] for row in rows if not row["parsed"]}
    assert "Parens.java" in unparsed
    assert all(unparsed.values())
