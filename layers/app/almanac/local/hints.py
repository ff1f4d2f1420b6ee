"""Commands in what is said on the terminal, so that they can be pasted: the program's true name, the options in use.

`almanac keys list` becomes `.venv/bin/almanac keys list --data /tmp/x` where that is how the program was called.
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
    """A click callback that keeps what was said for `option` on this command line, to be said again in hints.

    What the environment says is there for the next command too.
    """

    def keep(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
        name = param.name or ""
        if value is not None and ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            ctx.meta.setdefault(IN_USE, {})[option] = str(value)
        return value

    return keep


def hint(text: str) -> str:
    """`text`, said by the command that runs, with its commands spelt for where it was called."""
    context = click.get_current_context(silent=True)
    if context is None:
        return text
    return fitted(text, context.meta.get(IN_USE, {}), context.find_root().command)


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
        # uvx puts its environment on the path of this process only: another terminal does not find it.
        return shlex.quote(str(Path(called).absolute()))
    return NAME if found is not None and os.path.samefile(found, called) else shlex.quote(called)


def is_in_uv_cache(called: Path) -> bool:
    """Return whether the program lies in an environment that uvx made, such as `archive-v0/<id>/bin` in uv's cache."""
    return any(re.fullmatch(r"(?:archive|environments)-v\d+", part) for part in called.absolute().parts)


def fitted(text: str, options: Mapping[str, str], root: click.Command, name: str | None = None) -> str:
    """`text` with every command of `root` in it spelt so that it works here with `options` ("--data": "/tmp/x"): each
    that the command knows and the text does not give it."""
    called = name or program()

    def spelt(found: re.Match[str]) -> str:
        words, command = _command(root, found[1].split())
        if command is None:
            return found[0]
        rest = found[1].split()[len(words) :]
        told = re.split(r"[`\n]", text[found.end() :], maxsplit=1)[0]
        known = {opt for param in command.params for opt in param.opts}
        wanted = [
            f"{option} {shlex.quote(value)}"
            for option, value in sorted(options.items())
            if option in known and f"{option} " not in told
        ]
        return " ".join([called, *words, *wanted, *rest])

    return _COMMAND.sub(spelt, text)


def _command(root: click.Command, words: list[str]) -> tuple[list[str], click.Command | None]:
    """The longest path of commands that the words begin with, and the command there."""
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
