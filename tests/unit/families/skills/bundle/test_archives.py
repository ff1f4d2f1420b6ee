"""A skill in a zip file, and zip files that are none."""

import io
import stat
import struct
import tracemalloc
import zipfile
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from almanac.families.skills.bundle.archives import MAX_ARCHIVE_BYTES, Archive, read_archive
from almanac.families.skills.bundle.files import MAX_BUNDLE_BYTES, MAX_FILE_BYTES, MAX_FILES
from almanac.families.skills.bundle.zip_entries import MAX_ENTRIES
from almanac.kernel.errors import InvalidInput
from tests.unit.families.skills.bundle.zips import (
    END,
    SKILL,
    replace_bytes,
    with_directory_field,
    zip_of,
    zip_with_entry,
)

TEXT = SKILL.decode()


def refusal(data: bytes) -> str:
    with pytest.raises(InvalidInput) as refused:
        read_archive(data)
    assert refused.value.hint
    return refused.value.message


@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_skill_at_the_root_or_in_a_folder_is_read(packing: int):
    files = {"SKILL.md": SKILL, "scripts/a.py": b"1", "empty": b""}

    assert read_archive(zip_of(files, packing)) == Archive(TEXT, {"scripts/a.py": b"1", "empty": b""})
    assert read_archive(zip_of({f"tidy-desk/{name}": data for name, data in files.items()}, packing)) == Archive(
        TEXT, {"scripts/a.py": b"1", "empty": b""}, "tidy-desk"
    )


def test_the_outermost_skill_is_taken_and_what_lies_beside_it_is_named():
    archive = read_archive(
        zip_of(
            {
                "repo/README.md": b"x",
                "repo/skills/desk/SKILL.md": SKILL,
                "repo/skills/desk/templates/SKILL.md": b"template",
                "repo/skills/desk/.git/config": b"x",
                "repo/skills/desk/a/.DS_Store": b"x",
                "__MACOSX/repo/._x": b"x",
            }
        )
    )

    assert archive == Archive(
        TEXT,
        {"templates/SKILL.md": b"template"},
        "desk",
        ("repo/README.md", "repo/skills/desk/.git/config", "repo/skills/desk/a/.DS_Store", "__MACOSX/repo/._x"),
    )


def test_a_small_skill_md_is_taken_where_there_is_no_other():
    assert read_archive(zip_of({"skill.md": SKILL})).skill_md == TEXT


def test_a_zip_in_a_zip_is_a_file():
    inner = zip_of({"../x": b"1"})

    assert read_archive(zip_of({"SKILL.md": SKILL, "inner.zip": inner})).files == {"inner.zip": inner}


def test_folders_are_no_files():
    assert read_archive(zip_of({"d/": b"", "d/SKILL.md": SKILL, "d/empty/": b""})) == Archive(TEXT, {}, "d")


def test_names_in_utf_8_are_read_whether_or_not_the_zip_says_so():
    data = zip_of({"SKILL.md": SKILL, "übung.md": b"x"})
    unsaid = with_directory_field(data, "übung.md", 8, struct.pack("<H", 0))

    assert read_archive(data).files == read_archive(unsaid).files == {"übung.md": b"x"}
    assert data != unsaid


def test_without_a_skill_or_with_several_nothing_is_read():
    assert "no SKILL.md" in refusal(zip_of({"README.md": b"x"}))
    assert "no SKILL.md" in refusal(zip_of({".git/SKILL.md": SKILL}))
    assert "no SKILL.md" in refusal(zip_of({}))
    assert "several skills: a, b" in refusal(zip_of({"b/SKILL.md": SKILL, "a/SKILL.md": SKILL}))
    assert "not UTF-8" in refusal(zip_of({"SKILL.md": b"\xff"}))


@pytest.mark.parametrize(
    "name", ["/abs", "../up", "a/../../up", "C:/x", "a\\b", "\\\\h\\s", "a//b", "nul", "a\u202eb", "./a", "x ", "//"]
)
@pytest.mark.parametrize("ending", ["", "/"])
def test_a_path_that_leads_elsewhere_is_refused_even_outside_the_skill(name: str, ending: str):
    refusal(zip_of({"d/SKILL.md": SKILL, name + ending: b""}))


