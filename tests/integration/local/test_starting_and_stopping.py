"""Test how a server starts, fails to start, and stops."""

import json
import os
import signal
import socket
import sys
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.local.server_process import (
    ALMANAC,
    Reply,
    Server,
    almanac,
    call_message,
    clockwork,
    run_server,
    type_command,
)

LIST: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
OWN_KEY = "alm_mylaptop_" + "k" * 40


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_an_idle_server_with_status_0(tmp_path: Path, number: int) -> None:
    with clockwork(tmp_path) as server:
        assert server.stop(number) == 0


@pytest.mark.slow
def test_a_call_that_runs_when_the_signal_comes_is_answered(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    os.mkfifo(f"{pipe}.begun")
    replies: list[Reply] = []
    with clockwork(tmp_path / "data") as server:
        call = threading.Thread(target=lambda: replies.append(server.post(call_message("wait", pipe=str(pipe)))))
        call.start()
        assert Path(f"{pipe}.begun").read_text() == "begun\n"
        server.process.send_signal(signal.SIGTERM)
        refuse_new_connections(server.port)
        pipe.write_text("done")
        call.join(timeout=30)
        assert server.process.wait(timeout=30) == 0
    assert replies[0].json["result"]["structuredContent"] == {"said": "done"}


@pytest.mark.slow
def test_a_call_that_never_ends_is_cut_off_with_status_1(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    os.mkfifo(f"{pipe}.begun")
    replies: list[Reply] = []
    with clockwork(tmp_path / "data", stop_seconds=1) as server:
        call = threading.Thread(target=lambda: replies.append(server.post(call_message("wait", pipe=str(pipe)))))
        call.start()
        assert Path(f"{pipe}.begun").read_text() == "begun\n"
        assert server.stop() == 1
        call.join(timeout=30)
    assert replies[0].status == 503
    assert "Calls did not finish within 1 seconds; they were cut off." in "".join(server.log)


def refuse_new_connections(port: int) -> None:
    """Returns when nothing listens there any more."""
    while True:
        with socket.socket() as knocking:
            if knocking.connect_ex(("127.0.0.1", port)) != 0:
                return


@pytest.mark.slow
def test_a_client_that_hangs_with_half_a_request_does_not_stop_the_stop(tmp_path: Path) -> None:
    with clockwork(tmp_path) as server, socket.create_connection(("127.0.0.1", server.port)) as slow:
        slow.sendall(b"POST /mcp HTTP/1.1\r\nhost: x\r\n")
        assert server.request("GET", "/health").status == 200
        assert server.stop() == 0


def test_the_same_key_and_data_are_there_after_a_restart(tmp_path: Path) -> None:
    with clockwork(tmp_path) as first:
        first.stop()
    with clockwork(tmp_path) as second:
        assert second.key == first.key
        assert second.post(LIST).status == 200


def test_only_the_owner_can_read_what_the_server_keeps(server: Server, folder: Path) -> None:
    server.post(LIST)
    assert folder.stat().st_mode & 0o077 == 0
    assert {path.name: path.stat().st_mode & 0o077 for path in folder.iterdir()} == dict.fromkeys(
        (path.name for path in folder.iterdir()), 0
    )


@pytest.fixture(scope="module")
def other(server: Server, folder: Path) -> Generator[Server]:
    """A second server on the folder of the first."""
    with clockwork(folder) as other:
        yield other


def test_two_servers_share_a_data_folder(server: Server, other: Server) -> None:
    assert server.key == other.key
    assert server.port != other.port
    assert server.post(LIST).status == other.post(LIST).status == 200


def test_two_servers_count_a_keys_requests_together(server: Server, other: Server, folder: Path) -> None:
    key = type_command("keys", "issue", "--per-day", "7", "--data", folder).stdout.strip()
    statuses = [one.post(LIST, x_api_key=key).status for _ in range(5) for one in (server, other)]
    assert statuses == [200] * 7 + [429] * 3


@pytest.mark.slow
def test_servers_that_start_together_on_an_empty_folder_agree_on_the_key(tmp_path: Path) -> None:
    found: list[tuple[str | None, int]] = []

    def start() -> None:
        with clockwork(tmp_path / "data") as server:
            found.append((server.key, server.post(LIST).status))

    starting = [threading.Thread(target=start) for _ in range(4)]
    for thread in starting:
        thread.start()
    for thread in starting:
        thread.join()
    assert len(found) == 4
    assert len({key for key, _ in found}) == 1
    assert {status for _, status in found} == {200}


def test_the_key_may_be_chosen_and_is_then_not_kept_in_a_file(tmp_path: Path) -> None:
    with clockwork(tmp_path, ALMANAC_API_KEY=OWN_KEY) as server:
        assert server.key == OWN_KEY
        assert server.post(LIST).status == 200
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(OWN_KEY.encode() in path.read_bytes() for path in files)
    with clockwork(tmp_path) as again:
        assert again.key is None
        assert "almanac keys issue" in again.announced
        assert again.post(LIST, x_api_key=OWN_KEY).status == 200


def test_a_key_chosen_later_works_beside_the_first(tmp_path: Path) -> None:
    with clockwork(tmp_path) as first:
        first.stop()
    with clockwork(tmp_path, ALMANAC_API_KEY=OWN_KEY) as server:
        assert server.post(LIST).status == 200
        assert server.post(LIST, x_api_key=first.key or "").status == 200


def start_error(*arguments: str | Path, **environment: str) -> str:
    """Start a server that must fail, and return the line it writes."""
    done = almanac("serve", "--port", "0", *arguments, **environment)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("Error: ")
    return line


def test_a_port_in_use_is_one_clear_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        line = start_error("--data", tmp_path, "--port", str(port))
    assert line == (
        f"Error: Port {port} on 127.0.0.1 is in use. "
        "Stop the program that listens there, or choose another port with --port."
    )


def test_a_data_folder_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    line = start_error("--data", tmp_path / "file" / "data")
    assert f"The data folder {tmp_path / 'file' / 'data'} cannot be written" in line
    assert "--data" in line


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_data_folder_without_permission_is_one_clear_line(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    assert "cannot be written" in start_error("--data", closed)


def test_a_store_that_is_none_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "almanac.db").write_text("this is not a database, whatever its name says" * 100)
    assert "almanac.db cannot be used as a store" in start_error("--data", tmp_path)


@pytest.mark.parametrize("key", ["hunter2", "alm_short_secret", "alm_mylaptop_" + "k" * 200])
def test_a_malformed_key_is_one_clear_line_that_does_not_repeat_it(tmp_path: Path, key: str) -> None:
    line = start_error("--data", tmp_path, ALMANAC_API_KEY=key)
    assert "ALMANAC_API_KEY is not an Almanac API key. A key reads alm_<id>_<secret>" in line
    assert key not in line


def test_a_chosen_key_with_the_id_of_another_is_one_clear_line(tmp_path: Path) -> None:
    with clockwork(tmp_path, ALMANAC_API_KEY=OWN_KEY):
        pass
    assert "has the id of another key" in start_error("--data", tmp_path, ALMANAC_API_KEY="alm_mylaptop_" + "z" * 40)


def test_a_chosen_key_that_was_revoked_is_one_clear_line(tmp_path: Path) -> None:
    with clockwork(tmp_path, ALMANAC_API_KEY=OWN_KEY):
        pass
    type_command("keys", "revoke", "mylaptop", "--data", tmp_path)
    assert "was revoked or has expired" in start_error("--data", tmp_path, ALMANAC_API_KEY=OWN_KEY)


def test_a_host_that_does_not_exist_is_one_clear_line(tmp_path: Path) -> None:
    assert "There is no host" in start_error("--data", tmp_path, "--host", "no such host")


def test_a_server_that_others_can_reach_says_so(tmp_path: Path) -> None:
    with run_server([ALMANAC, "serve", "--host", "0.0.0.0", "--port", "0", "--data", tmp_path]) as server:
        assert "Other machines can reach this server" in server.announced
        assert server.url.startswith("http://127.0.0.1:")


def test_without_a_folder_the_platforms_own_is_used(tmp_path: Path) -> None:
    with run_server(
        [ALMANAC, "serve", "--port", "0"], HOME=str(tmp_path), XDG_DATA_HOME=str(tmp_path / "share")
    ) as server:
        assert server.request("GET", "/health").json["families"][0] == "time"
    assert sys.platform != "linux" or (tmp_path / "share" / "almanac" / "almanac.db").exists()


def test_the_pasted_json_is_json(server: Server) -> None:
    blocks = [block.partition(":\n")[2] for block in server.announced.split("\n\n") if ":\n{" in block]
    assert [list(json.loads(block)) for block in blocks] == [["mcpServers"], ["mcpServers"], ["servers"]]
