"""A running server, as clients see it."""

import asyncio
import json
import socket
import time
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, ListToolsResult

from almanac.identity.access.guesses import PER_MINUTE
from tests.integration.local.server_process import Server, call_message, type_command

LIST: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


def issue(folder: Path, *options: str) -> str:
    done = type_command("keys", "issue", "--data", folder, *options)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


async def with_client(server: Server, mode: str, key: str | None = None) -> tuple[ListToolsResult, CallToolResult]:
    async with (
        httpx2.AsyncClient(headers={"x-api-key": key or server.key or ""}) as http,
        Client(streamable_http_client(server.url, http_client=http), mode=mode) as client,
    ):
        return await client.list_tools(), await client.call_tool("add", {"a": 1, "b": 2})


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_lists_and_calls_in_both_eras(server: Server, mode: str) -> None:
    listed, result = asyncio.run(with_client(server, mode))
    assert [tool.name for tool in listed.tools] == ["add", "find", "smash", "wait"]
    assert result.structured_content == {"total": 3, "tenant": "default", "project": "default", "actor": "owner"}


def test_the_official_client_is_told_in_words_that_its_key_is_not_valid(server: Server) -> None:
    with pytest.RaisesGroup(
        pytest.RaisesExc(MCPError, match=r"The API key is not valid\."), flatten_subgroups=True, allow_unwrapped=True
    ):
        asyncio.run(with_client(server, "auto", "alm_nobody_" + "x" * 40))


def test_health_needs_no_key_and_tells_versions_and_families(server: Server) -> None:
    health = server.request("GET", "/health")
    assert health.status == 200
    assert health.headers["content-type"] == "application/json"
    assert health.json["status"] == "ok"
    assert health.json["families"] == ["counting", "waiting"]
    assert set(health.json) == {"status", "version", "tzdb", "families"}


def test_the_ready_line_comes_with_the_key_and_lines_to_paste(server: Server) -> None:
    assert server.announced.startswith("Almanac ")
    assert server.key is not None
    for client in ("Claude Code", "Claude Desktop", "Cursor", "VS Code", "Codex", "Gemini"):
        assert client in server.announced
    assert f'claude mcp add --scope user --transport http almanac {server.url} --header "x-api-key: {server.key}"' in (
        server.announced
    )


def test_a_key_is_taken_as_a_bearer_token_too(server: Server) -> None:
    assert server.request("POST", "/mcp", json.dumps(LIST), authorization=f"Bearer {server.key}").status == 200


def test_without_a_key_the_answer_is_a_challenge_in_json(server: Server) -> None:
    reply = server.request("POST", "/mcp", json.dumps(LIST))
    assert reply.status == 401
    metadata = server.url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp")
    assert reply.headers["www-authenticate"] == (
        f'Bearer realm="almanac", resource_metadata="{metadata}", scope="almanac"'
    )
    assert reply.headers["content-type"] == "application/json"
    assert reply.json["error"]["message"].startswith("No API key was sent.")


def test_revoked_expired_and_unknown_keys_get_the_same_answer(server: Server, folder: Path) -> None:
    revoked = issue(folder)
    type_command("keys", "revoke", revoked, "--data", folder)
    expired = issue(folder)
    type_command("keys", "rotate", expired.split("_")[1], "--overlap", "0s", "--data", folder)
    replies = [server.post(LIST, x_api_key=key) for key in (revoked, expired, "alm_nobody_" + "x" * 48, "nonsense")]
    assert {reply.status for reply in replies} == {401}
    assert len({reply.body for reply in replies}) == 1
    assert len({frozenset((reply.headers | {"date": ""}).items()) for reply in replies}) == 1


def test_a_key_that_is_revoked_while_the_server_runs_stops_at_once(server: Server, folder: Path) -> None:
    key = issue(folder)
    assert server.post(LIST, x_api_key=key).status == 200
    type_command("keys", "revoke", key.split("_")[1], "--data", folder)
    assert server.post(LIST, x_api_key=key).status == 401


def test_a_key_of_all_projects_needs_one_to_be_named(server: Server, folder: Path) -> None:
    type_command("projects", "create", "moon", "--data", folder)
    key = issue(folder, "--project", "*", "--actor", "ann")
    assert server.post(LIST, x_api_key=key).status == 403
    assert server.post(LIST, x_api_key=key, x_almanac_project="mars").status == 403
    answer = server.post(call_message("add", a=1, b=1), x_api_key=key, x_almanac_project="moon")
    assert answer.json["result"]["structuredContent"] == {
        "total": 2,
        "tenant": "default",
        "project": "moon",
        "actor": "ann",
    }


def test_a_readonly_key_sees_and_calls_only_what_reads(server: Server, folder: Path) -> None:
    key = issue(folder, "--readonly")
    tools = [tool["name"] for tool in server.post(LIST, x_api_key=key).json["result"]["tools"]]
    assert tools == ["add", "find"]
    assert server.post(call_message("smash"), x_api_key=key).json["error"]["code"] == -32602


def test_exactly_as_many_requests_as_the_key_allows_are_answered(server: Server, folder: Path) -> None:
    key = issue(folder, "--per-day", "3")
    replies = [server.post(LIST, x_api_key=key) for _ in range(5)]
    assert [reply.status for reply in replies] == [200, 200, 200, 429, 429]
    seconds = replies[-1].json["retry_after_seconds"]
    assert replies[-1].headers["retry-after"] == str(seconds)
    assert 0 < seconds <= 86_400


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_only_post_is_taken(server: Server, method: str) -> None:
    reply = server.request(method, "/mcp", x_api_key=server.key or "")
    assert reply.status == 405
    assert reply.headers["allow"] == "POST"


