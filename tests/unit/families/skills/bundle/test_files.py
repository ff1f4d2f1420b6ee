"""The files of a bundle, described and bounded."""

from hashlib import sha256

import pytest

from almanac.families.skills.bundle.file_kinds import is_text, mime_type_of
from almanac.families.skills.bundle.files import (
    MAX_BUNDLE_BYTES,
    MAX_FILE_BYTES,
    MAX_FILES,
    BundleFile,
    bundle_of,
)
from almanac.kernel.errors import InvalidInput


def test_files_are_described_and_sorted_by_path():
    files = bundle_of({"scripts/run.py": b"print()\n", "assets/logo.png": b"\x89PNG\0"})

    assert files == (
        BundleFile("assets/logo.png", 5, sha256(b"\x89PNG\0").hexdigest(), "image/png", is_text=False),
        BundleFile("scripts/run.py", 8, sha256(b"print()\n").hexdigest(), "text/x-python", is_text=True),
    )


def test_a_flipped_bit_and_a_missing_byte_are_noticed():
    data = b"some bytes"
    (file,) = bundle_of({"a": data})

    assert file.matches(data)
    assert not file.matches(data[:-1])
    assert not file.matches(data + b"\0")
    for place in range(len(data) * 8):
        flipped = bytearray(data)
        flipped[place // 8] ^= 1 << place % 8
        assert not file.matches(bytes(flipped))


def test_a_path_is_kept_composed():
    assert bundle_of({"e\u0301.md": b""})[0].path == "\u00e9.md"


def test_two_spellings_of_a_path_do_not_hide_each_other():
    assert len(bundle_of({"e\u0301.md": b"1", "a.md": b"2"})) == 2
    with pytest.raises(InvalidInput):
        bundle_of({"e\u0301.md": b"1", "\u00e9.md": b"2"})


@pytest.mark.parametrize(
    "files",
    [
        {"../a": b""},
        {"A": b"", "a": b""},
        {"SKILL.md": b""},
        {"skill.MD": b""},
        {"skill.md/x": b""},
        {"a": b"", "a/b": b""},
    ],
)
def test_what_cannot_be_a_bundle_is_refused(files: dict[str, bytes]):
    with pytest.raises(InvalidInput):
        bundle_of(files)


def test_a_skill_md_further_down_is_a_file():
    assert bundle_of({"templates/SKILL.md": b"x"})[0].path == "templates/SKILL.md"


def test_the_limits_are_met_and_not_passed():
    part = bytes(MAX_FILE_BYTES)

    assert len(bundle_of({f"f{n}": b"" for n in range(MAX_FILES - 1)})) == MAX_FILES - 1
    assert len(bundle_of({"a": part, "b": part[1:]}, skill_md_bytes=1)) == 2
    assert MAX_BUNDLE_BYTES == 2 * MAX_FILE_BYTES == 16 * 1024 * 1024
    for refused, skill_md_bytes in (
        ({f"f{n}": b"" for n in range(MAX_FILES)}, 0),
        ({"a": part + b"x"}, 0),
        ({"a": part, "b": part[1:]}, 2),
    ):
        with pytest.raises(InvalidInput):
            bundle_of(refused, skill_md_bytes)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", True),
        ("grüße\r\n\t".encode(), True),
        (b"\x1b[31mred", True),
        (b"\xef\xbb\xbfmark", True),
        (b"a\0b", False),
        (b"a\x07b", False),
        (b"\xff\xfea", False),
        (b"\xc3", False),
    ],
)
def test_text_is_utf_8_without_control_characters(data: bytes, text: bool):
    assert is_text(data) == text


@pytest.mark.parametrize(
    ("path", "text", "kind"),
    [
        ("a/README.MD", True, "text/markdown"),
        ("a.md", False, "application/octet-stream"),
        ("a.json", True, "application/json"),
        ("icon.svg", True, "image/svg+xml"),
        ("LICENSE", True, "text/plain"),
        ("data.unknown", False, "application/octet-stream"),
        ("x.md/data", True, "text/plain"),
        ("md", True, "text/plain"),
    ],
)
def test_a_kind_follows_from_the_name_and_the_bytes(path: str, text: bool, kind: str):
    assert mime_type_of(path, text=text) == kind
