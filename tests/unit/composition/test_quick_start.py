"""A function's start: patterns that were compiled by a build, and no garbage looked for before the first answer."""

import gc
import importlib
import json
import marshal
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from almanac.composition.quick_start import quick_start, use_patterns

BUILD = Path(__file__).parents[3] / "layers/app/patterns.py"
COMPILER: Any = importlib.import_module("re._compiler")


@pytest.fixture
def compile_anew() -> Iterator[Any]:
    """The regex compiler of this process, which is restored after the test."""
    original = COMPILER.compile
    yield original
    COMPILER.compile = original


def _build_patterns(patterns: list[tuple[str, int]], folder: Path) -> Path:
    (folder / "patterns.json").write_text(json.dumps(patterns))
    subprocess.run([sys.executable, BUILD, "compile", folder / "patterns.json", folder], check=True)
    return folder / f"patterns.{sys.implementation.cache_tag}"


def test_every_pattern_that_a_build_compiles_is_the_one_that_this_python_makes(tmp_path: Path, compile_anew: Any):
    listed = tmp_path / "listed.json"
    subprocess.run([sys.executable, BUILD, "list", listed], check=True)
    patterns = [(pattern, flags) for pattern, flags in json.loads(listed.read_text())]
    assert len(patterns) > 500

    use_patterns(_build_patterns(patterns, tmp_path))

    for pattern, flags in patterns:
        known, anew = COMPILER.compile(pattern, flags), compile_anew(pattern, flags)
        # Patterns are equal where their text, their flags and the code of their engine are.
        assert known == anew, pattern
        assert (known.groups, known.groupindex) == (anew.groups, anew.groupindex)


def test_a_pattern_that_was_not_compiled_by_a_build_is_compiled(tmp_path: Path, compile_anew: Any):
    use_patterns(_build_patterns([("(?P<day>[0-9]+)", int(re.ASCII))], tmp_path))

    assert COMPILER.compile is not compile_anew
    assert COMPILER.compile("(?P<day>[0-9]+)", re.ASCII).search("the 27th")["day"] == "27"
    assert COMPILER.compile("(?P<day>[0-9]+)", 0) == compile_anew("(?P<day>[0-9]+)", 0)
    assert COMPILER.compile(b"[a-z]", 0).match(b"a")


def test_patterns_for_another_engine_and_none_at_all_leave_everything_as_it_is(tmp_path: Path, compile_anew: Any):
    for_another = tmp_path / "patterns"
    for_another.write_bytes(marshal.dumps(((1, 1), {("a", 32): (32, b"", 0, {}, (None,))})))

    use_patterns(for_another)
    use_patterns(tmp_path / "none")

    assert COMPILER.compile is compile_anew


def test_garbage_is_looked_for_after_the_first_answer_and_not_among_what_stands_then():
    thresholds, seen = gc.get_threshold(), list[int]()

    @quick_start
    def open_handler(answer: str):
        def handle(event: str, _context: object) -> str:
            seen.append(gc.get_threshold()[0])
            if event == "fails":
                raise ValueError(event)
            return answer

        return handle

    try:
        handler = open_handler("done")
        with pytest.raises(ValueError, match="fails"):
            handler("fails", None)
        assert gc.get_freeze_count() > 0
        assert handler("works", None) == "done"
    finally:
        gc.unfreeze()

    assert seen == [200_000, thresholds[0]]
    assert gc.get_threshold() == thresholds
