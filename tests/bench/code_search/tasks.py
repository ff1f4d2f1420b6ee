"""The tasks: questions about packages, with the places that answer them."""

from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from tests.bench.code_search.packages import Package

TaskKind = Literal["definition", "callers", "setting", "impact"]
HERE = Path(__file__).parent


class Place(Struct, frozen=True, array_like=True):
    """Line 0 is what stands in no function of the file."""

    path: str
    line: int


class Task(Struct, frozen=True, kw_only=True):
    """`symbol` of the file `path` is asked for, but by a setting: `question` asks for that in words, and `patterns` are
    the searches that an expert tries one after another until he has it.

    `answer` was found by each language's own tools: `ast` and jedi, go/types, the TypeScript compiler; of settings by
    reading. A definition is the line of its name, callers are the functions and methods that call it, by the lines of
    their names, impact besides these those that call them in turn, a setting the lines that set it.
    """

    kind: TaskKind
    package: str
    answer: tuple[Place, ...]
    symbol: str = ""
    path: str = ""
    question: str = ""
    patterns: tuple[str, ...] = ()


class Suite(Struct, frozen=True):
    packages: tuple[Package, ...]
    tasks: tuple[Task, ...]


def suite() -> Suite:
    return msgspec.json.decode((HERE / "tasks.json").read_bytes(), type=Suite)