def test_a_name_that_ends_at_a_zero_for_others_is_refused():
    refusal(replace_bytes(zip_of({"SKILL.md": SKILL, "a_b.md": b"x"}), b"a_b.md", b"a\0b.md"))


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFSOCK])
def test_links_and_devices_are_left_out_and_named(kind: int):
    link = zipfile.ZipInfo("out")
    link.external_attr = (kind | 0o777) << 16

    assert read_archive(zip_with_entry(link, b"/etc/passwd")) == Archive(TEXT, {}, None, ("out",))


def test_a_link_called_skill_md_is_no_skill():
    link = zipfile.ZipInfo("SKILL.md")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16

    refusal(zip_with_entry(link, b"/etc/passwd", files={"a": b""}))


def test_a_name_twice_is_refused_and_so_are_names_that_are_one_on_some_systems():
    twice = replace_bytes(zip_of({"SKILL.md": SKILL, "aa": b"1", "ab": b"2"}), b"ab", b"aa")

    assert "twice" in refusal(twice)
    assert "cannot both be files" in refusal(zip_of({"SKILL.md": SKILL, "a": b"1", "A": b"2"}))
    assert "cannot both be files" in refusal(zip_of({"SKILL.md": SKILL, "a": b"1", "a/b": b"2"}))
    assert "not one of the files" in refusal(zip_of({"SKILL.md": SKILL, "skill.md": SKILL}))


@pytest.mark.parametrize("flag", [0x1, 0x40, 0x2000])
def test_an_encrypted_entry_is_refused(flag: int):
    data = zip_of({"SKILL.md": SKILL, "a": b"1"})

    assert "encrypted" in refusal(with_directory_field(data, "a", 8, struct.pack("<H", flag)))


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_entry_that_is_packed_otherwise_is_refused(packing: int):
    assert "deflate" in refusal(zip_of({"SKILL.md": SKILL, "a": b"1"}, packing))


def test_a_size_over_the_limits_is_refused_before_anything_is_unpacked():
    data = zip_of({"SKILL.md": SKILL, "a": b"1"})
    large = with_directory_field(data, "a", 24, struct.pack("<L", MAX_FILE_BYTES + 1))
    total = zip_of({"SKILL.md": SKILL, **{f"f{n}": bytes(MAX_FILE_BYTES) for n in range(2)}})

    assert f"{MAX_FILE_BYTES + 1} bytes" in refusal(large)
    assert "in all" in refusal(total)
    assert "files" in refusal(zip_of({"SKILL.md": SKILL, **{f"f{n}": b"" for n in range(MAX_FILES)}}))
    assert len(read_archive(zip_of({"SKILL.md": SKILL, **{f"f{n}": b"" for n in range(MAX_FILES - 1)}})).files) == 511


@pytest.mark.parametrize("declared", [0, 1, 1_000, 999_999, 1_000_001])
def test_an_entry_with_another_size_than_it_says_is_refused(declared: int):
    data = zip_of({"SKILL.md": SKILL, "bomb": bytes(1_000_000)})

    assert "its size or checksum differs" in refusal(
        with_directory_field(data, "bomb", 24, struct.pack("<L", declared))
    )


def test_an_entry_whose_checksum_fits_its_first_part_is_refused():
    data = zip_of({"SKILL.md": SKILL, "bomb": bytes(1_000_000)})
    shorter = with_directory_field(data, "bomb", 24, struct.pack("<L", 10))

    assert "its size or checksum differs" in refusal(
        with_directory_field(shorter, "bomb", 16, struct.pack("<L", zlib.crc32(bytes(10))))
    )


@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_flipped_bit_is_noticed(packing: int):
    data = bytearray(zip_of({"SKILL.md": SKILL, "a.bin": b"some bytes, some bytes"}, packing))
    data[data.index(b"a.bin") + 8] ^= 4

    refusal(bytes(data))


