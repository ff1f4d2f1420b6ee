"""Configuration files of the clients of a user, by platform."""

import os
from pathlib import Path

from almanac.platform.clients.server import ClientMachine


def configuration_file(client: str, machine: ClientMachine) -> Path | None:
    """Return the user's configuration file that the client reads at its start. None if the client has none.

    Environment variables that set another folder count if they are absolute paths.
    """
    home = machine.home
    match client:
        case "opencode":
            return _opencode(_path_from_variable(machine, "XDG_CONFIG_HOME", home / ".config") / "opencode")
        case "claude":
            return _claude_desktop(machine) / "Claude" / "claude_desktop_config.json"
        case "claude-code":
            return _path_from_variable(machine, "CLAUDE_CONFIG_DIR", home) / ".claude.json"
        case "kimi":
            return home / ".kimi" / "mcp.json"
        case "codex":
            return _path_from_variable(machine, "CODEX_HOME", home / ".codex") / "config.toml"
        case "gemini":
            return home / ".gemini" / "settings.json"
        case "cursor":
            return home / ".cursor" / "mcp.json"
        case _:
            return None


def display_path(path: Path, home: Path) -> str:
    """Return a path for display, e.g. `~/.cursor/mcp.json` for a file in the home folder."""
    try:
        return f"~/{path.relative_to(home).as_posix()}"
    except ValueError:
        return str(path)


def _opencode(folder: Path) -> Path:
    """Return the path of OpenCode's configuration: the .jsonc file if only that one exists, else the .json file."""
    plain, with_comments = folder / "opencode.json", folder / "opencode.jsonc"
    return with_comments if os.path.lexists(with_comments) and not os.path.lexists(plain) else plain


def _claude_desktop(machine: ClientMachine) -> Path:
    if machine.platform == "darwin":
        return machine.home / "Library" / "Application Support"
    if machine.platform == "win32":
        return _path_from_variable(machine, "APPDATA", machine.home / "AppData" / "Roaming")
    return _path_from_variable(machine, "XDG_CONFIG_HOME", machine.home / ".config")


def _path_from_variable(machine: ClientMachine, variable: str, default: Path) -> Path:
    chosen = machine.variables.get(variable, "")
    return Path(chosen) if os.path.isabs(chosen) else default
