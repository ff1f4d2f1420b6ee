"""Zones, limits, scopes and deletions by the command line, while a server runs and after it was started again."""

import json
import os
import shlex
import signal
import socket
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.integration.local.server_process import (
    ALMANAC,
    Server,
    almanac,
    call_message,
    environment,
    last_line_of,
    run_server,
)
from tests.until import wait_until

# Each starts servers and programs one after the other.
pytestmark = pytest.mark.slow


@contextmanager
def serve(folder: Path, **more: str) -> Generator[Server]:
    """A server on a machine that tells of no zone, unless `more` does."""
    zoneless = {"TZ": "Etc/UTC", "TIMEZONE": ""}
    with run_server([ALMANAC, "serve", "--port", "0", "--data", folder], **(zoneless | more)) as server:
        yield server


def zone_settings(server: Server, **headers: str) -> tuple[str, bool, str]:
    """The zone, whether it is configured, and the first day of the week that a key hears of."""
    answer = server.post(call_message("get_temporal_context"), **headers).json["result"]["structuredContent"]
    return answer["timezone"], answer["timezone_configured"], answer["week_start"]


def run(*arguments: str | Path, **more: str) -> Any:
    done = almanac(*arguments, "--json", **more)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_zone_set_while_serving_holds_at_once_by_the_nearest_that_says_one(tmp_path: Path) -> None:
    with serve(tmp_path) as server:
        assert zone_settings(server) == ("UTC", False, "monday")
        run("tenants", "edit", "default", "--timezone", "asia/tokyo", "--data", tmp_path)
        assert zone_settings(server) == ("Asia/Tokyo", True, "monday")
        run("projects", "edit", "default", "--timezone", "Europe/Berlin", "--week-start", "sunday", "--data", tmp_path)
        assert zone_settings(server) == ("Europe/Berlin", True, "sunday")
        key = server.key or ""
        run("keys", "edit", key, "--timezone", "America/Lima", "--data", tmp_path)
        assert zone_settings(server) == ("America/Lima", True, "sunday")
        run("keys", "edit", key, "--timezone", "none", "--data", tmp_path)
        assert zone_settings(server) == ("Europe/Berlin", True, "sunday")
    with serve(tmp_path, TIMEZONE="Africa/Cairo") as again:
        assert zone_settings(again) == ("Europe/Berlin", True, "sunday")
        assert "TIMEZONE=Africa/Cairo does not hold for the project default of the tenant default" in again.announced
        assert "stores Europe/Berlin and wins" in again.announced
        assert f"tenants edit --data {tmp_path} default --timezone Africa/Cairo" in again.announced


def test_timezone_holds_at_each_start_and_not_only_for_the_first_key(tmp_path: Path) -> None:
    with serve(tmp_path, TIMEZONE="Europe/Paris") as first:
        assert zone_settings(first) == ("Europe/Paris", True, "monday")
        assert "Time zone: Europe/Paris, of TIMEZONE" in first.announced
        assert '"TIMEZONE": "Europe/Paris"' in first.announced
    with serve(tmp_path, TIMEZONE="Asia/Tokyo") as second:
        assert zone_settings(second) == ("Asia/Tokyo", True, "monday")
        later = run("keys", "issue", "--actor", "Ann.Lee@Example.org", "--data", tmp_path)["key"]
        assert zone_settings(second, x_api_key=later) == ("Asia/Tokyo", True, "monday")


def test_the_machines_own_zone_becomes_the_first_tenants(tmp_path: Path) -> None:
    with serve(tmp_path, TZ="America/New_York") as server:
        assert zone_settings(server) == ("America/New_York", True, "monday")
        assert "Time zone: America/New_York, of the tenant default" in server.announced


def test_a_machine_on_utc_gives_no_zone_and_the_start_says_how_to_set_one(tmp_path: Path) -> None:
    with serve(tmp_path) as server:
        (line,) = [line for line in server.announced.splitlines() if line.startswith("Time zone:")]
    assert "none is set" in line
    command = shlex.split(line.partition("Set it: ")[2])
    subprocess.run(command, check=True, env=environment(), capture_output=True, timeout=60)
    with serve(tmp_path) as again:
        assert zone_settings(again) == ("Europe/Berlin", True, "monday")


def test_the_line_that_serve_prints_works_beside_it(tmp_path: Path) -> None:
    for more in ({}, {"ALMANAC_API_KEY": "alm_mylaptop_" + "k" * 40}):
        with serve(tmp_path / f"data{len(more)}", **more) as server:
            line = server.announced.partition("In a second terminal:\n")[2].splitlines()[0].strip()
            assert str(ALMANAC) in line
            done = subprocess.run(
                line, shell=True, capture_output=True, text=True, timeout=60, check=False, env=environment()
            )
            assert done.returncode == 0, done.stderr
            assert json.loads(done.stdout)["timezone"] == "America/New_York"


