"""context_setup: writes a client's configuration on the user's own machine, and shows it everywhere else."""

import json
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from almanac.composition.families import families_for_docs, open_families
from almanac.gateway.http.door import http_handler
from almanac.identity.access.principal import Principal
from almanac.platform.clients.server import ClientMachine, Server
from tests.project_app import ProjectApp
from tests.unit.gateway.events import call_message, rest_event
from tests.unit.gateway.recorded import RecordedTelemetry

Json = dict[str, Any]
URL = "http://127.0.0.1:8787/mcp"
FEW = f"{URL}?set=core"
COMMAND = ["/opt/python", "-m", "almanac.local", "stdio", "--data", "/home/ann/data"]
WRITTEN = {
    "opencode": ".config/opencode/opencode.json",
    "claude": ".config/Claude/claude_desktop_config.json",
    "claude-code": ".claude.json",
    "kimi": ".kimi/mcp.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
    "cursor": ".cursor/mcp.json",
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def laptop(app: ProjectApp, home: Path) -> ProjectApp:
    return _on(app, home, may_write=True)


def _on(app: ProjectApp, home: Path, *, may_write: bool) -> ProjectApp:
    server = Server(url=URL, command=COMMAND, environment={"TIMEZONE": "Europe/Berlin"})
    machine = ClientMachine(server=server, home=home, platform="linux", may_write=may_write)
    app.open_again(also={ClientMachine: machine})
    return app


def _files(home: Path) -> list[str]:
    return sorted(path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_file())


def _entry(text: str) -> Json:
    try:
        value = json.loads(text)
    except ValueError:
        value = tomllib.loads(text)
    [servers] = value.values()
    return servers["almanac"]


@pytest.mark.parametrize(("cli", "file"), WRITTEN.items())
def test_a_client_is_configured_in_its_own_file(laptop: ProjectApp, home: Path, cli: str, file: str) -> None:
    done = laptop.do("context_setup", cli=cli)
    assert (done["success"], done["cli"], done["configFile"]) == (True, cli, f"~/{file}")
    assert "Restart" in done["message"]
    assert _files(home) == [file]
    shown = laptop.do("context_setup", cli=cli, preview=True)
    assert _entry((home / file).read_text()) == _entry(shown["snippet"])


@pytest.mark.parametrize(
    ("cli", "entry", "words"),
    [
        (
            "opencode",
            {"type": "remote", "url": FEW, "enabled": True, "headers": {"x-api-key": "{env:ALMANAC_API_KEY}"}},
            "takes the API key from the environment variable ALMANAC_API_KEY",
        ),
        (
            "claude",
            {"command": COMMAND[0], "args": [*COMMAND[1:], "--set", "core"], "env": {"TIMEZONE": "Europe/Berlin"}},
            "with the key of the data folder",
        ),
        (
            "claude-code",
            {"type": "http", "url": URL, "headers": {"x-api-key": "${ALMANAC_API_KEY}"}},
            "ALMANAC_API_KEY",
        ),
        (
            "kimi",
            {"url": FEW, "headers": {"x-api-key": "YOUR-ALMANAC-API-KEY"}},
            "in the place of YOUR-ALMANAC-API-KEY",
        ),
        ("codex", {"url": FEW, "env_http_headers": {"x-api-key": "ALMANAC_API_KEY"}}, "ALMANAC_API_KEY"),
        ("gemini", {"httpUrl": FEW, "headers": {"x-api-key": "${ALMANAC_API_KEY}"}}, "ALMANAC_API_KEY"),
        ("cursor", {"url": FEW, "headers": {"x-api-key": "${env:ALMANAC_API_KEY}"}}, "ALMANAC_API_KEY"),
    ],
)
def test_an_entry_is_in_the_format_of_its_client_and_says_where_the_key_comes_from(
    laptop: ProjectApp, home: Path, cli: str, entry: Json, words: str
) -> None:
    assert words in laptop.do("context_setup", cli=cli)["message"]
    assert _entry((home / WRITTEN[cli]).read_text()) == entry


def test_what_others_wrote_stays_and_is_kept_beside_the_file(laptop: ProjectApp, home: Path) -> None:
    (home / ".cursor").mkdir()
    before = '{\n  "mcpServers": {\n    "other": {"url": "https://x"}\n  }\n}\n'
    (home / ".cursor" / "mcp.json").write_text(before)
    done = laptop.do("context_setup", cli="cursor")
    servers = json.loads((home / ".cursor" / "mcp.json").read_text())["mcpServers"]
    assert list(servers) == ["other", "almanac"]
    assert done["backupFile"] == "~/.cursor/mcp.json.backup-20260218T143000"
    assert (home / done["backupFile"].removeprefix("~/")).read_text() == before


def test_a_second_call_changes_nothing(laptop: ProjectApp, home: Path) -> None:
    laptop.do("context_setup", cli="gemini")
    files, text = _files(home), (home / ".gemini" / "settings.json").read_text()
    done = laptop.do("context_setup", cli="gemini")
    assert (done["unchanged"], _files(home)) == (True, files)
    assert "configured already" in done["message"]
    assert (home / ".gemini" / "settings.json").read_text() == text


@pytest.mark.parametrize(
    "before", ["{ broken", '{"mcpServers": {"almanac": {"url": "https://other"}}}', '{"mcpServers": 1}']
)
def test_what_cannot_be_merged_is_left_alone_and_the_snippet_is_told(
    laptop: ProjectApp, home: Path, before: str
) -> None:
    (home / ".kimi").mkdir()
    (home / ".kimi" / "mcp.json").write_text(before)
    told = laptop.refusal("context_setup", cli="kimi")
    assert "~/.kimi/mcp.json was left as it is" in told
    assert f'"url": "{FEW}"' in told
    assert _files(home) == [".kimi/mcp.json"]
    assert (home / ".kimi" / "mcp.json").read_text() == before


@pytest.mark.parametrize("cli", sorted(WRITTEN))
def test_an_address_that_lists_other_tools_of_this_server_stays(laptop: ProjectApp, home: Path, cli: str) -> None:
    # Earlier versions wrote the address of all tools for every client.
    file = home / WRITTEN[cli]
    laptop.do("context_setup", cli=cli)
    before = file.read_text().replace("?set=core", "").replace(',\n        "--set",\n        "core"', "")
    file.write_text(before)
    assert laptop.do("context_setup", cli=cli)["unchanged"] is True
    assert file.read_text() == before


def test_a_home_that_is_a_link_is_followed(app: ProjectApp, home: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(home)
    done = _on(app, link, may_write=True).do("context_setup", cli="codex")
    assert done["configFile"] == "~/.codex/config.toml"
    assert _files(home) == [".codex/config.toml"]


@pytest.mark.parametrize("cli", ["docker", "generic"])
def test_nothing_is_ever_written_for_these(laptop: ProjectApp, home: Path, cli: str) -> None:
    shown = laptop.do("context_setup", cli=cli)
    assert (shown["preview"], shown["cli"], shown["useDocker"]) == (True, cli, False)
    assert URL in shown["snippet"]
    assert _files(home) == []


def test_docker_shows_what_belongs_into_every_client(laptop: ProjectApp) -> None:
    told = laptop.do("context_setup", cli="docker")["snippet"]
    for title in ("Claude Code", "Claude Desktop", "OpenCode", "Kimi CLI", "Codex", "Gemini CLI", "Cursor"):
        assert f"{title}:\n" in told


def test_a_preview_writes_nothing_and_says_how_to(laptop: ProjectApp, home: Path) -> None:
    shown = laptop.do("context_setup", cli="gemini", preview=True)
    assert (shown["preview"], shown["cli"], shown["useDocker"]) == (True, "gemini", False)
    assert shown["message"].startswith("This is what would be added to your gemini MCP config.")
    assert _files(home) == []


def test_a_server_that_others_can_reach_shows_and_never_writes(app: ProjectApp, home: Path) -> None:
    shown = _on(app, home, may_write=False).do("context_setup", cli="cursor")
    assert shown["preview"] is True
    assert "cannot write to your machine" in shown["message"]
    assert URL in shown["snippet"]
    assert _files(home) == []


def test_a_server_on_no_machine_of_the_user_shows_placeholders(app: ProjectApp) -> None:
    shown = app.do("context_setup", cli="cursor")
    assert _entry(shown["snippet"])["url"] == "https://YOUR-ALMANAC-ADDRESS/mcp?set=core"
    assert "in the place of https://YOUR-ALMANAC-ADDRESS/mcp" in shown["message"]
    assert "headers" in _entry(app.do("context_setup", cli="claude")["snippet"])


def test_a_path_of_a_program_and_docker_are_accepted_and_said_to_change_nothing(laptop: ProjectApp) -> None:
    accepted: list[Json] = [{"useDocker": True}, {"serverPath": "/path/to/dist/server.js"}]
    for said in accepted:
        done = laptop.do("context_setup", cli="opencode", **said)
        assert done["success"] is True
        assert "clients reach Almanac at an address" in done["message"]
    assert laptop.do("context_setup", cli="opencode", useDocker=True, preview=True)["useDocker"] is True
    assert "clients reach Almanac at an address" not in laptop.do("context_setup", cli="codex")["message"]


def test_no_key_is_written_or_shown(laptop: ProjectApp, home: Path) -> None:
    seen = "".join(json.dumps(laptop.do("context_setup", cli=cli, preview=bool(n))) for cli in WRITTEN for n in (1, 0))
    files = "".join((home / file).read_text() for file in WRITTEN.values())
    assert "alm_" not in seen + files


def test_a_key_that_may_only_read_is_not_offered_it() -> None:
    [tool] = [each for family in families_for_docs() for each in family.tools if each.name == "context_setup"]
    assert tool.annotations["readOnlyHint"] is False


def _block(path: Path) -> None:
    path.write_text("a file")


def _folder_instead(path: Path) -> None:
    path.mkdir()
    (path / "mcp.json").mkdir()


@pytest.mark.parametrize("make", [_block, _folder_instead])
def test_a_place_that_cannot_be_written_is_told_and_left_alone(
    laptop: ProjectApp, home: Path, make: Callable[[Path], None]
) -> None:
    make(home / ".cursor")
    before = _files(home)
    told = laptop.refusal("context_setup", cli="cursor")
    assert ".cursor" in told
    assert _files(home) == before


def test_whose_key_it_is_makes_no_difference(laptop: ProjectApp, home: Path) -> None:
    other = replace(laptop.caller, actor="ben", key_id="another")
    laptop.do("context_setup", cli="kimi")
    assert laptop.do("context_setup", cli="kimi", caller=other)["unchanged"] is True


def test_a_client_that_is_not_known_is_refused_with_all_that_are(app: ProjectApp) -> None:
    refusal = app.refusal("context_setup", cli="vim")
    assert all(f'"{each}"' in refusal for each in ("claude-code", "opencode", "generic", "docker"))


def test_behind_a_gateway_the_address_is_the_one_that_took_the_call_whatever_headers_say(app: ProjectApp) -> None:
    # An agent never sees the gateway's event: the whole way is gone, from the event to the snippet.
    handler = http_handler(*open_families(app.services, ["context"]), clock=app.clock, telemetry=RecordedTelemetry())
    event = rest_event(call_message("context_setup", cli="cursor"), Principal(app.caller), "/mcp/context")
    event["requestContext"]["domainName"] = "x1.execute-api.eu-central-1.amazonaws.com"
    event["headers"] |= {"Host": "evil.example", "X-Forwarded-Host": "evil.example"}
    event["multiValueHeaders"] |= {"Host": ["evil.example"], "X-Forwarded-Host": ["evil.example"]}
    shown = json.loads(handler(event, None)["body"])["result"]["structuredContent"]
    assert _entry(shown["snippet"])["url"] == "https://x1.execute-api.eu-central-1.amazonaws.com/v1/mcp?set=core"
    assert "YOUR-ALMANAC-ADDRESS" not in shown["message"]
    assert "evil.example" not in json.dumps(shown)
