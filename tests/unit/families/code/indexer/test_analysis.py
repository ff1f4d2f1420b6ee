"""Test the analysis of files of any kind before they are stored."""

import pytest

from almanac.families.code.core.codec import unpack
from almanac.families.code.core.signatures import signature_of
from almanac.families.code.indexer.analysis import analyse
from codegraph import FileSummary
from tests.unit.families.code.repository import may_have


@pytest.mark.parametrize(
    "text",
    [
        "def g(:\n",
        "class A(\n",
        'x = {"\\ud800": 1}\nx["\\ud800"]\n',
        '__all__ = ["\\udfff"]\n',
        'f(**{"\\ud800": f})\n',
    ],
)
def test_a_file_that_is_odd_or_not_finished_is_analysed(text: str) -> None:
    analysed = analyse("a.py", text)
    assert unpack(analysed.summary, FileSummary)
    assert signature_of(analysed.names, analysed.defined) is not None


def test_the_names_of_a_file_are_those_by_which_its_users_are_found() -> None:
    python = analyse("a/b.py", "from .c import d as e\nimport f.g\n\n\ndef h(x):\n    e(x.i)\n")
    assert {"c", "d", "e", "g", "h", "i"} <= set(python.names)
    assert "h" in python.defined
    assert "i" not in python.defined
    script = analyse(
        "a/b.ts", "import { c as d } from '../x';\nexport { e as f } from '..';\nimport g from '.';\nd();\n"
    )
    assert {"x", "c", "d", "e", "f", "a", "default"} <= set(script.names)
    assert not {"", "*"} & (set(python.names) | set(script.names))


def test_a_signature_has_its_names_and_no_others() -> None:
    names = [f"name{number}" for number in range(2000)]
    signature = signature_of(names, ["defined"])
    assert all(may_have(signature, name) for name in (*names, "defined"))
    assert not any(may_have(signature, f"other{number}") for number in range(100))