def test_limits_scope_and_end_of_a_key_hold_at_once(tmp_path: Path) -> None:
    with serve(tmp_path) as server:
        issued = run("keys", "issue", "--data", tmp_path)
        headers = {"x_api_key": issued["key"]}
        assert server.post(call_message("get_temporal_context"), **headers).status == 200
        run("keys", "edit", issued["id"], "--readonly", "--family", "time", "--family", "planner", "--data", tmp_path)
        refused = server.post(call_message("notes_create", title="x"), **headers).json["error"]
        assert (refused["code"], "this API key is read-only" in refused["message"]) == (-32602, True)
        refused = server.post(call_message("list_calendars"), **headers).json["error"]
        assert "may use only the families planner, time" in refused["message"]
        unknown = server.post(call_message("no_such_tool"), **headers).json["error"]
        assert unknown["message"].startswith("No tool is called no_such_tool")
        run("keys", "edit", issued["id"], "--no-readonly", "--family", "all", "--per-minute", "1", "--data", tmp_path)
        statuses = [server.post(call_message("get_temporal_context"), **headers).status for _ in range(6)]
        assert 429 in statuses
        run("keys", "edit", issued["id"], "--per-minute", "none", "--data", tmp_path)
        assert server.post(call_message("get_temporal_context"), **headers).status == 200
        run("keys", "edit", issued["id"], "--expires", "1s", "--data", tmp_path)
        wait_until(lambda: server.post(call_message("get_temporal_context"), **headers).status == 401)
        assert almanac("keys", "edit", issued["id"], "--label", "x", "--data", tmp_path).returncode == 2


def test_a_limit_of_the_tenant_counts_all_its_keys(tmp_path: Path) -> None:
    with serve(tmp_path) as server:
        other = run("keys", "issue", "--data", tmp_path)["key"]
        run("tenants", "create", "birch", "--data", tmp_path)
        neighbour = run("keys", "issue", "--tenant", "birch", "--data", tmp_path)["key"]
        assert run("tenants", "edit", "default", "--per-day", "4", "--data", tmp_path)["per_day"] == 4
        keys = [server.key or "", other] * 3
        answers = [server.post(call_message("get_temporal_context"), x_api_key=key) for key in keys]
        assert [answer.status for answer in answers] == [200] * 4 + [429] * 2
        assert "the limit of this tenant" in answers[-1].json["error"]["message"]
        assert server.post(call_message("get_temporal_context"), x_api_key=neighbour).status == 200


def test_a_tenant_and_a_project_are_deleted_while_a_server_runs(tmp_path: Path) -> None:
    with serve(tmp_path, TIMEZONE="Europe/Berlin") as server:
        run("tenants", "create", "acme", "--data", tmp_path)
        run("projects", "create", "moon", "--tenant", "acme", "--data", tmp_path)
        keys = {
            project: run("keys", "issue", "--tenant", "acme", "--project", project, "--data", tmp_path)["key"]
            for project in ("default", "moon")
        }
        for key in keys.values():
            made = server.post(call_message("notes_create", title="Plan", body="text"), x_api_key=key)
            assert not made.json["result"].get("isError"), made.json
        wrong = subprocess.run(
            [ALMANAC, "projects", "delete", "moon", "--tenant", "acme", "--data", tmp_path],
            input="mars\n",
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            env=environment(),
        )
        assert (wrong.returncode, "nothing was deleted" in wrong.stderr) == (2, True)
        assert server.post(call_message("get_temporal_context"), x_api_key=keys["moon"]).status == 200
        gone = run("projects", "delete", "moon", "--tenant", "acme", "--yes", "--data", tmp_path)
        assert (gone["state"], gone["items"] > 0) == ("deleted", True)
        assert server.post(call_message("get_temporal_context"), x_api_key=keys["moon"]).status == 401
        assert server.post(call_message("get_temporal_context"), x_api_key=keys["default"]).status == 200
        run("tenants", "delete", "acme", "--yes", "--data", tmp_path)
        assert server.post(call_message("get_temporal_context"), x_api_key=keys["default"]).status == 401
        trail = run("audit", "--tenant", "acme", "--data", tmp_path)
        assert [(row["tool"], row["subject"]) for row in trail] == [("tenants delete", "acme")]
        assert server.post(call_message("get_temporal_context")).status == 200
    assert b"Plan" not in (tmp_path / "almanac.db").read_bytes() or "acme" not in str(
        run("tenants", "list", "--data", tmp_path)
    )


