"""Files of nine clients are changed and put back, byte for byte."""

import json
import os
import signal
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from almanac.kernel.errors import AlmanacError, InvalidInput
from almanac.local.connect.clients import KNOWN, Connection, desired_files, is_installed
from almanac.local.connect.file_changes import Problem, apply, difference, plan, plan_undo, state_of
from almanac.local.connect.installation import Installation
from almanac.platform.clients.json_text import JsonText
from almanac.platform.clients.server import ClientMachine, Server

KEY = "alm_2mcmq4zq7y5fadkx_" + "k" * 52
FULL_JSON = """\
// mine
{
    "theme": "dark", // not light
    "version": 7,
    /* several
       lines */
    "mcpServers": {
        "other": {"command": "}{\\"//", "args": [1.10, "\\u00e9"]}, // the other
    },
    "servers": {}, "mcp": {"x": {"type": "local"}},
    "hooks": {
        "Stop": [ {"hooks": [{"type": "command", "command": "say done"}]} /* loud */ ],
        "SessionStart": [],
        "stop": [{"command": "x"}],
    },
}
"""
FULL_TOML = """\
# mine
model = "o9"   # the best
[mcp_servers.other]
url = "http://x"
[mcp_servers."with.dot"]
command = 'x'
"""


class World:
    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.home.mkdir()
        self.installation = Installation(folder / "data" / "hooks")
        server = Server(url="http://127.0.0.1:8787/mcp", key=KEY, command=("almanac", "stdio"))
        self.machine = ClientMachine(server=server, home=self.home, platform="linux", may_write=True)

    def connection(
        self, *, hooks: bool = True, project: Path | None = None, url: str | None = None, all_tools: bool = False
    ) -> Connection:
        server = self.machine.server if url is None else structs.replace(self.machine.server, url=url)
        command = self.installation.command if hooks else ()
        return Connection(server=server, machine=self.machine, command=command, project=project, all_tools=all_tools)

    def files(self, client: str, project: Path | None = None) -> list[Path]:
        return [target.file for target in desired_files(client, self.connection(project=project))]

    def connect(self, client: str, *, hooks: bool = True, project: Path | None = None) -> int:
        connection = self.connection(hooks=hooks, project=project)
        changes = plan(client, connection, self.installation.record())
        apply(changes, self.installation)
        return sum(change.changes_text for change in changes)

    def undo(self, client: str) -> None:
        apply(plan_undo(client, self.installation.record(), None), self.installation)

    def states(self) -> set[str]:
        return {state_of(path, one) for path, one in self.installation.record().files.items()}

    def snapshot(self) -> dict[str, tuple[int, bytes | str | None]]:
        """Return the mode of every path below the home folder, with its bytes or the target of its link."""
        found: dict[str, tuple[int, bytes | str | None]] = {}
        for path in sorted(self.home.rglob("*")):
            content = str(path.readlink()) if path.is_symlink() else path.read_bytes() if path.is_file() else None
            found[str(path)] = (path.lstat().st_mode, content)
        return found


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def fill(file: Path, state: str) -> None:
    if state == "absent":
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix == ".js" or file.name == "almanac.json":
        # A file of its own: what is beside it stays.
        file.with_name("other.json").write_text("{}")
        return
    is_toml = file.suffix == ".toml"
    match state:
        case "blank":
            text = " \n"
        case "plain":
            text = 'model = "x"\n' if is_toml else '{"a": 1}'
        case "crlf":
            text = (FULL_TOML if is_toml else FULL_JSON).replace("\n", "\r\n")
        case _:
            text = FULL_TOML if is_toml else FULL_JSON
    data = text.encode()
    file.write_bytes(b"\xef\xbb\xbf" + data if state == "crlf" and not is_toml else data)
    file.chmod(0o640)


@pytest.mark.parametrize("state", ["absent", "blank", "plain", "full", "crlf"])
@pytest.mark.parametrize("scope", ["user", "project"])
@pytest.mark.parametrize("client", list(KNOWN))
def test_connected_and_undone_every_file_is_as_before(client: str, scope: str, state: str, world: World) -> None:
    project = world.home / "shop" if scope == "project" else None
    for file in world.files(client, project):
        fill(file, state)
    before = world.snapshot()
    assert world.connect(client, project=project) == len(world.files(client, project))
    assert world.states() <= {"connected"}
    connected = world.snapshot()
    assert (KEY in str(connected)) == (project is None)
    assert world.connect(client, project=project) == 0
    assert world.snapshot() == connected
    for path, (mode, _) in before.items():
        assert connected[path][0] == mode
    world.undo(client)
    assert world.snapshot() == before
    assert world.installation.record().files == {}


