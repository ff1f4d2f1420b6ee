"""Clients that `almanac connect` supports: how to detect each, and what to write into its files."""

import json
import shlex
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct, structs

from almanac.local.connect.config_entries import Entry, Format
from almanac.platform.clients.entries import CLIENTS
from almanac.platform.clients.places import configuration_file
from almanac.platform.clients.server import KEY_VARIABLE, NAME, ClientMachine, Server

Json = dict[str, Any]
Scope = Literal["user", "project"]
_PLUGIN = Path(__file__).with_name("opencode_plugin.js")
CHANNEL = f"{NAME}-channel"
EDITS = "Edit|Write|MultiEdit|NotebookEdit"


class DesiredFile(Struct, frozen=True, kw_only=True):
    """Desired contents of a file: either entries in it, or `text` as the whole file."""

    file: Path
    format: Format
    entries: tuple[Entry, ...] = ()
    text: str = ""


class Hook(Struct, frozen=True):
    """An event at which the client runs a command. The client stops the command after `seconds`."""

    event: str
    seconds: int = 5
    matcher: str = ""
    in_background: bool = False


class Client(Struct, frozen=True, kw_only=True):
    """A client that can be connected. `programs` are its possible names on the path. `next_steps` tells the user what
    is left to do, and `hook_steps` adds what hooks need. `channel_step` adds what the channel needs, and is "" for a
    client without channels."""

    title: str
    programs: tuple[str, ...]
    hooks: tuple[Hook, ...] = ()
    next_steps: str = "Start a new conversation in it."
    hook_steps: str = ""
    channel_step: str = ""


def _claude_hooks(edits: str, failures: str) -> tuple[Hook, ...]:
    return (
        Hook("SessionStart"),
        Hook("UserPromptSubmit"),
        Hook("PreToolUse", matcher=edits),
        Hook("PostToolUse", 30, edits, in_background=True),
        *((Hook("PostToolUseFailure", 30, failures, in_background=True),) if failures else ()),
        Hook("Stop", 60, in_background=True),
        Hook("SubagentStop", 60, in_background=True),
        Hook("PreCompact", 60, in_background=True),
        Hook("SessionEnd", 3),
    )


KNOWN: Mapping[str, Client] = {
    "claude-code": Client(
        title="Claude Code",
        programs=("claude",),
        hooks=_claude_hooks(EDITS, f"Bash|{EDITS}"),
        next_steps="Start a new session; /mcp shows almanac, /hooks its hooks.",
        channel_step=f"To receive notices: claude --dangerously-load-development-channels server:{CHANNEL}",
    ),
    "claude-desktop": Client(title="Claude Desktop", programs=(), next_steps="Quit it and start it again."),
    "cursor": Client(
        title="Cursor",
        programs=("cursor", "cursor-agent"),
        hooks=(
            Hook("sessionStart"),
            Hook("beforeSubmitPrompt"),
            Hook("preToolUse", matcher="Write|Edit|StrReplace"),
            Hook("afterFileEdit"),
            Hook("afterAgentResponse"),
            Hook("sessionEnd"),
        ),
        next_steps="Turn almanac on under Settings > MCP where it is off, and start a new chat.",
    ),
    "vscode": Client(
        title="VS Code",
        programs=("code", "code-insiders"),
        next_steps="Run `MCP: List Servers` and start almanac; VS Code asks whether you trust it.",
        hook_steps="VS Code runs the hooks of Claude Code's settings: connect claude-code too.",
    ),
    "codex": Client(
        title="Codex",
        programs=("codex",),
        hooks=_claude_hooks("apply_patch|Edit|Write", ""),
        hook_steps="Run /hooks in Codex and trust the hooks of almanac: Codex runs none before, nor after a change.",
    ),
    "gemini": Client(
        title="Gemini CLI",
        programs=("gemini",),
        hooks=(
            Hook("SessionStart"),
            Hook("BeforeAgent"),
            Hook("BeforeTool", matcher="write_file|replace|edit"),
            Hook("AfterTool", matcher="write_file|replace|edit"),
            Hook("AfterAgent", 10),
            Hook("SessionEnd"),
        ),
    ),
    "copilot": Client(
        title="Copilot CLI",
        programs=("copilot",),
        hooks=(
            Hook("sessionStart"),
            Hook("userPromptSubmitted"),
            Hook("preToolUse", matcher="edit|create|str_replace_editor"),
            Hook("postToolUse", matcher="edit|create|str_replace_editor"),
            Hook("sessionEnd"),
        ),
    ),
    "opencode": Client(title="opencode", programs=("opencode",), next_steps="Start it again."),
    "windsurf": Client(
        title="Windsurf",
        programs=("windsurf",),
        hooks=(Hook("pre_user_prompt"), Hook("post_write_code"), Hook("post_cascade_response")),
        next_steps="Refresh the MCP servers in Cascade's settings.",
    ),
}
_NAMES = {"claude-desktop": "claude"}
"""Clients that have another name in `CLIENTS`."""


