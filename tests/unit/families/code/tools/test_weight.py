"""Test that numpy and grammars are loaded only by code that uses them."""

import subprocess
import sys

_TOOLS = "from almanac.families.code.tools import context, files, graph, search"


def test_numpy_and_grammars_are_loaded_by_who_needs_them() -> None:
    told = f"{_TOOLS}\nimport sys\nprint(sorted({{'numpy', 'tree_sitter_python'}} & sys.modules.keys()))"
    run = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