def test_a_bomb_takes_no_more_memory_than_twice_what_it_says():
    size = MAX_FILE_BYTES // 4
    honest = zip_of({"SKILL.md": SKILL, "bomb": bytes(size)})
    lying = with_directory_field(zip_of({"SKILL.md": SKILL, "bomb": bytes(MAX_BUNDLE_BYTES)}), "bomb", 24, b"\0\0\1\0")
    peaks: list[int] = []
    for data in (honest, lying):
        tracemalloc.start()
        try:
            read_archive(data)
        except InvalidInput:
            pass
        finally:
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()

    # The library unpacks into buffers that it joins, and has a window of 32 kB.
    assert peaks[0] < 2 * size + 100_000
    assert peaks[1] < 400_000


def test_entries_that_lie_on_one_another_are_refused():
    data = zip_of({"SKILL.md": SKILL, "aa": bytes(50_000), "bb": bytes(50_000)})
    place = data.index(b"aa") - 30
    moved = with_directory_field(data, "bb", 42, struct.pack("<L", place))

    assert "another in its header" in refusal(moved)
    assert "overlaps another entry" in refusal(
        with_directory_field(zip_of({"SKILL.md": SKILL, "a": b"1", "b": b"2"}, 0), "a", 20, struct.pack("<LL", 9, 9))
    )
    last = zip_of({"SKILL.md": SKILL, "z": b"1"}, 0)
    assert "overlaps another entry" in refusal(with_directory_field(last, "z", 20, struct.pack("<LL", 9, 9)))


def test_an_entry_without_its_header_is_refused():
    data = zip_of({"SKILL.md": SKILL, "a": b"1"})

    assert "no header" in refusal(with_directory_field(data, "a", 42, struct.pack("<L", len(data))))
    assert "another in its header" in refusal(with_directory_field(data, "a", 42, struct.pack("<L", 3)))


def test_a_directory_of_many_entries_is_refused_before_it_is_read():
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for number in range(MAX_ENTRIES + 1):
            archive.writestr(f"other/{number}", b"")
        archive.writestr("SKILL.md", SKILL)
    data = target.getvalue()
    *parts, _count, size, start, comment = END.unpack_from(data, len(data) - END.size)
    lying = data[: -END.size] + END.pack(*parts[:3], 1, 1, size, start, comment)

    assert f"over {MAX_ENTRIES} entries" in refusal(data)
    assert f"over {MAX_ENTRIES} entries" in refusal(lying)
    large = data[: -END.size] + END.pack(*parts[:3], 1, 1, 600_000, start, comment)
    assert f"over {MAX_ENTRIES} entries" in refusal(large)


def test_what_is_cut_prolonged_or_no_zip_file_is_refused():
    data = zip_of({"SKILL.md": SKILL})

    assert "not a zip file" in refusal(b"")
    assert "not a zip file" in refusal(b"PK\x03\x04 and more")
    assert "not a zip file" in refusal(data[:-30])
    assert "has data after its end" in refusal(data + b"x")
    assert "zip64" in refusal(data[: -END.size] + b"PK\x06\x07" + bytes(16) + data[-END.size :])
    assert f"over {MAX_ARCHIVE_BYTES} bytes" in refusal(bytes(MAX_ARCHIVE_BYTES + 1))


def test_a_comment_at_the_end_does_no_harm():
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("SKILL.md", SKILL)
        archive.comment = b"made by hand"

    assert read_archive(target.getvalue()).skill_md == TEXT


WHOLE = zip_of({"tidy-desk/SKILL.md": SKILL, "tidy-desk/scripts/a.py": b"print()" * 20, "tidy-desk/b": b"\0" * 99})
CONTENT = read_archive(WHOLE)


@given(
    st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(1, 255)), min_size=1, max_size=3), st.integers(0, 9)
)
def test_no_spoilt_zip_file_gives_other_bytes(changes: list[tuple[int, int]], cut: int):
    data = bytearray(WHOLE)
    for place, mask in changes:
        data[place] ^= mask
    try:
        archive = read_archive(bytes(data[: len(data) - cut]))
    except InvalidInput:
        return

    # What is not covered by a checksum (a time, an attribute) may have changed, or a name in both places.
    assert archive.skill_md == TEXT
    assert set(archive.files.values()) <= set(CONTENT.files.values())