def test_the_owners_tenant_can_be_deleted_and_the_server_started_again(tmp_path: Path) -> None:
    with serve(tmp_path) as server:
        run("projects", "delete", "default", "--yes", "--data", tmp_path)
        assert server.post(call_message("get_temporal_context")).status == 401
    with serve(tmp_path) as again:
        assert again.key is None
        assert "almanac projects create" in again.announced or "keys issue" in again.announced


def test_a_deletion_that_is_killed_goes_on(tmp_path: Path) -> None:
    run("tenants", "create", "acme", "--data", tmp_path)
    key = run("keys", "issue", "--tenant", "acme", "--data", tmp_path)["key"]
    command = [str(ALMANAC), "tenants", "delete", "acme", "--yes", "--data", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as process:
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=30)
    done = almanac("tenants", "delete", "acme", "--yes", "--data", tmp_path)
    assert done.returncode == 0 or "There is no tenant acme" in done.stderr
    assert run("tenants", "list", "--data", tmp_path) == []
    refused = almanac("keys", "revoke", key, "--data", tmp_path)
    assert "There is no key" in refused.stderr


def test_a_port_in_use_leaves_nothing_behind(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert almanac("serve", "--port", port, "--data", folder).returncode == 2
    assert almanac("serve", "--port", "0", "--data", folder, ALMANAC_API_KEY="hunter2").returncode == 2
    assert not folder.exists()


def test_hints_carry_the_program_and_the_options(tmp_path: Path) -> None:
    done = almanac("keys", "list", "--tenant", "nobody", "--data", tmp_path)
    assert f"`{ALMANAC} tenants list --data {tmp_path}` shows them." in done.stderr
    run("tenants", "create", "acme", "--data", tmp_path)
    done = almanac("keys", "list", "--tenant", "acme", "--data", tmp_path)
    assert f"{ALMANAC} keys issue --data {tmp_path} --tenant acme" in done.stdout
    from_environment = almanac("keys", "list", "--tenant", "acme", ALMANAC_DATA=str(tmp_path))
    assert f"{ALMANAC} keys issue --tenant acme" in from_environment.stdout


@pytest.mark.parametrize("damage", ["cut", "deleted"])
def test_a_store_that_was_lost_stops_the_start_with_what_to_do(tmp_path: Path, damage: str) -> None:
    with serve(tmp_path) as server:
        assert server.stop() == 0
    for file in tmp_path.glob("almanac.db*"):
        file.unlink()
    if damage == "cut":
        (tmp_path / "almanac.db").touch()
    done = almanac("serve", "--port", "0", "--data", tmp_path)
    assert done.returncode == 2
    assert "the folder was in use" in done.stderr
    assert "Put the file back from a copy" in done.stderr


def test_no_forwarded_address_is_believed_unless_its_proxy_is_named(tmp_path: Path) -> None:
    def statuses(server: Server) -> list[int]:
        wrong = "alm_nobody_" + "x" * 40
        return [
            server.post(
                call_message("get_temporal_context"), x_api_key=wrong, x_forwarded_for=f"203.0.113.{number}"
            ).status
            for number in range(65)
        ]

    with serve(tmp_path / "one") as server:
        assert 429 in statuses(server)
    command = [ALMANAC, "serve", "--port", "0", "--data", tmp_path / "two", "--trusted-proxy", "127.0.0.1"]
    with run_server(command) as server:
        assert set(statuses(server)) == {401}


def test_a_call_needs_no_heavy_import() -> None:
    """What made it slow was importing: the client, the store and the families are left out."""
    imported = "import sys, almanac.local.cli, almanac.local.commands.call"
    program = f"{imported}\nprint([name for name in sys.argv[1:] if name in sys.modules])"
    heavy = ("mcp", "pydantic", "httpx2", "msgspec", "asyncio", "sqlite3", "almanac.families", "uvicorn")
    assert last_line_of(program, *heavy) == "[]"


def test_a_call_takes_under_half_a_second_of_the_processor(tmp_path: Path) -> None:
    with serve(tmp_path) as server:
        taken: list[float] = []
        for _ in range(3):
            before = os.times()
            assert almanac("call", "get_temporal_context", "--url", server.url, "--data", tmp_path).returncode == 0
            after = os.times()
            taken.append(after.children_user + after.children_system - before.children_user - before.children_system)
    assert min(taken) < 0.5
