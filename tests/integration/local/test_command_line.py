"""The command line, as people and scripts use it."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult

from almanac.composition.families import TOOL_SETS
from tests.integration.local.server_process import ALMANAC, Server, almanac, environment, last_line_of, type_command


def read(*arguments: str | Path, **environment: str) -> Any:
    done = type_command(*arguments, "--json", **environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_help_names_every_command() -> None:
    done = almanac("--help")
    assert done.returncode == 0
    for command in ("serve", "tools", "call", "stdio", "keys", "tenants", "projects"):
        assert f"  {command}  " in done.stdout


@pytest.mark.parametrize("command", ["serve", "tools", "call", "stdio", "keys", "tenants", "projects"])
def test_every_command_has_help(command: str) -> None:
    assert type_command(command, "--help").stdout.startswith(f"Usage: almanac {command}")


@pytest.mark.parametrize("arguments", [["nonsense"], ["serve", "--port", "x"], ["call"], ["keys", "revoke"]])
def test_a_wrong_usage_ends_with_status_2(arguments: list[str]) -> None:
    done = type_command(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_tools_are_listed_with_family_and_summary() -> None:
    rows = read("tools")
    assert {"tool", "family", "title", "summary"} <= set(rows[0])
    assert "resolve_datetime" in {row["tool"] for row in rows if row["family"] == "time"}
    lines = type_command("tools").stdout.splitlines()
    assert len(lines) == len(rows) + 1


def test_a_call_prints_the_structured_result(full: Server, folder: Path) -> None:
    arguments = ["start=2026-03-01T10:00:00Z", "end=2026-03-01T12:30:00Z"]
    done = almanac("call", "compute_duration", *arguments, "--json", "--url", full.url, "--data", folder)
    result = json.loads(done.stdout)
    assert result["total_seconds"] == 9000
    plain = almanac("call", "compute_duration", *arguments, "--url", full.url, "--data", folder)
    assert json.loads(plain.stdout) == result


def test_a_call_takes_the_address_and_key_from_the_environment(full: Server) -> None:
    done = almanac("call", "get_temporal_context", ALMANAC_URL=full.url, ALMANAC_API_KEY=full.key or "")
    assert done.returncode == 0, done.stderr


def test_a_tool_that_refuses_ends_with_status_1_and_its_own_words(full: Server, folder: Path) -> None:
    done = almanac("call", "convert_datetime", "utc_datetime=x", "time_zone=EST", "--url", full.url, "--data", folder)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: ")


def test_an_unknown_tool_ends_with_status_1(full: Server, folder: Path) -> None:
    done = almanac("call", "nonsense", "--url", full.url, "--data", folder)
    assert done.returncode == 1
    assert "nonsense" in done.stderr


def test_a_refused_key_is_said_in_one_line(full: Server) -> None:
    done = almanac("call", "get_temporal_context", "--url", full.url, ALMANAC_API_KEY="alm_nobody_" + "x" * 40)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert "The API key is not valid." in line


def test_what_is_no_key_is_not_even_sent(full: Server) -> None:
    done = type_command("call", "get_temporal_context", "--url", full.url, ALMANAC_API_KEY="hünter2")
    assert done.returncode == 2
    assert done.stderr.startswith("Error: This is not an Almanac API key.")


def test_without_a_server_the_call_says_how_to_start_one(folder: Path, full: Server) -> None:
    done = almanac("call", "get_temporal_context", "--url", "http://127.0.0.1:9/mcp", "--data", folder)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line == (
        "Error: No server answers at http://127.0.0.1:9/mcp. "
        f"Start one with `{ALMANAC} serve --data {folder}`, or name another with --url."
    )


@pytest.mark.parametrize("url", ["nonsense", "ftp://127.0.0.1/mcp", "http://[::1/mcp"])
def test_an_address_that_is_none_is_said_so(folder: Path, full: Server, url: str) -> None:
    done = type_command("call", "get_temporal_context", "--url", url, "--data", folder)
    assert done.returncode == 2
    assert "is not the address of a server" in done.stderr


def test_without_a_key_the_call_says_where_one_comes_from(tmp_path: Path) -> None:
    done = type_command("call", "get_temporal_context", "--data", tmp_path / "empty")
    assert done.returncode == 2
    assert "ALMANAC_API_KEY" in done.stderr
    assert not (tmp_path / "empty").exists()


def test_a_key_is_issued_listed_rotated_and_revoked(tmp_path: Path) -> None:
    type_command("tenants", "create", "acme", "--data", tmp_path)
    terms = ["--tenant", "acme", "--actor", "ann", "--family", "time", "--readonly", "--timezone", "europe/paris"]
    limits = ["--per-minute", "10", "--per-day", "100", "--expires", "2999-01-31", "--label", "laptop"]
    issued = read("keys", "issue", *terms, *limits, "--data", tmp_path)
    assert issued["key"].startswith(f"alm_{issued['id']}_")
    (listed,) = read("keys", "list", "--tenant", "acme", "--data", tmp_path)
    assert "key" not in listed
    assert listed == {name: value for name, value in issued.items() if name != "key"}
    assert (listed["state"], listed["timezone"], listed["families"], listed["expires"]) == (
        "works",
        "Europe/Paris",
        ["time"],
        "2999-01-31T00:00:00Z",
    )
    rotated = read("keys", "rotate", issued["id"], "--overlap", "1h", "--data", tmp_path)
    assert read("keys", "revoke", rotated["key"], "--data", tmp_path)["state"] == "revoked"
    states = {row["id"]: row["state"] for row in read("keys", "list", "--tenant", "acme", "--data", tmp_path)}
    assert states == {issued["id"]: "works", rotated["id"]: "revoked"}


def test_issuing_prints_the_key_alone_so_that_scripts_can_take_it(tmp_path: Path) -> None:
    type_command("tenants", "create", "default", "--data", tmp_path)
    done = almanac("keys", "issue", "--data", tmp_path)
    (key,) = done.stdout.splitlines()
    assert key.startswith("alm_")


def test_tenants_and_projects_are_created_and_listed(tmp_path: Path) -> None:
    read("tenants", "create", "acme", "--name", "Acme Inc.", "--data", tmp_path)
    read("projects", "create", "moon", "--tenant", "acme", "--data", tmp_path)
    assert [(row["tenant"], row["name"]) for row in read("tenants", "list", "--data", tmp_path)] == [
        ("acme", "Acme Inc.")
    ]
    projects = read("projects", "list", "--tenant", "acme", "--data", tmp_path)
    assert [row["project"] for row in projects] == ["default", "moon"]
    assert "Acme Inc." in type_command("tenants", "list", "--data", tmp_path).stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["keys", "revoke", "nobody"],
        ["keys", "rotate", "nobody"],
        ["keys", "issue", "--tenant", "nobody"],
        ["keys", "list", "--tenant", "nobody"],
        ["projects", "list", "--tenant", "nobody"],
        ["projects", "create", "moon", "--tenant", "nobody"],
        ["tenants", "create", "No Name"],
        ["keys", "issue", "--timezone", "EST"],
        ["keys", "issue", "--expires", "2001-01-01"],
    ],
)
def test_what_cannot_be_done_is_one_line_and_status_2(tmp_path: Path, arguments: list[str]) -> None:
    type_command("tenants", "create", "default", "--data", tmp_path)
    done = type_command(*arguments, "--data", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("Error: ")


@pytest.mark.parametrize(("mode", "words"), [("auto", []), ("legacy", ["--set", "core"])])
def test_over_stdio_the_official_client_lists_and_calls(tmp_path: Path, mode: str, words: list[str]) -> None:
    arguments = ["-m", "almanac.local", "stdio", "--data", str(tmp_path), *words]
    command = StdioServerParameters(command=sys.executable, args=arguments, env=environment())

    async def session() -> tuple[set[str], CallToolResult]:
        async with Client(command, mode=mode) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            given = {"local_datetime": "2026-03-01T10:00:00", "time_zone": "Europe/Berlin"}
            return tools, await client.call_tool("resolve_datetime", given)

    tools, result = asyncio.run(session())
    assert (tools == TOOL_SETS["core"]) is bool(words)
    assert "resolve_datetime" in tools
    assert result.structured_content is not None
    assert "2026-03-01T09:00:00" in json.dumps(result.structured_content)


def test_help_is_there_at_once() -> None:
    """Neither the server, the client nor a family is imported to print it."""
    program = (
        "import sys\nfrom almanac.local.cli import cli\n"
        "try:\n    cli(['--help'])\nexcept SystemExit:\n"
        "    print([name for name in sys.argv[1:] if name in sys.modules])"
    )
    heavy = ("mcp", "uvicorn", "msgspec", "asyncio", "almanac.families")
    assert last_line_of(program, *heavy) == "[]"