def test_a_client_finds_the_server_without_a_key(server: Server) -> None:
    listed = server.request("GET", "/.well-known/mcp/catalog.json")
    (entry,) = listed.json["entries"]
    card = server.request("GET", entry["url"].removeprefix(server.url.removesuffix("/mcp")))
    assert (listed.status, card.status) == (200, 200)
    assert card.headers["content-type"] == entry["type"]
    assert [remote["url"] for remote in card.json["remotes"]] == [server.url]


@pytest.mark.parametrize(
    "path",
    ["/", "/mcp/nothing", "/.well-known/nothing", "/.well-known/oauth-protected-resource/mcp/nothing"],
)
def test_what_is_not_there_is_a_json_404(server: Server, path: str) -> None:
    reply = server.request("GET", path, x_api_key=server.key or "")
    assert reply.status == 404
    assert reply.json["error"]["code"] == 404


def test_a_page_of_another_origin_is_refused(server: Server) -> None:
    assert server.post(LIST, origin="https://evil.example").status == 403
    assert server.post(LIST, origin="http://localhost:3000").status == 200


@pytest.mark.parametrize(
    ("path", "headers", "tools"),
    [
        ("/mcp?families=waiting", {}, ["wait"]),
        ("/mcp?families=waiting&families=counting&tools=w*,add", {}, ["add", "wait"]),
        ("/mcp?readonly=1", {}, ["add", "find"]),
        ("/mcp", {"x_almanac_families": "waiting"}, ["wait"]),
        ("/mcp", {"x_almanac_tools": "f*"}, ["find"]),
        ("/mcp", {"x_almanac_readonly": "1"}, ["add", "find"]),
        ("/mcp/waiting", {}, ["wait"]),
    ],
)
def test_the_hub_is_narrowed_as_asked(server: Server, path: str, headers: dict[str, str], tools: list[str]) -> None:
    listed = server.post(LIST, path, **headers).json["result"]["tools"]
    assert [tool["name"] for tool in listed] == tools


def test_a_body_over_the_limit_is_a_413_that_its_sender_gets_to_read(server: Server) -> None:
    reply = server.post(call_message("find", name="x" * (4 * 1024 * 1024)))
    assert reply.status == 413
    assert reply.json["error"]["data"]["limit_bytes"] == 4 * 1024 * 1024


def test_a_body_without_a_declared_length_is_cut_off_at_the_same_limit(server: Server) -> None:
    chunk = b"100000\r\n" + b"x" * 0x100000 + b"\r\n"
    head = f"POST /mcp HTTP/1.1\r\nhost: x\r\nx-api-key: {server.key}\r\ntransfer-encoding: chunked\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(head.encode() + chunk * 5 + b"0\r\n\r\n")
        assert connection.recv(1000).startswith(b"HTTP/1.1 413 ")


def test_a_body_of_any_bytes_never_breaks_the_server(server: Server) -> None:
    for body in (b"\xff\xfe\x00", b"[" * 100_000, b'"\\ud800"', b"{}"):
        assert server.request("POST", "/mcp", body, x_api_key=server.key or "").status == 400
    assert server.post(LIST).status == 200


def test_a_request_that_is_no_http_is_refused(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(b"\x16\x03\x01 hello\r\n\r\n")
        assert connection.recv(1000).startswith(b"HTTP/1.1 400 ")
    assert server.request("GET", "/health").status == 200


def test_one_connection_carries_many_requests(server: Server) -> None:
    async def several() -> list[int]:
        headers = {"x-api-key": server.key or "", "content-type": "application/json"}
        async with httpx2.AsyncClient(headers=headers) as http:
            return [(await http.post(server.url, json=LIST)).status_code for _ in range(20)]

    assert asyncio.run(several()) == [200] * 20


def test_many_clients_are_answered_at_once(server: Server) -> None:
    async def at_once() -> list[Any]:
        headers = {"x-api-key": server.key or "", "content-type": "application/json"}
        async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
            posts = [http.post(server.url, json=call_message("add", a=n, b=n)) for n in range(64)]
            return [reply.json()["result"]["content"][0]["text"] for reply in await asyncio.gather(*posts)]

    totals = [json.loads(text)["total"] for text in asyncio.run(at_once())]
    assert totals == [2 * n for n in range(64)]


def test_the_log_has_a_line_per_request_and_never_a_key_or_an_argument(server: Server) -> None:
    secret = "alm_stranger_" + "q" * 40
    server.post(LIST, x_api_key=secret)
    server.post(call_message("find", name="hunter2"))
    # The last of the two, and of no other test: the log comes in order.
    log = await_log(server, "tools/call find default/default 200 error")
    assert "authorize 401" in log
    assert "hunter2" not in log
    assert server.key is not None
    for text in (secret, server.key, secret.split("_")[2], server.key.split("_")[2]):
        assert text not in log


def test_an_address_that_keeps_guessing_is_told_to_wait_while_known_keys_go_on(server: Server) -> None:
    assert server.post(LIST).status == 200
    # The count begins anew with each minute: twice as many are too many for one of two.
    replies = [server.post(LIST, x_api_key="alm_guess_" + "x" * 40) for _ in range(2 * PER_MINUTE + 1)]
    refused = [reply for reply in replies if reply.status == 429]
    assert refused
    assert refused[-1].json["retry_after_seconds"] <= 60
    assert server.post(LIST).status == 200


def await_log(server: Server, awaited: str) -> str:
    """The log once it holds `awaited`: it comes through a pipe, a moment after the answer."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if awaited in (log := "".join(server.log)):
            return log
    raise AssertionError(f"not logged: {awaited}")