@pytest.mark.parametrize("client", list(KNOWN))
def test_undone_one_after_another_no_folder_is_left(client: str, world: World) -> None:
    for each in KNOWN:
        world.connect(each)
    world.undo(client)
    for each in KNOWN:
        world.undo(each)
    assert world.snapshot() == {}


@pytest.mark.parametrize(
    "servers", ['{ other = { command = "a}" }, more = { url = "b" } }', "{ }", "{}", '{other.command = "a"}']
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_an_inline_table_of_servers_gets_one_more_and_is_undone(servers: str, newline: str, world: World) -> None:
    file = world.home / ".codex/config.toml"
    text = f'model = "x" # {{}}\nmcp_servers = {servers}\n\n[tui]\ntheme = {{ a = "d" }}\n'.replace("\n", newline)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())
    before = tomllib.loads(text)
    world.connect("codex")
    now = tomllib.loads(file.read_bytes().decode())
    assert now["mcp_servers"].pop("almanac")["url"]
    assert now == before
    assert world.states() == {"connected"}
    assert world.connect("codex") == 0
    file.write_bytes(file.read_bytes() + b"[later]" + newline.encode())
    world.undo("codex")
    assert file.read_bytes().decode() == f"{text}[later]{newline}"


@pytest.mark.parametrize("client", list(KNOWN))
def test_what_was_written_later_stays(client: str, world: World) -> None:
    files = [file for file in world.files(client) if file.suffix in (".json", ".toml") and file.name != "almanac.json"]
    for file in files:
        fill(file, "full" if file.suffix == ".toml" else "plain")
    world.connect(client)
    for file in files:
        if file.suffix == ".toml":
            file.write_text(file.read_text().replace("o9", "o10") + "\n[later]\nx = 1\n")
        else:
            value = json.loads(file.read_text())
            for name in ("mcpServers", "servers", "mcp", "hooks"):
                if name in value:
                    value[name]["later"] = {}
            file.write_text(json.dumps({"first": 0, **value, "last": 1}, indent=1))
    assert world.states() <= {"connected"}
    assert world.connect(client) == 0
    world.undo(client)
    for file in files:
        text = file.read_text()
        assert KEY not in text
        assert "almanac" not in text
        if file.suffix == ".toml":
            value = tomllib.loads(text)
            assert value["model"] == "o10"
            assert value["later"] == {"x": 1}
            assert sorted(value["mcp_servers"]) == ["other", "with.dot"]
        else:
            value = json.loads(text)
            assert value.pop("version", 1) == 1
            assert (value.pop("first"), value.pop("a"), value.pop("last")) == (0, 1, 1)
            assert all(one == {"later": {}} for one in value.values())


@pytest.mark.parametrize(
    ("client", "file", "old", "new"),
    [
        ("cursor", ".cursor/mcp.json", "127.0.0.1", "example.com"),
        ("claude-code", ".claude/settings.json", '"timeout": 5', '"timeout": 50'),
        ("codex", ".codex/config.toml", "127.0.0.1", "example.com"),
        ("opencode", ".config/opencode/plugins/almanac.js", "directory", "folder"),
    ],
)
def test_what_a_person_has_edited_is_shown_and_left(client: str, file: str, old: str, new: str, world: World) -> None:
    world.connect(client)
    path = world.home / file
    path.write_text(path.read_text().replace(old, new))
    before = world.snapshot()
    assert "edited" in world.states()
    with pytest.raises(Problem, match="was edited since") as refused:
        world.undo(client)
    assert new in str(refused.value)
    assert world.snapshot() == before


def test_an_entry_of_the_same_name_is_not_ours(world: World) -> None:
    path = world.home / ".cursor/mcp.json"
    path.parent.mkdir()
    path.write_text('{"mcpServers": {"almanac": {"url": "https://other"}}}')
    before = world.snapshot()
    with pytest.raises(Problem, match=r"another mcpServers\.almanac"):
        world.connect("cursor")
    assert world.snapshot() == before


@pytest.mark.parametrize("text", ["{", "[]", '{"mcpServers": 1}', '{"hooks": {"Stop": {}}}', '{"a": 1, "a": 2}'])
def test_a_file_that_cannot_be_edited_is_left(text: str, world: World) -> None:
    path = world.home / ".gemini/settings.json"
    path.parent.mkdir()
    path.write_text(text.replace("Stop", "SessionEnd"))
    before = world.snapshot()
    with pytest.raises(Problem, match="left as it is"):
        world.connect("gemini")
    assert world.snapshot() == before


def test_hooks_can_be_taken_away_and_given_back(world: World) -> None:
    world.connect("claude-code", hooks=False)
    without = world.snapshot()
    world.connect("claude-code")
    assert (world.home / ".claude/settings.json").exists()
    world.connect("claude-code", hooks=False)
    assert world.snapshot() == without


