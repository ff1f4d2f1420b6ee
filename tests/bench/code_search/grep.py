"""A grep over texts, with the output of ripgrep and, like `git grep --show-function`, the definition around a match.

It is what the experts of these tasks work with: on every machine the same, and as fast as one likes.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

_PYTHON = re.compile(r"\s*(?:async\s+)?(?:def|class)\s+\w")
_GO = re.compile(r"(?:func|type)\s")
_SCRIPT = re.compile(
    r"\s*(?:export\s+)?(?:default\s+)?(?:abstract\s+)?(?:async\s+)?(?:function|class|interface|enum)\b"
    r"|\s*(?:export\s+)?(?:const|let)\s+\w+[^=]*=\s*(?:async\s*)?(?:\([^()]*\)|\w+)\s*(?::[^=]+)?=>"
    r"|\s+(?:(?:public|private|protected|static|async|get|set|readonly|override)\s+)*(?!if\b|for\b|while\b|switch\b|catch\b|return\b)"
    r"[\w$]+\s*(?:<[^>]*>)?\([^;]*\)\s*(?::[^;=]+)?\{\s*$"
)
HEADS = {".py": _PYTHON, ".go": _GO, ".ts": _SCRIPT, ".tsx": _SCRIPT}


class Match(Struct, frozen=True):
    """Lines count from 1. `heads` are those of the definitions around it, the innermost first."""

    path: str
    line: int
    text: str
    heads: tuple[int, ...]


def grep(files: Mapping[str, str], pattern: str, *, most: int = 200, folded: bool = False) -> list[Match]:
    """The lines in which `pattern` is found, in the order of paths and lines."""
    wanted = re.compile(pattern, re.IGNORECASE if folded else 0)
    return [
        Match(path, number, line, heads_of(path, lines, number))
        for path in sorted(files)
        for lines in [files[path].split("\n")]
        for number, line in enumerate(lines, start=1)
        if wanted.search(line)
    ][:most]


def heads_of(path: str, lines: Sequence[str], number: int) -> tuple[int, ...]:
    """The lines of the definitions that line `number` stands in, the innermost first, by their indentation."""
    is_head = HEADS[path[path.rindex(".") :]]
    found: list[int] = []
    inside = _indentation(lines[number - 1])
    if is_head.match(lines[number - 1]):
        found.append(number)
    for above in range(number - 1, 0, -1):
        line = lines[above - 1]
        if line.strip() and _indentation(line) < inside:
            if is_head.match(line):
                found.append(above)
            inside = _indentation(line) if not _continues(line) else inside
        if not inside:
            break
    return tuple(found)


def terminal_output(files: Mapping[str, str], matches: Sequence[Match], *, heads: bool = False) -> str:
    """What a terminal shows: `path:12:text`, and with `heads` before it `path=10=def around():` where that changes."""
    return "\n".join(_lines(files, matches, heads=heads))


def excerpt(files: Mapping[str, str], path: str, first: int, count: int) -> str:
    """Lines of a file, as `sed -n` shows them."""
    return "\n".join(files[path].split("\n")[first - 1 : first - 1 + count])


def _lines(files: Mapping[str, str], matches: Sequence[Match], *, heads: bool) -> Iterator[str]:
    before = ("", 0)
    for match in matches:
        head = match.heads[0] if match.heads else 0
        if heads and head not in (0, match.line) and (match.path, head) != before:
            yield f"{match.path}={head}={files[match.path].split(chr(10))[head - 1]}"
        before = (match.path, head)
        yield f"{match.path}:{match.line}:{match.text}"


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def _continues(line: str) -> bool:
    """It closes what was opened above, as `) -> None:` does: what begins there stands further up."""
    return line.lstrip().startswith((")", "]", "}"))
