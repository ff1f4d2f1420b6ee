"""A tenant is restored whole or not at all: a wrong file is refused by its line."""

from typing import Any

import pytest

from almanac.identity.tenants import Tenants
from almanac.kernel.errors import InvalidInput
from almanac.platform.portability.lines import BlobLine, ItemLine, KeyLine, Line
from tests.contract.installations import Installation
from tests.unit.identity.portability.files import HEADER, file_of, note, refusal


@pytest.mark.parametrize("line", range(2, 8))
def test_of_a_tampered_file_nothing_behind_the_damage_is_written(here: Installation, there: Installation, line: int):
    here.whole.write([note(each) for each in range(6)])
    lines = here.export("acme").splitlines(keepends=True)
    lines[line - 1] = lines[line - 1].replace(b'"sort"', b'"Sort"')

    refused = refusal(there, b"".join(lines))

    assert isinstance(refused, InvalidInput)
    assert refused.path == f"line {line}"
    assert refused.message.startswith(f"Line {line}: ")
    assert there.items("acme") == []
    assert not Tenants(there.store, there.clock).exists("acme")


def test_a_file_that_was_cut_off_makes_no_tenant(here: Installation, there: Installation):
    here.whole.write([note(each) for each in range(3)])
    lines = here.export("acme").splitlines(keepends=True)

    assert refusal(there, b"".join(lines[:-1])).message == "The file is cut off after line 5."
    assert not Tenants(there.store, there.clock).exists("acme")


ITEM = ItemLine(partition=("P", "web", "notes"), sort="a", attributes={})
BAD_LINES: list[tuple[str, Line]] = [
    ("begins with P", ItemLine(partition=("S", "keys", "abcd"), sort="key", attributes={})),
    ("empty", ItemLine(partition=("P", "", "notes"), sort="a", attributes={})),
    ("sort key is empty", ItemLine(partition=("P", "web"), sort="", attributes={})),
    ("sort key is over", ItemLine(partition=("P", "web"), sort="x" * 1025, attributes={})),
    ("not an attribute name", ItemLine(partition=("P", "web"), sort="a", attributes={"PK": "x"})),
    ("64 bits", ItemLine(partition=("P", "web"), sort="a", attributes={"a": 2**64})),
    ("no meaning", ItemLine(partition=("P", "web"), sort="a", attributes={"a": {"$bytes": 1}})),
    ("bytes, over", ItemLine(partition=("P", "web"), sort="a", attributes={"a": "x" * 500_000})),
    ("expires_at", ItemLine(partition=("P", "web"), sort="a", attributes={}, expires_at=-1)),
    ("large values", ItemLine(partition=("P", "web"), sort="a", attributes={"a": {"$dict": {"$blob": "../../x"}}})),
    ("not a project", ItemLine(partition=("T", "projects"), sort="web", attributes={"id": "web"})),
    ("another name", ItemLine(partition=("T", "projects"), sort="web", attributes={"id": "x", "created_at": 1})),
    ("same item", ITEM),
    ("not an API key", KeyLine(attributes={"id": "abcd"})),
    ("next part", BlobLine(id="0f", part=1, parts=2, data=b"")),
    ("begin a new", BlobLine(id="../../etc", part=0, parts=1, data=b"")),
]


@pytest.mark.parametrize(("problem", "line"), BAD_LINES, ids=[problem for problem, _ in BAD_LINES])
def test_a_wrong_line_is_refused_by_its_number(there: Installation, problem: str, line: Line):
    refused = refusal(
        there, file_of(HEADER, ITEM, line, ITEM) if isinstance(line, BlobLine) else file_of(HEADER, ITEM, line)
    )

    assert problem in refused.message
    assert refused.message.startswith("Line 3: ")
    assert there.items("acme") == []


def test_a_value_nested_without_end_is_refused_by_its_line(there: Installation):
    deep: Any = "x"
    for _ in range(400):
        deep = [deep]

    refused = refusal(there, file_of(HEADER, ItemLine(partition=("P", "web"), sort="a", attributes={"a": deep})))

    assert refused.message.startswith("Line 2: ")


@pytest.mark.parametrize("name", ["Acme", "", "../x", "a" * 65, "a#b"])
def test_a_tenant_gets_a_name_that_tenants_can_have(here: Installation, there: Installation, name: str):
    assert refusal(there, here.export("acme"), into=name).code == "invalid_input"
