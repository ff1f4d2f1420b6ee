"""A tenant's file is read line by line, and nothing of it that is not as it was written."""

from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from almanac.kernel.errors import InvalidInput
from almanac.platform.portability.file import MAX_LINE_BYTES, Counts, FileWriter, read_lines
from almanac.platform.portability.lines import BlobLine, Header, ItemLine, KeyLine, Line

HEADER = Header(format=1, tenant="acme", name="Acme", created_at=1, exported_at=2)
ITEM = ItemLine(partition=("P", "web", "notes"), sort="a", attributes={"text": "hello"})
LINES: list[Line] = [
    HEADER,
    ITEM,
    BlobLine(id="0f", part=0, parts=1, data=b"large"),
    ItemLine(partition=("T", "audit"), sort="b", attributes={}, expires_at=5),
    KeyLine(attributes={"id": "abcd"}),
]


def write_file(lines: list[Line] = LINES) -> bytes:
    file = BytesIO()
    writer = FileWriter(file)
    for line in lines:
        writer.write(line)
    writer.finish()
    return file.getvalue()


def _read(content: bytes) -> list[Line]:
    return [numbered.line for numbered in read_lines(BytesIO(content))]


def _refusal(content: bytes) -> InvalidInput:
    with pytest.raises(InvalidInput) as refused:
        _read(content)
    return refused.value


def test_lines_read_back_as_written_with_their_counts_last():
    assert _read(write_file()) == [*LINES, Counts(items=2, blobs=1, keys=1).footer()]


def test_line_ends_of_another_system_are_no_damage():
    assert _read(write_file().replace(b"\n", b"\r\n")) == _read(write_file())
    assert _read(write_file().rstrip(b"\n")) == _read(write_file())


def test_two_exports_of_the_same_data_differ_in_their_first_line_only():
    later = Header(format=1, tenant="acme", name="Acme", created_at=1, exported_at=99)

    assert write_file([later, *LINES[1:]]).splitlines()[1:] == write_file().splitlines()[1:]


def test_the_first_line_of_another_export_is_refused_at_the_second_line():
    other = Header(format=1, tenant="birch", name="Birch", created_at=1, exported_at=2)
    mixed = write_file([other]).splitlines()[:1] + write_file().splitlines()[1:]

    assert _refusal(b"\n".join(mixed)).path == "line 2"


@given(st.data())
def test_a_changed_byte_is_found_at_its_line(data: st.DataObject):
    content = bytearray(write_file())
    at = data.draw(st.integers(0, len(content) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda each: each != content[at] and each not in b"\r\n"))
    line = content[:at].count(b"\n") + 1
    content[at] = byte

    assert _refusal(bytes(content)).path == f"line {line}"


@given(st.integers(0, len(write_file()) - 2))
def test_a_file_that_was_cut_off_is_refused_where_it_ends(length: int):
    content = write_file()[:length]

    complete = content.count(b"\n")
    assert _refusal(content).path in {f"line {complete}", f"line {complete + 1}"}


@given(st.permutations(range(6)).filter(lambda order: list(order) != sorted(order)))
def test_lines_in_another_order_are_refused(order: list[int]):
    lines = write_file().splitlines(keepends=True)

    assert _refusal(b"".join(lines[place] for place in order)).code == "bad_export"


def test_what_follows_the_end_is_refused():
    extra = BytesIO()
    writer = FileWriter(extra)
    for line in LINES:
        writer.write(line)
    writer.finish()
    writer.write(ITEM)

    refusal = _refusal(extra.getvalue())

    assert refusal.path == "line 7"
    assert "follow the end" in refusal.message


def test_an_empty_file_says_so():
    assert _refusal(b"").message == "The file is empty."


def test_a_file_of_a_later_format_says_what_reads_it():
    later = Header(format=3, tenant="acme", name="Acme", created_at=1, exported_at=2)

    assert "format 3, this program reads 1 to 2" in _refusal(write_file([later])).message


@pytest.mark.parametrize("lines", [[ITEM], [HEADER, HEADER], [HEADER, LINES[2], LINES[4]], [HEADER, LINES[2]]])
def test_a_line_out_of_place_is_refused(lines: list[Line]):
    assert _refusal(write_file(lines)).code == "bad_export"


@pytest.mark.parametrize("content", [b"{}\n", b"\n", b"\x00" * 100, b'{"kind":"tenant"}\n', b"[" * 100_000])
def test_another_kind_of_file_is_refused_at_its_first_line(content: bytes):
    assert _refusal(content).path == "line 1"


def test_a_line_without_end_is_not_read_into_memory():
    assert f"over {MAX_LINE_BYTES} bytes" in _refusal(b"x" * (MAX_LINE_BYTES + 10)).message