class Connection(Struct, frozen=True, kw_only=True):
    """Connection of one client to a server. `server` holds the client's own key. `command` runs the hook script, and is
    empty to connect without hooks. `project` is the root of the working tree whose files are written, or None for the
    user's files. With `all_tools` a client that loads the definition of every tool gets all tools instead of a
    selection. With `has_channel` a client that supports channels runs `almanac channel`."""

    server: Server
    machine: ClientMachine
    command: Sequence[str] = ()
    project: Path | None = None
    all_tools: bool = False
    has_channel: bool = False


def is_installed(name: str, machine: ClientMachine, which: Callable[[str], str | None]) -> bool:
    """Tell whether the client's program is on the path, or its folder or file exists."""
    home = machine.home
    signs = {
        "claude-code": [home / ".claude", _file(name, machine)],
        "claude-desktop": [_file(name, machine).parent],
        "vscode": [_vscode(machine)],
        "opencode": [_file(name, machine).parent],
        "copilot": [machine.home / ".copilot"],
        "windsurf": [home / ".codeium" / "windsurf"],
    }
    found = signs.get(name, [_file(name, machine).parent])
    return any(sign.exists() for sign in found) or any(which(program) for program in KNOWN[name].programs)


def desired_files(name: str, connection: Connection) -> list[DesiredFile]:
    """Return what the client's files should hold. The key is never written into files of a project, where the client
    takes it from ALMANAC_API_KEY."""
    if connection.project is not None:
        connection = structs.replace(connection, server=structs.replace(connection.server, key=None))
    servers = _servers_file(name, connection)
    found: list[DesiredFile] = []
    if servers is not None:
        server = connection.server
        shape, entry = _entry(name, server, all_tools=connection.all_tools)
        form: Format = "toml" if name == "codex" else "json"
        entries = [Entry((shape, NAME), entry)]
        if connection.has_channel and KNOWN[name].channel_step and connection.project is None:
            entries.append(Entry((shape, CHANNEL), _channel(server)))
        found.append(DesiredFile(file=servers, format=form, entries=tuple(entries)))
    hooks = _hooks(name, connection) if connection.command else None
    if hooks is None:
        return found
    if found and hooks.file == found[0].file:
        return [structs.replace(found[0], entries=(*found[0].entries, *hooks.entries))]
    return [*found, hooks]


def _channel(server: Server) -> Json:
    """Return the entry of the channel's server, which the client starts to receive notices. Its command line contains
    paths of this machine."""
    at = server.command.index("stdio")
    command, *arguments = [*server.command[:at], "channel", "--url", server.url, *server.command[at + 1 :]]
    return {"type": "stdio", "command": command, "args": arguments, "env": {KEY_VARIABLE: server.key or ""}}


def _entry(name: str, server: Server, *, all_tools: bool) -> tuple[str, Json]:
    if name == "claude-desktop" and server.key is not None:
        # Claude Desktop starts the server itself, and the server reads its key from the environment.
        server = structs.replace(server, environment={**server.environment, KEY_VARIABLE: server.key})
    client = CLIENTS[_NAMES.get(name, name)]
    return client.servers, client.of(server if all_tools else client.with_tool_set(server))


def _servers_file(name: str, connection: Connection) -> Path | None:
    """Return the file that lists the client's MCP servers. Return None if it has none in this scope or cannot reach the
    server."""
    machine, root = connection.machine, connection.project
    if name == "claude-desktop" and (root is not None or not connection.server.command):
        return None
    if root is None:
        return _file(name, machine)
    places = {
        "claude-code": ".mcp.json",
        "cursor": ".cursor/mcp.json",
        "vscode": ".vscode/mcp.json",
        "codex": ".codex/config.toml",
        "gemini": ".gemini/settings.json",
        "opencode": "opencode.json",
    }
    return root / places[name] if name in places else None


def _file(name: str, machine: ClientMachine) -> Path:
    home = machine.home
    if (file := configuration_file(_NAMES.get(name, name), machine)) is not None:
        return file
    if name == "vscode":
        return _vscode(machine) / "mcp.json"
    if name == "copilot":
        return machine.home / ".copilot" / "mcp-config.json"
    return home / ".codeium" / "windsurf" / "mcp_config.json"