@pytest.mark.parametrize("scope", ["user", "project"])
@pytest.mark.parametrize("client", list(KNOWN))
def test_only_a_client_that_loads_every_definition_is_given_the_core_set(client: str, scope: str, world: World) -> None:
    project = world.home / "shop" if scope == "project" else None

    def entry(**how: Any) -> str:
        found = desired_files(client, world.connection(hooks=False, project=project, **how))
        return json.dumps([one.value for target in found for one in target.entries])

    if client == "claude-desktop" and project is None:
        assert '"stdio", "--set", "core"' in entry()
        assert '"--set"' not in entry(all_tools=True)
        return
    if entry() == "[]":
        return
    assert ("/mcp?set=core" in entry()) == (client != "claude-code")
    assert "?set" not in entry(all_tools=True)
    assert "/mcp?families=time" in entry(url="http://127.0.0.1:8787/mcp?families=time")
    assert "set=core" not in entry(url="http://127.0.0.1:8787/mcp?families=time")


@pytest.mark.parametrize("client", list(KNOWN))
def test_a_client_with_channels_runs_one_where_that_is_asked_for(client: str, world: World) -> None:
    before = world.snapshot()
    connection = structs.replace(world.connection(hooks=False), has_channel=True)
    apply(plan(client, connection, world.installation.record()), world.installation)
    file = world.home / ".claude.json"
    if client == "claude-code":
        run = {"type": "stdio", "command": "almanac", "args": ["channel", "--url", "http://127.0.0.1:8787/mcp"]}
        written = json.loads(file.read_text())["mcpServers"]
        assert written["almanac-channel"] == run | {"env": {"ALMANAC_API_KEY": KEY}}
        # Without the flag it is taken away, as hooks are.
        world.connect(client, hooks=False)
        assert set(json.loads(file.read_text())["mcpServers"]) == {"almanac"}
        in_project = structs.replace(world.connection(hooks=False, project=world.home / "shop"), has_channel=True)
        assert "almanac-channel" not in str(desired_files(client, in_project))
    else:
        assert not any("almanac-channel" in str(content) for _, content in world.snapshot().values())
    world.undo(client)
    assert world.snapshot() == before


def test_what_an_earlier_version_wrote_is_replaced_and_undone(world: World) -> None:
    world.home.joinpath(".cursor").mkdir()
    (world.home / ".cursor/mcp.json").write_text('{"mcpServers": {}}')
    before = world.snapshot()
    changes = plan("cursor", world.connection(all_tools=True), world.installation.record())
    apply(changes, world.installation)
    assert world.connect("cursor") == 1
    assert "?set=core" in (world.home / ".cursor/mcp.json").read_text()
    assert world.states() <= {"connected"}
    world.undo("cursor")
    assert world.snapshot() == before


def test_a_link_stays_a_link(world: World) -> None:
    real = world.home / "dotfiles/cursor.json"
    real.parent.mkdir()
    real.write_text("{}")
    (world.home / ".cursor").mkdir()
    os.symlink(real, world.home / ".cursor/mcp.json")
    before = world.snapshot()
    world.connect("cursor")
    assert (world.home / ".cursor/mcp.json").is_symlink()
    assert KEY in real.read_text()
    world.undo("cursor")
    assert world.snapshot() == before


@pytest.mark.parametrize("place", ["file", "folder"])
def test_what_is_read_only_is_left_and_so_are_the_other_files_of_the_client(place: str, world: World) -> None:
    settings = world.home / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text("{}")
    settings.chmod(0o444)
    if place == "folder":
        settings.unlink()
        settings.parent.chmod(0o555)
        if os.access(settings.parent, os.W_OK):
            pytest.skip("root writes everywhere")
    before = world.snapshot()
    with pytest.raises(InvalidInput, match="is read-only, so"):
        world.connect("claude-code")
    assert world.snapshot() == before
    settings.parent.chmod(0o755)


def test_a_file_that_became_read_only_is_left_by_an_undo(world: World) -> None:
    world.connect("claude-code")
    (world.home / ".claude.json").chmod(0o400)
    before = world.snapshot()
    with pytest.raises(InvalidInput, match="is read-only, so"):
        world.undo("claude-code")
    assert world.snapshot() == before
    (world.home / ".claude.json").chmod(0o600)
    world.undo("claude-code")
    assert world.snapshot() == {}


def is_killed_at(number: int, act: Callable[[], object]) -> bool:
    """Act in a process that is killed where it puts a file in its place or deletes one for the `number`th time; False
    where it is done before."""
    child = os.fork()
    if child == 0:
        left = iter(range(number - 1))

        def deadly(change: Callable[..., None]) -> Callable[..., None]:
            def change_or_die(*places: Any) -> None:
                if next(left, None) is None:
                    os.kill(os.getpid(), signal.SIGKILL)
                change(*places)

            return change_or_die

        os.replace, os.unlink = deadly(os.replace), deadly(os.unlink)
        act()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


