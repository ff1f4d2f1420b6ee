"""Test a server that one client tries to monopolise by slow calls, large bodies, idle connections or sockets."""

import http.client
import json
import resource
import socket
import sys
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from statistics import median

import pytest

from tests.doubles.slow_server import serve_slowly
from tests.integration.local.crowd import connect_to, crowd_server, key_of
from tests.integration.local.server_process import ALMANAC, ROOT, Reply, Server, call_message, run_server

SLOW_CALLS = 34


@pytest.fixture
def server(tmp_path: Path) -> Generator[Server]:
    program = ROOT / "tests/integration/local/crowded_server.py"
    with run_server([sys.executable, program, tmp_path / "data"]) as server:
        yield server


def add(server: Server, key: str) -> Reply:
    return server.post(call_message("add", a=1, b=2), x_api_key=key)


@pytest.mark.slow
def test_slow_calls_of_one_tenant_leave_the_calls_of_others_alone(server: Server, tmp_path: Path):
    busy, calm = key_of("busy", tmp_path / "data"), key_of("calm", tmp_path / "data")
    until = tmp_path / "until"
    with ThreadPoolExecutor(SLOW_CALLS) as pool:
        slow = [
            pool.submit(server.post, call_message("spin", until=str(until)), x_api_key=busy) for _ in range(SLOW_CALLS)
        ]
        while not Path(f"{until}.busy.begun").exists():
            time.sleep(0.01)
        spent: list[float] = []
        for _ in range(40):
            began = time.perf_counter()
            assert add(server, calm).json["result"]["structuredContent"]["total"] == 3
            spent.append(time.perf_counter() - began)
        until.touch()
        replies = [call.result() for call in slow]
    assert {reply.status for reply in replies} <= {200, 429}
    # A call that waited for the slow ones would not end before them.
    assert median(spent) < 5


@pytest.mark.slow
def test_rules_and_bookings_of_one_tenant_leave_the_calls_of_others_alone_and_all_end(tmp_path: Path):
    folder = tmp_path / "data"
    busy, calm = key_of("busy", folder), key_of("calm", folder)
    convert = call_message("convert_timezone", datetime="2026-11-22T12:00:00Z", target_timezone="Asia/Tokyo")
    with serve_slowly(b"HTTP/1.1 207 Multi-Status\r\n", b"x", 1.0) as drip:
        connect_to(drip.port, "busy", folder)
        with run_server([ALMANAC, "serve", "--port", "0", "--data", folder]) as server:
            with crowd_server(server, busy) as ended:
                while not (drip.connections and ended()):
                    time.sleep(0.01)
                spent: list[float] = []
                for message in [convert, call_message("kanban_list_boards")] * 20:
                    began = time.perf_counter()
                    assert not server.post(message, x_api_key=calm).json["result"].get("isError")
                    spent.append(time.perf_counter() - began)
                # By CPU it takes a few milliseconds; waiting for one booking would take 19 seconds.
                assert median(spent) < 2.0
                assert max(spent) < 17
            replies = ended()
    assert {reply.status for _, reply in replies} <= {200, 429}
    assert max(seconds for seconds, _ in replies) < 30
    assert any(b"trials" in reply.body for _, reply in replies)
    assert any(b"CalDAV" in reply.body for _, reply in replies)


def test_who_is_not_known_gets_no_thread_of_the_tenants(server: Server, tmp_path: Path):
    calm = key_of("calm", tmp_path / "data")
    # A key that was used from an address keeps working there, however many guesses come from it.
    assert add(server, calm).status == 200
    with ThreadPoolExecutor(16) as pool:
        refused = [pool.submit(add, server, "alm_nobody_" + "x" * 48) for _ in range(200)]
        replies = [add(server, calm) for _ in range(20)]
        assert {reply.status for reply in replies} == {200}
        assert {call.result().status for call in refused} <= {401, 429}


def memory_kb(server: Server) -> int:
    for line in Path(f"/proc/{server.process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    raise AssertionError("no memory is told")


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_large_bodies_with_a_bad_key_cost_no_memory(server: Server, tmp_path: Path):
    assert server.post(call_message("add", a=1, b=2)).status == 200
    # A server that starts opens its search first; that memory is of no client.
    while not (tmp_path / "data" / "search" / "made-by").exists():
        time.sleep(0.01)
    before = memory_kb(server)
    body = b"x" * (4 * 1024 * 1024)
    head = (
        f"POST /mcp HTTP/1.1\r\nhost: x\r\nx-api-key: alm_wrong\r\ncontent-length: {len(body)}\r\n"
        "content-type: application/json\r\n\r\n"
    ).encode()
    most = before
    with ExitStack() as stack:
        clients = [stack.enter_context(socket.create_connection(("127.0.0.1", server.port))) for _ in range(100)]
        for client in clients:
            client.settimeout(30)
            client.sendall(head + body[:1_000_000])
            most = max(most, memory_kb(server))
        for client in clients:
            assert client.recv(64).startswith((b"HTTP/1.1 401", b"HTTP/1.1 429"))
    assert most - before < 40_000
    assert server.post(call_message("add", a=1, b=2)).status == 200


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the limit is set for the child")
def test_more_idle_connections_than_the_machine_has_files_for_shut_nobody_out(tmp_path: Path):
    program = ROOT / "tests/integration/local/crowded_server.py"
    limited = ["sh", "-c", 'ulimit -n 1024; exec "$@"', "sh", sys.executable, program, tmp_path / "data"]
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
    try:
        with run_server(limited) as server, ExitStack() as stack:
            for _ in range(1400):
                stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=30))
            for _ in range(5):
                assert server.post(call_message("add", a=1, b=2)).status == 200
            server.stop()
            logged = sum(map(len, server.log))
            assert logged < 20_000, server.log[:20]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_keepalive_connection_goes_on_after_refusals_of_others(server: Server):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    headers = {"content-type": "application/json", "mcp-protocol-version": "2025-11-25", "x-api-key": server.key or ""}
    for _ in range(3):
        connection.request("POST", "/mcp", json.dumps(call_message("add", a=1, b=2)), headers)
        assert json.loads(connection.getresponse().read())["result"]["structuredContent"]["total"] == 3
    connection.close()


def test_an_address_that_a_caller_names_is_not_believed(server: Server):
    for number in range(60):
        server.post(call_message("add", a=1, b=2), x_api_key="alm_wrong", x_forwarded_for=f"203.0.113.{number}")
    assert (
        server.post(call_message("add", a=1, b=2), x_api_key="alm_wrong", x_forwarded_for="203.0.113.99").status == 429
    )
    server.stop()
    assert not [line for line in server.log if "203.0.113" in line]
    assert [line for line in server.log if "from 127.0.0.1" in line]