def _vscode(machine: ClientMachine) -> Path:
    # The folder of Claude Desktop is a sibling: both lie in the folder for data of applications.
    applications = _file("claude-desktop", machine).parents[1]
    return applications / "Code" / "User"


def _hooks_file(name: str, connection: Connection) -> Path | None:
    """Return the file for the hooks, or None for a client without hooks of its own."""
    root, machine = connection.project, connection.machine
    chosen = machine.variables.get("CLAUDE_CONFIG_DIR", "")
    claude = Path(chosen) if Path(chosen).is_absolute() else machine.home / ".claude"
    users = {
        "claude-code": claude / "settings.json",
        "codex": _file("codex", machine).with_name("hooks.json"),
        "gemini": _file("gemini", machine),
        "cursor": machine.home / ".cursor" / "hooks.json",
        "windsurf": _file("windsurf", machine).with_name("hooks.json"),
        "copilot": machine.home / ".copilot" / "hooks" / "almanac.json",
        "opencode": _file("opencode", machine).parent / "plugins" / "almanac.js",
    }
    projects = {
        # A local file, because the command contains paths of this machine and other people share the project.
        "claude-code": ".claude/settings.local.json",
        "codex": ".codex/hooks.json",
        "gemini": ".gemini/settings.json",
        "cursor": ".cursor/hooks.json",
        "windsurf": ".windsurf/hooks.json",
        "copilot": ".github/hooks/almanac.json",
        "opencode": ".opencode/plugins/almanac.js",
    }
    return users.get(name) if root is None else root / projects[name] if name in projects else None


def _hooks(name: str, connection: Connection) -> DesiredFile | None:
    file, hooks, platform = _hooks_file(name, connection), KNOWN[name].hooks, connection.machine.platform
    if file is None:
        return None
    line = _line([*connection.command, name], platform)
    match name:
        case "cursor":
            entries = [Entry(("version",), 1, is_shared=True)]
            entries += [
                Entry(("hooks", hook.event), {"command": line, **_matcher_field(hook)}, is_item=True) for hook in hooks
            ]
        case "windsurf":
            run = {"powershell" if platform == "win32" else "command": line, "show_output": False}
            entries = [Entry(("hooks", hook.event), run, is_item=True) for hook in hooks]
        case "copilot":
            found = {hook.event: [_copilot_hook(hook, connection, platform)] for hook in hooks}
            return DesiredFile(
                file=file, format="whole", text=json.dumps({"version": 1, "hooks": found}, indent=2) + "\n"
            )
        case "opencode":
            words = json.dumps([*connection.command, name])
            return DesiredFile(file=file, format="whole", text=_PLUGIN.read_text("utf-8").replace("COMMAND", words, 1))
        case _:
            entries = _groups(hooks, line, milliseconds=name == "gemini")
    return DesiredFile(file=file, format="json", entries=tuple(entries))


def _line(words: Sequence[str], platform: str) -> str:
    if platform == "win32":
        # On Windows, the shell of some clients treats a backslash as an escape.
        return subprocess.list2cmdline([word.replace("\\", "/") for word in words])
    # If the script or the interpreter was removed, the exit status must not stop the client.
    return f"{shlex.join(words)} 2>/dev/null || true"


def hook_groups(name: str, line: str) -> Json:
    """Return the hooks of Claude Code, Codex or Gemini that run `line`, by event."""
    entries = _groups(KNOWN[name].hooks, line, milliseconds=name == "gemini")
    return {entry.path[-1]: [entry.value] for entry in entries}


def _groups(hooks: Sequence[Hook], line: str, *, milliseconds: bool) -> list[Entry]:
    """Return an entry for each hook, in the form of Claude Code, Codex and Gemini: a list of groups for each event."""
    entries: list[Entry] = []
    for hook in hooks:
        seconds = hook.seconds * 1000 if milliseconds else hook.seconds
        handler: Json = {"type": "command", "command": line, "timeout": seconds}
        if milliseconds:
            handler = {"name": NAME, **handler}
        if hook.in_background:
            handler["async"] = True
        entries.append(Entry(("hooks", hook.event), {**_matcher_field(hook), "hooks": [handler]}, is_item=True))
    return entries


def _copilot_hook(hook: Hook, connection: Connection, platform: str) -> Json:
    # The data of its events does not name the event, so the command line does.
    line = _line([*connection.command, "copilot", hook.event], platform)
    shell = "powershell" if platform == "win32" else "bash"
    return {"type": "command", shell: line, **_matcher_field(hook), "timeoutSec": hook.seconds}


def _matcher_field(hook: Hook) -> Json:
    return {"matcher": hook.matcher} if hook.matcher else {}