@pytest.mark.slow
@pytest.mark.parametrize("client", ["claude-code", "opencode", "codex"])
def test_killed_at_any_place_nothing_is_left_by_an_undo(client: str, world: World) -> None:
    for file in world.files(client):
        fill(file, "full")
    before = world.snapshot()
    number = 1
    while is_killed_at(number, lambda: world.connect(client)):
        assert is_killed_at(1, lambda: world.undo(client)) or number == 1
        world.undo(client)
        assert world.snapshot() == before
        number += 1
    assert number > 4
    assert world.states() == {"connected"}
    number = 1
    while is_killed_at(number, lambda: world.undo(client)):
        world.connect(client)
        assert world.states() == {"connected"}
        number += 1
    assert number > 4
    assert world.snapshot() == before


def _folder_link(file: Path) -> None:
    real = file.parents[1] / "dotfiles"
    real.mkdir()
    (real / file.name).write_text('{\r\n\t"a": [1,], // one\r\n}')
    file.parent.symlink_to(real)


def _two_links(file: Path) -> None:
    file.parent.mkdir()
    file.with_name("real").write_bytes(b'\xef\xbb\xbf{"a": {}}\r\n')
    file.with_name("second").symlink_to("real")
    file.symlink_to(file.with_name("second"))


def _make_dangling_link(file: Path) -> None:
    file.parent.mkdir()
    file.symlink_to(file.with_name("nowhere"))


def _loop(file: Path) -> None:
    file.parent.mkdir()
    file.symlink_to(file)


def _folder(file: Path) -> None:
    file.mkdir(parents=True)


def _pipe(file: Path) -> None:
    file.parent.mkdir()
    os.mkfifo(file)


def _writer_of(data: bytes) -> Callable[[Path], None]:
    def write(file: Path) -> None:
        file.parent.mkdir()
        file.write_bytes(data)

    return write


_COMMENTED = b'/* a "b */ {"x": "// no", /* ,} */ "mcpServers": /* m */ {"o": 1 /* , */ ,} // e\n ,}//'


@pytest.mark.parametrize("is_edited", [False, True])
@pytest.mark.parametrize(
    "make",
    [_folder_link, _two_links, _writer_of(b""), _writer_of(b"\xef\xbb\xbf"), _writer_of(b"{}"), _writer_of(_COMMENTED)],
    ids=["linked folder", "two links, a mark and CRLF", "empty", "a mark alone", "braces", "comments everywhere"],
)
def test_odd_files_are_connected_and_put_back(make: Callable[[Path], None], is_edited: bool, world: World) -> None:
    file = world.home / ".cursor/mcp.json"
    make(file)
    before = world.snapshot()
    assert world.connect("cursor") == 2
    assert world.states() == {"connected"}
    if is_edited:
        # A space at the end: the text is no longer the one that was written.
        file.write_bytes(file.read_bytes() + b" ")
    world.undo("cursor")
    if is_edited:
        assert KEY not in file.read_text()
        assert "almanac" not in file.read_text()
        assert JsonText(file.read_text("utf-8-sig").strip() or "{}").at(("mcpServers", "almanac")) is None
    else:
        assert world.snapshot() == before


@pytest.mark.parametrize(
    "make",
    [
        _make_dangling_link,
        _loop,
        _folder,
        _pipe,
        _writer_of("{}".encode("utf-16")),
        _writer_of(b'{"a": "\xff"}'),
        _writer_of(b"{'a': 1}"),
    ],
    ids=["dangling link", "link to itself", "folder", "pipe", "UTF-16", "no UTF-8", "single quotes"],
)
def test_what_is_no_readable_file_is_left(make: Callable[[Path], None], world: World) -> None:
    make(world.home / ".cursor/mcp.json")
    before = world.snapshot()
    with pytest.raises(AlmanacError):
        world.connect("cursor")
    assert world.snapshot() == before
    assert world.installation.record().files == {}


def test_a_difference_shows_no_key(world: World) -> None:
    (change,) = plan("vscode", world.connection(), world.installation.record())
    shown = difference(change, world.home, [KEY])
    assert "+++ ~/.config/Code/User/mcp.json" in shown
    assert KEY not in shown


@pytest.mark.parametrize("client", list(KNOWN))
def test_a_client_is_found_by_its_folder_or_its_program(client: str, world: World) -> None:
    assert not is_installed(client, world.machine, lambda _: None)
    if KNOWN[client].programs:
        assert is_installed(client, world.machine, lambda name: name if name in KNOWN[client].programs else None)
    world.files(client)[0].parent.mkdir(parents=True, exist_ok=True)
    world.files(client)[0].touch()
    assert is_installed(client, world.machine, lambda _: None)
