"""Compile regular expressions at build time: `patterns.py list FILE`, then `patterns.py compile FILE FOLDER`.

The first command runs with the functions' packages and lists each pattern that is compiled while modules are imported.
The second runs with the functions' Python without packages, and stores in FOLDER what its `re` compiles them to.
"""

import json
import marshal
import pkgutil
import sys
from array import array
from importlib import import_module
from pathlib import Path
from typing import Any

PACKAGES = ("almanac", "boto3", "botocore.session", "numpy", "opensearchpy", "pynamodb.connection")

# These are private, but the same in each Python version that a function may have. Without them a build fails.
COMPILER: Any = import_module("re._compiler")
ENGINE: Any = import_module("_sre")


def main() -> None:
    command, file, *folder = sys.argv[1:]
    if command == "list":
        Path(file).write_text(json.dumps(sorted(listed())), encoding="ascii")
    else:
        content = {(pattern, flags): compiled(pattern, flags) for pattern, flags in json.loads(Path(file).read_bytes())}
        made = Path(*folder, f"patterns.{sys.implementation.cache_tag}")
        made.write_bytes(marshal.dumps(((ENGINE.MAGIC, ENGINE.CODESIZE), content)))


def listed() -> set[tuple[str, int]]:
    """Return the patterns, with their flags, of all modules of `almanac` and of the modules they import."""
    seen: set[tuple[str, int]] = set()
    compile_pattern = COMPILER.compile

    def noting(pattern: object, flags: int = 0) -> object:
        if isinstance(pattern, str):
            seen.add((pattern, int(flags)))
        return compile_pattern(pattern, flags)

    COMPILER.compile = noting
    for name in PACKAGES:
        import_module(name)
    for module in pkgutil.walk_packages(sys.modules["almanac"].__path__, "almanac."):
        import_module(module.name)
    COMPILER.compile = compile_pattern
    return seen


def compiled(pattern: str, flags: int) -> tuple[object, ...]:
    """Return the arguments that `re` passes to its engine: flags, code, and the groups' count, names and numbers."""
    kept = _Kept()
    vars(COMPILER)["_sre"] = kept
    COMPILER.compile(pattern, flags)
    vars(COMPILER)["_sre"] = ENGINE
    _, all_flags, code, *groups = kept.handed
    return int(all_flags), array("I", code).tobytes(), *groups


class _Kept:
    """A stand-in for the engine that keeps the arguments of `compile`."""

    def __init__(self) -> None:
        self.handed: tuple[Any, ...] = ()

    def __getattr__(self, name: str) -> Any:
        return getattr(ENGINE, name)

    def compile(self, *handed: object) -> None:
        self.handed = handed


if __name__ == "__main__":
    main()
