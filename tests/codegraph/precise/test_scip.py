"""Reading SCIP indexes."""

import pytest

from codegraph.precise.scip import PreciseUse, read_scip
from codegraph.precise.symbols import parse_symbol
from codegraph.precise.wire import NotAnIndex
from tests.codegraph.precise.indexes import document, field, occurrence, symbol, varint

GO = symbol("`pkg.lib`/Tool#go().")


def test_a_use_has_its_place_and_where_it_is_defined() -> None:
    metadata = field(1, field(3, "file:///src"))
    data = (
        metadata
        + document("app.py", occurrence(300, 4, GO), occurrence(2, 0, "local 1"))
        + document("pkg/lib.py", occurrence(5, 8, GO, roles=1))
    )
    assert read_scip(data) == [PreciseUse("app.py", 300, 4, "pkg.lib.Tool.go", "function", "pkg/lib.py", 5)]


def test_a_symbol_that_no_document_defines_is_outside() -> None:
    [found] = read_scip(document("app.py", occurrence(1, 0, symbol("os/path/join()."))))
    assert (found.name, found.defined_path, found.defined_line) == ("os.path.join", "", 0)


@pytest.mark.parametrize(
    ("descriptors", "name", "kind"),
    [
        ("main/f().", "main.f", "function"),
        ("main/C#", "main.C", "type"),
        ("main/C#m(+1).", "main.C.m", "function"),
        ("main/x.", "main.x", "term"),
        ("`a.b`/C#m().(self)", "a.b.C.m", "other"),
        ("`a.b`/__init__:", "a.b", "other"),
        ("src/`index.ts`/`odd ``name`` `#", "src.index.ts.odd `name` ", "type"),
        ("main/f!", "main.f", "function"),
    ],
)
def test_descriptors_become_dotted_names(descriptors: str, name: str, kind: str) -> None:
    assert parse_symbol(symbol(descriptors)) == (name, kind)


@pytest.mark.parametrize(
    "text", ["", "local 3", "a b c", "a b c d ", "a b c d x", "a b c d `x", "a b c d f(", "x" * 9000]
)
def test_what_is_no_global_symbol_has_no_name(text: str) -> None:
    assert parse_symbol(text) is None


def test_spaces_of_a_package_are_doubled() -> None:
    assert parse_symbol("scip  x python my  app 1 main/f().") == ("main.f", "function")


@pytest.mark.parametrize(
    "data",
    [
        b"\x80" * 20,
        b"\x12\xff\xff\xff\xff\x7f",
        b"\x13\x00",
        field(2, field(1, 7)),
        field(2, field(1, b"\xff\xfe")),
        field(2, field(2, field(2, 5))),
        varint(2 << 3 | 2),
    ],
)
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(NotAnIndex):
        read_scip(data)


def test_nothing_is_an_empty_index() -> None:
    assert read_scip(b"") == []


def test_a_large_index_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codegraph.precise.scip.LARGEST", 10)
    with pytest.raises(NotAnIndex, match="fewer folders"):
        read_scip(document("app.py"))


def test_an_index_of_too_many_uses_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codegraph.precise.scip.MOST_USES", 2)
    with pytest.raises(NotAnIndex, match="fewer folders"):
        read_scip(document("app.py", *[occurrence(1, 0, GO)] * 3))


def test_fixed_numbers_are_passed_over() -> None:
    data = varint(9 << 3 | 5) + b"abcd" + varint(9 << 3 | 1) + b"abcdefgh" + document("app.py", occurrence(1, 0, GO))
    assert len(read_scip(data)) == 1
