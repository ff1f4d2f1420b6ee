"""Spelling of the commands in terminal output, with the program's path and the options in use, ready to paste.

`almanac keys list` becomes `.venv/bin/almanac keys list --data /tmp/x` if the program was called in that way.
"""

import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

NAME = "almanac"
IN_USE = "almanac.options"
_COMMAND = re.compile(r"(?<![\w./-])almanac ([a-z]+(?: [a-z]+)*)")


def in_use(option: str) -> Any:
    """Return a click callback that remembers the value of `option` on this command line, for hints to repeat.

    A value from the environment needs no repetition, because the next command reads it too.
    """

    def keep(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
        name = param.name or ""
        if value is not None and ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            ctx.meta.setdefault(IN_USE, {})[option] = str(value)
        return value

    return keep


def hint(text: str) -> str:
    """Return `text` of the running command with the commands in it spelt as the program was called."""
    context = click.get_current_context(silent=True)
    if context is None:
        return text
    return spell_commands(text, context.meta.get(IN_USE, {}), context.find_root().command)


def program() -> str:
    """Return the command that starts this program again: `almanac` if the shell finds it, or the path or module that
    was called."""
    called = sys.argv[0] if sys.argv else NAME
    if Path(called).name == "__main__.py":
        return f"{shlex.quote(sys.executable)} -m almanac.local"
    if Path(called).stem != NAME or not Path(called).exists():
        return NAME
    found = shutil.which(NAME)
    if is_in_uv_cache(Path(called)):
        # uvx puts its environment on the path of this process only. Another terminal would not find the program.
        return shlex.quote(str(Path(called).absolute()))
    return NAME if found is not None and os.path.samefile(found, called) else shlex.quote(called)


def is_in_uv_cache(called: Path) -> bool:
    """Return whether the program lies in an environment that uvx made, such as `archive-v0/<id>/bin` in uv's cache."""
    return any(re.fullmatch(r"(?:archive|environments)-v\d+", part) for part in called.absolute().parts)


def spell_commands(text: str, options: Mapping[str, str], root: click.Command, name: str | None = None) -> str:
    """Return `text` with every command of `root` spelt so that it works here with `options` ("--data": "/tmp/x").

    A command gets each option that it knows and that the text does not set."""
    program_name = name or program()

    def spell(found: re.Match[str]) -> str:
        words, command = _command(root, found[1].split())
        if command is None:
            return found[0]
        rest = found[1].split()[len(words) :]
        line = re.split(r"[`\n]", text[found.end() :], maxsplit=1)[0]
        known = {opt for param in command.params for opt in param.opts}
        added_options = [
            f"{option} {shlex.quote(value)}"
            for option, value in sorted(options.items())
            if option in known and f"{option} " not in line
        ]
        return " ".join([program_name, *words, *added_options, *rest])

    return _COMMAND.sub(spell, text)


def _command(root: click.Command, words: list[str]) -> tuple[list[str], click.Command | None]:
    """Return the longest leading path of words that names commands, and the command at its end."""
    path: list[str] = []
    command = root
    context = click.Context(root)
    for word in words:
        below = command.get_command(context, word) if isinstance(command, click.Group) else None
        if below is None:
            break
        path.append(word)
        command = below
    return path, command if path else None
